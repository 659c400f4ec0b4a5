"""OPINION. Recorded messages filed anew: under another taxonomy, to other owners, to other models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from adjutant.domain.conversation.owners import Owner, owner_of
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.domain.recall import skills, taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED, Classified, certain, classify
from adjutant.domain.recall.taxonomy import PREFIX, Scheme
from adjutant.errors import AdjutantError
from adjutant.judgements import classify as question
from adjutant.judgements import past, recording, replaying, turn
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.calling import model_name
from adjutant.judgements.copying import TODAY, Copy, Lane, counted, left_out, row, told, tried
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.judgements.recording import Recorded
from adjutant.records.suggestion import BY_RULES, Decided
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.settings import MODEL_TIERS

# Settings that decide who answers a message.
OWNING = ("conductor.model", "llm.backend")
MODELS = "llm.models."


def by_taxonomy(copy: Copy) -> Lane:
    """Messages on record, the skills, and what a model was once asked to file, under both taxonomies.

    Raises TaxonomyInvalid, FileDamaged (the one in force), IoFailed.
    """
    was = taxonomy.load(copy.before)
    now = tried(lambda: taxonomy.load(copy.after))
    if isinstance(now, str):
        return Lane(BY_RULES, changed=(row(TODAY, question.NAME, copy.path, "read", f"would fail: {now}"),))
    turns, seen = past.turns(copy.before, copy.budget), set[str]()
    changed: list[Decided] = []
    for each in turns:
        if copy.budget.over:
            break
        seen.add(each.ref)
        changed += _filed(copy.config, each, certain(classify(each.message, was)), certain(classify(each.message, now)))
    asked = past.runs(copy.before, (question.NAME,), copy.budget)
    again, damaged = _asked_again(asked, was, now)
    changed += again
    changed += _skills(copy.before, was, now)
    notes = [f"the last {counted(len(seen), 'message')} on record were filed anew"] if seen else []
    return Lane(
        BY_RULES,
        frozenset(seen | {kept.run for kept in asked.runs}),
        len(seen) + asked.judgements,
        tuple(changed),
        (*notes, *left_out(asked.damaged + damaged, ran_out=copy.budget.ran_out)),
    )


def _filed(config: Config, each: past.Turn, was: Classified, now: Classified) -> Iterator[Decided]:
    """One message: filed elsewhere, and answered by somebody else."""
    then, new = _place(was), _place(now)
    if then == new:
        return
    before, after = owner_of(config, was.concept), owner_of(config, now.concept)
    if before.role != after.role and each.role in ("", before.role):
        then, new = f"{then}, answered by {before.role}", f"{new}, answered by {after.role}"
    yield row(each.ref, question.NAME, each.message, then, new)


def _place(found: Classified) -> str:
    return found.concepts[-1].removeprefix(PREFIX) if found.concepts else UNCATEGORISED


def _skills(files: Files, was: Scheme, now: Scheme) -> Iterator[Decided]:
    """Skills that would be found under another workload."""
    try:
        shelves = [skills.load(files, scheme).skills for scheme in (was, now)]
    except AdjutantError:
        return
    for before, after in zip(*shelves, strict=True):
        then, new = (
            (each.workload,) if each.workload else skills.classified(each, scheme).concepts
            for each, scheme in ((before, was), (after, now))
        )
        if then != new:
            shown = (ids[-1].removeprefix(PREFIX) if ids else UNCATEGORISED for ids in (then, new))
            yield row(TODAY, question.NAME, f"the skill {before.name}", *shown)


def _asked_again(asked: past.Past, was: Scheme, now: Scheme) -> tuple[list[Decided], int]:
    """What was recorded of the judgement `classify`, its reply checked against both lists of concepts."""
    changed: list[Decided] = []
    damaged = 0
    for kept in asked.runs:
        for recorded in kept.records:
            try:
                inputs = msgspec.convert(recorded.inputs, question.Inputs)
                then, new = (replaying.replay(_with(recorded, inputs, scheme)) for scheme in (was, now))
            except (msgspec.ValidationError, replaying.Unreplayable):
                damaged += 1
                continue
            if then["result"] is not None and then["result"]["concept"] != (new["result"] or then["result"])["concept"]:
                changed.append(
                    row(
                        kept.run,
                        question.NAME,
                        inputs.text,
                        then["result"]["concept"].removeprefix(PREFIX),
                        new["result"]["concept"].removeprefix(PREFIX),
                    )
                )
    return changed, damaged


def _with(recorded: Recorded, inputs: question.Inputs, scheme: Scheme) -> Recorded:
    """The record as it would have been asked under `scheme`."""
    choices = [question.Choice(each.id, each.label(), "") for each in scheme.concepts.values()]
    found = classify(inputs.text, scheme)
    by_labels = question.Result(found.concepts[-1] if found.concepts else UNCATEGORISED, found.confidence)
    asked = msgspec.to_builtins(question.Inputs(inputs.text, choices, by_labels))
    plain: dict[str, Any] = json.loads(json.dumps(asked))
    return msgspec.structs.replace(recorded, inputs=plain)


# -- adjutant.yaml -------------------------------------------------------------------------------------------


def by_config(copy: Copy) -> Lane:
    """Who would answer the messages on record, and which models the recorded questions would go to.

    Raises ConfigInvalid (the one in force), TaxonomyInvalid, FileDamaged, IoFailed.
    """
    sides = tried(copy.configs)
    if isinstance(sides, str):
        return Lane(BY_RULES, changed=(row(TODAY, "every verb", copy.path, "read", f"would fail: {sides}"),))
    was, now = sides
    other = sorted(name for name, value in now.values.items() if was.values.get(name) != value)
    owners = _owners(copy, was, now)
    models = _models(copy, was, now, any(name.startswith(MODELS) for name in other))
    notes = [*owners.notes, *models.notes]
    if unknown := [name for name in other if name not in OWNING and not name.startswith(MODELS)]:
        notes.append(
            f"what {', '.join(unknown[:4])}{' and others' if len(unknown) > 4 else ''} would change was not rehearsed"
        )
    notes += left_out(0, ran_out=copy.budget.ran_out)
    return Lane(
        BY_RULES,
        owners.runs | models.runs,
        owners.judgements + models.judgements,
        owners.changed + models.changed,
        tuple(notes),
    )


def _owners(copy: Copy, was: Config, now: Config) -> Lane:
    """Messages that somebody else would answer, or the same on another route."""
    scheme = taxonomy.load(copy.before)
    changed: list[Decided] = []
    seen: set[str] = set()
    for each in past.turns(copy.before, copy.budget):
        if copy.budget.over:
            break
        concept = certain(classify(each.message, scheme)).concept
        seen.add(each.ref)
        then, new = owner_of(was, concept), owner_of(now, concept)
        if each.role not in ("", then.role):  # asked by name: the workload did not decide
            if each.role != CONDUCTOR and each.role in was.specialists and each.role in now.specialists:
                then, new = owner_of(was, concept, each.role), owner_of(now, concept, each.role)
            else:
                continue
        if (then, _backend(was, then)) != (new, _backend(now, new)):
            changed.append(row(each.ref, turn.NAME, each.message, _route(was, then), _route(now, new)))
    notes = ("how well another would answer cannot be known",) if changed else ()
    return Lane(BY_RULES, frozenset(seen), len(seen), tuple(changed), notes)


def _backend(config: Config, owner: Owner) -> str:
    return owner.backend or config.text("llm.backend")


def _route(config: Config, owner: Owner) -> str:
    model = f", {owner.model}" if owner.model else ""
    return f"{owner.role} ({_backend(config, owner)}{model})"


def _models(copy: Copy, was: Config, now: Config, every: bool) -> Lane:
    """Recorded questions that would go to another model."""
    names = [name for name in (*JUDGEMENTS, turn.NAME) if every or was.judgements.get(name) != now.judgements.get(name)]
    if not names:
        return Lane(BY_RULES)
    found = past.runs(copy.before, names, copy.budget)
    changed: list[Decided] = []
    asked = 0
    for kept in found.runs:
        for recorded in kept.records:
            asked += recorded.backend != OFFLINE
            then, new = _asked_of(recorded, was), _asked_of(recorded, now)
            if recorded.backend != OFFLINE and then != new:
                changed.append(row(kept.run, recorded.judgement, _subject(recorded), then, new))
    notes = [*left_out(found.damaged, ran_out=False)]
    if changed:
        notes.append("what the other model would reply cannot be known")
    elif found.runs and not asked:
        notes.append("rules answered these questions: no model is asked")
    return Lane(BY_RULES, frozenset(kept.run for kept in found.runs), found.judgements, tuple(changed), tuple(notes))


def _asked_of(recorded: Recorded, config: Config) -> str:
    """The model that a recorded question goes to; its tier is the one that led to the recorded model, where one did."""
    if recorded.judgement == turn.NAME:
        owner = config.specialists.get(str(recorded.inputs.get("role")))
        own = (config.text_or_none("conductor.model") if owner is None else owner["model"]) or turn.TIER
    else:
        own = load(recorded.judgement).TIER
    tiers = (own, *MODEL_TIERS)
    tier = next((tier for tier in tiers if config.text_or_none(f"llm.models.{tier}") == recorded.model), own)
    return model_name(config, recorded.judgement, tier) or "no model"


def _subject(recorded: Recorded) -> str:
    """What a question was about."""
    return told(recording.about(recorded.inputs)) or recorded.judgement
