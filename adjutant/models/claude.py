"""OUTSIDE. The claude command line, run once per question: `claude -p --output-format json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from adjutant.models.agent import HOME, STEPS, Agent, Call, literal
from adjutant.models.http import in_words
from adjutant.models.transport import one_line
from adjutant.ports import ModelFailed, Prompt
from adjutant.store import jsonl

LOOKING = ("Read",)
CHANGING = ("Edit", "Write")
RUNNING = "Bash"
SPECIAL = re.compile(r"[][()\\*?]")  # in the patterns of its rules; none of them can be escaped everywhere
OFF = [
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_BUG_COMMAND",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS",
    "CLAUDE_CODE_DISABLE_THINKING",
]


class Claude(Agent):
    """It loads no settings of anybody's, no CLAUDE.md, no plugin and no server; it asks the Messages API.

    Its thinking is off: it would plan for as many tokens of it as the whole reply may have.
    """

    backend = "claude"
    asked = "/v1/messages"

    def call(self, prompt: Prompt, token: str) -> Call:
        """The question comes on standard input; `--tools` takes every word that follows, so it stands last."""
        system = prompt.system + in_words(prompt.schema)
        tools = _tools(prompt, self.runs(prompt))
        flags = (
            f"-p --bare --output-format json --max-turns {STEPS} --strict-mcp-config --no-session-persistence "
            "--disable-slash-commands --permission-mode dontAsk"
        )
        settings = literal(_settings(prompt, tools))
        arguments = [*flags.split(), "--setting-sources", "", "--model", prompt.model]
        arguments += ["--system-prompt", system, "--settings", settings, "--tools", ",".join(tools)]
        env = {
            **HOME,
            "ANTHROPIC_API_KEY": token,
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:{port}",
            "CLAUDE_CONFIG_DIR": "{home}/.claude",
            "CLAUDE_CODE_TMPDIR": "{home}",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(prompt.max_tokens),
            **dict.fromkeys(OFF, "1"),
        }
        return Call(arguments, env, prompt.text)

    def read(self, out: bytes) -> str:
        """The result of a run that was a success."""
        try:
            found = jsonl.loads(out)
            text, kind = found["result"], found["subtype"]
            failed = found["is_error"] is not False
        except (ValueError, KeyError, TypeError):
            raise ModelFailed("malformed", "claude wrote no result") from None
        if failed or kind != "success" or not isinstance(text, str):
            raise ModelFailed("malformed", f"claude ended without success{one_line(self.complaint(out))}")
        if not text.strip():
            raise ModelFailed("malformed", "claude ended without an answer")
        return text

    def complaint(self, out: bytes) -> str:
        """The first error that its result names, else its text, else what kind of result it is."""
        try:
            found = jsonl.loads(out)
            told = [*(found.get("errors") or ()), found.get("result"), found.get("subtype")]
        except (ValueError, AttributeError, TypeError):
            return ""
        return next((text for text in told if isinstance(text, str) and text), "")


def _tools(prompt: Prompt, running: bool) -> tuple[str, ...]:
    """What it may use: nothing, or the tools that look, those that change, and the one that runs commands."""
    if prompt.reads is None:
        return ()
    return LOOKING + (CHANGING if prompt.reads.writes else ()) + ((RUNNING,) if running else ())


def _settings(prompt: Prompt, tools: Sequence[str]) -> dict[str, Any]:
    """Paths in its rules begin with two slashes when they are absolute, and are patterns; commands have no path."""
    folder = SPECIAL.sub("?", prompt.reads.path) if prompt.reads is not None else ""
    allowed = [tool if tool == RUNNING else f"{tool}(/{folder}/**)" for tool in tools]
    return {"permissions": {"allow": allowed, "defaultMode": "dontAsk"}, "enableAllProjectMcpServers": False}
