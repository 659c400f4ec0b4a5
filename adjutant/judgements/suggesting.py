"""OPINION. What a model suggests of how the talk went, as drafts that are placed, rehearsed and told like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from adjutant.domain.conversation.blots import Blots
from adjutant.domain.learning.analysis import documents, uses
from adjutant.domain.learning.analysis.gathering import EVIDENCE, Material, Utterance
from adjutant.domain.learning.deciding import choosing, report
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.learning.suggestions import drafting, words
from adjutant.domain.prompting import roles
from adjutant.domain.recall import taxonomy
from adjutant.judgements import evolve
from adjutant.judgements.asking import OFFLINE, Asker
from adjutant.judgements.evolve import Inputs, Opinion, ShownItem, Talk
from adjutant.language.stems import telling
from adjutant.records import finding
from adjutant.records.finding import Analysis, Quote
from adjutant.records.suggestion import CONCEPT, DEMOTE, DIRECTIVE, MEMORY, PROMOTE, PROMPT_EDIT, SKILL_GAP, Draft

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.records.evolution_log import State

MOST_TALK, TALK_CHARS, BEFORE_CHARS, SAID_CHARS = 300, 40_000, 200, 1200
MOST_NOTES, NOTE_CHARS = 30, 300
SUBJECT_STEMS = 6
_CAUSES = {
    MEMORY: finding.CORRECTION,
    DIRECTIVE: finding.MANNER,
    PROMOTE: finding.FREQUENT,
    DEMOTE: finding.UNUSED_ITEM,
    SKILL_GAP: finding.SKILL_GAP,
    CONCEPT: finding.UNFILED,
    evolve.HEART: finding.USELESS_NOTICES,
    evolve.SKILL: finding.SKILL_CORRECTED,
    evolve.ROLE: finding.ROLE_CORRECTED,
}
_NOTES = {
    DIRECTIVE: drafting.PROMOTES,
    DEMOTE: "to keep it where a search finds it, save it as a note after accepting",
    SKILL_GAP: "it is a draft; edit its SKILL.md after accepting",
}


class Suggested(NamedTuple):
    """The drafts; `offline`: there was no model to ask."""

    drafts: list[Draft]
    offline: bool


def suggest(app: App, material: Material, analysis: Analysis, state: State) -> Suggested:
    """Asks once. Raises Stopped, ConfigInvalid (a broken template of the instance), FileDamaged, IoFailed."""
    inputs = _inputs(app, material, analysis, state)
    answered = Asker(app).ask(evolve, inputs)
    drafts = [_draft(app, analysis, inputs, each) for each in answered.result.suggestions]
    return Suggested([each for each in drafts if each is not None], answered.backend == OFFLINE)


# -- what is shown -------------------------------------------------------------------------------------------


def _inputs(app: App, material: Material, analysis: Analysis, state: State) -> Inputs:
    blots = Blots(app)
    items = layer_items.read_items(app.files, app.config)
    return Inputs(
        now=app.clock.now().isoformat(),
        talk=list(_talk(material, blots)),
        findings=[
            ShownItem(f"f{number}", each.cause, blots.message(report.word(each).title)[0])
            for number, each in enumerate(analysis.findings, start=1)
        ],
        items=[
            ShownItem(f"i{number}", each.id, blots.message(each.text)[0])
            for number, each in enumerate(items, start=1)
            if each.layer in uses.JUDGED
        ],
        notes=list(_notes(material, blots)),
        skills=sorted(uses.skills(material)),
        roles=sorted(roles.names(app.config)),
        workloads=sorted(taxonomy.load(app.files).concepts),
        known=[each.suggestion.title for each in state.held.values() if choosing.is_taken(each, app.clock)],
    )


def _talk(material: Material, blots: Blots) -> Iterator[Talk]:
    """The operator's messages of the 30 days, the newest there is room for, oldest first."""
    room, kept = TALK_CHARS, list[Utterance]()
    for said in reversed(material.said[-MOST_TALK:]):
        room -= len(_own(said)) + BEFORE_CHARS
        if said.at <= material.month_began or room < 0:
            break
        kept.append(said)
    for number, said in enumerate(reversed(kept), start=1):
        if own := blots.message(_own(said))[0]:
            yield _show(material, f"m{number}", said, own, blots)


def _own(said: Utterance) -> str:
    return " ".join(said.sentences)[:SAID_CHARS]


def _show(material: Material, handle: str, said: Utterance, own: str, blots: Blots) -> Talk:
    of = material.follows.get((said.session, said.id))
    turn = of or material.turn_of(said)
    answer = of.answer.text if of is not None and of.answer is not None else ""
    quote = material.quote(said, own, turn.was if turn is not None else None)
    return Talk(
        handle,
        quote.interaction,
        quote.ref,
        said.at.isoformat(),
        own,
        blots.message(" ".join(answer.split())[:BEFORE_CHARS])[0],
        turn.was.concept if turn is not None else "",
        turn.was.agent if turn is not None else "",
        list(turn.was.skills) if turn is not None else [],
        list(turn.was.friction_signals) if turn is not None else [],
    )


def _notes(material: Material, blots: Blots) -> Iterator[ShownItem]:
    """The notes that were found for turns of the month, the newest first."""
    found = (id for turn in reversed(material.month) for id in turn.was.retrieved)
    known = dict.fromkeys(id for id in found if id.startswith(f"{documents.MEMORY}/"))
    for number, key in enumerate(list(known)[:MOST_NOTES], start=1):
        if (note := documents.find(material.app, key)) is not None:
            yield ShownItem(f"n{number}", note.id, blots.message(note.text)[0][:NOTE_CHARS])


# -- what becomes of it --------------------------------------------------------------------------------------


def _draft(app: App, analysis: Analysis, inputs: Inputs, given: Opinion) -> Draft | None:
    """None for a note that went meanwhile."""
    shown = {each.handle: each.id for each in (*inputs.items, *inputs.notes)}
    evidence = _evidence(analysis, inputs, given)
    what, _, handle = given.target.partition(" ")
    cause, target, text = _CAUSES[what if given.kind == PROMPT_EDIT else given.kind], given.target, given.text
    subject = " ".join(sorted(telling(text))[:SUBJECT_STEMS])
    if given.kind == PROMOTE:
        subject, target = f"{documents.MEMORY}/{shown[handle]}", what
        note = documents.find_note(app, shown[handle])
        text = text or (note.body if note is not None else "")
    elif given.kind == DEMOTE:
        subject = target = shown[given.target]
    elif given.kind == SKILL_GAP:
        subject, target = given.target, words.name_skill(given.target, app.files.names(app.tree.skills))
    elif given.kind == CONCEPT:
        made = words.make_concept(text, [quote.text for quote in evidence], taxonomy.load(app.files))
        target = made.id if made is not None else ""
    elif given.kind == MEMORY:
        aim = _aim_at_note(app, given, shown)
        if aim is None:
            return None
        target = aim
        if not text:
            cause, subject = finding.STALE_NOTE, f"{documents.MEMORY}/{shown[given.target]}"
    return Draft(
        given.kind,
        cause,
        subject,
        given.title or given.reason[: evolve.TITLE_CHARS],
        text,
        given.effect,
        evidence,
        {"times": float(len(evidence))},
        workload=given.target if given.kind == SKILL_GAP else _workload(inputs, given),
        target=target,
        note=_NOTES.get(given.kind, ""),
        weight=round(min(1.0, 0.5 + 0.1 * len(given.evidence)), 3),
    )


def _aim_at_note(app: App, given: Opinion, shown: Mapping[str, str]) -> str | None:
    """The target of a note to save, to put in the place of another, or to forget; None where that other one is gone."""
    whose = drafting.BY_OPERATOR if evolve.said_by_operator(given) else drafting.BY_AGENT
    if not given.target:
        return whose
    note = documents.find_note(app, shown[given.target])
    if note is None:
        return None
    return f"{whose} {note.id}" if given.text else f"{drafting.FORGET} {note.path}"


def _workload(inputs: Inputs, given: Opinion) -> str:
    found = {talk.workload for talk, _ in evolve.sources(inputs, given)} - {""}
    return found.pop() if len(found) == 1 else ""


def _evidence(analysis: Analysis, inputs: Inputs, given: Opinion) -> tuple[Quote, ...]:
    """The operator's words that it quotes, then what was counted."""
    quotes = [
        Quote(talk.interaction, talk.ref, finding.excerpt(quote)) for talk, quote in evolve.sources(inputs, given)
    ]
    counted = {f"f{number}": each.evidence for number, each in enumerate(analysis.findings, start=1)}
    more = [quote for each in given.evidence for quote in counted.get(each.handle, ())]
    return tuple(dict.fromkeys((*quotes, *more)))[:EVIDENCE]
