"""DOMAIN. What the calendars of a knowledge base say: an appointment for each time of each event."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from adjutant.documents import calendar
from adjutant.documents.calendar import Calendar, Event, Occurrence
from adjutant.domain.matters.fact import Fact, Reading, Span, State
from adjutant.language.detect import language_of
from adjutant.language.stems import stems
from adjutant.screening.fence import clean_line

FORTNIGHT = 14  # days that questions are answered for, whatever the horizon
INSTANCE = "RECURRENCE-ID "  # how the heading of one time of a series begins: which of them it is
MOST_PROBLEMS = 20  # of one file, by their lines
MISSING = (
    "events that recur are read with an extra: in a checkout `bin/adjutant kb add NAME FOLDER --kind calendar` "
    "installs it; else `pipx runpip adjutant install 'adjutant[calendar]'`"
)


def is_calendar(path: str) -> bool:
    """Whether a file's name is that of a calendar."""
    return path.lower().endswith((".ics", ".ical"))


def form(now: datetime, days: int, own: Collection[str]) -> str:
    """What the reading of calendars depends on beside their text."""
    return f"{now.tzinfo} {days} {sorted(own)} {calendar.are_readable()}"


def unfold(
    readings: Sequence[Reading], texts: Mapping[str, str], now: datetime, days: int, own: Collection[str]
) -> Iterator[Reading]:
    """Readings of calendars, each event at all its times of the next `days`. Without the library they stay as they are,
    single events at the time that stands in the file. `own`: the operator's addresses, by which they may decline."""
    lines = [texts[each.path].split("\n") for each in readings]
    if not calendar.are_readable():
        for each, said in zip(readings, lines, strict=True):
            lacks = any(line.startswith(calendar.RECURS) for line in said)
            yield replace(each, problems=(MISSING,)) if lacks else each
        return
    for each, said, found in zip(readings, lines, calendar.read_times(lines, now, days), strict=True):
        yield _unfold_one(each, said, found, own)


def counts(readings: Sequence[Reading]) -> dict[str, int]:
    """What a person is told of a calendar: events ahead, how many of them recur."""
    found = [(each.path, fact) for each in readings for fact in each.facts if fact.basis == "event"]
    ahead = {(path, fact.line) for path, fact in found if fact.kind == "appointment"}
    return {"events": len(ahead), "recurring": len({(path, fact.what) for path, fact in found if fact.heads})}


def _unfold_one(reading: Reading, lines: Sequence[str], found: Calendar, own: Collection[str]) -> Reading:
    code = language_of("\n".join(lines[:100]))
    kept = [fact for fact in reading.facts if fact.kind != "appointment"]
    people = Counter(each for one in found.found for each in one.event.attendees)
    own = own or [address for address, _ in people.most_common(1)]
    off = {each for each in found.found if _is_off(each.event, own)}
    made = [(_fact(lines, each, code, "dropped" if each in off else "open"), each) for each in found.found]
    free = {each for each in found.found if each.event.values().get("TRANSP", "").upper() == "TRANSPARENT"}
    spans = [_span(fact, each) for fact, each in made if each not in off | free]
    return replace(
        reading,
        facts=(*kept, *(fact for fact, _ in made)),
        spans=tuple(spans),
        recurs=found.recurs,
        problems=tuple(_problems(reading.path, found.problems)),
    )


def _problems(path: str, found: Sequence[tuple[int, str]]) -> Iterator[str]:
    for line, what in found[:MOST_PROBLEMS]:
        yield f"{path}:{line}: an event left out ({clean_line(what, 120)})"
    if len(found) > MOST_PROBLEMS:
        yield f"{path}: {len(found) - MOST_PROBLEMS} more events left out"


def _fact(lines: Sequence[str], each: Occurrence, code: str, state: State) -> Fact:
    said = each.event.values()
    what = (said.get("SUMMARY") or said.get("LOCATION") or "an event without a name")[:200]
    line = next((field.line for field in each.event.fields if field.name == "SUMMARY"), each.event.line)
    return Fact(
        kind="appointment",
        line=line,
        quote=lines[line - 1].strip()[:300].rstrip(),
        what=what,
        basis="event",
        state=state,
        first=each.start.date(),
        last=max(each.start, each.end - timedelta(minutes=1)).date(),
        time="" if each.all_day else f"{each.start:%H:%M}",
        heads=(f"{INSTANCE}{each.instance}",) if each.instance else (),
        stems=stems(what, code),
    )


def _span(fact: Fact, each: Occurrence) -> Span:
    key = f"{each.event.values().get('UID', '')} {each.instance}"
    return Span(fact.line, fact.quote, fact.what, each.start, each.end, key, "", each.all_day)


def _is_off(event: Event, own: Collection[str]) -> bool:
    """Whether an event is cancelled, or the operator declined it."""
    return event.values().get("STATUS", "").upper() == "CANCELLED" or any(event.attendees.get(each) for each in own)
