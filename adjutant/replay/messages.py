"""OPINION. Recorded messages under another taxonomy or other settings: filed where, answered by whom, which model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjutant.app import plural
from adjutant.domain.conversation.owners import owner_of
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.domain.recall import skills
from adjutant.domain.recall.classify import UNCATEGORISED, certain
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.errors import AdjutantError
from adjutant.judgements import classify as question
from adjutant.judgements import recording, turn
from adjutant.judgements.asking import OFFLINE
from adjutant.judgements.calling import model_name
from adjutant.judgements.judgement import JUDGEMENTS, load
from adjutant.judgements.recording import Recorded
from adjutant.records.suggestion import Decided
from adjutant.replay import history, replay
from adjutant.replay.history import RecordedQuestion, RecordedTurn
from adjutant.replay.sides import TODAY, Copy, Lane, decided, failure, row
from adjutant.store.config import Config
from adjutant.store.settings import MODEL_TIERS

OWNING = ("conductor.model", "llm.backend")  # settings that decide who answers a message
MODELS = "llm.models."
NAMED = 4  # settings that are not rehearsed, by name


def by_taxonomy(copy: Copy) -> Lane:
    """Messages on record, the skills, and what a model was once asked to file, under both taxonomies.

    Raises TaxonomyInvalid, FileDamaged (the one in force), IoFailed.
    """
    if (failed := failure(copy, question.NAME, lambda side: side.scheme)) is not None:
        return failed
    turns, changed = _file_turns(copy)
    asked = copy.asked((question.NAME,))
    notes = [f"the last {plural(len(turns), 'message')} on record were filed anew"] if turns else []
    return decided([*turns, *asked], [*changed, *_file_again(copy, asked), *_file_skills(copy)], notes)


def by_config(copy: Copy) -> Lane:
    """Who would answer the messages on record, and which models the recorded questions would go to.

    Raises ConfigInvalid (the one in force), TaxonomyInvalid, FileDamaged, IoFailed.
    """
    if (failed := failure(copy, "every verb", lambda side: side.config)) is not None:
        return failed
    was, now = (side.config for side in copy.sides)
    other = sorted(name for name, value in now.values.items() if was.values.get(name) != value)
    turns, changed = _file_turns(copy)
    notes = ["how well another would answer cannot be known"] if changed else []
    every = any(name.startswith(MODELS) for name in other)
    names = [name for name in (*JUDGEMENTS, turn.NAME) if every or was.judgements.get(name) != now.judgements.get(name)]
    asked = copy.asked(names) if names else []
    by_model = [each for each in asked if each.recorded.backend != OFFLINE]
    models = list(_choose_models(by_model, was, now))
    notes += ["what the other model would reply cannot be known"] if models else []
    notes += ["rules answered these questions: no model is asked"] if asked and not by_model else []
    if unknown := [name for name in other if name not in OWNING and not name.startswith(MODELS)]:
        more = " and others" if len(unknown) > NAMED else ""
        notes.append(f"what {', '.join(unknown[:NAMED])}{more} would change was not rehearsed")
    return decided([*turns, *asked], [*changed, *models], notes)


def _file_turns(copy: Copy) -> tuple[list[RecordedTurn], list[Decided]]:
    """The messages for which there was time, and those that are filed elsewhere or answered by somebody else."""
    looked: list[RecordedTurn] = []
    changed: list[Decided] = []
    for each in history.turns(copy.before.files, copy.budget):
        if copy.budget.over:
            break
        looked.append(each)
        found = [certain(each.message, side.scheme) for side in copy.sides]
        filed = [_label(about.concepts) for about in found]
        routes = _routes(copy, each, [about.concept for about in found])
        if parts := [pair for pair in (filed, routes) if pair[0] != pair[1]]:
            then, new = (", ".join(side) for side in zip(*parts, strict=True))
            changed.append(row(each.run, question.NAME if filed in parts else turn.NAME, each.message, then, new))
    return looked, changed


def _routes(copy: Copy, each: RecordedTurn, concepts: list[str]) -> list[str]:
    """Who answers a message on both sides; who was asked for by name answers it whatever it is about."""
    configs = [side.config for side in copy.sides]
    role = each.role if each.role != owner_of(configs[0], concepts[0]).role else None
    if role is not None and (role == CONDUCTOR or any(role not in config.specialists for config in configs)):
        return [role, role]
    return [_route(config, about, role) for config, about in zip(configs, concepts, strict=True)]


def _route(config: Config, about: str, role: str | None) -> str:
    owner = owner_of(config, about, role)
    model = f", {owner.model}" if owner.model else ""
    return f"answered by {owner.role} ({owner.backend or config.text('llm.backend')}{model})"


def _label(concepts: tuple[str, ...]) -> str:
    return concepts[-1].removeprefix(PREFIX) if concepts else UNCATEGORISED


def _file_skills(copy: Copy) -> Iterator[Decided]:
    """Skills that would be found under another workload."""
    try:
        shelves = [skills.load(copy.before.files, side.scheme).skills for side in copy.sides]
    except AdjutantError:
        return
    for each in zip(*shelves, strict=True):
        then, new = (
            _label((skill.workload,) if skill.workload else skills.classified(skill, side.scheme).concepts)
            for skill, side in zip(each, copy.sides, strict=True)
        )
        if then != new:
            yield row(TODAY, question.NAME, f"the skill {each[0].name}", then, new)


def _file_again(copy: Copy, asked: Sequence[RecordedQuestion]) -> Iterator[Decided]:
    """What a model was asked to file, its reply checked against both lists of concepts."""
    for run, recorded in asked:
        try:
            found = [replay.replay(recorded, replay.rebuild(recorded, side))["result"] for side in copy.sides]
        except replay.Unreplayable:
            copy.budget.damaged += 1
            continue
        then, new = (each["concept"].removeprefix(PREFIX) if each is not None else "" for each in found)
        if then != new and then and new:
            yield row(run, question.NAME, recording.about(recorded.inputs), then, new)


def _choose_models(asked: Sequence[RecordedQuestion], was: Config, now: Config) -> Iterator[Decided]:
    """Recorded questions that would go to another model."""
    for run, recorded in asked:
        then, new = _model(recorded, was), _model(recorded, now)
        if then != new:
            about = recording.about(recorded.inputs) or recorded.judgement
            yield row(run, recorded.judgement, about, then, new)


def _model(recorded: Recorded, config: Config) -> str:
    """The model that a recorded question goes to; its tier is the one that led to the recorded model, where one did."""
    if recorded.judgement == turn.NAME:
        owner = config.specialists.get(str(recorded.inputs.get("role")))
        own = (config.text_or_none("conductor.model") if owner is None else owner["model"]) or turn.TIER
    else:
        own = load(recorded.judgement).TIER
    tiers = (own, *MODEL_TIERS)
    tier = next((tier for tier in tiers if config.text_or_none(f"llm.models.{tier}") == recorded.model), own)
    return model_name(config, recorded.judgement, tier) or "no model"
