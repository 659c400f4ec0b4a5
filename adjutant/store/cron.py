"""FILES. A cron time as people write it into adjutant.yaml, read as Debian's cron reads it."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

MAX_CHARS = 250
MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
FIELDS = (  # name, first and last number, names of the numbers from the first on
    ("minute", 0, 59, ""),
    ("hour", 0, 23, ""),
    ("day of month", 1, 31, ""),
    ("month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"),
    ("day of week", 0, 7, "sun mon tue wed thu fri sat"),
)
ONE = timedelta(days=1)
LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
MOST_DAYS = 15_000  # between two slots: 29 February on a certain weekday comes every 28 or 40 years
_PIECE = re.compile(r"(?:\*|([0-9]+|[A-Za-z]{3})(?:-([0-9]+|[A-Za-z]{3}))?)(?:/([0-9]+))?")


class CronTimes:
    """When a cron time fires, by the wall clock. Raises ValueError with one sentence that says what is wrong."""

    def __init__(self, text: str) -> None:
        parts = _parts(text)
        numbers = [_numbers(part, *field) for part, field in zip(parts, FIELDS, strict=True)]
        self.times = [(hour, minute) for hour in sorted(numbers[1]) for minute in sorted(numbers[0])]
        self.days, self.months = numbers[2], numbers[3]
        self.weekdays = {number % 7 for number in numbers[4]}
        # A day that both fields restrict may be either's.
        self.either = not (parts[2].startswith("*") or parts[4].startswith("*"))
        if not self.either and min(self.days) > max(LONGEST[month - 1] for month in self.months):
            raise ValueError("that day never comes: no month named has it")

    def walls(self, start: datetime, step: int = 1) -> Iterator[datetime]:
        """The times after `start`, naive, at which it fires; with step -1 those before it. Raises OverflowError."""
        day = start.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        for _ in range(MOST_DAYS):
            of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
            if day.month not in self.months:  # to the end of this month, or to its beginning
                day = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - ONE if step > 0 else day.replace(day=1)
            elif (of_month or of_week) if self.either else (of_month and of_week):
                for hour, minute in self.times[::step]:
                    wall = day.replace(hour=hour, minute=minute)
                    if (wall > start) if step > 0 else (wall < start):
                        yield wall
            day += ONE * step


def fields(text: str) -> str:
    """The five fields of `0 9,17 * * 1-5` or `@daily`. Raises ValueError with one sentence that says what is wrong."""
    CronTimes(text)
    return " ".join(_parts(text))


def _numbers(part: str, name: str, low: int, high: int, words: str) -> set[int]:
    found: set[int] = set()
    named = {word: str(number) for number, word in enumerate(words.split(), start=low)}
    for piece in part.split(","):
        match = _PIECE.fullmatch(piece)
        first, last, step = match.groups() if match else ("x", None, None)
        ends = [named.get(each.lower(), each) for each in (first, last or first) if each] or [str(low), str(high)]
        alone = first and not last and step  # cron knows no `5/10`
        begin, end = (int(each) if each.isdecimal() else -1 for each in ends)
        if not low <= begin <= end <= high or alone or step == "0":
            known = f"{low} to {high}" + (f" or {words[:3]} to {words[-3:]}" if words else "")
            raise ValueError(f"{name} `{part}`: cron reads {known}, ranges as in 1-5 and steps as in */15")
        found.update(range(begin, end + 1, int(step or 1)))
    return found


def _parts(text: str) -> list[str]:
    if len(text) > MAX_CHARS:
        raise ValueError(f"a cron time has at most {MAX_CHARS} characters")
    if not text.isascii() or any(c < " " and c != "\t" for c in text):
        raise ValueError("a cron time is one line of plain characters")
    parts = text.split()
    if not parts:
        raise ValueError("it is empty")
    if parts[0].startswith("@"):
        if text.strip() not in MACROS:
            raise ValueError(f"`{text.strip()}` names no time of day; there are {' '.join(MACROS)}")
        parts = MACROS[text.strip()].split()
    if len(parts) != len(FIELDS):
        hint = "; seconds and years are not known to cron" if len(parts) in (6, 7) else ""
        raise ValueError(f"it has {len(parts)} fields and needs five: minute hour day month weekday{hint}")
    return parts
