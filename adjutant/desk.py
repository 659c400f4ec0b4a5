"""SHELL. The desk: a press in the page, or a call of an agent's, runs its verb here by the shell's own row and lock."""

from __future__ import annotations

import copy
import threading
from typing import TYPE_CHECKING

from adjutant import commands, parsing, place, runner, wire
from adjutant.app import App, Outcome
from adjutant.errors import PageRefused, Stopped
from adjutant.store import config, switches, tree

if TYPE_CHECKING:
    from adjutant.app import Growing


class Desk:
    """One instance's verbs. Decisions are made one at a time: of two that press, the second sees what the first did."""

    def __init__(self, root: str, *, read_only: bool = False, dry_run: bool = False) -> None:
        self.tree, self.read_only, self._dry_run = tree.Tree(root), read_only, dry_run
        self.deciding = threading.RLock()
        self._offline = False

    def without_model(self) -> Desk:
        """The same desk, at which rules answer whatever a model would; decisions of both are made one at a time."""
        other = copy.copy(self)
        other._offline = True
        return other

    def look(self, *words: str, dry_run: bool = False) -> Outcome:
        """What a verb shows, or would do as a dry run. Raises AdjutantError."""
        return self._run(words, dry_run=dry_run)

    def decide(self, *words: str) -> Outcome:
        """What a verb does, unless this desk may only show. Raises PageRefused and as the verb."""
        self.refuse_shown_only()
        with self.deciding:
            return self._run(words)

    def ask(self, *words: str, growing: Growing | None = None) -> Outcome:
        """The same for a verb that takes its time: others may decide meanwhile."""
        self.refuse_shown_only()
        return self._run(words, growing)

    def app(self, verb: str, *, dry_run: bool = False) -> App:
        """The world of a verb (`kb`, `index --check`)."""
        options = place.Options()
        options.as_json, options.dry_run = True, dry_run
        return wire.open_app(commands.ROWS[verb], options, self.tree.root)

    def only_shows(self) -> str:
        """Why nothing may be decided here, "" where it may."""
        if switches.is_on(self.tree.killed):
            return "KILLED is set: nothing is decided here. `adjutant start` in a shell lifts it."
        return "This was started with --read-only: it only shows." if self.read_only else ""

    def refuse_shown_only(self) -> None:
        """Raises PageRefused where nothing may be decided."""
        if why := self.only_shows():
            raise PageRefused(f"{why} Nothing was done.")

    def _run(self, words: tuple[str, ...], growing: Growing | None = None, *, dry_run: bool = False) -> Outcome:
        row = commands.row_of(list(words))
        assert row is not None
        args = parsing.parse(row, list(words[1:]))
        if row.paused and switches.is_on(self.tree.paused):
            raise PageRefused(f"{row.verb}: PAUSED is set; nothing was done.", "`adjutant resume` lifts it.")
        app = self.app(row.verb, dry_run=dry_run or self._dry_run)
        if self._offline:  # no model in this verb's world
            mine = app.config
            app.config = config.Config({**mine.values, "llm.backend": "offline"}, mine.judgements, mine.specialists)
            app.model = lambda backend=None, settings=None: None
        said: list[str] = []
        app.say, app.show, app.progress, app.question = said.append, said.append, lambda line: None, None
        app.stdin, app.stdin_bytes = (lambda: "-"), (lambda: b"-")  # a "-" of a form is a text
        app.growing = growing
        try:
            outcome = runner.run(row, args, app)
        except Stopped:
            raise PageRefused(f"{row.verb}: stopped, PAUSED was set meanwhile.") from None
        outcome.lines += said
        if outcome.error is not None and not outcome.result:
            raise outcome.error
        return outcome
