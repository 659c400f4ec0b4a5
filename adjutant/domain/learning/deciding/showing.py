"""DOMAIN. Suggestions as rows and lines: in a list, one whole, and whether those that were accepted helped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import fmean
from typing import TYPE_CHECKING, Any

from adjutant.clock import Clock, moment
from adjutant.domain.learning.deciding import acting, report
from adjutant.records import evolution_log
from adjutant.records.evolution_log import Accepted, Held, State
from adjutant.records.finding import USELESS_NOTICES
from adjutant.records.interactions import CYCLE, Interaction
from adjutant.records.suggestion import ACCEPTED, PENDING, REVERTED, STALE, Suggestion
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    from adjutant.app import App

LIMIT, SHOWN, TITLE = 50, 240, 100
LEAST = 10  # turns after an accept
NOTABLE = 0.05  # of friction, 0 to 1
NOT_YET, UNKNOWN = "not yet", "nothing to compare with"
SMOOTHER, ROUGHER, SAME = "smoother", "rougher", "about the same"
PULSES = ("pulse", "escalation", "review")


def make_row(app: App, held: Held, state: State) -> dict[str, Any]:
    """A suggestion as results have it; one whose diff no longer fits reads as stale."""
    each, status = held.suggestion, held.status
    if status == PENDING and not acting.fits(app.files, state, each):
        status = STALE
    return {
        "id": each.id,
        "kind": each.kind,
        "title": each.title,
        "status": status,
        "ts": each.ts,
        "since": held.since,
        "path": each.path,
        "report": each.report,
        "reason": held.reason or None,
        "shown": acting.digest(each),
    }


def list_lines(rows: Sequence[dict[str, Any]], state: State) -> list[str]:
    """A line each, as many as a terminal shows, and what is to be known of them."""
    lines = [
        f"{each['id']}  {each['status']:<8}  {each['kind']:<11}  {clean_line(each['title'], TITLE)}"
        for each in rows[:LIMIT]
    ]
    lines += [f"and {len(rows) - LIMIT} more"] if len(rows) > LIMIT else []
    lines += [f"{change.id} was cut off; {evolution_log.COMPLETED_BY}" for change in state.open.values()]
    stale = any(each["status"] == STALE for each in rows)
    return lines + (["stale: its file has changed since; the next `adjutant evolve` looks anew"] if stale else [])


def show_lines(held: Held, row: dict[str, Any]) -> list[str]:
    """All that is known of a suggestion; its diff last, as it is."""
    each = held.suggestion
    since = clean_line(held.since[:16].replace("T", " "), 40)
    lines = [
        f"{each.id}  {clean_line(each.title, SHOWN)}",
        f"{row['status']} since {since}; {each.kind} of {clean_line(each.path, SHOWN)}",
    ]
    lines += [f"because: {held.reason}"] if held.reason and held.status != STALE else []
    lines += ["", *(f"  {report.show_quote(quote)}" for quote in each.evidence)]
    lines += [f"  expected: {clean_line(each.effect, SHOWN)}"] if each.effect else []
    lines += [f"  before you accept: {clean_line(each.note, 2 * SHOWN)}"] if each.note else []
    lines.append(f"  cost: {report.show_cost(each)}")
    lines += [f"  rehearsed: {line}" for line in report.show_rehearsal(each.rehearsal)]
    return [*lines, f"  report: {each.report}", "", each.diff.rstrip("\n")]


def stats_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """What was measured, a few lines a suggestion."""
    lines = list[str]()
    for row in rows[:LIMIT]:
        before, after = row["before"], row["after"]
        told = f", {LEAST} turns after it are needed"
        if row["helped"] not in (NOT_YET, UNKNOWN):
            told = ", ".join(f"{key} {before[key]} -> {after[key]}" for key in ("friction", "tokens"))
            told = f": {told}"
        lines += [
            "",
            f"{row['id']}  {clean_line(row['title'], TITLE)}  ({row['status']})",
            f"    {row['about']}, {before['turns']} before and {after['turns']} after",
            f"    {row['helped']}{told}",
        ]
    return [*lines, "", f"and {len(rows) - LIMIT} more"] if len(rows) > LIMIT else lines


# -- did it help? -------------------------------------------------------------------------------------------


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
    about, concerns = _find_concern(one)
    begin = moment(accepted.ts)
    end = moment(held.since) if held.status == REVERTED else clock.now()
    before, after = list[Interaction](), list[Interaction]()
    if begin is not None and end is not None:
        for at, each in timed:
            if begin - (end - begin) <= at < end and concerns(each):
                (before if at < begin else after).append(each)
    told = {"id": one.id, "kind": one.kind, "title": one.title, "status": held.status, "accepted": accepted.ts}
    spans = {"before": _measure_span(before), "after": _measure_span(after)}
    return {**told, "about": about, **spans, "helped": _say_help(**spans)}


def _find_concern(each: Suggestion) -> tuple[str, Callable[[Interaction], bool]]:
    """What a suggestion is about, and whether an interaction is of it."""
    if each.cause == USELESS_NOTICES:
        return "pulses and reviews", lambda one: one.kind == CYCLE and one.agent in PULSES
    if not each.workload:
        return "all turns", lambda one: one.kind != CYCLE
    within = f"{each.workload}/"
    return f"turns of {each.workload}", lambda one: one.kind != CYCLE and f"{one.concept}/".startswith(within)


def _measure_span(several: Sequence[Interaction]) -> dict[str, Any]:
    if not several:
        return {"turns": 0, "friction": None, "tokens": None}
    tokens = fmean(each.tokens or sum(each.parts.values()) for each in several)
    friction = round(fmean(each.friction for each in several), 3)
    return {"turns": len(several), "friction": friction, "tokens": round(tokens)}


def _say_help(before: dict[str, Any], after: dict[str, Any]) -> str:
    if after["turns"] < LEAST:
        return NOT_YET
    if before["turns"] < LEAST:
        return UNKNOWN
    change = after["friction"] - before["friction"]
    return SAME if abs(change) < NOTABLE else SMOOTHER if change < 0 else ROUGHER
