"""LANGUAGE. Dates as people write them, in any text."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from adjutant.language.date_words import DateWords, date_words
from adjutant.language.detect import language_of
from adjutant.language.pack import packs

_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/]|[.,-]\d)(?:[t ](\d{1,2}:\d\d)(?::\d\d)?z?(?![\d:]))?")
_ISO_WEEK = re.compile(r"(?:(\d{4})-)?w(\d{1,2})(?![^\W_])")
_FULL = re.compile(r"(\d{1,2})(\.\s?|[/-])(\d{1,2})\2(\d{4}|\d\d)(?![\d:/]|[.,]\d|[^\W_])")
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.(?!\s?\d)")
_SHORT = re.compile(r"(\d{1,2})([/.])(\d{1,2})(?![\d/:%]|[.,]\d|[^\W_]|\s?%)")
_DAY = re.compile(r"(\d{1,2})(?![\d/:]|[.,]\d|\s?[%€$£])")
_DASH = re.compile(r"\s?[-–—]\s?")
_YEAR = re.compile(r",?\s{1,2}((?:19|20)\d\d)(?![^\W_]|[.,:/-]\d)")
_GAP = re.compile(r"[.,]?\s{0,2}|\s?[-–—,(]\s?")
_CLOCK = re.compile(r"(\d{1,2})[:.](\d\d)(?![\d:]|[.,]\d)")
_HOUR = re.compile(r"(\d{1,2})(?![\d:/%]|[.,]\d)")
_TIME_BEFORE = re.compile(r"(?<![\d.,:/-])(\d{1,2})(?:[:.](\d\d))?\s?([ap]\.?m\.?)?[,.]?\s+\Z")
_COUNT = re.compile(r"(?<![\d.,:/-])(\d{1,3})\s+\Z")
_NAMED = re.compile(r"(?<!\d)(\d{4})([-_/. ]?)([01]\d)\2([0-3]\d)(?!\d)")
_SPLIT = re.compile(r"\s*(\d{1,2})\s*[/.-]\s*(\d{1,2})(?:\s*[/.-]\s*\d{2,4}|\.)?\s*")


class Date(NamedTuple):
    """A date and its place in the text; `first` and `last` differ for a range. `time`: "10:30", "" for none.

    `relative`: counted from the day of the text; `exact`: False for a bare month or week.
    """

    start: int
    end: int
    first: date
    last: date
    time: str = ""
    relative: bool = False
    exact: bool = True


def find(text: str, near: date, *, anchor: date | None = None, code: str = "", order: str | None = None) -> list[Date]:
    """The dates of a text in order; never overlapping. Linear time.

    A day without a year is the one nearest to `anchor`, the day the text speaks from, or to `near` where there is none;
    without `anchor`, relative words and bare weekdays are no dates. `order`: dmy or mdy of 3/4; None: what is possible,
    else the language's custom. `code`: the language; "": the one the text is in.
    """
    if not _may_hold(text):
        return []
    return list(_Reader(text, near, anchor, code, order).dates())


def day_in_name(path: str) -> date | None:
    """The day in a file's name, else in its folders': 2026-10-18.md, 20261018-minutes.txt, 2026/10/18.md."""
    for name in (path.rpartition("/")[2], path):
        for found in _NAMED.finditer(name):
            if day := _make(int(found[1]), int(found[3]), int(found[4])):
                return day
    return None


def order_of(values: Iterable[str]) -> str | None:
    """dmy or mdy where a column of dates shows it by a part over 12, None where it does not or is of two minds."""
    first = second = False
    for value in values:
        if found := _SPLIT.fullmatch(value):
            first = first or int(found[1]) > 12
            second = second or int(found[2]) > 12
    return None if first == second else "dmy" if first else "mdy"


class _Reader:
    """One text under the reading."""

    def __init__(self, text: str, near: date, anchor: date | None, code: str, order: str | None) -> None:
        lower = text.lower()
        self.text = text
        self.lower = (
            lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        )
        self.base, self.anchor, self.order = anchor or near, anchor, order
        self.code = code or language_of(text, "")
        self.words = _words(self.code)
        self.floor = 0  # no date begins before

    def dates(self) -> Iterator[Date]:
        for match in self.words.scan.finditer(self.lower):
            if match.start() < self.floor:
                continue
            found = self.date_at(match.start())
            if found is not None:
                self.floor = found.end
                if found.first is not _NONE:
                    yield found

    def date_at(self, at: int) -> Date | None:
        """The date that begins here, with the weekday, time and last day that belong to it."""
        found = self.core(at)
        if found is None or found.first is _NONE:
            return found
        return self.with_last_day(self.with_time(self.from_left(found)))

    def core(self, at: int) -> Date | None:
        """The date that begins here, without what belongs to it."""
        if (skipped := self.words.at("no_dates", self.lower, at)) is not None:
            return Date(at, skipped[1], _NONE, _NONE)
        if self.lower[at].isdigit():
            return self.figure(at)
        return self.weekday(at) or self.month(at) or self.spoken(at) or self.span(at)

    # -- figures ---------------------------------------------------------------------------------------------

    def figure(self, at: int) -> Date | None:
        before = self.lower[at - 1 : at]
        if (before and before in "$€£#") or (before in ".,:/-" and self.lower[max(0, at - 2) : at - 1].isdigit()):
            return None
        return self.whole(at) or self.day_month(at) or self.short(at) or self.day_alone(at)

    def whole(self, at: int) -> Date | None:
        """2026-11-24, 24.11.2026, 11/24/26."""
        if found := _ISO.match(self.lower, at):
            day = _make(int(found[1]), int(found[3]), int(found[4]))
            return Date(at, found.end(), day, day, _clock(found[5] or "")) if day else None
        if found := _FULL.match(self.lower, at):
            year = int(found[4]) + (2000 if len(found[4]) == 2 else 0)
            order = "dmy" if found[2][0] == "." else self.order
            days = [_make(year, *pair) for pair in _pairs(int(found[1]), int(found[3]), order or self.words.orders)]
            day = next((each for each in days if each), None)
            return Date(at, found.end(), day, day) if day else None
        return None

    def day_month(self, at: int) -> Date | None:
        """24 Nov, the 24th of November 2026, 24.-26. November."""
        day = self.number(at)
        if day is None:
            return None
        number, end = day
        last = number
        if (dash := _DASH.match(self.lower, end)) and (other := self.number(dash.end())):
            last, end = other
        after = _GAP.match(self.lower, end)
        place = after.end() if after else end
        if (of := self.words.at("of", self.lower, place)) is not None:
            place = of[1] + 1
        month = (
            self.words.at("months", self.lower, place)
            if place > end or not self.lower[end : end + 1].isalpha()
            else None
        )
        if month is None and place == end:
            month = self.words.at("months", self.lower, end)
        if month is None:
            full = self.whole(end + 1) or self.short(end + 1) if False else None
            return full
        return self.in_month(at, month[1], month[0], number, last)

    def in_month(self, start: int, end: int, month: int, number: int, last: int) -> Date | None:
        if self.lower[end : end + 1] == ".":
            end += 1
        year = _YEAR.match(self.lower, end)
        first = _make(int(year[1]), month, number) if year else self.nearest(month, number)
        if first is None:
            return None
        final = _make(first.year, month, last) if last > number else first
        return Date(start, year.end() if year else end, first, final or first)

    def number(self, at: int) -> tuple[int, int] | None:
        """(day, end) of 24, 24th or 24."""
        found = _DAY.match(self.lower, at)
        if found is None or not 1 <= int(found[1]) <= 31:
            return None
        end = found.end()
        if (ending := self.words.at("ordinal_endings", self.lower, end)) is not None:
            return int(found[1]), ending[1]
        if self.lower[end : end + 1].isalpha() and self.words.at("months", self.lower, end) is None:
            return None
        return int(found[1]), end

    def short(self, at: int) -> Date | None:
        """24.11. and 24/11, where they are no section, fraction or amount."""
        if found := _DOTTED.match(self.lower, at):
            pair = (int(found[1]), int(found[2]))
            heads = not self.lower[self.lower.rfind("\n", 0, at) + 1 : at].strip() and max(pair) < 10
            if not (heads and "." not in self.words.separators):
                return self.of_pair(at, found.end(), pair, "dmy")
            return None
        found = _SHORT.match(self.lower, at)
        if found is None:
            return None
        pair = (int(found[1]), int(found[3]))
        sure = self.is_awaited(at) or (found[2] == "/" and self.is_alone(at, found.end()))
        if found[2] == ".":
            return self.of_pair(at, found.end(), pair, "dmy") if sure and "." in self.words.separators else None
        padded = found[1][0] == "0" or found[3][0] == "0"
        if not (sure or padded or pair[0] > max(pair[1], 12) or (self.order == "mdy" and pair[1] > 12)):
            return None
        return self.of_pair(at, found.end(), pair, self.order or self.words.orders)

    def of_pair(self, start: int, end: int, pair: tuple[int, int], order: str) -> Date | None:
        days = [self.nearest(*each) for each in _pairs(*pair, order)]
        day = next((each for each in days if each), None)
        return Date(start, end, day, day) if day else None

    def day_alone(self, at: int) -> Date | None:
        """The 24th, den 24.: the next such day, the last one behind "since"."""
        day = self.number(at)
        if day is None:
            return None
        number, end = day
        marked = end > at + len(str(number)) and self.lower[at] != "0"
        dotted = (
            self.lower[end : end + 1] == "." and bool(self.words.roles["day_words"]) and "." in self.words.separators
        )
        word = self.words.behind("day_words", self.lower, at)
        if not (marked or dotted) or not (word or (marked and self.is_awaited(at))):
            return None
        if not self.stands_alone(end + dotted):
            return None
        start = word[1] if word else at
        found = self.nth(number, start)
        return Date(start, end, found, found, relative=True) if found else None

    def stands_alone(self, end: int) -> bool:
        """Whether no noun follows that the number belongs to: "the 24th floor"."""
        after = re.compile(r"[ \n]([^\W\d_]+)").match(self.lower, end)
        return after is None or after[1] in self.words.stop or self.text[after.start(1)].isupper()

    # -- words -----------------------------------------------------------------------------------------------

    def weekday(self, at: int) -> Date | None:
        """Friday, next Friday, Tues 24 Nov, Wed 25th."""
        named = self.words.at("weekdays", self.lower, at)
        if named is None:
            return None
        wanted, end = named
        if self.lower[end : end + 1] == "." and end - at < 5:
            end += 1
        gap = _GAP.match(self.lower, end)
        place = gap.end() if gap else end
        if (word := self.words.at("day_words", self.lower, place)) is not None:
            place = word[1] + 1
        if self.lower[place : place + 1].isdigit() or self.words.at("months", self.lower, place):
            day = self.whole(place) or self.day_month(place) or self.month(place) or self.dated(place, wanted)
            if day is not None and day.exact:
                return day._replace(start=at)
        if self.words.behind("recurring", self.lower, at) or not self.is_meant(at, named[1]):
            return None
        if self.anchor is None:
            return None
        return self.spoken_weekday(at, end, wanted)

    def dated(self, at: int, wanted: int) -> Date | None:
        """The day and month or the day alone behind a weekday."""
        if short := _DOTTED.match(self.lower, at) or _SHORT.match(self.lower, at):
            pair = [int(part) for part in re.findall(r"\d+", short[0])]
            return self.of_pair(at, short.end(), (pair[0], pair[1]), self.order or self.words.orders)
        day = self.number(at)
        if day is None or not self.stands_alone(day[1]):
            return None
        near = [found for months in (-1, 0, 1, 2) if (found := _day_of(self.base, months, day[0]))]
        same = [each for each in near if each.weekday() == wanted] or [each for each in near if each >= self.base]
        if not same:
            return None
        first = min(same, key=lambda each: abs((each - self.base).days))
        return Date(at, day[1], first, first, relative=True)

    def spoken_weekday(self, at: int, end: int, wanted: int) -> Date:
        start, base = at, self.base
        ahead = (wanted - base.weekday()) % 7
        if last := self.words.behind("last", self.lower, at):
            start, ahead = last[1], ahead - 7
        elif coming := self.words.behind("next", self.lower, at):
            start, ahead = coming[1], ahead or 7
        elif this := self.words.behind("this", self.lower, at):
            start = this[1]
        elif self.words.behind("since", self.lower, at):
            ahead -= 7
        blank = re.compile(r"\s(?:of\s)?").match(self.lower, end)
        week = self.week_after(blank.end()) if blank else None
        if week is not None:
            first = week.first + timedelta(days=wanted)
            return Date(start, week.end, first, first, relative=True)
        first = base + timedelta(days=ahead)
        return Date(start, end, first, first, relative=True)

    def week_after(self, at: int) -> Date | None:
        """The week named here by "next week"."""
        for role in ("next", "this", "last"):
            if found := self.words.at(role, self.lower, at):
                unit = self.words.at("units", self.lower, found[1] + 1)
                if unit and unit[0] == 7:
                    return self.period(at, unit[1], 7, role)
        return None

    def month(self, at: int) -> Date | None:
        """Nov 24, Dec 7-9, December 2026, in December."""
        named = self.words.at("months", self.lower, at)
        if named is None:
            return None
        month, end = named
        dot = self.lower[end : end + 1] == "."
        blank = re.compile(r"\.?\s{1,2}").match(self.lower, end)
        day = self.number(blank.end()) if blank else None
        if blank and day is not None:
            number, final = day
            last = number
            if (dash := _DASH.match(self.lower, final)) and (other := self.number(dash.end())):
                last, final = other
            return self.in_month(at, final, month, number, last)
        year = _YEAR.match(self.lower, end + dot)
        short = end - at < 4
        if not year and not (self.is_meant(at, end, always=short) or self.part_before(at)):
            return None
        middle = self.nearest(month, 15) or self.base
        first = date(int(year[1]) if year else middle.year, month, 1)
        last_day = first.replace(day=calendar.monthrange(first.year, month)[1])
        return self.part(Date(at, year.end() if year else end, first, last_day, exact=False))

    def spoken(self, at: int) -> Date | None:
        """Tomorrow, EOD, EOD Tuesday, end of the month."""
        lower, words = self.lower, self.words
        if found := words.at("day_end", lower, at):
            blank = re.compile(r"\s(?:on\s)?").match(lower, found[1])
            day = self.core(blank.end()) if blank and found[1] < len(lower) else None
            if day is not None and day.first is not _NONE and day.exact:
                return day._replace(start=at)
            return self.relative_day(at, found[1], 0)
        if found := words.at("month_end", lower, at):
            last = self.base.replace(day=calendar.monthrange(self.base.year, self.base.month)[1])
            return self.anchored(Date(at, found[1], last - timedelta(days=2), last, "", True, False))
        if found := words.at("week_end", lower, at):
            friday = self.base + timedelta(days=4 - self.base.weekday())
            return self.anchored(Date(at, found[1], friday, friday + timedelta(days=2), "", True, False))
        if found := words.at("relative", lower, at):
            return self.relative_day(at, found[1], found[0]) if self.is_meant(at, found[1]) else None
        if found := words.at("ordinals", lower, at):
            return self.ordinal(at, found[1], found[0])
        return None

    def ordinal(self, at: int, end: int, number: int) -> Date | None:
        """The fifteenth of November, by the fifteenth."""
        lower, words = self.lower, self.words
        of = words.at("of", lower, end + 1)
        month = words.at("months", lower, of[1] + 1 if of else end + 1)
        if month is not None:
            return self.in_month(at, month[1], month[0], number, number)
        word = words.behind("day_words", lower, at)
        if word is None or not words.behind("before", lower, word[1]) or re.compile(r"[ \n][^\W_]").match(lower, end):
            return None
        found = self.nth(number, word[1])
        return Date(word[1], end, found, found, relative=True) if found else None

    def span(self, at: int) -> Date | None:
        """Next week, in 3 days, two weeks ago, week 47, this weekend."""
        lower, words = self.lower, self.words
        if found := words.at("weekend", lower, at):
            role = next((role for role in ("next", "last", "this") if words.behind(role, lower, at)), "")
            start = found_before[1] if role and (found_before := words.behind(role, lower, at)) else at
            saturday = self.base + timedelta(days=5 - self.base.weekday())
            saturday += timedelta(days={"next": 7 * (self.base.weekday() < 5), "last": -7}.get(role, 0))
            return self.anchored(Date(start, found[1], saturday, saturday + timedelta(days=1), "", True, False))
        found = words.at("units", lower, at)
        if found is None:
            return None
        days, end = found
        if (named := words.at("week", lower, at)) and (
            number := re.compile(r"\.?\s?(\d{1,2})(?![\d.,:/%-])").match(lower, named[1])
        ):
            return self.numbered_week(at, number.end(), int(number[1]), None)
        for role in ("next", "last", "this"):
            if said := words.behind(role, lower, at):
                return self.anchored(self.part(self.period(said[1], end, days, role)))
        return self.counted(at, end, days)

    def counted(self, at: int, end: int, days: int) -> Date | None:
        lower, words = self.lower, self.words
        figure = _COUNT.search(lower, max(0, at - 6), at)
        worded = words.behind("numbers", lower, at)
        if figure is None and worded is None:
            return None
        count, start = (int(figure[1]), figure.start()) if figure else (worded or (0, 0))
        if (ago := words.at("ago", lower, end + 1)) is not None:
            before = words.behind("before_ago", lower, start)
            return self.relative_span(before[1] if before else start, ago[1], -count, days)
        if before := words.behind("before_ago", lower, start):
            return self.relative_span(before[1], end, -count, days) if not words.roles["ago"] else None
        if ahead := words.behind("ahead", lower, start):
            return self.relative_span(ahead[1], end, count, days)
        return None

    def relative_span(self, start: int, end: int, count: int, days: int) -> Date | None:
        first = _later(self.base, count, days)
        return self.anchored(Date(start, end, first, first, "", True, days == 1)) if first else None

    def period(self, start: int, end: int, days: int, role: str) -> Date:
        """The day, week, month or year that "next" and the like name."""
        step = {"next": 1, "last": -1, "this": 0}[role]
        base = self.base
        if days in (7, 14):
            first = base + timedelta(days=7 * step - base.weekday())
            last = first + timedelta(days=6)
        elif days == 30:
            first = _later(base.replace(day=1), step, 30) or base
            last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
        elif days == 365:
            first, last = date(base.year + step, 1, 1), date(base.year + step, 12, 31)
        else:
            first = last = base + timedelta(days=step)
        return Date(start, end, first, last, "", True, days == 1)

    def numbered_week(self, start: int, end: int, number: int, year: int | None) -> Date | None:
        mondays = []
        for each in (year,) if year else (self.base.year - 1, self.base.year, self.base.year + 1):
            try:
                mondays.append(date.fromisocalendar(each, number, 1))
            except ValueError:
                continue
        if not mondays:
            return None
        first = min(mondays, key=lambda day: abs((day - self.base).days))
        return Date(start, end, first, first + timedelta(days=6), exact=False)

    # -- what belongs to a date ------------------------------------------------------------------------------

    def from_left(self, found: Date) -> Date:
        """With "w/c" and a time before it."""
        week = self.words.behind("week_of", self.lower, found.start)
        if week is not None and found.exact and found.first == found.last and week[1] >= self.floor:
            found = found._replace(start=week[1], last=found.first + timedelta(days=6), exact=False)
        return found

    def with_time(self, found: Date) -> Date:
        if found.time or not found.exact:
            return found
        gap = re.compile(r"[,.]?\s{0,2}[(–-]?\s?").match(self.lower, found.end)
        time = self.time_at(gap.end() if gap else found.end, need=found.end)
        if time is not None:
            return found._replace(time=time[0], end=time[1])
        floor = max(self.floor, found.start - 40)
        before = self.words.behind("before", self.lower, found.start)
        end = before[1] if before else found.start
        clock = _TIME_BEFORE.search(self.lower, floor, end)
        if clock and (clock[2] or clock[3]):
            said = _time(
                int(clock[1]), int(clock[2] or 0), 12 if (clock[3] or "")[:1] == "p" else 0 if clock[3] else None
            )
            return found._replace(time=said, start=clock.start(1)) if said else found
        return found

    def time_at(self, at: int, need: int) -> tuple[str, int] | None:
        """(10:30, end) of 10:30, 4pm, at 10, kl. 10.30, noon."""
        lower, words = self.lower, self.words
        said = words.at("time_words", lower, at)
        if lower[at : at + 1] == "@":
            said = (True, at + 1)
        place = at
        if said is not None:
            gap = re.compile(r"\.?\s?").match(lower, said[1])
            place = gap.end() if gap else said[1]
        if at == need and said is None:
            return None
        if noon := words.at("times", lower, place):
            return str(noon[0]), noon[1]
        clock = _CLOCK.match(lower, place) or _HOUR.match(lower, place)
        if clock is None:
            return None
        minutes = int(clock[2]) if clock.re is _CLOCK else 0
        gap = re.compile(r"\s?").match(lower, clock.end())
        unit = words.at("time_units", lower, gap.end() if gap else clock.end())
        if unit is None and clock.re is _HOUR and (said is None or lower[clock.end() : clock.end() + 1].isalpha()):
            return None
        if unit is None and clock.re is _CLOCK and "." in clock[0] and said is None:
            return None
        time = _time(int(clock[1]), minutes, unit[0] if unit else None)
        end = unit[1] if unit else clock.end()
        until = re.compile(r"\s?[-–—]\s?\d{1,2}[:.]\d\d(?!\d)").match(lower, end)
        return (time, until.end() if until else end) if time else None

    def with_last_day(self, found: Date) -> Date:
        """With the last day of a range: "28 Nov – 2 Dec"."""
        if not found.exact or found.first != found.last or found.time:
            return found
        dash = _DASH.match(self.lower, found.end)
        place = dash.end() if dash else 0
        if dash is None:
            blank = self.words.at("through", self.lower, found.end + 1)
            place = blank[1] + 1 if blank else 0
        if not place or place >= len(self.lower):
            return found
        last = self.core(place) if self.words.scan.match(self.lower, place) else None
        if last is None or last.first is _NONE or not last.exact:
            return found
        day = last.last + timedelta(days=7 if last.relative and last.last < found.first else 0)
        return found._replace(end=last.end, last=day) if found.first < day else found

    def part(self, found: Date) -> Date:
        """The beginning, middle or end of a month or week, where a word before it says so."""
        for role in ("start_of", "middle_of", "end_of"):
            if said := self.words.behind(role, self.lower, found.start):
                first, last = found.first, found.last
                third = max(1, (last - first).days // 3)
                if role == "start_of":
                    last = first + timedelta(days=third - 1)
                elif role == "middle_of":
                    first, last = first + timedelta(days=third), first + timedelta(days=2 * third)
                else:
                    first = last - timedelta(days=2)
                return found._replace(start=said[1], first=first, last=last)
        return found

    def part_before(self, at: int) -> bool:
        return any(self.words.behind(role, self.lower, at) for role in ("start_of", "middle_of", "end_of"))

    # -- which of several ------------------------------------------------------------------------------------

    def is_meant(self, at: int, end: int, always: bool = False) -> bool:
        """Whether a word that says other things too stands where a date does."""
        if not always and self.lower[at:end] not in self.words.roles["doubtful"]:
            return True
        return self.is_awaited(at) or self.is_alone(at, end)

    def is_awaited(self, at: int) -> bool:
        return (
            self.words.behind("before", self.lower, at) is not None
            or self.words.behind("weekdays", self.lower, at) is not None
        )

    def is_alone(self, at: int, end: int) -> bool:
        return len(self.lower) < 40 and not self.lower[:at].strip(" *_~([") and not self.lower[end:].strip(" .*_~)]")

    def anchored(self, found: Date) -> Date | None:
        return found if self.anchor is not None else None

    def relative_day(self, start: int, end: int, days: int) -> Date | None:
        day = self.base + timedelta(days=days)
        return self.anchored(Date(start, end, day, day, "", True))

    def nth(self, number: int, at: int) -> date | None:
        """The next day with this number, the last one behind "since"."""
        back = self.words.behind("since", self.lower, at) is not None
        for months in (0, -1, -2) if back else (0, 1, 2):
            day = _day_of(self.base, months, number)
            if day is not None and (day <= self.base if back else day >= self.base):
                return day
        return None

    def nearest(self, month: int, number: int) -> date | None:
        days = [_make(self.base.year + years, month, number) for years in (-1, 0, 1)]
        return min((day for day in days if day), key=lambda day: abs((day - self.base).days), default=None)


_NONE = date.min  # where something looks like a date and is none


def _may_hold(text: str) -> bool:
    return _words(None).scan.search(text.lower()) is not None


def _words(code: str | None) -> DateWords:
    """Those of a language and of English; of all languages where it is not known which."""
    return date_words(tuple(packs()) if not code else (code, "en") if code != "en" else ("en",))


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _pairs(first: int, second: int, order: str) -> list[tuple[int, int]]:
    """(month, day) as the order has it, then the other way."""
    pairs = [(second, first), (first, second)]
    return pairs if order == "dmy" else pairs[::-1]


def _later(day: date, count: int, days: int) -> date | None:
    try:
        if days == 30:
            return _day_of(day, count, day.day) or _day_of(day, count + 1, 1)
        return day.replace(year=day.year + count) if days == 365 else day + timedelta(days=count * days)
    except (ValueError, OverflowError):
        return None


def _day_of(base: date, months: int, number: int) -> date | None:
    month = base.year * 12 + base.month - 1 + months
    return _make(month // 12, month % 12 + 1, number)


def _time(hour: int, minute: int, half: int | None) -> str:
    """HH:MM, "" for what is no time of day. `half`: 12 for pm, 0 for am, None where neither is said."""
    if half == 12 and hour < 12:
        hour += 12
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def _clock(said: str) -> str:
    return _time(int(said[:-3]), int(said[-2:]), None) if said else ""
