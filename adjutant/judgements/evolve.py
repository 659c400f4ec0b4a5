"""OPINION. evolve: what should be remembered or changed, from how the operator's talk with the agent went?

Code checks what code can know: that a handle exists, that a quote stands in the operator's words, whose words a text
holds, that nothing is suggested twice. What a suggestion may change is decided where it is placed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Literal

import msgspec

from adjutant.domain.behavior.reviewing import SaidLine
from adjutant.domain.learning.suggestions import drafting
from adjutant.domain.learning.suggestions.drafting import BEDROCK, HEART, ROLE, SKILL, TOPSOIL
from adjutant.judgements.behavior_review import MOST, UNSAID, Spoken, keep_cited, show_talk, sift
from adjutant.language import likeness
from adjutant.records.suggestion import DEMOTE, MEMORY, PROMOTE, PROMPT_EDIT, SKILL_GAP, Quote
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import Fence
from adjutant.screening.screen import screen

NAME = "evolve"
TEMPLATE = "evolve.md"
TIER = "medium"
TEMPERATURE = 0.2
MAX_TOKENS = 4000
SHOWN_CHARS = 60_000
TITLE_CHARS, EFFECT_CHARS = 80, 240
MOST_LINES = 12  # of a skill's steps


class ShownItem(msgspec.Struct, frozen=True):
    """A finding of the count, an item of a layer or a note, by handle. `id`: what it is on record."""

    handle: str
    id: str
    text: str


class Inputs(msgspec.Struct, frozen=True):
    """What was said, oldest first; what was counted; what stands and could be changed; what was suggested before."""

    now: str
    talk: list[SaidLine]
    findings: list[ShownItem]
    items: list[ShownItem]
    notes: list[ShownItem]
    skills: list[str]
    roles: list[str]
    workloads: list[str]
    known: list[str]


class Opinion(msgspec.Struct, frozen=True):
    """One change; what speaks for it stands before it. `target`: see the template, by kind."""

    reason: str
    evidence: list[Spoken]
    kind: Literal["memory", "prompt_edit", "promote", "demote", "skill_gap"]
    target: str
    text: str
    title: str
    effect: str


class Result(msgspec.Struct, frozen=True):
    """None is fine."""

    suggestions: list[Opinion]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/evolve.md."""
    shown = {
        "findings": (_rows(inputs.findings), "what was counted"),
        "items": (_rows(inputs.items), "items of the layers"),
        "notes": (_rows(inputs.notes), "notes"),
        "known": ("\n".join(f"- {each}" for each in inputs.known), "suggested before"),
    }
    named = {name: ", ".join(getattr(inputs, name)) for name in ("skills", "roles", "workloads")}
    fenced = {
        name: fence.wrap(text, source, limit=SHOWN_CHARS) if text else "" for name, (text, source) in shown.items()
    }
    return {"now": inputs.now, "most": MOST, "talk": show_talk(inputs.talk, fence), **named, **fenced}


def _rows(several: Iterable[ShownItem]) -> str:
    return "\n".join(f"{each.handle}: {' '.join(each.text.split())}" for each in several)


# -- what of it holds ----------------------------------------------------------------------------------------


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """The suggestions that hold, and notes of the others. Raises ReplyRefused when all are lost for their citations."""
    kept, notes = sift([_tidy(inputs, each) for each in result.suggestions], _name, partial(_problem, inputs))
    return Result(kept), notes


def join(inputs: Inputs, first: Result, second: Result) -> Result:
    """What two replies come to, the first of which was cut off."""
    return check(inputs, Result([*first.suggestions, *second.suggestions]))[0]


def _tidy(inputs: Inputs, given: Opinion) -> Opinion:
    """The suggestion in plain lines, with the citations that stand, as they stand."""
    shown = {each.handle for each in (*inputs.findings, *inputs.items, *inputs.notes)}
    return msgspec.structs.replace(
        given,
        evidence=keep_cited(given.evidence, {each.handle: each.said for each in inputs.talk}, shown),
        target=" ".join(given.target.split()),
        text="\n".join(line for each in given.text.split("\n") if (line := " ".join(each.split()))),
        title=_line(given.title, TITLE_CHARS),
        effect=_line(given.effect, EFFECT_CHARS),
    )


def _line(text: str, most: int) -> str:
    plain = " ".join(without_hidden(without_controls(text)).split())
    return plain if len(plain) <= most and not screen(plain) else ""


def _problem(inputs: Inputs, made: Opinion, kept: Iterable[Opinion]) -> str:
    """Why it may not be suggested, "" where it may."""
    if not made.evidence:
        return UNSAID
    if not _fits(inputs, made):
        return f"a {made.kind} has no such target or text"
    quotes = [Quote("", "", each.quote) for each in made.evidence]
    for line in filter(None, made.text.split("\n")):
        if why := drafting.find_problem(line, {}):
            return f"of its text {why}"
        if made.kind in (PROMPT_EDIT, SKILL_GAP) and not drafting.is_his(line, quotes):
            return "its words are not the operator's"
    same = (each for each in kept if (each.kind, each.target) == (made.kind, made.target))
    return "it is suggested twice" if any(likeness.same(each.text, made.text) for each in same) else ""


def _fits(inputs: Inputs, made: Opinion) -> bool:
    """Whether the target is one of its kind, and there is a text where there has to be one."""
    notes, items = {each.handle for each in inputs.notes}, {each.handle for each in inputs.items}
    what, _, name = made.target.partition(" ")
    lines = len(made.text.split("\n")) if made.text else 0
    edited = made.target == HEART or name in {SKILL: inputs.skills, ROLE: inputs.roles}.get(what, ())
    return {
        MEMORY: (not made.target and lines == 1) or (made.target in notes and lines <= 1),
        PROMPT_EDIT: lines == 1 and edited,
        PROMOTE: what in (BEDROCK, TOPSOIL) and name in notes and lines <= 1,
        DEMOTE: made.target in items and not lines,
        SKILL_GAP: made.target in inputs.workloads and 0 < lines <= MOST_LINES,
    }[made.kind]


def sources(inputs: Inputs, made: Opinion) -> Iterator[tuple[SaidLine, str]]:
    """The messages that a suggestion cites, each with the words that it quotes."""
    talk = {each.handle: each for each in inputs.talk}
    yield from ((talk[each.handle], each.quote) for each in made.evidence if each.handle in talk)


def _name(made: Opinion) -> str:
    return made.title or made.kind


def rules(inputs: Inputs) -> Result:
    """What was said word for word is drafted without any question."""
    return Result([])
