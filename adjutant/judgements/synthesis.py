"""OPINION. synthesis: what did the day bring, what is at risk, what has to be decided?"""

from collections.abc import Mapping
from typing import Any

import msgspec

from adjutant.app import plural
from adjutant.judgements.escalation import Filed
from adjutant.judgements.material import RANK, Issue, show_operator
from adjutant.ports import ReplyRefused
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence, clean_line

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "synthesis", "review.md", "cheap", 0.2, 2000
MAX_RECOMMENDATIONS, MAX_LINES, TEXT = 5, 12, 300


class Brief(msgspec.Struct, frozen=True):
    """What was found in a knowledge base."""

    kb: str
    summary: str
    items: list[Issue]


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """The day: briefs, standing issues, what is open, insights, notices held back, the journal."""

    now: str
    heart: Heart
    briefs: list[Brief]
    issues: list[Issue]
    insights: list[Filed]
    held_back: list[str]
    journal: str
    layers: Mapping[str, str] = {}
    matters: list[str] = []


class Result(msgspec.Struct, frozen=True):
    """Lines for the journal; `notify` when the operator should hear of it, in the words of `headline`."""

    changed: list[str]
    at_risk: list[str]
    decisions: list[str]
    recommendations: list[str]
    notify: bool
    headline: str


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/review.md."""
    briefs = [
        f"{brief.kb}: {brief.summary}\n" + "\n".join(f"- [{i.severity}] {i.title}: {i.why}" for i in brief.items)
        for brief in inputs.briefs
    ]
    insights = "\n".join(f"- [{w.severity}] {w.kb}: {w.title} (notice: {w.notice or 'none'})" for w in inputs.insights)
    return {
        **show_operator(inputs, fence),
        "max_recommendations": MAX_RECOMMENDATIONS,
        "briefs": fence.wrap("\n\n".join(briefs), "briefs of all knowledge bases", limit=60_000),
        "insights": fence.wrap(insights, "insights/pending") if insights else "",
        "matters": fence.wrap("\n".join(inputs.matters), "what is open") if inputs.matters else "",
        "held_back": fence.wrap("\n".join(inputs.held_back), "notices held back") if inputs.held_back else "",
        "journal": fence.wrap(inputs.journal, "journal", limit=20_000) if inputs.journal else "",
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Clean lines, capped; an empty review of a quiet day is a good one. Raises ReplyRefused for a wordless notice."""
    changed, at_risk = _lines(result.changed, MAX_LINES), _lines(result.at_risk, MAX_LINES)
    decided, advice = _lines(result.decisions, MAX_LINES), _lines(result.recommendations, MAX_RECOMMENDATIONS)
    tidy = Result(changed, at_risk, decided, advice, result.notify, clean_line(result.headline, TEXT))
    if tidy.notify and not tidy.headline:
        raise ReplyRefused("a notice needs a headline")
    return tidy, []


def _lines(entries: list[str], limit: int) -> list[str]:
    return [line for line in (clean_line(entry, TEXT) for entry in entries) if line][:limit]


def rules(inputs: Inputs) -> Result:
    """What stands, by severity: grave issues are at risk and recommended first, untold ones are a reason to notify."""
    issues = sorted(inputs.issues, key=lambda issue: -RANK[issue.severity])
    grave = [issue for issue in issues if RANK[issue.severity] >= RANK["high"]]
    untold = [w for w in inputs.insights if RANK[w.severity] >= RANK["high"] and w.notice not in ("sent", "unknown")]
    parts = [*(w.title for w in untold[:1]), *[f"and {len(untold) - 1} more"] * (len(untold) > 1)]
    parts += [f"{plural(len(inputs.held_back), 'held-back notice')} in the journal"] * bool(inputs.held_back)
    return Result(
        changed=_lines([f"{brief.kb}: {brief.summary}" for brief in inputs.briefs if brief.summary], MAX_LINES),
        at_risk=_lines([f"{issue.kb}: {issue.title} ({issue.why})" for issue in issues], MAX_LINES),
        decisions=_lines([f"{issue.kb}: what to do about {issue.title}" for issue in grave], MAX_LINES),
        recommendations=_lines([f"{issue.kb}: {issue.title} - {issue.why}" for issue in issues], MAX_RECOMMENDATIONS),
        notify=bool(untold or inputs.held_back),
        headline=clean_line(", ".join(parts), TEXT),
    )
