"""OPINION. What the last runs left on record: the questions that were asked, and the operator's messages."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from adjutant.errors import AdjutantError
from adjutant.judgements import recording, turn
from adjutant.judgements.recording import Recorded

if TYPE_CHECKING:
    from adjutant.clock import Clock
    from adjutant.store.files import Files

MOST_RUNS, MOST_JUDGEMENTS, MOST_TURNS = 20, 400, 200
SECONDS = 10.0  # a rehearsal takes no longer; what it did not come to is said
T = TypeVar("T")
TASKS = "task-"  # the sessions of delegated tasks


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


class RecordedTurn(NamedTuple):
    """A message of the operator's and who answered it."""

    run: str
    message: str
    role: str
    session: str


def read(
    files: Files, names: Collection[str], budget: Budget, most: int = MOST_RUNS, judgements: int = MOST_JUDGEMENTS
) -> list[RecordedQuestion]:
    """The questions of the newest `most` runs that asked one of `names` (judgements), at most so many; the newest run
    first. What is damaged, or was pruned meanwhile, is left out and counted. Raises nothing of ours."""
    found: list[RecordedQuestion] = []
    for run in budget.read(lambda: recording.runs(files)) or ():
        if not most or len(found) == judgements or budget.over:
            break
        every = budget.read(partial(recording.names, files, run)) or ()
        wanted = [each for each in every if each.partition("-")[2].removesuffix(".json") in names]
        records = [budget.read(partial(recording.read, files, run, each)) for each in wanted[: judgements - len(found)]]
        kept = [RecordedQuestion(run, each) for each in records if each is not None]
        found += kept
        most -= bool(kept)
    return found


def turns(files: Files, budget: Budget) -> list[RecordedTurn]:
    """The last messages that were answered, newest first; what is damaged is left out. Raises nothing of ours."""
    found: list[RecordedTurn] = []
    for run, recorded in read(files, (turn.NAME,), budget, most=MOST_TURNS):
        try:
            asked = msgspec.convert(recorded.inputs, turn.Inputs)
        except msgspec.ValidationError:
            continue
        if asked.message and not asked.session.startswith(TASKS):
            found.append(RecordedTurn(run, asked.message, asked.role, asked.session))
    return found
