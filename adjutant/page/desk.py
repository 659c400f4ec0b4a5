"""SHELL. The desk of the page: a press runs its verb in this process, by the shell's own row, lock and switches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjutant import commands, parsing, runner, wire
from adjutant.app import App, Outcome
from adjutant.errors import PageRefused, Stopped
from adjutant.place import Options
from adjutant.store import switches
from adjutant.store.tree import Tree

if TYPE_CHECKING:
    from adjutant.app import Growing


class Desk:
    """One instance's verbs. Decisions are made one at a time: of two that press, the second sees what the first did."""

    def __init__(self, root: str, *, read_only: bool = False) -> None:
        self.tree, self.read_only = Tree(root), read_only
        self.deciding = threading.RLock()

    def look(self, *words: str) -> Outcome:
        """What a verb shows. Raises AdjutantError."""
        return self._run(words)

    def decide(self, *words: str) -> Outcome:
        """What a verb does, unless the page may only show. Raises PageRefused and as the verb."""
        self.refuse_shown_only()
        with self.deciding:
            return self._run(words)

    def ask(self, *words: str, growing: Growing | None = None) -> Outcome:
        """The same for a verb that takes its time: others may decide meanwhile."""
        self.refuse_shown_only()
        return self._run(words, growing)

    def app(self, verb: str) -> App:
        """A verb's world, for what only reads."""
        row = commands.ROWS[verb]
        return wire.open_app(row, _options(), self.tree.root)

    def only_shows(self) -> str:
        """Why nothing may be decided here, "" where it may."""
        if switches.is_on(self.tree.killed):
            return "KILLED is set: this page only shows. `adjutant start` in a shell lifts it."
        return "This page was started with --read-only: it only shows." if self.read_only else ""

    def refuse_shown_only(self) -> None:
        """Raises PageRefused where nothing may be decided."""
        if why := self.only_shows():
            raise PageRefused(f"{why} Nothing was done.")

    def _run(self, words: tuple[str, ...], growing: Growing | None = None) -> Outcome:
        row = commands.row_of(list(words))
        assert row is not None
        args = parsing.parse(row, list(words[1:]))
        if row.paused and switches.is_on(self.tree.paused):
            raise PageRefused(f"{row.verb}: PAUSED is set; nothing was done.", "Resume on Today, or `adjutant resume`.")
        app = wire.open_app(row, _options(), self.tree.root)
        said: list[str] = []
        app.say, app.show, app.progress, app.question = said.append, said.append, lambda line: None, None
        app.stdin, app.stdin_bytes = _LONE_DASH
        app.growing = growing
        try:
            outcome = runner.run(row, args, app)
        except Stopped:
            raise PageRefused(f"{row.verb}: stopped, PAUSED was set meanwhile.") from None
        outcome.lines += said
        if outcome.error is not None and not outcome.result:
            raise outcome.error
        return outcome


_LONE_DASH: tuple[Callable[[], str], Callable[[], bytes]] = (lambda: "-", lambda: b"-")  # a "-" of a form is a text


def _options() -> Options:
    options = Options()
    options.as_json = True
    return options
