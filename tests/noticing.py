"""What the rules of matters read in a few lines: facts of one text, open matters and signals of a few files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime

from adjutant.documents import document
from adjutant.domain.matters import extract, look, settle
from adjutant.domain.matters.fact import Fact, Reading
from adjutant.domain.matters.picture import Extraction
from adjutant.domain.matters.settle import Matter, Placed
from adjutant.domain.matters.signal import Signal
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase

TODAY = date(2026, 11, 23)  # a Monday
NO_HEART = Heart([], [], [])


def facts(
    text: str,
    path: str = "notes.md",
    *,
    today: date = TODAY,
    changed: date | None = None,
    before: Mapping[int, date | None] | None = None,
    first: bool = False,
) -> tuple[Fact, ...]:
    """The facts of one file. `first`: at the first look at its knowledge base; else every line is seen today."""
    doc = document.read(path, text, near=today)
    return extract.read(doc, today, changed or today, None if first else (before or {})).facts


def open_facts(text: str, path: str = "notes.md", **more: date) -> list[Fact]:
    """What is open in one file, likely lines included."""
    return [each for each in facts(text, path, **more) if each.state == "open"]


def still_open(files: Mapping[str, str], *, today: date = TODAY) -> list[Matter]:
    """The open matters of one knowledge base with these files."""
    placed = [Placed(path, fact) for path, text in files.items() for fact in facts(text, path, today=today)]
    return settle.open_matters(placed, today)


def extraction(
    files: Mapping[str, str], heart: Heart = NO_HEART, *, name: str = "home", now: str = "09:00", horizon: int = 14
) -> Extraction:
    """What is open in a knowledge base of that name at an hour of today."""
    readings = [Reading(path, len(text), 0, TODAY, facts(text, path), {}, "", False) for path, text in files.items()]
    moment = datetime.fromisoformat(f"{TODAY}T{now}").replace(tzinfo=UTC)
    return look.extract(KnowledgeBase(name, "", "", ""), readings, heart, moment, horizon)


def signals(files: Mapping[str, str], heart: Heart = NO_HEART, **more: str) -> list[Signal]:
    """Its signals, gravest first."""
    return extraction(files, heart, **more).signals
