"""DOMAIN. Workloads by counts: who fails at one, which go heavily without a skill, which grew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from adjutant.domain.learning.analysis import uses
from adjutant.domain.learning.analysis.gathering import (
    DAYS,
    Exchange,
    Material,
    group,
    make,
    newest,
)
from adjutant.domain.prompting.roles import CONDUCTOR, MODES
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.domain.recall.scheme import PREFIX
from adjutant.records.friction import CORRECTED, friction_of
from adjutant.records.interactions import DEGRADED, FAILED
from adjutant.records.suggestion import MISROUTED, SHIFT, SKILL_GAP, UNFILED, Finding

GAP_TURNS, GAP_OCCASIONS, GAP_FRICTION, GAP_ROUNDS, STEPS = 8, 3, 0.3, 3.0, 3
FAILING_TURNS, FAILING_SHARE = 5, 0.5
UNFILED_TURNS, UNFILED_SHARE = 8, 0.2
SHIFT_TURNS, SHIFT_TIMES, SHIFT_SHARE = 5, 2.0, 1.4
SHIFT_SPAN, SHIFT_RECORD = timedelta(days=7), timedelta(days=14)  # what a window is too short for, and no record tells
# Signals that a skill could have spared: a model that is away, or a tool that refuses, it cannot mend.
SPARED = ("corrected", "repeated_question", "many_rounds", "abandoned", "tool_error")
_NUMBERED = tuple(f"{number}{mark}" for number in range(1, 10) for mark in ".)")


def find(material: Material) -> Iterator[Finding]:
    """MISROUTED, SKILL_GAP, UNFILED and SHIFT. Raises TaxonomyInvalid, FileDamaged, IoFailed."""
    misrouted = list(_find_misrouted(material))
    wrong = {(each.subject, each.workload) for each in misrouted}
    yield from misrouted
    yield from _gaps(material, [turn for turn in material.month if (turn.was.agent, turn.was.concept) not in wrong])
    yield from _find_unfiled(material)
    yield from _shifts(material)


# -- who fails at a workload -----------------------------------------------------------------------------------


def _find_misrouted(material: Material) -> Iterator[Finding]:
    """Specialists that fail at what they own, where the conductor does better."""
    conductor = [turn for turn in material.month if turn.was.agent in (CONDUCTOR, *MODES)]
    for agent, specialist in sorted(material.config.specialists.items()):
        mine = [turn for turn in material.month if turn.was.agent == agent]
        for concept, turns in group(mine, uses.concept_of).items():
            share = _share_wrong(turns)
            if concept.removeprefix(PREFIX) not in specialist.get("workloads", ()) or len(turns) < FAILING_TURNS:
                continue
            theirs = [turn for turn in conductor if turn.was.concept == concept] or conductor
            if share < FAILING_SHARE or _share_wrong(theirs) >= share:
                continue
            bad = [turn for turn in turns if _went_wrong(turn)]
            quotes, weight = newest([material.quote_asked(turn) for turn in bad]), 0.4 + 0.4 * share
            yield make(
                MISROUTED, agent, quotes, weight, workload=concept, turns=len(turns), failed=len(bad), share=share
            )


def _share_wrong(turns: Sequence[Exchange]) -> float:
    return sum(map(_went_wrong, turns)) / len(turns) if turns else 0.0


def _went_wrong(turn: Exchange) -> bool:
    return turn.was.outcome in (FAILED, DEGRADED) or CORRECTED in turn.was.friction_signals


# -- heavy going without a skill ---------------------------------------------------------------------------------


def _gaps(material: Material, turns: Sequence[Exchange]) -> Iterator[Finding]:
    scheme = taxonomy.load(material.files)
    known = [each.workload for each in uses.skills(material).values() if each.workload]
    tagged = {top for workload in known for top in (workload, *scheme.tops_of(workload))}
    for concept, mine in group(turns, uses.concept_of).items():
        occasions = len({turn.occasion for turn in mine})
        spared = (tuple(name for name in turn.was.friction_signals if name in SPARED) for turn in mine)
        friction = sum(map(friction_of, spared)) / len(mine)
        rounds = sum(turn.was.rounds for turn in mine) / len(mine)
        if concept in tagged or len(mine) < GAP_TURNS or occasions < GAP_OCCASIONS or any(map(_has_skill, mine)):
            continue
        if friction < GAP_FRICTION and rounds < GAP_ROUNDS:
            continue
        quotes, weight = newest([material.quote_asked(turn) for turn in mine]), 0.35 + 0.5 * friction
        figures: dict[str, Any] = {
            "turns": len(mine),
            "sessions": occasions,
            "friction": friction,
            "rounds": round(rounds, 2),
        }
        yield make(SKILL_GAP, concept.removeprefix(PREFIX), quotes, weight, workload=concept, **figures)


def _has_skill(turn: Exchange) -> bool:
    met = (*turn.was.retrieved, *turn.was.used)
    return bool(turn.was.skills) or any(id.startswith(f"{uses.SKILLS}/") for id in met)


# -- what fits no concept, what grew and what shrank ---------------------------------------------------------------


def _find_unfiled(material: Material) -> Iterator[Finding]:
    """How many turns fit no concept, where they are many; what they are about is a model's to say."""
    turns = [turn for turn in material.month if not uses.concept_of(turn) and turn.said is not None]
    share = len(turns) / len(material.month) if material.month else 0.0
    if len(turns) >= UNFILED_TURNS and share >= UNFILED_SHARE:
        quotes = newest([material.quote_asked(turn) for turn in turns])
        yield make(UNFILED, UNCATEGORISED, quotes, 0.1, workload=UNCATEGORISED, turns=len(turns), share=share)


def _shifts(material: Material) -> Iterator[Finding]:
    """Workloads that doubled or halved, over a week at least: of eight hours each would. Where all of them grow alike,
    nothing has shifted."""
    began = min(material.since, material.until - SHIFT_SPAN)
    known = began - max(began - DAYS, material.first)
    if known < SHIFT_RECORD:
        return
    now = group(material.after(began), uses.concept_of)
    before = group(material.after(began - DAYS, began), uses.concept_of)
    scale = (material.until - began) / known
    all_new, all_old = max(sum(map(len, now.values())), 1), max(sum(map(len, before.values())) * scale, 1)
    for concept in sorted(now.keys() | before.keys()):
        new, old = float(len(now.get(concept, ()))), round(len(before.get(concept, ())) * scale, 2)
        if _has_shifted(new, old, new / all_new, old / all_old):
            turns = now.get(concept, []) if new >= old else before[concept]
            quotes = newest([material.event(turn.was) for turn in turns])
            yield make(SHIFT, concept, quotes, 0.05, workload=concept, turns=new, before=old)


def _has_shifted(new: float, old: float, share: float, was: float) -> bool:
    if max(new, old) < SHIFT_TURNS or not (new >= SHIFT_TIMES * old or old >= SHIFT_TIMES * new):
        return False
    return max(share, was) >= SHIFT_SHARE * min(share, was) and (share > was) == (new > old)
