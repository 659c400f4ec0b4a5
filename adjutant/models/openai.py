"""OUTSIDE. Any OpenAI-compatible chat endpoint: hosted, Ollama, llama.cpp, vLLM."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from adjutant.models.http import HttpModel, count, in_words
from adjutant.models.streaming import THOUGHTS, ChatStream, Stream
from adjutant.models.talking import Calls, turns
from adjutant.ports import Dialogue, Prompt, Tool, ToolCall
from adjutant.store.settings import KEYS

CUT = ("length", "content_filter")
SIGNED = "extra_content"  # of a call: Gemini wants it again


class OpenAI(HttpModel):
    """POST {base}/chat/completions, the reply held to the prompt's JSON Schema where the server can."""

    backend = "openai"
    variable = KEYS["openai"]
    hint = "llm.base_url usually ends in /v1"
    path = "/chat/completions"
    answers = "chat completion"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "response_format": ("response_format", "json_schema", "schema", "structured", "guided", "grammar"),
        "max_tokens": ("max_completion_tokens",),
        "temperature": ("temperature",),
        "tool_choice": ("tool_choice",),
        "tools": ("tool", "function"),
    }
    ids = re.compile(r"[!-~]+")

    @classmethod
    def credentials(cls, key: str) -> dict[str, str]:
        """The key as a bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, asked: Prompt | Dialogue) -> dict[str, Any]:
        """The system text as the first message; a question's schema as a response format, or in words; the tools of a
        dialogue as functions."""
        payload: dict[str, Any] = {"model": asked.model, "stream": False}
        if "temperature" not in self._left_out:
            payload["temperature"] = asked.temperature
        payload["max_completion_tokens" if "max_tokens" in self._left_out else "max_tokens"] = asked.max_tokens
        system = asked.system
        if isinstance(asked, Dialogue):
            messages = list(_messages(asked))
            if asked.tools and "tools" not in self._left_out:
                payload["tools"] = [{"type": "function", "function": _function(tool)} for tool in asked.tools]
                if asked.closing and "tool_choice" not in self._left_out:
                    payload["tool_choice"] = "none"
        else:
            messages = [{"role": "user", "content": asked.text}]
            if asked.schema is not None and "response_format" in self._left_out:
                system += in_words(asked.schema)
            elif asked.schema is not None:
                held = {"name": asked.name, "strict": True, "schema": asked.schema}
                payload["response_format"] = {"type": "json_schema", "json_schema": held}
        return {**payload, "messages": [{"role": "system", "content": system}, *messages]}

    def streamed(self, payload: dict[str, Any]) -> tuple[dict[str, Any], Stream]:
        """The chunks of a chat completion, the last with what it cost."""
        more = {} if "stream_options" in self._left_out else {"stream_options": {"include_usage": True}}
        return {**payload, "stream": True, **more}, ChatStream()

    def hear(self, found: Any, calls: Calls) -> tuple[str, int | None, int | None]:
        """The text of the first choice, its calls, and what they cost."""
        choice = _first(found["choices"])
        message = choice["message"]
        text = _text(message)
        kept = {name: message[name] for name in THOUGHTS if message.get(name) is not None}
        for call in message.get("tool_calls") or ():
            made = call["function"]
            signed = {SIGNED: call[SIGNED]} if SIGNED in call else {}
            calls.add(call.get("id"), made.get("name"), made.get("arguments"), {**kept, **signed})
            kept = {}
        calls.short = choice.get("finish_reason") == CUT[0]
        if choice.get("finish_reason") in CUT:
            calls.cut()
        return text, *_cost(found)


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.schema}


def _messages(dialogue: Dialogue) -> Iterator[dict[str, Any]]:
    """Each turn, an assistant's followed by the result of each of its calls."""
    for turn in turns(dialogue.messages):
        message: dict[str, Any] = {"role": turn.role, "content": turn.text or None}
        if turn.calls:
            message["tool_calls"] = [_call(call) for call in turn.calls]
        for call in turn.calls:
            message |= {name: kept for name, kept in (call.kept or {}).items() if name in THOUGHTS}
        yield message
        for call, result in turn.results:
            yield {"role": "tool", "tool_call_id": call.id, "content": result}


def _call(call: ToolCall) -> dict[str, Any]:
    """Broken arguments go back as none: servers parse them again, and refuse what they cannot."""
    made = {"name": call.name, "arguments": json.dumps(call.arguments or {}, ensure_ascii=False)}
    signed = {name: kept for name, kept in (call.kept or {}).items() if name == SIGNED}
    return {"id": call.id, "type": "function", "function": made, **signed}


def _first(choices: Any) -> Any:
    """The first choice; one that says nothing where there is none."""
    if not isinstance(choices, list):
        raise TypeError("choices")
    return choices[0] if choices else {"message": {}}


def _text(message: Any) -> str:
    content = message.get("content")
    if isinstance(content, list):  # some servers answer in parts
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    if not isinstance(content, str | None):
        raise TypeError("content")
    return content or ""


def _cost(found: Any) -> tuple[int | None, int | None]:
    usage = found.get("usage")
    return count(usage, "prompt_tokens"), count(usage, "completion_tokens")
