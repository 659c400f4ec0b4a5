"""OPINION. A change applied to a copy: two views of one folder, as it was read and as it would be; no byte on disk."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from adjutant.errors import AdjutantError
from adjutant.judgements.past import Budget
from adjutant.records.suggestion import UNKNOWN, Change, Decided
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store import config as config_file
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

if TYPE_CHECKING:
    from adjutant.app import App

T = TypeVar("T")
WHAT, DECISION = 100, 140  # characters
TODAY = "today"  # stands for a run where what lies in the folder now is decided on
INSTRUCTION = "(a line that reads like an instruction)"


class Copy:
    """`before` and `after`: the folder read with the text of the change, each an overlay that nobody writes out.

    `path`: of the change, tidied; `layer`: which one it is, "" for none. `budget`: the time that is left. `config` is
    the one in force.
    """

    def __init__(self, app: App, change: Change) -> None:
        self.app, self.change, self.config = app, change, app.config
        self.path = posixpath.normpath(change.path)
        self.budget = Budget(app.clock)
        self.layer = next((name for name in LAYERS if self._names(f"layers.{name}.path")), "")
        self.before, self.after = (self._files(text) for text in (change.before, change.after))

    def _names(self, setting: str) -> bool:
        """A path in the settings means this file, however it is spelled there."""
        inside = self.app.tree.inside
        return posixpath.normpath(inside(self.config.text(setting))) == inside(self.path)

    def _files(self, text: str | None) -> Files:
        copy, inside = Files(self.app.tree, dry=True), self.app.tree.inside
        spelled = {inside(self.path), *([inside(self.config.text(f"layers.{self.layer}.path"))] if self.layer else [])}
        held = None if text is None else text.encode()
        copy.overlay = {**self.app.files.overlay, **dict.fromkeys(spelled, held)}
        return copy

    def configs(self) -> tuple[Config, Config]:
        """The settings as they are and as they would be. Raises ConfigInvalid."""
        if self.path != config_file.NAME:
            return self.config, self.config
        before, after = (config_file.parse((text or "").encode()) for text in (self.change.before, self.change.after))
        return before, after


class Lane(NamedTuple):
    """What one way of looking at the change found. `notes`: what it cannot tell, a clause each."""

    method: str = UNKNOWN
    runs: frozenset[str] = frozenset()
    judgements: int = 0
    changed: tuple[Decided, ...] = ()
    notes: tuple[str, ...] = ()


def row(run: str, judgement: str, what: str, then: str, now: str) -> Decided:
    """A decision that would be another, each part as one clean line; what is quoted may be anybody's words."""
    return Decided(run, judgement, told(what, WHAT), told(then, DECISION), told(now, DECISION))


def told(text: str, limit: int = WHAT) -> str:
    """Words that were read somewhere, as one line that a person is shown."""
    return INSTRUCTION if screen(text) else clean_line(text, limit)


def tried(work: Callable[[], T]) -> T | str:
    """What `work` gives, or why it would fail, in a line."""
    try:
        return work()
    except AdjutantError as error:
        return clean_line(error.message, DECISION)


def counted(number: int, one: str, many: str = "") -> str:
    """ "1 turn", "2 turns"."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def left_out(damaged: int, *, ran_out: bool) -> Iterable[str]:
    """What was not looked at, a clause each."""
    if damaged:
        yield f"{counted(damaged, 'record')} could not be read or fit no question of today, and were left out"
    if ran_out:
        yield "time was up before all of the record was looked at"
