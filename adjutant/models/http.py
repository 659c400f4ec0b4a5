"""OUTSIDE. What every route over HTTP shares: a question or a turn of a dialogue as one POST, and what is offered."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from adjutant.models.talking import KIND, Calls, Stream, StreamBroken
from adjutant.models.transport import CHUNK, JSON, HttpAnswer, Proxies, Server, Transport
from adjutant.ports import Dialogue, Message, ModelFailed, Prompt, Reply, Said
from adjutant.store import jsonl

CHARS_PER_TOKEN = 4
VERSION = {"anthropic-version": "2023-06-01"}  # of Anthropic's API
REFUSALS = (400, 404, 422, 501)
STREAMING = {"stream_options": ("stream_options", "include_usage"), "stream": ("stream",)}  # as `options` of HttpModel


class HttpModel(ABC):
    """A question, or a turn of a dialogue, is one POST. `options`: what a server may not know, and words of its
    complaint; one that is refused is left out from then on. `ids`: what the id of a call looks like."""

    backend: str
    variable: ClassVar[str]
    hint: ClassVar[str]
    path: ClassVar[str]
    models = "/models"  # where it lists them
    answers: ClassVar[str]
    options: ClassVar[Mapping[str, tuple[str, ...]]]
    ids: ClassVar[re.Pattern[str]]
    streaming: ClassVar[dict[str, Any]]  # of a body for an answer that comes in pieces, and what takes these in
    growing: ClassVar[type[Stream]]

    def __init__(self, base_url: str, key: str | None, *, proxies: Proxies = None, **patience: Any) -> None:
        self._server = self.server(base_url, key, proxies)
        self._line = Transport(self._server, **patience)
        self._left_out: set[str] = set()

    @classmethod
    def server(cls, base_url: str, key: str | None, proxies: Proxies = None) -> Server:
        key = (key or "").strip()
        return Server(base_url, key, cls.variable, cls.credentials(key), cls.hint, proxies)

    @classmethod
    @abstractmethod
    def credentials(cls, key: str) -> dict[str, str]:
        """The headers of every request; none holds a key that is empty."""

    @abstractmethod
    def body(self, asked: Prompt | Dialogue) -> dict[str, Any]:
        """The body of a request, with options that may be left out."""

    @abstractmethod
    def hear(self, found: Any, calls: Calls) -> tuple[str, int | None, int | None]:
        """(text, tokens in, out; None: not counted), calls added. Raises ValueError, KeyError, TypeError …"""

    def complete(self, prompt: Prompt) -> Reply:
        """Ask once, with transport's own retries, all inside `prompt.timeout` seconds. Raises ModelFailed."""
        answer, _ = self._post(prompt, self.options)
        text, calls, asked, answered = self._read(answer, ())
        text = calls.found[0].raw if calls.found else text  # a tool may hold the reply to its schema
        size = len(prompt.system) + len(prompt.text)
        return Reply(text, _tokens(asked, size), _tokens(answered, len(text)), calls.model)

    def converse(self, dialogue: Dialogue) -> Said:
        """The next turn; without tools where the server refuses them and none was called yet. Raises ModelFailed."""
        called = any(message.calls for message in dialogue.messages)
        options = {name: words for name, words in self.options.items() if name != "tools" or not called}
        answer, sent = self._post(dialogue, options)
        text, calls, asked, answered = self._read(answer, dialogue.messages)
        written = len(text) + sum(len(call.name) + len(call.raw) for call in calls.found)
        spent = _tokens(asked, sent), _tokens(answered, written)
        return Said(text, tuple(calls.found), *spent, "tools" not in self._left_out, calls.short, calls.model)

    def _post(self, asked: Prompt | Dialogue, options: Mapping[str, tuple[str, ...]]) -> tuple[HttpAnswer, int]:
        deadline, told = self._line.monotonic() + asked.timeout, asked.told if isinstance(asked, Dialogue) else None
        options = {**(STREAMING if told is not None else {}), **options}

        def once() -> tuple[HttpAnswer, int] | None:
            body, stream = self.body(asked), None
            if told is not None and "stream" not in self._left_out:
                body, stream = body | self.streaming, self.growing()
            gone = self._left_out - {"stream"} | ({"tool_choice"} if "tools" in self._left_out else set())
            text = json.dumps({name: value for name, value in body.items() if name not in gone}, ensure_ascii=False)
            data = text.encode("utf-8", "replace")
            if stream is None or told is None:
                answer = self._line.ask(self.path, data, deadline)
            else:
                answer = self._grow(data, deadline, stream, told)
            if 200 <= answer.status < 300:
                return answer, len(text)
            complaint = answer.body[:CHUNK].decode("utf-8", "replace").casefold()
            for option, words in options.items() if answer.status in REFUSALS else ():
                # it was sent, the refusal names it, and it can be done without: it is left out from now on
                if body.get(option, False) is not False and option not in gone and any(map(complaint.count, words)):
                    self._left_out.add(option)
                    return None
            raise self._server.refuse(answer, asked.model)

        while (found := self._line.keep_on(deadline, once)) is None:
            pass  # an option was refused, and is left out now
        return found

    def _grow(self, data: bytes, deadline: float, stream: Stream, told: Callable[[str], None]) -> HttpAnswer:
        def hear(piece: bytes) -> None:
            try:
                stream.feed(piece)
            except StreamBroken:
                raise self._server.broke_off() from None
            told(self._server.scrub_growing(stream.text))

        told("")
        answer = self._line.ask(self.path, data, deadline, {**JSON, "Accept": f"{KIND}, application/json"}, hear)
        if answer.body or not answer.headers.get("content-type", "").startswith(KIND):
            return answer
        if not stream.over:
            raise self._server.broke_off()
        told(self._server.scrub(stream.text.encode("utf-8", "replace").decode()))
        return answer._replace(body=json.dumps(stream.whole(), ensure_ascii=False).encode("utf-8", "replace"))

    def _read(self, answer: HttpAnswer, before: Sequence[Message]) -> tuple[str, Calls, int | None, int | None]:
        calls = Calls(before, self._server.scrub, self.ids)
        try:
            found = jsonl.loads(answer.body)
            text, asked, answered = self.hear(found, calls)
            calls.came_from(found.get("model"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ModelFailed("malformed", f"{self._server.place} answered, but with no {self.answers}") from None
        return self._server.scrub(text.encode("utf-8", "replace").decode()), calls, asked, answered


def in_words(schema: Mapping[str, Any] | None) -> str:
    """The JSON Schema as a last line of the system text, for a server that cannot be held to it; "" for none."""
    told = json.dumps(schema, ensure_ascii=False)
    return "" if schema is None else f"\nThe object must fit this JSON Schema:\n{told}"


def count(usage: Any, name: str) -> int | None:
    """What the server counted under this name, None when it did not."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _tokens(counted: int | None, chars: int) -> int:
    return chars // CHARS_PER_TOKEN if counted is None else counted
