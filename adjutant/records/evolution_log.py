"""RECORDS. state/evolution.jsonl: what was suggested and what a person decided, written before any file is."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from adjutant.errors import EvolutionUnknown, find_one
from adjutant.records.suggestion import ACCEPTED, PENDING, REJECTED, REVERTED, STALE, Suggestion
from adjutant.store import jsonl
from adjutant.store.files import Files, sha256

WRITTEN, REFUSED = "written", "refused"
COMPLETED_BY = "the next `adjutant evolve`, or the next accept, reject or revert of any suggestion, completes it"
PREFIX, DIGITS = "s-", 8
_REPORT = re.compile(r"evolution/\d{4}-\d\d-\d\d-\d\d(?:-\d{1,4})?\.md")  # as a look calls it


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag=str.lower):
    """A line of the log."""

    ts: str
    run: str


class Run(Event, frozen=True, kw_only=True):
    """A look at a window. `report`: its path, "" where it had nothing to tell; `text` what stands in it; `suggestions`:
    the ids of the new ones; `told`: fingerprints of what the report tells in words alone."""

    since: str
    until: str
    read: int
    report: str = ""
    report_sha: str = ""
    text: str = ""
    suggestions: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


class Proposed(Event, frozen=True, kw_only=True):
    """A suggestion as it is shown. `replaces`: the id of one that said the same of its file before that changed."""

    suggestion: Suggestion
    replaces: str = ""


class Made(Event, frozen=True, kw_only=True):
    """A change of the file of suggestion `id`, that is about to be made."""

    id: str
    path: str
    before_sha: str
    after_sha: str


class Accepted(Made, frozen=True, kw_only=True):
    """The stored diff goes in. `diff`: as it fits the file now. `stored`: although its report was altered."""

    diff: str
    stored: bool = False


class Reverted(Made, frozen=True, kw_only=True):
    """An accepted one is taken back."""


class Rejected(Event, frozen=True, kw_only=True):
    """A person does not want it."""

    id: str
    reason: str = ""


class Settled(Event, frozen=True, kw_only=True):
    """The end of what was written ahead: of the last change of suggestion `id`, or of the report of `run`, id ""."""

    id: str
    outcome: str
    reason: str = ""


Record = Run | Proposed | Accepted | Reverted | Rejected | Settled


class Held(NamedTuple):
    """A suggestion and what became of it. `since`: when it came to its status. `reason`: of a rejection, or the id of
    what took its place. `report_sha`: what its report held, "" where that is not on record. `accepted`: the change,
    once it was made."""

    suggestion: Suggestion
    status: str
    since: str
    report_sha: str = ""
    reason: str = ""
    accepted: Accepted | None = None


class State:
    """What the log amounts to. `held`: oldest first. `runs`: the looks. `open`: changes that nothing says are settled.
    `unwritten`: runs whose report may not have been written. `made`: changes that were, in their order. `damaged`:
    numbers of lines that are no records, altered ones, or suggestions that their run does not name."""

    def __init__(self) -> None:
        self.held: dict[str, Held] = {}
        self.runs: list[Run] = []
        self.open: dict[str, Made] = {}
        self.unwritten: dict[str, Run] = {}
        self.made: list[Made] = []
        self.damaged: list[int] = []
        self._reports: dict[str, Run] = {}

    def find(self, given: str) -> Held:
        """The suggestion of an id or its beginning, with or without `s-`. Raises EvolutionUnknown."""
        bare, lines = given.strip().removeprefix(PREFIX), ", ".join(map(str, self.damaged[:5]))
        more = f"; no record, or altered, in the log: line {lines}" if lines else ""
        return find_one(self.held, bare and PREFIX + bare, "suggestion", EvolutionUnknown, more=more)

    def take(self, record: Record) -> bool:
        """Whether a record fits what was before; then it counts."""
        match record:
            case Run():
                self.runs.append(record)
                if record.report:
                    self.unwritten[record.run] = record
                    self._reports.setdefault(record.report, record)
            case Proposed():
                # one of a report whose run does not name it is somebody's own; None where the run's line was altered:
                # then nobody knows what was read
                each, run = record.suggestion, self._reports.get(record.suggestion.report)
                if run is not None and (each.id not in run.suggestions or not each.run == record.run == run.run):
                    return False
                self.held.setdefault(each.id, Held(each, PENDING, record.ts, "" if run is None else run.report_sha))
                self._set_aside(record.replaces, STALE, record.ts, each.id)
            case Rejected():
                self._set_aside(record.id, REJECTED, record.ts, record.reason)
            case Settled(id=""):
                self.unwritten.pop(record.run, None)
            case Settled():
                change = self.open.pop(record.id, None)
                if change is not None and record.outcome == WRITTEN:
                    self.made.append(change)
                    is_in = (
                        {"status": ACCEPTED, "accepted": change}
                        if isinstance(change, Accepted)
                        else {"status": REVERTED}
                    )
                    self.held[record.id] = self.held[record.id]._replace(since=change.ts, **is_in)
            case _:
                held = self.held.get(record.id)
                if held is not None and held.status == (PENDING if isinstance(record, Accepted) else ACCEPTED):
                    self.open[record.id] = record
        return True

    def _set_aside(self, id: str, status: str, since: str, reason: str) -> None:
        held = self.held.get(id)
        if held is not None and held.status == PENDING and id not in self.open:
            self.held[id] = held._replace(status=status, since=since, reason=reason)


def append(files: Files, *several: Record) -> None:
    """Makes records durable at one stroke."""
    files.append_all(files.tree.evolution_log, map(msgspec.to_builtins, several))


def read(files: Files) -> State:
    """The state that the log leads to; without a log, one of nothing."""
    state = State()
    for number, raw in jsonl.parse(files.log(files.tree.evolution_log)):
        try:
            record: Record = msgspec.convert(raw, Record)
        except msgspec.ValidationError:
            state.damaged.append(number)
            continue
        if not _is_whole(record, raw or {}) or not state.take(record):
            state.damaged.append(number)
    return state


def _is_whole(record: Record, raw: dict[str, Any]) -> bool:
    if isinstance(record, Proposed):
        return _make_id(raw["suggestion"]) == record.suggestion.id
    if isinstance(record, Run) and record.report:  # it is written anew where it is missing: nowhere else
        named = _REPORT.fullmatch(record.report) is not None
        return named and sha256(record.text.encode("utf-8", "replace")) == record.report_sha
    return True


def give_id(suggestion: Suggestion) -> Suggestion:
    """The same with the id that belongs to it."""
    return msgspec.structs.replace(suggestion, id=_make_id(msgspec.to_builtins(suggestion)))


def _make_id(raw: dict[str, Any]) -> str:
    told = json.dumps({key: value for key, value in raw.items() if key != "id"}, sort_keys=True)
    return PREFIX + sha256(told.encode())[:DIGITS]


def ours(made: Sequence[Made], path: str, start: str, end: str) -> bool:
    """Whether accepted and reverted suggestions alone lead from one state of a file to another, each a sha256."""
    reached, own = {start}, [each for each in made if each.path == path]
    for _ in own:  # a change may stand before the one that it goes on from
        reached |= {each.after_sha for each in own if each.before_sha in reached}
    return end in reached
