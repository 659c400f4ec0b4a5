"""The typed results of the offline analyst: evidence, signals, what was extracted, issues raised."""

from __future__ import annotations

import msgspec

LEVELS = ("low", "medium", "high", "critical")


class Evidence(msgspec.Struct, frozen=True):
    """A line of a file; `quote` literally stands in it."""

    path: str
    line: int
    quote: str


class Signal(msgspec.Struct, frozen=True):
    """Something code saw in a KB without any model."""

    path: str
    line: int
    quote: str
    kind: str
    date: str | None
    severity: str
    title: str
    why: str
    concern: str | None
    relevance: float
    evidence: list[Evidence]
    muted: str | None
    topic: str
    matter: str = ""
    score: float = 0.0
    part: str = ""
    stems: list[str] = []


class Extraction(msgspec.Struct, frozen=True):
    """A KB's signals, most telling first, and the counts of a brief."""

    signals: list[Signal]
    open_tasks: int
    deadlines: list[tuple[str, str, int]]
    dropped: int
    today: str = ""


class RaisedIssue(msgspec.Struct, frozen=True):
    """One matter for the operator; the decisive line is the first piece of evidence."""

    kb: str
    title: str
    why: str
    concern: str | None
    severity: str
    evidence: list[Evidence]
