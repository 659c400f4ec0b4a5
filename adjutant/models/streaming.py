"""OUTSIDE. An answer that comes in pieces: server-sent events, and the whole answer that they make, in either API."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

from adjutant.store import jsonl

KIND = "text/event-stream"
LONGEST_LINE = 1024 * 1024
END = "[DONE]"
THOUGHTS = ("reasoning_content", "reasoning_details")  # of a message with calls: DeepSeek, OpenRouter want them again


class StreamBroken(Exception):
    """What came is no such stream; no text of the server's in it."""


class Stream(ABC):
    """One answer as it grows, of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events).

    `text` is what was said so far, `over` whether its end has come.
    """

    def __init__(self) -> None:
        self._left = b""
        self._data: list[str] = []
        self.text, self.over = "", False
        self.model: Any = None  # the one that answers

    def feed(self, piece: bytes) -> None:
        """Takes in what came. Raises StreamBroken for what is no event of this API, and for an error that is told as
        one."""
        lines = (self._left + piece).replace(b"\r\n", b"\n").split(b"\n")
        self._left = lines.pop()
        if len(self._left) > LONGEST_LINE:
            raise StreamBroken
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].decode("utf-8", "replace").removeprefix(" "))
            elif not line and self._data:
                self._hear("\n".join(self._data))
                self._data = []

    def _hear(self, data: str) -> None:
        if data.strip() == END:
            self.over = True
            return
        try:
            event = jsonl.loads(data)
            if not isinstance(event, dict) or event.get("error") is not None:
                raise StreamBroken
            self._take(event)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            raise StreamBroken from None

    @abstractmethod
    def _take(self, event: dict[str, Any]) -> None:
        """Adds what an event brings."""

    @abstractmethod
    def _body(self) -> dict[str, Any]:
        """The answer as the API gives it whole."""

    def whole(self) -> bytes:
        """The same as JSON."""
        return json.dumps(self._body(), ensure_ascii=False).encode("utf-8", "replace")


class ChatStream(Stream):
    """Chunks of a chat completion."""

    def __init__(self) -> None:
        super().__init__()
        self._message: dict[str, Any] = {}
        self._calls: list[dict[str, Any]] = []
        self._places: dict[Any, int] = {}
        self._finish: str | None = None
        self._usage: Any = None

    def _take(self, event: dict[str, Any]) -> None:
        self._usage = event.get("usage") or self._usage
        self.model = event.get("model") or self.model
        for choice in (event.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            if isinstance(delta.get("content"), str):
                self.text += delta["content"]
            for name in THOUGHTS:
                if delta.get(name) is not None:
                    before = self._message.get(name)
                    self._message[name] = delta[name] if before is None else before + delta[name]
            for part in delta.get("tool_calls") or ():
                self._call(part)
            if choice.get("finish_reason") is not None:
                self._finish, self.over = choice["finish_reason"], True

    def _call(self, part: dict[str, Any]) -> None:
        """A piece of a call: the next one's where its number is new, or where it has none but an id of its own."""
        place, id = part.get("index"), part.get("id")
        known = self._places.get(place) if place is not None else len(self._calls) - 1
        if known is None or known < 0 or (id and self._calls[known].get("id") not in (None, id)):
            self._calls.append({"id": id, "function": {"name": "", "arguments": ""}})
            known = self._places[place] = len(self._calls) - 1
        call, made = self._calls[known], part.get("function") or {}
        call["id"] = call["id"] or id
        call["function"]["name"] = call["function"]["name"] or made.get("name") or ""
        call["function"]["arguments"] += made.get("arguments") or ""
        call.update({name: part[name] for name in ("extra_content",) if part.get(name) is not None})

    def _body(self) -> dict[str, Any]:
        message = {**self._message, "role": "assistant", "content": self.text or None}
        if self._calls:
            message["tool_calls"] = self._calls
        return {
            "choices": [{"message": message, "finish_reason": self._finish}],
            "usage": self._usage,
            "model": self.model,
        }


class MessageStream(Stream):
    """The events of a message."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._written: dict[int, str] = {}
        self._usage: dict[str, Any] = {}
        self._stop: str | None = None

    def _take(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start":
            self._usage |= event["message"].get("usage") or {}
            self.model = event["message"].get("model")
        elif kind == "content_block_start":
            self._blocks[event["index"]] = dict(event["content_block"])
            self._say(event["content_block"].get("text"))
        elif kind == "content_block_delta":
            self._grow(event["index"], event["delta"])
        elif kind == "message_delta":
            self._stop = event["delta"].get("stop_reason") or self._stop
            self._usage |= {name: count for name, count in (event.get("usage") or {}).items() if count is not None}
        elif kind == "message_stop":
            self.over = True

    def _grow(self, place: int, delta: dict[str, Any]) -> None:
        block = self._blocks[place]
        for name in ("text", "thinking", "signature"):
            if isinstance(delta.get(name), str):
                block[name] = block.get(name, "") + delta[name]
        self._say(delta.get("text"))
        if isinstance(delta.get("partial_json"), str):
            self._written[place] = self._written.get(place, "") + delta["partial_json"]

    def _say(self, text: Any) -> None:
        self.text += text if isinstance(text, str) else ""

    def _body(self) -> dict[str, Any]:
        for place, text in self._written.items():
            self._blocks[place]["input"] = text
        return {
            "content": [self._blocks[place] for place in sorted(self._blocks)],
            "stop_reason": self._stop,
            "usage": self._usage,
            "model": self.model,
        }
