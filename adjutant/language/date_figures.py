"""LANGUAGE. Dates that begin with a figure."""

from __future__ import annotations

import re
from datetime import date

from adjutant.language import date_days as days
from adjutant.language.date_days import NOTHING, Date
from adjutant.language.date_words import DateWords

_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/]|[.,-]\d)(?:[t ](\d{1,2}):(\d\d)(?::\d\d)?z?(?![\d:]))?")
_ISO_WEEK = re.compile(r"(\d{4})-w(\d{1,2})(?![^\W_])")
_FULL = re.compile(r"(\d{1,2})(\. ?|[/-])(\d{1,2})\2(\d{4}|\d\d)(?![\d:/]|[.,]\d|[^\W_])")
DOTTED = re.compile(r"(\d{1,2})(\. ?)(\d{1,2})\.(?! ?\d)")
SHORT = re.compile(r"(\d{1,2})([/.])(\d{1,2})(?![\d/:%-]|[.,]\d|[^\W_]| ?%)")
_FROM_DAY = re.compile(r"(\d{1,2})\.? ?[–-] ?(?=\d{1,2}\. ?\d{1,2}\.)")  # 24.-26.11.
_DAY = re.compile(r"(\d{1,2})(?![\d/:]|[.,]\d| ?[%€$£])")
DASH = re.compile(r"\.? ?[-–—] ?")
YEAR = re.compile(r",? {1,2}((?:19|20)\d\d)(?![^\W_]|[.,:/-]\d)")
GAP = re.compile(r"[.,]? {0,2}[(–-]? ?")
BLANK = re.compile(r"\.? {0,2}")
FOLLOWS = re.compile(r" ([^\W\d_]+)")
RULE_CHARS = 24  # behind a day that make a rule of it
_PARTS = ("start_of", "middle_of", "end_of")


class Figures:
    """The dates of a text that begin with a figure. `base`: the day it speaks from, `anchored` where that is known."""

    def __init__(self, text: str, lower: str, base: date, anchored: bool, order: str | None, words: DateWords) -> None:
        self.text, self.lower, self.base, self.anchored = text, lower, base, anchored
        self.order, self.words = order, words
        self.floor = 0  # where the last date ended
        self.ends_range = -1  # where the last day of a range may begin

    def figure(self, at: int) -> Date | None:
        """The date that begins with a figure, which is no part of a longer one."""
        before = self.lower[at - 1 : at]
        if before and (before in "$€£#" or (before in ".,:/-" and self.lower[max(0, at - 2) : at - 1].isdigit())):
            return None
        return self.whole(at) or self.day_month(at) or self.short(at) or self.day_alone(at)

    def whole(self, at: int) -> Date | None:
        """2026-11-24, 2026-W48, 24.11.2026, 11/24/26."""
        if found := _ISO.match(self.lower, at):
            time = days.clock(int(found[5]), int(found[6]), None) if found[5] else ""
            return self.on(at, found.end(), days.make(int(found[1]), int(found[3]), int(found[4])), time)
        if found := _ISO_WEEK.match(self.lower, at):
            return self.whole_week(at, found.end(), int(found[2]), int(found[1]))
        if found := _FULL.match(self.lower, at):
            year = int(found[4]) + (2000 if len(found[4]) == 2 else 0)
            one, two, order = int(found[1]), int(found[3]), self.order or self.words.order
            dotted = found[2][0] == "."
            day = days.make(year, two, one) if dotted else self.in_order(at, one, two, order, year)
            return self.on(at, found.end(), day)
        return None

    def day_month(self, at: int) -> Date | None:
        """24 Nov, the 24th of November 2026, 24.-26. November, and 24 of "24, 26 and 28 Nov"."""
        if (day := self.number(at)) is None:
            return None
        number, end = day
        first_end, last = end, number
        if other := self.to_number(end):
            last, end = other
        if month := self.month_word(end):
            return self.in_month(at, month[1], month[0], number, last)
        for _ in range(6):
            place = GAP.match(self.lower, end).end()  # type: ignore[union-attr]  # the pattern matches anywhere
            if joined := self.words.at("and", self.lower, place):
                place = joined[1] + 1
            if place == end or (listed := self.number(place)) is None:
                return None
            end = listed[1]
            if month := self.month_word(end):
                return self.on(at, first_end, days.nearest(month[0], number, self.base))
        return None

    def to_number(self, end: int) -> tuple[int, int] | None:
        """(day, end) behind a dash or "through"."""
        dash = DASH.match(self.lower, end)
        if dash is None:
            blank = BLANK.match(self.lower, end)
            said = self.words.at("through", self.lower, blank.end() if blank else end)
            return self.number(said[1] + 1) if said else None
        return self.number(dash.end())

    def month_word(self, end: int) -> tuple[int, int] | None:
        """(month, end) behind the number of a day."""
        blank = BLANK.match(self.lower, end)
        place = blank.end() if blank else end
        if of := self.words.at("of", self.lower, place):
            place = of[1] + 1
        return self.words.at("months", self.lower, place)

    def in_month(self, start: int, end: int, month: int, number: int, last: int) -> Date | None:
        end += self.lower[end : end + 1] == "."
        year = YEAR.match(self.lower, end)
        first = days.make(int(year[1]), month, number) if year else days.nearest(month, number, self.base)
        if first is None:
            return Date(start, end, NOTHING, NOTHING)  # 30 February
        final = days.make(first.year, month, last) if last > number else None
        return Date(start, year.end() if year else end, first, final or first)

    def number(self, at: int) -> tuple[int, int] | None:
        """(day, end) of 24 and 24th."""
        found = _DAY.match(self.lower, at)
        if found is None or not 1 <= int(found[1]) <= 31:
            return None
        if ending := self.words.at("ordinal_endings", self.lower, found.end()):
            return int(found[1]), ending[1]
        glued = self.lower[found.end() : found.end() + 1].isalpha()
        return None if glued and not self.words.at("months", self.lower, found.end()) else (int(found[1]), found.end())

    def short(self, at: int) -> Date | None:
        """24.11. and 24/11, where they are no section, fraction or amount."""
        if span := _FROM_DAY.match(self.lower, at):
            last = self.whole(span.end()) or self.short(span.end())
            first = days.make(last.first.year, last.first.month, int(span[1])) if last else None
            return Date(at, last.end, first, last.last) if last and first and first < last.last else None
        if found := DOTTED.match(self.lower, at):
            section = max(int(found[1]), int(found[3])) < 10 and "." not in self.words.separators
            section = section and "0" not in (found[1][0], found[3][0])
            return None if section else self.pair(found, "dmy")
        found = SHORT.match(self.lower, at)
        if found is None or found[2] not in self.words.separators:
            return None
        if found[2] == ".":
            return self.pair(found, "dmy") if self.is_awaited(at) else None
        one, two = int(found[1]), int(found[3])
        sure = self.words.at("weekdays", self.lower, found.end() + 1) is not None  # "10/11 tue"
        sure = sure or self.is_awaited(at) or self.is_alone(at, found.end()) or "0" in (found[1][0], found[3][0])
        if sure or one > max(two, 12) or (self.order == "mdy" and two > 12):
            return self.pair(found, self.order or self.words.order)
        return None

    def pair(self, found: re.Match[str], order: str) -> Date | None:
        one, two = int(found[1]), int(found[3])
        dotted = found[2][0] == "."
        day = days.nearest(two, one, self.base) if dotted else self.in_order(found.start(), one, two, order)
        return self.on(found.start(), found.end(), day)

    def in_order(self, at: int, one: int, two: int, order: str, year: int | None = None) -> date | None:
        """The day of 3/4 in an order; in the other one where the weekday before it says so ("Thu 3/5")."""
        day = days.of_pair(one, two, order, self.base, year)
        named = self.words.behind("weekdays", self.lower, at)
        if named is None or day is None or day.weekday() == named[0]:
            return day
        other = days.of_pair(one, two, "mdy" if order == "dmy" else "dmy", self.base, year)
        return other if other is not None and other.weekday() == named[0] else day

    def day_alone(self, at: int) -> Date | None:
        """The 24th, den 24.: the next such day, the last one behind "since"."""
        day = self.number(at)
        if day is None or self.lower[at] == "0":
            return None
        number, end = day
        marked = not self.lower[end - 1].isdigit()
        dotted = self.lower[end : end + 1] == "." and "." in self.words.separators
        word = self.words.behind("day_words", self.lower, at)
        named = word if marked or dotted else None
        if not named and not (marked and self.is_awaited(at)):
            return None
        start = named[1] if named else at
        back = self.words.behind("since", self.lower, start) is not None
        free = self.stands_alone(end + dotted) and not self.is_rule(end + dotted)
        return self.on(start, end, days.number_day(number, self.base, back=back) if free else None, relative=True)

    def is_rule(self, end: int) -> bool:
        """Whether a day is one of any month: "the 15th of the month before", "den 15. jeden Monats"."""
        said = [word.rstrip(".,;:)") for word in self.lower[end : end + RULE_CHARS].split()[:3]]
        month = next((at for at, word in enumerate(said) if self.words.roles["units"].value.get(word) == days.MONTH), 0)
        idle = self.words.stop.union(self.words.roles["recurring"].value).difference(self.words.roles["this"].value)
        return month > 0 and idle.issuperset(said[:month])

    def stands_alone(self, end: int, *, strictly: bool = False) -> bool:
        """Whether no noun follows that a number belongs to ("the 24th floor"); `strictly`: no name either."""
        after = FOLLOWS.match(self.lower, end)
        idle = (self.words.stop, *(self.words.roles[role].value for role in ("time_words", "before")))
        if after is None or any(after[1] in words for words in idle):
            return True
        return not strictly and self.text[after.start(1)].isupper() and after[1] not in self.words.nouns

    # -- what all dates ask ----------------------------------------------------------------------------------

    def on(self, start: int, end: int, day: date | None, time: str = "", *, relative: bool = False) -> Date | None:
        return Date(start, end, day, day, time, relative) if day else None

    def over(
        self, start: int, end: int, both: tuple[date, date] | None, *, relative: bool = True, exact: bool = False
    ) -> Date | None:
        """A range, or the part of it that a word before it names."""
        if both is None:
            return None
        if not exact and (found := self.part_before(start)):
            start, both = found[1], days.part(*both, found[0])
        return Date(start, end, *both, "", relative, exact)

    def whole_week(self, start: int, end: int, number: int, year: int | None) -> Date | None:
        monday = days.week_of(number, self.base, year)
        return self.over(start, end, days.week(monday) if monday else None, relative=False)

    def part_before(self, at: int) -> tuple[str, int] | None:
        """(start_of, middle_of or end_of, start) of the word before."""
        for role in _PARTS:
            if said := self.words.behind(role, self.lower, at):
                return role, said[1]
        return None

    def is_meant(self, at: int, end: int) -> bool:
        """Whether a word that says other things too stands where a date does."""
        word = self.lower[at:end].rstrip(".")
        if word not in self.words.roles["doubtful"].value:
            return True
        stands = (
            self.is_awaited(at) or self.is_alone(at, end) or self.words.at("day_parts", self.lower, end + 1) is not None
        )
        stands = stands or (self.lower[at - 1 : at] == "(" and self.lower[end : end + 1] == ")")  # "pay the rent (Fri)"
        return (len(word) > 2 or self.text[at].isupper()) and stands

    def is_awaited(self, at: int) -> bool:
        """Whether a word stands before it that stands before dates, or the first day of a range."""
        return at == self.ends_range or self.words.behind("before", self.lower, at) is not None

    def is_alone(self, at: int, end: int) -> bool:
        """Whether there is nothing else in the text."""
        return len(self.lower) < 40 and not self.lower[:at].strip(" *_~([") and not self.lower[end:].strip(" .*_~)]")
