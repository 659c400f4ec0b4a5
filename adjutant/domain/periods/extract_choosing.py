"""DOMAIN. What of a period is kept: every decision, correction and lesson, and of the rest what weighs most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjutant.domain.periods import extract_cues
from adjutant.domain.periods.extract_changes import stands
from adjutant.domain.periods.extract_statements import EVENTS, OPEN, PATTERNS, Statement
from adjutant.language.figures import figures
from adjutant.ports import TRUST

UNCUT = 2000  # characters of body text up to which nothing worth saying is left out
LEFT = 1 / 3  # of the target, for all else where decisions, corrections and lessons fill it
ENDS = 1 / 3  # of the room, for what came to its end and may have been opened before
WORTH = 1.0  # what weighs less says nothing


def choose(said: Sequence[Statement], *, length: int, ratio: float) -> list[Statement]:
    """What is kept of the statements. `length`: characters of the body text they were made from."""
    known = frozenset().union(*(one.stems for one in said if one.trust == TRUST[0]))
    weights = {one: weight(one) - _repeats(one, known) for one in said if not one.kept}
    kept = [one for one in said if one.kept]
    rest = sorted((one for one in weights if weights[one] >= WORTH), key=lambda one: (-weights[one], one.order))
    if length <= UNCUT:
        return kept + rest
    target = ratio * length
    room = max(target - sum(len(one.text) for one in kept), LEFT * target)
    first = list(_fitting([one for one in rest if one.section == OPEN and one.trust == TRUST[0]], room))
    room -= sum(len(one.text) for one in first)
    ends = list(_fitting(sorted(filter(_may_end, rest), key=lambda one: len(one.text)), ENDS * room))
    room -= sum(len(one.text) for one in ends)
    first += ends
    return [*kept, *first, *_fitting([one for one in rest if one not in first], room)]


def _fitting(said: Sequence[Statement], room: float) -> Iterator[Statement]:
    """Those that there is room for, the first ones first."""
    for one in said:
        if len(one.text) <= room:
            room -= len(one.text)
            yield one


def _may_end(one: Statement) -> bool:
    """Whether it may close a thread of a period before this one, which would stay open without it."""
    return one.done and not one.closes and one.times == 1 and len(one.stems) > 1 and one.trust == TRUST[0]


def _repeats(one: Statement, known: frozenset[str]) -> float:
    """What an assistant's line loses for saying back what the operator said."""
    return 2.0 * len(one.stems & known) / len(one.stems) if one.trust == TRUST[1] and one.stems else 0.0


def weight(one: Statement) -> float:
    """How much a statement tells: figures, what came to its end or went wrong, what is open, how often it came."""
    words = len(one.text.split())
    found = 0.4 + min(len(one.stems), 8) * 0.15
    values = figures(one.text)
    kinds = {value.kind for value in values}
    found += 0.6 * bool(kinds & {"number", "id"}) + 0.4 * bool(kinds & {"date", "day", "time"})
    found += 1.0 * (bool(values) and stands(one.text)) + 0.8 * any(value.was for value in values)
    found += 0.8 * one.done + 0.8 * extract_cues.failed(one.text) + 0.9 * extract_cues.weighty(one.text)
    found += {OPEN: 2.8 if one.trust == TRUST[0] else 1.5, PATTERNS: 0.6, EVENTS: 0.0}.get(one.section, 0.0)
    found += 0.2 * min(one.times - 1, 5) * (one.trust != TRUST[-1]) + 1.2 * one.closes
    found += {TRUST[0]: 0.3, TRUST[1]: -0.5}.get(one.trust, -0.2)
    return found - 0.5 * (words < 4 and not values) - 0.2 * (words > 35)
