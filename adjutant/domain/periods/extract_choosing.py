"""DOMAIN. What of a period is kept: every decision, correction and lesson, and of the rest what weighs most."""

from __future__ import annotations

from collections.abc import Sequence

from adjutant.domain.periods import extract_cues, extract_words
from adjutant.domain.periods.extract_statements import EVENTS, OPEN, PATTERNS, Statement
from adjutant.ports import TRUST

UNCUT = 2000  # characters of body text up to which nothing worth saying is left out
WORTH = 1.0  # what weighs less says nothing


def choose(said: Sequence[Statement], *, length: int, ratio: float) -> list[Statement]:
    """What is kept of the statements. `length`: characters of the body text they were made from."""
    kept = [one for one in said if one.kept]
    rest = sorted((one for one in said if not one.kept and weight(one) >= WORTH), key=lambda one: (-weight(one), one.order))
    if length <= UNCUT:
        return kept + rest
    room = ratio * length - sum(len(one.text) for one in kept)
    for one in rest:
        if len(one.text) <= room:
            kept.append(one)
            room -= len(one.text)
    return kept


def weight(one: Statement) -> float:
    """How much a statement tells: figures, names, what came to an end or went wrong, what is open, how often it came."""
    words = len(one.text.split())
    found = 0.5 + min(len(one.stems), 8) * 0.15
    kinds = {value.kind for value in extract_words.values(one.text)}
    found += 0.6 * bool(kinds & {"number", "id"}) + 0.4 * bool(kinds & {"date", "day", "time"})
    found += 0.7 * one.done + 0.8 * extract_cues.failed(one.text) + 0.9 * extract_cues.weighty(one.text)
    found += {OPEN: 1.6, PATTERNS: 1.2, EVENTS: 0.0}.get(one.section, 0.0)
    found += 0.3 * min(one.times - 1, 5)
    found += {TRUST[0]: 0.3, TRUST[1]: -0.5}.get(one.trust, -0.3)
    return found - 0.5 * (words < 4) - 0.2 * (words > 35)
