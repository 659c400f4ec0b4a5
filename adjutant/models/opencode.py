"""OUTSIDE. The opencode command line, run once per question: `opencode run --format json`."""

from __future__ import annotations

import os
from typing import Any

from adjutant.children import walls
from adjutant.models.agent import HOME, PATH, STEPS, Agent, Call, literal
from adjutant.models.http import in_words
from adjutant.models.transport import one_line
from adjutant.ports import ModelFailed, Prompt
from adjutant.store import jsonl

PROVIDER = "adjutant"
CONTEXT_TOKENS = 128_000
LOOKING, SEARCHING = ("read", "list"), ("glob", "grep")
SEARCHER = "rg"  # what its searching tools start
OFF = [
    "AUTOUPDATE",
    "MODELS_FETCH",
    "LSP_DOWNLOAD",
    "DEFAULT_PLUGINS",
    "CLAUDE_CODE",
    "EXTERNAL_SKILLS",
    "SHARE",
    "PROJECT_CONFIG",
    "PRUNE",
]


class OpenCode(Agent):
    """Its configuration is ours alone and comes in its environment; it asks an OpenAI-compatible endpoint."""

    backend = "opencode"
    asked = "/v1/chat/completions"

    def call(self, prompt: Prompt, token: str) -> Call:
        """A title is given: without one it asks its model for it."""
        arguments = ["run", "--format", "json", "--title", prompt.name, "--agent", PROVIDER]
        arguments += ["--model", f"{PROVIDER}/{prompt.model}"]
        env = {
            **HOME,
            "OPENCODE_PURE": "1",
            "OPENCODE_CONFIG_CONTENT": _configured(prompt, token, _tools(prompt, searches(), self.runs(prompt))),
            **{f"XDG_{name}_HOME": f"{{home}}/{name.lower()}" for name in ("CONFIG", "DATA", "STATE", "CACHE")},
            **{f"OPENCODE_DISABLE_{name}": "1" for name in OFF},
        }
        return Call(arguments, env, prompt.text)

    def read(self, out: bytes) -> str:
        """Counts only with a text part, a last step that finished with reason `stop`, and no error."""
        parts: list[str] = []
        reason = None
        for event in _events(out):
            kind, part = event.get("type"), event.get("part")
            if kind == "error":
                raise ModelFailed("malformed", f"opencode reported an error{one_line(_said(event))}")
            if not isinstance(part, dict):
                continue
            if kind == "step_start":
                parts, reason = [], None
            elif kind == "text" and isinstance(part.get("text"), str):
                parts.append(part["text"])
            elif kind == "step_finish":
                reason = part.get("reason")
        if reason != "stop":
            told = one_line(reason) if isinstance(reason, str) else ": no step finished"
            raise ModelFailed("malformed", f"opencode ended before its answer did{told}")
        if not "".join(parts).strip():
            raise ModelFailed("malformed", "opencode ended without an answer")
        return "".join(parts)

    def complaint(self, out: bytes) -> str:
        """The first error among its events."""
        return next((said for event in _events(out) if event.get("type") == "error" and (said := _said(event))), "")


def searches(path: str = PATH) -> bool:
    """Whether the program that its searching tools start can be seen by it; `path` as in PATH."""
    found = walls.which(SEARCHER, path)
    return found is not None and os.path.realpath(found).startswith(tuple(f"{place}/" for place in walls.SYSTEM))


def _tools(prompt: Prompt, searching: bool, running: bool) -> tuple[str, ...]:
    """What it may use: nothing, or the tools that look, the one that changes, and the one that runs commands."""
    if prompt.reads is None:
        return ()
    changing = ("edit",) if prompt.reads.writes else ()
    return LOOKING + (SEARCHING if searching else ()) + changing + (("bash",) if running else ())


def _configured(prompt: Prompt, token: str, tools: tuple[str, ...]) -> str:
    """Our whole configuration, as JSON. opencode replaces {env:…} and {file:…} in it: no text keeps its braces."""
    reads = prompt.reads
    outside = {"*": "deny"} | ({reads.path: "allow", f"{reads.path}/**": "allow"} if reads is not None else {})
    system = prompt.system + in_words(prompt.schema)
    model = {
        "name": prompt.model,
        "temperature": True,
        "tool_call": True,
        "limit": {"context": CONTEXT_TOKENS, "output": prompt.max_tokens},
    }
    config: dict[str, Any] = {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "compaction": {"auto": False, "prune": False},
        "enabled_providers": [PROVIDER],
        "default_agent": PROVIDER,
        "model": f"{PROVIDER}/{prompt.model}",
        "small_model": f"{PROVIDER}/{prompt.model}",
        "provider": {
            PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Adjutant",
                "models": {prompt.model: model},
                "options": {"baseURL": "http://127.0.0.1:<port>/v1", "apiKey": token, "timeout": False},
            }
        },
        "agent": {PROVIDER: {"mode": "primary", "prompt": system, "temperature": prompt.temperature, "steps": STEPS}},
        "permission": {"*": "deny", **dict.fromkeys(tools, "allow"), "external_directory": outside},
    }
    return literal(config).replace("<port>", "{port}", 1)


def _events(out: bytes) -> list[dict[str, Any]]:
    """One object a line; what is none is no event."""
    found = []
    for line in out.split(b"\n"):
        try:
            event = jsonl.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            found.append(event)
    return found


def _said(event: dict[str, Any]) -> str:
    error = event.get("error")
    data = error.get("data") if isinstance(error, dict) else None
    text = data.get("message") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""
