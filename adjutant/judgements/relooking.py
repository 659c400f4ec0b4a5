"""OPINION. Knowledge bases as runs once saw them, looked at again under another heart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from adjutant.documents import document
from adjutant.domain.matters import drawing, extract, opened
from adjutant.domain.matters import look as looking
from adjutant.domain.matters.extract import QUOTE
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.look import MAX_LINE, replacement
from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.signal import Signal
from adjutant.judgements.material import Line
from adjutant.records import registry
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase

if TYPE_CHECKING:
    from adjutant.judgements.copying import Copy

MOST_LINES = 200_000  # of a file; a record that was edited may name any number
Place = tuple[str, int]  # path and line
Texts = dict[str, dict[int, str]]


class Shown(NamedTuple):
    """What a run recorded of a knowledge base: the lines shown, the signals code saw, under which heart, when."""

    kb: str
    description: str
    lines: Sequence[Line]
    signals: Sequence[Signal]
    heart: Heart
    when: datetime


class Looked(NamedTuple):
    """The signals that count, before and after; `muted`: {place: why} of those that are left alone after."""

    was: list[Signal]
    now: list[Signal]
    muted: dict[Place, str]


class OutOfTime(Exception):
    """No time is left for another look."""


class Looks:
    """Looks again, each text once a day and heart. A text that is still as it was shown is read whole, one that changed
    since from the lines on record."""

    def __init__(self, copy: Copy, was: Heart, now: Heart) -> None:
        """Raises FileDamaged (the registry), IoFailed."""
        self._copy, self._was, self._now = copy, was, now
        self.kbs = {kb.name: kb for kb in registry.load(copy.app.files)}
        self.rebuilt: set[tuple[str, str]] = set()  # (knowledge base, path) of texts that are not what they were
        self._opened: dict[str, Opened] = {}
        self._seen: dict[tuple[object, ...], list[Signal]] = {}

    def again(self, shown: Shown) -> Looked:
        """The signals of a recorded look, before and after. What only lies in lines that no record has stays as it
        was. Raises OutOfTime."""
        kb = self.kbs.get(shown.kb) or KnowledgeBase(shown.kb, "", "", shown.description)
        files = self._basis(kb, shown)
        recorded = worth_raising(shown.signals)
        then, was, now = (self._look(kb, files, heart, shown.when) for heart in (shown.heart, self._was, self._now))
        return Looked(_carried(recorded, then, was), _carried(recorded, then, now), _muted(now))

    def today(self, kb: KnowledgeBase, now: datetime) -> Looked:
        """The signals of what lies in the folder now. Raises OSError where it cannot be read, OutOfTime."""
        files = self._open(kb, now).found.readings
        was, after = (self._look(kb, files, heart, now) for heart in (self._was, self._now))
        return Looked(worth_raising(was), worth_raising(after), _muted(after))

    def _look(self, kb: KnowledgeBase, files: Sequence[Reading], heart: Heart, when: datetime) -> list[Signal]:
        key = (kb.name, when.date(), repr(heart), *((each.path, each.sha) for each in files))
        if key not in self._seen:
            if self._copy.budget.over:
                raise OutOfTime
            horizon = self._copy.config.whole("heartbeat.horizon_days")
            reach = drawing.reach(self._copy.config, when)
            self._seen[key] = looking.extract(kb, files, heart, when, horizon, reach).signals
        return self._seen[key]

    def _open(self, kb: KnowledgeBase, now: datetime) -> Opened:
        if kb.name not in self._opened:
            copy = self._copy
            self._opened[kb.name] = opened.open_base(
                copy.before, copy.config, kb, now, lambda size: not copy.budget.over
            )
        return self._opened[kb.name]

    # -- what a run saw --------------------------------------------------------------------------------------

    def _basis(self, kb: KnowledgeBase, shown: Shown) -> list[Reading]:
        """The readings of the files that the run saw, as far as they can be had again."""
        try:
            base = self._open(kb, shown.when) if kb.folder else None
        except OSError:
            base = None
        there = {each.path: each for each in base.found.readings} if base is not None else {}
        known = _known(shown)
        same = {
            path: there[path]
            for path, lines in known.items()
            if base is not None and path in there and _stands(path, base.lines(path), lines)
        }
        self.rebuilt |= {(kb.name, path) for path in known.keys() - same.keys()}
        files = [same.get(path) or _rebuilt(path, lines, shown.when) for path, lines in known.items()]
        then = shown.when.timestamp() * 1_000_000_000
        files += [each for path, each in there.items() if path not in known and each.mtime_ns <= then]
        return sorted(files, key=lambda each: each.path)


def worth_raising(signals: Sequence[Signal]) -> list[Signal]:
    """Those that a triage gets to see."""
    return [each for each in signals if not each.muted and each.listed]


def _carried(recorded: Sequence[Signal], then: Sequence[Signal], now: Sequence[Signal]) -> list[Signal]:
    """The recorded signals, those aside on which the look of now differs from the look of then, and what it has in
    their place."""
    was, new = _by_place(then), _by_place(now)
    other = {place for place in was.keys() | new.keys() if was.get(place) != new.get(place)}
    kept = [each for each in recorded if (each.path, each.line) not in other]
    return kept + [each for each in worth_raising(now) if (each.path, each.line) in other]


def _by_place(signals: Sequence[Signal]) -> dict[Place, list[Signal]]:
    found: dict[Place, list[Signal]] = {}
    for each in signals:
        found.setdefault((each.path, each.line), []).append(each)
    return found


def _muted(signals: Sequence[Signal]) -> dict[Place, str]:
    return {
        (each.path, each.line): each.muted or ("irrelevant" if each.concern is None else f"{each.severity} only")
        for each in signals
        if each.muted or not each.listed
    }


def _known(shown: Shown) -> Texts:
    """{path: {line: text}} that is on record, quotes where there are no whole lines."""
    known: Texts = {}
    quoted = [(cited.path, cited.line, cited.quote) for signal in shown.signals for cited in signal.evidence]
    for path, number, text in (*((line.path, line.line, line.text) for line in shown.lines), *quoted):
        if 1 <= number <= MOST_LINES:
            known.setdefault(path, {}).setdefault(number, text)
    return known


def _stands(path: str, texts: Sequence[str], lines: Mapping[int, str]) -> bool:
    """Whether the file still says what was shown of it; a line that was set aside can be any."""
    return all(
        number <= len(texts)
        and (
            text in (texts[number - 1][:MAX_LINE], texts[number - 1].strip()[:QUOTE].rstrip())
            or text == replacement(path, number)
        )
        for number, text in lines.items()
    )


def _rebuilt(path: str, lines: Mapping[int, str], when: datetime) -> Reading:
    text = "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))
    doc = document.read(path, text, near=when.date())
    got = extract.read(doc, when.date(), when.date(), None)
    return Reading(path, len(text), 0, when.date(), got.facts, got.seen, f"rebuilt {hash(text)}", False)
