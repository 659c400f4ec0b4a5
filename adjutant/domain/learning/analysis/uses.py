"""DOMAIN. What answers use and never use: notes, documents, items of the layers, skills."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from adjutant.clock import moment
from adjutant.domain.learning.analysis.gathering import DAYS, Exchange, Material, group, make, newest
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.recall import skills as skill_files
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.domain.recall.skills import Skill
from adjutant.domain.recall.sources import logs, memory, pages
from adjutant.errors import FileDamaged
from adjutant.records import layers
from adjutant.records.contract import digest
from adjutant.records.interactions import ANSWERED
from adjutant.records.suggestion import FREQUENT, STALE_NOTE, UNUSED_ITEM, UNUSED_SKILL, Finding, Quote, excerpt
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
            yield make(STALE_NOTE, key, quotes, 0.3, turns=len(turns), used=0)


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
            yield make(FREQUENT, key, proofs, 0.3 + 0.5 * share, workload=workload, **figures)


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
            yield make(UNUSED_ITEM, item.id, (quote, *events), 0.3, turns=len(turns), used=0, before=1)
        elif item.layer in old:
            never.append(item.id)
    if never:
        more = f" and {len(never) - NAMED} more" if len(never) > NAMED else ""
        yield make(UNUSED_ITEM, f"{', '.join(never[:NAMED])}{more}", events, 0.02, turns=len(turns), used=0)


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
            yield make(UNUSED_SKILL, folder, proof, 0.1, workload=skill.workload or "", turns=len(turns), used=0)


def skills(material: Material) -> dict[str, Skill]:
    """{folder: skill} of those that can be read. Raises TaxonomyInvalid, FileDamaged, IoFailed."""
    shelf = skill_files.load(material.files, taxonomy.load(material.files))
    return {each.path.rpartition("/")[0].rpartition("/")[2]: each for each in shelf.skills}
