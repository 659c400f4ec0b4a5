"""LANGUAGE. A date found in a text, and which day a figure or word of one means."""

import calendar
from datetime import date, timedelta
from typing import NamedTuple

EARLIEST, LATEST = date(2, 1, 1), date(9997, 12, 31)  # so that weeks around a day can be counted
NOTHING = date.min  # where something looks like a date and is none
NOON = 12
WEEK, MONTH, YEAR = 7, 30, 365  # the units of dates.yaml that are ranges, by their days


class Date(NamedTuple):
    """A date and its place in the text; `first` and `last` differ for a range. `time`: "10:30", "" for none.
    `relative`: counted from the day of the text; `exact`: False for a bare month or week."""

    start: int
    end: int
    first: date
    last: date
    time: str = ""
    relative: bool = False
    exact: bool = True


def make(year: int, month: int, day: int) -> date | None:
    """The day, None where the calendar has none, or none around it."""
    try:
        return date(year, month, day) if EARLIEST.year <= year <= LATEST.year else None
    except ValueError:
        return None


def nearest(month: int, day: int, base: date) -> date | None:
    """The day of that month nearest to `base`, of whatever year."""
    days = [make(base.year + years, month, day) for years in range(-4, 5)]
    return min((each for each in days if each), key=lambda each: abs((each - base).days), default=None)


def of_pair(first: int, second: int, order: str, base: date, year: int | None = None) -> date | None:
    """3/4 in an order (dmy, mdy), or the other way where that is no day."""
    pairs = [(second, first), (first, second)]
    for month, day in pairs if order == "dmy" else pairs[::-1]:
        found = nearest(month, day, base) if year is None else make(year, month, day)
        if found:
            return found
    return None


def of_month(number: int, months: int, base: date) -> date | None:
    """The day of that number in the month so many months after that of `base`."""
    month = base.year * 12 + base.month - 1 + months
    return make(month // 12, month % 12 + 1, number)


def number_day(
    number: int, base: date, *, back: bool = False, weekday: int | None = None, ahead: bool = False
) -> date | None:
    """The next day of that number, or the last one; of a weekday, the nearest that is both; `ahead`: one to come, where
    it is within a month, for every March has the weekdays of its February."""
    near = [found for months in range(-2, 3) if (found := of_month(number, months, base))]
    if weekday is not None:
        same = [day for day in near if day.weekday() == weekday]
        soon = [day for day in same if ahead and 0 <= (day - base).days <= MONTH]
        return min(soon or same, key=lambda day: abs((day - base).days), default=None)
    if back:
        return max((day for day in near if day <= base), default=None)
    return min((day for day in near if day >= base), default=None)


def week_of(number: int, base: date, year: int | None) -> date | None:
    """The Monday of an ISO week, of the year nearest to `base` where none is given."""
    found = []
    for each in (year,) if year else (base.year - 1, base.year, base.year + 1):
        try:
            found.append(date.fromisocalendar(min(each, LATEST.year), number, 1))
        except ValueError:
            continue
    return min(found, key=lambda day: abs((day - base).days), default=None)


def move(day: date, count: int, unit: int) -> date | None:
    """So many days, weeks, months or years later; None beyond the calendar."""
    try:
        if unit == MONTH:
            return of_month(day.day, count, day) or of_month(1, count + 1, day)
        if unit == YEAR:
            return make(day.year + count, day.month, day.day) or make(day.year + count, 3, 1)
        later = day + timedelta(days=count * unit)
        return make(later.year, later.month, later.day)
    except OverflowError:
        return None


def month_days(day: date) -> tuple[date, date]:
    """The first and the last day of a day's month."""
    return day.replace(day=1), day.replace(day=calendar.monthrange(day.year, day.month)[1])


def period(unit: int, step: int, base: date) -> tuple[date, date] | None:
    """(first, last) of this (0), the next (1) or the last (-1) day, week, month or year."""
    day = move(base.replace(day=1) if unit == MONTH else base, step, unit)
    if day is None:
        return None
    if unit == MONTH:
        return month_days(day)
    if unit == YEAR:
        return date(day.year, 1, 1), date(day.year, 12, 31)
    return (day, day) if unit < WEEK else week(day)


def week(day: date) -> tuple[date, date]:
    """Monday and Sunday of a day's week."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def part(first: date, last: date, which: str) -> tuple[date, date]:
    """The first third of a range, its second one, or its last three days (start_of, middle_of, end_of)."""
    third = max(1, (last - first).days // 3)
    if which == "start_of":
        return first, first + timedelta(days=third - 1)
    if which == "middle_of":
        return first + timedelta(days=third), first + timedelta(days=2 * third - 1)
    return last - timedelta(days=2), last


def clock(hour: int, minute: int, added: int | None) -> str:
    """HH:MM, "" for what is no time of day. `added`: 12 for pm, 0 for am, None where neither is said."""
    hour += 12 if added == 12 and hour < 12 else 0
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""
