"""OUTSIDE. The Messages API of Anthropic, and of servers that speak it too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from adjutant.models.http import HttpModel, Server, count, in_words
from adjutant.ports import Prompt
from adjutant.store.settings import KEYS

VERSION = "2023-06-01"
HOTTEST = 1.0  # the API's highest temperature; others go to 2
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
        "temperature": ("temperature",), "thinking": ("thinking",), "tools": ("tool", "input_schema"),
    }

    @classmethod
    def server(cls, base_url: str, key: str | None, proxies: Mapping[str, str] | None = None) -> Server:
        """The server at `base_url`, which may end in /v1."""
        return super().server(base_url.rstrip("/").removesuffix("/v1"), key, proxies)

    @classmethod
    def credentials(cls, key: str) -> dict[str, str]:
        """The version of the API, and the key."""
        version = {"anthropic-version": VERSION}
        return {**version, "x-api-key": key} if key else version

    def payload(self, prompt: Prompt) -> dict[str, Any]:
        """A system text and a user message; the schema as a tool's input, or in words."""
        system = prompt.system
        payload: dict[str, Any] = {"model": prompt.model, "max_tokens": prompt.max_tokens, "stream": False}
        if "temperature" not in self._left_out:
            payload["temperature"] = min(prompt.temperature, HOTTEST)
        if "thinking" not in self._left_out:
            payload["thinking"] = {"type": "disabled"}
        if prompt.schema is not None:
            if "tools" in self._left_out:
                system += in_words(prompt.schema)
            else:
                payload["tools"] = [{"name": prompt.name, "input_schema": prompt.schema}]
                payload["tool_choice"] = {"type": "tool", "name": prompt.name}
        return {**payload, "system": system, "messages": [{"role": "user", "content": prompt.text}]}

    def read(self, found: Any) -> tuple[str, int | None, int | None]:
        """The input of the first tool used, else the text ("" for a refusal), and what it cost."""
        text = "" if found.get("stop_reason") == "refusal" else _text(found["content"])
        usage = found.get("usage")
        asked = None if count(usage, INPUTS[0]) is None else sum(count(usage, name) or 0 for name in INPUTS)
        return text, asked, count(usage, "output_tokens")


def _text(content: Any) -> str:
    if not isinstance(content, list):
        raise TypeError("content")
    for block in content:
        if block["type"] == "tool_use":
            return json.dumps(block["input"], ensure_ascii=False)
    return "".join(block["text"] for block in content if block["type"] == "text")
