"""OPINION. What a turn is asked and what it answers: from its record alone, so that a replay comes to the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.material import Near, replied
from adjutant.judgements.recording import STOPPED, Recorded
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import clean_line

ANSWER_CHARS = 40_000
QUOTE_CHARS = 400
CHANGING = ("memory_save", "workspace_write")
SHORT = "(The answer breaks off here: it was as long as judgements.turn.max_tokens allows.)"


class RetrievedPassage(msgspec.Struct, frozen=True):
    """Something that was found for the message and stands in the prompt."""

    id: str
    path: str
    anchor: str
    text: str
    trust: str


class Citation(msgspec.Struct, frozen=True):
    """A place in the folder that an answer rests on."""

    path: str
    anchor: str
    quote: str


class Agenda(msgspec.Struct, frozen=True):
    """What the picture of what is open answers: lines, the matters they name as --json has them, and where these
    stand."""

    lines: list[str]
    matters: list[dict[str, Any]]
    citations: list[Citation]


class Inputs(msgspec.Struct, frozen=True):
    """A message of the operator's, what was found for it, best first, and the lines that answer it; `agenda` where it
    asks for what is open."""

    message: str
    session: str
    role: str
    found: list[RetrievedPassage]
    answers: list[Near] = []
    agenda: Agenda | None = None


class Result(msgspec.Struct, frozen=True):
    """What is told the operator."""

    answer: str
    citations: list[Citation]


class ToolUse(msgspec.Struct, frozen=True):
    """One use of a tool: its arguments as the model wrote them, what it was answered, whether that was a refusal."""

    tool: str
    arguments: str
    answered: str
    refused: bool


class Round(msgspec.Struct, frozen=True):
    """One reply of the model as it is kept: its text, the calls it made, and whether it ended at its longest."""

    text: str
    calls: list[ToolUse]
    cut: bool = False


WHY = {
    "timeout": "the model took too long",
    "unreachable": "the model cannot be reached",
    "http": "the model's server refused",
    "malformed": "nothing readable came from the model",
    "cap": "the budget of tokens is used up",
    "limit": "this run has reached its limits",
}


def concluded(
    inputs: Inputs,
    replies: Sequence[str],
    backend: str,
    ended: str | None,
    error: str | None,
) -> tuple[Result, str | None, str | None]:
    """(result, degraded, error) of the rounds as they were kept; `ended` is what broke the talk off from outside."""
    if backend == OFFLINE:
        return by_rules(inputs, "no model is configured"), None, None
    rounds = rounds_of(replies)
    if ended is not None:
        return by_rules(inputs, WHY.get(ended, ended), effects(rounds)), ended, error
    text = shown_text(rounds[-1].text) if rounds else ""
    if not text:
        nothing = "the model gave no answer in words"
        return by_rules(inputs, nothing, effects(rounds)), "malformed", nothing
    return Result(f"{text}\n\n{SHORT}" if rounds[-1].cut else text, _cited(inputs, text)), None, None


def rounds_of(replies: Sequence[str]) -> list[Round]:
    """The rounds that were kept; what is none is left out."""
    found: list[Round] = []
    for reply in replies:
        with suppress(msgspec.DecodeError):
            found.append(msgspec.json.decode(reply, type=Round))
    return found


def effects(rounds: Sequence[Round]) -> list[str]:
    """What the tools changed: a line each, as it was answered the model."""
    lines = [
        line
        for each in rounds
        for call in each.calls
        if call.tool in CHANGING and not call.refused
        for line in call.answered.split("\n")
    ]
    return [clean_line(line, QUOTE_CHARS) for line in lines if line.startswith(("saved:", "reinforced:", "written:"))]


def shown_text(said: str) -> str:
    """A model's words, as a terminal and a chat may show them."""
    return without_hidden(without_controls(said)).strip()[:ANSWER_CHARS]


def _cited(inputs: Inputs, answer: str) -> list[Citation]:
    """The passages whose place the answer names."""
    named = [each for each in inputs.found if each.path and each.path in answer]
    return [Citation(each.path, each.anchor, clean_line(each.text, QUOTE_CHARS)) for each in named]


def by_rules(inputs: Inputs, why: str, done: Sequence[str] = ()) -> Result:
    """What is open, or what was found, in its own words and with its place. `done`: what the tools changed."""
    if inputs.agenda is not None:
        said = [*inputs.agenda.lines, *(f"Before that: {each}" for each in done)]
        return Result("\n".join(said), inputs.agenda.citations)
    certain = [each for each in inputs.answers if each.certain]
    first, *told = replied(inputs.answers, "this is what the folder says:")
    lines = [f"Offline ({why}){';' if certain else ':'} {first}", *told, *(f"Before that: {each}" for each in done)]
    cited = [Citation(each.path, each.anchor, clean_line(each.quote, QUOTE_CHARS)) for each in certain]
    return Result("\n".join(lines), cited)


def replayed(recorded: Recorded) -> dict[str, Any]:
    """`degraded`, `check` and `result` of a recorded turn, in their JSON form. Raises msgspec.ValidationError."""
    inputs = msgspec.convert(recorded.inputs, Inputs)
    if recorded.ended == STOPPED:
        result, degraded, error = None, None, recorded.check.error
    else:
        result, degraded, error = concluded(
            inputs, recorded.replies, recorded.backend, recorded.ended, recorded.check.error
        )
    plain = json.loads(json.dumps(msgspec.to_builtins(result)))
    return {"degraded": degraded, "check": {"notes": [], "error": error}, "result": plain}
