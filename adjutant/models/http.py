"""OUTSIDE. What every route over HTTP shares: a server and the words for its trouble, a question and its tries."""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, NamedTuple, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3

from adjutant.models.streaming import KIND, Broken, Stream
from adjutant.models.talking import Calls, called
from adjutant.ports import Dialogue, ModelFailed, Prompt, Reply, Said
from adjutant.secret_names import is_home
from adjutant.store import jsonl

MAX_BODY = 2 * 1024 * 1024
CHUNK = 64 * 1024
CONNECT_SECONDS = 10.0
CHARS_PER_TOKEN = 4
DETAIL_CHARS = 200
SHORTEST_SECRET = 6
AGAIN = (408, 425, 429)
REFUSALS = (400, 404, 422, 501)
STREAMING = {"stream_options": ("stream_options", "include_usage"), "stream": ("stream",)}  # as `options` of HttpModel
T = TypeVar("T")
JSON = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}


class Answer(NamedTuple):
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
    """A model's API at one address: how it is reached, and what its trouble is called. No text shows the key.

    `variable` is the name of the secret, `credentials` the headers that carry it, `hint` what to know about
    llm.base_url. The environment is not read: `proxies` ({"https": url}) says what to use.
    """

    def __init__(
        self,
        base: str,
        key: str,
        *,
        variable: str,
        credentials: Mapping[str, str],
        hint: str,
        proxies: Mapping[str, str] | None = None,
    ) -> None:
        self.base, self.place = base.rstrip("/"), _place(base.rstrip("/"))
        self._key, self._variable, self._credentials, self._hint = key, variable, dict(credentials), hint
        self._proxies = dict(proxies or {})

    @contextmanager
    def open(
        self,
        path: str,
        data: bytes,
        seconds: float,
        headers: Mapping[str, str] = JSON,
    ) -> Iterator[requests.Response]:
        """POST to base + path; the body of the answer is still to be read. What it raises is for `trouble`."""
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelFailed("http", f"{self._variable} holds characters that no HTTP header may hold")
        with requests.Session() as session:
            session.trust_env = False  # no ~/.netrc, no variables: what goes out is what was configured
            with session.post(
                self.base + path,
                data=data,
                headers={**headers, **self._credentials},
                stream=True,
                allow_redirects=False,
                timeout=(min(seconds, CONNECT_SECONDS), seconds),
                proxies=self._proxies,
            ) as response:
                yield response

    def read(self, response: requests.Response) -> Answer:
        """All of an answer. Raises ModelFailed past MAX_BODY; what else it raises is for `trouble`."""
        body = bytearray()
        for chunk in response.iter_content(CHUNK):
            body += chunk
            if len(body) > MAX_BODY:
                raise ModelFailed("malformed", f"{self.place} sent more than {MAX_BODY >> 20} MB")
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, headers, bytes(body))

    def pieces(self, response: requests.Response) -> Iterator[bytes]:
        """What comes, as it comes. Raises as `read`."""
        size = 0
        while piece := response.raw.read1(CHUNK):  # `read` would wait for all of it
            size += len(piece)
            if size > MAX_BODY:
                raise ModelFailed("malformed", f"{self.place} sent more than {MAX_BODY >> 20} MB")
            yield piece

    def broke_off(self) -> Again:
        """For an answer without its end."""
        return Again("malformed", f"{self.place} broke off in the middle of its answer")

    def late(self, seconds: float) -> Again:
        """For an answer that did not come within `seconds`."""
        return Again("timeout", f"no answer from {self.place} within {seconds:.4g} s", pause=0.2)

    def trouble(self, error: Exception, seconds: float) -> Exception:
        """The exception to raise instead; texts of the library are not passed on, they may quote a header."""
        if isinstance(error, ModelFailed):
            return error
        if isinstance(error, requests.exceptions.InvalidURL | ValueError):
            return ModelFailed("unreachable", f"{self.place} is no usable address; check llm.base_url")
        if isinstance(error, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
            return self.broke_off()
        if isinstance(error, requests.exceptions.ConnectTimeout):
            return Again("unreachable", f"no connection to {self.place}", pause=0.2)
        if isinstance(error, requests.exceptions.Timeout) or _timed_out(error):
            return self.late(seconds)
        if isinstance(error, requests.exceptions.SSLError):
            return ModelFailed("unreachable", f"the certificate of {self.place} was not accepted")
        if isinstance(error, requests.RequestException | urllib3.exceptions.HTTPError | OSError):
            return Again("unreachable", f"no connection to {self.place}{_reason(error)}", pause=0.2)
        return error

    def refused(self, answer: Answer, model: str) -> Exception:
        """The exception for a status that is no success: Again or ModelFailed."""
        status, place = answer.status, self.place
        if status in AGAIN or (500 <= status < 600 and status != 501):
            wait = _retry_after(answer.headers)
            later = f" (asks to wait {wait:g} s)" if wait is not None else ""
            return Again("http", f"{status} from {place}{later}{self._said(answer)}", wait)
        if 300 <= status < 400:
            return ModelFailed("http", f"{status} from {place}: it points elsewhere; name the final address")
        if status in (401, 403):
            missing = f"the key in {self._variable} is missing or not accepted"
            only = "" if is_home(self._variable, self.base) else " (this address gets the key in .env and no other)"
            return ModelFailed("http", f"{status} from {place}: {missing}{only}")
        if status == 404:
            hint = f"no such address, or no model {model!r}; {self._hint}"
            return ModelFailed("http", f"404 from {place}: {hint}{self._said(answer)}")
        return ModelFailed("http", f"{status} from {place}{self._said(answer)}")

    def scrubbed(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self._key, "***") if len(self._key) >= SHORTEST_SECRET else text

    def shown(self, text: str) -> str:
        """A text that still grows without the key, and without what may be the beginning of it."""
        text = self.scrubbed(text.encode("utf-8", "replace").decode())
        if len(self._key) >= SHORTEST_SECRET:
            begun = next((n for n in range(len(self._key) - 1, 0, -1) if text.endswith(self._key[:n])), 0)
            text = text[: len(text) - begun]
        return text

    def without_key(self, body: bytes) -> bytes:
        """What a server sent, without the key."""
        return body.replace(self._key.encode(), b"***") if len(self._key) >= SHORTEST_SECRET else body

    def _said(self, answer: Answer) -> str:
        """The server's own message on one line, without the key."""
        try:
            found = jsonl.loads(answer.body)
            error = found.get("error", found)
            text = error.get("message") if isinstance(error, dict) else error
        except (ValueError, AttributeError):
            return ""
        if not isinstance(text, str):
            return ""
        line = " ".join("".join(c if c.isprintable() else " " for c in self.scrubbed(text)).split())
        return f": {line[:DETAIL_CHARS]}" if line else ""


class Line:
    """A server asked with patience: transport's own retries, and no request longer than it may be.

    One request may take `timeout` seconds. `gate` raises when PAUSED has appeared; it is asked before every request.
    `sleep`, `monotonic` (seconds) and `jitter` (0 to 1) come from outside.
    """

    def __init__(
        self,
        server: Server,
        *,
        sleep: Callable[[float], None],
        monotonic: Callable[[], float],
        jitter: Callable[[], float],
        gate: Callable[[], None],
        timeout: float,
        max_retries: int = 2,
    ) -> None:
        self.server, self.monotonic = server, monotonic
        self._sleep, self._jitter, self._gate = sleep, jitter, gate
        self._timeout, self._max_retries = timeout, max_retries

    def keep_on(self, deadline: float, once: Callable[[], T]) -> T:
        """`once` until it raises no Again, all tries and the pauses between them before `deadline`.

        Raises ModelFailed, and what `gate` and `once` raise.
        """
        tries = 0
        while True:
            self._gate()
            try:
                return once()
            except Again as again:
                tries += 1
                wait = again.wait if again.wait is not None else self._backoff(tries, again.pause)
                if tries > self._max_retries or self.monotonic() + wait >= deadline:
                    raise ModelFailed(again.cause, again.detail) from None
                self._sleep(wait)

    def _backoff(self, tries: int, pause: float) -> float:
        return min(pause * float(2 ** (tries - 1)), 8.0) * (0.5 + self._jitter() / 2)

    def ask(self, path: str, data: bytes, deadline: float, headers: Mapping[str, str] = JSON) -> Answer:
        """One POST in a thread of its own, given up in time. Raises Again, ModelFailed.

        The time limits of `requests` hold for one read each, and none holds for resolving a name: a server that
        drips bytes would keep the run. A thread that was given up ends with the process at the latest.
        """

        def work(put: Callable[[Answer | bytes | Exception], None], response: requests.Response) -> None:
            put(self.server.read(response))

        return self._waited(path, data, deadline, headers, work, lambda piece: None)

    def hear(self, path: str, data: bytes, deadline: float, heard: Callable[[bytes], None]) -> Answer:
        """The same; a stream is handed to `heard` as it comes, and its Answer is empty. Raises Again, ModelFailed."""

        def work(put: Callable[[Answer | bytes | Exception], None], response: requests.Response) -> None:
            kind = response.headers.get("content-type", "")
            if response.status_code != 200 or not kind.startswith(KIND):
                return put(self.server.read(response))
            try:
                for piece in self.server.pieces(response):
                    put(piece)
            except urllib3.exceptions.ProtocolError:
                return put(self.server.broke_off())
            put(Answer(200, {"content-type": KIND}, b""))

        return self._waited(path, data, deadline, {**JSON, "Accept": f"{KIND}, application/json"}, work, heard)

    def _waited(
        self,
        path: str,
        data: bytes,
        deadline: float,
        headers: Mapping[str, str],
        work: Callable[[Callable[[Answer | bytes | Exception], None], requests.Response], None],
        heard: Callable[[bytes], None],
    ) -> Answer:
        """What `work` puts at the end, of a thread that is given up in time; what it puts before goes to `heard`."""
        left = deadline - self.monotonic()
        if left <= 0:
            raise ModelFailed("timeout", f"no answer from {self.server.place} in the time there was")
        seconds = min(left, self._timeout)
        until = time.monotonic() + seconds
        box: queue.SimpleQueue[Answer | bytes | Exception] = queue.SimpleQueue()

        def run() -> None:
            try:
                with self.server.open(path, data, seconds, headers) as response:
                    work(box.put, response)
            except Exception as error:  # noqa: BLE001 - carried over to the thread that asked, which raises it
                box.put(error)

        threading.Thread(target=run, daemon=True, name="model request").start()
        while True:
            try:
                got = box.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise self.server.late(seconds) from None
            if isinstance(got, Exception):
                raise self.server.trouble(got, seconds) from None  # the original may show the request, and the key
            if isinstance(got, Answer):
                return got
            heard(got)


class HttpModel(ABC):
    """A question, or a turn of a dialogue, is one POST; streamed where somebody wants to hear it grow.

    `options`: what a server may not know, and words of its complaint; an option that is refused is left out from then
    on, for the whole process. `talk_options`: the same for dialogues, which use tools in another way. `ids`: what the
    id of a call looks like.
    """

    backend: str
    variable: ClassVar[str]
    hint: ClassVar[str]
    path: ClassVar[str]
    answers: ClassVar[str]
    options: ClassVar[Mapping[str, tuple[str, ...]]]
    talk_options: ClassVar[Mapping[str, tuple[str, ...]]]
    ids: ClassVar[re.Pattern[str]]

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        proxies: Mapping[str, str] | None = None,
        **patience: Any,
    ) -> None:
        """`patience`: the keywords of Line."""
        self._server = self.server(base_url, key, proxies)
        self._line = Line(self._server, **patience)
        self._left_out: set[str] = set()
        self._unsaid: set[str] = set()  # left out of dialogues

    @classmethod
    def server(cls, base_url: str, key: str | None, proxies: Mapping[str, str] | None = None) -> Server:
        """The server that speaks this API at `base_url`."""
        key = (key or "").strip()
        return Server(
            base_url,
            key,
            variable=cls.variable,
            credentials=cls.credentials(key),
            hint=cls.hint,
            proxies=proxies,
        )

    @classmethod
    @abstractmethod
    def credentials(cls, key: str) -> dict[str, str]:
        """The headers of every request; none holds a key that is empty."""

    @abstractmethod
    def payload(self, prompt: Prompt) -> dict[str, Any]:
        """The body of a request, without what is left out."""

    @abstractmethod
    def read(self, found: Any) -> tuple[str, int | None, int | None]:
        """Text ("" for a refusal), tokens in and out (None: not counted) of a decoded answer.

        Raises ValueError, KeyError, TypeError or AttributeError for what is no answer of this API.
        """

    @abstractmethod
    def talk(self, dialogue: Dialogue) -> dict[str, Any]:
        """The body of a request for the next turn, without what is left out of dialogues."""

    @abstractmethod
    def streamed(self, payload: dict[str, Any]) -> tuple[dict[str, Any], Stream]:
        """The body of the same request for an answer that comes in pieces, and what takes these in."""

    @abstractmethod
    def hear(self, found: Any, calls: Calls) -> tuple[str, int | None, int | None]:
        """As `read`, for a turn of a dialogue; its calls are added to `calls`."""

    def complete(self, prompt: Prompt) -> Reply:
        """Ask once, with transport's own retries, all inside `prompt.timeout` seconds. Raises ModelFailed."""

        def read(answer: Answer, sent: int) -> Reply:
            return self._reply(answer, prompt)

        return self._post(prompt, lambda: self.payload(prompt), read, self.options, self._left_out)

    def converse(self, dialogue: Dialogue) -> Said:
        """The next turn, with the patience of `complete`. Raises ModelFailed.

        Where the server refuses tools, the dialogue goes on without (`Said.offered`), unless one was called in it.
        """
        sure = ("tools",) if called(dialogue.messages) else ()
        options = {option: words for option, words in self.talk_options.items() if option not in sure}

        def read(answer: Answer, sent: int) -> Said:
            return self._said(answer, dialogue, sent)

        return self._post(dialogue, lambda: self.talk(dialogue), read, options, self._unsaid, dialogue.told)

    def _post(
        self,
        asked: Prompt | Dialogue,
        payload: Callable[[], dict[str, Any]],
        read: Callable[[Answer, int], T],
        options: Mapping[str, tuple[str, ...]],
        left_out: set[str],
        told: Callable[[str], None] | None = None,
    ) -> T:
        """What `read` makes of the good answer and of the characters sent. Raises ModelFailed."""
        deadline = self._line.monotonic() + asked.timeout
        if told is not None:
            options = {**STREAMING, **options}

        def once() -> T | None:
            body, stream = payload(), None
            if told is not None and "stream" not in left_out:
                body, stream = self.streamed(body)
            text = json.dumps(body, ensure_ascii=False)
            data = text.encode("utf-8", "replace")
            if stream is None or told is None:
                answer = self._line.ask(self.path, data, deadline)
            else:
                answer = self._grown(data, deadline, stream, told)
            if 200 <= answer.status < 300:
                return read(answer, len(text))
            if answer.status in REFUSALS and _leave_out(answer, body, options, left_out):
                return None
            raise self._server.refused(answer, asked.model)

        while (found := self._line.keep_on(deadline, once)) is None:
            pass  # an option was refused, and is left out now
        return found

    def _grown(self, data: bytes, deadline: float, stream: Stream, told: Callable[[str], None]) -> Answer:
        """The whole answer of a stream, told as it comes. Raises Again, ModelFailed."""

        def heard(piece: bytes) -> None:
            try:
                stream.feed(piece)
            except Broken:
                raise self._server.broke_off() from None
            told(self._server.shown(stream.text))

        told("")
        answer = self._line.hear(self.path, data, deadline, heard)
        if answer.body or not answer.headers.get("content-type", "").startswith(KIND):
            return answer
        if not stream.over:
            raise self._server.broke_off()
        told(self._server.scrubbed(stream.text.encode("utf-8", "replace").decode()))
        return answer._replace(body=stream.whole())

    def _reply(self, answer: Answer, prompt: Prompt) -> Reply:
        text, asked, answered = self._understood(answer, self.read)
        size = len(prompt.system) + len(prompt.text)
        return Reply(text, _tokens(asked, size), _tokens(answered, len(text)))

    def _said(self, answer: Answer, dialogue: Dialogue, sent: int) -> Said:
        calls = Calls(dialogue, self._server.scrubbed, self.ids)
        text, asked, answered = self._understood(answer, lambda found: self.hear(found, calls))
        written = len(text) + sum(len(call.name) + len(call.raw) for call in calls.found)
        return Said(
            text,
            tuple(calls.found),
            _tokens(asked, sent),
            _tokens(answered, written),
            offered="tools" not in self._unsaid,
            cut=calls.short,
        )

    def _understood(
        self,
        answer: Answer,
        read: Callable[[Any], tuple[str, int | None, int | None]],
    ) -> tuple[str, int | None, int | None]:
        """What `read` finds, the text without the key. Raises ModelFailed."""
        try:
            text, asked, answered = read(jsonl.loads(answer.body))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ModelFailed("malformed", f"{self._server.place} answered, but with no {self.answers}") from None
        return self._server.scrubbed(text.encode("utf-8", "replace").decode()), asked, answered


def _leave_out(
    answer: Answer,
    payload: Mapping[str, Any],
    options: Mapping[str, tuple[str, ...]],
    left_out: set[str],
) -> bool:
    """True when the refusal names an option that was sent and can be done without; it is left out from now on."""
    complaint = answer.body[:CHUNK].decode("utf-8", "replace").casefold()
    for option, words in options.items():
        if option in payload and payload[option] is not False and any(word in complaint for word in words):
            left_out.add(option)
            return True
    return False


def in_words(schema: Mapping[str, Any]) -> str:
    """The JSON Schema as a last line of the system text, for a server that cannot be held to it."""
    return "\nThe object must fit this JSON Schema:\n" + json.dumps(schema, ensure_ascii=False)


def count(usage: Any, name: str) -> int | None:
    """What the server counted under this name, None when it did not."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _tokens(counted: int | None, chars: int) -> int:
    return chars // CHARS_PER_TOKEN if counted is None else counted


def _place(base: str) -> str:
    """Scheme, host and path of the address, without any user, password or query."""
    try:
        parts = urlsplit(base)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
    except ValueError:
        return "llm.base_url"


def _timed_out(error: BaseException) -> bool:
    """True for a read timeout that `requests` wrapped into a ConnectionError."""
    return any(isinstance(arg, urllib3.exceptions.ReadTimeoutError | TimeoutError) for arg in error.args)


def _reason(error: BaseException) -> str:
    inner = error.args[0] if error.args else None
    reason = getattr(inner, "reason", inner)
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return ": the name is not known"
    if isinstance(reason, urllib3.exceptions.NewConnectionError):
        return ": nobody listens there"
    return ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header (RFC 9110 10.2.3), a date taken against the server's own Date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, (parsedate_to_datetime(text) - parsedate_to_datetime(headers["date"])).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None
