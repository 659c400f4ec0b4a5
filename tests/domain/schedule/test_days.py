"""Days and quiet hours in six zones: right to the second, never a second budget, and the day key never goes back."""

from __future__ import annotations

import errno
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from adjutant.clock import Clock
from adjutant.domain.telling import budget, standing
from adjutant.records.notice_log import History
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.sampling import taken

# By half an hour, southern and at midnight, at one past midnight (until 2011 a day began twice there), none at all.
ZONES = ("Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "America/St_Johns", "Asia/Tokyo")
DAYS, LIVES = taken(5000, 1500), taken(50, 15)
START = datetime(2006, 1, 1, 12, tzinfo=UTC).timestamp()
DAY = 86400.0
MAXIMUM = 3


class Memory(Files):
    """The count files alone, and not on a disk: 30,000 days of fsync would say nothing more."""

    def __init__(self) -> None:
        super().__init__(Tree("/nowhere"))
        self.held: dict[str, bytes] = {}

    def read(self, path: str, limit: int = 0) -> bytes:
        if path not in self.held:
            raise FileNotFoundError(errno.ENOENT, "none", path)
        return self.held[path]

    def exists(self, path: str) -> bool:
        return path in self.held

    def names(self, folder: str) -> list[str]:
        return [path.removeprefix(f"{folder}/") for path in self.held if path.startswith(f"{folder}/")]

    def replace(self, path: str, content: str | bytes, expect: str | None = None) -> None:
        self.held[path] = content.encode() if isinstance(content, str) else content


class Desk:
    """Sends by the rules of the budget, and remembers by itself what left."""

    def __init__(self, zone: str, seconds: float) -> None:
        self.files, self.seconds, self.records = Memory(), seconds, list[dict[str, Any]]()
        self.left: list[tuple[str, str]] = []  # (local day, day key)
        self.wrong: list[str] = []
        self.move(zone)

    def move(self, zone: str) -> None:
        self.clock = Clock(lambda: self.seconds, lambda: self.seconds, ZoneInfo(zone))

    def send(self) -> bool:
        now = self.clock.now()
        history = History(self.records[-12:], self.clock, now)
        slots = budget.read(self.files, now, MAXIMUM, history.used)
        if slots.left == 0:
            return False
        budget.take(self.files, slots)
        number = str(len(self.left))
        self.records.append({"ts": now.isoformat(), "key": number, "event": "reserved", "run": number})
        tomorrow = (now.date() + timedelta(days=1)).isoformat()
        if any(slots.day < key <= tomorrow for _, key in self.left[-12:]):
            self.wrong.append(f"{now}: the key went back to {slots.day}")
        self.left.append((now.date().isoformat(), slots.day))
        return True

    def faults(self) -> list[str]:
        """Keys that went back; days, by the calendar or by their key, on which more left than may."""
        by_day, by_key = Counter(day for day, _ in self.left), Counter(key for _, key in self.left)
        over = [day for counter in (by_day, by_key) for day, count in counter.items() if count > MAXIMUM]
        return self.wrong + [f"{day} was overdrawn" for day in over]


def moments(chance: random.Random, clock: Clock, seconds: float) -> Iterator[float]:
    """When something wants to be told in the next 24 hours: any time, and thick around local midnight."""
    midnight = clock.local(seconds + DAY).replace(hour=0, minute=0, second=0).timestamp()
    near = [midnight + chance.choice((-3601, -61, -1, 0, 1, 30, 59, 61, 3599, 3601)) for _ in range(3)]
    yield from sorted(
        moment for moment in (*near, *(seconds + chance.uniform(0, DAY) for _ in range(2))) if moment >= seconds
    )


@pytest.mark.sweep
@pytest.mark.parametrize("zone", ZONES)
def test_with_a_clock_that_only_goes_on_each_day_has_its_budget_once_and_whole(zone: str) -> None:
    chance, desk, tried = random.Random(zone), Desk(zone, START + 1500 * DAY), Counter[str]()
    for _ in range(400):
        end = desk.seconds + DAY
        for moment in moments(chance, desk.clock, desk.seconds):
            desk.seconds = moment
            tried[desk.clock.now().date().isoformat()] += 1
            desk.send()
        desk.seconds = max(end, desk.seconds)
    assert not desk.faults()
    sent = Counter(day for day, _ in desk.left)
    short = [day for day, count in tried.items() if sent[day] != min(MAXIMUM, count)]
    assert len(short) <= 2, f"but for a day that began twice: {short}"


def lived(zone: str, life: int) -> Desk:
    """A hundred days with a clock that goes wrong by minutes to years, and an operator who travels."""
    chance = random.Random(f"{life}{zone}")
    desk = Desk(zone, START + life * DAYS / LIVES * DAY)
    for _ in range(DAYS // LIVES):
        for moment in chance.sample(list(moments(chance, desk.clock, desk.seconds)), 2):
            desk.seconds = max(desk.seconds, moment)
            for _ in range(chance.choice((1, 1, 1, 4))):
                desk.send()
            if chance.random() < 0.12:
                span = chance.choice((60.0, 3600.0, DAY / 2, DAY, 3 * DAY, 400 * DAY))
                desk.seconds += chance.choice((-1, 1)) * chance.uniform(0, span)
                desk.send()
            if chance.random() < 0.06:
                desk.move(chance.choice((*ZONES, "Pacific/Kiritimati", "Pacific/Pago_Pago")))
                desk.send()
        desk.seconds += chance.uniform(0, DAY / 2)
    return desk


@pytest.mark.sweep
@pytest.mark.parametrize("zone", ZONES)
def test_with_clocks_that_jump_and_zones_that_change_no_day_has_a_second_budget(zone: str) -> None:
    silent = 0
    for life in range(LIVES):
        desk = lived(zone, life)
        assert not desk.faults(), (zone, life)
        before = len(desk.left)
        for _ in range(4):
            desk.seconds += DAY
            desk.send()
        silent += len(desk.left) == before
    assert silent <= LIVES // 5, "four silent days in a row are for a clock that goes once more over days it had"


DEFECTS = {
    "the file of the day alone counts": lambda files, now, maximum, recorded: budget.Slots(
        now.date().isoformat(), budget._count(files, now.date().isoformat()), maximum, None, []
    ),
    "the day is that of UTC": lambda files, now, maximum, recorded, real=budget.read: real(
        files, now.astimezone(UTC), maximum, 0
    ),
}


@pytest.mark.parametrize("defect", DEFECTS.values(), ids=DEFECTS.keys())
def test_a_budget_with_a_defect_is_found(defect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "read", defect)
    assert any(lived("America/New_York", life).faults() for life in range(min(20, LIVES)))


# -- quiet hours -------------------------------------------------------------------------------------------------


def walls(zone: ZoneInfo, day: datetime, text: str) -> list[datetime]:
    """The moments at which the wall clock shows this time on that day: one, none in a gap, two when it comes twice."""
    hour, minute = (int(part) for part in text.split(":"))
    wall = day.replace(hour=hour, minute=minute, second=0)
    found = {wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return sorted(moment for moment in found if moment.astimezone(zone).replace(tzinfo=None) == wall)


@pytest.mark.sweep
@pytest.mark.parametrize("zone", ZONES)
def test_quiet_hours_begin_and_end_to_the_second_on_every_day(zone: str) -> None:
    chance, place, checked = random.Random(zone), ZoneInfo(zone), 0
    clock = Clock(lambda: 0.0, lambda: 0.0, place)
    for number in range(DAYS):
        day = datetime(2006, 1, 1) + timedelta(days=number)
        start, end = (f"{chance.randrange(24):02d}:{chance.choice((0, 1, 30, 59)):02d}" for _ in range(2))
        if start == end:
            assert not standing.within(start, end, clock.local(day.timestamp()))
            continue
        for moment in walls(place, day, start):
            assert standing.within(start, end, clock.local(moment.timestamp())), (zone, moment, start, end)
            before = clock.local(moment.timestamp() - 1)
            assert (
                not standing.within(start, end, before)
                or before.utcoffset() != clock.local(moment.timestamp()).utcoffset()
            ), (zone, moment, start, end)
            checked += 1
        for moment in walls(place, day, end):
            assert not standing.within(start, end, clock.local(moment.timestamp())), (zone, moment, start, end)
            before = clock.local(moment.timestamp() - 1)
            assert (
                standing.within(start, end, before) or before.utcoffset() != clock.local(moment.timestamp()).utcoffset()
            ), (zone, moment, start, end)
            checked += 1
    assert checked > 1.9 * DAYS * 0.98


def test_the_clock_s_day_is_the_wall_clock_s_in_every_second_around_midnight(tmp_path: Path) -> None:
    for zone in ZONES:
        clock = Clock(lambda: 0.0, lambda: 0.0, ZoneInfo(zone))
        for number in range(0, DAYS, 7):
            for moment in walls(ZoneInfo(zone), datetime(2006, 1, 1) + timedelta(days=number), "00:00"):
                first = clock.local(moment.timestamp())
                last = clock.local(moment.timestamp() - 0.001)
                assert first.hour == first.second == 0
                assert last.second == 59
                assert last.utcoffset() is not None
