"""DOCUMENTS. Calendars (.ics): the events, each with its named values (RFC 5545), and when they take place."""

import importlib.util
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from itertools import chain
from typing import Any, NamedTuple

from adjutant.documents.blocks import Field

_NAMES = "SUMMARY DTSTART DTEND DUE LOCATION STATUS UID DESCRIPTION RRULE ORGANIZER TRANSP RDATE DURATION RECURRENCE-ID"
NAMES = frozenset(_NAMES.split())
KINDS = ("VEVENT", "VTODO")
VALUE_CHARS = 2000
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$")
_HEAD = re.compile(r'(?:[^":]|"[^"]*"|")*')  # a quoted parameter may hold a colon
_ESCAPED = re.compile(r"\\([\\;,nN])")


class Event:
    """An event; `end` is 0 where nothing ends it. `attendees`: {address: whether they declined}."""

    def __init__(self, kind: str, line: int) -> None:
        self.kind, self.line, self.end = kind, line, 0
        self.fields: list[Field] = []
        self.attendees: dict[str, bool] = {}

    def values(self) -> dict[str, str]:
        return {field.name: field.value for field in reversed(self.fields)}


def read(lines: Sequence[str]) -> list[Event]:
    """The events and to-dos of a calendar in order, those that nothing ends, too; an alarm within one is no part."""
    found: list[Event] = []
    here: Event | None = None
    inner = 0
    for line, end, text in unfold(lines):
        head = _HEAD.match(text)[0]  # type: ignore[index]  # the pattern matches anywhere
        name, _, parameters = head.partition(";")
        value = text[len(head) + 1 :]
        name = name.strip().upper()
        if name == "BEGIN" and value.strip().upper() in KINDS:
            here, inner = Event(value.strip().upper(), line), 0
            found.append(here)
        elif here is None:
            continue
        elif name == "BEGIN":
            inner += 1
        elif name == "END" and inner:
            inner -= 1
        elif name == "END":
            here.end = end
            here = None
        elif not inner and name == "ATTENDEE":
            address = value.strip().lower().removeprefix("mailto:")
            here.attendees[address] = "PARTSTAT=DECLINED" in parameters.upper()
        elif not inner and name in NAMES:
            here.fields += _fields(name, parameters, value.strip(), line)
    return found


def unfold(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, text): a line that begins with a blank goes on with the one above."""
    begin, said = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if line[:1] in (" ", "\t") and said:
            said.append(line[1:])
            continue
        if said:
            yield begin, number - 1, "".join(said)
        begin, said = number, [line]
    if said:
        yield begin, len(lines), "".join(said)


def _fields(name: str, parameters: str, value: str, line: int) -> Iterator[Field]:
    if name in ("DTSTART", "DTEND", "DUE") and (moment := _MOMENT.match(value)):
        time = f" {moment[4]}:{moment[5]}{moment[6]}" if moment[4] else ""
        yield Field(name, f"{moment[1]}-{moment[2]}-{moment[3]}{time}", line)
        zone = next((each[5:] for each in parameters.split(";") if each.upper().startswith("TZID=")), "")
        if zone:
            yield Field(f"{name}.TZID", zone.strip('"')[:80], line)
        return
    plain = _ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], value)
    yield Field(name, " ".join(plain.split())[:VALUE_CHARS], line)


# -- when events take place: recurrences, moved and cancelled times, in the operator's zone ------------------------
PROGRAM = os.path.join(os.path.dirname(os.path.dirname(__file__)), "children", "recurrences.py")
EXTRA = "recurring_ical_events"
SECONDS, MOST_OUT = 60.0, 32 * 1024 * 1024
AHEAD, SLACK = timedelta(days=400), timedelta(days=2)  # days in which a single event is looked for; of any zone
DAY, MOST_ZONES = timedelta(days=1), 60
RECURS = ("RRULE", "RDATE", "RECURRENCE-ID")


class Occurrence(NamedTuple):
    """A time of an event, `start` to before `end`, on the operator's clock. `instance`: of a series which, else ""."""

    event: Event
    start: datetime
    end: datetime
    all_day: bool
    instance: str


class Calendar(NamedTuple):
    """What takes place in the window, and what is wrong: (line, why). `recurs`: another day may show other times."""

    found: list[Occurrence]
    problems: list[tuple[int, str]]
    recurs: bool


class _Series(NamedTuple):
    """The events of one UID in one file."""

    file: int
    events: list[Event]
    text: str
    recurs: bool


def are_readable() -> bool:
    """Whether the extra is installed."""
    return importlib.util.find_spec(EXTRA) is not None


def read_times(texts: Sequence[Sequence[str]], now: datetime, days: int) -> list[Calendar]:
    """The calendars with these lines, recurrences from the day of `now` for `days` days, single events for a year.
    Never raises on content. Raises OSError where no child can be started."""
    first = now.date()
    made, series = [Calendar([], [], False) for _ in texts], list[_Series]()
    for number, lines in enumerate(texts):
        events = read(lines)
        made[number].problems.extend((each.line, "an event without END:VEVENT") for each in events if not each.end)
        mine = list(_series(number, lines, [each for each in events if each.end and each.kind == "VEVENT"], first))
        made[number] = made[number]._replace(recurs=any(each.recurs for each in mine))
        series += mine
    series.sort(key=lambda each: each.recurs)  # what no rule can hold up comes first
    # The machine's own zone is known by its offset of today alone; None stands for its offset of each moment.
    machine = isinstance(now.tzinfo, timezone) and now.astimezone().tzinfo == now.tzinfo
    zone, last = None if machine else now.tzinfo, first + timedelta(days=days)
    for one, (found, bad) in zip(series, _ask(series, first, last), strict=True):
        here, by_line = made[one.file], {each.line: each for each in one.events}
        here.problems.extend((int(line), why) for line, why in bad.items() if int(line) in by_line)
        if isinstance(found, str):
            here.problems.append((one.events[0].line, found))
            continue
        for line, *moments in found:
            each = _occurrence(by_line[line], moments, one.recurs, zone)
            if each.end > datetime.combine(first, time()) or each.start.date() >= first:
                here.found.append(each)
    return made


def _series(file: int, lines: Sequence[str], events: Sequence[Event], first: date) -> Iterator[_Series]:
    """The events by UID, but single ones that are over."""
    by_uid, zones = defaultdict[str, list[Event]](list), _zones(lines)
    for each in events:
        by_uid[each.values().get("UID") or f"line {each.line}"].append(each)
    for uid, group in by_uid.items():
        recurs = len(group) > 1 or any(name in group[0].values() for name in RECURS)
        if recurs or not _is_over(group[0], first):
            raw = [line for each in group for line in _mark(lines, each, uid)]
            known = [part for name, part in zones if not name or any(name in line for line in raw)]
            text = "\r\n".join(("BEGIN:VCALENDAR", *chain(*known), *raw, "END:VCALENDAR", ""))
            yield _Series(file, group, text, recurs)


def _mark(lines: Sequence[str], event: Event, uid: str) -> list[str]:
    named = [] if "UID" in event.values() else [f"UID:{uid}"]
    return [*lines[event.line - 1 : event.end - 1], *named, f"X-ADJUTANT-LINE:{event.line}", lines[event.end - 1]]


def _zones(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    """(name, lines) of the zones that a calendar defines itself; "" with the line that names the zone of all."""
    found, here = list[tuple[str, list[str]]](), list[str]()
    for line in lines:
        said = line.strip().upper()
        if said.startswith("X-WR-TIMEZONE:"):
            found.append(("", [line]))
        if here or said == "BEGIN:VTIMEZONE":
            here.append(line)
        if said == "END:VTIMEZONE" and here:
            name = next((each.partition(":")[2] for each in here if each.upper().startswith("TZID")), "").strip()
            found += [(name, here)] if name else []
            here = []
    return found[:MOST_ZONES]


def _is_over(event: Event, first: date) -> bool:
    said = event.values()
    text = said.get("DTEND") or ("" if "DURATION" in said else said.get("DTSTART", ""))
    try:
        return date.fromisoformat(text[:10]) < first - SLACK
    except ValueError:
        return False


def _ask(series: Sequence[_Series], first: date, last: date) -> list[tuple[list[list[Any]] | str, dict[str, str]]]:
    days = [{"first": first - SLACK, "last": last + SLACK if each.recurs else first + AHEAD} for each in series]
    asked = [{"file": str(each.file), "text": each.text, **day} for each, day in zip(series, days, strict=True)]
    if not asked:
        return []
    from adjutant.children import child  # only where there is a calendar

    argv, said_in = [sys.executable, "-I", PROGRAM], json.dumps({"series": asked}, default=str)
    given = said_in.encode("utf-8", "replace")
    ended = child.run(argv, env={}, cwd="/", stdin=given, seconds=SECONDS, out_limit=MOST_OUT)
    lines = ended.out.split(b"\n")[:-1]
    said = [json.loads(line) for line in lines[: len(asked)]]
    why = f"it was not read: {ended.cause or 'the reader ended early'}"
    return [*((found, bad) for found, bad in said), *((why, {}) for _ in asked[len(said) :])]


def _occurrence(event: Event, said: Sequence[str | None], recurs: bool, zone: tzinfo | None) -> Occurrence:
    start, end, original = said
    whole = len(str(start)) == len("2026-11-26")
    moments = (datetime.fromisoformat(str(each)) for each in (start, end))
    begin, over = (each.astimezone(zone).replace(tzinfo=None) if each.tzinfo else each for each in moments)
    if whole and over <= begin:
        over = begin + DAY
    return Occurrence(event, begin, max(begin, over), whole, (original or str(start)) * recurs)
