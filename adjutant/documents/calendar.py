"""DOCUMENTS. Calendars (.ics): the events, each with its named values; RFC 5545 lines unfolded, no recurrence.

`occurrences` says when events that recur take place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjutant.documents.blocks import Field

_NAMES = "SUMMARY DTSTART DTEND DUE LOCATION STATUS UID DESCRIPTION RRULE ORGANIZER TRANSP RDATE DURATION RECURRENCE-ID"
NAMES = frozenset(_NAMES.split())
KINDS = ("VEVENT", "VTODO")
VALUE_CHARS = 2000
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$")
_HEAD = re.compile(r'(?:[^":]|"[^"]*"|")*')  # a quoted parameter may hold a colon
_ESCAPED = re.compile(r"\\([\\;,nN])")


class Event:
    """An event under way; `end` is 0 while nothing ended it. `attendees`: {address: whether they declined}."""

    def __init__(self, kind: str, line: int) -> None:
        self.kind, self.line, self.end = kind, line, 0
        self.fields: list[Field] = []
        self.attendees: dict[str, bool] = {}

    def values(self) -> dict[str, str]:
        """{name: its first value}."""
        return {field.name: field.value for field in reversed(self.fields)}


def read(lines: Sequence[str]) -> list[Event]:
    """The whole events and to-dos of a calendar in order; what is inside of one (an alarm) is no part of it."""
    return [event for event in read_all(lines) if event.end]


def read_all(lines: Sequence[str]) -> list[Event]:
    """As `read`, with those that nothing ends: none lies within another."""
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
