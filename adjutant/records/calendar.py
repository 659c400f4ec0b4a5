"""RECORDS. Days, ISO weeks and months by their names, and which of them lies in which.

A week belongs to the month of its Thursday, as ISO 8601 gives it to a year; a month ends with its last such week.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

DAILY, WEEKLY, MONTHLY = KINDS = ("daily", "weekly", "monthly")
_FORMS = {DAILY: re.compile(r"\d{4}-\d\d-\d\d"), WEEKLY: re.compile(r"\d{4}-W\d\d"), MONTHLY: re.compile(r"\d{4}-\d\d")}
_WEEK = timedelta(days=7)


class Period(NamedTuple):
    """A day, a week or a month. `name`: 2026-11-20, 2026-W47, 2026-11; `first` and `last` are its days."""

    kind: str
    name: str
    first: date
    last: date

    def is_finished(self, today: date) -> bool:
        """Whether its last day has passed; a month's last day is that of its last week."""
        return self.last < today


def day(of: date) -> Period:
    """The day itself."""
    return Period(DAILY, of.isoformat(), of, of)


def week(of: date) -> Period:
    """The ISO week of a day."""
    year, number, weekday = of.isocalendar()
    first = of - timedelta(days=weekday - 1)
    return Period(WEEKLY, f"{year:04}-W{number:02}", first, first + timedelta(days=6))


def month(of: date) -> Period:
    """The month that the week of a day belongs to: its first day is a Monday, its last a Sunday."""
    thursday = week(of).first + timedelta(days=3)
    first = _first_thursday(thursday.year, thursday.month) - timedelta(days=3)
    after = (thursday.year + 1, 1) if thursday.month == 12 else (thursday.year, thursday.month + 1)
    last = _first_thursday(*after) - timedelta(days=4)
    return Period(MONTHLY, f"{thursday.year:04}-{thursday.month:02}", first, last)


def _first_thursday(year: int, number: int) -> date:
    first = date(year, number, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7)


_OF = {DAILY: day, WEEKLY: week, MONTHLY: month}


def period(kind: str, of: date) -> Period:
    """The period of a kind that holds a day."""
    return _OF[kind](of)


def find_period(kind: str, name: str) -> Period | None:
    """The period with this name, None where there is none such (2026-02-30, 2026-W54, notes.md).

    The year 9999 has none: what lies above its last days would end on no date.
    """
    if not _FORMS[kind].fullmatch(name) or name.startswith("9999"):
        return None
    try:
        if kind == WEEKLY:
            return week(date.fromisocalendar(int(name[:4]), int(name[6:]), 1))
        if kind == MONTHLY:
            return month(_first_thursday(int(name[:4]), int(name[5:])))
        return day(date.fromisoformat(name))
    except (ValueError, OverflowError):
        return None


def above(one: Period) -> Period | None:
    """The week of a day, the month of a week, None above a month."""
    return {DAILY: week, WEEKLY: month}[one.kind](one.first) if one.kind != MONTHLY else None


def below(one: Period) -> list[Period]:
    """The days of a week, the weeks of a month, in order; [] below a day."""
    if one.kind == DAILY:
        return []
    step = timedelta(days=1) if one.kind == WEEKLY else _WEEK
    count = ((one.last - one.first).days + 1) // step.days
    make = day if one.kind == WEEKLY else week
    return [make(one.first + step * number) for number in range(count)]
