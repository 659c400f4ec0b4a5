"""OPINION. brief: what stands in one knowledge base that its operator may have to know?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from adjutant.domain.matters.signal import Signal
from adjutant.judgements.asking import CheckFailed
from adjutant.judgements.material import (
    Item,
    Line,
    beyond,
    known_lines,
    severity_of,
    shown_lines,
    standing,
    tidy,
    tidy_concern,
)
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence, clean_line

NAME = "brief"
TEMPLATE = "brief.md"
TIER = "cheap"
TEMPERATURE = 0.1
MAX_TOKENS = 1200
MAX_ITEMS = 20
SUMMARY = 300


class Inputs(msgspec.Struct, frozen=True):
    """One knowledge base: what code saw in it (signals), the lines that are shown, the folder where an agent looks."""

    kb: str
    description: str
    today: str
    heart: Heart
    signals: list[Signal]
    lines: list[Line]
    summary: str
    depth: str = "quick"
    folder: str = ""


class Result(msgspec.Struct, frozen=True):
    """A one-line summary and the items worth judging."""

    summary: str
    items: list[Item]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/brief.md."""
    return {
        "kb": inputs.kb,
        "today": inputs.today,
        "depth": inputs.depth,
        "max_items": MAX_ITEMS,
        "description": fence.wrap(inputs.description, f"description of {inputs.kb}") if inputs.description else "",
        "lines": fence.wrap(shown_lines(inputs.lines), f"knowledge base {inputs.kb}", limit=200_000),
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only items with a quote that stands. Raises CheckFailed when a reply loses all its items this way."""
    known, items, dropped = known_lines(inputs.lines), [], 0
    for item in result.items[:MAX_ITEMS]:
        evidence, missing = standing(item.evidence, known, inputs.folder)
        dropped += missing
        title, why = tidy(item.title, item.why)
        if evidence and title:
            concern = tidy_concern(item.concern)
            items.append(msgspec.structs.replace(item, title=title, why=why, evidence=evidence, concern=concern))
    if result.items and not items:
        raise CheckFailed("no quote stands in the lines shown: quote a line as it is, with its path and number")
    notes = [f"{dropped} quotes that do not stand were dropped"] if dropped else []
    return Result(clean_line(result.summary, SUMMARY) or inputs.summary, items), notes


def widened(inputs: Inputs, result: Result, find: Callable[[str], Sequence[str] | None]) -> Inputs:
    """The inputs and the lines that an agent found beyond them."""
    cited = [quote for item in result.items[:MAX_ITEMS] for quote in item.evidence]
    added = beyond(cited, known_lines(inputs.lines), inputs.folder, find)
    return msgspec.structs.replace(inputs, lines=[*inputs.lines, *added])


def rules(inputs: Inputs) -> Result:
    """What code saw: every unmuted signal that belongs on a list."""
    items = [
        Item(signal.title, signal.why, severity_of(signal.severity), list(signal.evidence), signal.concern)
        for signal in inputs.signals
        if not signal.muted and signal.listed
    ]
    return Result(inputs.summary, items[:MAX_ITEMS])
