"""OPINION. What a model suggests of how the talk went, as drafts that are placed, rehearsed and told like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adjutant.domain.conversation.blots import Blots
from adjutant.domain.learning.analysis import documents, uses
from adjutant.domain.learning.analysis.gathering import EVIDENCE, Exchange, Material, Utterance
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
}
_EDITS = {
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
    drafts = [_draft(app, material, analysis, inputs, each) for each in answered.result.suggestions]
    return Suggested([each for each in drafts if each is not None], answered.backend == OFFLINE)


# -- what is shown -------------------------------------------------------------------------------------------


def _inputs(app: App, material: Material, analysis: Analysis, state: State) -> Inputs:
    blots = Blots(app)
    talk = list(_talk(material, blots))
    findings = [
        ShownItem(f"f{number}", each.cause, blots.message(report.word(each).title)[0])
        for number, each in enumerate(analysis.findings, start=1)
    ]
    items = [
        ShownItem(f"i{number}", each.id, blots.message(each.text)[0])
        for number, each in enumerate(layer_items.read_items(app.files, app.config), start=1)
        if each.layer in uses.JUDGED
    ]
    return Inputs(
        app.clock.now().isoformat(),
        talk,
        findings,
        items,
        list(_notes(app, material, blots)),
        sorted(uses.skills(material)),
        sorted(roles.names(app.config)),
        sorted(taxonomy.load(app.files).concepts),
        [each.suggestion.title for each in state.held.values() if choosing.is_taken(each, app.clock)],
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
            yield _line(material, f"m{number}", said, own, material.follows.get((said.session, said.id)), blots)


def _own(said: Utterance) -> str:
    return " ".join(said.sentences)[:SAID_CHARS]


def _line(material: Material, handle: str, said: Utterance, own: str, of: Exchange | None, blots: Blots) -> Talk:
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


def _notes(app: App, material: Material, blots: Blots) -> Iterator[ShownItem]:
    """The notes that were found for turns of the month, the newest first."""
    found = (
        id for turn in reversed(material.month) for id in turn.was.retrieved if id.startswith(f"{documents.MEMORY}/")
    )
    for number, key in enumerate(list(dict.fromkeys(found))[:MOST_NOTES], start=1):
        note = documents.find_note(app, key.partition("/")[2])
        if note is not None and not note.superseded_by:
            yield ShownItem(f"n{number}", note.id, blots.message(note.body)[0][:NOTE_CHARS])


# -- what becomes of it --------------------------------------------------------------------------------------


class _Aim(NamedTuple):
    """Where a suggestion leads: its cause, what it is about, and the target of its draft."""

    cause: str
    subject: str
    target: str


def _draft(app: App, material: Material, analysis: Analysis, inputs: Inputs, given: Opinion) -> Draft | None:
    """None for a note or item that went meanwhile."""
    shown = {each.handle: each.id for each in (*inputs.items, *inputs.notes)}
    evidence = _evidence(analysis, inputs, given)
    aim = _aim_at_note(app, given, shown) if given.kind == MEMORY else _aim(app, given, shown, evidence)
    if aim is None:
        return None
    return Draft(
        given.kind,
        aim.cause,
        aim.subject,
        given.title or given.reason[: evolve.TITLE_CHARS],
        _text(material, given, shown),
        given.effect,
        evidence,
        {"times": float(len(evidence))},
        workload=given.target if given.kind == SKILL_GAP else _workload(inputs, given),
        target=aim.target,
        note=_NOTES.get(given.kind, ""),
        weight=round(min(1.0, 0.5 + 0.1 * len(given.evidence)), 3),
    )


def _about(given: Opinion) -> str:
    return " ".join(sorted(telling(given.text))[:SUBJECT_STEMS])


def _aim_at_note(app: App, given: Opinion, shown: dict[str, str]) -> _Aim | None:
    """A note to save, to put in the place of another, or to forget."""
    whose = drafting.BY_OPERATOR if evolve.said_by_operator(given) else drafting.BY_AGENT
    if not given.target:
        return _Aim(_CAUSES[MEMORY], _about(given), whose)
    note = documents.find_note(app, shown[given.target])
    if note is None:
        return None
    if given.text:
        return _Aim(_CAUSES[MEMORY], _about(given), f"{whose} {note.id}")
    return _Aim(finding.STALE_NOTE, f"{documents.MEMORY}/{note.id}", f"{drafting.FORGET} {note.path}")


def _aim(app: App, given: Opinion, shown: dict[str, str], evidence: Sequence[Quote]) -> _Aim:
    what, _, handle = given.target.partition(" ")
    if given.kind == PROMPT_EDIT:
        return _Aim(_EDITS[what], _about(given), given.target)
    cause = _CAUSES[given.kind]
    if given.kind == PROMOTE:
        return _Aim(cause, f"{documents.MEMORY}/{shown[handle]}", what)
    if given.kind == DEMOTE:
        return _Aim(cause, shown[given.target], shown[given.target])
    if given.kind == SKILL_GAP:
        return _Aim(cause, given.target, words.name_skill(given.target, app.files.names(app.tree.skills)))
    if given.kind == CONCEPT:
        made = words.make_concept(given.text, [quote.text for quote in evidence], taxonomy.load(app.files))
        return _Aim(cause, _about(given), made.id if made is not None else "")
    return _Aim(cause, _about(given), "")


def _text(material: Material, given: Opinion, shown: dict[str, str]) -> str:
    """The words of a suggestion; a note that is promoted whole brings its own."""
    if given.kind != PROMOTE or given.text:
        return given.text
    note = documents.find_note(material.app, shown[given.target.partition(" ")[2]])
    return note.body if note is not None else ""


def _workload(inputs: Inputs, given: Opinion) -> str:
    found = {talk.workload for talk, _ in evolve.sources(inputs, given)} - {""}
    return found.pop() if len(found) == 1 else ""


def _evidence(analysis: Analysis, inputs: Inputs, given: Opinion) -> tuple[Quote, ...]:
    """The operator's words that it quotes, then what was counted."""
    quotes = [
        Quote(talk.interaction, talk.ref, finding.excerpt(quote)) for talk, quote in evolve.sources(inputs, given)
    ]
    counted = {f"f{number}": each.evidence for number, each in enumerate(analysis.findings, start=1)}
    more: Sequence[Quote] = [quote for each in given.evidence for quote in counted.get(each.handle, ())]
    return tuple(dict.fromkeys((*quotes, *more)))[:EVIDENCE]
