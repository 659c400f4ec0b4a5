"""DOMAIN. Open threads followed to their close: what was asked for and then came is one event, and open no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjutant.domain.periods.counts import listed, written
from adjutant.domain.periods.extract_cues import FILE
from adjutant.domain.periods.extract_recurring import merged, sharing
from adjutant.domain.periods.extract_statements import EVENTS, OPEN, Statement
from adjutant.language.figures import ARROW, figures
from adjutant.language.patterns import regex
from adjutant.ports import TRUST

COVERED = 0.5  # of what an open thread is about, in what ends it
_ENDING = re.compile(r"[\s.!?…;,]+$")


def followed(said: Sequence[Statement]) -> list[Statement]:
    """The statements in their order, each open thread that one of them ends joined with it.

    What comes from outside ends no thread of the operator's, which could hide it, nor the operator one from outside.
    """
    kept: dict[int, Statement] = dict(enumerate(said))
    rarity = _rarity(said)
    for number, near in sharing(said):
        one = said[number]
        ended = [
            kept[other]
            for other in sorted(near)
            if other in kept and kept[other].section == OPEN and _ends(one, kept[other], rarity)
        ]
        if not ended or number not in kept:
            continue
        for each in ended:
            kept.pop(next(at for at, other in kept.items() if other is each))
        kept[number] = _closed([*ended, one])
    return [kept[number] for number in sorted(kept)]


def _rarity(said: Sequence[Statement]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in said:
        for stem in one.stems:
            counts[stem] = counts.get(stem, 0) + 1
    return counts


def _ends(one: Statement, thread: Statement, rarity: dict[str, int]) -> bool:
    if (one.trust == TRUST[-1]) != (thread.trust == TRUST[-1]) or one.text.endswith("?"):
        return False
    if not _conclusive(one, thread):
        return False
    if one.section == OPEN and thread.text == one.text:
        return False
    ours, theirs = _numbers(one), _numbers(thread)
    if ours and theirs and not ours & theirs:
        return False
    shared = one.stems & thread.stems
    if len(shared) >= 2:
        return len(shared) >= COVERED * len(thread.stems) and 4 * len(shared) >= len(one.stems)
    lone = bool(shared) and shared in (thread.stems, one.stems)
    return lone and all(rarity[stem] <= 4 for stem in shared)


def _conclusive(one: Statement, thread: Statement) -> bool:
    """Whether one can end the other: it came to its end, or a question was decided."""
    if one.section == "Decisions" and (
        thread.text.endswith("?") or regex(FILE, r"\b{choices}\b").search(thread.text.lower())
    ):
        return True
    return one.section not in ("Corrections", "Lessons") and not one.denies and (one.done or _told(one, thread))


def _told(one: Statement, thread: Statement) -> bool:
    """Whether a figure is told of all that a thread asks for: `quote for the mixer: 28,000`."""
    told = one.section == EVENTS and bool(thread.stems) and thread.stems <= one.stems
    return told and any(value.kind == "number" for value in figures(one.text))


def _numbers(one: Statement) -> set[str]:
    return {value.text for value in figures(one.text) if value.kind == "id"}


def _closed(group: list[Statement]) -> Statement:
    """What ended a thread, with what was open before it where that says more than its end does."""
    last = group[-1]
    if last.section == OPEN or last.kept:
        return merged(group, last.text)
    thread = group[0]
    told = last.text
    if not thread.stems <= last.stems:
        told = f"{_ENDING.sub('', thread.text)}{ARROW}{last.text}"
    began = thread.days[0] if thread.days else thread.day
    if began and last.day and began < last.day:
        opened, done = (
            f"{written(name, last.language)} {listed((day,), last.language)}"
            for name, day in (("open", began), ("done", last.day))
        )
        told = f"{_ENDING.sub('', told)} ({opened}, {done})"
    return merged(group, told)._replace(section=EVENTS, done=True, closes=True, times=1, days=last.days)
