"""DOMAIN. How to answer, as the operator has asked for it again and again, in the form of a directive."""

from __future__ import annotations

import re
from collections.abc import Iterable

from adjutant.domain.analysis import manners
from adjutant.domain.behavior import grammar
from adjutant.domain.proposing import lines

_LEADS = r"(?:please|bitte|takk|again|always|and|just|can you|could you|kan du|kannst du)"
_POLITE = re.compile(rf"(?i)^(?:{_LEADS}[\s,]+)+|[\s,]+(?:please|takk|bitte|again|thanks|danke)(?=[\s,.!?]*$)")


def directive(said: Iterable[str], best: str) -> str:
    """`TYPE: words` of what the operator asks for, by the sentence that says it most plainly; "" where nothing in his
    words is a rule. `best`: of equals the one that holds it."""
    told = sorted((sentence for sentence in said if sentence), key=lambda sentence: best not in sentence)
    found = [manner for sentence in told if (manner := manners.find(sentence)) is not None]
    plainest = sorted(found, key=lambda manner: -manner.weight)
    for rule in (*(manner.rule for manner in plainest), *map(_kept, told)):
        if isinstance(grammar.one(rule), grammar.Said):
            return rule
    return ""


def _kept(sentence: str) -> str:
    return f"KEEP: {lines.plain(_POLITE.sub('', sentence).rstrip(' .!,'))}"
