"""DOMAIN. From a finding to a draft: which kind of change it asks for, in whose words, and what a person has to know.

A draft's `target` says what it is about to whoever places it:

- promote: the layer (`user`, `tools`)               demote: the item (`user#fountain-pens`)
- prompt_edit: `heart`, `skill NAME`, `role NAME`    routing: `SPECIALIST WORKLOAD`
- memory: the id of a note that goes, or that the text takes the place of; "" for a new one

Words of the operator are taken from his quotes alone; what a knowledge base, a stranger or a model said is no text.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjutant.domain.behavior import grammar
from adjutant.domain.learning.analysis import documents
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.learning.suggestions import words
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting import churn
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.language import agreement
from adjutant.ports import TRUST
from adjutant.records import finding
from adjutant.records.finding import Analysis, Finding
from adjutant.records.suggestion import DEMOTE, DIRECTIVE, MEMORY, PROMOTE, PROMPT_EDIT, ROUTING, SKILL_GAP, Draft

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.records.note import Note
    from adjutant.store.files import Files

BEDROCK, TOPSOIL = "user", "tools"
HEART, SKILL, ROLE = "heart", "skill", "role"
EDIT = "it is a draft; edit its SKILL.md after accepting"
PROMOTES = "accepting files a candidate; only `adjutant behavior promote` makes it a directive"


def draft_all(app: App, analysis: Analysis) -> list[Draft]:
    """The drafts of an analysis, none of them placed, in the order of its findings.

    A finding without a draft is told in words: nothing that a file could hold follows from it. Raises TaxonomyInvalid,
    FileDamaged, IoFailed.
    """
    drafts = (_DRAFTERS[each.cause](app, each) for each in analysis.findings if each.cause in _DRAFTERS)
    return [each for each in drafts if each is not None]


def _make(found: Finding, kind: str, title: str, text: str, effect: str, *, target: str = "", note: str = "") -> Draft:
    """A draft because of a finding, with its evidence and figures."""
    because = {name: getattr(found, name) for name in ("cause", "subject", "evidence", "figures", "workload", "weight")}
    return Draft(kind=kind, title=title, text=text, effect=effect, target=target, note=note, **because)


def _figure(found: Finding, name: str) -> int:
    return round(found.figures.get(name, 0))


def _sessions(found: Finding) -> str:
    count = _figure(found, "sessions") or len({quote.interaction for quote in found.evidence})
    return f"{count} session{'' if count == 1 else 's'}"


def _label(app: App, workload: str) -> str:
    """What a concept is called; "" for all of them. Raises TaxonomyInvalid, FileDamaged."""
    concept = taxonomy.load(app.files).concepts.get(workload)
    return concept.label().lower() if concept is not None else workload.removeprefix(PREFIX)


# -- what should be remembered, forgotten, or kept to --------------------------------------------------------------


def _draft_correction(app: App, found: Finding) -> Draft | None:
    """What the operator said again, as a note of his; it takes the place of one that says otherwise."""
    text = words.flatten(found.text)
    if not words.is_verbatim(text, found.evidence):
        return None
    title, effect = words.make_title("Remember: ", text), f"You have said so in {_sessions(found)}; a turn about it"
    if (old := contradicted(app.files, text)) is None:
        return _make(found, MEMORY, title, text, f"{effect} finds it from now on.")
    effect += f' finds it from now on; it takes the place of the note "{words.shorten(old.title, 60)}".'
    note = f"the older note {old.path} is hidden from then on, and comes back when this is reverted"
    return _make(found, MEMORY, title, text, effect, target=old.id, note=note)


def contradicted(files: Files, text: str) -> Note | None:
    """The live note that says otherwise what a sentence says, the newest of several. Raises FileDamaged, IoFailed."""
    live = (note for note in Shelf(files).all() if not note.superseded_by)
    against = (note for note in live if agreement.contradicts(text, note.body))
    return max(against, key=lambda note: note.id, default=None)


def _draft_answer(app: App, found: Finding) -> Draft | None:
    """The answer to a question that comes back, in the agent's words, as they were given."""
    question, answer = words.flatten(found.text), found.evidence[0]
    if answer.trust != TRUST[1] or not answer.text:
        return None
    return _make(
        found,
        MEMORY,
        words.make_title("Remember the answer to ", question),
        f"{question} {answer.text}",
        f"It was asked in {_sessions(found)}; the answer is found at once from now on.",
        note=f"read the answer: it is the agent's words, as they were given ({answer.ref})",
    )


def _draft_forgetting(app: App, found: Finding) -> Draft | None:
    """A note that no answer uses goes."""
    collection, _, id = found.subject.partition("/")
    note = documents.find_note(app, id) if collection == documents.MEMORY else None
    if note is None:
        return None
    turns = _figure(found, "turns")
    return _make(
        found,
        MEMORY,
        words.make_title("Forget the note ", note.title, f": found {turns} times, never used"),
        "",
        f"{turns} turns found it and used none of it; it takes no room in a prompt any more.",
        target=note.id,
        note="the file is deleted; `adjutant evolve revert` brings it back as it was",
    )


def _draft_directive(app: App, found: Finding) -> Draft | None:
    """What was asked for all answers to come, as a candidate."""
    said = grammar.parse_one(found.text)
    if not isinstance(said, grammar.DirectiveLine) or not words.is_verbatim(said.text, found.evidence):
        return None
    title = words.make_title("Take as a rule: ", found.text)
    effect = f"You have asked for it in {_sessions(found)}; every answer is given under it once you promote it."
    return _make(found, DIRECTIVE, title, found.text, effect, note=PROMOTES)


# -- layers, skills, roles, the heart --------------------------------------------------------------------------------


def _draft_promotion(app: App, found: Finding) -> Draft | None:
    """Words that most turns of a workload use, as an item of a layer: of bedrock, or of topsoil where they change and
    were needed in two windows running."""
    changing = bool(found.figures.get("changing"))
    if changing and not found.figures.get("two_windows"):
        return None
    layer = TOPSOIL if changing else BEDROCK
    document = documents.find(app, found.subject)
    text = words.cut_passage(document.text, found.text) if document is not None else ""
    turns, about = _figure(found, "turns"), _label(app, found.workload)
    path = app.config.text(f"layers.{layer}.path").rpartition("/")[2]
    changes = churn.of(app.files, {layer: app.config.text(f"layers.{layer}.tier")}, app.clock.now())[layer].changes
    often = "has not changed" if not changes else f"has changed {'once' if changes == 1 else f'{changes} times'}"
    rest = "" if document is None or text == " ".join(document.text.split()) else "; the rest of it stays where it is"
    return _make(
        found,
        PROMOTE,
        words.make_title(
            "Keep ", text or found.subject, f" in {path}: in {_figure(found, 'used')} of {turns} {about} turns"
        ),
        text,
        f"Used in {found.figures['share']:.0%} of {turns} {about or 'recorded'} turns; no search has to find it any "
        "more.",
        target=layer,
        note=f"the layer {path} {often} within its cadence{rest}",
    )


def _draft_demotion(app: App, found: Finding) -> Draft | None:
    """An item that answers used and use no more goes."""
    items = {item.id: item for item in layer_items.read_items(app.files, app.config)}
    item = items.get(found.subject)
    if item is None or not found.figures.get("before"):
        return None
    text, turns, path = words.flatten(item.text), _figure(found, "turns"), item.path.rpartition("/")[2]
    keep = f": `adjutant memory save {shlex.quote(text)}`" if len(text) <= words.MOST and text.isprintable() else ""
    return _make(
        found,
        DEMOTE,
        words.make_title("Take ", text, f" out of {path}: unused in {turns} turns"),
        "",
        f"No answer of {turns} turns used it; each turn is shorter by its tokens.",
        target=item.id,
        note=f"to keep it where a search finds it, save it as a note after accepting{keep}",
    )


def _draft_skill(app: App, found: Finding) -> Draft | None:
    """A skill in the operator's words."""
    said = words.read_dictated(words.read_own(found.evidence))
    if not said.requests and not said.steps:
        return None
    label, turns = _label(app, found.workload), _figure(found, "turns")
    friction, rounds = found.figures.get("friction", 0.0), found.figures.get("rounds", 0.0)
    heavy = [f"friction {friction:.2f}"] * (friction > 0) + [f"{rounds:.1f} rounds each"] * (rounds > 0)
    told = f" ({', '.join(heavy)})" if heavy else ""
    title = words.shorten(f"A skill for {label}: {turns} turns, and none to go by", words.TITLE)
    effect = f"{turns} turns about {label} had no skill to go by{told}; the next one finds this."
    steps = f"{len(said.steps)} steps, in your words" if said.steps else "no steps yet: you have dictated none"
    return _make(found, SKILL_GAP, title, "\n".join(said.steps), effect, note=f"it has {steps}; {EDIT}")


def _draft_line(found: Finding, what: str, title: str) -> Draft | None:
    """A line more for a skill or a role."""
    name, text = found.subject, words.flatten(found.text)
    if not words.is_verbatim(text, found.evidence):
        return None
    effect = f"You have said so of {name} in {_sessions(found)}; whoever uses it reads it first."
    title = words.make_title(f"{title} {words.shorten(name, 24)}: ", text)
    return _make(found, PROMPT_EDIT, title, text, effect, target=f"{what} {name}")


def _draft_quiet_zone(app: App, found: Finding) -> Draft | None:
    """A quiet zone of the words that the notices from one place share."""
    name = words.flatten(found.text)
    if not name:
        return None
    count = _figure(found, "useless")
    kb, _, place = found.subject.partition(" ")
    return _make(
        found,
        PROMPT_EDIT,
        words.make_title("Leave ", name, f" of {words.shorten(kb, 24)} alone: {count} notices called useless"),
        name,
        f"You called {count} notices from {place or kb} useless, and none useful; it raises none any more.",
        target=HEART,
        note=f'under Quiet Zones, "{name}" mutes whatever in your files holds it, however urgent; it is what the '
        "notices have in common",
    )


# -- who answers what ------------------------------------------------------------------------------------------------


def _draft_owner(app: App, found: Finding) -> Draft | None:
    """A workload goes back to the conductor."""
    owned = app.config.specialists.get(found.subject, {}).get("workloads", [])
    name = found.workload.removeprefix(PREFIX)
    workload = name if name in owned else name.partition("/")[0]
    if workload not in owned:
        return None
    of = f"{_figure(found, 'failed')} of {_figure(found, 'turns')}"
    return _make(
        found,
        ROUTING,
        words.shorten(f"Take {workload} from {found.subject}: {of} turns went wrong", words.TITLE),
        "",
        f"{of} turns about {workload} failed or were corrected; the conductor answers them.",
        target=f"{found.subject} {workload}",
    )


_DRAFTERS: dict[str, Callable[[App, Finding], Draft | None]] = {
    finding.CORRECTION: _draft_correction,
    finding.QUESTION: _draft_answer,
    finding.STALE_NOTE: _draft_forgetting,
    finding.MANNER: _draft_directive,
    finding.FREQUENT: _draft_promotion,
    finding.UNUSED_ITEM: _draft_demotion,
    finding.SKILL_GAP: _draft_skill,
    finding.SKILL_CORRECTED: lambda app, found: _draft_line(found, SKILL, "Add to the skill"),
    finding.ROLE_CORRECTED: lambda app, found: _draft_line(found, ROLE, "Tell"),
    finding.USELESS_NOTICES: _draft_quiet_zone,
    finding.MISROUTED: _draft_owner,
}
