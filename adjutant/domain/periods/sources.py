"""DOMAIN. What a period is made from: a day from what was said in it, a week or month from the periods below it.

Days are local ones, by the clock's zone.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from adjutant.clock import Clock
from adjutant.domain.periods import reading
from adjutant.domain.periods.extract import recurring
from adjutant.domain.periods.reading import PeriodPiece
from adjutant.domain.recall.sources import memory
from adjutant.domain.recall.sources.parts import fingerprint, read_lines, string
from adjutant.errors import AdjutantError, FileDamaged, IoFailed
from adjutant.ports import TRUST
from adjutant.records import pending as waiting
from adjutant.records import period_file, registry
from adjutant.records.period_file import DAILY, KINDS, MONTHLY, WEEKLY, Period, Source
from adjutant.store.config import Config
from adjutant.store.files import Files, sha256
from adjutant.store.reader import decode

MOST_PIECES, MOST_CHARS = 5000, 1_000_000  # of one period; whose word weighs more comes first
UNREADABLE = (FileDamaged, IoFailed)
LOG = ".jsonl"
DUE = "due"
WRITE, UNCHANGED, SKIPPED, PROPOSE = "write", "unchanged", "skipped", "propose"
_NOUNS = {DAILY: "day", WEEKLY: "week"}
_LEAST = {WEEKLY: "memory.periods.min_dailies", MONTHLY: "memory.periods.min_weeklies"}


class GatheredPieces(NamedTuple):
    """What a period is made from. `damaged` names what could not be read, and what there was no room for."""

    sources: tuple[Source, ...]
    pieces: tuple[PeriodPiece, ...]
    damaged: tuple[str, ...]


class Sources:
    """What periods of one instance are made from."""

    def __init__(self, files: Files, clock: Clock) -> None:
        self.files, self.clock = files, clock

    @cached_property
    def days(self) -> PeriodDays:
        """Read when a day is first asked for."""
        return PeriodDays(self.files, self.clock)

    def gather(self, period: Period) -> GatheredPieces:
        """Sources and pieces of the same bytes, pieces in the order of time; above the day with what recurs on several
        of its days, which none of them can know. Raises IoFailed."""
        found = self.read(period)
        if period.kind == DAILY or not found.sources:
            return found
        first, last = period.first.isoformat(), period.last.isoformat()
        days = [_fit(self.days.gather(day)[1])[0] for day in self.days.names() if first <= day <= last]
        return found._replace(pieces=(*recurring(days), *found.pieces))

    def read(self, period: Period) -> GatheredPieces:
        """The same without what recurs. Raises IoFailed."""
        if period.kind == DAILY:
            found, said, damaged = self.days.gather(period.name)
        else:
            found, said, damaged = [], [], []
            for below, data in self._below(period, damaged):
                try:
                    read = period_file.parse(data, self._path(below))
                except FileDamaged as error:
                    damaged.append(error.message)
                    continue
                found.append(Source(self._path(below), sha256(data)))
                said += reading.read_period(below, read.bullets)
        kept, left = _fit(said)
        if left:
            damaged.append(f"{period.name}: {left} of {len(said)} things said are left out or cut: it is too much")
        return GatheredPieces(tuple(found), tuple(kept), tuple(damaged))

    def sources(self, period: Period) -> GatheredPieces:
        """The same without pieces. Raises IoFailed."""
        if period.kind == DAILY:
            found, damaged = self.days.sources(period.name)
        else:
            damaged = []
            found = [Source(self._path(below), sha256(data)) for below, data in self._below(period, damaged)]
        return GatheredPieces(tuple(found), (), tuple(damaged))

    def _below(self, period: Period, damaged: list[str]) -> list[tuple[Period, bytes]]:
        """The files of the periods below that there are."""
        found = []
        for below in period_file.below(period):
            try:
                data = self.files.find(self.files.tree.period(below.kind, below.name))
                found += [(below, data)] if data is not None else []
            except UNREADABLE as error:
                damaged.append(error.message)
        return found

    def _path(self, period: Period) -> str:
        return self.files.tree.relative(self.files.tree.period(period.kind, period.name))


def _fit(said: list[PeriodPiece]) -> tuple[list[PeriodPiece], int]:
    """(those there is room for in their order, how many are left out or cut), whose word weighs most first."""
    room, kept, whole = MOST_CHARS, dict[int, PeriodPiece](), 0
    for at in sorted(range(len(said)), key=lambda at: TRUST.index(said[at].trust))[:MOST_PIECES]:
        if room > 0:
            kept[at] = said[at]._replace(text=said[at].text[:room])
            whole += len(said[at].text) <= room
            room -= len(said[at].text)
    return [kept[at] for at in sorted(kept)], len(said) - whole


# -- days ----------------------------------------------------------------------------------------------------


class PeriodDays:
    """The days of an instance as they were when this was made; a day's journal is read when the day is asked for.

    `damage`: {path: why} of files that cannot be read, or not all of them; paths relative to the instance.
    """

    def __init__(self, files: Files, clock: Clock) -> None:
        self.damage: dict[str, str] = {}
        self._files, self._clock, self._tree = files, clock, files.tree
        self._notes = defaultdict[str, dict[str, str]](dict)  # day, or "" for any -> path -> what cannot be read
        self._insights = defaultdict[str, list[tuple[Source, PeriodPiece]]](list)
        self._sums = defaultdict[str, dict[str, Any]](dict)  # day -> log -> sha256 over its lines of that day
        self._said = defaultdict[str, list[tuple[str, str, dict[str, Any]]]](list)  # day -> log, id, record
        named = map(memory.DAY_FILE.fullmatch, self._names(self._tree.journal))
        self._journals = {match[1] for match in named if match}
        for name in sorted({*self._names(self._tree.pending), *self._names(self._tree.sent)}):
            if waiting.is_name(name):
                self._insight(name)
        names = (name for name in self._names(self._tree.conversations) if name.endswith(LOG) and name[0] != ".")
        talks = (self._tree.conversation(name.removesuffix(LOG)) for name in names)
        self._logs = {self._tree.relative(path): path for path in (*talks, self._tree.slog, self._tree.matters)}
        for shown in self._logs:
            self._look(shown)

    def names(self) -> list[str]:
        """The days, YYYY-MM-DD, of which anything tells, in order."""
        return sorted({*self._journals, *self._insights, *self._sums})

    def sources(self, day: str) -> tuple[list[Source], list[str]]:
        """(sources of a day by their paths, what cannot be read)."""
        return self._list_sources(day, self._journal(day))

    def gather(self, day: str) -> tuple[list[Source], list[PeriodPiece], list[str]]:
        """(sources of a day, the pieces of the same bytes in the order of time, what cannot be read)."""
        data = self._journal(day)
        said = [] if data is None else reading.read_journal(day, self._journal_path(day), data, self._clock.parse)
        said += [piece for _, piece in self._insights.get(day, ())]
        said += [self._piece(*line) for line in self._said.get(day, ())]
        sources, damaged = self._list_sources(day, data)
        return sources, _in_time(said), damaged

    def cannot_tell(self, day: str, found: Collection[Source], known: Collection[Source]) -> str:
        """Why a day cannot be made of what was `found`: its journal, or part of what it was made from (`known`), is
        there and cannot be read; "" when it can."""
        now = dict(found)
        lost = [self._journal_path(day), *(path for path, total in known if now.get(path) != total)]
        why = (
            self.damage[where]
            for path in lost
            for where in self.damage
            if path == where or path.startswith(f"{where}/")
        )
        return next(why, "")

    def _list_sources(self, day: str, data: bytes | None) -> tuple[list[Source], list[str]]:
        found = [] if data is None else [Source(self._journal_path(day), sha256(data))]
        found += [source for source, _ in self._insights.get(day, ())]
        found += [Source(shown, total.hexdigest()) for shown, total in self._sums.get(day, {}).items()]
        return sorted(found), [*self._notes.get("", {}).values(), *self._notes.get(day, {}).values()]

    def _journal_path(self, day: str) -> str:
        return self._tree.relative(self._tree.journal_of(day))

    def _journal(self, day: str) -> bytes | None:
        path = self._journal_path(day)
        try:
            data = self._files.find(self._tree.journal_of(day))
            decode(data or b"", path)
        except UNREADABLE as error:
            self._note_lost(path, error.message, day)
            return None
        return data

    def _insight(self, name: str) -> None:
        path, named = (
            self._tree.relative(self._tree.insight(name)),
            period_file.find_period(DAILY, name[:10]),
        )
        try:
            piece, total = reading.read_insight(self._files, name)
            moment = self._moment(piece.moment)
            if not moment:
                raise FileDamaged(f"{path}:2: `created` is no ISO-8601 time")
        except FileNotFoundError:
            return  # another run has set it aside
        except UNREADABLE as error:
            self._note_lost(path, error.message, named.name if named else "")
            return
        self._insights[moment[:10]].append((Source(path, total), piece._replace(moment=moment)))

    def _look(self, shown: str) -> None:
        """What a log tells of its days; of matters they hear what ended, and nothing else.

        A line that tells no time belongs to no day; it is told of with the day of the one before it.
        """
        try:
            data = self._files.log(self._logs[shown])
        except UNREADABLE as error:
            self._note_lost(shown, error.message)
            return
        lines, torn, last = data.split(b"\n"), defaultdict[str, list[int]](list), ""
        for number, anchor, record in (
            reading.read_ended(data) if self._logs[shown] == self._tree.matters else read_lines(data)
        ):
            moment = self._moment(string(record, "ts")) if record is not None else ""
            day = moment[:10]
            last = day or last
            if not day:
                torn[last].append(number)
                continue
            self._sums[day].setdefault(shown, hashlib.sha256()).update(lines[number - 1] + b"\n")
            if record is not None and anchor:
                self._said[day].append((shown, anchor, {**record, "ts": moment}))
        for day, numbers in torn.items():
            more = f" ({len(numbers)} such lines)" if len(numbers) > 1 else ""
            self._note_lost(shown, f"{shown}:{min(numbers)}: not a record with a time (`ts`){more}", day)

    def _names(self, folder: str) -> list[str]:
        """Names that a list of sources can hold as they are; any other is told of."""
        try:
            names = self._files.names(folder)
        except UNREADABLE as error:
            self._note_lost(self._tree.relative(folder), error.message)
            return []
        for name in names:
            if not name.isprintable():
                where = f"{self._tree.relative(folder)}: {name!a}"
                self._note_lost(where, f"{where}: not a name of ours")
        return [name for name in names if name.isprintable()]

    def _note_lost(self, path: str, why: str, day: str = "") -> None:
        self.damage.setdefault(path, why)
        self._notes[day][path] = why

    def _moment(self, told: str) -> str:
        """ISO-8601 in the clock's zone, "" for what is no time."""
        try:
            return self._clock.parse(told).isoformat()
        except (ValueError, OverflowError):
            return ""

    def _piece(self, shown: str, anchor: str, record: dict[str, Any]) -> PeriodPiece:
        text, moment = string(record, "text"), string(record, "ts")
        if self._logs[shown] == self._tree.matters:  # a box that a line of a knowledge base ticked or struck out
            return PeriodPiece(text, (reading.ref("matters", anchor),), moment, TRUST[-1])
        if self._logs[shown] == self._tree.slog:  # the operator's own verb wrote it
            return PeriodPiece(text.strip(), (reading.ref("slog", anchor),), moment, TRUST[0])
        session = shown.rpartition("/")[2].removesuffix(LOG)
        return reading.read_message(session, anchor, record, repeats=self._repeats_base(record))

    def _repeats_base(self, record: dict[str, Any]) -> bool:
        """Whether a message cites a page of a knowledge base: it then tells what nobody of ours has said."""
        cited = record.get("citations")
        paths = (str(each.get("path")) for each in cited if isinstance(each, dict)) if isinstance(cited, list) else ()
        return any(f"{path}/".startswith(folder) for path in paths for folder in self._bases)

    @cached_property
    def _bases(self) -> list[str]:
        """The folders of knowledge bases as citations name them; every one where the registry cannot be read."""
        try:
            folders = [self._tree.knowledge_bases, *(kb.folder for kb in registry.load(self._files))]
        except AdjutantError:
            return [""]
        root = f"{os.path.realpath(self._tree.root)}/"
        return [f"{os.path.realpath(each)}/".removeprefix(root) for each in folders]


def _in_time(said: list[PeriodPiece]) -> list[PeriodPiece]:
    """One without a time that can be read stays behind the one before it."""
    keys, last = list[float](), 0.0
    for piece in said:
        last = datetime.fromisoformat(piece.moment).timestamp() if piece.moment else last
        keys.append(last)
    return [said[at] for at in sorted(range(len(said)), key=keys.__getitem__)]


class Planned(NamedTuple):
    """What is to be done with a period: write it, nothing (`unchanged`, or `skipped` for a `reason`), or propose it.

    `expect`: the sha256 of its file as it is, "" for none. A file that a person has changed is not written: what would
    be goes to `proposal`, a name for tree.conflict; where that is there already, the period is skipped.
    """

    period: Period
    action: str
    reason: str = ""
    expect: str = ""
    proposal: str = ""


def kinds(word: str) -> tuple[str, ...]:
    """The kinds that `compact WORD` is about, from the bottom up."""
    return KINDS if word == DUE else (word,)


def plan(sources: Sources, config: Config, word: str, kind: str, on: date | None = None) -> list[Planned]:
    """The periods of a kind that `compact WORD` looks at, the oldest first.

    `due` looks at every one that is over and of which anything is there; any other word at the last one that is over;
    both with a day `on` at the one that holds it. Raises FileDamaged (a file where a folder belongs), IoFailed.
    """
    today = sources.clock.now().date()
    if on is not None:
        wanted = [period_file.period(kind, on)]
    elif word == DUE:
        wanted = [each for each in _there(sources, kind) if each.is_finished(today)]
    else:
        wanted = [period_file.period(kind, period_file.period(kind, today).first - timedelta(days=1))]
    return [_plan_one(sources, config, each, today) for each in wanted]


def _there(sources: Sources, kind: str) -> list[Period]:
    """The periods of a kind of which anything is there: a source of a day, a file of a period below."""
    if kind == DAILY:
        below: list[Period | None] = [period_file.find_period(DAILY, name) for name in sources.days.names()]
        return [each for each in below if each is not None]
    of = KINDS[KINDS.index(kind) - 1]
    folder = {DAILY: sources.files.tree.daily, WEEKLY: sources.files.tree.weekly}[of]
    named = (period_file.find_period(of, name.removesuffix(".md")) for name in sources.files.names(folder))
    above = {over.name: over for each in named if each is not None and (over := period_file.above(each)) is not None}
    return sorted(above.values(), key=lambda each: each.first)


def _plan_one(sources: Sources, config: Config, period: Period, today: date) -> Planned:
    if not period.is_finished(today):
        return Planned(period, SKIPPED, f"not over before {period.last + timedelta(days=1)}")
    files = sources.files
    path = files.tree.period(period.kind, period.name)
    shown = files.tree.relative(path)
    try:
        data = files.find(path)
    except (FileDamaged, IoFailed) as error:
        return Planned(period, SKIPPED, error.message)
    try:
        held = None if data is None else period_file.parse(data, shown)
        found = sources.sources(period)
        if held is not None and held.sources == found.sources:
            return Planned(period, UNCHANGED)
        if reason := _find_hindrance(sources, config, period, () if held is None else held.sources):
            return Planned(period, SKIPPED, reason)
    except FileDamaged as error:
        return Planned(period, SKIPPED, error.message)
    if held is None or data is None:
        return Planned(period, WRITE)
    if held.touched:
        return _plan_proposal(sources, period, found.sources, sha256(data))
    return Planned(period, WRITE, expect=sha256(data))


def _find_hindrance(sources: Sources, config: Config, period: Period, known: tuple[Source, ...]) -> str:
    """Why a period cannot be made from what there is; "" when it can. What is made again is read first."""
    found = sources.read(period) if known or period.kind != DAILY else sources.sources(period)
    if period.kind == DAILY:
        gone = "what it was made from is gone; the file is kept" if known else "nothing happened"
        return sources.days.cannot_tell(period.name, found.sources, known) or ("" if found.sources else gone)
    below, least = KINDS[KINDS.index(period.kind) - 1], config.whole(_LEAST[period.kind])
    there = len(found.sources)
    few = f"{there} {_NOUNS[below]}{'s' * (there != 1)} of {least} needed" if there < least else ""
    return next(iter(found.damaged), few)


def _plan_proposal(sources: Sources, period: Period, found: Sequence[Source], expect: str) -> Planned:
    """A proposal's name tells what it was made from: the same is not proposed every night."""
    tree = sources.files.tree
    name = f"{period.name}.md.{fingerprint(*(part for source in found for part in source))[:12]}"
    there = sources.files.exists(tree.conflict(name))
    reason = f"edited by hand; the proposal is {tree.relative(tree.conflict(name))}"
    return Planned(period, SKIPPED if there else PROPOSE, reason, expect, name)
