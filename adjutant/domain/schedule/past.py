"""DOMAIN. What is known of past runs: state/schedule.json, helped out by last_heartbeat.json and the ledger.

state/schedule.json is `{"installed": ISO, "stages": {STAGE: {"runs": [ISO, …], "slot": ISO, "tries": n}}}`: when the
crontab entries were installed, when the stage ran (in the order of writing), and, until a run is complete, how often
--if-due tried which slot. last_heartbeat.json knows a run whose process died before it could note it here; the tail of
the ledger is asked where schedule.json says nothing of a stage.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from adjutant.app import Row
from adjutant.clock import Clock
from adjutant.errors import FileDamaged
from adjutant.records import ledger
from adjutant.store import jsonl
from adjutant.store.files import Files

AHEAD = timedelta(days=1)
KEPT, KEPT_ALWAYS, KEPT_MOST = timedelta(days=15), 60, 1500
TAIL_BYTES = 256 * 1024
# Of these the ledger tells failures alone: `status` reads none for nothing.
UNTOLD = frozenset(("behavior-review", "compact", "distill", "evolve", "index"))
FIX = "remove it: the next run makes it anew from last_heartbeat.json and the ledger"


class StageRuns:
    """`runs` in the order of writing; `tries` of --if-due for `slot`, which no run has completed since. All in UTC."""

    __slots__ = ("runs", "slot", "tries")

    def __init__(self, runs: list[datetime], slot: datetime | None = None, tries: int = 0) -> None:
        self.runs, self.slot, self.tries = runs, slot, tries


def load(files: Files) -> tuple[datetime | None, dict[str, StageRuns]]:
    """What state/schedule.json says: when it was installed, and its stages. Raises FileDamaged, IoFailed."""
    path = files.tree.schedule_state
    raw = jsonl.read_object(files, path) or {}
    try:
        installed = moment(raw["installed"]) if raw.get("installed") is not None else None
        stages = {}
        for name, part in raw.get("stages", {}).items():
            slot, tries = part.get("slot"), part.get("tries", 0)
            if not isinstance(tries, int):
                raise TypeError("`tries` is not a number")
            runs = [moment(run) for run in part.get("runs", [])]
            stages[name] = StageRuns(runs, moment(slot) if slot is not None else None, tries)
        return installed, stages
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise FileDamaged(f"{files.tree.relative(path)}:1: not a record of runs ({error})", FIX) from error


def read(
    files: Files, clock: Clock, names: Iterable[str], problems: list[str] | None = None
) -> tuple[datetime | None, dict[str, StageRuns]]:
    """(when it was installed, None when that is dated more than a day ahead; the stages). What is wrong is added to
    `problems`, a line each: a damaged file is, and what the others know counts. Raises IoFailed."""
    problems = problems if problems is not None else []
    installed, kept = None, dict[str, StageRuns]()
    try:
        installed, kept = load(files)
    except FileDamaged as error:
        problems.append(f"{error.message} ({error.fix})")
    last: Row = {}
    try:
        last = (ledger.read_last(files) or {"last": {}})["last"]
    except FileDamaged as error:
        problems.append(f"{error.message} ({error.fix})")
    latest = clock.now().astimezone(UTC) + AHEAD
    if installed is not None and installed > latest:
        problems.append(_ahead("the installation of the schedule is", installed))
        installed = None
    stages = {}
    for name in names:
        stage = kept.get(name) or StageRuns([] if name in UNTOLD else _from_ledger(files, clock, name))
        stage.runs = list(dict.fromkeys([*stage.runs, *_moment_of_last(clock, last, name, problems)]))
        if stage.runs and max(stage.runs) > latest:
            problems.append(_ahead(f"a run of {name} is", max(stage.runs)))
        stages[name] = stage
    return installed, stages


def note(files: Files, now: datetime, change: Callable[[Row], None]) -> None:
    """Changes state/schedule.json, all else in it kept; a damaged one is set aside. Raises IoFailed, LockBusy."""
    path = files.tree.schedule_state
    with files.lock("schedule"):
        try:
            load(files)
            raw = jsonl.read_object(files, path) or {}
        except FileDamaged:
            raw = {}
            if not files.dry:
                name = f"{path.rpartition('/')[2]}.{now:%Y%m%dT%H%M%S}"
                files.move(path, files.tree.quarantined(name))
        change(raw)
        files.replace(path, json.dumps(raw, indent=1) + "\n")


def stage_in(raw: Row, name: str) -> Row:
    """The part of a stage in what `note` hands out, made where it is missing."""
    part: Row = raw.setdefault("stages", {}).setdefault(name, {})
    return part


def prune(runs: list[datetime], now: datetime) -> list[datetime]:
    """What is kept: all of the last 15 days, the 60 written last whatever their date, 1,500 at most."""
    old = max(0, len(runs) - KEPT_ALWAYS)
    return [*(run for run in runs[:old] if abs(run - now) <= KEPT), *runs[old:]][-KEPT_MOST:]


def moment(text: str) -> datetime:
    """An ISO time with its offset, as this file holds them, in UTC. Raises ValueError, TypeError, OverflowError."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"`{text}` has no offset")
    return found.astimezone(UTC)


def _moment_of_last(clock: Clock, last: Row, name: str, problems: list[str]) -> list[datetime]:
    if last.get(name) is None:
        return []
    try:
        return [clock.parse(last[name]).astimezone(UTC)]
    except (ValueError, TypeError, OverflowError):
        problems.append(f"state/last_heartbeat.json:1: `last.{name}` is not a time; the next {name} mends it")
        return []


def _from_ledger(files: Files, clock: Clock, name: str) -> list[datetime]:
    found = []
    for record in jsonl.tail(files, files.tree.actions, TAIL_BYTES):
        if record.get("type") == name and not record.get("dry_run") and record.get("status") is None:
            try:
                found.append(clock.parse(record["ts"]).astimezone(UTC))
            except (KeyError, ValueError, TypeError, OverflowError):
                continue  # one line that is no run of ours; doctor names damaged lines
    return found


def _ahead(what: str, moment: datetime) -> str:
    return f"{what} dated {moment.isoformat()}, more than a day ahead of the clock (is the clock right?)"
