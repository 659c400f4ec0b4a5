"""DOMAIN. Which periods there are to write, and why the others are not.

A period is written when it is over and was made from something else than what its file lists. A week is made from the
files of its days, a month from those of its weeks: each kind is planned when the one below it has been written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from adjutant.domain.periods.sources import Sources
from adjutant.domain.recall.sources.parts import fingerprint
from adjutant.errors import FileDamaged, IoFailed
from adjutant.records import period_file
from adjutant.records.period_file import DAILY, KINDS, MONTHLY, WEEKLY, Period, Source
from adjutant.store.config import Config
from adjutant.store.files import sha256

DUE = "due"
WRITE, UNCHANGED, SKIPPED, PROPOSE = "write", "unchanged", "skipped", "propose"
_NOUNS = {DAILY: "day", WEEKLY: "week"}
_LEAST = {WEEKLY: "memory.periods.min_dailies", MONTHLY: "memory.periods.min_weeklies"}


class Planned(NamedTuple):
    """What is to be done with a period: write it, nothing (`unchanged`, or `skipped` for a `reason`), or propose it.

    `expect`: the sha256 of its file as it is, "" for none. A file that a person has changed is not written: what would
    be goes to `proposal`, a name for tree.conflict; where that is there already, the period is skipped.
    """

    period: Period
    action: str
    reason: str = ""
    expect: str = ""
    proposal: str = ""


def kinds(word: str) -> tuple[str, ...]:
    """The kinds that `compact WORD` is about, from the bottom up."""
    return KINDS if word == DUE else (word,)


def plan(sources: Sources, config: Config, word: str, kind: str, on: date | None = None) -> list[Planned]:
    """The periods of a kind that `compact WORD` looks at, the oldest first.

    `due` looks at every one that is over and of which anything is there; any other word at the last one that is over;
    both with a day `on` at the one that holds it. Raises FileDamaged (a file where a folder belongs), IoFailed.
    """
    today = sources.clock.now().date()
    if on is not None:
        wanted = [period_file.period(kind, on)]
    elif word == DUE:
        wanted = [each for each in _there(sources, kind) if each.is_finished(today)]
    else:
        wanted = [period_file.period(kind, period_file.period(kind, today).first - timedelta(days=1))]
    return [_plan_one(sources, config, each, today) for each in wanted]


def _there(sources: Sources, kind: str) -> list[Period]:
    """The periods of a kind of which anything is there: a source of a day, a file of a period below."""
    if kind == DAILY:
        below: list[Period | None] = [period_file.find_period(DAILY, name) for name in sources.days.names()]
        return [each for each in below if each is not None]
    of = KINDS[KINDS.index(kind) - 1]
    folder = {DAILY: sources.files.tree.daily, WEEKLY: sources.files.tree.weekly}[of]
    named = (period_file.find_period(of, name.removesuffix(".md")) for name in sources.files.names(folder))
    above = {over.name: over for each in named if each is not None and (over := period_file.above(each)) is not None}
    return sorted(above.values(), key=lambda each: each.first)


def _plan_one(sources: Sources, config: Config, period: Period, today: date) -> Planned:
    if not period.is_finished(today):
        return Planned(period, SKIPPED, f"not over before {period.last + timedelta(days=1)}")
    files = sources.files
    path = files.tree.period(period.kind, period.name)
    shown = files.tree.relative(path)
    try:
        data = files.find(path)
    except (FileDamaged, IoFailed) as error:
        return Planned(period, SKIPPED, error.message)
    try:
        held = None if data is None else period_file.parse(data, shown)
        found = sources.sources(period)
        if held is not None and held.sources == found.sources:
            return Planned(period, UNCHANGED)
        if reason := _find_hindrance(sources, config, period, () if held is None else held.sources):
            return Planned(period, SKIPPED, reason)
    except FileDamaged as error:
        return Planned(period, SKIPPED, error.message)
    if held is None or data is None:
        return Planned(period, WRITE)
    if held.touched:
        return _plan_proposal(sources, period, found.sources, sha256(data))
    return Planned(period, WRITE, expect=sha256(data))


def _find_hindrance(sources: Sources, config: Config, period: Period, known: tuple[Source, ...]) -> str:
    """Why a period cannot be made from what there is; "" when it can. What is made again is read first."""
    found = sources.read(period) if known or period.kind != DAILY else sources.sources(period)
    if period.kind == DAILY:
        gone = "what it was made from is gone; the file is kept" if known else "nothing happened"
        return sources.days.cannot_tell(period.name, found.sources, known) or ("" if found.sources else gone)
    below, least = KINDS[KINDS.index(period.kind) - 1], config.whole(_LEAST[period.kind])
    there = len(found.sources)
    few = f"{there} {_NOUNS[below]}{'s' * (there != 1)} of {least} needed" if there < least else ""
    return next(iter(found.damaged), few)


def _plan_proposal(sources: Sources, period: Period, found: Sequence[Source], expect: str) -> Planned:
    """A proposal's name tells what it was made from: the same is not proposed every night."""
    tree = sources.files.tree
    name = f"{period.name}.md.{fingerprint(*(part for source in found for part in source))[:12]}"
    there = sources.files.exists(tree.conflict(name))
    reason = f"edited by hand; the proposal is {tree.relative(tree.conflict(name))}"
    return Planned(period, SKIPPED if there else PROPOSE, reason, expect, name)
