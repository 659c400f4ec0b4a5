"""opencode and claude themselves as an agent at the door: told to save, they change nothing that nobody accepted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.calling import hashes
from tests.conftest import adjutant, need
from tests.modelserver import Answer, ModelServer
from tests.serving import NOW, make_root
from tests.system.agents import Turn

pytestmark = pytest.mark.program

NOTE = "Hansen brings his own ladder"
TOLD = "Remember that Hansen brings his own ladder"
TOOL = {"opencode": "adjutant_{}", "claude": "mcp__adjutant__{}"}
OFF = {
    "opencode": "PROJECT_CONFIG AUTOUPDATE MODELS_FETCH LSP_DOWNLOAD DEFAULT_PLUGINS CLAUDE_CODE EXTERNAL_SKILLS",
    "claude": "AUTOUPDATER TELEMETRY ERROR_REPORTING",
}


class Program:
    """An agent program with the settings that --install prints, and a model that calls the tools it is told to."""

    def __init__(self, name: str, folder: Path, root: Path) -> None:
        self.name, self.folder, self.root = name, folder, root
        (folder / "home").mkdir()
        self.snippet: dict[str, Any] = adjutant("mcp", "--install", name, "--json", cwd=root, check=0).json["result"][
            "snippet"
        ]
        words = [sys.executable, "-P", "-m", "adjutant", "mcp"]  # bin/adjutant would make its .venv first
        entry = next(iter(self.snippet.values()))["adjutant"]
        entry |= {"command": words} if name == "opencode" else {"command": words[0], "args": words[1:]}

    def use(self, *wanted: tuple[str, dict[str, Any]], hook: str = "") -> str:
        """What the model was told that the tools answered. `hook`: what answers an elicitation for the person."""
        found: list[str] = []

        def talk(body: dict[str, Any]) -> Answer:
            turn = Turn(body)
            found.append(turn.results)
            if turn.number == len(wanted):
                return "That is all."
            tool, arguments = wanted[turn.number]
            return [(TOOL[self.name].format(tool), arguments)]

        with ModelServer(["well"], talk) as server:
            words, env = (self._opencode if self.name == "opencode" else self._claude)(server.url, hook)
            env |= {"HOME": str(self.folder / "home"), "ADJUTANT_NOW": NOW}
            env |= {key: os.environ[key] for key in ("PATH", "PYTHONPATH", "ADJUTANT_GUARD_LOG")}
            done = subprocess.run(
                words,
                cwd=self.folder / "home",
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=150,
                check=False,
            )
        assert done.returncode == 0 and found, done.stdout[-2000:] + done.stderr[-2000:]
        return found[-1]

    def _opencode(self, url: str, hook: str) -> tuple[list[str], dict[str, str]]:
        model = {"name": "m", "tool_call": True, "limit": {"context": 100_000, "output": 1000}}
        options = {"baseURL": url, "apiKey": "k", "timeout": 30_000}
        own = {"npm": "@ai-sdk/openai-compatible", "name": "own", "models": {"m": model}, "options": options}
        config = {
            "enabled_providers": ["own"],
            "model": "own/m",
            "small_model": "own/m",
            "provider": {"own": own},
            "autoupdate": False,
            "share": "disabled",
            **self.snippet,
        }
        path = self.folder / "opencode.json"
        path.write_text(json.dumps(config))
        env = {f"OPENCODE_DISABLE_{name}": "1" for name in OFF["opencode"].split()}
        return [need("opencode"), "run", "--format", "json", "--title", "t", TOLD], {
            "OPENCODE_CONFIG": str(path),
            **env,
        }

    def _claude(self, url: str, hook: str) -> tuple[list[str], dict[str, str]]:
        path = self.folder / "mcp.json"
        path.write_text(json.dumps(self.snippet))
        settings = {"hooks": {"Elicitation": [{"hooks": [{"type": "command", "command": hook}]}]}}
        flags = ["--output-format", "json", "--strict-mcp-config", "--mcp-config", str(path), "--model", "m"]
        flags += ["--allowedTools", "mcp__adjutant", "--setting-sources", ""]
        flags += ["--settings", json.dumps(settings)] if hook else []
        env = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": url.removesuffix("/v1")}
        env |= {"CLAUDE_CONFIG_DIR": str(self.folder / "claude"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        env |= {"MCP_CONNECTION_NONBLOCKING": "0", "MCP_TIMEOUT": "60000", "MCP_CONNECT_TIMEOUT_MS": "60000"}
        env |= {f"DISABLE_{name}": "1" for name in OFF["claude"].split()} | {"CLAUDE_CODE_DISABLE_THINKING": "1"}
        return [need("claude"), "-p", TOLD, *flags, "--tools", ""], env


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "instance")


@pytest.mark.parametrize("name", ["opencode", "claude"])
def test_a_program_looks_and_changes_nothing(tmp_path: Path, root: Path, name: str) -> None:
    program, before = Program(name, tmp_path, root), hashes(root)
    told = program.use(("memory_save", {"text": NOTE}), ("today", {}))
    assert "nothing was done" in told
    assert f"adjutant memory save --trust agent -- '{NOTE}'" in told
    assert "tasks.md:3" in told or ("tasks.md" in told and '"line":3' in told)
    assert hashes(root) == before
    assert not list((root / "memory" / "notes").rglob("*.md"))


def test_claude_saves_what_the_person_accepts(tmp_path: Path, root: Path) -> None:
    program, before = Program("claude", tmp_path, root), hashes(root)
    answer = {"hookEventName": "Elicitation", "action": "accept", "content": {"agreed": True}}
    seen = tmp_path / "notes-before"
    hook = f"ls -R {root}/memory/notes >{seen}; echo '{json.dumps({'hookSpecificOutput': answer})}'"
    program.use(("memory_save", {"text": NOTE}), hook=hook)
    assert ".md" not in seen.read_text(), "nothing was saved before the answer"
    (saved,) = hashes(root).keys() - before.keys()
    assert NOTE in Path(saved).read_text()
    assert "trust: agent" in Path(saved).read_text()
