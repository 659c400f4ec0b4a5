"""DOMAIN. What a person reads of a matter: what, by when, where it stands and its id, each on a line of its own.

Its seal is what a button carries, so that it acts on what was told and on nothing else.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from adjutant.app import plural
from adjutant.domain.matters import marks, wording
from adjutant.domain.matters.cues import names_nothing
from adjutant.domain.matters.picture import Closed, Open
from adjutant.domain.matters.signal import LEVELS
from adjutant.domain.matters.wording import day
from adjutant.ports import Told
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen

NOTICE_CHARS, PLACE_CHARS, HELD_CHARS = 1200, 120, 100
SEAL_CHARS = 12
_ID = re.compile(r"[a-z0-9]{4,20}")
GRAVE = LEVELS.index("high")
GRAVES = LEVELS[GRAVE:]
_LAST_DAY = re.compile(r"\s*[,:;(–—]\s*((?:[^\W\d]+\s+){0,2})(\d{4}-\d\d-\d\d)\)?\.?$")


def line(each: Open, today: date, *, several: bool = False, reasons: bool = False, wide: bool = False) -> str:
    """`what · when · path:line · id`; with `several` knowledge bases the place begins with its name, with `reasons` it
    says why a model held the matter back, `wide` with the sentences around it. `unjudged`: a model was asked and said
    nothing of it."""
    spoken, place = when(each, today), clean_line(each.place, PLACE_CHARS)
    what = said(each, wide=wide).removesuffix(f": {spoken}")  # a page that is blocked is so called, too
    parts = [_drop_day(what, each) if spoken else what, spoken, f"{each.kb}: {place}" if several else place]
    parts.append("unjudged" if each.unjudged else "")
    parts.append(clean_line(f"held: {each.held}", HELD_CHARS) if reasons and each.held else "")
    return " · ".join(filter(None, (*parts, each.id)))


def more(left: int) -> list[str]:
    """How many are left out, and where they are; nothing for none."""
    return [f"{left} more: `adjutant today --all`"] if left else []


def _drop_day(what: str, each: Open) -> str:
    """The words without the matter's own day at their end, which is said beside them, and without a name of it that
    only says that it is due."""
    found = _LAST_DAY.search(what)
    if found is None or each.last is None or found[2] != each.last.isoformat() or not found.start():
        return what
    return what[: found.start()] if names_nothing(found[1]) else what[: found.end(1)].rstrip()


def said(each: Open, *, wide: bool = False) -> str:
    """A matter's words; a line that addresses an assistant is named by its place instead."""
    return plain(each.what, each.place, each.evidence[0].quote if wide else "")


def plain(what: str, place: str, around: str = "") -> str:
    """The words that stand at a place, with some of those `around` them, or where they address an assistant that they
    do."""
    words = wording.widen(what, around) if around else what
    shown = marks.bare(words) or words
    if screen(words) or screen(shown):
        shown = f"instruction-like text in {place}"
    return wording.title(shown, wording.WIDE if around else wording.TITLE)


def ending(each: Closed) -> str:
    """How a matter ended; where nobody had heard of it, also why a model says so and where that stands."""
    why = clean_line(f"{each.reason}; {each.place}", HELD_CHARS) if each.reason else ""
    return " · ".join(filter(None, (plain(each.what, each.place), each.state, why)))


def when(each: Open, today: date) -> str:
    """Its day as a person says it: `today`, `tomorrow 10:30`, `Thu 26 Nov`, `3 days late`, `1 Dec to 4 Dec`."""
    if each.first is None or each.last is None:
        return {"waiting": "waiting", "blocked": "blocked"}.get(each.kind, "")
    late = (today - each.last).days
    if late > 0:
        return f"{plural(late, 'day')} late" if each.dated else day(each.last, today)
    spoken = day(each.last, today)
    if each.first != each.last:
        spoken = f"by {spoken}" if each.first <= today else f"{day(each.first, today)} to {spoken}"
    return f"{spoken} {each.time}" if each.time else spoken


def in_turns(matters: Sequence[Open]) -> list[Open]:
    """The gravest first, of each knowledge base one after the other: one that is full of them hides no other's."""
    return take_turns(sorted(matters, key=lambda each: each.rank, reverse=True))


def take_turns(matters: Iterable[Open]) -> list[Open]:
    """In their order, but of each knowledge base one after the other."""
    taken, turns = Counter[str](), list[tuple[int, Open]]()
    for each in matters:
        turns.append((taken[each.kb], each))
        taken[each.kb] += 1
    return [each for _, each in sorted(turns, key=lambda pair: pair[0])]


def first(matters: Sequence[Open], most: int) -> list[Open]:
    """At most so many, in their order; where there are more, of each knowledge base in turn."""
    kept = {id(each) for each in take_turns(matters)[:most]}
    return [each for each in matters if id(each) in kept]


def choose(waiting: Sequence[Open], most: int) -> list[Open]:
    """The gravest `most` to tell at once. While two knowledge bases have something grave, none has more than half of
    the lines."""
    ranked = sorted(waiting, key=lambda each: each.rank, reverse=True)
    counts = Counter(each.kb for each in ranked if LEVELS.index(each.severity) >= GRAVE)
    if len(counts) < 2:
        return ranked[:most]
    for size in range(min(most, len(ranked)), 1, -1):
        chosen, taken = list[Open](), Counter[str]()
        for each in ranked:
            if len(chosen) < size and taken[each.kb] < size // 2:
                chosen.append(each)
                taken[each.kb] += 1
        if len(chosen) == size or (chosen and max(taken.values()) * 2 <= len(chosen)):
            return chosen
    return ranked[:1]


def notice(waiting: Sequence[Open], today: date, most: int, *, several: bool) -> tuple[str, list[Open]]:
    """(the text, the matters that it names), at most 1,200 characters."""
    lines, named, size = list[str](), list[Open](), 0
    for each in choose(waiting, most):
        text = line(each, today, several=several)
        if named and size + len(text) + 1 > NOTICE_CHARS:
            break
        lines.append(text[:NOTICE_CHARS])
        named.append(each)
        size += len(text) + 1
    return "\n".join(lines), named


def seal(each: Open) -> str:
    """Twelve hex digits of its words, day, time and place; what a new day or an edit elsewhere changes is left out."""
    first, last = (moment.isoformat() if moment else "" for moment in (each.first, each.last))
    parts = (each.kb, said(each), first, last, each.time, each.kind, each.evidence[0].path)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:SEAL_CHARS]


def seal_all(matters: Iterable[Open]) -> list[Told]:
    """Those that have an id of their own in the picture."""
    return [Told(each.id, seal(each)) for each in matters if _ID.fullmatch(each.id)]
