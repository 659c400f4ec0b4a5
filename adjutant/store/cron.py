"""FILES. A cron time as people write it into adjutant.yaml, its five fields read as Debian's cron reads them."""

from __future__ import annotations

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
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
LONGEST = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)  # days of each month, 29 February included


class _Field:
    __slots__ = ("high", "low", "name", "names")

    def __init__(self, name: str, low: int, high: int, names: tuple[str, ...] = ()) -> None:
        self.name, self.low, self.high, self.names = name, low, high, names


FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, MONTHS),
    _Field("day of week", 0, 7, DAYS),
)


class Fields:
    """What a cron time admits: sorted tuples of ints, weekdays 0 (Sunday) to 6.

    `any_day` and `any_weekday`: the field begins with `*`, which cron takes for "not restricted", a step or not.
    """

    __slots__ = ("any_day", "any_weekday", "days", "hours", "minutes", "months", "weekdays")

    def __init__(self, sets: list[set[int]], any_day: bool, any_weekday: bool) -> None:
        self.minutes, self.hours, self.days, self.months = (tuple(sorted(numbers)) for numbers in sets[:4])
        self.weekdays = tuple(sorted({number % 7 for number in sets[4]}))
        self.any_day, self.any_weekday = any_day, any_weekday


def fields(text: str) -> Fields:
    """The fields of `0 9,17 * * 1-5` or `@daily`. Raises ValueError with one sentence that says what is wrong."""
    parts = _parts(text)
    made = Fields(
        [_numbers(field, part) for field, part in zip(FIELDS, parts, strict=True)],
        parts[2].startswith("*"),
        parts[4].startswith("*"),
    )
    if made.any_weekday and not any(day <= LONGEST[month] for month in made.months for day in made.days):
        raise ValueError("that day never comes: no month named has it")
    return made


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


def _numbers(field: _Field, part: str) -> set[int]:
    return {number for piece in part.split(",") for number in _range(field, piece)}


def _range(field: _Field, piece: str) -> range:
    """`*`, `5`, `1-5`, `*/15` or `1-5/2`."""
    span, slash, step = piece.partition("/")
    first, dash, last = span.partition("-")
    if span == "*":
        low, high = field.low, field.high
    else:
        low = _number(field, first, piece)
        high = _number(field, last, piece) if dash else low
    if slash and span != "*" and not dash:
        raise ValueError(f"{field.name} `{piece}`: a step needs a range, such as {span}-{field.high}/{step or 2}")
    if low > high:
        raise ValueError(f"{field.name} `{piece}`: the range runs backwards")
    if slash and not (step.isdigit() and len(step) <= 4 and int(step)):
        raise ValueError(f"{field.name} `{piece}`: a step is a whole number of at least 1")
    return range(low, high + 1, int(step) if slash else 1)


def _number(field: _Field, text: str, piece: str) -> int:
    if text.lower() in field.names:
        return field.names.index(text.lower()) + field.low
    known = f"{field.low} to {field.high}" + (f" or {field.names[0]} to {field.names[-1]}" if field.names else "")
    if not text.isdigit():
        raise ValueError(f"{field.name} `{piece}`: not a number from {known}")
    if len(text) > 4 or not field.low <= int(text) <= field.high:
        raise ValueError(f"{field.name} `{piece}`: out of range, {known}")
    return int(text)
