"""OPINION. evolve: what should be remembered or changed, from how the operator's talk with the agent went?"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from itertools import compress
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from adjutant.app import App
from adjutant.domain.behavior import reviewing
from adjutant.domain.learning import acting, choosing, gathering, layer_items, placing
from adjutant.domain.memory.gate import Blots
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting import roles
from adjutant.domain.recall import taxonomy
from adjutant.judgements.asking import OFFLINE, Asker
from adjutant.judgements.behavior_review import MOST, UNSAID, Spoken, keep_cited, show_talk, sift
from adjutant.judgements.hearing import load_judgement
from adjutant.language import likeness
from adjutant.language.stems import telling
from adjutant.records import suggestion
from adjutant.records.evolution_log import State
from adjutant.records.suggestion import DEMOTE, MEMORY, PENDING, PROMOTE, PROMPT_EDIT, SKILL_GAP, Analysis, Draft, Quote
from adjutant.screening.characters import without_controls, without_hidden
from adjutant.screening.fence import Fence
from adjutant.screening.screen import screen

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "evolve", "evolve.md", "medium", 0.2, 4000
SHOWN_CHARS, TALK_CHARS, TITLE_CHARS, EFFECT_CHARS = 60_000, 40_000, 80, 240
MOST_LINES, MOST_NOTES, NOTE_CHARS, SUBJECT_STEMS = 12, 30, 300, 6  # of a skill's steps; notes; a note; a subject
_CAUSES = {MEMORY: suggestion.CORRECTION, PROMOTE: suggestion.FREQUENT, DEMOTE: suggestion.UNUSED_ITEM}
_CAUSES |= {SKILL_GAP: suggestion.SKILL_GAP, placing.HEART: suggestion.USELESS_NOTICES}
_CAUSES |= {placing.SKILL: suggestion.SKILL_CORRECTED, placing.ROLE: suggestion.ROLE_CORRECTED}
_NOTES = {
    DEMOTE: "to keep it where a search finds it, save it as a note after accepting",
    SKILL_GAP: "it is a draft; edit its SKILL.md after accepting",
}


class ShownItem(msgspec.Struct, frozen=True):
    """A finding of the count, an item of a layer or a note, by handle. `id`: what it is on record."""

    handle: str
    id: str
    text: str


class Inputs(msgspec.Struct, frozen=True):
    """What was said, oldest first; what was counted; what stands and could be changed; what was suggested before."""

    now: str
    talk: list[reviewing.SaidLine]
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

    def show(lines: Iterable[str], source: str) -> str:
        return fence.wrap(text, source, limit=SHOWN_CHARS) if (text := "\n".join(lines)) else ""

    def tell(several: Iterable[ShownItem]) -> Iterable[str]:
        return (f"{each.handle}: {' '.join(each.text.split())}" for each in several)

    return {
        "now": inputs.now,
        "most": MOST,
        "talk": show_talk(inputs.talk, fence),
        **{name: ", ".join(getattr(inputs, name)) for name in ("skills", "roles", "workloads")},
        "findings": show(tell(inputs.findings), "what was counted"),
        "items": show(tell(inputs.items), "items of the layers"),
        "notes": show(tell(inputs.notes), "notes"),
        "known": show((f"- {each}" for each in inputs.known), "suggested before"),
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """The suggestions that hold, and notes of the others. Raises ReplyRefused when all are lost for their citations."""
    shown = {each.handle for each in (*inputs.findings, *inputs.items, *inputs.notes)}
    talk = {each.handle: each.said for each in inputs.talk}
    made = list[Opinion]()
    for each in result.suggestions:
        cited, rows = keep_cited(each.evidence, talk, shown), (" ".join(row.split()) for row in each.text.split("\n"))
        said = {"title": _plain(each.title, TITLE_CHARS), "effect": _plain(each.effect, EFFECT_CHARS)}
        said |= {"target": " ".join(each.target.split()), "text": "\n".join(filter(None, rows))}
        made.append(replace(each, evidence=cited, **said))
    kept, notes = sift(made, lambda each: each.title or each.kind, partial(_find_problem, inputs))
    return Result(kept), notes


def join(inputs: Inputs, first: Result, second: Result) -> Result:
    """What two replies come to, the first of which was cut off."""
    return check(inputs, Result([*first.suggestions, *second.suggestions]))[0]


def _plain(text: str, most: int) -> str:
    line = " ".join(without_hidden(without_controls(text)).split())
    return line if len(line) <= most and not screen(line) else ""


def _find_problem(inputs: Inputs, made: Opinion, kept: Iterable[Opinion]) -> str:
    if not made.evidence:
        return UNSAID
    notes, items = {each.handle for each in inputs.notes}, {each.handle for each in inputs.items}
    what, _, name = made.target.partition(" ")
    lines = len(made.text.split("\n")) if made.text else 0
    edited = {placing.SKILL: inputs.skills, placing.ROLE: inputs.roles}.get(what, ())
    fits = {
        MEMORY: (not made.target and lines == 1) or (made.target in notes and lines <= 1),
        PROMPT_EDIT: lines == 1 and (made.target == placing.HEART or name in edited),
        PROMOTE: what in (placing.BEDROCK, placing.TOPSOIL) and name in notes and lines <= 1,
        DEMOTE: made.target in items and not lines,
        SKILL_GAP: made.target in inputs.workloads and 0 < lines <= MOST_LINES,
    }
    if not fits[made.kind]:
        return f"a {made.kind} has no such target or text"
    quotes = [Quote("", "", each.quote) for each in made.evidence]
    for line in filter(None, made.text.split("\n")):
        if why := placing.find_problem(line, {}):
            return f"of its text {why}"
        if made.kind in (PROMPT_EDIT, SKILL_GAP) and not placing.is_his(line, quotes):
            return "its words are not the operator's"
    same = (each for each in kept if (each.kind, each.target) == (made.kind, made.target))
    return "it is suggested twice" if any(likeness.same(each.text, made.text) for each in same) else ""


def rules(inputs: Inputs) -> Result:
    """What was said word for word is drafted without any question."""
    return Result([])


def suggest(
    app: App, asker: Asker, material: gathering.Material, analysis: Analysis, state: State
) -> tuple[list[Draft], bool, list[str]]:
    """(drafts, whether nobody was asked, what was suggested in vain). Raises Stopped, ConfigInvalid, FileDamaged."""
    inputs = _gather(app, material, analysis, state)
    answered = asker.ask(load_judgement(NAME), inputs)
    drafts = [_draft(material, analysis, inputs, each) for each in answered.result.suggestions]
    return drafts, answered.backend == OFFLINE, answered.notes


def _gather(app: App, material: gathering.Material, analysis: Analysis, state: State) -> Inputs:
    blots, shelf, notes = Blots(app), Shelf(app.files), list[ShownItem]()
    found = dict.fromkeys(id.partition("/") for turn in reversed(material.month) for id in turn.was.retrieved)
    for number, id in enumerate([id for place, _, id in found if place == gathering.MEMORY][:MOST_NOTES], start=1):
        note = shelf.find_known(id)
        if note is not None and not note.superseded_by:
            notes.append(ShownItem(f"n{number}", note.id, blots.message(note.body)[0][:NOTE_CHARS]))
    lately = [each for each in material.said if datetime.fromisoformat(each.ts) >= material.month_began]
    said = ((each, blots.message(each.said)[0]) for each in reviewing.fit(lately, TALK_CHARS))
    findings = list[ShownItem]()
    for number, one in enumerate(analysis.findings, start=1):
        title = choosing.word(one).title
        for shown in notes:
            title = title.replace(f"{gathering.MEMORY}/{shown.id}", shown.handle)
        findings.append(ShownItem(f"f{number}", one.cause, blots.message(title)[0]))
    items = [each for each in layer_items.read_items(app.files, app.config) if each.layer in gathering.JUDGED]
    taken = [each for each in state.held.values() if choosing.is_taken(each, app.clock)]
    fit = (each.status != PENDING or acting.fits(app.files, state, each.suggestion) for each in taken)
    taken = list(compress(taken, fit))  # what fits no more is made anew
    return Inputs(
        now=app.clock.now().isoformat(),
        talk=[replace(each, said=own, before=blots.message(each.before)[0]) for each, own in said if own],
        findings=findings,
        items=[ShownItem(f"i{at}", each.id, blots.message(each.text)[0]) for at, each in enumerate(items, start=1)],
        notes=notes,
        skills=sorted(gathering.read_skills(material)),
        roles=sorted(roles.names(app.config)),
        workloads=sorted(taxonomy.load(app.files).concepts),
        known=[each.suggestion.title for each in taken],
    )


def _draft(material: gathering.Material, analysis: Analysis, inputs: Inputs, given: Opinion) -> Draft:
    ids = {each.handle: each.id for each in (*inputs.items, *inputs.notes)}
    talk = {each.handle: each for each in inputs.talk}
    counted = {f"f{number}": each.evidence for number, each in enumerate(analysis.findings, start=1)}
    cited = [(talk[each.handle], each.quote) for each in given.evidence if each.handle in talk]
    quotes, workloads = [material.quote(*each) for each in cited], {said.workload for said, _ in cited}
    quotes += [quote for each in given.evidence for quote in counted.get(each.handle, ())]
    evidence, (what, _, handle) = tuple(dict.fromkeys(quotes))[: gathering.EVIDENCE], given.target.partition(" ")
    cause, workloads = _CAUSES[what if given.kind == PROMPT_EDIT else given.kind], workloads - {""}
    target, workload = ids.get(given.target, given.target), workloads.pop() if len(workloads) == 1 else ""
    subject = " ".join(sorted(telling(given.text))[:SUBJECT_STEMS])
    if given.kind == PROMOTE:
        target, subject = what, f"{gathering.MEMORY}/{ids[handle]}"
    elif given.kind == DEMOTE:
        subject = target
    elif given.kind == SKILL_GAP:
        subject = workload = given.target
    elif given.kind == MEMORY and not given.text:
        cause, subject = suggestion.STALE_NOTE, f"{gathering.MEMORY}/{target}"
    said_so = (given.title or given.reason[:TITLE_CHARS], given.text, given.effect)
    note, weight = _NOTES.get(given.kind, ""), round(min(1.0, 0.5 + 0.1 * len(given.evidence)), 3)
    figures = {"times": float(len(evidence))}
    return Draft(given.kind, cause, subject, *said_so, evidence, figures, workload, target, note, weight)
