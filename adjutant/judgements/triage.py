"""OPINION. triage: of everything the briefs found, what touches the operator's priorities, and how gravely?"""

from __future__ import annotations

from typing import Any

import msgspec

from adjutant.domain.matters import wording
from adjutant.domain.matters.signal import Signal
from adjutant.judgements.asking import CheckFailed
from adjutant.judgements.material import (
    RANK,
    Issue,
    Item,
    Line,
    known_lines,
    severity_of,
    shown_heart,
    standing,
    tidy,
    tidy_concern,
)
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence

NAME = "triage"
TEMPLATE = "pulse.md"
TIER = "cheap"
TEMPERATURE = 0.1
MAX_TOKENS = 2000
MAX_ISSUES = 40


class Brief(msgspec.Struct, frozen=True):
    """One knowledge base's brief."""

    kb: str
    summary: str
    items: list[Item]


class Inputs(msgspec.Struct, frozen=True):
    """All briefs, the signals behind them, and what the operator wrote down."""

    now: str
    heart: Heart
    soul: str
    briefs: list[Brief]
    signals: dict[str, list[Signal]]


class Result(msgspec.Struct, frozen=True):
    """The issues, worst first."""

    issues: list[Issue]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/pulse.md."""
    return {
        "now": inputs.now,
        "soul": inputs.soul,
        "max_issues": MAX_ISSUES,
        "heart": shown_heart(inputs.heart, fence),
        "briefs": fence.wrap("\n".join(_shown(brief) for brief in inputs.briefs), "briefs", limit=200_000),
    }


def _shown(brief: Brief) -> str:
    lines = [f"kb {brief.kb}: {brief.summary}"]
    for item in brief.items:
        lines.append(f"- [{item.severity}] {item.title}: {item.why}")
        lines += [f"  {cited.path}:{cited.line}: {cited.quote}" for cited in item.evidence]
    return "\n".join(lines)


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only issues of a known KB with a standing quote, at least medium. Raises CheckFailed when all are lost."""
    known = {
        brief.kb: known_lines(Line(c.path, c.line, c.quote) for item in brief.items for c in item.evidence)
        for brief in inputs.briefs
    }
    issues, dropped = [], 0
    for issue in result.issues[:MAX_ISSUES]:
        evidence, missing = standing(issue.evidence, known.get(issue.kb, {}))
        dropped += missing
        title, why = tidy(issue.title, issue.why)
        if evidence and title:
            concern = tidy_concern(issue.concern)
            issues.append(msgspec.structs.replace(issue, title=title, why=why, evidence=evidence, concern=concern))
    if result.issues and not issues:
        raise CheckFailed("none of the quotes stands in the briefs: repeat path, line and quote as they stand there")
    issues = [issue for issue in issues if RANK[issue.severity] >= RANK["medium"]]
    issues.sort(key=lambda issue: -RANK[issue.severity])
    return Result(issues), [f"{dropped} quotes that do not stand were dropped"] if dropped else []


def rules(inputs: Inputs) -> Result:
    """The rule-based triage over the signals."""
    raised = wording.issues(inputs.signals)
    return Result([Issue(i.kb, i.title, i.why, severity_of(i.severity), list(i.evidence), i.concern) for i in raised])
