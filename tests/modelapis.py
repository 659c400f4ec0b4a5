"""What a scripted model says in one turn, in the words of two APIs: whole, or as the events of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

Call = tuple[str, dict[str, Any] | str]  # the arguments as text stand in the answer as they are, JSON or not
TOKENS_IN, TOKENS_OUT = 11, 7


class Said(NamedTuple):
    """One turn: its text (a list: in parts; None: no text), the tools it calls, and how it ended.

    `usage`: right, odd (counts that are none) or none. `ended`: well, length or refusal. `chosen` is False where the
    server offers no answer to choose. `ids` of the calls, None for one without; those not given are made up. `more`
    stands in the message besides (its content: before the calls, or in place of the text).
    """

    text: str | list[str] | None = ""
    calls: Sequence[Call] = ()
    usage: str = "right"
    ended: str = "well"
    chosen: bool = True
    ids: Sequence[Any] = ()
    more: dict[str, Any] = {}  # noqa: RUF012 - read only, as a NamedTuple's default must be

    @property
    def parts(self) -> list[str]:
        return self.text if isinstance(self.text, list) else [self.text] if self.text else []


class Chat:
    """POST /v1/chat/completions."""

    path = "/v1/chat/completions"
    usages: ClassVar[dict[str, Any]] = {
        "right": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT},
        "odd": {"prompt_tokens": -5},
        "none": None,
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
            made = [_named(cls._call(asked, n, call), said.ids, n) for n, call in enumerate(said.calls)]
            message |= {"content": content or None, "tool_calls": made}
        message |= said.more
        choices = [{"index": 0, "message": message, "finish_reason": cls._finish(said)}] if said.chosen else []
        return {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": asked.get("model"),
            "choices": choices,
            "usage": cls.usages[said.usage],
        }

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
        held = {"name": call[0], "arguments": call[1] if isinstance(call[1], str) else json.dumps(call[1])}
        return {"id": f"call_{_turn(asked)}_{number}", "type": "function", "function": held}

    @staticmethod
    def _finish(said: Said) -> str:
        well = "tool_calls" if said.calls else "stop"
        return {"well": well, "refusal": "content_filter"}.get(said.ended, said.ended)

    @staticmethod
    def complaint(asked: dict[str, Any]) -> str | None:
        """What the API would say of the messages: each call is followed by its result, nothing is empty."""
        system, *messages = asked["messages"]
        if system["role"] != "system":
            return "no system message"
        roles = " ".join(message["role"] for message in messages)
        if wrong := _alternate(re.sub(r"( tool)+( assistant)?", "", roles).split()):
            return wrong
        waiting: list[str] = []
        for message in messages:
            if message["role"] == "tool":
                if not waiting or message["tool_call_id"] != waiting.pop(0):
                    return "a result that does not follow its call"
            elif waiting:
                return f"no result for {waiting}"
            content, calls = message.get("content"), message.get("tool_calls", ())
            if not (isinstance(content, str) and content.strip()) and not (content is None and calls):
                return "an empty message"
            for call in calls:
                waiting.append(call["id"])
                if not _object(call["function"]["arguments"]) and call["function"]["arguments"] != "{}":
                    return "arguments that are no object"
        ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        names = [call["function"]["name"] for message in messages for call in message.get("tool_calls", ())]
        return f"no result for {waiting}" if waiting else _unsound(asked, ids, names, r"[!-~]+")


class Messages:
    """POST /v1/messages. A tool that must be used is used, when the text is what it may be called with."""

    path = "/v1/messages"
    usages: ClassVar[dict[str, Any]] = {
        "right": {
            "input_tokens": 4,
            "cache_creation_input_tokens": 5,
            "cache_read_input_tokens": 2,
            "output_tokens": TOKENS_OUT,
        },
        "odd": {"input_tokens": -5},
        "none": None,
    }
    errors: ClassVar[dict[int, str]] = {
        401: "authentication_error",
        404: "not_found_error",
        429: "rate_limit_error",
        500: "api_error",
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
        if said.ended == "well" and '"type": "tool_use"' in json.dumps(content):
            reason = "tool_use"
        return {
            "id": f"msg_{_turn(asked)}",
            "type": "message",
            "role": "assistant",
            "model": asked.get("model"),
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": cls.usages[said.usage],
        }

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
                delta = (
                    {"type": "text_delta", "text": piece}
                    if text
                    else {"type": "input_json_delta", "partial_json": piece}
                )
                found.append({"type": "content_block_delta", "index": n, "delta": delta})
            found.append({"type": "content_block_stop", "index": n})
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        found.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": TOKENS_OUT}})
        found.append({"type": "message_stop"})
        return [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in found]

    @classmethod
    def _content(cls, said: Said, asked: dict[str, Any]) -> list[dict[str, Any]]:
        calls = list(said.calls)
        forced = asked.get("tool_choice") or {}
        if forced.get("type") == "tool" and isinstance(said.text, str):
            given = _object(said.text)
            if given is not None:
                calls.append((forced["name"], given))
        if calls:
            words = [{"type": "text", "text": part} for part in said.parts] if said.calls else []
            used = [_named(cls._use(asked, n, call), said.ids, n) for n, call in enumerate(calls)]
            return [*said.more.get("content", ()), *words, *used]
        more: list[dict[str, Any]] | None = said.more.get("content")
        return [{"type": "text", "text": part} for part in said.parts] if more is None else more

    @staticmethod
    def _use(asked: dict[str, Any], number: int, call: Call) -> dict[str, Any]:
        given = RAW + call[1] if isinstance(call[1], str) else call[1]
        return {"type": "tool_use", "id": f"toolu_{_turn(asked)}_{number}", "name": call[0], "input": given}

    @staticmethod
    def complaint(asked: dict[str, Any]) -> str | None:
        """What the API would say of the messages: they alternate, results come first and for every call."""
        messages = asked["messages"]
        if wrong := _alternate([message["role"] for message in messages]):
            return wrong
        waiting: list[str] = []
        ids, names = [], []
        for message in messages:
            content = message["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            if not content or any(block["type"] == "text" and not block["text"].strip() for block in content):
                return "text content blocks must be non-empty"
            results = [block for block in content if block["type"] == "tool_result"]
            if [block["tool_use_id"] for block in results] != waiting or content[: len(results)] != results:
                return f"tool_use ids without tool_result blocks immediately after: {waiting}"
            if not all(block["content"] for block in results):
                return "an empty result"
            used = [block for block in content if block["type"] == "tool_use"]
            if not all(isinstance(block["input"], dict) for block in used):
                return "input should be an object"
            waiting = [block["id"] for block in used]
            ids += waiting
            names += [block["name"] for block in used]
        return f"no result for {waiting}" if waiting else _unsound(asked, ids, names, r"[A-Za-z0-9_-]+")


RAW = "raw:"  # before what is to stand in an answer without quotes
WRITTEN = re.compile(r'"raw:((?:[^"\\]|\\.)*)"')


def written(body: dict[str, Any]) -> bytes:
    """An answer as it goes out, with what was given as text in place of its arguments."""
    return WRITTEN.sub(lambda found: str(json.loads(f'"{found[1]}"')), json.dumps(body)).encode()


def steps(*answers: Any) -> Callable[[dict[str, Any]], Any]:
    """For ModelServer: one answer after the other, whatever is asked; the last one for ever after."""
    left = list(answers)
    return lambda asked: left.pop(0) if len(left) > 1 else left[0]


APIS: tuple[type[Chat] | type[Messages], ...] = (Chat, Messages)


def _turn(asked: dict[str, Any]) -> int:
    """Tells the turns of one talk apart: an agent takes what has the same id for the same."""
    return len(asked.get("messages", ()))


def _named(call: dict[str, Any], ids: Sequence[Any], number: int) -> dict[str, Any]:
    """The call with the id that is wanted for it."""
    if number >= len(ids):
        return call
    return {name: value for name, value in {**call, "id": ids[number]}.items() if name != "id" or value is not None}


def _alternate(roles: Sequence[str]) -> str | None:
    wanted = ["user" if number % 2 == 0 else "assistant" for number in range(len(roles))]
    return None if roles and list(roles) == wanted else f"roles must alternate, the user first: {list(roles)}"


def _unsound(asked: dict[str, Any], ids: Sequence[str], names: Sequence[str], pattern: str) -> str | None:
    """What is wrong with the calls of a request."""
    if ids and not asked.get("tools"):
        return "tools must be given where calls are"
    if len(set(ids)) != len(ids) or not all(re.fullmatch(pattern, id) for id in ids):
        return f"ids that are not unique, or odd: {ids}"
    return None if all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names) else f"odd names: {names}"


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
