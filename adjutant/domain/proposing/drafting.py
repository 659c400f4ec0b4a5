"""DOMAIN. From a finding to a draft: which kind of change it asks for, in whose words, and what a person has to know.

A draft's `target` says what it is about to whoever places it:

- promote: the layer (`user`, `tools`)               demote: the item (`user#fountain-pens`)
- prompt_edit: `heart`, `skill NAME`, `role NAME`    skill_gap: the folder
- routing: `specialists.NAME.workloads -WORKLOAD`, `judgements.NAME.model TIER`
- memory: `forget PATH`; `operator` or `agent` for whose words are saved, `operator ID` where they replace note ID
- concept: its id

Words of the operator are taken from his quotes alone; what a knowledge base, a stranger or a model said is no text.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjutant.domain.analysis import documents
from adjutant.domain.interactions import layer_items
from adjutant.domain.matters.cues import names_nothing
from adjutant.domain.prompting import churn
from adjutant.domain.proposing import lines, manner, naming, recalled, skill_text
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import classify
from adjutant.domain.recall.concept import Concept
from adjutant.domain.recall.taxonomy import PREFIX, Scheme
from adjutant.records import finding
from adjutant.records.finding import Analysis, Finding
from adjutant.records.suggestion import (
    CONCEPT,
    DEMOTE,
    DIRECTIVE,
    MEMORY,
    PROMOTE,
    PROMPT_EDIT,
    ROUTING,
    SKILL_GAP,
    Draft,
)
from adjutant.store.settings import MODEL_TIERS

if TYPE_CHECKING:
    from adjutant.app import App

HALF = 0.5  # of a workload's turns: what is used in more is kept where every turn has it
BEDROCK, TOPSOIL = "user", "tools"
FORGET, BY_OPERATOR, BY_AGENT = "forget", "operator", "agent"
HEART, SKILL, ROLE = "heart", "skill", "role"
SHOWN = 60  # characters of a text in a sentence of ours
# The tier that each judgement asks when nothing is configured; a test holds it against the judgements.
ASKED = {
    "pulse": "cheap",
    "brief": "cheap",
    "triage": "cheap",
    "escalation": "cheap",
    "answer": "cheap",
    "classify": "cheap",
    "compaction": "cheap",
    "behavior-review": "cheap",
    "synthesis": "cheap",
    "turn": "medium",
    "wisdom": "medium",
    "evolve": "medium",
}


class Desk:
    """What drafts are made from: the instance, what was found in it, its taxonomy as it stands."""

    def __init__(self, app: App, analysis: Analysis) -> None:
        self.app, self.analysis = app, analysis
        self._scheme: Scheme | None = None

    @property
    def scheme(self) -> Scheme:
        """The instance's taxonomy. Raises TaxonomyInvalid, FileDamaged."""
        if self._scheme is None:
            self._scheme = taxonomy.load(self.app.files)
        return self._scheme

    def label(self, workload: str) -> str:
        """What a concept is called; "" for all of them."""
        concept = self.scheme.concepts.get(workload)
        return concept.label().lower() if concept is not None else workload.removeprefix(PREFIX)

    def items(self) -> dict[str, layer_items.Item]:
        """The items of the layers, by id. Raises FileDamaged, IoFailed."""
        return {item.id: item for item in layer_items.items(self.app.files, self.app.config)}


Drafter = Callable[[Desk, Finding], Draft | None]


def draft(desk: Desk, found: Finding) -> Draft | None:
    """The draft that a finding leads to; None for one that leads to words in the report alone.

    Raises TaxonomyInvalid, FileDamaged, IoFailed.
    """
    drafter = _DRAFTERS.get(found.cause)
    return drafter(desk, found) if drafter is not None else None


def _made(
    found: Finding,
    kind: str,
    title: str,
    text: str,
    effect: str,
    *,
    target: str = "",
    note: str = "",
) -> Draft:
    return Draft(
        kind,
        found.cause,
        found.subject,
        title,
        text,
        effect,
        found.evidence,
        found.figures,
        found.workload,
        target,
        note,
        found.weight,
    )


# -- memory --------------------------------------------------------------------------------------------------


def _correction(desk: Desk, found: Finding) -> Draft | None:
    text = recalled.own_sentence(found)
    if not text:
        return None
    old = recalled.said_otherwise(desk.app.files, text, found)
    target = f"{BY_OPERATOR} {old.id}" if old is not None else BY_OPERATOR
    instead = f'; it takes the place of the note "{lines.short(old.title, SHOWN)}"' if old is not None else ""
    return _made(
        found,
        MEMORY,
        lines.titled("Remember: ", text, ""),
        text,
        f"You have said so in {_times(found, 'sessions', 'session')}; a turn about it finds it from now on{instead}.",
        target=target,
        note=_replaces(old.path) if old is not None else "",
    )


def _replaces(path: str) -> str:
    return f"the older note {path} is hidden from then on, and comes back when this is reverted"


def _question(desk: Desk, found: Finding) -> Draft | None:
    question = recalled.own_question(found)
    answer = recalled.answer(desk.app.files, found)
    if not question or answer is None:
        return None
    whose = "your own words" if answer.trust == BY_OPERATOR else "the agent's words, as they were given"
    return _made(
        found,
        MEMORY,
        lines.titled("Remember the answer to ", question, ""),
        f"{question}{'' if question[-1] in '.?!:' else ':'} {answer.text}",
        f"It was asked in {_times(found, 'sessions', 'session')}; the answer is found at once from now on.",
        target=BY_OPERATOR if answer.trust == BY_OPERATOR else BY_AGENT,
        note=f"read the answer: it is {whose} ({answer.ref})",
    )


def _stale(desk: Desk, found: Finding) -> Draft | None:
    collection, _, id = found.subject.partition("/")
    note = documents.note_of(desk.app, id) if collection == documents.MEMORY else None
    if note is None:
        return None
    turns = _whole(found, "turns", "retrieved")
    return _made(
        found,
        MEMORY,
        lines.titled("Forget the note ", note.title, f": found {turns} times, never used"),
        "",
        f"{turns} turns found it and used none of it{_corrected(found)}; it takes no room in a prompt any more.",
        target=f"{FORGET} {note.path}",
        note="the file is deleted; `adjutant evolve revert` brings it back as it was",
    )


def _corrected(found: Finding) -> str:
    count = _whole(found, "corrected")
    return f", and {count} of them were corrected" if count else ""


# -- directives ----------------------------------------------------------------------------------------------


def _manner(desk: Desk, found: Finding) -> Draft | None:
    del desk
    text = manner.directive(lines.operators(found.evidence), recalled.own_sentence(found))
    if not text:
        return None
    return _made(
        found,
        DIRECTIVE,
        lines.titled("Take as a rule: ", text, ""),
        text,
        f"You have asked for it in {_times(found, 'sessions', 'session')}; every answer is given under it once you "
        "promote it.",
        note="accepting files a candidate; only `adjutant behavior promote` makes it a directive",
    )


# -- layers --------------------------------------------------------------------------------------------------


def _frequent(desk: Desk, found: Finding) -> Draft | None:
    share = found.figures.get("share", 0.0)
    changing = bool(found.figures.get("changing"))
    if share <= HALF or (changing and not found.figures.get("two_windows")):
        return None
    layer = TOPSOIL if changing else BEDROCK
    document = documents.named(desk.app, found.subject)
    text = recalled.passage(document.text, found.text) if document is not None else ""
    turns = _whole(found, "turns")
    used = found.figures.get("used", round(share * turns))
    path = desk.app.config.text(f"layers.{layer}.path").rpartition("/")[2]
    about = desk.label(found.workload)
    change = churn.of(desk.app.files, {layer: desk.app.config.text(f"layers.{layer}.tier")}, desk.app.clock.now())
    rest = "" if document is None or text == " ".join(document.text.split()) else "; the rest of it stays where it is"
    where = f" in {path}: in {used:.0f} of {turns} {about} turns"
    return _made(
        found,
        PROMOTE,
        lines.titled("Keep ", text or found.subject, where),
        text,
        f"Used in {share:.0%} of {turns} {about or 'recorded'} turns; no search has to find it any more.",
        target=layer,
        note=f"the layer {path} {_often(change[layer].changes)} within its cadence{rest}",
    )


def _often(count: int) -> str:
    return "has not changed" if not count else f"has changed {'once' if count == 1 else f'{count} times'}"


def _unused(desk: Desk, found: Finding) -> Draft | None:
    item = desk.items().get(found.subject)
    if item is None:
        return None
    words = lines.plain(item.text)
    turns = _whole(found, "turns", "read")
    layer = item.path.rpartition("/")[2]
    keep = f"adjutant memory save {shlex.quote(words)}" if len(words) <= lines.MOST and words.isprintable() else ""
    return _made(
        found,
        DEMOTE,
        lines.titled("Take ", words, f" out of {layer}: unused in {turns} turns"),
        "",
        f"No answer of {turns} turns used it; each turn is shorter by its tokens.",
        target=item.id,
        note=f"to keep it where a search finds it, save it as a note after accepting{f': `{keep}`' if keep else ''}",
    )


# -- skills, roles, the heart --------------------------------------------------------------------------------


def _skill_gap(desk: Desk, found: Finding) -> Draft | None:
    said = skill_text.said(lines.operators(found.evidence))
    if not said.requests and not said.steps:
        return None
    label, turns = desk.label(found.workload), _whole(found, "turns")
    folder = naming.skill(desk.scheme, found.workload, said.requests, desk.app.files.names(desk.app.tree.skills))
    steps = f"{len(said.steps)} steps, in your words" if said.steps else "no steps yet: you have dictated none"
    return _made(
        found,
        SKILL_GAP,
        lines.short(f"A skill for {label}: {turns} turns, and none to go by", 80),
        "\n".join(said.steps),
        f"{turns} turns about {label} had no skill to go by{_heavy(found)}; the next one finds this.",
        target=folder,
        note=f"it is a draft with {steps}; edit skills/{folder}/SKILL.md after accepting",
    )


def _heavy(found: Finding) -> str:
    friction, rounds = found.figures.get("friction", 0.0), found.figures.get("rounds", 0.0)
    told = [f"friction {friction:.2f}"] * (friction > 0) + [f"{rounds:.1f} rounds each"] * (rounds > 0)
    return f" ({', '.join(told)})" if told else ""


def _skill_corrected(desk: Desk, found: Finding) -> Draft | None:
    del desk
    name = found.subject.rpartition("/")[2]
    return _told(found, name, f"{SKILL} {name}", f"Add to the skill {lines.short(name, 24)}: ")


def _role_corrected(desk: Desk, found: Finding) -> Draft | None:
    del desk
    return _told(found, found.subject, f"{ROLE} {found.subject}", f"Tell {lines.short(found.subject, 24)}: ")


def _told(found: Finding, name: str, target: str, title: str) -> Draft | None:
    text = recalled.own_sentence(found)
    if not text:
        return None
    return _made(
        found,
        PROMPT_EDIT,
        lines.titled(title, text, ""),
        text,
        f"You have said so of {name} in {_times(found, 'sessions', 'session')}; whoever uses it reads it first.",
        target=target,
    )


def _useless(desk: Desk, found: Finding) -> Draft | None:
    name = (
        lines.plain(found.text)
        if lines.verbatim(found.text, found.evidence)
        else naming.zone([quote.text for quote in found.evidence], names_nothing)
    )
    count = _whole(found, "useless", "notices") or len(found.evidence)
    kb = naming.label([quote.text for quote in found.evidence])
    rest = f"{f' of {lines.short(kb, 24)}' if kb else ''} alone: {count} notices called useless"
    return _made(
        found,
        PROMPT_EDIT,
        lines.titled("Leave ", name or found.subject, rest),
        name,
        f"You called {count} notices of it useless, and none useful; it raises none any more.",
        target=HEART,
        note=f'under Quiet Zones, "{name}" mutes whatever in your files holds it, however urgent; it is what the '
        "notices have in common",
    )


# -- routing -------------------------------------------------------------------------------------------------


def _misrouted(desk: Desk, found: Finding) -> Draft | None:
    owned = desk.app.config.specialists.get(found.subject, {}).get("workloads", [])
    name = found.workload.removeprefix(PREFIX)
    workload = name if name in owned else name.partition("/")[0]
    if workload not in owned:
        return None
    turns, bad = _whole(found, "turns", "asked"), _whole(found, "wrong", "failed")
    of = f"{bad} of {turns}" if bad else f"most of {turns}"
    return _made(
        found,
        ROUTING,
        lines.short(f"Take {workload} from {found.subject}: {of} turns went wrong", 80),
        "",
        f"{of[0].upper()}{of[1:]} turns about {workload} failed or were corrected; the conductor answers them.",
        target=f"specialists.{found.subject}.workloads -{workload}",
    )


def _weak_model(desk: Desk, found: Finding) -> Draft | None:
    name, share = found.subject, found.figures.get("share", 0.0)
    tier = _next_tier(desk.app, name)
    asked, bad = _whole(found, "asked", "asks"), _whole(found, "malformed", "failed")
    of = f"{bad} of {asked} replies" if bad and asked else f"{share:.0%} of its replies"
    return _made(
        found,
        ROUTING,
        lines.short(f"Ask the {tier or 'next'} model for {name}: {of} were malformed", 80),
        "",
        f"{of} of the judgement {name} could not be used, and rules answered instead.",
        target=f"judgements.{name}.model {tier}",
        note="a dearer model costs more a question" if tier else "",
    )


def _next_tier(app: App, judgement: str) -> str:
    """The next tier with a model of its own; "" where there is none, or nobody knows which one is asked now."""
    config = app.config
    models = {tier: config.text_or_none(f"llm.models.{tier}") for tier in MODEL_TIERS}
    now = config.judgements.get(judgement, {}).get("model") or ASKED.get(judgement, "")
    if now not in MODEL_TIERS:
        now = next((tier for tier, model in models.items() if model is not None and model == now), "")
    if not now or config.text("llm.backend") == "offline":
        return ""
    below = [models[tier] for tier in MODEL_TIERS[: MODEL_TIERS.index(now) + 1] if models[tier] is not None]
    above = MODEL_TIERS[MODEL_TIERS.index(now) + 1 :]
    return next((tier for tier in above if models[tier] is not None and models[tier] != (below or [None])[-1]), "")


# -- the taxonomy --------------------------------------------------------------------------------------------


def _unfiled(desk: Desk, found: Finding) -> Draft | None:
    made = naming.concept(found, desk.scheme)
    if made is None:
        return None
    turns, name, top = _whole(found, "turns"), made.label(), desk.label(made.broader[0])
    texts, newer = lines.operators(found.evidence), Scheme(desk.scheme.pref, [*desk.scheme.concepts.values(), made])
    filed = sum(made.id in classify(text, newer).concepts for text in texts)
    if not filed:
        return None
    words = ", ".join((name, *(label for several in made.alt.values() for label in several)))
    return _made(
        found,
        CONCEPT,
        lines.titled("A concept ", name, f" below {top}: {turns} turns fit no other"),
        name,
        f"{filed} of the {len(texts)} turns quoted would be filed under it, by {words}.",
        target=made.id,
        note=""
        if desk.app.files.exists(desk.app.tree.taxonomy)
        else "the instance has no taxonomy of its own yet: "
        "the whole one that comes with Adjutant is written, with this in it, and releases no longer renew it",
    )


def concept_of(draft: Draft, scheme: Scheme) -> Concept | None:
    """The concept of a draft, by its evidence; called as its text says."""
    return naming.concept(
        Finding(draft.cause, draft.subject, draft.figures, draft.evidence, draft.workload), scheme, draft.text
    )


# -- figures -------------------------------------------------------------------------------------------------


def _whole(found: Finding, *names: str) -> int:
    """The first of these figures that there is, 0 for none."""
    return next((round(found.figures[name]) for name in names if name in found.figures), 0)


def _times(found: Finding, name: str, what: str) -> str:
    count = _whole(found, name) or len({quote.interaction for quote in found.evidence})
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


_DRAFTERS: dict[str, Drafter] = {
    finding.CORRECTION: _correction,
    finding.QUESTION: _question,
    finding.STALE_NOTE: _stale,
    finding.MANNER: _manner,
    finding.FREQUENT: _frequent,
    finding.UNUSED_ITEM: _unused,
    finding.SKILL_GAP: _skill_gap,
    finding.MISROUTED: _misrouted,
    finding.WEAK_MODEL: _weak_model,
    finding.UNFILED: _unfiled,
    finding.USELESS_NOTICES: _useless,
    finding.SKILL_CORRECTED: _skill_corrected,
    finding.ROLE_CORRECTED: _role_corrected,
}
