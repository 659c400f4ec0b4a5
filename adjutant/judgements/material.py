"""OPINION. What several judgements share: lines shown with their numbers, and the check that a quote stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from adjutant.domain.matters.look import MAX_LINE, replacement
from adjutant.domain.matters.signal import Evidence
from adjutant.domain.recall.answers import Answer
from adjutant.records.fingerprint import fingerprint
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen

Severity = Literal["low", "medium", "high", "critical"]
RANK: Mapping[str, int] = {"low": 0, "medium": 1, "high": 2, "critical": 3}
TITLE, WHY, QUOTE, LINE, TOLD = 120, 300, 300, 80, 400
MAX_EVIDENCE = 5
MAX_CITED = 100  # citations of one reply that are looked up
Known = dict[str, dict[int, str]]
NOTHING = "I found nothing certain about that."


def severity_of(text: str) -> Severity:
    """A severity by its name; anything else counts as medium."""
    found: dict[str, Severity] = {"low": "low", "medium": "medium", "high": "high", "critical": "critical"}
    return found.get(text, "medium")


class Line(msgspec.Struct, frozen=True):
    """One line of a knowledge base: path relative to it, 1-based number, text."""

    path: str
    line: int
    text: str


class Near(msgspec.Struct, frozen=True):
    """A line that answers a question for certain, or comes near it: its place, its own words, the same for a person."""

    path: str
    anchor: str
    quote: str
    says: str
    certain: bool

    @property
    def place(self) -> str:
        """Path and anchor as one text."""
        return self.path + (f"#{self.anchor}" if self.anchor else "")


def nears(answers: Sequence[Answer], cited: Callable[[Answer], tuple[str, str, str]]) -> list[Near]:
    """Answers as records have them; `cited`: file, place in it and words by which one is cited."""
    return [Near(*cited(each), each.told, each.certain) for each in answers]


def replied(nears: Sequence[Near], intro: str = "") -> list[str]:
    """The lines of an answer without a model: what is certain, else that nothing is, and what comes near."""
    lines = [f"- {clean_line(each.says, TOLD)} ({each.place})" for each in nears]
    if any(each.certain for each in nears):
        return [intro, *lines] if intro else lines
    return [NOTHING, *(["What comes nearest:"] if lines else []), *lines]


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


def standing(evidence: Sequence[Evidence], known: Known, folder: str = "") -> tuple[list[Evidence], int]:
    """The quotes that stand where they were said to (the nearest line that holds one is taken), and how many do not.

    `folder`: where an agent looked; it may have cited whole paths.
    """
    kept: list[Evidence] = []
    missing = 0
    for cited in evidence:
        found = _standing(cited, known, folder)
        missing += found is None
        if found is not None and found not in kept:
            kept.append(found)
    return kept[:MAX_EVIDENCE], missing


def beyond(
    evidence: Sequence[Evidence],
    known: Known,
    folder: str,
    find: Callable[[str], Sequence[str] | None],
) -> list[Line]:
    """The lines that an agent cites and was not shown, as far as its quotes stand in them.

    `find` gives the lines of a file of the folder. An instruction-like one is replaced by its place, as when shown.
    """
    added: list[Line] = []
    for cited in evidence[:MAX_CITED]:
        path = _relative(cited.path, folder)
        if _standing(cited, known, folder) is None and (lines := find(path)) is not None:
            place = _place(Evidence(path, cited.line, cited.quote), dict(enumerate(lines, start=1)))
            if place is not None:
                text = lines[place.line - 1][:MAX_LINE]
                added.append(Line(path, place.line, replacement(path, place.line) if screen(text) else text))
    return added


def _standing(cited: Evidence, known: Known, folder: str) -> Evidence | None:
    path = _relative(cited.path, folder)
    return _place(Evidence(path, cited.line, cited.quote), known.get(path, {}))


def _relative(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/" if folder else "./").removeprefix("./")


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
