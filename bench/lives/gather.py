"""Rows to train the scorer of matters: what Adjutant reads of a life, and whether a label stands there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from adjutant.documents import folder
from adjutant.documents.folder import Limits
from adjutant.domain.matters import opened, rank, scorer, settle
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.matters.settle import Matter, Placed
from adjutant.domain.matters.signal import LEVELS, Signal
from adjutant.records import heart as hearts
from adjutant.records.registry import KnowledgeBase
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from bench.lives import drive
from bench.lives.life import Life, Morning

HORIZON = 14  # days, the setting's default
SOON = 3  # days of the plain rule
Spot = tuple[str, str, int]  # knowledge base, path, line


class Row(NamedTuple):
    """A matter at one time.

    `label`: worth raising; `must`: a must; `plain`: what the plain rule says; `grave`: severity high or worse. A must
    of which nothing is read has no features.
    """

    author: str
    life: str
    label: bool
    must: bool
    weight: float
    features: tuple[float, ...]
    plain: bool = False
    grave: bool = False


class Seen(NamedTuple):
    """An open matter of a knowledge base: the lines it rests on, its features, what the plain rule says, its severity
    high or worse."""

    spots: tuple[Spot, ...]
    features: tuple[float, ...]
    plain: bool
    grave: bool


class Spots(NamedTuple):
    """The lines at which something is worth raising, and must be."""

    labels: frozenset[Spot]
    musts: frozenset[Spot]


def gather(life: Morning) -> list[Row]:
    """The rows of a morning, one a matter."""
    spots = Spots(
        frozenset(place for issue in life.issues for place in issue.places),
        frozenset(place for issue in life.issues if issue.must for place in issue.places),
    )
    once = [frozenset(issue.places) for issue in life.issues if issue.must]
    seen: list[Seen] = []
    with tempfile.TemporaryDirectory(prefix="adjutant-gather-") as name:
        work = Path(name)
        for kb, tree in life.trees.items():
            drive.lay_out(life, work / kb, tree, life.now)
            seen += _seen(life, work, kb, life.now)
    return _rows(life, seen, spots, once, 1.0)


def _seen(life: Life, work: Path, kb: str, now: datetime) -> list[Seen]:
    """What is open in one knowledge base, as a pulse sees it; what a quiet zone mutes is left out."""
    entries = folder.scan(work / kb, Limits()).entries
    rules: dict[str, Any] = {"limit": Limits().file_bytes, "order": None, "more": lambda _: True}
    base = KnowledgeBase(kb, kb, str(work / kb))
    found = opened.refresh(Files(Tree(str(work))), base, entries, now, **rules).readings
    heart, today = hearts.parse(life.info.heart), now.date()
    relevance = Relevance(heart, kb)
    matters = settle.open_matters([Placed(each.path, fact) for each in found for fact in each.facts], today)
    by_key = {_key(each): each for each in matters}
    under = scorer.headings(matters)
    changed = {each.path: _changed(each, now) for each in found}
    seen = []
    for signal in rank.extraction(matters, relevance, now, HORIZON).signals:
        matter = by_key[signal.path, signal.line, signal.kind, signal.date]
        if not signal.muted:
            path = matter.facts[0].path
            like = under[path, matter.first.heads]
            values = tuple(scorer.features(matter, relevance, today, changed[path], like).values())
            spots = tuple((kb, each.path, each.line) for each in signal.evidence)
            grave = LEVELS.index(signal.severity) >= LEVELS.index("high")
            seen.append(Seen(spots, values, _is_plain(matter, signal, today), grave))
    return seen


def _key(matter: Matter) -> tuple[str, int, str, str | None]:
    fact = matter.first
    return matter.facts[0].path, fact.line, fact.kind, fact.last.isoformat() if fact.last else None


def _changed(reading: Reading, now: datetime) -> date:
    return datetime.fromtimestamp(reading.mtime_ns / 1e9, now.tzinfo).date()


def _rows(life: Life, seen: Sequence[Seen], spots: Spots, once: Sequence[frozenset[Spot]], weight: float) -> list[Row]:
    """The rows of one time; `once` holds the lines of each must."""
    cited = {spot for each in seen for spot in each.spots}
    found = []
    for each in seen:
        label, must = (_touches(each.spots, lines, cited) for lines in spots)
        found.append(Row(life.author, life.name, label, must, weight, each.features, each.plain, each.grave))
    unread = sum(not _touches(cited, must, cited) for must in once if must)
    return found + [Row(life.author, life.name, True, True, weight, ())] * unread


def _touches(spots: Iterable[Spot], labelled: frozenset[Spot], cited: set[Spot]) -> bool:
    """Whether one of the lines is labelled, or stands beside a labelled one that is nobody's: of two rows of a table
    each is its own."""
    free = labelled - cited
    near = (
        (kb, path, line) in labelled or (kb, path, line - 1) in free or (kb, path, line + 1) in free
        for kb, path, line in spots
    )
    return any(near)


def _is_plain(matter: Matter, signal: Signal, today: date) -> bool:
    """The rule that a scorer has to beat: certain, within three days or late, touches a priority."""
    near = signal.date is not None and (date.fromisoformat(signal.date) - today).days <= SOON
    return matter.first.certain and near and signal.part == "priority"
