"""DOMAIN. Two things at one time: events of calendars that overlap, or one and what the notes say of the same hour.

This is the one matter that rests on two knowledge bases; it stands in that of the event, and settles nothing of either.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from adjutant.domain.matters import settle, wording
from adjutant.domain.matters.events import FORTNIGHT, INSTANCE
from adjutant.domain.matters.fact import Span
from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.picture import CLASH, Open
from adjutant.domain.matters.signal import Evidence
from adjutant.language.words import words
from adjutant.records.insights import stems_of
from adjutant.records.matters_log import Known

MOST_SPANS, MOST = 1000, 20  # times of one knowledge base that are compared; clashes of two
NAME = 60  # characters of each side
POINT = timedelta(minutes=1)  # what nothing says the end of


class Seen(NamedTuple):
    """What a look at one knowledge base found: its open matters without ids, and the knowledge base opened."""

    opens: list[Open]
    base: Opened


class _Side(NamedTuple):
    """One of the two; `event`: it stands in a calendar; `open`: the matter that it is itself."""

    kb: str
    path: str
    span: Span
    event: bool
    open: Open | None


def is_one(each: Known) -> bool:
    """Whether a matter of the register is a clash."""
    return each.heads[:1] != () and each.heads[0].startswith(f"{INSTANCE}{CLASH} ")


def find(looks: Mapping[str, Seen], now: datetime) -> dict[str, list[Open]]:
    """{knowledge base: its clashes from `now` on, for as long as its calendars are looked ahead}."""
    sides = [side for kb, seen in looks.items() for side in _sides(kb, seen)]
    found, counted, known = defaultdict[str, list[Open]](list), Counter[tuple[str, str]](), set[object]()
    for one, two in _overlapping(sides, now.replace(tzinfo=None)):
        made = _clash(one, two)
        same = {made.heads[0], (made.first, made.time, frozenset(side.span.what.casefold() for side in (one, two)))}
        if counted[one.kb, two.kb] < MOST and known.isdisjoint(same):
            known |= same
            counted[one.kb, two.kb] += 1
            found[one.kb].append(made)
    return dict(found)


def _sides(kb: str, seen: Seen) -> list[_Side]:
    by_place: dict[tuple[str, int, date | None], Open] = {}
    for each in seen.opens:
        by_place[each.evidence[0].path, each.evidence[0].line, each.first] = each
    made = [
        _Side(kb, reading.path, span, bool(span.key), by_place.get((reading.path, span.line, span.start.date())))
        for reading in seen.base.found.readings
        for span in reading.spans
        if not (span.key and span.all_day)
    ]
    if seen.base.kb.kind == "notes":
        hours = (each for each in seen.opens if each.certain and each.time and each.first and each.first == each.last)
        made += [_Side(kb, each.evidence[0].path, _span_of(each), False, each) for each in hours]
    return sorted(made, key=lambda side: side.span.start)[:MOST_SPANS]


def _span_of(each: Open) -> Span:
    start = datetime.combine(each.first or date.min, time.fromisoformat(each.time))
    return Span(each.evidence[0].line, each.evidence[0].quote, each.what, start, start, "", "", False)


def _overlapping(sides: Sequence[_Side], now: datetime) -> Iterator[tuple[_Side, _Side]]:
    """The pairs that overlap, the event first, the next pair first."""
    here: list[_Side] = []
    for two in sorted(sides, key=lambda side: (side.span.start, side.kb, side.path, side.span.line)):
        if two.span.start > now + timedelta(days=FORTNIGHT):
            break
        here = [one for one in here if _end(one) > two.span.start]
        for one in here:
            pair = (one, two) if one.event else (two, one)
            if min(_end(one), _end(two)) > now and pair[0].event and _are_two(*pair):
                yield pair
        here.append(two)


def _end(side: _Side) -> datetime:
    return max(side.span.end, side.span.start + POINT)


def _are_two(event: _Side, other: _Side) -> bool:
    """Whether both cannot be kept: they are not the same thing in two places, and nobody else is away who is not
    spoken of."""
    a, b = event.span, other.span
    if other.event:
        alike = a.what.casefold() == b.what.casefold() or settle.same_matter(stems_of(a.what), stems_of(b.what))
        return a.key != b.key and not (a.start == b.start and alike)
    if b.all_day:  # an absence
        return not b.who or b.who.lower() in words(a.what)
    return stems_of(a.what).isdisjoint(stems_of(b.what))


def _clash(event: _Side, other: _Side) -> Open:
    start = max(event.span.start, other.span.start)
    first, second = sorted((event, other), key=lambda side: side.span.all_day)
    names = " and ".join(wording.cut(" ".join(side.span.what.split()), NAME) for side in (first, second))
    evidence = [Evidence(side.path, side.span.line, side.span.quote) for side in (event, other) if side.kb == event.kb]
    place = f"{other.path}:{other.span.line}"
    opens = [side.open for side in (event, other) if side.open is not None]
    touched = max(opens, key=lambda each: each.share, default=None)
    return Open(
        kb=event.kb,
        what=f"{start:%a %H:%M}: {names}",
        kind="problem",
        evidence=evidence,
        severity="high",
        found="high",
        first=start.date(),
        last=start.date(),
        time=f"{start:%H:%M}",
        dated=False,
        heads=(_key(event, other, start),),
        concern=touched.concern if touched else None,
        part=touched.part if touched else "",
        share=touched.share if touched else 0.0,
        muted=next((each.muted for each in opens if each.muted), ""),
        why=f"two things at one time: the other stands in {other.kb}, {place}",
        rests=[CLASH],
    )


def _key(event: _Side, other: _Side, start: datetime) -> str:
    """Which clash it is: these two at this hour; an absence and a series once."""
    away = other.span.all_day and not other.event
    one = event.span.key.partition(" ")[0] if away else event.span.key
    two = other.span.key or f"{other.kb} {other.path} {other.span.what}"
    digest = hashlib.sha256(f"{one}\0{two}".encode("utf-8", "replace")).hexdigest()[:12]
    when = other.span.start if away else start
    return f"{INSTANCE}{CLASH} {when:%Y-%m-%dT%H:%M} {digest}"
