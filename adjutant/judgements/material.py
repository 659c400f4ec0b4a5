"""OPINION. What several judgements share: lines shown with their numbers, and the check that a quote stands there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from adjutant.domain.heartbeat.fingerprint import fingerprint
from adjutant.domain.knowledge.heart import Heart
from adjutant.domain.knowledge.signals import Evidence
from adjutant.domain.prompting.fence import Fence, clean_line

Severity = Literal["low", "medium", "high", "critical"]
RANK: Mapping[str, int] = {"low": 0, "medium": 1, "high": 2, "critical": 3}
TITLE, WHY, QUOTE, LINE = 120, 300, 300, 80
MAX_EVIDENCE = 5
Known = dict[str, dict[int, str]]


def severity_of(text: str) -> Severity:
    """A severity by its name; anything else counts as medium."""
    found: dict[str, Severity] = {"low": "low", "medium": "medium", "high": "high", "critical": "critical"}
    return found.get(text, "medium")


class Line(msgspec.Struct, frozen=True):
    """One line of a knowledge base: path relative to it, 1-based number, text."""

    path: str
    line: int
    text: str


class Item(msgspec.Struct, frozen=True):
    """Something a brief found in one knowledge base."""

    title: str
    why: str
    severity: Severity
    evidence: list[Evidence]
    concern: str | None = None


class Issue(msgspec.Struct, frozen=True):
    """Something that touches a priority: what pulse raises."""

    kb: str
    title: str
    why: str
    severity: Severity
    evidence: list[Evidence]
    concern: str | None = None


def known_lines(lines: Iterable[Line]) -> Known:
    """{path: {line number: text}} of what was shown."""
    known: Known = {}
    for shown in lines:
        known.setdefault(shown.path, {})[shown.line] = shown.text
    return known


def standing(evidence: Sequence[Evidence], known: Known) -> tuple[list[Evidence], int]:
    """The quotes that stand where they were said to (the nearest line that holds one is taken), and how many do not."""
    kept: list[Evidence] = []
    for cited in evidence:
        found = _place(cited, known.get(cited.path, {}))
        if found is not None and found not in kept:
            kept.append(found)
    return kept[:MAX_EVIDENCE], sum(_place(cited, known.get(cited.path, {})) is None for cited in evidence)


def _place(cited: Evidence, lines: Mapping[int, str]) -> Evidence | None:
    wanted = _plain(cited.quote)
    if not wanted:
        return None
    for number in sorted(lines, key=lambda number: (abs(number - cited.line), number)):
        if wanted in _plain(lines[number]):
            return Evidence(cited.path, number, lines[number].strip()[:QUOTE])
    return None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def tidy(title: str, why: str) -> tuple[str, str]:
    """Title and reason as one clean line each."""
    return clean_line(title, TITLE), clean_line(why, WHY)


def tidy_concern(concern: str | None) -> str | None:
    """The concern named as one clean line, None for an empty one."""
    return clean_line(concern, TITLE) or None if concern else None


def prints(issue: Issue | Item, kb: str) -> set[str]:
    """The fingerprints of its quotes: issues that share one are the same issue."""
    return {fingerprint(kb, cited.path, cited.quote) for cited in issue.evidence}


def shown_heart(heart: Heart, fence: Fence) -> str:
    """The operator's priorities, concerns and quiet zones for a prompt; they come from the operator's own file."""
    parts = [
        f"{name}:\n" + "\n".join(f"- {entry}" for entry in entries)
        for name, entries in (
            ("Priorities", heart.priorities),
            ("Concerns", heart.concerns),
            ("Quiet zones, never raised", heart.quiet),
        )
        if entries
    ]
    return fence.wrap("\n".join(parts) or "No priorities are written down: everything counts.", "identity/heart.md")


def shown_lines(lines: Sequence[Line]) -> str:
    """`path` once, then `number: text` below it."""
    shown, path = [], None
    for line in lines:
        if line.path != path:
            path = line.path
            shown.append(f"# {path}")
        shown.append(f"{line.line}: {line.text}")
    return "\n".join(shown)
