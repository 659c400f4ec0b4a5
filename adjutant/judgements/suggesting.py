"""OPINION. What a model suggests of how the talk went, as drafts that are placed, rehearsed and told like any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjutant.domain.conversation.blots import Blots
from adjutant.domain.learning.analysis import documents, uses
from adjutant.domain.learning.analysis.gathering import EVIDENCE, Material, Utterance
from adjutant.domain.learning.deciding import choosing, report
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.learning.suggestions import drafting
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
    drafting.HEART: finding.USELESS_NOTICES,
    drafting.SKILL: finding.SKILL_CORRECTED,
    drafting.ROLE: finding.ROLE_CORRECTED,
}
_NOTES = {
    DIRECTIVE: drafting.PROMOTES,
    DEMOTE: "to keep it where a search finds it, save it as a note after accepting",
    SKILL_GAP: drafting.EDIT,
}


def suggest(app: App, material: Material, analysis: Analysis, state: State) -> tuple[list[Draft], bool]:
    """Asks once: (the drafts, whether there was no model to ask).

    Raises Stopped, ConfigInvalid (a broken template of the instance), FileDamaged, IoFailed.
    """
    inputs = _inputs(app, material, analysis, state)
    answered = Asker(app).ask(evolve, inputs)
    drafts = [_draft(analysis, inputs, each) for each in answered.result.suggestions]
    return drafts, answered.backend == OFFLINE


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


def _draft(analysis: Analysis, inputs: Inputs, given: Opinion) -> Draft:
    ids = {each.handle: each.id for each in (*inputs.items, *inputs.notes)}
    evidence, (what, _, handle) = _evidence(analysis, inputs, given), given.target.partition(" ")
    cause = _CAUSES[what if given.kind == PROMPT_EDIT else given.kind]
    target, workload = ids.get(given.target, given.target), _workload(inputs, given)
    subject = " ".join(sorted(telling(given.text))[:SUBJECT_STEMS])
    if given.kind == PROMOTE:
        target, subject = what, f"{documents.MEMORY}/{ids[handle]}"
    elif given.kind == DEMOTE:
        subject = target
    elif given.kind == SKILL_GAP:
        subject = workload = given.target
    elif given.kind == MEMORY and not given.text:
        cause, subject = finding.STALE_NOTE, f"{documents.MEMORY}/{target}"
    return Draft(
        given.kind,
        cause,
        subject,
        given.title or given.reason[: evolve.TITLE_CHARS],
        given.text,
        given.effect,
        evidence,
        {"times": float(len(evidence))},
        workload,
        target,
        _NOTES.get(given.kind, ""),
        round(min(1.0, 0.5 + 0.1 * len(given.evidence)), 3),
    )


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
