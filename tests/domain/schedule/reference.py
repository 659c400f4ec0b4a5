"""Cron read the slow way: every minute of a stretch of time is looked at, and every field is asked by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
NAMES = {
    name: number
    for names, first in (("jan feb mar apr may jun jul aug sep oct nov dec", 1), ("sun mon tue wed thu fri sat", 0))
    for number, name in enumerate(names.split(), first)
}


def admits(text: str, wall: datetime) -> bool:
    """Does crontab(5) fire at this minute of the wall clock?"""
    minute, hour, day, month, weekday = text.split()
    of_week = wall.isoweekday()
    sunday = of_week == 7 and _field(weekday, 0, *LIMITS[4])
    if not (
        _field(minute, wall.minute, *LIMITS[0])
        and _field(hour, wall.hour, *LIMITS[1])
        and _field(month, wall.month, *LIMITS[3])
    ):
        return False
    by_day, by_weekday = _field(day, wall.day, *LIMITS[2]), sunday or _field(weekday, of_week, *LIMITS[4])
    if day.startswith("*") or weekday.startswith("*"):
        return by_day and by_weekday
    return by_day or by_weekday


def _field(text: str, value: int, low: int, high: int) -> bool:
    return any(_piece(piece, value, low, high) for piece in text.split(","))


def _piece(piece: str, value: int, low: int, high: int) -> bool:
    span, _, step = piece.partition("/")
    first, _, last = (f"{low}-{high}" if span == "*" else span if "-" in span else f"{span}-{span}").partition("-")
    start, end = _number(first), _number(last)
    return start <= value <= end and (value - start) % int(step or 1) == 0


def _number(text: str) -> int:
    return NAMES[text.lower()] if text.lower() in NAMES else int(text)


def fires(text: str, zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[datetime]:
    """Every slot in [start, end), in UTC: a gap is caught up with at its end, what comes twice fires the first time."""
    before = (start - MINUTE).astimezone(zone).replace(tzinfo=None)
    latest = max((start - n * MINUTE).astimezone(zone).replace(tzinfo=None) for n in range(1, 26 * 60))
    moment = start
    while moment < end:
        wall = moment.astimezone(zone).replace(tzinfo=None)
        new = [before + n * MINUTE for n in range(1, int((wall - before) / MINUTE) + 1)]
        if any(admits(text, each) for each in new if each > latest):
            yield moment.astimezone(UTC)
        before, latest = wall, max(latest, wall)
        moment += MINUTE
