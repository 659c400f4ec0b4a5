"""OUTSIDE. Any OpenAI-compatible chat endpoint: hosted, Ollama, llama.cpp, vLLM."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
import urllib3

from adjutant.ports import ModelFailed, Prompt, Reply
from adjutant.store import records

DEFAULT_BASE = "https://api.openai.com/v1"
MAX_BODY = 2 * 1024 * 1024
CHUNK = 64 * 1024
CONNECT_SECONDS = 10.0
CHARS_PER_TOKEN = 4
DETAIL_CHARS = 200
SHORTEST_SECRET = 6
AGAIN = (408, 425, 429)
REFUSALS = (400, 404, 422, 501)

# What a server may not know: the option, and words of its complaint. Left out from then on, for the whole process.
OPTIONS: dict[str, tuple[str, ...]] = {
    "response_format": ("response_format", "json_schema", "schema", "structured", "guided", "grammar"),
    "max_tokens": ("max_completion_tokens",),
    "temperature": ("temperature",),
}


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


class OpenAI:
    """POST {base}/chat/completions, not streamed, the reply held to the prompt's JSON Schema where the server can.

    One request may take `timeout` seconds; all tries and the pauses between them together, `prompt.timeout`.
    `gate` raises when PAUSED has appeared; it is asked before every request. `sleep`, `monotonic` (seconds) and
    `jitter` (0 to 1) come from outside. The environment is not read: `proxies` ({"https": url}) says what to use.
    """

    backend = "openai"

    def __init__(
        self, base_url: str | None, key: str | None, *, sleep: Callable[[float], None], monotonic: Callable[[], float],
        jitter: Callable[[], float], gate: Callable[[], None], timeout: float, max_retries: int = 2,
        proxies: Mapping[str, str] | None = None,
    ) -> None:
        self._base = (base_url or DEFAULT_BASE).rstrip("/")
        self._key = (key or "").strip()
        self._sleep, self._monotonic, self._jitter, self._gate = sleep, monotonic, jitter, gate
        self._timeout, self._max_retries, self._proxies = timeout, max_retries, dict(proxies or {})
        self._left_out: set[str] = set()
        self._place = _place(self._base)

    def complete(self, prompt: Prompt) -> Reply:
        """Ask once, with transport's own retries, all inside `prompt.timeout` seconds. Raises ModelFailed."""
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelFailed("http", "the key holds characters that no HTTP header may hold")
        deadline = self._monotonic() + prompt.timeout
        tries = 0
        while True:
            self._gate()
            try:
                reply = self._once(prompt, deadline)
            except Again as again:
                tries += 1
                wait = again.wait if again.wait is not None else self._backoff(tries, again.pause)
                if tries > self._max_retries or self._monotonic() + wait >= deadline:
                    raise ModelFailed(again.cause, again.detail) from None
                self._sleep(wait)
                continue
            if reply is not None:
                return reply

    def _backoff(self, tries: int, pause: float) -> float:
        return min(pause * float(2 ** (tries - 1)), 8.0) * (0.5 + self._jitter() / 2)

    def _once(self, prompt: Prompt, deadline: float) -> Reply | None:
        """One request. None: the server refused an option, which is now left out. Raises Again, ModelFailed."""
        left = deadline - self._monotonic()
        if left <= 0:
            raise ModelFailed("timeout", f"no answer from {self._place} within {prompt.timeout:g} s")
        payload = self._payload(prompt)
        answer = self._within(min(left, self._timeout), payload)
        if 200 <= answer.status < 300:
            return self._reply(answer, prompt)
        if answer.status in REFUSALS and self._leave_out(answer, payload):
            return None
        raise self._refused(answer, prompt.model)

    def _payload(self, prompt: Prompt) -> dict[str, Any]:
        system = prompt.system
        payload: dict[str, Any] = {"model": prompt.model, "stream": False}
        if "temperature" not in self._left_out:
            payload["temperature"] = prompt.temperature
        longest = "max_completion_tokens" if "max_tokens" in self._left_out else "max_tokens"
        payload[longest] = prompt.max_tokens
        if prompt.schema is not None:
            if "response_format" in self._left_out:
                system += "\nThe object must fit this JSON Schema:\n" + json.dumps(prompt.schema, ensure_ascii=False)
            else:
                held = {"name": prompt.name, "strict": True, "schema": prompt.schema}
                payload["response_format"] = {"type": "json_schema", "json_schema": held}
        payload["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": prompt.text}]
        return payload

    def _leave_out(self, answer: Answer, payload: Mapping[str, Any]) -> bool:
        """True when the refusal names an option that was sent and can be done without."""
        complaint = answer.body[:CHUNK].decode("utf-8", "replace").casefold()
        for option, words in OPTIONS.items():
            if option in payload and any(word in complaint for word in words):
                self._left_out.add(option)
                return True
        return False

    # -- transport -------------------------------------------------------------------------------------------

    def _within(self, seconds: float, payload: Mapping[str, Any]) -> Answer:
        """The request in a thread of its own, given up after `seconds`.

        The time limits of `requests` hold for one read each, and none holds for resolving a name: a server that
        drips bytes would keep the run. A thread that was given up ends with the process at the latest.
        """
        box: queue.SimpleQueue[Answer | Exception] = queue.SimpleQueue()

        def work() -> None:
            try:
                box.put(self._request(seconds, payload))
            except Exception as error:  # noqa: BLE001 - carried over to the thread that asked, which raises it
                box.put(error)

        threading.Thread(target=work, daemon=True, name="openai").start()
        try:
            got = box.get(timeout=seconds)
        except queue.Empty:
            raise self._late(seconds) from None
        if isinstance(got, Exception):
            raise self._trouble(got, seconds) from None  # the original may show the request, and with it the key
        return got

    def _request(self, seconds: float, payload: Mapping[str, Any]) -> Answer:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        with requests.Session() as session:
            session.trust_env = False  # no ~/.netrc, no variables: what goes out is what was configured
            with session.post(
                f"{self._base}/chat/completions", data=data, headers=headers, stream=True, allow_redirects=False,
                timeout=(min(seconds, CONNECT_SECONDS), seconds), proxies=self._proxies,
            ) as response:
                body = bytearray()
                for chunk in response.iter_content(CHUNK):
                    body += chunk
                    if len(body) > MAX_BODY:
                        raise ModelFailed("malformed", f"{self._place} sent more than {MAX_BODY >> 20} MB")
                kept = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status_code, kept, bytes(body))

    def _late(self, seconds: float) -> Again:
        return Again("timeout", f"no answer from {self._place} within {seconds:.4g} s", pause=0.2)

    def _trouble(self, error: Exception, seconds: float) -> Exception:
        """The exception to raise instead; texts of the library are not passed on, they may quote a header."""
        if isinstance(error, ModelFailed):
            return error
        if isinstance(error, requests.exceptions.InvalidURL | ValueError):
            return ModelFailed("unreachable", f"{self._place} is no usable address; check llm.base_url")
        if isinstance(error, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
            return Again("malformed", f"{self._place} broke off in the middle of its answer")
        if isinstance(error, requests.exceptions.ConnectTimeout):
            return Again("unreachable", f"no connection to {self._place}", pause=0.2)
        if isinstance(error, requests.exceptions.Timeout) or _timed_out(error):
            return self._late(seconds)
        if isinstance(error, requests.exceptions.SSLError):
            return ModelFailed("unreachable", f"the certificate of {self._place} was not accepted")
        if isinstance(error, requests.RequestException | urllib3.exceptions.HTTPError | OSError):
            return Again("unreachable", f"no connection to {self._place}{_reason(error)}", pause=0.2)
        return error

    # -- what came back --------------------------------------------------------------------------------------

    def _refused(self, answer: Answer, model: str) -> Exception:
        status, place = answer.status, self._place
        if status in AGAIN or (500 <= status < 600 and status != 501):
            wait = _retry_after(answer.headers)
            later = f" (asks to wait {wait:g} s)" if wait is not None else ""
            return Again("http", f"{status} from {place}{later}{self._said(answer)}", wait)
        if 300 <= status < 400:
            return ModelFailed("http", f"{status} from {place}: it points elsewhere; name the final address")
        if status in (401, 403):
            return ModelFailed("http", f"{status} from {place}: the key in OPENAI_API_KEY is missing or not accepted")
        if status == 404:
            hint = f"no such address, or no model {model!r}; llm.base_url usually ends in /v1"
            return ModelFailed("http", f"404 from {place}: {hint}{self._said(answer)}")
        return ModelFailed("http", f"{status} from {place}{self._said(answer)}")

    def _said(self, answer: Answer) -> str:
        """The server's own message on one line, without the key."""
        try:
            found = records.loads(answer.body)
            error = found.get("error", found)
            text = error.get("message") if isinstance(error, dict) else error
        except (ValueError, AttributeError):
            return ""
        if not isinstance(text, str):
            return ""
        line = " ".join("".join(c if c.isprintable() else " " for c in self._scrubbed(text)).split())
        return f": {line[:DETAIL_CHARS]}" if line else ""

    def _scrubbed(self, text: str) -> str:
        return text.replace(self._key, "***") if len(self._key) >= SHORTEST_SECRET else text

    def _reply(self, answer: Answer, prompt: Prompt) -> Reply:
        """The text of the first choice ("" for a refusal or an empty list) and what it cost."""
        try:
            found = records.loads(answer.body)
            text = _text(found["choices"])
        except (ValueError, KeyError, TypeError):
            raise ModelFailed("malformed", f"{self._place} answered, but with no chat completion") from None
        text = self._scrubbed(text.encode("utf-8", "replace").decode())
        usage = found.get("usage")
        asked = _count(usage, "prompt_tokens", len(prompt.system) + len(prompt.text))
        return Reply(text, asked, _count(usage, "completion_tokens", len(text)))


def _text(choices: Any) -> str:
    if not isinstance(choices, list):
        raise TypeError("choices")
    if not choices:
        return ""
    content = choices[0]["message"].get("content")
    if isinstance(content, list):  # some servers answer in parts
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    if not isinstance(content, str | None):
        raise TypeError("content")
    return content or ""


def _count(usage: Any, name: str, chars: int) -> int:
    """What the server counted, else chars / 4."""
    value = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return chars // CHARS_PER_TOKEN


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
