"""OUTSIDE. The Messages API of Anthropic, and of servers that speak it too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from adjutant.models.http import HttpModel, count, in_words
from adjutant.models.streaming import MessageStream, Stream
from adjutant.models.talking import Calls, TalkTurn, turns
from adjutant.models.transport import Server
from adjutant.ports import Dialogue, Prompt, Tool, ToolCall
from adjutant.store.settings import KEYS

VERSION = "2023-06-01"
HOTTEST = 1.0  # the API's highest temperature; others go to 2
THOUGHTS = ("thinking", "redacted_thinking")  # of a message with calls: wanted again, at its beginning
CUT = ("max_tokens", "model_context_window_exceeded")
INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")  # each without the others


class Anthropic(HttpModel):
    """POST {base}/v1/messages, the reply held to the prompt's JSON Schema by a tool that must be used.

    Thinking is switched off where the model lets it: its words would count against `max_tokens`.
    """

    backend = "anthropic"
    variable = KEYS["anthropic"]
    hint = "/v1/messages is added to llm.base_url"
    path = "/v1/messages"
    answers = "message"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "temperature": ("temperature",),
        "thinking": ("thinking",),
        "tool_choice": ("tool_choice",),
        "tools": ("tool", "input_schema"),
    }
    ids = re.compile(r"[A-Za-z0-9_-]+")

    @classmethod
    def server(cls, base_url: str, key: str | None, proxies: Mapping[str, str] | None = None) -> Server:
        """The server at `base_url`, which may end in /v1."""
        return super().server(base_url.rstrip("/").removesuffix("/v1"), key, proxies)

    @classmethod
    def credentials(cls, key: str) -> dict[str, str]:
        """The version of the API, and the key."""
        version = {"anthropic-version": VERSION}
        return {**version, "x-api-key": key} if key else version

    def body(self, asked: Prompt | Dialogue) -> dict[str, Any]:
        """A question's schema as a tool's input, or in words; the tools of a dialogue."""
        payload: dict[str, Any] = {"model": asked.model, "max_tokens": asked.max_tokens, "stream": False}
        if "temperature" not in self._left_out:
            payload["temperature"] = min(asked.temperature, HOTTEST)
        if "thinking" not in self._left_out:
            payload["thinking"] = {"type": "disabled"}
        system = asked.system
        if isinstance(asked, Dialogue):
            messages = _messages(asked)
            if asked.tools and "tools" not in self._left_out:
                payload["tools"] = [_tool(tool) for tool in asked.tools]
                if asked.closing and "tool_choice" not in self._left_out:
                    payload["tool_choice"] = {"type": "none"}
        else:
            messages = [{"role": "user", "content": asked.text}]
            if asked.schema is not None and {"tools", "tool_choice"} & self._left_out:
                system += in_words(asked.schema)
            elif asked.schema is not None:
                payload["tools"] = [{"name": asked.name, "input_schema": asked.schema}]
                payload["tool_choice"] = {"type": "tool", "name": asked.name}
        return {**payload, "system": system, "messages": messages}

    def streamed(self, payload: dict[str, Any]) -> tuple[dict[str, Any], Stream]:
        """The events of a message."""
        return {**payload, "stream": True}, MessageStream()

    def hear(self, found: Any, calls: Calls) -> tuple[str, int | None, int | None]:
        """The text, the tools used, and what they cost; nothing of what was broken off for a refusal."""
        content, ended = found["content"], found.get("stop_reason")
        text = _words(content)
        if ended == "refusal":
            return "", *_cost(found)
        kept = [block for block in content if block["type"] in THOUGHTS]
        for block in content:
            if block["type"] == "tool_use":
                calls.add(block.get("id"), block.get("name"), block.get("input"), {"thoughts": kept} if kept else None)
                kept = []
        calls.short = ended in CUT
        if calls.short and content and content[-1]["type"] == "tool_use":
            calls.cut()
        return text, *_cost(found)


def _tool(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def _messages(dialogue: Dialogue) -> list[dict[str, Any]]:
    """Messages that alternate: results and what the user says then are one."""
    messages: list[dict[str, Any]] = []
    for turn in turns(dialogue.messages):
        said = _said(turn)
        if messages and messages[-1]["role"] == turn.role:
            messages[-1]["content"] += said
        else:
            messages.append({"role": turn.role, "content": said})
        if turn.calls:
            messages.append({"role": "user", "content": [_result(*each) for each in turn.results]})
    return messages


def _said(turn: TalkTurn) -> list[dict[str, Any]]:
    """The blocks of a turn: thoughts, text, calls."""
    thoughts = [thought for call in turn.calls for thought in (call.kept or {}).get("thoughts", ())]
    words = [{"type": "text", "text": turn.text}] if turn.text else []
    return thoughts + words + [_use(call) for call in turn.calls]


def _use(call: ToolCall) -> dict[str, Any]:
    """Broken arguments go back as none: the API takes nothing but an object."""
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments or {}}


def _result(call: ToolCall, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call.id, "content": text}


def _cost(found: Any) -> tuple[int | None, int | None]:
    usage = found.get("usage")
    asked = None if count(usage, INPUTS[0]) is None else sum(count(usage, name) or 0 for name in INPUTS)
    return asked, count(usage, "output_tokens")


def _words(content: Any) -> str:
    if not isinstance(content, list):
        raise TypeError("content")
    return "".join(block["text"] for block in content if block["type"] == "text")
