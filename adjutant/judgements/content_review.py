"""OPINION. content-review: what in a text is wrong, unclear or unproven, on which line, and what would be better?"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from adjutant.judgements import summarise
from adjutant.judgements.summarise import POINT_CHARS, Inputs, line_of
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen

NAME = "content-review"
TEMPLATE = "content-review.md"
TIER = "cheap"
TEMPERATURE = 0.2
MAX_TOKENS = 1500
__all__ = ["Inputs"]


class Finding(msgspec.Struct, frozen=True):
    """One line's problem: of which kind, what it is, and what would be better."""

    line: str
    kind: Literal["error", "contradiction", "unclear", "unproven", "wording"]
    problem: str
    better: str


class Result(msgspec.Struct, frozen=True):
    """What there is to mend; nothing is a good answer to a good text."""

    points: list[Finding]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/content-review.md."""
    return summarise.variables(inputs, fence)


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only findings about a line that was shown."""
    tidy = [
        msgspec.structs.replace(
            each, problem=clean_line(each.problem, POINT_CHARS), better=clean_line(each.better, POINT_CHARS)
        )
        for each in result.points[: summarise.MOST]
        if line_of(inputs, each.line) is not None and not screen(f"{each.problem}\n{each.better}")
    ]
    left = len(result.points) - len(tidy)
    return Result(tidy), [f"left out: {left} findings about no line that was shown"] if left else []


def rules(inputs: Inputs) -> Result:
    """Rules understand no text: the job says that there is no model."""
    return Result([])
