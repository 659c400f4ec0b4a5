"""A model that talks to agents: it calls their tools, reads what these returned, and answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import need
from tests.modelserver import Answer, ModelServer
from tests.system.test_model import competent
from tests.system.world import World

ASKS = {"brief": "This is the knowledge base", "answer": "Somebody asks:"}
DATA = re.compile(r"<<<DATA .*?<<<END DATA [0-9a-f]+>>>", re.DOTALL)
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
TOOLS = {
    "opencode": {
        "read": ("read", "filePath"),
        "edit": ("edit", "filePath", "oldString", "newString"),
        "write": ("write", "filePath", "content"),
        "grep": ("grep", "path", "pattern"),
        "bash": ("bash", "command", "description"),
    },
    "claude": {
        "read": ("Read", "file_path"),
        "edit": ("Edit", "file_path", "old_string", "new_string"),
        "bash": ("Bash", "command", "description"),
    },
}


class Turn:
    """One request of an agent's talk with its model, in either API."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.messages = [message for message in body["messages"] if message["role"] != "system"]
        self.number = sum(message["role"] == "assistant" for message in self.messages)

    @property
    def question(self) -> str:
        """What was asked at first, without what the program has put before it."""
        return REMINDER.sub("", _text(self.messages[0]["content"]))

    @property
    def judgement(self) -> str:
        return next((name for name, words in ASKS.items() if words in self.question), "escalation")

    @property
    def results(self) -> str:
        """What its tools have returned so far."""
        said = [message for message in self.messages if message["role"] == "tool"]
        blocks = [
            block
            for message in self.messages
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]
        return "\n".join(_text(each["content"]) for each in (*said, *blocks))

    @property
    def folder(self) -> str:
        """The folder that the question names."""
        return self.question.partition('source="the folder of this knowledge base"')[2].split("\n")[1]

    @property
    def bare(self) -> str:
        """All of the request but what stands in it as data."""
        rest = {**self.body, "messages": [each for each in self.body["messages"] if each is not self.messages[0]]}
        return DATA.sub("", _text(self.messages[0]["content"])) + json.dumps(rest, ensure_ascii=False)

    def found(self, words: str) -> tuple[int, str]:
        """(line, text) of the line with these words in what was read."""
        match = re.search(rf"^\s*(\d+)(?::|\t|→) ?(.*{re.escape(words)}.*)$", self.results, re.MULTILINE)
        assert match, f"{words!r} was not read: {self.results[-600:]}"
        return int(match[1]), match[2]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content)
    return content or ""


def calls(backend: str, *wanted: Sequence[str]) -> Answer:
    """Tool calls in the words of a program: ("read", PATH), ("edit", PATH, OLD, NEW), ("write", PATH, TEXT) …"""
    made: Answer = []
    for tool, *values in wanted:
        name, *fields = TOOLS[backend][tool]
        made.append((name, dict(zip(fields, values, strict=True))))
    return made


def sensible(turn: Turn) -> str:
    """What a model says to a judgement that needs no looking."""
    shaped = {"response_format": {"json_schema": {"name": turn.judgement}}, "messages": [{"content": turn.question}]}
    return competent(shaped)


def model(talk: Callable[[Turn], Answer | None]) -> ModelServer:
    """A server whose model does what `talk` says; None: what is sensible."""

    def answer(body: dict[str, Any]) -> Answer:
        turn = Turn(body)
        said = talk(turn)
        return sensible(turn) if said is None else said

    return ModelServer(["well"], answer)


def answered(*citations: tuple[str, int, str], text: str = "As cited.") -> str:
    """A reply to a question, citing (path, line, quote)."""
    return json.dumps(
        {
            "known": bool(citations),
            "answer": text,
            "citations": [{"path": path, "line": line, "quote": quote} for path, line, quote in citations],
        }
    )


def use(world: World, server: ModelServer, backend: str, **more: object) -> World:
    settings = {"llm__program": need(backend), "heartbeat__kb_timeout_seconds": 60, "llm__timeout_seconds": 20, **more}
    world.settings(llm__backend=backend, llm__base_url=server.url, llm__models__cheap="m", **settings)
    return world


def doctor(world: World) -> dict[str, dict[str, Any]]:
    """{name: check} of doctor, whatever it found."""
    envelope = world.run("doctor", "--json").json
    found = envelope["result"] if envelope["ok"] else envelope["error"]["details"]
    return {check["name"]: check for check in found["checks"]}


def without_bubblewrap(world: World, tmp_path: Path) -> World:
    """The same world on a machine where bwrap is not in the PATH."""
    (tmp_path / "no-programs").mkdir()
    world.env["PATH"] = str(tmp_path / "no-programs")
    return world
