"""OPINION. classify: which concept of the taxonomy is this text about? Asked only where config says so."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.ports import ReplyRefused
from adjutant.screening.fence import Fence

NAME = "classify"
TEMPLATE = "classify.md"
TIER = "cheap"
TEMPERATURE = 0.0
MAX_TOKENS = 300
TEXT_CHARS = 4000
SHOWN_ID = 60


class Choice(msgspec.Struct, frozen=True):
    """A concept that a text can be filed under: its id, what it is called, and what it takes in."""

    id: str
    label: str
    note: str


class Result(msgspec.Struct, frozen=True):
    """`concept`: an id of the scheme, or "uncategorised"; how sure that is, 0 to 1."""

    concept: str
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Inputs(msgspec.Struct, frozen=True):
    """A text, the scheme's concepts, and where its labels file the text."""

    text: str
    choices: list[Choice]
    by_labels: Result


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/classify.md."""
    listed = [f"{each.id}: {each.label}{f'. {each.note}' if each.note else ''}" for each in inputs.choices]
    return {
        "concepts": fence.wrap("\n".join(listed), "the taxonomy", limit=100_000),
        "none": UNCATEGORISED,
        "text": fence.wrap(inputs.text, "the text", limit=TEXT_CHARS),
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Raises ReplyRefused for an id that the scheme does not have."""
    if result.concept != UNCATEGORISED and all(each.id != result.concept for each in inputs.choices):
        raise ReplyRefused(
            f"`{result.concept[:SHOWN_ID]}` is no id of the list: repeat one as it stands there, or say {UNCATEGORISED}"
        )
    return result, []


def rules(inputs: Inputs) -> Result:
    """Where the labels of the scheme file it."""
    return inputs.by_labels
