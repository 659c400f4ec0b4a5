"""DOMAIN. Did it help? Friction and tokens of what a suggestion concerns, before and after it was accepted.

The spans are of equal length: from the accept until now (or until it was taken back), and as long before. Under ten
turns after it nothing is said. Nobody knows what else changed meanwhile: it is a figure, no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import fmean
from typing import NamedTuple

from adjutant.clock import Clock, moment
from adjutant.records.evolution_log import Held, State
from adjutant.records.finding import USELESS_NOTICES
from adjutant.records.interactions import CYCLE, Interaction
from adjutant.records.suggestion import ACCEPTED, REVERTED, Suggestion

LEAST = 10  # turns after an accept
NOTABLE = 0.05  # of friction, 0 to 1
NOT_YET, UNKNOWN = "not yet", "nothing to compare with"
SMOOTHER, ROUGHER, SAME = "smoother", "rougher", "about the same"
PULSES = ("pulse", "escalation", "review")


class MeasuredSpan(NamedTuple):
    """What one span holds; the means are None where it holds nothing."""

    turns: int
    friction: float | None
    tokens: int | None


class Measured(NamedTuple):
    """An accepted suggestion. `about`: what is counted. `helped`: one of the words above, by friction."""

    held: Held
    about: str
    before: MeasuredSpan
    after: MeasuredSpan
    helped: str


def measure(state: State, interactions: Sequence[Interaction], clock: Clock) -> list[Measured]:
    """Every suggestion that was accepted, also if it was taken back since, oldest first."""
    timed = [(at, each) for each in interactions if (at := moment(each.ts)) is not None]
    return [
        _measure(held, timed, clock)
        for held in state.held.values()
        if held.status in (ACCEPTED, REVERTED) and held.accepted is not None
    ]


def _measure(held: Held, timed: Sequence[tuple[datetime, Interaction]], clock: Clock) -> Measured:
    about, concerns = _concerned(held.suggestion)
    begin = moment(held.accepted.ts) if held.accepted is not None else None
    end = moment(held.since) if held.status == REVERTED else clock.now()
    before, after = list[Interaction](), list[Interaction]()
    if begin is not None and end is not None:
        for at, each in timed:
            if begin - (end - begin) <= at < end and concerns(each):
                (before if at < begin else after).append(each)
    spans = _span(before), _span(after)
    return Measured(held, about, *spans, _helped(*spans))


def _concerned(each: Suggestion) -> tuple[str, Callable[[Interaction], bool]]:
    """What a suggestion is about, and whether an interaction is of it."""
    if each.cause == USELESS_NOTICES:
        return "pulses and reviews", lambda one: one.kind == CYCLE and one.agent in PULSES
    if not each.workload:
        return "all turns", lambda one: one.kind != CYCLE
    within = f"{each.workload}/"
    return f"turns of {each.workload}", lambda one: one.kind != CYCLE and f"{one.concept}/".startswith(within)


def _span(several: Sequence[Interaction]) -> MeasuredSpan:
    if not several:
        return MeasuredSpan(0, None, None)
    tokens = fmean(each.tokens or sum(each.parts.values()) for each in several)
    return MeasuredSpan(len(several), round(fmean(each.friction for each in several), 3), round(tokens))


def _helped(before: MeasuredSpan, after: MeasuredSpan) -> str:
    if after.turns < LEAST:
        return NOT_YET
    if before.friction is None or after.friction is None or before.turns < LEAST:
        return UNKNOWN
    change = after.friction - before.friction
    return SAME if abs(change) < NOTABLE else SMOOTHER if change < 0 else ROUGHER
