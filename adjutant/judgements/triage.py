"""OPINION. triage: of everything the briefs found, what touches the operator's priorities, and how gravely?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjutant.domain.matters import wording
from adjutant.domain.matters.signal import Evidence, Signal
from adjutant.judgements import seeing
from adjutant.judgements.hearing import ReplyRefused
from adjutant.judgements.material import RANK, Issue, ShownLines, dropped, shown_heart, shown_layers, shown_room, tidied
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence

NAME = "triage"
TEMPLATE = "pulse.md"
TIER = "cheap"
TEMPERATURE = 0.1
MAX_TOKENS = 6000
MAX_ISSUES = 40


class Brief(msgspec.Struct, frozen=True):
    """One knowledge base's brief."""

    kb: str
    summary: str
    items: list[Issue]


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """All briefs, and what the operator wrote down. `signals`: what code saw, of knowledge bases that rules briefed."""

    now: str
    heart: Heart
    briefs: list[Brief]
    signals: dict[str, list[Signal]]
    layers: Mapping[str, str] = {}
    room: list[str] = []


class Result(msgspec.Struct, frozen=True):
    """The issues, worst first; in a reply `evidence` holds the handles of the items that an issue is made of."""

    issues: list[Issue]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/pulse.md."""
    return {
        "now": inputs.now,
        "max_items": MAX_ISSUES,
        "layers": shown_layers(inputs.layers, fence),
        "heart": shown_heart(inputs.heart, fence),
        "room": shown_room(inputs.room, fence),
        "description": "",
        "open": "",
        "lines": "",
        "items": fence.wrap(_shown(inputs), "what the briefs found", limit=seeing.SHOWN_CHARS),
    }


def _shown(inputs: Inputs) -> str:
    lines, number = list[str](), 0
    for brief in inputs.briefs:
        lines.append(f"# {brief.kb}: {brief.summary}")
        for item in brief.items:
            number += 1
            lines.append(f"i{number}: [{item.severity}] {item.title}: {item.why}")
            lines += [f"  {cited.path}:{cited.line}: {cited.quote}" for cited in item.cited]
    return "\n".join(lines)


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only issues made of items there are, at least medium. Raises ReplyRefused when all are lost."""
    items = [item for brief in inputs.briefs for item in brief.items]
    shown = ShownLines([], {f"i{number}": item.cited for number, item in enumerate(items, start=1)})
    homes = {(each.path, each.line, each.quote): item for item in items for each in item.cited}
    issues, missed = list[Issue](), 0
    for issue in result.issues[:MAX_ISSUES]:
        found, missing = _resolved(shown, homes, issue.evidence)
        missed += missing
        if found and (tidy := tidied(issue)).title:
            home = {each: homes[each.path, each.line, each.quote] for each in found}
            first = home[found[0]]
            own = [each for each in found if home[each].kb == first.kb]
            issues.append(msgspec.structs.replace(tidy, matter=first.matter, evidence=list(own), kb=first.kb))
    if result.issues and not issues:
        raise ReplyRefused('nothing that you cite is an item of the briefs: name them by their handles, such as "i2"')
    return Result(seeing.kept(issues)), dropped(missed)


def _resolved(
    shown: ShownLines, homes: Mapping[tuple[str, int, str], Issue], cited: Sequence[str | Evidence]
) -> tuple[list[Evidence], int]:
    """The lines of the items that are cited, by handle or by a line of theirs."""
    found, missing = list[Evidence](), 0
    for each in cited:
        lines = shown.resolve(each)
        if not lines:
            text = each.quote if isinstance(each, Evidence) else each
            lines = [Evidence(*key) for key in homes if key[2] and (key[2] in text or text in key[2])][:1]
        missing += not lines
        found += [line for line in lines if line not in found]
    return found, missing


def join(inputs: Inputs, first: Result, second: Result) -> Result:
    """What two replies come to: the issues of the second on other lines are added."""
    known = {(each.kb, one.path, one.line) for each in first.issues for one in each.cited}
    more = [each for each in second.issues if not any((each.kb, one.path, one.line) in known for one in each.cited)]
    return Result(seeing.kept([*first.issues, *more])[:MAX_ISSUES])


def rules(inputs: Inputs) -> Result:
    """What a model's briefs found stands as it is; for the others the rule-based triage over the signals."""
    by_model = seeing.kept(item for brief in inputs.briefs if brief.kb not in inputs.signals for item in brief.items)
    by_rules = [seeing.issue_of(each, kb) for kb, each in wording.ranked(inputs.signals)]
    return Result(sorted([*by_model, *by_rules], key=lambda each: -RANK[each.severity]))
