"""What a file itself tells to be over or beside the point: addenda, routine log lines, answered chat, asides."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from datetime import date

from adjutant.domain.knowledge.context import Base, Place
from adjutant.domain.knowledge.structure import Unit

ADDENDUM = re.compile(
    r"^\W*(?:later|added|addendum|update[d]?|edit(?:ed)?|p\.?s\.?|follow-?up|nachtrag|ergänzung|ergänzt|später|neu|"
    r"tillegg|senere|oppdatering|oppdatert|ettertanke)\b",
    re.IGNORECASE,
)
FIGURES = re.compile(r"[\d.,:/\-–%]+")
LEAD = 14  # characters within which a line's own date stands at its head
ANSWERS = 4  # messages of a chat within which one that ends well answers what came before
LOG, LOG_TAIL, LOG_FRESH_DAYS = 8, 5, 10
ROUTINE_LOG = 5
ASIDE_WORDS = 12


def settled_before(place: Place, base: Base) -> int:
    """The line of the last addendum that ends well; 0 where there is none. What stands above it is over."""
    last = 0
    for index, unit in enumerate(place.doc.units[1:], start=1):
        if unit.kind not in ("para", "item") or unit.box or not place.readings[index].closed:
            continue
        days = [f for f in place.found[index] if f.start <= LEAD and f.day <= base.today]
        named = ADDENDUM.match(unit.text) is not None
        newer = place.doc.day is not None and any(f.day > place.doc.day for f in days)
        if (named and (days or newer or place.doc.meta)) or (newer and place.doc.meta):
            last = unit.line
    return last


def routine(place: Place, index: int) -> bool:
    """A line of a log that says word for word what another one said: what happens again and again is no news."""
    unit = place.doc.units[index]
    if unit.box or unit.kind in ("row", "record"):
        return False
    said = place.said.get(unit.section)
    if said is None:
        entries = [u for u in place.doc.units if u.section == unit.section and not u.box and _entry(u)]
        said = place.said[unit.section] = Counter(_wording(u) for u in entries)
    return said.total() >= ROUTINE_LOG and _entry(unit) and said[_wording(unit)] >= 2


def _entry(unit: Unit) -> bool:
    return unit.dated or (unit.kind == "item" and any(c.isdecimal() for c in unit.text[:LEAD]))


def _wording(unit: Unit) -> str:
    words = FIGURES.sub(" ", unit.text.lower()).split()
    return " ".join(words[1:] if len(words) > 1 and len(words[0]) <= 5 else words)


def answered(place: Place, index: int) -> bool:
    """A message that one of the next few in the chat brings to a good end."""
    unit = place.doc.units[index]
    if unit.kind != "chat":
        return False
    return any(
        later.kind == "chat" and place.readings[index + step].closed
        for step, later in enumerate(place.doc.units[index + 1 : index + 1 + ANSWERS], start=1)
    )


def old_entry(place: Place, index: int, today: date) -> bool:
    """An entry of a long log, older than a few days, that others followed."""
    unit = place.doc.units[index]
    if not unit.dated or unit.day is None or (today - unit.day).days <= LOG_FRESH_DAYS:
        return False
    days = place.log_days.get(unit.section)
    if days is None:
        dated = (u.day for u in place.doc.units if u.section == unit.section and u.dated and u.day is not None)
        days = place.log_days[unit.section] = sorted(dated)
    return len(days) >= LOG and len(days) - bisect_right(days, unit.day) >= LOG_TAIL


def aside(place: Place, index: int) -> bool:
    """A short undated remark in a run of such remarks after the matter of the file: how the house is kept."""
    unit = place.doc.units[index]
    if unit.kind != "para" or unit.fields or place.found[index]:
        return False
    run = place.runs.get((unit.section, unit.block))
    if run is None:
        run = place.runs[(unit.section, unit.block)] = _run_of_remarks(place, unit)
    return run


def _run_of_remarks(place: Place, unit: Unit) -> bool:
    units = place.doc.units
    here = [n for n, u in enumerate(units) if (u.section, u.block) == (unit.section, unit.block)]
    if not here or all(u.block >= unit.block for u in units if u.section <= unit.section):
        return False  # the first thing a file says is what it is about
    remarks = sum(
        1
        for n in here
        if not place.found[n]
        and not any(c.isdecimal() for c in units[n].text)
        and len(place.readings[n].tokens) <= ASIDE_WORDS
    )
    return len(here) >= 2 and remarks == len(here)
