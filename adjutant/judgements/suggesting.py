"""OPINION. What a model suggests of how the talk went, as drafts that are placed, rehearsed and told like any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from adjutant.app import App
from adjutant.domain.behavior import reviewing
from adjutant.domain.behavior.reviewing import SaidLine
from adjutant.domain.learning.analysis import uses
from adjutant.domain.learning.analysis.gathering import EVIDENCE, Material
from adjutant.domain.learning.deciding import acting, choosing, report
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.learning.suggestions import drafting
from adjutant.domain.memory.gate import Blots
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting import roles
from adjutant.domain.recall import taxonomy
from adjutant.judgements import evolve
from adjutant.judgements.asking import OFFLINE, Asker
from adjutant.judgements.evolve import Inputs, Opinion, ShownItem
from adjutant.language.stems import telling
from adjutant.records import suggestion
from adjutant.records.evolution_log import State
from adjutant.records.suggestion import DEMOTE, MEMORY, PENDING, PROMOTE, PROMPT_EDIT, SKILL_GAP, Analysis, Draft, Quote

TALK_CHARS = 40_000
MOST_NOTES, NOTE_CHARS = 30, 300
SUBJECT_STEMS = 6
_CAUSES = {
    MEMORY: suggestion.CORRECTION,
    PROMOTE: suggestion.FREQUENT,
    DEMOTE: suggestion.UNUSED_ITEM,
    SKILL_GAP: suggestion.SKILL_GAP,
    drafting.HEART: suggestion.USELESS_NOTICES,
    drafting.SKILL: suggestion.SKILL_CORRECTED,
    drafting.ROLE: suggestion.ROLE_CORRECTED,
}
_NOTES = {
    DEMOTE: "to keep it where a search finds it, save it as a note after accepting",
    SKILL_GAP: "it is a draft; edit its SKILL.md after accepting",
}


class Suggested(NamedTuple):
    """What came of a question. `offline`: there was no model to ask; `refused`: what it suggested in vain, with the
    reason; `degraded`: why rules stood in for it, "" where they did not."""

    drafts: list[Draft]
    offline: bool
    refused: list[str]
    degraded: str


def suggest(app: App, material: Material, analysis: Analysis, state: State) -> Suggested:
    """Asks once.

    Raises Stopped, ConfigInvalid (a broken template of the instance), FileDamaged, IoFailed.
    """
    inputs = _inputs(app, material, analysis, state)
    asker = Asker(app)
    answered = asker.ask(evolve, inputs)
    drafts = [_draft(app, analysis, inputs, each) for each in answered.result.suggestions]
    return Suggested(drafts, answered.backend == OFFLINE, answered.notes, asker.told)


def _inputs(app: App, material: Material, analysis: Analysis, state: State) -> Inputs:
    blots = Blots(app)
    items = layer_items.read_items(app.files, app.config)
    notes = list(_notes(material, blots))
    return Inputs(
        now=app.clock.now().isoformat(),
        talk=list(_talk(app, material, blots)),
        findings=[
            ShownItem(f"f{number}", each.cause, _tell(report.word(each).title, notes, blots))
            for number, each in enumerate(analysis.findings, start=1)
        ],
        items=[
            ShownItem(f"i{number}", each.id, blots.message(each.text)[0])
            for number, each in enumerate(items, start=1)
            if each.layer in uses.JUDGED
        ],
        notes=notes,
        skills=sorted(uses.skills(material)),
        roles=sorted(roles.names(app.config)),
        workloads=sorted(taxonomy.load(app.files).concepts),
        known=[
            each.suggestion.title
            for each in state.held.values()
            if choosing.is_taken(each, app.clock)
            and (each.status != PENDING or acting.fits(app.files, state, each.suggestion))  # else it is made anew
        ],
    )


def _tell(title: str, notes: list[ShownItem], blots: Blots) -> str:
    """A finding in words, with the handle of the note that it is about."""
    for note in notes:
        title = title.replace(f"{uses.MEMORY}/{note.id}", note.handle)
    return blots.message(title)[0]


def _talk(app: App, material: Material, blots: Blots) -> Iterator[SaidLine]:
    """The operator's messages of the 30 days, the newest there is room for, oldest first."""
    for each in reviewing.gather(app, material.month_began, TALK_CHARS).messages:
        if said := blots.message(each.said)[0]:
            yield replace(each, said=said, before=blots.message(each.before)[0])


def _notes(material: Material, blots: Blots) -> Iterator[ShownItem]:
    """The notes that were found for turns of the month, the newest first."""
    found = (id for turn in reversed(material.month) for id in turn.was.retrieved)
    known, shelf = dict.fromkeys(id for id in found if id.startswith(f"{uses.MEMORY}/")), Shelf(material.files)
    for number, key in enumerate(list(known)[:MOST_NOTES], start=1):
        note = shelf.find_known(key.partition("/")[2])
        if note is not None and not note.superseded_by:
            yield ShownItem(f"n{number}", note.id, blots.message(note.body)[0][:NOTE_CHARS])


# -- what becomes of it --------------------------------------------------------------------------------------


def _draft(app: App, analysis: Analysis, inputs: Inputs, given: Opinion) -> Draft:
    ids = {each.handle: each.id for each in (*inputs.items, *inputs.notes)}
    evidence, (what, _, handle) = _evidence(app, analysis, inputs, given), given.target.partition(" ")
    cause = _CAUSES[what if given.kind == PROMPT_EDIT else given.kind]
    workloads = {talk.workload for talk, _ in evolve.sources(inputs, given)} - {""}
    target, workload = ids.get(given.target, given.target), workloads.pop() if len(workloads) == 1 else ""
    subject = " ".join(sorted(telling(given.text))[:SUBJECT_STEMS])
    if given.kind == PROMOTE:
        target, subject = what, f"{uses.MEMORY}/{ids[handle]}"
    elif given.kind == DEMOTE:
        subject = target
    elif given.kind == SKILL_GAP:
        subject = workload = given.target
    elif given.kind == MEMORY and not given.text:
        cause, subject = suggestion.STALE_NOTE, f"{uses.MEMORY}/{target}"
    said = (given.title or given.reason[: evolve.TITLE_CHARS], given.text, given.effect)
    about = (evidence, {"times": float(len(evidence))}, workload)
    note, weight = _NOTES.get(given.kind, ""), round(min(1.0, 0.5 + 0.1 * len(given.evidence)), 3)
    return Draft(given.kind, cause, subject, *said, *about, target, note, weight)


def _evidence(app: App, analysis: Analysis, inputs: Inputs, given: Opinion) -> tuple[Quote, ...]:
    """The operator's words that it quotes, then what was counted."""
    quotes = []
    for talk, quote in evolve.sources(inputs, given):
        session, _, id = talk.record.rpartition("/")
        path = app.tree.relative(app.tree.conversation(session))
        quotes.append(Quote(talk.interaction, f"{path}#{id}", suggestion.excerpt(quote)))
    counted = {f"f{number}": each.evidence for number, each in enumerate(analysis.findings, start=1)}
    more = [quote for each in given.evidence for quote in counted.get(each.handle, ())]
    return tuple(dict.fromkeys((*quotes, *more)))[:EVIDENCE]
