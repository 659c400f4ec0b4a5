"""DOMAIN. Is a stage due? One run a slot, one catch-up however many were missed, and the missed ones by name.

A run, by hand too, counts for the slot at or before it. Moments are compared, never wall-clock texts, so a change of
zone or schedule runs nothing twice. A run dated up to a day ahead counts too: a clock set back runs no slot a second
time; one further ahead counts for its own slot alone, so that a wrong clock silences nothing. A slot whose run failed,
was stopped or killed in any of its steps is tried three times in all. Without any run or installation known the last
slot is due; slots from before an installation are not, as long as there was no run.

state/schedule.json is `{"installed": ISO, "stages": {STAGE: {"runs": [ISO, …], "slot": ISO, "tries": n}}}`, `slot` and
`tries` of --if-due until a run is complete. last_heartbeat.json knows a run whose process died before it could note it
here, and is believed where schedule.json is damaged; the run that follows sets that aside and writes it anew.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from adjutant.app import Row
from adjutant.clock import Clock
from adjutant.clock import moment as read_moment
from adjutant.domain.schedule import slots
from adjutant.errors import FileDamaged
from adjutant.records import ledger
from adjutant.store import jsonl
from adjutant.store.config import Config
from adjutant.store.files import Files

TRIES = 3
MISSED_DAYS, MISSED_MOST = 14, 50
AHEAD = timedelta(days=1)
# Runs, of a stage that CATCHES_UP and of the others: a fortnight of a run every quarter of an hour.
KEPT_FEW, KEPT = 60, 1400
TAIL_BYTES = 256 * 1024
# Their missed slots are never listed, and of their runs only the latest are kept: each takes in all that changed since
# the last one, so one run makes up for every slot before it, and nothing was missed.
CATCHES_UP = frozenset(("behavior-review", "compact", "evolve", "index", "jobs"))
FIX = "remove it: the next run makes it anew from last_heartbeat.json"
PREFIX = "schedule."
When = datetime | None


class SlotCheck:
    """`slot` that is due, or None and the `reason`: not_due, not_scheduled. `next`: the first slot after now.
    `given_up`: the slot that was tried three times."""

    def __init__(self, slot: When, reason: str | None, next: When, given_up: When = None) -> None:
        self.slot, self.reason, self.next, self.given_up = slot, reason, next, given_up


class StageStanding:
    """A stage's `next` slot (None: not scheduled), `last` run that counts, `missed` slots, oldest first: the latest 50
    of the last 14 days; none of a stage that CATCHES_UP."""

    def __init__(self, next: datetime | None, last: datetime | None, missed: list[datetime]) -> None:
        self.next, self.last, self.missed = next, last, missed


class StageRuns:
    """`runs` in the order of writing; `tries` of --if-due for `slot`, which no run has completed since. All in UTC."""

    def __init__(self, runs: list[datetime], slot: datetime | None = None, tries: int = 0) -> None:
        self.runs, self.slot, self.tries = runs, slot, tries


def check(files: Files, config: Config, clock: Clock, stage: str) -> SlotCheck:
    """Whether --if-due runs the stage now. Call it again under the run lock. Raises IoFailed. A dry run is no run, but
    it is none twice either: one dry run a slot."""
    schedule = config.text_or_none(PREFIX + stage)
    if schedule is None:
        return SlotCheck(None, "not_scheduled", None)
    now = clock.now()
    slot, coming = slots.previous(schedule, now), slots.following(schedule, now)
    installed, stages = read(files, clock, [stage])
    if slot is None:
        return SlotCheck(None, "not_due", coming)
    kept, at = stages[stage], slot.astimezone(UTC)
    begun = kept.slot == at  # and not finished, even if its first step is
    if begun and kept.tries >= TRIES:
        return SlotCheck(None, "not_due", coming, given_up=slot)
    runs = sorted(kept.runs)
    is_open = not _is_covered(runs, at, _end(coming, now)) if runs else installed is None or at > installed
    if not (begun or is_open) or (files.dry and _was_dry(files, stage, at)):
        return SlotCheck(None, "not_due", coming)
    return SlotCheck(slot, None, coming)


def _is_covered(runs: list[datetime], slot: datetime, end: datetime) -> bool:
    """Is there a run from the slot on, before `end`? `runs` sorted."""
    return bisect_left(runs, slot) < bisect_left(runs, end)


def _end(coming: datetime | None, now: datetime) -> datetime:
    """Until when a run counts for the slot at or before now: the next slot, and a day ahead in any case."""
    ahead = now.astimezone(UTC) + AHEAD
    return ahead if coming is None else max(coming.astimezone(UTC), ahead)


def _was_dry(files: Files, stage: str, slot: datetime) -> bool:
    dry = (each for each in jsonl.tail(files, files.tree.actions, TAIL_BYTES) if each.get("dry_run"))
    return any(each.get("type") == stage and read_moment(each.get("slot")) == slot for each in dry)


def standing(files: Files, config: Config, clock: Clock, problems: list[str]) -> dict[str, StageStanding]:
    """{stage: Standing} of every stage that can be scheduled; what is wrong is added to `problems`. Raises IoFailed."""
    names = [name.removeprefix(PREFIX) for name in config.values if name.startswith(PREFIX)]
    installed, stages = read(files, clock, names, problems)
    now, found = clock.now(), dict[str, StageStanding]()
    for name in names:
        schedule, runs = config.text_or_none(PREFIX + name), sorted(stages[name].runs)
        counted = runs[: bisect_right(runs, now.astimezone(UTC) + AHEAD)]
        last = clock.local(counted[-1].timestamp()) if counted else None
        missed = _list_missed(schedule, runs, installed, now) if schedule and name not in CATCHES_UP else []
        found[name] = StageStanding(slots.following(schedule, now) if schedule else None, last, missed)
    return found


def _list_missed(schedule: str, runs: list[datetime], installed: datetime | None, now: datetime) -> list[datetime]:
    start = installed or (runs[0] if runs else now.astimezone(UTC))
    floor = max(start, now.astimezone(UTC) - timedelta(days=MISSED_DAYS))
    if len(runs) >= KEPT:
        floor = max(floor, runs[0])
    found: list[datetime] = []
    end = _end(slots.following(schedule, now), now)
    for slot in slots.backwards(schedule, now):
        at = slot.astimezone(UTC)
        if at <= floor or len(found) == MISSED_MOST:
            break
        if not _is_covered(runs, at, end):
            found.append(slot)
        end = at
    return found[::-1]


# -- what a run notes ------------------------------------------------------------------------------------------


def begin(files: Files, clock: Clock, stage: str, slot: datetime) -> None:
    """Notes, before a run of --if-due has any effect, that its slot is being tried, and what is known of runs before:
    of one that died before it was noted, last_heartbeat.json alone knows, and this run will overwrite that. Call it
    under the run lock. Raises IoFailed, LockBusy."""
    _note_runs(files, clock, stage, read(files, clock, [stage])[1][stage].runs, slot)


def beginning(files: Files, clock: Clock, stage: str) -> list[datetime]:
    """The runs known so far and, last, the moment this one begins: what `settle` is given. Raises IoFailed."""
    return [*read(files, clock, [stage])[1][stage].runs, clock.now().astimezone(UTC)]


def settle(files: Files, clock: Clock, stage: str, runs: list[datetime]) -> None:
    """Notes a run that was completed: it counts for the slot it began in, and for the one it ended in. `runs` as
    `beginning` gave them. Call it under the run lock, not in a dry run. Raises IoFailed, LockBusy."""
    ended = clock.now()
    if ended.replace(second=0) != clock.local(runs[-1].timestamp()).replace(second=0):
        runs = [*runs, ended.astimezone(UTC)]
    _note_runs(files, clock, stage, runs, None)


def note_entries(files: Files, now: datetime, stand: bool) -> None:
    """Notes that the crontab entries `stand`: slots count from now on; or not. Raises IoFailed, LockBusy."""
    _note(files, now, lambda raw: raw.update(installed=now.isoformat()) if stand else raw.pop("installed", None))


def _note_runs(files: Files, clock: Clock, stage: str, runs: list[datetime], slot: datetime | None) -> None:
    """Notes runs of a stage, and that `slot` is being tried: None where no try is under way any more."""
    latest = list(dict.fromkeys(runs))[-(KEPT_FEW if stage in CATCHES_UP else KEPT) :]

    def change(raw: Row) -> None:
        part = raw.setdefault("stages", {}).setdefault(stage, {})
        before, tries = part.pop("slot", None), part.pop("tries", 0)
        part["runs"] = [clock.local(run.timestamp()).isoformat() for run in latest]
        if slot is not None:
            again = before is not None and moment(before) == slot.astimezone(UTC)
            part |= {"slot": slot.isoformat(), "tries": tries + 1 if again else 1}

    _note(files, clock.now(), change)


def _note(files: Files, now: datetime, change: Callable[[Row], object]) -> None:
    """Changes state/schedule.json, all else in it kept; a damaged one is set aside. Raises IoFailed, LockBusy."""
    path = files.tree.schedule_state
    with files.lock("schedule"):
        try:
            load(files)
            raw = jsonl.read_object(files, path) or {}
        except FileDamaged:
            raw = {}
            if not files.dry:
                files.move(path, files.tree.quarantined(f"{path.rpartition('/')[2]}.{now:%Y%m%dT%H%M%S}"))
        change(raw)
        files.replace(path, json.dumps(raw, indent=1) + "\n")


# -- what is known of past runs ----------------------------------------------------------------------------------


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
    last: Row = {}
    try:
        installed, kept = load(files)
    except FileDamaged as error:
        problems.append(f"{error.message} ({error.fix})")
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
        stage = kept.get(name) or StageRuns([])
        try:
            ended = [clock.parse(last[name]).astimezone(UTC)] if last.get(name) is not None else []
        except (ValueError, TypeError, OverflowError):
            ended = []
            problems.append(f"state/last_heartbeat.json:1: `last.{name}` is not a time; the next {name} mends it")
        stage.runs = list(dict.fromkeys([*stage.runs, *ended]))
        if stage.runs and max(stage.runs) > latest:
            problems.append(_ahead(f"a run of {name} is", max(stage.runs)))
        stages[name] = stage
    return installed, stages


def moment(text: str) -> datetime:
    """An ISO time with its offset, as schedule.json holds them, in UTC. Raises ValueError, TypeError, OverflowError."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"`{text}` has no offset")
    return found.astimezone(UTC)


def _ahead(what: str, moment: datetime) -> str:
    return f"{what} dated {moment.isoformat()}, more than a day ahead of the clock (is the clock right?)"
