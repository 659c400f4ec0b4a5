"""One look at one knowledge base: scanned, read for signals, screened, and the lines worth showing picked out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from adjutant.children.folder import is_order
from adjutant.documents.folder import Skipped
from adjutant.domain.knowledge import passages, signals
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.passages import KbFile
from adjutant.domain.knowledge.signals import Evidence, Signal
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.screen import screen

CONTEXT = 2
MAX_LINE = 400
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
    dropped: int
    deadlines: list[str]
    lines: list[Shown]
    suspects: list[Suspect]
    names: list[str]


def scan(kb: KnowledgeBase, max_files: int, max_bytes: int) -> passages.KbScan:
    """The text files of a knowledge base. Raises OSError when its folder cannot be read."""
    return passages.scan(Path(kb.folder), max_files=max_files, max_bytes=max_bytes, exclude=kb.exclude)


def look(
    kb: KnowledgeBase,
    found: passages.KbScan,
    heart: Heart,
    now: datetime,
    lexicon: Lexicon,
    *,
    limit: int,
    depth: str,
    horizon: int = 14,
) -> Look:
    """Signals, summary and the lines to show of a scanned knowledge base."""
    extraction = signals.extract(
        found.files, heart, now, lexicon, kb=kb.name, description=kb.description, limit=limit, horizon=horizon
    )
    chosen = _choose(found.files, extraction.signals, SHOWN_CHARS[depth], thrifty=depth == "quick")
    suspects = _suspects(found.files, chosen, extraction.signals)
    marked = {(suspect.path, suspect.line) for suspect in suspects}
    shown = [
        Shown(file.path, number, replacement(file.path, number) if (file.path, number) in marked else text[:MAX_LINE])
        for file in found.files
        for number, text in enumerate(file.lines(), start=1)
        if number in chosen.get(file.path, ())
    ]
    return Look(
        kb=kb.name,
        fingerprint=passages.fingerprint(found),
        files=len(found.files),
        skipped=found.skipped,
        summary=signals.summary(extraction),
        signals=[_redacted(signal, marked) for signal in extraction.signals],
        dropped=extraction.dropped,
        deadlines=sorted({day for day, _, _ in extraction.deadlines}),
        lines=shown,
        suspects=suspects,
        names=names_of(found.files),
    )


def names_of(files: Sequence[KbFile]) -> list[str]:
    """The paths of files that an agent may open, those changed last first."""
    allowed = [file for file in files if not any(map(is_order, file.path.split("/")))]
    return [file.path for file in sorted(allowed, key=lambda file: (-file.mtime_ns, file.path))]


def replacement(path: str, line: int) -> str:
    """What stands in place of instruction-like text, so that the news of it does not vanish."""
    return f"instruction-like text in {path}:{line}"


def _choose(files: Sequence[KbFile], found: Sequence[Signal], budget: int, *, thrifty: bool) -> dict[str, set[int]]:
    """Line numbers to show per path: around the signals first, then the newest files, up to `budget` characters."""
    lines = {file.path: file.lines() for file in files}
    chosen: dict[str, set[int]] = {}
    for signal in found:
        for cited in signal.evidence:
            for number in range(cited.line - CONTEXT, cited.line + CONTEXT + 1):
                budget -= _take(chosen, lines, cited.path, number, cited.line == number or budget > 0)
    for file in sorted(files, key=lambda file: (-file.mtime_ns, file.path)):
        for number in range(1, len(lines[file.path]) + 1):
            if budget <= 0:
                return chosen
            worth = not (thrifty and _SPENT.match(lines[file.path][number - 1]))
            budget -= _take(chosen, lines, file.path, number, worth)
    return chosen


def _take(chosen: dict[str, set[int]], lines: dict[str, list[str]], path: str, number: int, wanted: bool) -> int:
    """Characters spent on showing that line: 0 for one that is shown already, blank, or not there."""
    texts = lines.get(path, [])
    if not wanted or not 1 <= number <= len(texts) or number in chosen.get(path, ()) or not texts[number - 1].strip():
        return 0
    chosen.setdefault(path, set()).add(number)
    return min(len(texts[number - 1]), MAX_LINE) + 6


def _suspects(files: Sequence[KbFile], chosen: dict[str, set[int]], found: Sequence[Signal]) -> list[Suspect]:
    """Instruction-like lines among everything that may be shown or quoted; other lines reach nobody."""
    wanted = {path: set(numbers) for path, numbers in chosen.items()}
    for signal in found:
        for cited in signal.evidence:
            wanted.setdefault(cited.path, set()).add(cited.line)
    suspects: list[Suspect] = []
    for file in files:
        numbers = wanted.get(file.path)
        if not numbers:
            continue
        lines = file.lines()
        near = {n + step for n in numbers for step in (-1, 0, 1)}
        text = "\n".join(line if number in near else "" for number, line in enumerate(lines, start=1))
        for hit in screen(text):
            if hit.line <= len(lines):
                suspects.append(Suspect(file.path, hit.line, hit.reason, lines[hit.line - 1]))
    return suspects


def _redacted(signal: Signal, marked: set[tuple[str, int]]) -> Signal:
    """A signal whose evidence is instruction-like stays a signal, its text replaced."""
    if not any((cited.path, cited.line) in marked for cited in signal.evidence):
        return signal
    evidence = [
        Evidence(cited.path, cited.line, replacement(cited.path, cited.line))
        if (cited.path, cited.line) in marked
        else cited
        for cited in signal.evidence
    ]
    place = next(cited for cited in signal.evidence if (cited.path, cited.line) in marked)
    text = replacement(place.path, place.line)
    return msgspec.structs.replace(
        signal,
        title=text,
        why="the text was set aside: it addresses the assistant",
        topic="",
        evidence=evidence,
        quote=text if (signal.path, signal.line) in marked else signal.quote,
    )
