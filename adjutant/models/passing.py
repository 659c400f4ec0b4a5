"""OUTSIDE. What of an agent's request reaches its model's server: the question, and nothing else that a server can do.

A hosted server fetches addresses, runs code and searches the web for whoever asks it to: each would be a way out.
"""

from __future__ import annotations

import json
from typing import Any

from adjutant.store import jsonl

KEPT = frozenset(
    {
        "model",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "top_k",
        "stream",
        "stream_options",
        "stop",
        "stop_sequences",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "reasoning_effort",
        "thinking",
    }
)
LENGTHS = ("max_tokens", "max_completion_tokens")
OWN_TOOLS = (None, "custom", "function")  # those that the agent runs itself; others run at the server
BLOCKS = ("text", "tool_use", "tool_result", "thinking", "redacted_thinking")  # others may name an address to fetch
QUERIES = ("", "beta=true")


def passed_on(body: bytes, model: str, most: int) -> bytes | None:
    """The request for this model with a reply of at most `most` tokens; None for what is no JSON object."""
    try:
        asked = jsonl.loads(body)
    except ValueError:
        return None
    if not isinstance(asked, dict):
        return None
    kept = {name: value for name, value in asked.items() if name in KEPT}
    kept["model"] = model
    for name in LENGTHS:
        if name in kept:
            kept[name] = min(kept[name], most) if type(kept[name]) is int and kept[name] > 0 else most
    if not any(name in kept for name in LENGTHS):
        kept["max_tokens"] = most
    for name in ("messages", "system"):
        if isinstance(kept.get(name), list):
            kept[name] = [_message(each) for each in kept[name]]
    if isinstance(kept.get("tools"), list):
        kept["tools"] = [tool for tool in kept["tools"] if isinstance(tool, dict) and tool.get("type") in OWN_TOOLS]
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")


def _message(message: Any) -> Any:
    """A message, or a block of a system text."""
    if not isinstance(message, dict):
        return message
    return _block(message) if "role" not in message else _inner(message)


def _inner(holder: dict[str, Any]) -> dict[str, Any]:
    content = holder.get("content")
    return {**holder, "content": [_block(each) for each in content]} if isinstance(content, list) else holder


def _block(block: Any) -> Any:
    if not isinstance(block, dict) or block.get("type") not in BLOCKS:
        return {"type": "text", "text": "(left out)"}
    return _inner(block)
