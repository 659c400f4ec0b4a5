"""Turns against a scripted model, over either API: an instance to talk in, and what its requests said."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adjutant.app import Outcome
from adjutant.models.apis import Anthropic, OpenAI
from adjutant.stages import ask
from tests.conftest import TestedApp, make_app, parsed
from tests.modelapis import Said, steps
from tests.modelserver import ModelServer

APIS = ("openai", "anthropic")
KEY = "sk-the-key-of-tests"
SOUL = "# Soul\n\nCalm, exact, on the operator's side.\n"
Body = dict[str, Any]


class Desk:
    """An instance, and a model over `api` that says what a test tells it to; each turn is a process of its own."""

    def __init__(self, root: Path, api: str = "openai") -> None:
        self.root, self.api, self.turns = root, api, 0
        self.secrets: dict[str, str] = {}
        self.settings: dict[str, Any] = {"llm__backend": api, "llm__models__cheap": "m"}
        self.app: TestedApp = self._app(None)
        self.write("identity/soul.md", SOUL)
        self.requests: list[Body] = []

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def ask(
        self,
        message: str,
        *answers: Any,
        script: tuple[str, ...] = ("well",),
        words: tuple[str, ...] = (),
        dry: bool = False,
        stdin: str = "",
        answer: Callable[[Body], Any] | None = None,
        patience: float = 5.0,
        **settings: Any,
    ) -> Outcome:
        """One turn; what was asked of the model is in `requests`, what was said to the person in `app.said`.

        The server is a strict one and says `answers` one after the other, or what `answer` makes of a request; without
        either the turn is offline.
        """
        self.settings |= settings
        talks = answer or steps(*answers or ("never asked",))
        with ModelServer(script, talks, strict=True) as server:
            self.app = self._app(self._model(server.url, patience) if answers or answer else None, dry, stdin)
            try:
                return ask.run(self.app, parsed(ask, *words, "--", message))
            finally:
                self.requests = [request.body for request in server.requests]

    def _app(self, model: Any, dry: bool = False, stdin: str = "") -> TestedApp:
        self.turns += 1
        return make_app(
            self.root,
            verb="ask",
            run=f"20261120T090000-{self.turns:04x}",
            model=model,
            dry_run=dry,
            secrets=self.secrets,
            stdin=stdin,
            **self.settings,
        )

    def _model(self, url: str, patience: float = 5.0) -> Any:
        adapter, base = (OpenAI, url) if self.api == "openai" else (Anthropic, url.removesuffix("/v1"))
        return adapter(
            base,
            KEY,
            sleep=lambda seconds: None,
            monotonic=time.monotonic,
            jitter=lambda: 1.0,
            gate=self.app.gate,
            timeout=patience,
            max_retries=0,
        )

    def conversation(self, session: str = "cli") -> list[dict[str, Any]]:
        text = (self.root / "state" / "conversations" / f"{session}.jsonl").read_text()
        return [json.loads(line) for line in text.split("\n") if line]

    def record(self) -> dict[str, Any]:
        """What is kept of the last turn."""
        folder = self.root / "state" / "runs" / self.app.run
        found: dict[str, Any] = json.loads((folder / "01-turn.json").read_text())
        return found

    def notes(self) -> list[str]:
        return [path.read_text() for path in sorted((self.root / "memory" / "notes").rglob("*.md"))]


def results(body: Body) -> list[str]:
    """What the tools have answered so far, in the order in which the model is shown it."""
    found = []
    for message in body["messages"]:
        if message["role"] == "tool":
            found.append(message["content"])
        elif isinstance(message["content"], list):
            blocks = [block["content"] for block in message["content"] if block["type"] == "tool_result"]
            found += [text if isinstance(text, str) else "".join(part["text"] for part in text) for text in blocks]
    return found


def last(body: Body) -> str:
    """The last words of the user's side in a request."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else str(content[-1].get("text", ""))


def calls(*made: tuple[str, Any]) -> Said:
    """A turn of the model's that calls these tools and says nothing."""
    return Said(None, list(made))
