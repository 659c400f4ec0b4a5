"""DOMAIN. Is a stage due? One run a slot, one catch-up however many were missed, and the missed ones by name.

A run counts for the slot at or before it: the slot that fired it, or the last one of those it catches up with, and so
does a run by hand. Moments are compared, never wall-clock texts, so a change of zone or of the schedule itself runs
nothing twice. A run dated up to a day ahead counts too: a clock set back runs no slot a second time. One further ahead
counts for its own slot alone: a clock that was wrong by years silences nothing, and `status` names the run.
A slot whose run failed, was stopped or was killed in any of its steps may be tried by the next fires of --if-due, three
times in all; then the next slot is waited for. Without any run or installation known the last slot is due; slots from
before an installation are not, as long as there was no run.
A damaged state/schedule.json neither silences a stage nor runs it for ever: last_heartbeat.json and the ledger are
believed in its place, and the run that follows sets it aside and writes it anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import UTC, datetime, timedelta

from adjutant.app import Row
from adjutant.clock import Clock
from adjutant.domain.schedule import past, slots
from adjutant.store import jsonl
from adjutant.store.config import Config
from adjutant.store.files import Files

TRIES = 3
MISSED_DAYS, MISSED_MOST = 14, 50
# Their missed slots are never listed, and of their runs only the latest are kept: each takes in all that changed since
# the last one, so one run makes up for every slot before it, and nothing was missed.
CATCHES_UP = frozenset(("behavior-review", "compact", "evolve", "index", "jobs"))
PREFIX = "schedule."


class SlotCheck:
    """`slot` that is due, or None and the `reason`: not_due, not_scheduled. `next`: the first slot after now.
    `given_up`: the slot that was tried three times."""

    __slots__ = ("given_up", "next", "reason", "slot")

    def __init__(
        self, slot: datetime | None, reason: str | None, next: datetime | None, given_up: datetime | None = None
    ) -> None:
        self.slot, self.reason, self.next, self.given_up = slot, reason, next, given_up


class StageStanding:
    """A stage's `next` slot (None: not scheduled), `last` run that counts, `missed` slots, oldest first: the latest 50
    of the last 14 days; none of a stage that CATCHES_UP."""

    __slots__ = ("last", "missed", "next")

    def __init__(self, next: datetime | None, last: datetime | None, missed: list[datetime]) -> None:
        self.next, self.last, self.missed = next, last, missed


def check(files: Files, config: Config, clock: Clock, stage: str) -> SlotCheck:
    """Whether --if-due runs the stage now. Call it again under the run lock. Raises IoFailed.

    A dry run is no run, but it is none twice either: one dry run a slot.
    """
    schedule = config.text_or_none(PREFIX + stage)
    if schedule is None:
        return SlotCheck(None, "not_scheduled", None)
    now = clock.now()
    slot, coming = slots.previous(schedule, now), slots.following(schedule, now)
    installed, stages = past.read(files, clock, [stage])
    if slot is None:
        return SlotCheck(None, "not_due", coming)
    kept = stages[stage]
    begun = kept.slot == slot.astimezone(UTC)  # and not finished, even if its first step is
    if begun and kept.tries >= TRIES:
        return SlotCheck(None, "not_due", coming, given_up=slot)
    runs, moment = sorted(kept.runs), slot.astimezone(UTC)
    is_open = not _is_covered(runs, moment, _end(coming, now)) if runs else installed is None or moment > installed
    if not begun and not is_open:
        return SlotCheck(None, "not_due", coming)
    if files.dry and _was_dry(files, stage, slot):
        return SlotCheck(None, "not_due", coming)
    return SlotCheck(slot, None, coming)


def begin(files: Files, clock: Clock, stage: str, slot: datetime) -> None:
    """Notes, before a run of --if-due has any effect, that its slot is being tried, and what is known of runs before:
    of one that died before it was noted, last_heartbeat.json alone knows, and this run will overwrite that.

    Call it under the run lock. Raises IoFailed, LockBusy.
    """
    runs = past.read(files, clock, [stage])[1][stage].runs

    def change(raw: Row) -> None:
        part = past.stage_in(raw, stage)
        again = part.get("slot") is not None and past.moment(part["slot"]) == slot.astimezone(UTC)
        tries = part.get("tries", 0) + 1 if again else 1
        part |= {"runs": _keep(stage, runs, clock), "slot": slot.isoformat(), "tries": tries}

    past.note(files, clock.now(), change)


def beginning(files: Files, clock: Clock, stage: str) -> list[datetime]:
    """The runs known so far and, last, the moment this one begins: what `settle` is given. Raises IoFailed."""
    return [*past.read(files, clock, [stage])[1][stage].runs, clock.now().astimezone(UTC)]


def settle(files: Files, clock: Clock, stage: str, runs: list[datetime]) -> None:
    """Notes a run that was completed: it counts for the slot it began in, and for the one it ended in.

    `runs` as `beginning` gave them. Call it under the run lock, not in a dry run. Raises IoFailed, LockBusy.
    """
    ended = clock.now()
    if ended.replace(second=0) != clock.local(runs[-1].timestamp()).replace(second=0):
        runs = [*runs, ended.astimezone(UTC)]

    def change(raw: Row) -> None:
        part = past.stage_in(raw, stage)
        part["runs"] = _keep(stage, runs, clock)
        part.pop("slot", None)
        part.pop("tries", None)

    past.note(files, ended, change)


def _keep(stage: str, runs: list[datetime], clock: Clock) -> list[str]:
    kept = past.prune(list(dict.fromkeys(runs)), clock.now().astimezone(UTC))
    if stage in CATCHES_UP:
        kept = kept[-past.KEPT_ALWAYS :]
    return [clock.local(run.timestamp()).isoformat() for run in kept]


def note_entries(files: Files, now: datetime, stand: bool) -> None:
    """Notes that the crontab entries `stand`: missed slots are counted from now on; or that they were taken out on
    purpose. Raises IoFailed, LockBusy."""

    def change(raw: Row) -> None:
        raw.pop("installed", None)
        raw.update({"installed": now.isoformat()} if stand else {})

    past.note(files, now, change)


def standing(files: Files, config: Config, clock: Clock, problems: list[str]) -> dict[str, StageStanding]:
    """{stage: Standing} of every stage that can be scheduled; what is wrong is added to `problems`. Raises IoFailed."""
    names = [name.removeprefix(PREFIX) for name in config.values if name.startswith(PREFIX)]
    installed, stages = past.read(files, clock, names, problems)
    return {name: _standing(config, clock, name, sorted(stages[name].runs), installed) for name in names}


def _standing(
    config: Config, clock: Clock, stage: str, runs: list[datetime], installed: datetime | None
) -> StageStanding:
    schedule, now = config.text_or_none(PREFIX + stage), clock.now()
    counted = runs[: bisect_right(runs, now.astimezone(UTC) + past.AHEAD)]
    last = clock.local(counted[-1].timestamp()) if counted else None
    if schedule is None:
        return StageStanding(None, last, [])
    missed = [] if stage in CATCHES_UP else _list_missed(schedule, runs, installed, now)
    return StageStanding(slots.following(schedule, now), last, missed)


def _list_missed(schedule: str, runs: list[datetime], installed: datetime | None, now: datetime) -> list[datetime]:
    """Slots without a run before the next slot, from the installation or else the first run on; `runs` sorted."""
    start = installed or (runs[0] if runs else now.astimezone(UTC))
    floor = max(start, now.astimezone(UTC) - timedelta(days=MISSED_DAYS))
    if len(runs) >= past.KEPT_MOST:
        floor = max(floor, runs[0])
    found: list[datetime] = []
    end = _end(slots.following(schedule, now), now)
    for slot in slots.backwards(schedule, now):
        moment = slot.astimezone(UTC)
        if moment <= floor or len(found) == MISSED_MOST:
            break
        if not _is_covered(runs, moment, end):
            found.append(slot)
        end = moment
    return found[::-1]


def _is_covered(runs: list[datetime], slot: datetime, end: datetime) -> bool:
    """Is there a run from the slot on, before `end`? `runs` sorted."""
    first = bisect_left(runs, slot)
    return first < len(runs) and runs[first] < end


def _end(coming: datetime | None, now: datetime) -> datetime:
    """Until when a run counts for the slot at or before now: the next slot, and a day ahead in any case."""
    ahead = now.astimezone(UTC) + past.AHEAD
    return ahead if coming is None else max(coming.astimezone(UTC), ahead)


def _was_dry(files: Files, stage: str, slot: datetime) -> bool:
    for record in jsonl.tail(files, files.tree.actions, past.TAIL_BYTES):
        if record.get("type") == stage and record.get("dry_run") and isinstance(record.get("slot"), str):
            try:
                if past.moment(record["slot"]) == slot.astimezone(UTC):
                    return True
            except (ValueError, OverflowError):
                continue  # a line that somebody edited
    return False
