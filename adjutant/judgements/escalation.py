"""OPINION. escalation: which of the insights that wait are worth interrupting the operator for now?"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from adjutant.judgements.material import RANK, Severity, show_operator
from adjutant.ports import ReplyRefused
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence, clean_line

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "escalation", "escalation.md", "cheap", 0.0, 3000
REASON, LONG_BODY = 200, 6000
Action = Literal["notify", "log", "flag"]


class Filed(msgspec.Struct, frozen=True, kw_only=True):
    """One insight as it was filed, and what became of its notice."""

    file: str
    kb: str
    title: str
    severity: Severity
    concern: str | None = None
    body: str = ""
    notice: str | None = None


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """Every insight that waits for a decision, what the operator wrote down, the budget and what was told lately."""

    now: str
    waiting: list[Filed]
    heart: Heart
    layers: Mapping[str, str] = {}
    registry_notes: str = ""
    room: list[str] = []


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """notify: tell now. log: no need. flag: leave it to the review. `insight`: handle, after the check file."""

    insight: str
    reason: str
    action: Action


class Result(msgspec.Struct, frozen=True):
    """A decision on each."""

    decisions: list[Decision]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/escalation.md."""
    shown = [
        f"n{number}: [{each.severity}] {each.kb}: {each.title}\n"
        f"concern: {each.concern or 'none'}\n{each.body[:LONG_BODY]}"
        for number, each in enumerate(inputs.waiting, start=1)
    ]
    return {
        **show_operator(inputs, fence),
        "insights": fence.wrap("\n\n".join(shown), "insights that wait", limit=200_000),
        "registry_notes": fence.wrap(inputs.registry_notes, "identity/registry.md") if inputs.registry_notes else "",
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """One decision an insight, the first given. Raises ReplyRefused when none is about any of them."""
    names = {f"n{number}": each.file for number, each in enumerate(inputs.waiting, start=1)}
    names |= {each.file: each.file for each in inputs.waiting}
    decided: dict[str, Decision] = {}
    for each in result.decisions:
        if file := names.get(each.insight.strip().strip("[]").lower()):
            decided.setdefault(file, Decision(insight=file, reason=clean_line(each.reason, REASON), action=each.action))
    if inputs.waiting and not decided:
        raise ReplyRefused('no decision names an insight: give one for each by its handle, such as "n1"')
    return Result(list(decided.values())), []


def lacking(inputs: Inputs, result: Result) -> str:
    """The insights without a decision."""
    given = {each.insight for each in result.decisions}
    names = [f"n{number}" for number, each in enumerate(inputs.waiting, start=1) if each.file not in given]
    return f"No decision on {', '.join(names)}." if names else ""


def join(inputs: Inputs, first: Result, second: Result) -> Result:
    """What two replies come to."""
    given = {each.insight for each in first.decisions}
    return Result([*first.decisions, *(each for each in second.decisions if each.insight not in given)])


def rules(inputs: Inputs) -> Result:
    """As `rule` for each."""
    return Result([rule(each) for each in inputs.waiting])


def rule(each: Filed) -> Decision:
    """High and critical are told; longer than a quick look can take in is left to the review; the rest is logged."""
    action: Action = "notify" if RANK[each.severity] >= RANK["high"] else "log"
    reason = f"severity {each.severity}" + (" can wait for the review" if action == "log" else "")
    if len(each.body) > LONG_BODY:
        action, reason = "flag", f"{len(each.body)} characters: too big for a quick look"
    return Decision(insight=each.file, reason=reason, action=action)
