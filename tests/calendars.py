"""A lived-in calendar of a year, drawn from a seed: series with exceptions, zones, whole days, one broken event."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta

ZONES = ("Europe/Oslo", "America/New_York", "Asia/Tokyo")
DAY, WEEK = timedelta(days=1), timedelta(days=7)
THINGS = ("violin", "dentist", "tax", "roof", "budget", "choir", "swimming", "yoga", "garage", "theatre", "physio")


def event(uid: str, what: str, start: datetime, minutes: int = 60, zone: str = ZONES[0], *more: str) -> str:
    """One event of so many minutes by the clock of a zone."""
    end = start + timedelta(minutes=minutes)
    times = [f"DTSTART;TZID={zone}:{start:%Y%m%dT%H%M%S}", f"DTEND;TZID={zone}:{end:%Y%m%dT%H%M%S}"]
    return "\r\n".join(("BEGIN:VEVENT", f"UID:{uid}", f"SUMMARY:{what}", *times, *more, "END:VEVENT", ""))


def day(uid: str, what: str, first: date, days: int = 1, *more: str) -> str:
    """One event of whole days."""
    times = [f"DTSTART;VALUE=DATE:{first:%Y%m%d}", f"DTEND;VALUE=DATE:{first + days * DAY:%Y%m%d}"]
    return "\r\n".join(("BEGIN:VEVENT", f"UID:{uid}", f"SUMMARY:{what}", *times, *more, "END:VEVENT", ""))


def calendar(*events: str) -> str:
    """A calendar of these events."""
    return "".join(("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n", *events, "END:VCALENDAR\r\n"))


def lived_in(today: date, seed: int) -> list[str]:
    """The events of the half year before and after `today`: each of the day's two hours holds one thing at most, so
    that nothing overlaps."""
    draw = random.Random(seed)
    begin = datetime.combine(today - 180 * DAY, datetime.min.time())
    made = list(_series(draw, begin, today))
    for number in range(120):
        start = begin + draw.randrange(360) * DAY + timedelta(hours=18)
        made.append(event(f"single{number}", f"{draw.choice(THINGS)} {number}", start, 30))
    firsts = {each.split("DTSTART")[1][:35]: each for each in made}  # one thing at one time
    return [*firsts.values(), *_days(draw, today)]


def _series(draw: random.Random, begin: datetime, today: date) -> Iterator[str]:
    for number, what in enumerate(THINGS[:5]):
        start = begin + (number - begin.weekday()) % 7 * DAY + timedelta(hours=8)
        uid, thursday = f"series{number}", start + (today - start.date()).days // 7 * WEEK + WEEK
        gone = f"EXDATE;TZID={ZONES[0]}:{thursday + WEEK:%Y%m%dT%H%M%S}"
        yield event(uid, f"{what} group", start, 45, ZONES[0], "RRULE:FREQ=WEEKLY", *[gone] * (number % 2))
        mark = f"RECURRENCE-ID;TZID={ZONES[0]}:{thursday:%Y%m%dT%H%M%S}"
        if number == 2:
            yield event(uid, f"{what} group", thursday + timedelta(hours=2), 45, ZONES[0], mark)
        if number == 3:
            yield event(uid, f"{what} group", thursday, 45, ZONES[0], mark, "STATUS:CANCELLED")
    yield event("ny", "call with the office", begin + timedelta(hours=6), 30, ZONES[1], "RRULE:FREQ=WEEKLY;BYDAY=TU,TH")
    yield event("tokyo", "call with the plant", begin + timedelta(hours=20), 30, ZONES[2], "RRULE:FREQ=MONTHLY")
    rdate = f"RDATE;TZID={ZONES[0]}:{datetime.combine(today + 3 * DAY, datetime.min.time()):%Y%m%dT150000}"
    yield event("rdate", "parents' evening", begin + timedelta(hours=15), 60, ZONES[0], rdate)


def _days(draw: random.Random, today: date) -> Iterator[str]:
    yield day("trip", "the trip to Bergen", today + 4 * DAY, 3)
    yield day("bin", "paper bin", today - 100 * DAY, 1, "RRULE:FREQ=WEEKLY;INTERVAL=2")
    yield "BEGIN:VEVENT\r\nUID:broken\r\nSUMMARY:half an event\r\nDTSTART:the day after\r\nEND:VEVENT\r\n"
    yield day("birthday", "birthday of Ola", today + draw.randrange(3, 9) * DAY, 1, "RRULE:FREQ=YEARLY")
