"""OUTSIDE. Any OpenAI-compatible chat endpoint: hosted, Ollama, llama.cpp, vLLM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adjutant.models.http import HttpModel, count, in_words
from adjutant.ports import Prompt
from adjutant.store.settings import KEYS


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
    }

    @classmethod
    def credentials(cls, key: str) -> dict[str, str]:
        """The key as a bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def payload(self, prompt: Prompt) -> dict[str, Any]:
        """A system and a user message; the schema as a response format, or in words."""
        system = prompt.system
        payload: dict[str, Any] = {"model": prompt.model, "stream": False}
        if "temperature" not in self._left_out:
            payload["temperature"] = prompt.temperature
        longest = "max_completion_tokens" if "max_tokens" in self._left_out else "max_tokens"
        payload[longest] = prompt.max_tokens
        if prompt.schema is not None:
            if "response_format" in self._left_out:
                system += in_words(prompt.schema)
            else:
                held = {"name": prompt.name, "strict": True, "schema": prompt.schema}
                payload["response_format"] = {"type": "json_schema", "json_schema": held}
        payload["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": prompt.text}]
        return payload

    def read(self, found: Any) -> tuple[str, int | None, int | None]:
        """The text of the first choice ("" for a refusal or an empty list) and what it cost."""
        usage = found.get("usage")
        return _text(found["choices"]), count(usage, "prompt_tokens"), count(usage, "completion_tokens")


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
