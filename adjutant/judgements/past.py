"""OPINION. What the last runs left on record: the questions they asked, and the messages they answered."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from adjutant.domain.behavior import grammar
from adjutant.errors import AdjutantError
from adjutant.judgements import recording
from adjutant.judgements.recording import Recorded
from adjutant.records import conversation
from adjutant.store import jsonl

if TYPE_CHECKING:
    from adjutant.clock import Clock
    from adjutant.store.files import Files

MOST_RUNS, MOST_JUDGEMENTS, MOST_TURNS = 20, 400, 200
SECONDS = 10.0  # a rehearsal takes no longer; what it did not come to is said
CONVERSATION = 256 * 1024  # bytes at the end of one that are looked at
ANSWER = "-answer"
TASKS = "task-"  # the sessions of delegated tasks
COMMAND = "/"


class Budget:
    """The time that is left for a rehearsal."""

    def __init__(self, clock: Clock, seconds: float = SECONDS) -> None:
        self._clock, self._until, self.ran_out = clock, clock.monotonic() + seconds, False

    @property
    def over(self) -> bool:
        """It is used up; `ran_out` says so from the first time that somebody asked too late."""
        self.ran_out = self.ran_out or self._clock.monotonic() >= self._until
        return self.ran_out


class Kept(NamedTuple):
    """One run and those of its judgements that were asked for, in their order."""

    run: str
    records: tuple[Recorded, ...]


class Past(NamedTuple):
    """Runs, newest first, and how many records could not be read."""

    runs: tuple[Kept, ...]
    damaged: int

    @property
    def judgements(self) -> int:
        """How many questions are in them."""
        return sum(len(each.records) for each in self.runs)


class Turn(NamedTuple):
    """A message of the operator's that was answered. `ref`: the run, or SESSION/ID where the answer names none.

    `role`: who answered, "" where nobody did. `message`: without its directive lines, as it was put to the model.
    `by_model`: a model was asked, whatever it said.
    """

    ref: str
    message: str
    role: str
    by_model: bool = False
    session: str = ""


def runs(
    files: Files,
    names: Collection[str],
    budget: Budget,
    most: int = MOST_RUNS,
    judgements: int = MOST_JUDGEMENTS,
) -> Past:
    """The newest `most` runs that asked one of `names` (judgements), with at most so many of these questions.

    What is damaged, or was pruned meanwhile, is left out and counted. Raises nothing of ours.
    """
    found: list[Kept] = []
    damaged = 0
    for run in _ids(files):
        if len(found) == most or judgements <= 0 or budget.over:
            break
        kept: list[Recorded] = []
        wanted, wrong = _wanted(files, run, names)
        damaged += wrong
        for name in wanted[:judgements]:
            try:
                kept.append(recording.read(files, run, name))
            except AdjutantError:
                damaged += 1
        judgements -= len(kept)
        if kept:
            found.append(Kept(run, tuple(kept)))
    return Past(tuple(found), damaged)


def turns(files: Files, budget: Budget, most: int = MOST_TURNS) -> list[Turn]:
    """The last `most` messages that were asked, newest first; what cannot be read is left out. Raises nothing."""
    found: list[tuple[str, Turn]] = []
    for path in _conversations(files):
        if len(found) >= 2 * most or budget.over:  # the files come newest first, their messages nearly so
            break
        try:
            lines = jsonl.tail(files, path, CONVERSATION)
        except AdjutantError:
            continue
        found += _turns(os.path.basename(path).removesuffix(".jsonl"), lines)
    found.sort(key=lambda each: each[0], reverse=True)
    return [turn for _, turn in found[:most]]


def _ids(files: Files) -> list[str]:
    try:
        return recording.runs(files)
    except AdjutantError:
        return []


def _wanted(files: Files, run: str, names: Collection[str]) -> tuple[list[str], int]:
    """Names of the records asked for, and 1 for a folder that cannot be read."""
    try:
        every = recording.names(files, run)
    except AdjutantError:
        return [], 1
    return [each for each in every if each.partition("-")[2].removesuffix(".json") in names], 0


def _conversations(files: Files) -> list[str]:
    """The conversations' files, those written to last first."""
    try:
        names = [name for name in files.names(files.tree.conversations) if name.endswith(".jsonl")]
    except AdjutantError:
        return []
    paths = [files.tree.conversation(name.removesuffix(".jsonl")) for name in names]
    return sorted((path for path in paths if not path.rpartition("/")[2].startswith(TASKS)), key=_written, reverse=True)


def _written(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _turns(session: str, lines: list[dict[str, object]]) -> Iterator[tuple[str, Turn]]:
    """(when, turn) of a conversation's messages of the operator's own."""
    answers = {str(line.get("id")): line for line in lines if line.get("role") == conversation.AGENT}
    for line in lines:
        id, text, when = line.get("id"), line.get("text"), line.get("ts")
        if line.get("role") != conversation.OPERATOR or not all(isinstance(each, str) for each in (id, text, when)):
            continue
        said = grammar.parse(str(text).encode("utf-8", "surrogateescape")).remainder.strip()
        if not said or said.startswith(COMMAND):
            continue
        answer = answers.get(f"{id}{ANSWER}", {})
        asked = bool(answer.get("tokens") or answer.get("degraded"))
        yield (
            str(when),
            Turn(str(answer.get("run") or f"{session}/{id}"), said, str(answer.get("name") or ""), asked, session),
        )
