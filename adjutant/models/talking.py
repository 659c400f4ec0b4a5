"""OUTSIDE. A dialogue over either API: turns in the order servers take, calls that may go back, answers in pieces."""

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from adjutant.ports import Message, ToolCall
from adjutant.store import jsonl

MOST_CALLS, LONGEST_NAME = 32, 64
MOST_DEEP = 64  # of arguments: they are written again in every later request
NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
NO_MODEL = re.compile(r"[^\w.:/@-]", re.ASCII)
UNNAMED = "unnamed"
NO_RESULT, EMPTY, BEFORE = "(no result)", "(empty)", "(what was said before is left out)"


class TalkTurn(NamedTuple):
    """What one side says at a stretch: its texts, an assistant's calls, and {call: result}."""

    role: str
    texts: list[str]
    calls: list[ToolCall]
    answered: dict[str, str]

    @property
    def text(self) -> str:
        return "\n\n".join(text for text in self.texts if text.strip())

    @property
    def results(self) -> list[tuple[ToolCall, str]]:
        """Each call with its result, in the order of the calls: both APIs want one for each."""
        found = [(call, self.answered.get(call.id, NO_RESULT)) for call in self.calls]
        return [(call, text if text.strip() else EMPTY) for call, text in found]


def turns(messages: Iterable[Message]) -> list[TalkTurn]:
    """The sides by turns, the user first; nothing empty, no result without a call. Of two results the first counts."""
    found: list[TalkTurn] = []
    for message in messages:
        if message.role == "tool":
            spoke = next((turn for turn in reversed(found) if turn.role == "assistant"), None)
            if spoke is not None and any(call.id == message.call_id for call in spoke.calls):
                spoke.answered.setdefault(message.call_id, message.text)
            continue
        if not (message.text.strip() or message.calls):
            continue
        if not found and message.role == "assistant":
            found.append(TalkTurn("user", [BEFORE], [], {}))
        if not found or found[-1].role != message.role or found[-1].answered:
            found.append(TalkTurn(message.role, [], [], {}))
        found[-1].texts.append(message.text)
        found[-1].calls.extend(message.calls)
    return found


class Calls:
    """Makes calls of what a model wrote, so that each may stand in the next request: an odd or taken id is replaced,
    and characters of a name that no API allows. Past MOST_CALLS calls are left out."""

    def __init__(self, before: Sequence[Message], scrub: Callable[[str], str], allowed: re.Pattern[str]) -> None:
        """`before`: what was said so far; `scrub` takes the key out of a text; `allowed`: what an id looks like."""
        self.found: list[ToolCall] = []
        self.short = False  # the reply ended because it was as long as it may be
        self.model = ""  # the one that answered, as the server calls it
        self._taken = {call.id for message in before for call in message.calls}
        self._scrub, self._allowed = scrub, allowed

    def add(self, id: Any, name: Any, given: Any, kept: dict[str, Any] | None = None) -> None:
        """One call: `given` are the arguments, as JSON text or decoded; null and "" mean that there are none."""
        if len(self.found) == MOST_CALLS:
            return
        raw, beside = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False), None
        with suppress(ValueError):
            beside = self._sound(kept) or None
        named = NO_NAME.sub("_", self._scrub_any(name))[:LONGEST_NAME] or UNNAMED
        self.found.append(ToolCall(self._id(id), named, self._read(raw), self._sound(raw), beside))

    def cut(self) -> None:
        """The reply was ended within its last call: nobody knows whether that one is whole."""
        if self.found:
            self.found[-1] = self.found[-1]._replace(arguments=None)

    def came_from(self, model: Any) -> None:
        self.model = NO_MODEL.sub("_", self._scrub_any(model))[:LONGEST_NAME]

    def _read(self, raw: str) -> dict[str, Any] | None:
        with suppress(ValueError, RecursionError):
            found = self._sound(jsonl.loads(raw) if raw.strip() else None)
            return found if isinstance(found, dict) else {} if found is None else None
        return None

    def _scrub_any(self, given: Any) -> str:
        return self._scrub(given) if isinstance(given, str) else ""

    def _id(self, given: Any) -> str:
        shown = self._scrub_any(given)
        if shown in self._taken or not self._allowed.fullmatch(shown):
            number = len(self._taken)
            while (shown := f"call{number:05d}") in self._taken:
                number += 1
        self._taken.add(shown)
        return shown

    def _sound(self, value: Any, deep: int = MOST_DEEP) -> Any:
        if isinstance(value, str):
            return self._scrub(value.encode("utf-8", "replace").decode())
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("a number too large")  # 1e999 is JSON, and is read as infinity
        if isinstance(value, dict | list) and deep == 0:
            raise ValueError("nested too deeply")
        if isinstance(value, dict):
            return {self._sound(name): self._sound(inner, deep - 1) for name, inner in value.items()}
        return [self._sound(inner, deep - 1) for inner in value] if isinstance(value, list) else value


KIND = "text/event-stream"
LONGEST_LINE = 1024 * 1024
END = "[DONE]"
THOUGHTS = ("reasoning_content", "reasoning_details")  # of a message with calls: DeepSeek, OpenRouter want them again
GROWING = ("text", "thinking", "signature", "partial_json")


class StreamBroken(Exception):
    """What came is no such stream; no text of the server's in it."""


class Stream(ABC):
    """One answer as it grows, of server-sent events: `text` so far, `over` whether its end has come."""

    def __init__(self) -> None:
        self._left = b""
        self._data: list[str] = []
        self.text, self.over = "", False

    def feed(self, piece: bytes) -> None:
        """Takes in what came. Raises StreamBroken for what is no event of this API, and for an error told as one."""
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
    def whole(self) -> dict[str, Any]:
        """The answer as the API gives it whole."""


class ChatStream(Stream):
    """Chunks of a chat completion."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, Any] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self._calls: list[dict[str, Any]] = []
        self._places: dict[Any, dict[str, Any]] = {}
        self._finish: str | None = None

    def _take(self, event: dict[str, Any]) -> None:
        self._told |= {name: event[name] for name in ("usage", "model") if event.get(name)}
        for choice in (event.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            self.text += delta["content"] if isinstance(delta.get("content"), str) else ""
            thoughts = {name: delta[name] for name in THOUGHTS if delta.get(name) is not None}
            self._message |= {name: self._message.get(name, more[:0]) + more for name, more in thoughts.items()}
            for part in delta.get("tool_calls") or ():
                self._call(part)
            if choice.get("finish_reason") is not None:
                self._finish, self.over = choice["finish_reason"], True

    def _call(self, part: dict[str, Any]) -> None:
        """A piece of a call: the next one's where its number is new, or where it has none but an id of its own."""
        id, known = part.get("id"), self._places.get(part.get("index"))
        if known is None or (id and known["id"] not in (None, id)):
            known = self._places[part.get("index")] = {"id": id, "function": {"name": "", "arguments": ""}}
            self._calls.append(known)
        told, made = known["function"], part.get("function") or {}
        known["id"] = known["id"] or id
        told["name"] = told["name"] or made.get("name") or ""
        told["arguments"] += made.get("arguments") or ""
        known |= {name: part[name] for name in ("extra_content",) if part.get(name) is not None}

    def whole(self) -> dict[str, Any]:
        message = {**self._message, "content": self.text or None, "tool_calls": self._calls}
        return {**self._told, "choices": [{"message": message, "finish_reason": self._finish}]}


class MessageStream(Stream):
    """The events of a message."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._told: dict[str, Any] = {"usage": self._usage}

    def _take(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start":
            self._usage |= event["message"].get("usage") or {}
            self._told["model"] = event["message"].get("model")
        elif kind == "content_block_start":
            self._blocks[event["index"]] = dict(event["content_block"])
            self._say(event["content_block"].get("text"))
        elif kind == "content_block_delta":
            block, delta = self._blocks[event["index"]], event["delta"]
            block |= {name: block.get(name, "") + delta[name] for name in GROWING if isinstance(delta.get(name), str)}
            self._say(delta.get("text"))
        elif kind == "message_delta":
            self._told |= {name: event["delta"][name] for name in ("stop_reason",) if event["delta"].get(name)}
            self._usage |= {name: count for name, count in (event.get("usage") or {}).items() if count is not None}
        elif kind == "message_stop":
            self.over = True

    def _say(self, text: Any) -> None:
        self.text += text if isinstance(text, str) else ""

    def whole(self) -> dict[str, Any]:
        blocks = [block for _, block in sorted(self._blocks.items())]
        for block in (each for each in blocks if "partial_json" in each):
            block["input"] = block.pop("partial_json")
        return {**self._told, "content": blocks}
