"""DOMAIN. One look at one knowledge base: its files' readings, what is open, and the lines worth showing a model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from adjutant.children.folder import is_order
from adjutant.documents.folder import Skipped
from adjutant.domain.matters import rank, settle, showing, wording
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.opened import Offered, Opened
from adjutant.domain.matters.picture import Extraction
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.matters.settle import Placed
from adjutant.domain.matters.signal import Signal
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase
from adjutant.screening.screen import screen

CONTEXT = 2
MAX_LINE = showing.MAX_LINE
MOST_SIGNALS = 60
WHOLE_LINES = 400  # of a file that is screened whole


class KbLine(msgspec.Struct, frozen=True):
    """A line worth showing: path relative to its knowledge base, 1-based number, text with instruction-like content
    already replaced; `kb` where several are shown at once."""

    path: str
    line: int
    text: str
    kb: str = ""


class Suspect(msgspec.Struct, frozen=True):
    """A line with instruction-like text: where, why, and the original for the quarantine."""

    path: str
    line: int
    reason: str
    original: str


class Look(msgspec.Struct, frozen=True):
    """What code saw in one knowledge base; `left`: how many lines there was no room to show; `names`: the files that an
    agent may open, those changed last first."""

    fingerprint: str
    files: int
    skipped: list[Skipped]
    summary: str
    signals: list[Signal]
    deadlines: list[str]
    lines: list[KbLine]
    left: int
    suspects: list[Suspect]
    names: list[str]


Lines = Callable[[str], Sequence[str]]  # the lines of a file by its path, none when it cannot be read any more


def extract(
    kb: KnowledgeBase, found: Sequence[Reading], heart: Heart, now: datetime, horizon: int, reach: int = 0
) -> Extraction:
    """What is open in a knowledge base at `now` (its day in the instance's zone counts), gravest first."""
    matters = settle.open_matters([Placed(each.path, fact) for each in found for fact in each.facts], now.date())
    changed = {each.path: datetime.fromtimestamp(each.mtime_ns / 1e9, now.tzinfo).date() for each in found}
    return rank.extraction(matters, Relevance(heart, kb.name), now, horizon, reach, changed)


def look(
    base: Opened,
    open_now: Extraction,
    heart: Heart,
    now: datetime,
    chars: int | None = None,
    before: Mapping[str, Offered] | None = None,
) -> Look:
    """Signals, summary and the lines to show of a knowledge base that was opened: at most so many characters for a
    model, with what it was last offered (None for a first look); for rules, None, only what the signals rest on."""
    told, lines = [signal for signal in open_now.signals if signal.listed][:MOST_SIGNALS], base.lines
    if chars is None:
        chosen, left = _around(told, lines), 0
    else:
        cited: dict[str, set[int]] = {}
        for each in open_now.opens if before is None else ():  # later, what is open stands in the prompt by itself
            for one in each.evidence if not each.muted else ():
                cited.setdefault(one.path, set()).add(one.line)
        chosen, left = showing.choose(base, cited, Relevance(heart, base.kb.name), now.date(), chars, before)
    suspects = list(_suspects(chosen, told, lines, everything=chars is not None))
    hidden = {(each.path, each.line): replacement(each.path, each.line) for each in suspects}
    places = [(path, line) for path in sorted(chosen) for line in sorted(chosen[path])]
    newest = sorted(base.entries, key=lambda entry: (-entry.mtime_ns, entry.path))
    return Look(
        fingerprint=base.found.fingerprint(),
        files=len(base.found.readings),
        skipped=base.skipped,
        summary=wording.summary(open_now),
        signals=[_redact(signal, hidden) for signal in told],
        deadlines=sorted({day for day, _, _ in open_now.deadlines}),
        lines=[KbLine(*at, hidden[at] if at in hidden else lines(at[0])[at[1] - 1][:MAX_LINE]) for at in places],
        left=left,
        suspects=suspects,
        names=[entry.path for entry in newest if not any(map(is_order, entry.path.split("/")))],
    )


def _around(found: Sequence[Signal], lines: Lines) -> showing.Chosen:
    """The lines that signals rest on, and those next to them."""
    chosen: showing.Chosen = {}
    for cited in (cited for signal in found if not signal.muted for cited in signal.evidence):
        texts = lines(cited.path)
        near = range(max(cited.line - CONTEXT, 1), min(cited.line + CONTEXT, len(texts)) + 1)
        chosen.setdefault(cited.path, set()).update(number for number in near if texts[number - 1].strip())
    return chosen


def replacement(path: str, line: int) -> str:
    """What stands in place of instruction-like text, so that the news of it does not vanish."""
    return f"instruction-like text in {path}:{line}"


def _suspects(chosen: showing.Chosen, found: Sequence[Signal], lines: Lines, *, everything: bool) -> Iterator[Suspect]:
    """Instruction-like lines among what may be shown or quoted; with `everything` in all of a short file, too."""
    wanted = {path: set(numbers) for path, numbers in chosen.items()}
    for cited in (cited for signal in found for cited in signal.evidence):
        wanted.setdefault(cited.path, set()).add(cited.line)
    for path, numbers in wanted.items():
        texts = lines(path)
        near = {number + step for number in numbers for step in (-1, 0, 1)}
        whole = len(texts) <= WHOLE_LINES  # what begins far above may be hidden by what stands there
        text = "\n".join(line if whole or number in near else "" for number, line in enumerate(texts, start=1))
        for hit in screen(text):
            if (hit.line in near or (whole and everything)) and hit.line <= len(texts):
                yield Suspect(path, hit.line, hit.reason, texts[hit.line - 1])


def _redact(signal: Signal, hidden: Mapping[tuple[str, int], str]) -> Signal:
    """A signal whose evidence is instruction-like stays a signal, its text replaced."""
    places = [(cited.path, cited.line) for cited in signal.evidence]
    text = next((hidden[place] for place in places if place in hidden), "")
    if not text:
        return signal
    evidence = [replace(cited, quote=hidden.get((cited.path, cited.line), cited.quote)) for cited in signal.evidence]
    quote = hidden.get((signal.path, signal.line), signal.quote)
    why = "the text was set aside: it addresses the assistant"
    return replace(signal, title=text, why=why, evidence=evidence, quote=quote)
