"""DOMAIN. What answers use and never use; and workloads by counts: who fails, which go heavily, which grew."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from adjutant.clock import moment
from adjutant.domain.learning.analysis.gathering import DAYS, Exchange, Material, group, make, newest
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting.roles import CONDUCTOR, MODES
from adjutant.domain.recall import skills as skill_files
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.domain.recall.skills import Skill
from adjutant.domain.recall.sources import logs, memory, pages
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.errors import FileDamaged
from adjutant.records import layers
from adjutant.records import suggestion as causes
from adjutant.records.contract import digest
from adjutant.records.friction import CORRECTED, friction_of
from adjutant.records.interactions import ANSWERED, DEGRADED, FAILED
from adjutant.records.suggestion import Finding, Quote, excerpt
from adjutant.store import jsonl

SKILLS = "agent_skills"
MEMORY = memory.COLLECTION
FOUND = (MEMORY, logs.SLOG, pages.VAULT, "kb")  # a skill stays one
STALE_TURNS, STALE_DAYS = 12, 5
FREQUENT_TURNS, FREQUENT_DAYS, HALF = 8, 4, 0.5
READ_TURNS = 40  # turns in which something was there to be used, and was not
JUDGED = ("user", "tools")  # layers whose items are judged by use: heart.md is read by the pulse's rules
NAMED, EVENTS = 6, 3  # items that were never used, by name; turns that show it


def find(material: Material) -> Iterator[Finding]:
    """STALE_NOTE, FREQUENT, UNUSED_ITEM and UNUSED_SKILL. Raises TaxonomyInvalid, FileDamaged, IoFailed."""
    every = Shelf(material.files).all()
    newer = {each.id: each.superseded_by for each in every if each.superseded_by}
    standing = {f"{MEMORY}/{each.id}" for each in every if not each.superseded_by}
    yield from _stale(material, newer, standing)
    yield from _frequent(material, newer)
    yield from _find_unused_items(material)
    yield from _find_unused_skills(material)


def _key(document: str, newer: Mapping[str, str]) -> str:
    """A document as it stands: of a note that was superseded the one that took its place."""
    collection, _, id = document.partition("/")
    seen: set[str] = set()
    while collection == MEMORY and id in newer and id not in seen:
        seen.add(id)
        id = newer[id]
    return f"{collection}/{id}"


def _stale(material: Material, newer: Mapping[str, str], standing: set[str]) -> Iterator[Finding]:
    """Notes that a model was shown on several days, and that no answer used."""
    shown: dict[str, list[Exchange]] = {}
    used: set[str] = set()
    for turn in (each for each in material.turns if each.was.outcome == ANSWERED):
        used |= {_key(each, newer) for each in turn.was.used}
        for key in {_key(each, newer) for each in turn.was.retrieved}:
            shown.setdefault(key, []).append(turn)
    for key, turns in sorted(shown.items()):
        often = len(turns) >= STALE_TURNS and len({turn.at.date() for turn in turns}) >= STALE_DAYS
        lately = turns[-1].at > material.until - DAYS
        if often and lately and key in standing and key not in used:
            quotes = newest([material.quote_asked(turn) for turn in turns])
            yield make(causes.STALE_NOTE, key, quotes, 0.3, turns=len(turns), used=0)


# -- documents that a workload always needs ---------------------------------------------------------------------


def _frequent(material: Material, newer: Mapping[str, str]) -> Iterator[Finding]:
    """What more than half of a workload's turns use. `two_windows`: in both halves of the month, or the month before,
    too."""
    began = material.until - DAYS
    before = group(material.after(began - DAYS, began), concept_of)
    for workload, turns in group(material.lately, concept_of).items():
        if len(turns) < FREQUENT_TURNS or len({turn.at.date() for turn in turns}) < FREQUENT_DAYS:
            continue
        uses = Counter(key for turn in turns for key in _list_used(turn, newer))
        for key, times in sorted(uses.items()):
            share = times / len(turns)
            if share <= HALF:
                continue
            halves = [[turn for turn in turns if (turn.at > began + DAYS / 2) == late] for late in (False, True)]
            month_before = before.get(workload, [])
            steady = _share(month_before, key, newer) > HALF or all(_share(each, key, newer) > HALF for each in halves)
            proofs = newest([material.quote_asked(turn) for turn in turns if key in _list_used(turn, newer)])
            figures: dict[str, Any] = {"share": share, "turns": len(turns), "used": times, "two_windows": steady}
            yield make(causes.FREQUENT, key, proofs, 0.3 + 0.5 * share, workload=workload, **figures)


def concept_of(turn: Exchange) -> str:
    """What a turn was filed under, "" for nothing."""
    return "" if turn.was.concept == UNCATEGORISED else turn.was.concept


def _list_used(turn: Exchange, newer: Mapping[str, str]) -> set[str]:
    return {_key(each, newer) for each in turn.was.used if each.partition("/")[0] in FOUND}


def _share(turns: Sequence[Exchange], key: str, newer: Mapping[str, str]) -> float:
    """The share of a span's turns that use it; 0 where half of the turns that it takes are not there."""
    if 2 * len(turns) < FREQUENT_TURNS:
        return 0.0
    return sum(key in _list_used(turn, newer) for turn in turns) / len(turns)


# -- items of layers, and skills ---------------------------------------------------------------------------------


def _find_unused_items(material: Material) -> Iterator[Finding]:
    """Items that answers used before and use no more; those that none ever used are named together: whether they are
    rules, which are followed and not repeated, nothing counted tells."""
    turns = [turn for turn in material.lately if turn.was.outcome == ANSWERED]  # by a model
    if len(turns) < READ_TURNS:
        return
    used = {id for turn in turns for id in turn.was.items}
    old = [layer for layer in JUDGED if _is_unchanged(material, layer)]
    events = _events(material, turns)
    never: list[str] = []
    for item in layer_items.read_items(material.files, material.config):
        if item.layer not in JUDGED or item.id in used:
            continue
        if item.id in material.items_before:
            quote = Quote("", f"{item.path}:{item.line}", excerpt(item.text.split("\n")[0].strip()))
            yield make(causes.UNUSED_ITEM, item.id, (quote, *events), 0.3, turns=len(turns), used=0, before=1)
        elif item.layer in old:
            never.append(item.id)
    if never:
        more = f" and {len(never) - NAMED} more" if len(never) > NAMED else ""
        yield make(causes.UNUSED_ITEM, f"{', '.join(never[:NAMED])}{more}", events, 0.02, turns=len(turns), used=0)


def _events(material: Material, turns: Sequence[Exchange]) -> tuple[Quote, ...]:
    return newest([material.event(turn.was) for turn in turns[-EVENTS:]])


def _is_unchanged(material: Material, layer: str) -> bool:
    """Whether the layer as it stands was so before the 30 days began."""
    try:
        text = layers.read(material.files, material.config, layer).text
    except FileDamaged:
        return False
    last = ""
    for record in jsonl.read(material.files, material.files.tree.layer_changes):
        if record.get("layer") == layer and (at := moment(record.get("ts"))) is not None:
            if at <= material.until - DAYS:
                last = str(record.get("sha256"))
            elif record.get("sha256") != last:
                return False
    return bool(last) and last == digest(text)


def _find_unused_skills(material: Material) -> Iterator[Finding]:
    """Skills that were there for the 30 days, and neither found nor read."""
    turns = material.lately
    if len(turns) < READ_TURNS:
        return
    found = {id for turn in turns for id in (*turn.was.retrieved, *turn.was.used) if id.startswith(f"{SKILLS}/")}
    met = {id.partition("/")[2].lower() for id in found} | {name.lower() for turn in turns for name in turn.was.skills}
    for folder, skill in skills(material).items():
        changed = material.until.timestamp()
        with suppress(OSError, ValueError):
            changed = os.stat(material.files.tree.inside(skill.path)).st_mtime
        young = (material.until - DAYS).timestamp() < changed <= material.until.timestamp()
        if not young and not {folder.lower(), skill.name.lower()} & met:
            proof = Quote("", f"{skill.path}:1", ""), *_events(material, turns)
            yield make(causes.UNUSED_SKILL, folder, proof, 0.1, workload=skill.workload or "", turns=len(turns), used=0)


def skills(material: Material) -> dict[str, Skill]:
    """{folder: skill} of those that can be read. Raises TaxonomyInvalid, FileDamaged, IoFailed."""
    shelf = skill_files.load(material.files, taxonomy.load(material.files))
    return {each.path.rpartition("/")[0].rpartition("/")[2]: each for each in shelf.skills}


GAP_TURNS, GAP_OCCASIONS, GAP_FRICTION, GAP_ROUNDS, STEPS = 8, 3, 0.3, 3.0, 3
FAILING_TURNS, FAILING_SHARE = 5, 0.5
UNFILED_TURNS, UNFILED_SHARE = 8, 0.2
SHIFT_TURNS, SHIFT_TIMES, SHIFT_SHARE = 5, 2.0, 1.4
SHIFT_SPAN, SHIFT_RECORD = timedelta(days=7), timedelta(days=14)  # what a window is too short for, and no record tells
# Signals that a skill could have spared: a model that is away, or a tool that refuses, it cannot mend.
SPARED = ("corrected", "repeated_question", "many_rounds", "abandoned", "tool_error")
_NUMBERED = tuple(f"{number}{mark}" for number in range(1, 10) for mark in ".)")


def find_by_workload(material: Material) -> Iterator[Finding]:
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
        for concept, turns in group(mine, concept_of).items():
            share = _share_wrong(turns)
            if concept.removeprefix(PREFIX) not in specialist.get("workloads", ()) or len(turns) < FAILING_TURNS:
                continue
            theirs = [turn for turn in conductor if turn.was.concept == concept] or conductor
            if share < FAILING_SHARE or _share_wrong(theirs) >= share:
                continue
            bad = [turn for turn in turns if _went_wrong(turn)]
            quotes, weight = newest([material.quote_asked(turn) for turn in bad]), 0.4 + 0.4 * share
            figures: dict[str, Any] = {"turns": len(turns), "failed": len(bad), "share": share}
            yield make(causes.MISROUTED, agent, quotes, weight, workload=concept, **figures)


def _share_wrong(turns: Sequence[Exchange]) -> float:
    return sum(map(_went_wrong, turns)) / len(turns) if turns else 0.0


def _went_wrong(turn: Exchange) -> bool:
    return turn.was.outcome in (FAILED, DEGRADED) or CORRECTED in turn.was.friction_signals


# -- heavy going without a skill ---------------------------------------------------------------------------------


def _gaps(material: Material, turns: Sequence[Exchange]) -> Iterator[Finding]:
    scheme = taxonomy.load(material.files)
    known = [each.workload for each in skills(material).values() if each.workload]
    tagged = {top for workload in known for top in (workload, *scheme.tops_of(workload))}
    for concept, mine in group(turns, concept_of).items():
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
        yield make(causes.SKILL_GAP, concept.removeprefix(PREFIX), quotes, weight, workload=concept, **figures)


def _has_skill(turn: Exchange) -> bool:
    met = (*turn.was.retrieved, *turn.was.used)
    return bool(turn.was.skills) or any(id.startswith(f"{SKILLS}/") for id in met)


# -- what fits no concept, what grew and what shrank ---------------------------------------------------------------


def _find_unfiled(material: Material) -> Iterator[Finding]:
    """How many turns fit no concept, where they are many; what they are about is a model's to say."""
    turns = [turn for turn in material.month if not concept_of(turn) and turn.said is not None]
    share = len(turns) / len(material.month) if material.month else 0.0
    if len(turns) >= UNFILED_TURNS and share >= UNFILED_SHARE:
        quotes = newest([material.quote_asked(turn) for turn in turns])
        yield make(causes.UNFILED, UNCATEGORISED, quotes, 0.1, workload=UNCATEGORISED, turns=len(turns), share=share)


def _shifts(material: Material) -> Iterator[Finding]:
    """Workloads that doubled or halved, over a week at least: of eight hours each would. Where all of them grow alike,
    nothing has shifted."""
    began = min(material.since, material.until - SHIFT_SPAN)
    known = began - max(began - DAYS, material.first)
    if known < SHIFT_RECORD:
        return
    now = group(material.after(began), concept_of)
    before = group(material.after(began - DAYS, began), concept_of)
    scale = (material.until - began) / known
    all_new, all_old = max(sum(map(len, now.values())), 1), max(sum(map(len, before.values())) * scale, 1)
    for concept in sorted(now.keys() | before.keys()):
        new, old = float(len(now.get(concept, ()))), round(len(before.get(concept, ())) * scale, 2)
        share, was = new / all_new, old / all_old
        apart = max(share, was) >= SHIFT_SHARE * min(share, was) and (share > was) == (new > old)
        if apart and max(new, old) >= SHIFT_TURNS and (new >= SHIFT_TIMES * old or old >= SHIFT_TIMES * new):
            turns = now.get(concept, []) if new >= old else before[concept]
            quotes = newest([material.event(turn.was) for turn in turns])
            yield make(causes.SHIFT, concept, quotes, 0.05, workload=concept, turns=new, before=old)
