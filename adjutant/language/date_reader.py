"""LANGUAGE. Reads the dates of one text: from each place where one may begin, by the words of its languages."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from adjutant.language import date_days as days
from adjutant.language.date_days import NOTHING, WEEK, Date
from adjutant.language.date_figures import BLANK, DASH, DOTTED, FOLLOWS, SHORT, STEPS, YEAR, Figures

_WEEK_NUMBER = re.compile(r"\.? ?(\d{1,2})(?![\d:/%-]|[.,]\d)")
_COUNT = re.compile(r"(?<![\d.,:/-])(\d{1,3}) {1,2}\Z")
_NO_WEEKS = re.compile(r"(?! ?\d|['’-])")  # behind "Friday week"
_COUNT_BEFORE = re.compile(r"(?<![\d.,:/-])(\d{1,2})\. ?\Z")  # 48. KW
_TOLD = re.compile(r"[^\W\d_]+\W+(?=[^\W\d_]+\W*\Z)")  # a word before the weekday: no heading of a diary
FAR = timedelta(days=14)  # a weekday's number is rather an hour beyond that
_IN_BRACKETS = re.compile(r" ?[(,]? ?")


class DateReader(Figures):
    """One text under the reading."""

    def dates(self) -> Iterator[Date]:
        for match in self.words.scan.finditer(self.lower):
            if match.start() < self.floor:
                continue
            found = self.core(match.start())
            if found is None:
                continue
            if found.first is not NOTHING:
                found = self.with_day(self.with_weekday(self.with_week(self.with_weeks(found))))
                self.remember(found, self.lower)
                found = self.with_last_day(self.with_time(found))
                yield found
            self.floor = found.end

    def remember(self, found: Date, text: str) -> None:
        """Keeps a day that is named by its number, for what points back to it."""
        named = not found.relative or any(map(str.isdigit, text[found.start : found.end]))
        if named and found.exact and found.first == found.last:
            self.told[found.first.weekday()] = self.latest = found.first

    def core(self, at: int) -> Date | None:
        named = self.words.hot.at(self.lower, at)
        if named is not None:
            (role, value), end = named
            return self.named(role, at, end, value)
        return self.figure(at) if self.lower[at : at + 1].isdigit() else None

    def named(self, role: str, at: int, end: int, value: Any) -> Date | None:
        if role == "no_dates":
            return Date(at, end, NOTHING, NOTHING)
        named = {"months": self.month, "weekdays": self.weekday, "ordinals": self.ordinal, "units": self.unit}
        if role in named:
            return named[role](at, end, value)
        if role == "week":
            return self.week_number(at, end)
        return self.spoken(role, at, end, value)

    # -- words -----------------------------------------------------------------------------------------------
    def weekday(self, at: int, end: int, wanted: int) -> Date | None:
        """Friday, next Friday, Friday next week, Tues 24 Nov, Wed 25th."""
        end += self.lower[end : end + 1] == "." and end - at < 5
        short = end - at < 4 and len(self.lower[at:end].rstrip(".")) < 3  # Do, Mi, So: other words in small letters
        day = self.dated(self.skip(end, "day_words"), wanted) if not short or self.text[at].isupper() else None
        if day is not None and (not short or not day.relative or self.lower[day.end : day.end + 1] == "."):
            return day._replace(start=at)
        if not self.anchored or self.behind("recurring", at) or not self.is_meant(at, end):
            return None
        pointed = self.behind("that_day", at) or self.at("that_day", at)
        told = self.told.get(wanted)
        if told is None and self.latest is not None and self.latest >= self.base:  # the one beside it
            told = self.latest + timedelta(days=(wanted - self.latest.weekday() + 3) % 7 - 3)
        if told is not None and pointed:
            return self.on(at, end, told)
        if nth := self.nth(at, end, wanted):
            return nth
        start, ahead = at, (wanted - self.base.weekday()) % 7
        if last := self.behind("last", at):
            start, ahead = last[1], ahead - 7
        elif coming := self.behind("next", at):
            start, ahead = coming[1], ahead or 7
        elif self.behind("since", at):
            ahead -= 7
        if week := self.week_named(self.skip(end, gap=BLANK)):
            return self.on(start, week.end, week.first + timedelta(days=wanted), relative=True)
        return self.on(start, end, self.base + timedelta(days=ahead), relative=True)

    def dated(self, at: int, wanted: int) -> Date | None:
        """The date behind a weekday: with its month, or the day alone."""
        if named := self.at("months", at):
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
        told = _TOLD.search(self.lower, 0, at)
        past = told is not None and any(self.behind(role, told.end()) for role in ("last", "since"))
        ahead = told is not None and not past
        both = days.number_day(number[0], self.base, weekday=wanted, ahead=ahead)
        if not marked and (both is None or abs(both - self.base) > FAR) and self.are_hours(at):
            return None
        both = days.number_day(number[0], self.base) if marked and not both else both
        return self.on(at, number[1], both, relative=True)

    def nth(self, at: int, end: int, wanted: int) -> Date | None:
        """The first Monday in December, the last Friday of the month."""
        last = self.behind("last", at)
        count = (-1, last[1]) if last else self.behind("ordinals", at)
        month = self.at("months", self.skip(end, "of", "before"))
        near = days.nearest(month[0], 15, self.base) if month else None
        if count is None or month is None or near is None:
            return None
        every = (days.make(near.year, near.month, number) for number in range(1, 32))
        such = [day for day in every if day and day.weekday() == wanted]
        return self.on(count[1], month[1], such[min(count[0], len(such)) - (count[0] > 0)])

    def week_named(self, at: int) -> Date | None:
        """The week that begins here: "next week"."""
        if week := self.at("weeks", at):
            return self.over(at, week[1], days.period(WEEK, week[0], self.base))
        for role in STEPS:
            if said := self.at(role, at):
                unit = self.at("units", said[1] + 1)
                if unit and unit[0] == WEEK:
                    return self.over(at, unit[1], days.period(WEEK, STEPS[role], self.base))
        return None

    def month(self, at: int, end: int, month: int) -> Date | None:
        """Nov 24, Dec 7-9, December 2026, in December, mid-December."""
        place = self.skip(end, "day_words", gap=BLANK)
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
        word = self.behind("day_words", at)
        awaited = word is not None and self.behind("before", word[1]) is not None
        awaited = awaited or (word is not None and self.is_awaited(at) and self.text[at].isupper())  # "zum Ersten"
        if word is None or not awaited or FOLLOWS.match(self.lower, end):
            return None
        return self.on(word[1], end, days.number_day(number, self.base), relative=True)

    def spoken(self, role: str, at: int, end: int, value: Any) -> Date | None:
        """Tomorrow, EOD, EOD Tuesday, end of the month, this weekend."""
        if role == "day_end":
            return self.beside(at, end, 0, self.base if self.anchored else None)
        if role == "feasts":
            feast = days.nearest(int(value[:2]), int(value[3:]), self.base) if self.is_awaited(at) else None
            return self.on(at, end, feast)
        if role == "beside":
            return self.beside(at, end, value, self.latest)
        if not self.anchored:
            return None
        monday, sunday = days.week(self.base)
        if role == "relative":
            return self.on(at, end, self.base + timedelta(days=value), relative=True)
        if role == "weeks":
            return self.week_named(at)
        year = date(self.base.year, 12, 31)
        ends = {"week_end": sunday, "month_end": days.month_days(self.base)[1], "year_end": year}
        if role in ends:
            return self.over(at, end, days.part(ends[role], ends[role], "end_of"))
        steps = ((step, self.behind(role, at)) for role, step in STEPS.items())
        said = next(((step, found[1]) for step, found in steps if found), (0, at))
        nearest = self.behind("coming", at) or (said[0] > 0 and self.base.weekday() >= 5)
        later = timedelta(days=0 if nearest else 7 * said[0])
        return self.over(said[1], end, (monday + timedelta(days=5) + later, sunday + later))

    def beside(self, at: int, end: int, step: int, alone: date | None) -> Date | None:
        """EOD: today; EOD Tuesday, end of day on 24 Nov, the day before the 5th; `alone`: else."""
        if self.at("relative", self.lower.find(" ", at) + 1):
            return None  # "the day after tomorrow"
        place = self.skip(end, "before", "day_words", gap=BLANK)
        named = self.words.hot.at(self.lower, place)
        begins = self.words.scan.match(self.lower, place) and not (named and named[0][0] in ("day_end", "beside"))
        day = self.core(place) if begins else None
        if day is not None and day.exact and day.first is not NOTHING:
            return self.on(at, day.end, day.first + timedelta(days=step))
        return self.on(at, end, alone + timedelta(days=step) if alone else None, relative=not step)

    def unit(self, at: int, end: int, unit: int) -> Date | None:
        """Next week, in 3 days, two weeks ago, week 47."""
        if unit == WEEK and (found := self.week_number(at, end)):
            return found
        for role, step in STEPS.items() if self.anchored and unit > 1 else ():  # "the next day" is one of a story
            if said := self.behind(role, at):
                return self.over(said[1], end, days.period(unit, step, self.base))
        return self.counted(at, end, unit) if self.anchored else None

    def counted(self, at: int, end: int, unit: int) -> Date | None:
        figure = _COUNT.search(self.lower, max(0, at - 8), at)
        worded = self.behind("numbers", at)
        if figure is None and worded is None:
            return None
        count, start = (int(figure[1]), figure.start()) if figure else worded or (0, 0)
        if ago := self.at("ago", end + 1):
            end, count = ago[1], -count
        elif before := self.behind("before_ago", start):
            start, count = before[1], -count
        elif hence := self.at("hence", end + 1):
            end = hence[1]
        elif ahead := self.behind("ahead", start):
            start = ahead[1]
        else:
            return None
        found = self.on(start, end, days.move(self.base, count, unit), relative=True)
        return found and found._replace(exact=unit == 1)

    def week_number(self, at: int, end: int) -> Date | None:
        """Week 47, KW 47."""
        if not self.at("week", at):
            return None
        if number := _WEEK_NUMBER.match(self.lower, end):
            return self.whole_week(at, number.end(), int(number[1]), None)
        number = _COUNT_BEFORE.search(self.lower, max(self.floor, at - 5), at)
        return self.whole_week(number.start(), end, int(number[1]), None) if number else None

    # -- what belongs to a date ------------------------------------------------------------------------------
    def with_week(self, found: Date) -> Date:
        """The week that a day begins: "w/c 23 Nov"."""
        week = self.behind("week_of", found.start) if found.exact else None
        if week is None or week[1] < self.floor or found.first != found.last:
            return found
        return found._replace(start=week[1], last=found.first + timedelta(days=6), exact=False)

    def with_weeks(self, found: Date) -> Date:
        """So many weeks later: "a week on Friday", "Friday week", "übernächsten Freitag"."""
        before = self.behind("weeks_before", found.start)
        after = self.at("weeks_behind", self.skip(found.end, gap=BLANK))
        if not (found.relative and found.exact and found.first == found.last and not found.time):
            return found
        if before and before[1] >= self.floor and not self.behind("recurring", before[1]):
            found = found._replace(start=before[1], first=found.first + timedelta(days=before[0]))
        elif after and _NO_WEEKS.match(self.lower, after[1]):
            found = found._replace(end=after[1], first=found.first + timedelta(days=after[0]))
        return found._replace(last=found.first)

    def with_day(self, found: Date) -> Date:
        """The day of a week that is named behind it: "next week Friday", "KW 49, Montag"."""
        if found.exact or (found.last - found.first).days != WEEK - 1:
            return found
        place = self.skip(found.end, "before")
        named = self.at("weekdays", place)
        if named is None or not (named[1] - place > 3 or self.text[place].isupper()):
            return found
        if self.dated(self.skip(named[1]), named[0]):
            return found
        day = found.first + timedelta(days=named[0])
        return found._replace(end=named[1], first=day, last=day, exact=True)

    def with_weekday(self, found: Date) -> Date:
        """With the weekday behind it: "24 Nov (Tue)"."""
        place = self.skip(found.end, gap=_IN_BRACKETS)
        named = self.at("weekdays", place) if found.exact and place > found.end else None
        if named is None or named[0] != found.first.weekday():
            return found
        return found._replace(end=named[1] + (self.lower[named[1] : named[1] + 1] == ")"))

    def with_last_day(self, found: Date) -> Date:
        """With the last day of a range: "28 Nov – 2 Dec"."""
        if not found.exact or found.first != found.last or found.time:
            return found
        gap = DASH.match(self.lower, found.end)
        through = self.at("through", self.skip(found.end, gap=BLANK))
        if gap is None and through is None:
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
