"""OPINION. A change applied to a copy: the folder as it is and as it would be, and what the last runs left on record.

No byte goes to disk.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from adjutant.app import plural
from adjutant.domain.prompting.standing import PromptShelf
from adjutant.errors import AdjutantError
from adjutant.judgements import recording
from adjutant.judgements.recording import Recorded
from adjutant.records import heart as hearts
from adjutant.records import layers
from adjutant.records.suggestion import BY_RULES, UNKNOWN, Change, Decided
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.clock import Clock
    from adjutant.judgements.templates import Templates
    from adjutant.records.heart import Heart
    from adjutant.store.config import Config

T = TypeVar("T")
MOST_RUNS, MOST_JUDGEMENTS = 20, 400
SECONDS = 10.0  # a rehearsal takes no longer; what it did not come to is said
WHAT, DECISION = 100, 140  # characters
TODAY = "today"  # stands for a run where what lies in the folder now is decided on
INSTRUCTION = "(a line that reads like an instruction)"
FAILS = "would fail: "


class Budget:
    """The time that is left for a rehearsal. `damaged`: how many records were of no use to it."""

    def __init__(self, clock: Clock, seconds: float = SECONDS) -> None:
        self._clock, self._until = clock, clock.monotonic() + seconds
        self.ran_out, self.damaged = False, 0

    @property
    def over(self) -> bool:
        """It is used up; `ran_out` says so from the first time that somebody asked too late."""
        self.ran_out = self.ran_out or self._clock.monotonic() >= self._until
        return self.ran_out

    def read(self, work: Callable[[], T]) -> T | None:
        """What `work` reads; None where it cannot be read, which counts as damaged."""
        try:
            return work()
        except AdjutantError:
            self.damaged += 1
            return None


class RecordedQuestion(NamedTuple):
    """A question and its run."""

    run: str
    recorded: Recorded


class Side:
    """The folder with one `text` of the changed file, and what today's code reads from it, each when first asked for.

    Every property raises what reading its file raises.
    """

    def __init__(self, files: Files, config: Config) -> None:
        self.files, self._config = files, config

    @cached_property
    def heart(self) -> Heart:
        """The heart layer."""
        return hearts.parse(layers.read(self.files, self._config, "heart").text)

    @cached_property
    def shelf(self) -> PromptShelf:
        """The standing parts of a turn's prompt."""
        return PromptShelf(self.files, self._config)

    @cached_property
    def templates(self) -> Templates:
        """The prompt templates."""
        from adjutant.judgements.templates import Templates  # jinja2: only where a prompt is rendered

        return Templates(self.files)

    def layer(self, name: str) -> str:
        """A layer as prompts show it."""
        return layers.read(self.files, self._config, name).prompt


class Copy:
    """`before` and `after`: the two sides of a change.

    `path`: of the change, tidied; `layer`: which one it is, "" for none. `budget`: the time that is left.
    """

    def __init__(self, app: App, change: Change) -> None:
        self.app, self.path, self.budget = app, posixpath.normpath(change.path), Budget(app.clock)
        inside, config = app.tree.inside, app.config
        spelled = {name: inside(config.text(f"layers.{name}.path")) for name in LAYERS}  # as the settings have it
        self.layer = next((name for name in LAYERS if posixpath.normpath(spelled[name]) == inside(self.path)), "")
        self._paths = {inside(self.path), spelled.get(self.layer, inside(self.path))}
        self.before, self.after = self.sides = self._side(change.before), self._side(change.after)

    def _side(self, text: str | None) -> Side:
        files = Files(self.app.tree, dry=True)
        held = None if text is None else text.encode()
        files.overlay = {**self.app.files.overlay, **dict.fromkeys(self._paths, held)}
        return Side(files, self.app.config)

    def asked(self, names: Collection[str]) -> list[RecordedQuestion]:
        """The questions of these judgements in the newest runs that asked one, the newest run first. What is damaged,
        or was pruned meanwhile, is left out and counted."""
        files, budget, runs = self.before.files, self.budget, 0
        found: list[RecordedQuestion] = []
        for run in budget.read(lambda: recording.runs(files)) or ():
            if runs == MOST_RUNS or len(found) == MOST_JUDGEMENTS or budget.over:
                break
            every = budget.read(partial(recording.names, files, run)) or ()
            wanted = [each for each in every if each.partition("-")[2].removesuffix(".json") in names]
            wanted = wanted[: MOST_JUDGEMENTS - len(found)]
            records = [budget.read(partial(recording.read, files, run, each)) for each in wanted]
            kept = [RecordedQuestion(run, each) for each in records if each is not None]
            found += kept
            runs += bool(kept)
        return found

    def left_out(self) -> Iterator[str]:
        """What was not looked at, a clause each."""
        if damaged := self.budget.damaged:
            yield f"{plural(damaged, 'record')} could not be read or fit no question of today, and were left out"
        if self.budget.ran_out:
            yield "time was up before all of the record was looked at"


class Lane(NamedTuple):
    """What one way of looking at the change found. `notes`: what it cannot tell, a clause each."""

    method: str = UNKNOWN
    runs: frozenset[str] = frozenset()
    judgements: int = 0
    changed: tuple[Decided, ...] = ()
    notes: tuple[str, ...] = ()


def decided(
    several: Sequence[RecordedQuestion],
    changed: Iterable[Decided],
    notes: Iterable[str] = (),
    method: str = BY_RULES,
) -> Lane:
    """The lane of questions that were decided again."""
    return Lane(method, frozenset(each.run for each in several), len(several), tuple(changed), tuple(notes))


def row(run: str, judgement: str, what: str, then: str, now: str) -> Decided:
    """A decision that would be another, each part as one clean line; what is quoted may be anybody's words."""
    return Decided(run, judgement, one_line(what, WHAT), one_line(then, DECISION), one_line(now, DECISION))


def one_line(text: str, limit: int = WHAT) -> str:
    """Words that were read somewhere, as a person is shown them."""
    return INSTRUCTION if screen(text) else clean_line(text, limit)


def attempt(work: Callable[[], T]) -> T | str:
    """What `work` gives, or why it would fail, in a line."""
    try:
        return work()
    except AdjutantError as error:
        return clean_line(error.message, DECISION)
