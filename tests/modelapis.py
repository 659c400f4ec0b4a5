"""What a scripted model says in one turn, in the words of two APIs: whole, or as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

Call = tuple[str, dict[str, Any]]
TOKENS_IN, TOKENS_OUT = 11, 7


class Said(NamedTuple):
    """One turn: its text (a list: in parts; None: no text), the tools it calls, and how it ended.

    `usage`: right, odd (counts that are none) or none. `ended`: well, length or refusal. `chosen` is False where the
    server offers no answer to choose.
    """

    text: str | list[str] | None = ""
    calls: Sequence[Call] = ()
    usage: str = "right"
    ended: str = "well"
    chosen: bool = True

    @property
    def parts(self) -> list[str]:
        return self.text if isinstance(self.text, list) else [self.text] if self.text else []


class Chat:
    """POST /v1/chat/completions."""

    path = "/v1/chat/completions"
    usages: ClassVar[dict[str, Any]] = {
        "right": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT},
        "odd": {"prompt_tokens": -5}, "none": None,
    }

    @staticmethod
    def error(status: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "scripted"}}

    @classmethod
    def body(cls, said: Said, asked: dict[str, Any]) -> dict[str, Any]:
        content: Any = said.text
        if isinstance(content, list):
            content = [{"type": "text", "text": part} for part in content]
        message = {"role": "assistant", "content": content}
        if said.calls:
            message |= {"content": None, "tool_calls": [cls._call(asked, n, call) for n, call in enumerate(said.calls)]}
        choices = [{"index": 0, "message": message, "finish_reason": cls._finish(said)}] if said.chosen else []
        return {"id": "c1", "object": "chat.completion", "created": 1, "model": asked.get("model"), "choices": choices,
                "usage": cls.usages[said.usage]}

    @classmethod
    def events(cls, said: Said, asked: dict[str, Any]) -> list[bytes]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for part in said.parts for piece in _pieces(part)]
        for n, call in enumerate(said.calls):
            whole = cls._call(asked, n, call)
            words = whole["function"]["arguments"]
            whole["function"]["arguments"] = ""
            deltas.append({"tool_calls": [{"index": n, **whole}]})
            deltas += [{"tool_calls": [{"index": n, "function": {"arguments": piece}}]} for piece in _pieces(words)]
        choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": cls._finish(said)})
        same = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": asked.get("model")}
        chunks = [{**same, "choices": [choice]} for choice in choices if said.chosen]
        chunks.append({**same, "choices": [], "usage": cls.usages[said.usage]})
        return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]

    @staticmethod
    def _call(asked: dict[str, Any], number: int, call: Call) -> dict[str, Any]:
        held = {"name": call[0], "arguments": json.dumps(call[1])}
        return {"id": f"call_{_turn(asked)}_{number}", "type": "function", "function": held}

    @staticmethod
    def _finish(said: Said) -> str:
        return "tool_calls" if said.calls else {"well": "stop", "refusal": "content_filter"}.get(said.ended, said.ended)


class Messages:
    """POST /v1/messages. A tool that must be used is used, when the text is what it may be called with."""

    path = "/v1/messages"
    usages: ClassVar[dict[str, Any]] = {
        "right": {"input_tokens": 4, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 2,
                  "output_tokens": TOKENS_OUT},
        "odd": {"input_tokens": -5}, "none": None,
    }
    errors: ClassVar[dict[int, str]] = {
        401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 500: "api_error",
        529: "overloaded_error",
    }

    @classmethod
    def error(cls, status: int, message: str) -> dict[str, Any]:
        kind = cls.errors.get(status, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    @classmethod
    def body(cls, said: Said, asked: dict[str, Any]) -> dict[str, Any]:
        content = cls._content(said, asked)
        reason = {"length": "max_tokens", "refusal": "refusal"}.get(said.ended, "end_turn")
        if said.ended == "well" and any(block["type"] == "tool_use" for block in content):
            reason = "tool_use"
        return {"id": f"msg_{_turn(asked)}", "type": "message", "role": "assistant", "model": asked.get("model"),
                "content": content, "stop_reason": reason, "stop_sequence": None, "usage": cls.usages[said.usage]}

    @classmethod
    def events(cls, said: Said, asked: dict[str, Any]) -> list[bytes]:
        whole = cls.body(said, asked)
        usage = whole["usage"] and {**whole["usage"], "output_tokens": 1}
        opened = {**whole, "content": [], "stop_reason": None, "usage": usage}
        found: list[dict[str, Any]] = [{"type": "message_start", "message": opened}, {"type": "ping"}]
        for n, block in enumerate(whole["content"]):
            text = block["type"] == "text"
            empty = {**block, "text": ""} if text else {**block, "input": {}}
            found.append({"type": "content_block_start", "index": n, "content_block": empty})
            for piece in _pieces(block["text"] if text else json.dumps(block["input"])):
                delta = {"type": "text_delta", "text": piece} if text else {
                    "type": "input_json_delta", "partial_json": piece}
                found.append({"type": "content_block_delta", "index": n, "delta": delta})
            found.append({"type": "content_block_stop", "index": n})
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        found.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": TOKENS_OUT}})
        found.append({"type": "message_stop"})
        return [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in found]

    @staticmethod
    def _content(said: Said, asked: dict[str, Any]) -> list[dict[str, Any]]:
        calls = list(said.calls)
        forced = asked.get("tool_choice") or {}
        if forced.get("type") == "tool" and isinstance(said.text, str):
            given = _object(said.text)
            if given is not None:
                calls.append((forced["name"], given))
        if calls:
            return [{"type": "tool_use", "id": f"toolu_{_turn(asked)}_{n}", "name": name, "input": given}
                    for n, (name, given) in enumerate(calls)]
        return [{"type": "text", "text": part} for part in said.parts]


APIS: tuple[type[Chat] | type[Messages], ...] = (Chat, Messages)


def _turn(asked: dict[str, Any]) -> int:
    """Tells the turns of one talk apart: an agent takes what has the same id for the same."""
    return len(asked.get("messages", ()))


def _pieces(text: str) -> Iterable[str]:
    """A text in a few pieces, as a model would let it come."""
    step = max(1, len(text) // 4)
    return [text[at : at + step] for at in range(0, len(text), step)]


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
