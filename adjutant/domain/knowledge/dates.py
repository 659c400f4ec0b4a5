"""Dates as people write them, resolved against the day of the text; words like "tomorrow" need such a day."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import msgspec

from adjutant.domain.knowledge.lexicon import Language, Lexicon

ISO = re.compile(r"(?<![\d/-])(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?![\d])")
COMPACT = re.compile(r"(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)")
DOTTED = re.compile(r"(?<![\d.,:])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})(?![\d:.]))?(?!\d)")
BARE = re.compile(r"(?<![\d.,:/-])(\d{1,2})[./](\d{1,2})(?![\d.,:/%-]|\s?(?:%|kg|km|m|l|h|eur|kr|€|\$))")
SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\d/])")
SPAN = re.compile(r"(\d{1,2})\.?\s?[–-]\s?(?=\d{1,2}\.)")
WEEK_ISO = re.compile(r"(?<!\w)(?:(\d{4})-)?[wW](\d{1,2})(?!\w)")
DAY_OF = re.compile(r"(?<!\w)the (\d{1,2})(?:st|nd|rd|th)(?!\w)")
DEN = re.compile(r"(?<!\w)(?:den|am|zum|bis zum|til den|innen den) (\d{1,2})\.(?!\s?\d|\s?[a-zæøåäöü])", re.IGNORECASE)


class Found(msgspec.Struct, frozen=True):
    """One date in a text: where it stands and how exact it is ("day", "week", "month")."""

    start: int
    end: int
    day: date
    grain: str = "day"
    relative: bool = False


class Patterns(msgspec.Struct, frozen=True):
    """A language's date expressions, compiled."""

    day_month: re.Pattern[str]
    month_day: re.Pattern[str]
    month_only: re.Pattern[str]
    months: Mapping[str, int]
    weekday: re.Pattern[str]
    weekdays: Mapping[str, int]
    relative: re.Pattern[str]
    relatives: Mapping[str, int]
    ahead: re.Pattern[str]
    ago: re.Pattern[str]
    numbers: Mapping[str, int]
    units: Mapping[str, float]
    week: re.Pattern[str]
    next_week: re.Pattern[str]
    eom: re.Pattern[str]
    end_of: re.Pattern[str]
    ordinal: re.Pattern[str] | None
    ordinals: Mapping[str, int]
    next: frozenset[str]
    last: frozenset[str]
    hint: re.Pattern[str]


_COMPILED: dict[int, Patterns] = {}
_MEMO: dict[tuple[str, date | None, date, str, int], list[Found]] = {}  # the same cell is asked about many times
MEMO_SIZE, MEMO_CHARS = 50_000, 400


def find(text: str, anchor: date | None, now: date, lexicon: Lexicon, language: str) -> list[Found]:
    """Dates in reading order. `anchor` is the day of the text (None: relative words are no date).

    A date without a year is the one nearest to the anchor, or to `now` where there is none.
    """
    if len(text) > MEMO_CHARS:
        return _find(text, anchor, now, lexicon, language)
    key = (text, anchor, now, language, id(lexicon))
    known = _MEMO.get(key)
    if known is None:
        if len(_MEMO) > MEMO_SIZE:
            _MEMO.clear()
        known = _MEMO[key] = _find(text, anchor, now, lexicon, language)
    return known


def _find(text: str, anchor: date | None, now: date, lexicon: Lexicon, language: str) -> list[Found]:
    found: list[Found] = []
    names = [language] if language == "en" else [language, "en"]
    patterns = [_patterns(lexicon.languages[name]) for name in names if name in lexicon.languages]
    if not any(p.hint.search(text) for p in patterns):
        return found
    near = anchor or now
    if any(c.isdecimal() for c in text):
        found += _numeric(text, near)
    for pattern in patterns:
        found += _named(text, near, pattern)
    found = _disjoint(found)
    own = next((f.day for f in found if f.grain == "day"), None)
    base = anchor or (own if own is not None else None)
    if base is not None:
        spoken = [one for pattern in patterns for one in _relative(text, base, pattern)]
        found += [one for one in spoken if not any(-4 <= f.start - one.end <= 4 for f in found)]
    elif "the " in text:
        found += [
            Found(m.start(), m.end(), day)
            for m in DAY_OF.finditer(text)
            if (day := _next_day_of_month(int(m[1]), now)) is not None
        ]  # a day of the month alone is the one to come
    return _disjoint(found)


def from_name(path: str, now: date) -> date | None:
    """The day a file or folder name carries (2026-10-18.md, 20261018-minutes.txt), else None."""
    for match in ISO.finditer(path.replace("/", " ")):
        return _make(int(match[1]), int(match[2]), int(match[3]))
    compact = COMPACT.search(path)
    return _make(int(compact[1]), int(compact[2]), int(compact[3])) if compact else None


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text)


def _nearest(month: int, day: int, near: date) -> date | None:
    around = [_make(year, month, day) for year in (near.year - 1, near.year, near.year + 1)]
    real = [d for d in around if d is not None]
    return min(real, key=lambda d: abs((d - near).days)) if real else None


def _numeric(text: str, near: date) -> Iterator[Found]:
    for match in ISO.finditer(text):
        if day := _make(int(match[1]), int(match[2]), int(match[3])):
            yield Found(match.start(), match.end(), day)
    for match in SLASHED.finditer(text):
        first, second, year = int(match[1]), int(match[2]), _year(match[3])
        both = [d for d in (_make(year, second, first), _make(year, first, second)) if d]
        if both:
            yield Found(match.start(), match.end(), min(both, key=lambda d: abs((d - near).days)))
    for match in DOTTED.finditer(text):
        day_, month = int(match[1]), int(match[2])
        day = _make(_year(match[3]), month, day_) if match[3] else _nearest_ok(month, day_, near)
        if day:
            yield Found(match.start(), match.end(), day)
    for match in DEN.finditer(text):
        if day := _next_day_of_month(int(match[1]), near):
            yield Found(match.start(), match.end(), day)


def _nearest_ok(month: int, day: int, near: date) -> date | None:
    return _nearest(month, day, near) if 1 <= month <= 12 else None


def _named(text: str, near: date, p: Patterns) -> Iterator[Found]:
    for pattern in (p.day_month, p.month_day):
        for match in pattern.finditer(text):
            month = p.months[match["month"].lower()]
            number, year = int(match["day"]), match["year"]
            day = _make(int(year), month, number) if year else _nearest(month, number, near)
            if day:
                yield Found(match.start(), match.end(), day)
    for match in p.month_only.finditer(text):
        month, year = p.months[match["month"].lower()], match["year"]
        here = int(year) if year else (_nearest(month, 15, near) or near).year
        yield Found(match.start(), match.end(), date(here, month, calendar.monthrange(here, month)[1]), "month")
    for match in p.week.finditer(text):
        if day := _week(int(match["week"]), near):
            yield Found(match.start(), match.end(), day, "week")
    for match in WEEK_ISO.finditer(text):
        if day := _week(int(match[2]), near, int(match[1]) if match[1] else None):
            yield Found(match.start(), match.end(), day, "week")


def _week(number: int, near: date, year: int | None = None) -> date | None:
    """Friday of an ISO week: the last working day somebody means by "week 47"."""
    days = []
    for y in [year] if year else [near.year - 1, near.year, near.year + 1]:
        try:
            days.append(date.fromisocalendar(y, number, 5))
        except ValueError:
            continue
    return min(days, key=lambda d: abs((d - near).days)) if days else None


def _next_day_of_month(number: int, base: date) -> date | None:
    """The next day with that number at or after `base`."""
    year, month = base.year, base.month
    for _ in range(13):
        day = _make(year, month, number)
        if day is not None and day >= base:
            return day
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return None


def _relative(text: str, base: date, p: Patterns) -> Iterator[Found]:
    for match in p.relative.finditer(text):
        day = base + timedelta(days=p.relatives[match.group().lower()])
        yield Found(match.start(), match.end(), day, "day", True)
    for match in p.ahead.finditer(text):
        days = _count(match, p)
        if days is not None:
            yield Found(match.start(), match.end(), base + timedelta(days=days), "day", True)
    for match in p.ago.finditer(text):
        days = _count(match, p)
        if days is not None:
            yield Found(match.start(), match.end(), base - timedelta(days=days), "day", True)
    for match in p.next_week.finditer(text):
        monday = base - timedelta(days=base.weekday())
        word = match["when"].lower()
        shift = 11 if word in p.next else -3 if word in p.last else 4
        yield Found(match.start(), match.end(), monday + timedelta(days=shift), "week", True)
    for match in p.weekday.finditer(text):
        yield Found(match.start(), match.end(), _weekday(match, base, p), "day", True)
    for match in p.eom.finditer(text):
        last = calendar.monthrange(base.year, base.month)[1]
        yield Found(match.start(), match.end(), base.replace(day=last), "day", True)
    for match in DAY_OF.finditer(text):
        if nth := _next_day_of_month(int(match[1]), base):
            yield Found(match.start(), match.end(), nth, "day", True)
    if p.ordinal is not None:
        for match in p.ordinal.finditer(text):
            if nth := _next_day_of_month(p.ordinals[match["nth"].lower()], base):
                yield Found(match.start(), match.end(), nth, "day", True)


def _weekday(match: re.Match[str], base: date, p: Patterns) -> date:
    """ "Friday": the next one (today counts); "last Friday": the one before; "next Friday": next week's when near."""
    wanted = p.weekdays[match["weekday"].lower().rstrip(".")]
    ahead = (wanted - base.weekday()) % 7
    word = (match["when"] or "").lower()
    if word in p.last:
        return base - timedelta(days=((base.weekday() - wanted) % 7) or 7)
    if word in p.next:
        return base + timedelta(days=ahead or 7)
    return base + timedelta(days=ahead)


def _count(match: re.Match[str], p: Patterns) -> float | None:
    word = match["count"].lower()
    number = int(word) if word.isdecimal() else p.numbers.get(word)
    if number is None or number > 2000:
        return None
    return round(number * p.units[match["unit"].lower()])


def _disjoint(found: Sequence[Found]) -> list[Found]:
    """The longest reading at each place, in reading order."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (f.relative, -(f.end - f.start), f.start)):
        if all(one.end <= k.start or one.start >= k.end for k in kept):
            kept.append(one)
    return sorted(kept, key=lambda f: f.start)


def _either(words: Sequence[str]) -> str:
    ordered = sorted({str(w) for w in words}, key=lambda w: (-len(w), w))
    return "|".join(re.escape(w) for w in ordered) or "(?!x)x"


def _patterns(language: Language) -> Patterns:
    known = _COMPILED.get(id(language))
    if known is None:
        known = _COMPILED[id(language)] = _compile(language)
    return known


def _compile(language: Language) -> Patterns:
    d: Mapping[str, Any] = language.dates
    flags = re.IGNORECASE
    months = {k.lower(): int(v) for k, v in d["months"].items()}
    weekdays = {k.lower(): int(v) for k, v in d["weekdays"].items()}
    relatives = {k.lower(): int(v) for k, v in d["relative"].items()}
    numbers = {k.lower(): int(v) for k, v in d["numbers"].items()}
    units = {k.lower(): float(v) for k, v in d["units"].items()}
    ordinals = {k.lower(): int(v) for k, v in d.get("ordinals", {}).items()}
    month, unit = _either(list(months)), _either(list(units))
    long_months = _either([m for m in months if len(m) > 3])
    count = rf"(?P<count>\d{{1,4}}|{_either(list(numbers))})"
    after, before = _either(d["ahead"]), _either(d["ago"])
    when = _either([*d["next"], *d["last"], *d["this"]])
    year = r"(?:,?\s+(?P<year>\d{4}))?(?!\d)"
    nth = _either(list(ordinals))
    every = [*months, *weekdays, *relatives, *units, *d["week"], *d["eom"]]
    if language.name == "de":
        ago = rf"\b(?:{before})\s+{count}\s+(?P<unit>{unit})\b"
    else:
        ago = rf"\b{count}\s+(?P<unit>{unit})\s+(?:{before})\b"
    return Patterns(
        day_month=re.compile(
            rf"(?<![\d.,])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?(?:\s+of)?\s*(?P<month>{month})\b\.?{year}", flags
        ),
        month_day=re.compile(rf"\b(?P<month>{month})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.]\d){year}", flags),
        month_only=re.compile(rf"\b(?P<month>{long_months})\b(?:\s+(?P<year>\d{{4}}))?", flags),
        months=months,
        weekday=re.compile(rf"\b(?:(?P<when>{when})\s+)?(?P<weekday>{_long(weekdays)})\b", flags),
        weekdays=weekdays,
        relative=re.compile(rf"(?<!\w)(?:{_either(list(relatives))})(?!\w)", flags),
        relatives=relatives,
        ahead=re.compile(rf"\b(?:{after})\s+{count}\s+(?P<unit>{unit})\b", flags),
        ago=re.compile(ago, flags),
        numbers=numbers,
        units=units,
        week=re.compile(rf"\b(?:{_either(d['week'])})\s?(?P<week>\d{{1,2}})\b", flags),
        next_week=re.compile(rf"\b(?P<when>{when})\s+(?:{_either(d['week'])})\b", flags),
        eom=re.compile(rf"(?<!\w)(?:{_either(d['eom'])})(?!\w)", flags),
        end_of=re.compile(rf"\b(?:{_either(d['endof'])})\s+(?P<month>{month})\b", flags),
        ordinal=re.compile(rf"\b(?:the|den|der|dem|am|zum)\s+(?P<nth>{nth})\b(?!\s+[a-zæøåäöü]{{4,}}\b)", flags)
        if ordinals
        else None,
        ordinals=ordinals,
        next=frozenset(w.lower() for w in d["next"]),
        last=frozenset(w.lower() for w in d["last"]),
        hint=re.compile(rf"\d|\b(?:{_either(every)})|{nth}", flags),
    )


def _long(weekdays: Mapping[str, int]) -> str:
    """Weekday names; two-letter ones (German Mo, Di) only before a dot or a date."""
    full = [w for w in weekdays if len(w) > 2]
    short = [w for w in weekdays if len(w) == 2]
    return _either(full) + (f"|(?:{_either(short)})(?=[.,]\\s?\\d|\\s\\d)" if short else "")
