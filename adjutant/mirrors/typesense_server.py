"""OUTSIDE. A Typesense server or cluster: requests that end in time, and plain words for its trouble."""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from typesense import exceptions
from typesense.configuration import Configuration
from typesense.sync.api_call import ApiCall

from adjutant.children.waiting import Late, within
from adjutant.errors import ConfigInvalid, MirrorDiffers, MirrorUnavailable

T = TypeVar("T")
OLDEST = (0, 24)  # older ones lack what the searches here are made of, or were never tried
BULK = 15  # a whole batch may take this many times as long as a search
READY = (1, 4)  # of a node's state: leader, follower


class _Key(str):
    """A key that is not shown where its holder is printed: in an exception, a log or a debugger."""

    def __repr__(self) -> str:
        return "'***'"


class Missing(Exception):
    """There is no such collection, alias or document."""


class TypesenseServer:
    """`nodes`: addresses of one server or of every server of a cluster; one that does not answer is passed over. A
    request ends within `timeout` seconds, whatever happens; an import has longer, once a short one was answered. No
    text shows the key."""

    def __init__(self, nodes: list[str], key: str, timeout: float) -> None:
        """Contacts nobody. Raises ConfigInvalid."""
        if not (key.isascii() and key.isprintable()):
            raise ConfigInvalid("TYPESENSE_API_KEY holds characters that no HTTP header may hold")
        self._nodes = [_node(address) for address in nodes]
        self.place = ", ".join(f"{node['host']}:{node['port']}" for node in self._nodes)
        self._key, self._timeout = _Key(key), timeout
        self._lines: list[httpx.Client] = []
        self._quick = self._caller(timeout / len(nodes), timeout)
        self._slow = self._caller(timeout * BULK, timeout)
        self._slow.node_manager = self._quick.node_manager  # a node that a short request found away gets no long one
        self._probed = ""
        self._until: float | None = None

    def hurry(self) -> None:
        self._until = time.monotonic() + self._timeout

    def _caller(self, seconds: float, connect: float) -> ApiCall:
        config: Any = {"nodes": self._nodes, "api_key": self._key, "num_retries": len(self._nodes)}
        config |= {"connection_timeout_seconds": seconds, "retry_interval_seconds": 0.02}
        limits = httpx.Timeout(seconds, connect=min(connect, seconds))
        # trust_env: only wire reads the environment; no proxy and no ~/.netrc that was not asked for
        self._lines.append(httpx.Client(timeout=limits, trust_env=False))
        return ApiCall(Configuration(config), self._lines[-1])  # the Client around it warns of parts not used here

    def close(self) -> None:
        for line in self._lines:
            line.close()

    def call(self, verb: str, path: str, kind: type[T], *, share: float = 0.0, stays: bool = True, **more: Any) -> T:
        """The answer, which must be of this kind. With `share` it is a text, and has that share of the time of a whole
        batch: without a majority a cluster does not answer one at all. Raises MirrorUnavailable, Missing."""
        seconds, line = self._timeout, self._quick
        if share:
            self.probe()
            seconds, line, more = self._timeout * max(1.0, BULK * share), self._slow, {"as_json": False, **more}
        found = self._ask(lambda: getattr(line, verb)(path, entity_type=dict, **more), seconds)
        if stays:
            # The client goes round; the node that answered is asked again, as another may be a moment behind it.
            manager = self._quick.node_manager
            manager.node_index = (manager.node_index - 1) % len(manager.nodes)
        if not isinstance(found, kind):
            raise self.odd()
        return found

    def multi_search(self, searches: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
        """One multi_search: an answer a search, in order. Raises MirrorUnavailable when one was refused."""
        try:
            answers = self.call("post", "/multi_search", dict, as_json=True, body={"searches": searches})["results"]
        except (Missing, KeyError):
            raise self.odd() from None
        if len(answers) != len(searches):
            raise self.odd()
        for answer in answers:
            if "error" in answer:
                raise self.empty() if answer.get("code") == 404 else self._unavailable(str(answer["error"]))
        return list(answers)

    def version(self) -> str:
        """Such as 0.24.1. Raises MirrorUnavailable, also for a version too old, or a node that is not ready."""
        trouble = ""
        for _ in self._nodes:  # the client goes round: each answers for itself, and is found away before a long request
            told = self.call("get", "/debug", dict, stays=False)
            version = str(told.get("version") or "0")
            # What is no number, such as a nightly build, counts as new.
            numbers = tuple(int(part) if part.isdigit() else 1 << 30 for part in version.split(".")[:2])
            if told.get("state") not in READY:
                trouble = trouble or "it is not ready: its cluster has no leader"
            elif numbers < OLDEST:
                trouble = f"its version is {version[:20]}; 0.24 or later is needed"
            else:
                self._probed = version
        if not self._probed:
            raise self._unavailable(trouble)
        return self._probed

    def probe(self) -> None:
        """A short request, once: a server that is away costs `timeout`, not the time of an import."""
        if not self._probed:
            self.version()

    def understand(self, read: Callable[[], T]) -> T:
        """What `read` makes of an answer. Raises MirrorUnavailable when it is not what Typesense says."""
        try:
            return read()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self.odd() from None

    def odd(self) -> MirrorUnavailable:
        return self._unavailable("it answers, but not as Typesense does")

    def empty(self) -> MirrorUnavailable:
        return self.differs("it does not hold the documents (yet): `adjutant index` fills it")

    def differs(self, trouble: str) -> MirrorDiffers:
        return MirrorDiffers(f"typesense at {self.place}: {trouble}")

    def _ask(self, ask: Callable[[], Any], seconds: float) -> Any:
        nodes = self._quick.node_manager.nodes
        if not any(node.healthy for node in nodes):  # else the client asks the same one for a minute
            for node in nodes:
                node.healthy = True
        if self._until is not None:
            seconds = min(seconds, max(0.0, self._until - time.monotonic()))
        try:
            return within(seconds, lambda tell: self.understand(ask))
        except (Late, httpx.TimeoutException, exceptions.Timeout):
            trouble = f"no answer within {self._timeout if self._until is not None else seconds:g} s"
        except exceptions.ObjectNotFound:
            raise Missing from None
        except (exceptions.RequestUnauthorized, exceptions.RequestForbidden):
            trouble = "the key in TYPESENSE_API_KEY is missing, not accepted, or may not do this"
        except (exceptions.ServerError, exceptions.ServiceUnavailable):
            trouble = "it cannot do this now: not ready, or its cluster has no majority"
        except exceptions.TypesenseClientError as error:
            trouble = str(error) or type(error).__name__
        except (httpx.HTTPError, OSError) as error:
            trouble = getattr(error, "strerror", None) or "no connection"
        raise self._unavailable(trouble)  # outside of any handler: no request with the key hangs on it

    def _unavailable(self, trouble: str) -> MirrorUnavailable:
        told = trouble.replace(self._key, "***") if self._key else trouble
        return MirrorUnavailable(f"typesense at {self.place}: {' '.join(told.split())[:200]}")


def _node(address: str) -> dict[str, Any]:
    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise ConfigInvalid("`typesense.nodes` holds what is no address of a server") from None
    return {"host": parts.hostname or "", "port": port, "protocol": parts.scheme, "path": parts.path.rstrip("/")}
