"""DOMAIN. One look at one knowledge base: its files' readings, what is open, and the lines worth showing a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import msgspec

from adjutant.children.folder import is_order
from adjutant.documents.folder import Entry, Skipped
from adjutant.domain.matters import rank, settle, wording
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.picture import Extraction
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.matters.settle import Placed
from adjutant.domain.matters.signal import Evidence, Signal
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.screen import screen

CONTEXT = 2
MAX_LINE = 400
MOST_SIGNALS = 60
SHOWN_CHARS = {"quick": 6_000, "deep": 20_000}
# Done boxes and the rules of tables: only a deep look pays for them.
_SPENT = re.compile(r"^\s*(?:[-*+]\s*\[[xX]\].*|[\s|:=+-]*)$")


class Shown(msgspec.Struct, frozen=True):
    """A line worth showing: path, 1-based number, text with instruction-like content already replaced."""

    path: str
    line: int
    text: str


class Suspect(msgspec.Struct, frozen=True):
    """A line with instruction-like text: where, why, and the original for the quarantine."""

    path: str
    line: int
    reason: str
    original: str


class Look(msgspec.Struct, frozen=True):
    """What code saw in one knowledge base."""

    kb: str
    fingerprint: str
    files: int
    skipped: list[Skipped]
    summary: str
    signals: list[Signal]
    deadlines: list[str]
    lines: list[Shown]
    suspects: list[Suspect]
    names: list[str]


Lines = Callable[[str], Sequence[str]]  # the lines of a file by its path, none when it cannot be read any more


def placed(found: Sequence[Reading]) -> list[Placed]:
    """The facts of readings with their files."""
    return [Placed(each.path, fact) for each in found for fact in each.facts]


def extract(
    kb: KnowledgeBase, found: Sequence[Reading], heart: Heart, now: datetime, horizon: int, reach: int = 0
) -> Extraction:
    """What is open in a knowledge base at `now` (its day in the instance's zone counts), gravest first."""
    matters = settle.open_matters(placed(found), now.date())
    changed = {each.path: datetime.fromtimestamp(each.mtime_ns / 1e9, now.tzinfo).date() for each in found}
    return rank.extraction(matters, Relevance(heart, kb.name), now, horizon, reach, changed)


def look(base: Opened, open_now: Extraction, *, depth: str) -> Look:
    """Signals, summary and the lines to show of a knowledge base that was opened."""
    entries, lines = base.entries, base.lines
    told = [signal for signal in open_now.signals if signal.listed][:MOST_SIGNALS]
    chosen = _choose(entries, told, lines, SHOWN_CHARS[depth], thrifty=depth == "quick")
    suspects = list(_suspects(chosen, told, lines))
    marked = {(suspect.path, suspect.line) for suspect in suspects}
    places = [(path, number) for path in sorted(chosen) for number in sorted(chosen[path])]
    shown = [
        Shown(*place, replacement(*place) if place in marked else lines(place[0])[place[1] - 1][:MAX_LINE])
        for place in places
    ]
    return Look(
        kb=base.kb.name,
        fingerprint=base.found.fingerprint(),
        files=len(base.found.readings),
        skipped=base.skipped,
        summary=wording.summary(open_now),
        signals=[_redacted(signal, marked) for signal in told],
        deadlines=sorted({day for day, _, _ in open_now.deadlines}),
        lines=shown,
        suspects=suspects,
        names=names_of(entries),
    )


def names_of(entries: Sequence[Entry]) -> list[str]:
    """The paths of files that an agent may open, those changed last first."""
    allowed = [entry for entry in entries if not any(map(is_order, entry.path.split("/")))]
    return [entry.path for entry in _newest_first(allowed)]


def replacement(path: str, line: int) -> str:
    """What stands in place of instruction-like text, so that the news of it does not vanish."""
    return f"instruction-like text in {path}:{line}"


def _newest_first(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (-entry.mtime_ns, entry.path))


def _choose(
    entries: Sequence[Entry], found: Sequence[Signal], lines: Lines, budget: int, *, thrifty: bool
) -> dict[str, set[int]]:
    """Line numbers to show per path: around the signals first, then the newest files, up to `budget` characters."""
    chosen: dict[str, set[int]] = {}
    for cited in (cited for signal in found if not signal.muted for cited in signal.evidence):
        if budget <= 0:
            break
        for number in range(cited.line - CONTEXT, cited.line + CONTEXT + 1):
            budget -= _take(chosen, lines, cited.path, number)
    for entry in _newest_first(entries):
        if budget <= 0:
            break
        for number, text in enumerate(lines(entry.path), start=1):
            if budget > 0 and not (thrifty and _SPENT.match(text)):
                budget -= _take(chosen, lines, entry.path, number)
    return chosen


def _take(chosen: dict[str, set[int]], lines: Lines, path: str, number: int) -> int:
    """Characters spent on showing that line: 0 for one that is shown already, blank, or not there."""
    texts = lines(path)
    if not 1 <= number <= len(texts) or number in chosen.get(path, ()) or not texts[number - 1].strip():
        return 0
    chosen.setdefault(path, set()).add(number)
    return min(len(texts[number - 1]), MAX_LINE) + 6


def _suspects(chosen: dict[str, set[int]], found: Sequence[Signal], lines: Lines) -> Iterator[Suspect]:
    """Instruction-like lines among everything that may be shown or quoted; other lines reach nobody."""
    wanted = {path: set(numbers) for path, numbers in chosen.items()}
    for signal in found:
        for cited in signal.evidence:
            wanted.setdefault(cited.path, set()).add(cited.line)
    for path, numbers in wanted.items():
        texts = lines(path)
        near = {number + step for number in numbers for step in (-1, 0, 1)}
        text = "\n".join(line if number in near else "" for number, line in enumerate(texts, start=1))
        for hit in screen(text):
            if hit.line <= len(texts):
                yield Suspect(path, hit.line, hit.reason, texts[hit.line - 1])


def _redacted(signal: Signal, marked: set[tuple[str, int]]) -> Signal:
    """A signal whose evidence is instruction-like stays a signal, its text replaced."""
    place = next((cited for cited in signal.evidence if (cited.path, cited.line) in marked), None)
    if place is None:
        return signal
    evidence = [
        Evidence(cited.path, cited.line, replacement(cited.path, cited.line))
        if (cited.path, cited.line) in marked
        else cited
        for cited in signal.evidence
    ]
    text = replacement(place.path, place.line)
    return msgspec.structs.replace(
        signal,
        title=text,
        why="the text was set aside: it addresses the assistant",
        evidence=evidence,
        quote=text if (signal.path, signal.line) in marked else signal.quote,
    )
