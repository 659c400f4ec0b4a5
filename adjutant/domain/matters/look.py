"""DOMAIN. One look at one knowledge base: its files' readings, what is open, and the lines worth showing a model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from adjutant.children.folder import is_order
from adjutant.documents.folder import Entry, Skipped
from adjutant.domain.matters import rank, settle, showing, wording
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.offered import Offered
from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.picture import Extraction
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.matters.settle import Placed
from adjutant.domain.matters.signal import Evidence, Signal
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.screen import screen

CONTEXT = 2
MAX_LINE = showing.MAX_LINE
MOST_SIGNALS = 60
WHOLE_LINES = 400  # of a file that is screened whole


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
    """What code saw in one knowledge base; `left`: how many lines there was no room to show."""

    kb: str
    fingerprint: str
    files: int
    skipped: list[Skipped]
    summary: str
    signals: list[Signal]
    deadlines: list[str]
    lines: list[Shown]
    left: int
    suspects: list[Suspect]
    names: list[str]


Lines = Callable[[str], Sequence[str]]  # the lines of a file by its path, none when it cannot be read any more


def place(found: Sequence[Reading]) -> list[Placed]:
    """The facts of readings with their files."""
    return [Placed(each.path, fact) for each in found for fact in each.facts]


def extract(
    kb: KnowledgeBase, found: Sequence[Reading], heart: Heart, now: datetime, horizon: int, reach: int = 0
) -> Extraction:
    """What is open in a knowledge base at `now` (its day in the instance's zone counts), gravest first."""
    matters = settle.open_matters(place(found), now.date())
    changed = {each.path: datetime.fromtimestamp(each.mtime_ns / 1e9, now.tzinfo).date() for each in found}
    return rank.extraction(matters, Relevance(heart, kb.name), now, horizon, reach, changed)


class View(NamedTuple):
    """What a model may be shown: characters at a first look and at later ones, and what it was last offered (None for
    a first look)."""

    first_chars: int
    later_chars: int
    before: Mapping[str, Offered] | None


def look(base: Opened, open_now: Extraction, heart: Heart, now: datetime, view: View | None) -> Look:
    """Signals, summary and the lines to show of a knowledge base that was opened. Without a `view`, for rules, only
    what the signals rest on."""
    entries, lines = base.entries, base.lines
    told = [signal for signal in open_now.signals if signal.listed][:MOST_SIGNALS]
    chosen, left = _around(told, lines), 0
    if view is not None:
        chosen, left = _choose(base, open_now, heart, now, view)
    suspects = list(_suspects(chosen, told, lines, everything=view is not None))
    marked = {(suspect.path, suspect.line) for suspect in suspects}
    shown = [
        Shown(*place, replacement(*place) if place in marked else lines(place[0])[place[1] - 1][:MAX_LINE])
        for place in showing.in_order(chosen)
    ]
    return Look(
        kb=base.kb.name,
        fingerprint=base.found.fingerprint(),
        files=len(base.found.readings),
        skipped=base.skipped,
        summary=wording.summary(open_now),
        signals=[_redact(signal, marked) for signal in told],
        deadlines=sorted({day for day, _, _ in open_now.deadlines}),
        lines=shown,
        left=left,
        suspects=suspects,
        names=names_of(entries),
    )


def _choose(base: Opened, open_now: Extraction, heart: Heart, now: datetime, view: View) -> tuple[showing.Chosen, int]:
    cited: dict[str, set[int]] = {}
    for each in open_now.opens if view.before is None else ():  # later, what is open stands in the prompt by itself
        if not each.muted:
            for one in each.evidence:
                cited.setdefault(one.path, set()).add(one.line)
    relevance, today = Relevance(heart, base.kb.name), now.date()
    if view.before is None:
        return showing.choose(base, cited, relevance, today, view.first_chars)
    shas = {path: each.sha for path, each in view.before.items()}
    same = frozenset(each.path for each in base.found.readings if shas.get(each.path) == each.sha)
    known = {path: each.lines for path, each in view.before.items()}
    return showing.choose(base, cited, relevance, today, view.later_chars, known, same)


def _around(found: Sequence[Signal], lines: Lines) -> showing.Chosen:
    """The lines that signals rest on, and those next to them."""
    chosen: showing.Chosen = {}
    for cited in (cited for signal in found if not signal.muted for cited in signal.evidence):
        texts = lines(cited.path)
        near = range(max(cited.line - CONTEXT, 1), min(cited.line + CONTEXT, len(texts)) + 1)
        chosen.setdefault(cited.path, set()).update(number for number in near if texts[number - 1].strip())
    return chosen


def names_of(entries: Sequence[Entry]) -> list[str]:
    """The paths of files that an agent may open, those changed last first."""
    allowed = [entry for entry in entries if not any(map(is_order, entry.path.split("/")))]
    return [entry.path for entry in sorted(allowed, key=lambda entry: (-entry.mtime_ns, entry.path))]


def replacement(path: str, line: int) -> str:
    """What stands in place of instruction-like text, so that the news of it does not vanish."""
    return f"instruction-like text in {path}:{line}"


def _suspects(
    chosen: dict[str, set[int]], found: Sequence[Signal], lines: Lines, *, everything: bool
) -> Iterator[Suspect]:
    """Instruction-like lines among what may be shown or quoted; with `everything` in all of a short file, too."""
    wanted = {path: set(numbers) for path, numbers in chosen.items()}
    for signal in found:
        for cited in signal.evidence:
            wanted.setdefault(cited.path, set()).add(cited.line)
    for path, numbers in wanted.items():
        texts = lines(path)
        near = {number + step for number in numbers for step in (-1, 0, 1)}
        whole = len(texts) <= WHOLE_LINES  # what begins far above may be hidden by what stands there
        text = "\n".join(line if whole or number in near else "" for number, line in enumerate(texts, start=1))
        for hit in screen(text):
            if (hit.line in near or (whole and everything)) and hit.line <= len(texts):
                yield Suspect(path, hit.line, hit.reason, texts[hit.line - 1])


def _redact(signal: Signal, marked: set[tuple[str, int]]) -> Signal:
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
