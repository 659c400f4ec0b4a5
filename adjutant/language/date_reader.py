"""LANGUAGE. Reads the dates of one text: from each place where one may begin, by the words of its languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from adjutant.language import date_days as days
from adjutant.language.date_days import NOTHING, WEEK, Date
from adjutant.language.date_figures import BLANK, DASH, DOTTED, FOLLOWS, GAP, SHORT, YEAR, Figures

_WEEK_NUMBER = re.compile(r"\.? ?(\d{1,2})(?![\d:/%-]|[.,]\d)")
_CLOCK = re.compile(r"(\d{1,2})([:.])(\d\d)(?![\d:]|[.,]\d)")
_HOUR = re.compile(r"(\d{1,2})()()(?![\d:/%]|[.,]\d)")
_UNTIL = re.compile(r" ?[-–—] ?(\d{1,2})(?:[:.]\d\d)?(?![\d:/%]|[.,]\d)")
_CLOCK_BEFORE = re.compile(r"(?<![\d.,:/-])(\d{1,2})(?:[:.](\d\d))? ?([ap]\.?m\.?)?[,.]? {1,2}\Z")
_COUNT = re.compile(r"(?<![\d.,:/-])(\d{1,3}) {1,2}\Z")
_IN_BRACKETS = re.compile(r" ?[(,]? ?")
_SMALL = re.compile(r"\D*[1-6](?:[:.]\d\d)?(?: ?[-–—][^a-z]*)?")  # an hour of the afternoon, where it stands alone
_STEPS = {"next": 1, "last": -1, "this": 0}


class DateReader(Figures):
    """One text under the reading."""

    def dates(self) -> Iterator[Date]:
        """The dates in order."""
        for match in self.words.scan.finditer(self.lower):
            if match.start() < self.floor:
                continue
            found = self.core(match.start())
            if found is None:
                continue
            if found.first is not NOTHING:
                found = self.with_last_day(self.with_time(self.with_weekday(self.with_week(found))))
                yield found
            self.floor = found.end

    def core(self, at: int) -> Date | None:
        """The date that begins here, without what belongs to it."""
        named = self.words.begins(self.lower, at)
        if named is not None:
            (role, value), end = named
            return self.named(role, at, end, value)
        return self.figure(at) if self.lower[at : at + 1].isdigit() else None

    def named(self, role: str, at: int, end: int, value: Any) -> Date | None:
        """The date that begins with a word of a list."""
        if role == "no_dates":
            return Date(at, end, NOTHING, NOTHING)
        if role == "months":
            return self.month(at, end, value)
        if role == "weekdays":
            return self.weekday(at, end, value)
        if role == "ordinals":
            return self.ordinal(at, end, value)
        if role == "units":
            return self.unit(at, end, value)
        if role == "week":
            return self.week_number(at, end)
        return self.spoken(role, at, end, value)

    # -- words -----------------------------------------------------------------------------------------------

    def weekday(self, at: int, end: int, wanted: int) -> Date | None:
        """Friday, next Friday, Friday next week, Tues 24 Nov, Wed 25th."""
        end += self.lower[end : end + 1] == "." and end - at < 5
        gap = GAP.match(self.lower, end)
        place = gap.end() if gap else end
        if word := self.words.at("day_words", self.lower, place):
            place = word[1] + 1
        short = end - at < 4 and len(self.lower[at:end].rstrip(".")) < 3  # Do, Mi, So: other words in small letters
        day = self.dated(place, wanted) if not short or self.text[at].isupper() else None
        if day is not None and (not short or not day.relative or self.lower[day.end : day.end + 1] == "."):
            return day._replace(start=at)
        if not self.anchored or self.words.behind("recurring", self.lower, at) or not self.is_meant(at, end):
            return None
        start, ahead = at, (wanted - self.base.weekday()) % 7
        if last := self.words.behind("last", self.lower, at):
            start, ahead = last[1], ahead - 7
        elif coming := self.words.behind("next", self.lower, at):
            start, ahead = coming[1], ahead or 7
        elif self.words.behind("since", self.lower, at):
            ahead -= 7
        blank = BLANK.match(self.lower, end)
        if week := self.week_named(blank.end() if blank else end):
            return self.on(start, week.end, week.first + timedelta(days=wanted), relative=True)
        return self.on(start, end, self.base + timedelta(days=ahead), relative=True)

    def dated(self, at: int, wanted: int) -> Date | None:
        """The date behind a weekday: with its month, or the day alone."""
        if named := self.words.at("months", self.lower, at):
            day = self.month(at, named[1], named[0])
            return day if day and day.exact else None
        if not self.lower[at : at + 1].isdigit():
            return None
        if day := self.whole(at) or self.day_month(at):
            return day
        if short := DOTTED.match(self.lower, at) or SHORT.match(self.lower, at):
            day = self.pair(short, self.order or self.words.order)
            sure = day and (short.re is DOTTED or short[2] == "/" or day.first.weekday() == wanted)
            return day if sure else None  # "fredag 10.12" may be a time
        number = self.number(at)
        marked = number is not None and not self.lower[number[1] - 1].isdigit()
        if number is None or not self.stands_alone(number[1], strictly=not marked):
            return None
        both = days.number_day(number[0], self.base, weekday=wanted)
        return self.on(
            at, number[1], both or (days.number_day(number[0], self.base) if marked else None), relative=True
        )

    def week_named(self, at: int) -> Date | None:
        """The week that begins here: "next week"."""
        for role in _STEPS:
            if said := self.words.at(role, self.lower, at):
                unit = self.words.at("units", self.lower, said[1] + 1)
                if unit and unit[0] == WEEK:
                    return self.over(at, unit[1], days.period(WEEK, _STEPS[role], self.base))
        return None

    def month(self, at: int, end: int, month: int) -> Date | None:
        """Nov 24, Dec 7-9, December 2026, in December, mid-December."""
        blank = BLANK.match(self.lower, end)
        place = blank.end() if blank else end
        if word := self.words.at("day_words", self.lower, place):
            place = word[1] + 1
        if place > end and (day := self.number(place)):
            last = self.to_number(day[1])
            return self.in_month(at, (last or day)[1], month, day[0], (last or day)[0])
        year = YEAR.match(self.lower, end + (self.lower[end : end + 1] == "."))
        doubtful = end - at < 4 or self.lower[at:end] in self.words.roles["doubtful"].value
        if not year and doubtful and not (self.is_awaited(at) or self.is_alone(at, end) or self.part_before(at)):
            return None
        middle = days.make(int(year[1]), month, 15) if year else days.nearest(month, 15, self.base)
        return self.over(at, year.end() if year else end, days.month_days(middle) if middle else None, relative=False)

    def ordinal(self, at: int, end: int, number: int) -> Date | None:
        """The fifteenth of November, by the fifteenth."""
        if month := self.month_word(end):
            return self.in_month(at, month[1], month[0], number, number)
        word = self.words.behind("day_words", self.lower, at)
        awaited = word is not None and self.words.behind("before", self.lower, word[1]) is not None
        if word is None or not awaited or FOLLOWS.match(self.lower, end):
            return None
        return self.on(word[1], end, days.number_day(number, self.base), relative=True)

    def spoken(self, role: str, at: int, end: int, value: Any) -> Date | None:
        """Tomorrow, EOD, EOD Tuesday, end of the month, this weekend."""
        if role == "day_end":
            return self.day_end(at, end)
        if not self.anchored:
            return None
        monday, sunday = days.week(self.base)
        if role == "relative":
            return self.on(at, end, self.base + timedelta(days=value), relative=True)
        if role == "month_end":
            return self.over(at, end, days.part(*days.month_days(self.base), "end_of"))
        if role == "week_end":
            return self.over(at, end, days.part(monday, sunday, "end_of"))
        said = next(
            ((step, found[1]) for role, step in _STEPS.items() if (found := self.words.behind(role, self.lower, at))),
            (0, at),
        )
        later = timedelta(days=7 * said[0] * (said[0] < 0 or self.base.weekday() < 5))
        return self.over(said[1], end, (monday + timedelta(days=5) + later, sunday + later))

    def day_end(self, at: int, end: int) -> Date | None:
        """EOD: today; EOD Tuesday, end of day on 24 Nov: that day."""
        place = end + 1
        if before := self.words.at("before", self.lower, place):
            place = before[1] + 1
        named = self.words.begins(self.lower, place)
        begins = self.words.scan.match(self.lower, place) and not (named and named[0][0] == "day_end")
        day = self.core(place) if begins else None
        if day is not None and day.exact and day.first is not NOTHING:
            return day._replace(start=at)
        return self.on(at, end, self.base if self.anchored else None, relative=True)

    def unit(self, at: int, end: int, unit: int) -> Date | None:
        """Next week, in 3 days, two weeks ago, week 47."""
        if unit == WEEK and (found := self.week_number(at, end)):
            return found
        for role, step in _STEPS.items() if self.anchored else ():
            if said := self.words.behind(role, self.lower, at):
                return self.over(said[1], end, days.period(unit, step, self.base), exact=unit == 1)
        return self.counted(at, end, unit) if self.anchored else None

    def counted(self, at: int, end: int, unit: int) -> Date | None:
        figure = _COUNT.search(self.lower, max(0, at - 8), at)
        worded = self.words.behind("numbers", self.lower, at)
        if figure is None and worded is None:
            return None
        count, start = (int(figure[1]), figure.start()) if figure else worded or (0, 0)
        if ago := self.words.at("ago", self.lower, end + 1):
            end, count = ago[1], -count
        elif before := self.words.behind("before_ago", self.lower, start):
            start, count = before[1], -count
        elif ahead := self.words.behind("ahead", self.lower, start):
            start = ahead[1]
        else:
            return None
        found = self.on(start, end, days.move(self.base, count, unit), relative=True)
        return found and found._replace(exact=unit == 1)

    def week_number(self, at: int, end: int) -> Date | None:
        """Week 47, KW 47."""
        number = _WEEK_NUMBER.match(self.lower, end) if self.words.at("week", self.lower, at) else None
        return self.whole_week(at, number.end(), int(number[1]), None) if number else None

    # -- what belongs to a date ------------------------------------------------------------------------------

    def with_week(self, found: Date) -> Date:
        """The week that a day begins: "w/c 23 Nov"."""
        week = self.words.behind("week_of", self.lower, found.start) if found.exact else None
        if week is None or week[1] < self.floor or found.first != found.last:
            return found
        return found._replace(start=week[1], last=found.first + timedelta(days=6), exact=False)

    def with_weekday(self, found: Date) -> Date:
        """With the weekday behind it: "24 Nov (Tue)"."""
        gap = _IN_BRACKETS.match(self.lower, found.end) if found.exact else None
        named = self.words.at("weekdays", self.lower, gap.end()) if gap and gap.end() > found.end else None
        if named is None or named[0] != found.first.weekday():
            return found
        return found._replace(end=named[1] + (self.lower[named[1] : named[1] + 1] == ")"))

    def with_time(self, found: Date) -> Date:
        """With the time behind or before it."""
        if found.time or not found.exact:
            return found
        gap = GAP.match(self.lower, found.end)
        place = gap.end() if gap else found.end
        if part := self.words.at("day_parts", self.lower, place):
            gap = GAP.match(self.lower, part[1])
            found, place = found._replace(end=part[1]), gap.end() if gap else part[1]
        dotted = "." in self.words.separators or self.words.at("weekdays", self.lower, found.start) is not None
        if time := self.time_at(place, found.end, dotted):
            return found._replace(time=time[0] if part else self.as_told(time[0], place, time[1]), end=time[1])
        before = self.words.behind("before", self.lower, found.start)
        end = before[1] if before else found.start
        noon = self.words.behind("times", self.lower, end)
        if noon and noon[1] >= self.floor:
            return found._replace(time=noon[0], start=noon[1])
        clock = _CLOCK_BEFORE.search(self.lower, max(self.floor, end - 12), end)
        if clock is None or not (clock[2] or clock[3]):
            return found
        added = None if not clock[3] else 12 if clock[3][0] == "p" else 0
        time_ = days.clock(int(clock[1]), int(clock[2] or 0), added)
        return found._replace(time=time_, start=clock.start(1)) if time_ else found

    def as_told(self, time: str, at: int, end: int) -> str:
        """A time as English means it: "at 2" is in the afternoon, where neither "02:00" nor "2am" is written."""
        small = "." not in self.words.separators and _SMALL.fullmatch(self.lower, at, end)
        return f"{int(time[:2]) + 12}{time[2:]}" if small else time

    def time_at(self, at: int, date_end: int, dotted: bool) -> tuple[str, int] | None:
        """(10:30, end) of 10:30, 4pm, at 10, kl. 10.30, noon. `dotted`: 10.30 alone is a time here, no amount."""
        said = self.words.at("time_words", self.lower, at)
        gap = BLANK.match(self.lower, said[1]) if said else None
        place = gap.end() if gap else at
        if place == date_end:
            return None
        if noon := self.words.at("times", self.lower, place):
            return str(noon[0]), noon[1]
        found = _CLOCK.match(self.lower, place) or _HOUR.match(self.lower, place)
        if found is None:
            return None
        unit, end = self.unit_at(found.end())
        until = _UNTIL.match(self.lower, end)
        last, until_end = self.unit_at(until.end()) if until else (None, end)
        glued = self.lower[end : end + 1].isalpha()
        sure = said or found[2] == ":" or (dotted and found[3] in ("00", "15", "30", "45"))
        if unit is None and last is None and (glued or not sure):
            return None
        same = last is not None and until is not None and int(found[1]) <= int(until[1])  # "2-3pm", not "11-1pm"
        time = days.clock(int(found[1]), int(found[3] or 0), unit if unit is not None else last if same else None)
        return (time, until_end) if time else None

    def unit_at(self, at: int) -> tuple[int | None, int]:
        """(what the unit of a time adds to its hour, its end): None where there is none."""
        unit = self.words.at("time_units", self.lower, at + (self.lower[at : at + 1] == " "))
        return unit or (None, at)

    def with_last_day(self, found: Date) -> Date:
        """With the last day of a range: "28 Nov – 2 Dec"."""
        if not found.exact or found.first != found.last or found.time:
            return found
        gap = DASH.match(self.lower, found.end)
        if gap is None:
            blank = BLANK.match(self.lower, found.end)
            through = self.words.at("through", self.lower, blank.end()) if blank else None
            if through is None:
                return found
        place = gap.end() if gap else through[1] + 1 if through else 0
        self.ends_range = place
        last = self.core(place) if self.words.scan.match(self.lower, place) else None
        if last is None or last.first is NOTHING or not last.exact:
            return found
        if found.relative and last.last < self.base < found.first:  # "Thu-Fri last week"
            found = found._replace(first=last.first - timedelta(days=(last.first - found.first).days % 7))
        day = last.last + timedelta(days=7 if last.relative and last.last < found.first else 0)
        return found._replace(end=last.end, last=day) if found.first < day else found
