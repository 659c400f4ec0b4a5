"""OUTSIDE. Redis: the copy of the behaviour contract that other programs read without touching the files."""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import redis
from redis import exceptions

from adjutant.children.waiting import Late, within
from adjutant.errors import ConfigInvalid, MirrorDiffers, MirrorUnavailable
from adjutant.index_ports import HOW_TO_PART, Owner
from adjutant.store import package

T = TypeVar("T")
ODD = (ValueError, TypeError, AttributeError, LookupError, AssertionError)  # the client's, for what is no Redis
REASONS = (  # what its client's errors mean
    (
        (exceptions.AuthenticationError, exceptions.NoPermissionError),
        "the user or password in REDIS_URL is not accepted, or may not do this",
    ),
    (exceptions.BusyLoadingError, "it is still reading its data"),
    (exceptions.ReadOnlyError, "a replica, which may not be written to"),
    ((exceptions.InvalidResponse, *ODD), "it answers, but not as Redis does"),
)
TAKEN = 2


class Redis:
    """A ContractCache. `url` may name several hosts, `redis://one:6379,two:6379/0`: the one that may be written to is
    found. One call takes `timeout` seconds at most, all hosts together. No text shows the user or the password."""

    name = "redis"

    def __init__(self, url: str, instance: str, timeout: float, owner: Owner) -> None:
        self.key, self._owner_key = f"adjutant:{instance}:behavior:contract", f"adjutant:{instance}:behavior:owner"
        self.channel = f"adjutant:{instance}:behavior"
        self._timeout, self._owner = timeout, owner
        self._hosts = _hosts(url, timeout)
        password = ""
        with suppress(ValueError):
            password = urlsplit(url).password or ""
        self._secrets = sorted({password, unquote(password)} - {""}, key=len, reverse=True)

    def push(self, version: int, hash: str, payload: str, force: bool = False) -> bool:
        wanted = "" if force else str(version)
        return self._ours("push", (self.key, self._owner_key, wanted, payload, self.channel, hash, self._owner.make()))

    def forget(self) -> None:
        if self.read() is not None:
            self._ours("forget", (self.key, self._owner_key, self._owner.read()))

    def _ours(self, script: str, given: tuple[str, ...]) -> bool:
        """Whether the script did something; it begins with a look at whose the contract is."""
        text = package.text("mirrors", f"{script}.lua")
        done = self._first(lambda host: (0, 1, TAKEN).index(host.eval(text, 2, *given)))  # else it is no Redis
        if done == TAKEN:
            raise self._foreign()
        return bool(done)

    def read(self) -> str | None:
        owner, held = self._first(lambda host: (_text(host.get(self._owner_key)), _text(host.get(self.key))))
        if owner is not None and owner != self._owner.read():
            raise self._foreign()
        return held

    def take_over(self) -> bool:
        id = self._owner.make()
        return self._first(lambda host: _text(host.getset(self._owner_key, id))) not in (None, id)

    def _foreign(self) -> MirrorDiffers:
        return MirrorDiffers(f"redis: `{self.key}` is pushed by another instance of this name: {HOW_TO_PART}")

    def _first(self, ask: Callable[[redis.Redis], T]) -> T:
        """The answer of the first host that gives one. Raises MirrorUnavailable with every host's reason."""

        def work(host: redis.Redis, tell: object) -> T:
            with closing(host):  # a push is rare
                return ask(host)

        end, reasons = time.monotonic() + self._timeout, list[str]()
        for left, (place, host) in zip(range(len(self._hosts), 0, -1), self._hosts, strict=True):
            try:
                return within(max((end - time.monotonic()) / left, 0.001), partial(work, host))
            except (Late, exceptions.RedisError, OSError, *ODD) as error:
                reasons.append(f"{place}: {self._reason(error)}")
        raise MirrorUnavailable(f"redis: {'; '.join(reasons)}")

    def _reason(self, error: Exception) -> str:
        if isinstance(error, Late | exceptions.TimeoutError):
            return f"no answer within {self._timeout:g} s"
        known = next((what for kinds, what in REASONS if isinstance(error, kinds)), "no connection")
        if isinstance(error, exceptions.ResponseError) and known == "no connection":
            text = " ".join(str(error).split())
            for secret in self._secrets:
                text = text.replace(secret, "***")
            return text[:200]
        return known


def _text(answer: object) -> str | None:
    """Raises ValueError for what GET never returns."""
    if not isinstance(answer, bytes | None):
        raise ValueError
    return answer if answer is None else answer.decode("utf-8", "replace")


def _hosts(url: str, timeout: float) -> list[tuple[str, redis.Redis]]:
    scheme, _, rest = url.partition("://")
    login, at, rest = rest.rpartition("@")
    names, slash, path = rest.partition("/")
    found, times = [], {"socket_timeout": timeout, "socket_connect_timeout": timeout}
    for name in [names] if scheme == "unix" else names.split(","):
        place = f"/{path.partition('?')[0]}" if scheme == "unix" else name
        address = f"{scheme}://{login}{at}{name}{slash}{path}"
        try:  # without `retry`: the client's own ten tries take 15 s with a server that hangs
            found.append((place, redis.Redis.from_url(address, **times, retry=None)))
        except (ValueError, TypeError):  # which quotes the address, password and all
            message = "`redis.url`, or REDIS_URL in its place, is no address of a Redis server"
            fix = "such as redis://127.0.0.1:6379/0, rediss:// for TLS, unix:///run/redis.sock"
            raise ConfigInvalid(message, fix) from None
    return found
