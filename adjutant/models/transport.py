"""OUTSIDE. A server reached over HTTP: its trouble in words, its tries, and how long it may take."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3
from requests import exceptions as broken

from adjutant.children.waiting import Heard, Late, within
from adjutant.models.talking import KIND
from adjutant.ports import ModelFailed
from adjutant.printable import to_line
from adjutant.secret_names import is_home
from adjutant.store import jsonl

MAX_BODY, CHUNK = 2 * 1024 * 1024, 64 * 1024
CONNECT_SECONDS = 10.0
DETAIL_CHARS, SHORTEST_SECRET = 200, 6
AGAIN = (408, 425, 429)
BROKEN = (broken.ChunkedEncodingError, broken.ContentDecodingError, urllib3.exceptions.ProtocolError)
T = TypeVar("T")
Headers: TypeAlias = Mapping[str, str]
Now: TypeAlias = Callable[[], float]
Nap: TypeAlias = Callable[[float], None]
Gate: TypeAlias = Callable[[], None]
Proxies: TypeAlias = Mapping[str, str] | None
JSON = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}


class HttpAnswer(NamedTuple):
    """What came back: status, headers in lower case, at most MAX_BODY bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Again(Exception):
    """Worth another try, after `wait` seconds (None: the usual pause). Turns into ModelFailed when there is no more."""

    def __init__(self, cause: str, detail: str, wait: float | None = None, pause: float = 0.5) -> None:
        super().__init__(detail)
        self.cause, self.detail, self.wait, self.pause = cause, detail, wait, pause


class Server:
    """A model's API at one address, and what its trouble is called; no text shows the key. `variable`: the name of the
    secret, `signed`: the headers that carry it, `hint`: what to know about llm.base_url."""

    def __init__(self, base: str, key: str, variable: str, signed: Headers, hint: str, proxies: Proxies = None) -> None:
        self.base, self.place = base.rstrip("/"), _place(base.rstrip("/"))
        self._key, self._variable, self._credentials, self._hint = key, variable, dict(signed), hint
        self._proxies = dict(proxies or {})

    @contextmanager
    def open(self, path: str, data: bytes | None, limit: float, headers: Headers = JSON) -> Iterator[requests.Response]:
        """POST to base + path, GET without data; the body is still to be read. What it raises is for `trouble`."""
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelFailed("http", f"{self._variable} holds characters that no HTTP header may hold")
        with requests.Session() as session:
            session.trust_env = False  # no ~/.netrc, no variables: what goes out is what was configured
            verb, told = "GET" if data is None else "POST", {**headers, **self._credentials}
            how: dict[str, Any] = {"timeout": (min(limit, CONNECT_SECONDS), limit), "proxies": self._proxies}
            how |= {"stream": True, "allow_redirects": False}
            with session.request(verb, self.base + path, data=data, headers=told, **how) as response:
                yield response

    def read(self, response: requests.Response) -> HttpAnswer:
        body = b"".join(self._limit(response.iter_content(CHUNK)))
        headers = {name.lower(): value for name, value in response.headers.items()}
        return HttpAnswer(response.status_code, headers, body)

    def pieces(self, response: requests.Response) -> Iterator[bytes]:
        return self._limit(iter(lambda: response.raw.read1(CHUNK), b""))  # `read` would wait for all of it

    def _limit(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > MAX_BODY:
                raise ModelFailed("malformed", f"{self.place} sent more than {MAX_BODY >> 20} MB")
            yield piece

    def broke_off(self) -> Again:
        return Again("malformed", f"{self.place} broke off in the middle of its answer")

    def late(self, seconds: float) -> Again:
        return Again("timeout", f"no answer from {self.place} within {seconds:.4g} s", pause=0.2)

    def trouble(self, error: Exception, seconds: float) -> Exception:
        """The exception to raise instead; texts of the library are not passed on, they may quote a header."""
        if isinstance(error, ModelFailed):
            return error
        if isinstance(error, broken.InvalidURL | ValueError):
            return ModelFailed("unreachable", f"{self.place} is no usable address; check llm.base_url")
        if isinstance(error, BROKEN):
            return self.broke_off()
        wrapped = (urllib3.exceptions.ReadTimeoutError, TimeoutError)  # a read timeout in a ConnectionError
        slow = isinstance(error, broken.Timeout) or any(isinstance(each, wrapped) for each in error.args)
        if slow and not isinstance(error, broken.ConnectTimeout):
            return self.late(seconds)
        if isinstance(error, broken.SSLError):
            return ModelFailed("unreachable", f"the certificate of {self.place} was not accepted")
        if isinstance(error, requests.RequestException | urllib3.exceptions.HTTPError | OSError):
            return Again("unreachable", f"no connection to {self.place}{_reason(error)}", pause=0.2)
        return error

    def refuse(self, answer: HttpAnswer, model: str) -> Exception:
        status, place = answer.status, self.place
        if status in AGAIN or (500 <= status < 600 and status != 501):
            wait = _retry_after(answer.headers)
            later = f" (asks to wait {wait:g} s)" if wait is not None else ""
            return Again("http", f"{status} from {place}{later}{self._quote(answer)}", wait)
        if 300 <= status < 400:
            return ModelFailed("http", f"{status} from {place}: it points elsewhere; name the final address")
        if status in (401, 403):
            missing = f"the key in {self._variable} is missing or not accepted"
            only = "" if is_home(self._variable, self.base) else " (this address gets the key in .env and no other)"
            return ModelFailed("http", f"{status} from {place}: {missing}{only}")
        if status == 404:
            hint = f"no such address, or no model {model!r}; {self._hint}"
            return ModelFailed("http", f"404 from {place}: {hint}{self._quote(answer)}")
        return ModelFailed("http", f"{status} from {place}{self._quote(answer)}")

    def scrub(self, text: str) -> str:
        return text.replace(self._key, "***") if len(self._key) >= SHORTEST_SECRET else text

    def scrub_growing(self, text: str) -> str:
        """A text that still grows without the key, and without what may be the beginning of it."""
        text = self.scrub(text.encode("utf-8", "replace").decode())
        shown = len(self._key) if len(self._key) >= SHORTEST_SECRET else 0
        begun = next((n for n in range(shown - 1, 0, -1) if text.endswith(self._key[:n])), 0)
        return text[: len(text) - begun]

    def _quote(self, answer: HttpAnswer) -> str:
        try:
            found = jsonl.loads(answer.body)
            error = found.get("error", found)
        except (ValueError, AttributeError):
            return ""
        text = error.get("message") if isinstance(error, dict) else error
        return one_line(self.scrub(text)) if isinstance(text, str) else ""


class Transport:
    """A server asked with patience. `gate` raises when PAUSED has appeared; clock and `jitter` (0 to 1) are given."""

    def __init__(
        self, to: Server, *, sleep: Nap, monotonic: Now, jitter: Now, gate: Gate, timeout: float, max_retries: int = 2
    ) -> None:
        self.server, self.monotonic, self.gate = to, monotonic, gate
        self._sleep, self._jitter = sleep, jitter
        self._timeout, self._max_retries = timeout, max_retries

    def keep_on(self, deadline: float, once: Callable[[], T]) -> T:
        """`once` until it raises no Again, all before `deadline`. Raises ModelFailed, what `gate` and `once` raise."""
        tries = 0
        while True:
            self.gate()
            try:
                return once()
            except Again as again:
                tries += 1
                usual = min(again.pause * float(2 ** (tries - 1)), 8.0) * (0.5 + self._jitter() / 2)
                wait = again.wait if again.wait is not None else usual
                if tries > self._max_retries or self.monotonic() + wait >= deadline:
                    raise ModelFailed(again.cause, again.detail) from None
                self._sleep(wait)

    def ask(self, path: str, data: bytes, end: float, heads: Headers = JSON, heard: Heard | None = None) -> HttpAnswer:
        """One POST, given up in time; a stream goes to `heard`, its answer is empty. Raises Again, ModelFailed."""
        left = end - self.monotonic()
        if left <= 0:
            raise ModelFailed("timeout", f"no answer from {self.server.place} in the time there was")
        seconds = min(left, self._timeout)

        def work(tell: Callable[[bytes], None]) -> HttpAnswer:
            with self.server.open(path, data, seconds, heads) as response:
                streamed = response.headers.get("content-type", "").startswith(KIND)
                if heard is None or response.status_code != 200 or not streamed:
                    return self.server.read(response)
                for piece in self.server.pieces(response):
                    tell(piece)
                return HttpAnswer(200, {"content-type": KIND}, b"")

        try:
            return within(seconds, work, heard or (lambda piece: None))
        except Late:
            raise self.server.late(seconds) from None
        except Exception as error:  # noqa: BLE001 - the original may show the request, and the key
            raise self.server.trouble(error, seconds) from None


def one_line(text: str) -> str:
    """ ": " and the text, printable and short; "" for none."""
    line = to_line(text)[:DETAIL_CHARS]
    return f": {line}" if line else ""


def _place(base: str) -> str:
    try:
        parts = urlsplit(base)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
    except ValueError:
        return "llm.base_url"


def _reason(error: BaseException) -> str:
    inner = error.args[0] if error.args else None
    reason = getattr(inner, "reason", inner)
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return ": the name is not known"
    return ": nobody listens there" if isinstance(reason, urllib3.exceptions.NewConnectionError) else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header (RFC 9110 10.2.3), a date taken against the server's own Date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, (parsedate_to_datetime(text) - parsedate_to_datetime(headers["date"])).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None
