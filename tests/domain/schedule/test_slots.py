"""Slots against a reading minute by minute: no summer time, no calendar and no zone loses or doubles one."""

from __future__ import annotations

import itertools
import os
import random
import time
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from adjutant.domain.schedule import slots
from tests.domain.schedule.reference import fires

TEXTS = (
    "0 9,17 * * 1-5",
    "*/15 * * * *",
    "30 2 * * *",
    "*/20 1-3 * * *",
    "0 0 * * *",
    "59 23 * * 6",
    "15 0,23 */2 * 0",
    "0 * 1,15 * 1",
)
TURNS = {  # zone: days on which its clocks change, or change oddly, or not at all
    "Europe/Oslo": ("2027-03-28", "2027-10-31"),
    "America/New_York": ("2027-03-14", "2027-11-07"),
    "Australia/Lord_Howe": ("2027-04-04", "2027-10-03"),  # by half an hour
    "America/Santiago": ("2027-04-03", "2027-09-05"),  # southern, at midnight
    "America/St_Johns": ("2010-03-14", "2010-11-07"),  # at one past midnight: a day begins twice
    "Pacific/Apia": ("2011-12-30",),  # that day was left out
    "Asia/Tokyo": ("2027-03-28",),
}
WINDOWS = [(zone, day) for zone, days in TURNS.items() for day in days]


def window(zone: str, day: str) -> tuple[datetime, datetime]:
    noon = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return noon - timedelta(hours=34), noon + timedelta(hours=26)


def utc(found: list[datetime | None] | list[datetime]) -> list[datetime]:
    """Times of a doubled hour equal none of another zone: they are compared in UTC."""
    return [moment.astimezone(UTC) for moment in found if moment is not None]


def between(text: str, start: datetime, until: datetime) -> list[datetime]:
    """The slots from `start` to `until`, oldest first."""
    found = itertools.takewhile(lambda slot: slot.timestamp() >= start.timestamp(), slots.backwards(text, until))
    return [*found][::-1]


def disagreements(text: str, zone: str, day: str, chance: random.Random) -> Iterator[str]:
    """Where backwards, previous and following say something else than the slow reading."""
    start, end = window(zone, day)
    known = list(fires(text, ZoneInfo(zone), start, end))
    now = (end - timedelta(seconds=1)).astimezone(ZoneInfo(zone))
    found = utc(between(text, start, now))
    if found != known:
        yield f"backwards: {sorted({*found} ^ {*known})[:3]}"
    seconds = int((end - start).total_seconds())
    near = [moment + timedelta(seconds=step) for moment in known[:40] for step in (-1, 0, 1)]
    anywhere = [start + timedelta(seconds=chance.randrange(seconds)) for _ in range(60)]
    for moment in (*near, *anywhere):
        now, place = moment.astimezone(ZoneInfo(zone)), bisect_right(known, moment)
        if place and utc([slots.previous(text, now)]) != [known[place - 1]]:
            yield f"previous of {now}"
        if place < len(known) and utc([slots.following(text, now)]) != [known[place]]:
            yield f"following {now}"


@pytest.mark.parametrize(("zone", "day"), WINDOWS)
def test_slots_are_those_of_the_slow_reading_when_clocks_change(zone: str, day: str) -> None:
    chance = random.Random(f"{zone}{day}")
    for text in TEXTS:
        assert not list(disagreements(text, zone, day, chance)), text


def test_a_slot_that_is_not_clamped_to_the_end_of_its_gap_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_seconds", lambda wall, zone: slots._naive_seconds(wall, zone, 0))
    assert list(disagreements("30 2 * * *", "Europe/Oslo", "2027-03-28", random.Random(1)))


def test_a_slot_that_fires_in_both_of_two_hours_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_seconds", lambda wall, zone: slots._naive_seconds(wall, zone, 1))
    assert list(disagreements("30 2 * * *", "Europe/Oslo", "2027-10-31", random.Random(1)))


@pytest.mark.parametrize("zone", ["Europe/Oslo", "Australia/Lord_Howe", "America/Santiago", "Asia/Tokyo"])
def test_the_machine_s_own_zone_has_its_summer_time_too(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for day in TURNS[zone]:
            for text in TEXTS:
                start, end = window(zone, day)
                for hours in range(0, 60, 7):
                    now = start + timedelta(hours=hours, seconds=17)
                    named, own = now.astimezone(ZoneInfo(zone)), now.astimezone()
                    assert isinstance(own.tzinfo, timezone)
                    for ask in (slots.previous, slots.following):
                        expected, found = ask(text, named), ask(text, own)
                        assert found is not None
                        assert expected is not None
                        assert found.isoformat() == expected.isoformat()
                both = [
                    between(text, start, end.astimezone(ZoneInfo(zone))),
                    between(text, start, end.astimezone()),
                ]
                assert utc(both[0]) == utc(both[1])
    finally:
        os.environ["TZ"] = "UTC"
        time.tzset()


def test_slots_far_away_are_found_at_once_and_the_end_of_the_calendar_is_no_error() -> None:
    now = datetime(2026, 11, 20, 9, tzinfo=ZoneInfo("Europe/Oslo"))
    began = time.monotonic()
    for _ in range(20):
        assert str(slots.following("0 0 29 2 */7", now)).startswith("2032-02-29")
        assert str(slots.previous("0 0 29 2 */7", now)).startswith("2004-02-29")
    assert time.monotonic() - began < 2
    assert slots.following("@yearly", datetime(9999, 6, 1, tzinfo=ZoneInfo("UTC"))) is None
    assert slots.previous("0 0 1 12 *", datetime(1, 6, 1, tzinfo=ZoneInfo("UTC"))) is None
