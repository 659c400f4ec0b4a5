"""LANGUAGE. Dates that begin with a figure, and the times of day beside any date."""

import re
from datetime import date
from typing import Any

from adjutant.language import date_days as days
from adjutant.language.date_days import NOTHING, Date
from adjutant.language.date_words import DateWords
from adjutant.language.pack import listed

_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/]|[.,-]\d)(?:[t ](\d{1,2}):(\d\d)(?::\d\d)?z?(?![\d:]))?")
_ISO_WEEK = re.compile(r"(\d{4})-w(\d{1,2})(?![^\W_])")
_FULL = re.compile(r"(\d{1,2})(\. ?|[/-])(\d{1,2})\2(\d{4}|\d\d)(?![\d:/]|[.,]\d|[^\W_])")
DOTTED = re.compile(r"(\d{1,2})(\. ?)(\d{1,2})\.(?! ?\d)")
SHORT = re.compile(r"(\d{1,2})([/.])(\d{1,2})(?![\d/:%-]|[.,]\d|[^\W_]| ?%)")
_FROM_DAY = re.compile(r"(\d{1,2})\.? ?[–-] ?(?=\d{1,2}\. ?\d{1,2}\.)")  # 24.-26.11.
_DAY = re.compile(r"(\d{1,2})(?![\d/:]|[.,]\d| ?[%€$£])")
_SEVERAL = re.compile(r" ?[&/+] ?")
HOUR, LAST_HOUR = re.compile(r"\d{1,2}(?!\d|[/.:]\d)"), 24
DASH = re.compile(r"\.? ?[-–—] ?")
YEAR = re.compile(r"(?:,? {1,2}|-)((?:19|20)\d\d)(?![^\W_]|[.,:/-]\d)")
_JOIN = re.compile(r"-|\.? {0,2}")  # between a day and its month
STEPS = {"next": 1, "last": -1, "this": 0}
GAP = re.compile(r"[.,]? {0,2}[(–-]? ?")
BLANK = re.compile(r"\.? {0,2}")
FOLLOWS = re.compile(r" ([^\W\d_]+)")
BEFORE_CHARS = 32  # before a date in which its time may stand
_CLOCK = re.compile(r"(\d{1,2})([:.])(\d\d)(?![\d:]|[.,]\d| ?[€$£])")
_HOUR = re.compile(r"(\d{1,2})()()(?![\d:/%]|[.,]\d)")
_UNTIL = re.compile(r" ?[-–—] ?")
_LAST = re.compile(r"(\d{1,2})(?:[:.]\d\d)?(?![\d:/%]|[.,]\d)")
_BEGIN = re.compile(r"(?<![\w.,:/-])(?=\w|@)")
_SMALL = re.compile(r"\D*[1-6](?:[:.]\d\d)?(?: ?[-–—][^a-z]*)?")  # an hour of the afternoon, where it stands alone
_SPAN = re.compile(r"\d ?h(?:rs)?\Z")  # three hours, no time of day
RULE_CHARS = 24  # behind a day that make a rule of it
_PARTS = ("start_of", "middle_of", "end_of")


class Figures:
    """The dates of a text that begin with a figure. `base`: the day it speaks from, `anchored` where that is known."""

    def __init__(self, text: str, lower: str, base: date, anchored: bool, order: str | None, words: DateWords) -> None:
        self.text, self.lower, self.base, self.anchored = text, lower, base, anchored
        self.order, self.words = order, words
        self.floor = 0  # where the last date ended
        self.ends_range = -1  # where the last day of a range may begin
        self.told: dict[int, date] = {}  # the days named with their month, by their weekday
        self.latest: date | None = None  # the last of them
        self.ends_list = -1  # where the last day of a list of numbers ended: "the 3rd, 5th"

    def at(self, role: str, place: int) -> tuple[Any, int] | None:
        """(value, end) of the longest phrase of a list that begins at a place."""
        return self.words.roles[role].at(self.lower, place)

    def behind(self, role: str, place: int) -> tuple[Any, int] | None:
        """(value, start) of the longest phrase of a list that stands before a place."""
        return self.words.roles[role].behind(self.lower, place)

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
            return self.pair(found, self.order or self.words.order, year)
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
            place = self.skip(end, "and")
            if place == end or (other_day := self.number(place)) is None:
                return None
            end = other_day[1]
            if month := self.month_word(end):
                return self.on(at, first_end, days.nearest(month[0], number, self.base))
        return None

    def to_number(self, end: int) -> tuple[int, int] | None:
        """(day, end) behind a dash or "through"."""
        if dash := DASH.match(self.lower, end):
            return self.number(dash.end())
        said = self.at("through", self.skip(end, gap=BLANK))
        return self.number(said[1] + 1) if said else None

    def are_hours(self, at: int) -> bool:
        """Whether two hours stand at a place: "9 to 3", "10-12"."""
        first = HOUR.match(self.lower, at)
        dash = DASH.match(self.lower, first.end()) if first else None
        to = self.at("hours_to", self.skip(first.end(), gap=BLANK)) if first else None
        last = HOUR.match(self.lower, dash.end() if dash else to[1] + 1 if to else at) if dash or to else None
        return last is not None and first is not None and max(int(first[0]), int(last[0])) <= LAST_HOUR

    def month_word(self, end: int) -> tuple[int, int] | None:
        return self.at("months", self.skip(end, "of", gap=_JOIN))

    def in_month(self, start: int, end: int, month: int, number: int, last: int) -> Date | None:
        end += self.lower[end : end + 1] == "."
        year = YEAR.match(self.lower, end)
        first = days.make(int(year[1]), month, number) if year else days.nearest(month, number, self.base)
        if first is None:
            return Date(start, end, NOTHING, NOTHING)  # 30 February
        final = days.make(first.year, month, last) if last > number else None
        return Date(start, year.end() if year else end, first, final or first)

    def number(self, at: int) -> tuple[int, int] | None:
        found = _DAY.match(self.lower, at)
        if found is None or not 1 <= int(found[1]) <= 31:
            return None
        if ending := self.at("ordinal_endings", found.end()):
            return int(found[1]), ending[1]
        glued = self.lower[found.end() : found.end() + 1].isalpha()
        return None if glued and not self.at("months", found.end()) else (int(found[1]), found.end())

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
        sure = self.is_awaited(at) or self.time_at(self.skip(found.end()), found.end(), False) is not None
        if found[2] == ".":
            return self.pair(found, "dmy") if sure or (at == 0 and int(found[1]) >= 24) else None
        one, two = int(found[1]), int(found[3])
        sure = sure or self.at("weekdays", found.end() + 1) is not None  # "10/11 tue"
        sure = sure or self.is_alone(at, found.end()) or "0" in (found[1][0], found[3][0])
        if sure or one > max(two, 12) or (self.order == "mdy" and two > 12):
            return self.pair(found, self.order or self.words.order)
        return None

    def pair(self, found: re.Match[str], order: str, year: int | None = None) -> Date | None:
        one, two = int(found[1]), int(found[3])
        if found[2][0] == ".":
            day = days.nearest(two, one, self.base) if year is None else days.make(year, two, one)
        else:
            day = self.in_order(found.start(), one, two, order, year)
        return self.on(found.start(), found.end(), day)

    def in_order(self, at: int, one: int, two: int, order: str, year: int | None = None) -> date | None:
        """The day of 3/4 in an order; in the other one where the weekday before it says so ("Thu 3/5")."""
        day = days.of_pair(one, two, order, self.base, year)
        named = self.behind("weekdays", at)
        if named is None or day is None or day.weekday() == named[0]:
            return day
        other = days.of_pair(one, two, "mdy" if order == "dmy" else "dmy", self.base, year)
        return other if other is not None and other.weekday() == named[0] else day

    def day_alone(self, at: int) -> Date | None:
        """The 24th, den 24.: the next such day, the last one behind "since"."""
        if (counted := self.number(at)) is None or self.lower[at] == "0":
            return None
        number, end = counted
        marked = not self.lower[end - 1].isdigit()
        dotted = self.lower[end : end + 1] == "." and "." in self.words.separators
        word = self.behind("day_words", at)
        named = word if marked or dotted else None
        joined = self.lower[max(self.ends_list, 0) : at].strip(" ,.")
        follows = 0 < self.ends_list < at and (not joined or joined in self.words.roles["and"].value)
        if not named and not ((marked and self.is_awaited(at)) or ((marked or dotted) and follows)):
            return None
        start = named[1] if named else at
        back = self.behind("since", start) is not None
        months, month_end = self.month_named(end + dotted)
        if month_end:
            day = days.of_month(number, months, self.base) if months is not None and self.anchored else None
            return self.on(start, month_end, day, relative=True)
        after = FOLLOWS.match(self.text, end + dotted)
        free = self.stands_alone(end + dotted) or (self.words.capitals and after is not None and after[1].islower())
        self.ends_list = end if free else -1
        return self.on(start, end, days.number_day(number, self.base, back=back) if free else None, relative=True)

    def month_named(self, end: int) -> tuple[int | None, int]:
        """(months from now, end) of "of next month"; (None, end) of a rule for any month ("the 15th of the month
        before", "den 15. jeden Monats"), (None, 0) where no month is named."""
        said = [word.rstrip(".,;:)") for word in self.lower[end : end + RULE_CHARS].split()[:3]]
        month = next((at for at, word in enumerate(said) if self.words.roles["units"].value.get(word) == days.MONTH), 0)
        steps = {word: step for role, step in STEPS.items() for word in self.words.roles[role].value}
        idle = self.words.stop.union(self.words.roles["recurring"].value, steps)
        if not month or not idle.issuperset(said[:month]):
            return None, 0
        return steps.get(said[month - 1]), self.lower.index(said[month], end) + len(said[month])

    # -- times -------------------------------------------------------------------------------------------------
    def with_time(self, found: Date) -> Date:
        """With the time behind or before it."""
        if found.time or not found.exact:
            return found
        place = self.skip(found.end)
        if part := self.at("day_parts", place):
            found, place = found._replace(end=part[1]), self.skip(part[1])
        said, parts = self.lower[found.start : found.end], self.words.roles["late_parts"].value
        late = next((hour for name, hour in parts.items() if said.endswith(name)), days.NOON if part else 0)
        dotted = "." in self.words.separators or self.at("weekdays", found.start) is not None
        dotted = dotted or self.lower[found.end - 4 : found.end].isdigit()
        if time := self.time_at(place, found.end, dotted):
            return found._replace(time=self.as_told(time[0], place, time[1], late), end=time[1])
        before = self.behind("before", found.start)
        end = before[1] if before else found.start
        for begin in _BEGIN.finditer(self.lower, max(self.floor, end - BEFORE_CHARS), end):
            at = begin.start()
            time = self.time_at(at, -1, True)
            between = self.lower[time[1] : found.start].strip(" ,.") if time and time[1] <= found.start else "?"
            meets = between in ("", self.lower[end : found.start].strip())
            if time and meets and not _SPAN.search(self.lower, at, time[1]):
                return found._replace(time=self.as_told(time[0], at, time[1], late), start=at)
        return found

    def as_told(self, time: str, at: int, end: int, late: int) -> str:
        """A time as it is meant: "at 2" in English and "half past two" anywhere are in the afternoon; 8 of an evening
        is 20:00. `late`: the first hour to which the part of the day adds twelve."""
        hour = int(time[:2])
        said = self.at("time_words", at)
        place = self.skip(said[1], gap=BLANK) if said else at
        spoken = any(self.at(role, place) for role in ("clock", "hours"))
        small = spoken or ("." not in self.words.separators and _SMALL.fullmatch(self.lower, at, end))
        later = late <= hour < days.NOON if late else small and 0 < hour < 7
        return f"{hour + 12}{time[2:]}" if later else time

    def time_at(self, at: int, date_end: int, dotted: bool) -> tuple[str, int] | None:
        """(10:30, end) of 10:30, 4pm, at 10, kl. 10.30, noon, half past ten. `dotted`: 10.30 alone is no amount."""
        said = self.at("time_words", at)
        place = self.skip(said[1], gap=BLANK) if said else at
        if place == date_end:
            return None
        if noon := self.at("times", place) or self.at("clock", place):
            return str(noon[0]), noon[1]
        if named := self.at("hours", place):
            unit, end = self.unit_at(named[1])
            sure = unit is not None or (said and self.stands_alone(end, strictly=True))
            return (days.clock(named[0], 0, unit), end) if sure else None
        found = _CLOCK.match(self.lower, place) or _HOUR.match(self.lower, place)
        if found is None:
            return None
        unit, end = self.unit_at(found.end())
        dash, word = _UNTIL.match(self.lower, end), self.at("to_hour", end + 1)
        until = _LAST.match(self.lower, dash.end() if dash else word[1] + 1 if word else len(self.lower))
        last, until_end = self.unit_at(until.end()) if until else (None, end)
        glued = self.lower[end : end + 1].isalpha()
        sure = bool(said) or found[2] == ":" or (dotted and found[3] in ("00", "15", "30", "45"))
        if unit is None and last is None and (glued or not sure):
            return None
        same = last is not None and until is not None and int(found[1]) <= int(until[1])  # "2-3pm", not "11-1pm"
        time = days.clock(int(found[1]), int(found[3] or 0), unit if unit is not None else last if same else None)
        return (time, until_end) if time else None

    def unit_at(self, at: int) -> tuple[int | None, int]:
        """(what the unit of a time adds to its hour, its end): None where there is none."""
        unit = self.at("time_units", at + (self.lower[at : at + 1] == " "))
        return unit or (None, at)

    def stands_alone(self, end: int, *, strictly: bool = False) -> bool:
        """Whether no noun follows that a number belongs to ("the 24th floor"); `strictly`: no name either."""
        after = FOLLOWS.match(self.lower, end)
        idle = (self.words.stop, *(self.words.roles[role].value for role in ("time_words", "before")))
        if after is None or any(after[1] in words for words in idle):
            return True
        return not strictly and self.text[after.start(1)].isupper() and after[1] not in self.words.nouns

    # -- what all dates ask ----------------------------------------------------------------------------------
    def skip(self, at: int, *roles: str, gap: re.Pattern[str] = GAP) -> int:
        place = gap.match(self.lower, at).end()  # type: ignore[union-attr]  # the patterns match anywhere
        for role in roles:
            if word := self.at(role, place):
                place = word[1] + 1
        return place

    def on(self, start: int, end: int, day: date | None, time: str = "", *, relative: bool = False) -> Date | None:
        return Date(start, end, day, day, time, relative) if day else None

    def over(self, start: int, end: int, both: tuple[date, date] | None, *, relative: bool = True) -> Date | None:
        """A range, or the part of it that a word before it names."""
        if both is None:
            return None
        if found := self.part_before(start):
            start, both = found[1], days.part(*both, found[0])
        return Date(start, end, *both, "", relative, False)

    def whole_week(self, start: int, end: int, number: int, year: int | None) -> Date | None:
        monday = days.week_of(number, self.base, year)
        return self.over(start, end, days.week(monday) if monday else None, relative=False)

    def part_before(self, at: int) -> tuple[str, int] | None:
        said = ((role, self.behind(role, at)) for role in _PARTS)
        return next(((role, found[1]) for role, found in said if found), None)

    def is_meant(self, at: int, end: int) -> bool:
        """Whether a word that says other things too stands where a date does."""
        word = self.lower[at:end].rstrip(".")
        if word not in self.words.roles["doubtful"].value:
            return True
        stands = self.is_awaited(at) or self.is_alone(at, end)
        stands = stands or self.at("day_parts", end + 1) is not None
        stands = stands or (self.lower[at - 1 : at] == "(" and self.lower[end : end + 1] == ")")  # "pay the rent (Fri)"
        beside = _SEVERAL.match(self.lower, end)  # "wed & thurs"
        stands = stands or (beside is not None and self.at("weekdays", beside.end()) is not None)
        stands = stands or (self.text[at].isupper() and self.are_hours(self.skip(end, gap=BLANK)))
        return (len(word) > 2 or self.text[at].isupper()) and stands

    def is_awaited(self, at: int) -> bool:
        """Whether a word stands before it that stands before dates, or the first day of a range."""
        place = at - 2 if self.lower[max(at - 2, 0) : at] == ": " else at  # "due: 3/12"
        ends = tuple(word[1:] for word in listed("matters", "deadline") if word[0] == "*")  # "Abgabefrist 3.12"
        awaited = at == self.ends_range or self.behind("before", place) is not None
        return awaited or self.lower[max(place - 12, 0) : place].rstrip().endswith(ends)

    def is_alone(self, at: int, end: int) -> bool:
        return len(self.lower) < 40 and not self.lower[:at].strip(" *_~([") and not self.lower[end:].strip(" .*_~)]")
