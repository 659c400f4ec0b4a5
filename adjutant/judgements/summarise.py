"""OPINION. summarise: what does a text say that its reader has to know, and on which lines?"""

import re
from typing import Any, Literal

import msgspec

from adjutant.language import likeness
from adjutant.language.detect import language_of
from adjutant.ports import ReplyRefused
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "summarise", "summarise.md", "cheap", 0.2, 1500
SHOWN_CHARS, POINT_CHARS, MOST = 40_000, 400, 12
_NUMBER = re.compile(r"[0-9]{1,9}")


class Inputs(msgspec.Struct, frozen=True):
    """A part of a text by its lines; the first of them has this number (its handle: L12)."""

    title: str
    first: int
    lines: list[str]


class Point(msgspec.Struct, frozen=True):
    """A sentence, and the handles of the lines that say it."""

    text: str
    lines: list[str]


class Result(msgspec.Struct, frozen=True):
    """What counts, in the order of the text."""

    points: list[Point]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For the templates of summarise and content-review."""
    shown = "\n".join(f"L{number} {line}" for number, line in enumerate(inputs.lines, start=inputs.first))
    return {"most": MOST, "text": fence.wrap(shown, inputs.title, limit=SHOWN_CHARS)}


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Only points whose lines were shown, and whose figures stand in them. Raises ReplyRefused when none is left."""
    kept, notes = [], []
    for number, point in enumerate(result.points[:MOST], start=1):
        said = [line for handle in point.lines if (line := line_of(inputs, handle)) is not None]
        text = clean_line(point.text, POINT_CHARS)
        code = language_of("\n".join((text, *said)))
        values = likeness.gist(text, code).values - likeness.gist("\n".join(said), code).values
        if not said or not text or values or screen(text):
            why = f"{min(values)} stands in none of its lines" if values else "no line that was shown says it"
            notes.append(f"left out: point {number}, {why}")
        else:
            kept.append(Point(text, [each for each in point.lines if line_of(inputs, each) is not None]))
    if not kept:
        raise ReplyRefused("no point is left: give each the handles (L1, L2) of the lines that say it, as they stand")
    return Result(kept), notes


def line_of(inputs: Inputs, handle: str) -> str | None:
    """The line of a handle, None where it was not shown."""
    number = handle.strip().removeprefix("L")
    at = int(number) - inputs.first if _NUMBER.fullmatch(number) else -1
    return inputs.lines[at] if 0 <= at < len(inputs.lines) else None


def rules(inputs: Inputs) -> Result:
    """Rules understand no text: the job says that there is no model."""
    return Result([])


class Finding(msgspec.Struct, frozen=True):
    """One line's problem: of which kind, what it is, and what would be better."""

    line: str
    kind: Literal["error", "contradiction", "unclear", "unproven", "wording"]
    problem: str
    better: str


class Findings(msgspec.Struct, frozen=True):
    """What there is to mend; nothing is a good answer to a good text."""

    points: list[Finding]


def _check_findings(inputs: Inputs, result: Findings) -> tuple[Findings, list[str]]:
    tidy = [
        Finding(each.line, each.kind, clean_line(each.problem, POINT_CHARS), clean_line(each.better, POINT_CHARS))
        for each in result.points[:MOST]
        if line_of(inputs, each.line) is not None and not screen(f"{each.problem}\n{each.better}")
    ]
    left = len(result.points) - len(tidy)
    return Findings(tidy), [f"left out: {left} findings about no line that was shown"] if left else []


class ContentReview:
    """The same text judged, as judgement.Judgement has it."""

    NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "content-review", "content-review.md", TIER, TEMPERATURE, MAX_TOKENS
    Inputs, Result = Inputs, Findings
    variables, check, rules = variables, _check_findings, lambda inputs: Findings([])
