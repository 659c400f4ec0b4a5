"""OPINION. escalation: is one pending insight worth interrupting the operator for now?"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from adjutant.judgements.material import RANK, Severity, shown_heart
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence, clean_line

NAME = "escalation"
TEMPLATE = "escalation.md"
TIER = "cheap"
TEMPERATURE = 0.0
MAX_TOKENS = 300
REASON = 200
LONG_BODY = 6000


class Inputs(msgspec.Struct, frozen=True):
    """One insight as it was filed, and the operator's heart and notes on the knowledge bases."""

    now: str
    heart: Heart
    registry_notes: str
    file: str
    kb: str
    title: str
    severity: Severity
    concern: str | None
    body: str


class Result(msgspec.Struct, frozen=True):
    """notify: tell now. log: no need. flag: too big for a quick look, leave it to the review."""

    action: Literal["notify", "log", "flag"]
    reason: str


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/escalation.md."""
    shown = f"title: {inputs.title}\nseverity: {inputs.severity}\nconcern: {inputs.concern or 'none'}\n\n{inputs.body}"
    return {
        "now": inputs.now,
        "kb": inputs.kb,
        "heart": shown_heart(inputs.heart, fence),
        "insight": fence.wrap(shown, f"insight {inputs.file}", limit=LONG_BODY),
        "registry_notes": fence.wrap(inputs.registry_notes, "identity/registry.md") if inputs.registry_notes else "",
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """The enum is all a model can say; the reason becomes one clean line."""
    return Result(result.action, clean_line(result.reason, REASON)), []


def rules(inputs: Inputs) -> Result:
    """High and critical are told; longer than a quick look can take in is left to the review; the rest is logged."""
    if len(inputs.body) > LONG_BODY:
        return Result("flag", f"{len(inputs.body)} characters: too big for a quick look")
    if RANK[inputs.severity] >= RANK["high"]:
        return Result("notify", f"severity {inputs.severity}")
    return Result("log", f"severity {inputs.severity} can wait for the review")
