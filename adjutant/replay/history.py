"""OPINION. What the last runs left on record: the questions that were asked, and the operator's messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
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
    """The time that is left for a rehearsal."""

    def __init__(self, clock: Clock, seconds: float = SECONDS) -> None:
        self._clock, self._until, self.ran_out = clock, clock.monotonic() + seconds, False

    @property
    def over(self) -> bool:
        """It is used up; `ran_out` says so from the first time that somebody asked too late."""
        self.ran_out = self.ran_out or self._clock.monotonic() >= self._until
        return self.ran_out


class RecordedRun(NamedTuple):
    """One run and those of its judgements that were asked for, in their order."""

    run: str
    records: tuple[Recorded, ...]


class RunHistory(NamedTuple):
    """Runs, newest first, and how many records could not be read."""

    runs: tuple[RecordedRun, ...]
    damaged: int = 0

    def records(self) -> Iterator[tuple[str, Recorded]]:
        """Each question with its run."""
        return ((kept.run, recorded) for kept in self.runs for recorded in kept.records)

    @property
    def judgements(self) -> int:
        """How many questions are in them."""
        return sum(len(each.records) for each in self.runs)

    @property
    def names(self) -> frozenset[str]:
        """The ids of the runs."""
        return frozenset(each.run for each in self.runs)


class RecordedTurn(NamedTuple):
    """A message of the operator's and who answered it."""

    run: str
    message: str
    role: str
    session: str


def read(
    files: Files,
    names: Collection[str],
    budget: Budget,
    most: int = MOST_RUNS,
    judgements: int = MOST_JUDGEMENTS,
) -> RunHistory:
    """The newest `most` runs that asked one of `names` (judgements), with at most so many of these questions.

    What is damaged, or was pruned meanwhile, is left out and counted. Raises nothing of ours.
    """
    found: list[RecordedRun] = []
    damaged = 0
    for run in _try(partial(recording.runs, files)) or ():
        if len(found) == most or judgements <= 0 or budget.over:
            break
        every = _try(partial(recording.names, files, run))
        wanted = [each for each in every or () if each.partition("-")[2].removesuffix(".json") in names]
        records = [_try(partial(recording.read, files, run, name)) for name in wanted[:judgements]]
        kept = tuple(each for each in records if each is not None)
        damaged += (every is None) + len(records) - len(kept)
        judgements -= len(kept)
        if kept:
            found.append(RecordedRun(run, kept))
    return RunHistory(tuple(found), damaged)


def _try(work: Callable[[], T]) -> T | None:
    """What `work` gives; None where it cannot be read."""
    try:
        return work()
    except AdjutantError:
        return None


def turns(files: Files, budget: Budget) -> list[RecordedTurn]:
    """The last messages that were answered, newest first; what is damaged is left out. Raises nothing of ours."""
    found: list[RecordedTurn] = []
    for run, recorded in read(files, (turn.NAME,), budget, most=MOST_TURNS).records():
        try:
            asked = msgspec.convert(recorded.inputs, turn.Inputs)
        except msgspec.ValidationError:
            continue
        if asked.message and not asked.session.startswith(TASKS):
            found.append(RecordedTurn(run, asked.message, asked.role, asked.session))
    return found
