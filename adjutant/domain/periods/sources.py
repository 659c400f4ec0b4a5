"""DOMAIN. What a period is made from: a day, by the clock's zone, from what was said in it, others from those below."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from adjutant.clock import Clock
from adjutant.domain.periods import reading
from adjutant.domain.periods.extract import recurring
from adjutant.domain.periods.reading import PeriodPiece
from adjutant.domain.recall.sources import memory
from adjutant.domain.recall.sources.parts import read_lines, string
from adjutant.errors import AdjutantError, FileDamaged, IoFailed
from adjutant.ports import TRUST
from adjutant.records import pending as waiting
from adjutant.records import period_file, registry
from adjutant.records.period_file import DAILY, KINDS, MONTHLY, WEEKLY, Period, PeriodFile, Source
from adjutant.store.config import Config
from adjutant.store.files import Files, sha256, state_of
from adjutant.store.reader import decode

MOST_PIECES, MOST_CHARS = 5000, 1_000_000  # of one period; whose word weighs more comes first
UNREADABLE = (FileDamaged, IoFailed)
LOG = ".jsonl"
DUE = "due"
WRITE, UNCHANGED, SKIPPED = "write", "unchanged", "skipped"
_NOUNS = {DAILY: "day", WEEKLY: "week"}
_LEAST = {WEEKLY: "memory.periods.min_dailies", MONTHLY: "memory.periods.min_weeklies"}


class GatheredPieces(NamedTuple):
    """What a period is made from. `damaged` names what could not be read, and what there was no room for."""

    sources: tuple[Source, ...]
    pieces: tuple[PeriodPiece, ...]
    damaged: tuple[str, ...]


class Sources:
    """What periods are made from, as it was when this was made; a journal is read when its day is asked for."""

    def __init__(self, files: Files, clock: Clock) -> None:
        self.files, self.clock, self._tree = files, clock, files.tree
        self._lost = dict[tuple[str, str], str]()  # (day, or "" for any; path): why it cannot be read, or not all of it
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
        return sorted({*self._journals, *self._insights, *self._sums})

    def list_sources(self, period: Period) -> tuple[Source, ...]:
        """The sources alone. Raises IoFailed."""
        if period.kind == DAILY:
            return tuple(self._list_day(period.name, self._journal(period.name)))
        return tuple(Source(path, sha256(data)) for _, path, data in self._below(period, []))

    def gather(self, period: Period) -> GatheredPieces:
        """Sources and pieces of the same bytes, pieces in the order of time; above the day with what recurs on several
        of its days, which none of them can know. Raises IoFailed."""
        if period.kind == DAILY:
            return _fit(period.name, *self._gather_day(period.name))
        found, said, damaged = list[Source](), list[PeriodPiece](), list[str]()
        for below, path, data in self._below(period, damaged):
            try:
                read = period_file.parse(data, path)
            except FileDamaged as error:
                damaged.append(error.message)
                continue
            found.append(Source(path, sha256(data)))
            said += reading.read_period(below, read.bullets)
        made = _fit(period.name, found, said, damaged)
        first, last = period.first.isoformat(), period.last.isoformat()
        days = [day for day in self.names() if found and first <= day <= last]
        again = recurring([_fit(day, *self._gather_day(day)).pieces for day in days])
        return made._replace(pieces=(*again, *made.pieces))

    def _below(self, period: Period, damaged: list[str]) -> list[tuple[Period, str, bytes]]:
        found = []
        for below in period_file.below(period):
            path = self._tree.period(below.kind, below.name)
            try:
                if (data := self.files.find(path)) is not None:
                    found.append((below, self._tree.relative(path), data))
            except UNREADABLE as error:
                damaged.append(error.message)
        return found

    # -- days -----------------------------------------------------------------------------------------------

    def _gather_day(self, day: str) -> tuple[list[Source], list[PeriodPiece], list[str]]:
        """(sources of a day, the pieces of the same bytes in the order of time, what cannot be read)."""
        data = self._journal(day)
        said = [] if data is None else reading.read_journal(day, self._journal_path(day), data, self.clock.parse)
        said += [piece for _, piece in self._insights.get(day, ())]
        said += [self._piece(*line) for line in self._said.get(day, ())]
        last = 0.0  # one without a time that can be read stays behind the one before it
        keys = [last := datetime.fromisoformat(each.moment).timestamp() if each.moment else last for each in said]
        ordered = [said[at] for at in sorted(range(len(said)), key=keys.__getitem__)]
        damaged = [why for of in ("", day) for (lost, _), why in self._lost.items() if lost == of]
        return self._list_day(day, data), ordered, damaged

    def cannot_tell(self, day: str, found: Collection[Source], known: Collection[Source]) -> str:
        """Why no day can be made of what was `found`: its journal, or what was `known`, is unreadable."""
        now = dict(found)
        lost = [self._journal_path(day), *(path for path, total in known if now.get(path) != total)]
        why = (why for path in lost for (_, at), why in self._lost.items() if f"{path}/".startswith(f"{at}/"))
        return next(why, "")

    def _list_day(self, day: str, data: bytes | None) -> list[Source]:
        found = [] if data is None else [Source(self._journal_path(day), sha256(data))]
        found += [source for source, _ in self._insights.get(day, ())]
        return sorted([*found, *(Source(shown, sum.hexdigest()) for shown, sum in self._sums.get(day, {}).items())])

    def _journal_path(self, day: str) -> str:
        return self._tree.relative(self._tree.journal_of(day))

    def _journal(self, day: str) -> bytes | None:
        path, data = self._journal_path(day), None
        with self._telling(day, path):
            found = self.files.find(self._tree.journal_of(day))
            decode(found or b"", path)
            data = found
        return data

    @contextmanager
    def _telling(self, day: str, path: str) -> Iterator[None]:
        """What cannot be read is told of."""
        try:
            yield
        except UNREADABLE as error:
            self._lost[day, path] = error.message

    def _insight(self, name: str) -> None:
        path, named = self._tree.relative(self._tree.insight(name)), period_file.find_period(DAILY, name[:10])
        with suppress(FileNotFoundError), self._telling(named.name if named else "", path):  # set aside by another run
            piece, total = reading.read_insight(self.files, name)
            if not (moment := self._moment(piece.moment)):
                raise FileDamaged(f"{path}:2: `created` is no ISO-8601 time")
            self._insights[moment[:10]].append((Source(path, total), piece._replace(moment=moment)))

    def _look(self, shown: str) -> None:
        """What a log tells of its days, of matters what ended. A line that tells no time belongs to no day."""
        data = b""
        with self._telling("", shown):
            data = self.files.log(self._logs[shown])
        lines, torn = data.split(b"\n"), list[int]()
        read = reading.read_ended if self._logs[shown] == self._tree.matters else read_lines
        for number, anchor, record in read(data):
            moment = self._moment(string(record, "ts")) if record is not None else ""
            if not moment:
                torn.append(number)
                continue
            self._sums[moment[:10]].setdefault(shown, hashlib.sha256()).update(lines[number - 1] + b"\n")
            if record is not None and anchor:
                self._said[moment[:10]].append((shown, anchor, {**record, "ts": moment}))
        if torn:
            more = f" ({len(torn)} such lines)" if len(torn) > 1 else ""
            self._lost["", shown] = f"{shown}:{torn[0]}: not a record with a time (`ts`){more}"

    def _names(self, folder: str) -> list[str]:
        """Names that a list of sources can hold as they are; any other is told of."""
        names, shown = list[str](), self._tree.relative(folder)
        with self._telling("", shown):
            names = self.files.names(folder)
        for where in (f"{shown}: {name!a}" for name in names if not name.isprintable()):
            self._lost["", where] = f"{where}: not a name of ours"
        return [name for name in names if name.isprintable()]

    def _moment(self, told: str) -> str:
        try:
            return self.clock.parse(told).isoformat()
        except (ValueError, OverflowError):
            return ""

    def _piece(self, shown: str, anchor: str, record: dict[str, Any]) -> PeriodPiece:
        text, moment = string(record, "text"), string(record, "ts")
        if self._logs[shown] == self._tree.matters:  # a box that a line of a knowledge base ticked or struck out
            return PeriodPiece(text, (reading.ref("matters", anchor),), moment, TRUST[-1])
        if self._logs[shown] == self._tree.slog:  # the operator's own verb wrote it
            return PeriodPiece(text.strip(), (reading.ref("slog", anchor),), moment, TRUST[0])
        cited = record.get("citations")
        paths = [str(each.get("path")) for each in cited if isinstance(each, dict)] if isinstance(cited, list) else []
        # one that cites a page of a knowledge base tells what nobody of ours has said
        repeats = any(f"{path}/".startswith(folder) for path in paths for folder in self._bases)
        return reading.read_message(shown.rpartition("/")[2].removesuffix(LOG), anchor, record, repeats=repeats)

    @cached_property
    def _bases(self) -> list[str]:
        """The folders of knowledge bases as citations name them; every one where the registry cannot be read."""
        try:
            folders = [self._tree.knowledge_bases, *(kb.folder for kb in registry.load(self.files))]
        except AdjutantError:
            return [""]
        root = f"{os.path.realpath(self._tree.root)}/"
        return [f"{os.path.realpath(each)}/".removeprefix(root) for each in folders]


def _fit(name: str, found: list[Source], said: list[PeriodPiece], damaged: list[str]) -> GatheredPieces:
    room, kept, whole = MOST_CHARS, dict[int, PeriodPiece](), 0
    for at in sorted(range(len(said)), key=lambda at: TRUST.index(said[at].trust))[:MOST_PIECES]:
        if room > 0:
            kept[at] = said[at]._replace(text=said[at].text[:room])
            whole += len(said[at].text) <= room
            room -= len(said[at].text)
    if left := len(said) - whole:
        damaged.append(f"{name}: {left} of {len(said)} things said are left out or cut: it is too much")
    return GatheredPieces(tuple(found), tuple(kept[at] for at in sorted(kept)), tuple(damaged))


class Planned(NamedTuple):
    """What is to be done with a period: write it as `made`, or nothing (`unchanged`, or `skipped` for a `reason`).
    `expect`: the sha256 of its file as it is, "" for none."""

    period: Period
    action: str
    reason: str = ""
    expect: str = ""
    made: GatheredPieces | None = None


def choose(sources: Sources, word: str, kind: str, on: date | None = None) -> list[Period]:
    """The periods of a kind that `compact WORD` looks at, the oldest first: that of a day `on`; of `due` every one that
    is over and has anything below it; else the last one that is over. Raises FileDamaged, IoFailed."""
    today = sources.clock.now().date()
    if on is not None:
        return [period_file.period(kind, on)]
    if word != DUE:
        return [period_file.period(kind, period_file.period(kind, today).first - timedelta(days=1))]
    of, tree = KINDS[max(KINDS.index(kind) - 1, 0)], sources.files.tree
    folder = {WEEKLY: tree.daily, MONTHLY: tree.weekly}.get(kind, "")
    names = [each.removesuffix(".md") for each in sources.files.names(folder)] if folder else sources.names()
    there = [each for name in names if (each := period_file.find_period(of, name)) is not None]
    wanted = {each.name: each for below in there if (each := below if kind == DAILY else period_file.above(below))}
    return sorted((each for each in wanted.values() if each.is_finished(today)), key=lambda each: each.first)


def plan(sources: Sources, config: Config, period: Period) -> Planned:
    """What is to be done with one of them. A file that a person has changed is left to them."""
    if not period.is_finished(sources.clock.now().date()):
        return Planned(period, SKIPPED, f"not over before {period.last + timedelta(days=1)}")
    path = sources.files.tree.period(period.kind, period.name)
    try:
        data = sources.files.find(path)
        held = None if data is None else period_file.parse(data, sources.files.tree.relative(path))
        if held is not None and held.sources == sources.list_sources(period):
            return Planned(period, UNCHANGED)
        made = sources.gather(period)
        if reason := _hinder(sources, config, period, made, held):
            return Planned(period, SKIPPED, reason)
    except UNREADABLE as error:
        return Planned(period, SKIPPED, error.message)
    return Planned(period, WRITE, "", state_of(data), made)


def _hinder(sources: Sources, config: Config, period: Period, made: GatheredPieces, held: PeriodFile | None) -> str:
    reason, there = "", len(made.sources)
    if period.kind == DAILY:
        known = held.sources if held is not None else ()
        gone = "what it was made from is gone; the file is kept" if known else "nothing happened"
        reason = sources.cannot_tell(period.name, made.sources, known) or gone * (not there)
    elif made.damaged:
        reason = made.damaged[0]
    elif there < (least := config.whole(_LEAST[period.kind])):
        below = _NOUNS[KINDS[KINDS.index(period.kind) - 1]]
        reason = f"{there} {below}{'s' * (there != 1)} of {least} needed"
    if not reason and held is not None and held.touched:
        reason = "edited by hand; move the file away to have it made anew"
    return reason
