"""DOMAIN. Did it help? Friction and tokens of what a suggestion concerns, before and after it was accepted.

The spans are of equal length: from the accept until now (or until it was taken back), and as long before. Under ten
turns after it nothing is said. Nobody knows what else changed meanwhile: it is a figure, no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any

from adjutant.clock import Clock, moment
from adjutant.records.evolution_log import Accepted, Held, State
from adjutant.records.finding import USELESS_NOTICES
from adjutant.records.interactions import CYCLE, Interaction
from adjutant.records.suggestion import ACCEPTED, REVERTED, Suggestion

LEAST = 10  # turns after an accept
NOTABLE = 0.05  # of friction, 0 to 1
NOT_YET, UNKNOWN = "not yet", "nothing to compare with"
SMOOTHER, ROUGHER, SAME = "smoother", "rougher", "about the same"
PULSES = ("pulse", "escalation", "review")


def measure(state: State, interactions: Sequence[Interaction], clock: Clock) -> list[dict[str, Any]]:
    """A row for every suggestion that was accepted, also if it was taken back since, oldest first: {id, kind, title,
    status, accepted, about, before{turns, friction, tokens}, after{}, helped}; a mean is None where there is none."""
    timed = [(at, each) for each in interactions if (at := moment(each.ts)) is not None]
    return [
        _measure(held, held.accepted, timed, clock)
        for held in state.held.values()
        if held.status in (ACCEPTED, REVERTED) and held.accepted is not None
    ]


def _measure(
    held: Held, accepted: Accepted, timed: Sequence[tuple[datetime, Interaction]], clock: Clock
) -> dict[str, Any]:
    one = held.suggestion
    about, concerns = _concerned(one)
    begin = moment(accepted.ts)
    end = moment(held.since) if held.status == REVERTED else clock.now()
    before, after = list[Interaction](), list[Interaction]()
    if begin is not None and end is not None:
        for at, each in timed:
            if begin - (end - begin) <= at < end and concerns(each):
                (before if at < begin else after).append(each)
    told = {"id": one.id, "kind": one.kind, "title": one.title, "status": held.status, "accepted": accepted.ts}
    spans = {"before": _span(before), "after": _span(after)}
    return {**told, "about": about, **spans, "helped": _helped(**spans)}


def _concerned(each: Suggestion) -> tuple[str, Callable[[Interaction], bool]]:
    """What a suggestion is about, and whether an interaction is of it."""
    if each.cause == USELESS_NOTICES:
        return "pulses and reviews", lambda one: one.kind == CYCLE and one.agent in PULSES
    if not each.workload:
        return "all turns", lambda one: one.kind != CYCLE
    within = f"{each.workload}/"
    return f"turns of {each.workload}", lambda one: one.kind != CYCLE and f"{one.concept}/".startswith(within)


def _span(several: Sequence[Interaction]) -> dict[str, Any]:
    if not several:
        return {"turns": 0, "friction": None, "tokens": None}
    tokens = fmean(each.tokens or sum(each.parts.values()) for each in several)
    friction = round(fmean(each.friction for each in several), 3)
    return {"turns": len(several), "friction": friction, "tokens": round(tokens)}


def _helped(before: dict[str, Any], after: dict[str, Any]) -> str:
    if after["turns"] < LEAST:
        return NOT_YET
    if before["turns"] < LEAST:
        return UNKNOWN
    change = after["friction"] - before["friction"]
    return SAME if abs(change) < NOTABLE else SMOOTHER if change < 0 else ROUGHER
