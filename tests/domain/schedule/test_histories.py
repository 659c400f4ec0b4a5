"""Whatever happens to a machine and its clock: at most one run a slot, one catch-up, and the missed slots by name."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adjutant.domain.schedule import due, slots
from tests.domain.schedule.machine import Machine
from tests.sampling import taken

HISTORIES, EVENTS = taken(2000, 400), 10
ZONES = ("Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Pacific/Auckland", "Asia/Tokyo")
TURNS = ("2027-03-14", "2027-03-28", "2027-04-04", "2027-09-05", "2027-09-26", "2027-10-03", "2027-10-31", "2027-11-07")
TEXTS = ("0 9,17 * * 1-5", "0 20 * * 1-5", "30 2 * * *", "0 */4 * * *", "@hourly", "*/15 0-3 * * *", "@weekly")
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
EVENTS_OF = (  # what happens, and how often
    ("fire", 30),
    ("twice", 8),
    ("asleep", 12),
    ("by hand", 6),
    ("failed", 6),
    ("killed", 3),
    ("dead", 3),
    ("slow", 4),
    ("zone", 4),
    ("schedule", 2),
    ("back", 9),
    ("ahead", 5),
    ("installed", 3),
    ("hammered", 3),
)
NAMES, WEIGHTS = [name for name, _ in EVENTS_OF], [weight for _, weight in EVENTS_OF]


def jump(chance: random.Random) -> float:
    """Minutes, hours, days or years."""
    return chance.choice(
        (
            chance.uniform(1, 59) * MINUTE,
            chance.uniform(1, 23) * HOUR,
            chance.uniform(1, 13) * DAY,
            chance.uniform(1, 3) * 365 * DAY,
        )
    )


def to_next_fire(machine: Machine, often: bool, chance: random.Random) -> None:
    """Cron's next minute: of the row itself, or of the quarter-hourly one."""
    coming = slots.following("*/15 * * * *" if often else machine.text, machine.clock.now())
    assert coming is not None
    machine.seconds = coming.timestamp() + chance.uniform(0, 50)


def happens(machine: Machine, event: str, often: bool, chance: random.Random) -> int:
    """One event; how many fires ran. Every fire must run exactly when a slot is due."""

    def fire(ends: str = "well", takes: float = 0) -> int:
        expected = machine.is_due()
        ran = machine.fire(ends, takes)
        assert ran == expected, f"{event}: ran {ran} at {machine.clock.now()}, due {expected}"
        return ran

    if event == "back":
        machine.seconds -= jump(chance)
    elif event == "ahead":
        machine.seconds += jump(chance)
    elif event == "zone":
        machine.set(chance.choice(ZONES), machine.text)
    elif event == "schedule":
        machine.set(machine.zone, chance.choice(TEXTS))
    elif event == "installed":
        machine.install()
    elif event == "by hand":
        machine.seconds += chance.uniform(0, 3) * HOUR
        machine.by_hand(chance.choice((0, 100)))
    elif event == "hammered":
        machine.seconds += HOUR
        return sum(fire("failed") for _ in range(6))
    else:
        if event == "asleep":
            machine.seconds += chance.uniform(0.05, 5) * DAY
        to_next_fire(machine, often, chance)
        ends = event if event in ("failed", "killed", "dead") else "well"
        return sum(fire(ends, HOUR if event == "slow" else 0) for _ in range(3 if event == "twice" else 1))
    return 0


def lived(root: Path, seed: int) -> Machine:
    """One history. Raises AssertionError where something was run twice, not at all, or not named."""
    chance = random.Random(seed)
    zone, text, often = chance.choice(ZONES), chance.choice(TEXTS), chance.random() < 0.5
    day = datetime.fromisoformat(chance.choice(TURNS)).replace(tzinfo=UTC)
    machine = Machine(root, zone, text, day + timedelta(seconds=chance.uniform(-3, 2) * DAY))
    for event in chance.choices(NAMES, WEIGHTS, k=EVENTS):
        before = len(machine.slots)
        ran = happens(machine, event, often, chance)
        if event in ("asleep", "twice"):
            assert ran <= 1, "more than one catch-up"
        assert ran <= due.TRIES
        assert len(machine.slots) - before <= 1
        if chance.random() < 0.3:
            assert machine.missed() == machine.not_run()[-due.MISSED_MOST :], event
    assert machine.missed() == machine.not_run()[-due.MISSED_MOST :]
    twice = {slot: times for slot, times in Counter(machine.slots).items() if times > 1}
    assert not twice, f"run more than once: {twice}"
    return machine


@pytest.mark.sweep
def test_any_history_runs_each_slot_at_most_once_and_names_what_was_missed(tmp_path: Path) -> None:
    ran = missed = 0
    for seed in range(HISTORIES):
        try:
            machine = lived(tmp_path, seed)
        except AssertionError as error:
            raise AssertionError(f"history {seed}: {error}") from error
        ran, missed = ran + len(machine.slots), missed + len(machine.missed())
    assert ran > 2 * HISTORIES and missed > HISTORIES, "the histories are to be lively ones"


def first_failure(root: Path, count: int = 150) -> str:
    for seed in range(count):
        try:
            lived(root, seed)
        except AssertionError as error:
            return f"history {seed}: {error}"
    return ""


DEFECTS = {
    "runs ahead of the clock do not count": (due, "AHEAD", timedelta(0)),
    "wall clocks are compared": (due, "_end", lambda coming, now: (coming or now).replace(tzinfo=UTC)),
    "failures are tried for ever": (due, "TRIES", 99),
    "a run is not noted": (due, "settle", lambda *_: None),
    "a run is known by last_heartbeat.json alone": (due, "beginning", lambda files, clock, stage: [clock.now()]),
}


@pytest.mark.parametrize("defect", DEFECTS.values(), ids=DEFECTS.keys())
def test_a_planted_defect_is_found(
    defect: tuple[object, str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not first_failure(tmp_path, 10)
    monkeypatch.setattr(*defect)
    assert first_failure(tmp_path)
