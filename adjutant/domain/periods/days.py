"""DOMAIN. Days and what tells of them; a log that holds many days is looked through once for all of them.

Days are local ones, by the clock's zone.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime
from functools import cached_property
from typing import Any

from adjutant.clock import Clock
from adjutant.domain.periods import pieces
from adjutant.domain.periods.pieces import PeriodPiece
from adjutant.domain.recall.sources import journal
from adjutant.domain.recall.sources.parts import string, told
from adjutant.errors import AdjutantError, FileDamaged, IoFailed
from adjutant.records import calendar, registry
from adjutant.records import pending as waiting
from adjutant.records.period_file import Source
from adjutant.store import jsonl
from adjutant.store.files import Files, sha256
from adjutant.store.reader import decode

WINDOW = 100  # days whose lines are held at a time: who asks for one asks for the next ones as well
UNREADABLE = (FileDamaged, IoFailed)
LOG = ".jsonl"
ENDED = b'"event": "settled"'
# How our own records begin. To parse all of a log's lines takes ten times as long, and is left until a day is made.
_OURS = re.compile(rb'\{(?:"id": "[\w-]*", )?"ts": "([\w:+-]{10,32})"')
_Line = tuple[str, str, dict[str, Any]]  # log, id, record


class PeriodDays:
    """The days of an instance as they were when this was made; a day's journal is read when the day is asked for.

    `damage`: {path: why} of files that cannot be read, or not all of them; paths relative to the instance.
    """

    def __init__(self, files: Files, clock: Clock) -> None:
        self.damage: dict[str, str] = {}
        self._files, self._clock, self._tree = files, clock, files.tree
        self._notes = defaultdict[str, dict[str, str]](dict)  # day, or "" for any -> path -> what cannot be read
        self._insights = defaultdict[str, list[tuple[Source, PeriodPiece]]](list)
        self._sums = defaultdict[str, dict[str, str]](dict)  # day -> log -> sha256 over its lines of that day
        self._held: dict[str, list[_Line]] = {}
        named = map(journal.NAME.fullmatch, self._names(self._tree.journal))
        self._journals = {match[1] for match in named if match}
        for name in sorted({*self._names(self._tree.pending), *self._names(self._tree.sent)}):
            if waiting.is_name(name):
                self._insight(name)
        self._logs = {self._tree.relative(path): path for path in self._log_paths()}
        for shown in self._logs:
            self._look(shown, {})

    def names(self) -> list[str]:
        """The days, YYYY-MM-DD, of which anything tells, in order."""
        return sorted(self._journals | self._insights.keys() | {day for day, logs in self._sums.items() if logs})

    def sources(self, day: str) -> tuple[list[Source], list[str]]:
        """(sources of a day by their paths, what cannot be read)."""
        return self._of(day, self._journal(day))

    def gather(self, day: str) -> tuple[list[Source], list[PeriodPiece], list[str]]:
        """(sources of a day, the pieces of the same bytes in the order of time, what cannot be read)."""
        if day not in self._held:
            self._hold(day)
        data = self._journal(day)
        said = [] if data is None else pieces.of_journal(day, self._journal_path(day), data, self._clock.parse)
        said += [piece for _, piece in self._insights.get(day, ())]
        said += [self._piece(*line) for line in self._held[day]]
        sources, damaged = self._of(day, data)
        return sources, self._in_time(said), damaged

    def cannot_tell(self, day: str, found: Collection[Source], known: Collection[Source]) -> str:
        """Why a day cannot be made of what was `found`: its journal, or part of what it was made from (`known`), is
        there and cannot be read; "" when it can. Ask it of a day that was gathered."""
        now = dict(found)
        lost = [self._journal_path(day), *(path for path, total in known if now.get(path) != total)]
        return next(
            (
                why
                for path in lost
                for where, why in self.damage.items()
                if path == where or path.startswith(f"{where}/")
            ),
            "",
        )

    def _of(self, day: str, data: bytes | None) -> tuple[list[Source], list[str]]:
        found = [] if data is None else [Source(self._journal_path(day), sha256(data))]
        found += [source for source, _ in self._insights.get(day, ())]
        found += [Source(shown, total) for shown, total in self._sums.get(day, {}).items()]
        return sorted(found), [*self._notes.get("", {}).values(), *self._notes.get(day, {}).values()]

    # -- files of one day ------------------------------------------------------------------------------------

    def _journal_path(self, day: str) -> str:
        return self._tree.relative(self._tree.journal_of(day))

    def _journal(self, day: str) -> bytes | None:
        path = self._journal_path(day)
        try:
            data = self._files.read(self._tree.journal_of(day))
            decode(data, path)
        except FileNotFoundError:
            return None
        except UNREADABLE as error:
            self._lost(path, error.message, day)
            return None
        return data

    def _insight(self, name: str) -> None:
        path, named = self._tree.relative(self._tree.insight(name)), calendar.find_period(calendar.DAILY, name[:10])
        try:
            piece, total = pieces.of_insight(self._files, name)
            moment = self._moment(piece.moment)
            if not moment:
                raise FileDamaged(f"{path}:2: `created` is no ISO-8601 time")
        except FileNotFoundError:
            return  # another run has set it aside
        except UNREADABLE as error:
            self._lost(path, error.message, named.name if named else "")
            return
        self._insights[moment[:10]].append((Source(path, total), piece._replace(moment=moment)))

    # -- files of many days ----------------------------------------------------------------------------------

    def _log_paths(self) -> Iterator[str]:
        for name in self._names(self._tree.conversations):
            if name.endswith(LOG) and name[0] != ".":
                yield self._tree.conversation(name.removesuffix(LOG))
        yield self._tree.slog
        yield self._tree.matters

    def _look(self, shown: str, held: dict[str, list[_Line]]) -> None:
        """What the days of a log are known by; those in `held` get their lines.

        A line that tells no time belongs to no day; it is told of with the day of the one before it.
        """
        try:
            data = self._files.read(self._logs[shown])
        except FileNotFoundError:
            return
        except UNREADABLE as error:
            self._lost(shown, error.message)
            return
        sums, torn, moments, last = dict[str, Any](), defaultdict[str, list[int]](list), list[str](), ""
        ends = self._logs[shown] == self._tree.matters  # of which a day hears what ended, and nothing else
        for number, line in enumerate(data.split(b"\n"), 1):
            moments.append(self._moment(_stamp(line)) if not ends or ENDED in line else "")
            day = moments[-1][:10]
            last = day or last
            if not day and line.strip() and not ends:
                torn[last].append(number)
            elif day:
                sums.setdefault(day, hashlib.sha256()).update(line + b"\n")
        for day, total in sums.items():
            self._sums[day][shown] = total.hexdigest()
        for number, anchor, record in (pieces.ended(data) if ends else told(data)) if held else ():
            moment = moments[number - 1]
            if record is None and moment:
                torn[moment[:10]].append(number)
            elif record is not None and anchor and moment[:10] in held:
                held[moment[:10]].append((shown, anchor, {**record, "ts": moment}))
        for day, numbers in torn.items():
            more = f" ({len(numbers)} such lines)" if len(numbers) > 1 else ""
            self._lost(shown, f"{shown}:{min(numbers)}: not a record with a time (`ts`){more}", day)

    def _hold(self, first: str) -> None:
        """Keeps the lines of a day and of those after it, and what these are known by now."""
        days = [first, *(day for day in self.names() if day > first)][:WINDOW]
        self._held = {day: [] for day in days}
        for shown in sorted({shown for day in days for shown in self._sums.pop(day, ())}):
            self._look(shown, self._held)

    # -- what they share -------------------------------------------------------------------------------------

    def _names(self, folder: str) -> list[str]:
        """Names that a list of sources can hold as they are; any other is told of."""
        try:
            names = self._files.names(folder)
        except UNREADABLE as error:
            self._lost(self._tree.relative(folder), error.message)
            return []
        for name in names:
            if not name.isprintable():
                where = f"{self._tree.relative(folder)}: {name!a}"
                self._lost(where, f"{where}: not a name of ours")
        return [name for name in names if name.isprintable()]

    def _lost(self, path: str, why: str, day: str = "") -> None:
        self.damage.setdefault(path, why)
        self._notes[day][path] = why

    def _moment(self, told: str) -> str:
        """ISO-8601 in the clock's zone, "" for what is no time."""
        try:
            return self._clock.parse(told).isoformat()
        except (ValueError, OverflowError):
            return ""

    def _piece(self, shown: str, anchor: str, record: dict[str, Any]) -> PeriodPiece:
        if self._logs[shown] == self._tree.matters:
            return pieces.of_matter(anchor, record)
        if self._logs[shown] == self._tree.slog:
            return pieces.of_work(anchor, record)
        session = shown.rpartition("/")[2].removesuffix(LOG)
        return pieces.of_message(session, anchor, record, repeats=self._repeats_base(record))

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

    def _in_time(self, said: list[PeriodPiece]) -> list[PeriodPiece]:
        """One without a time that can be read stays behind the one before it."""
        keys, last = list[float](), 0.0
        for piece in said:
            last = datetime.fromisoformat(piece.moment).timestamp() if piece.moment else last
            keys.append(last)
        order = sorted(range(len(said)), key=keys.__getitem__)
        return [said[at] for at in order]


def _stamp(line: bytes) -> str:
    """The `ts` of a record, "" for a line without one."""
    ours = _OURS.match(line)
    if ours and line.endswith(b"}"):
        return ours[1].decode()
    return next((string(record, "ts") for _, record in jsonl.parse(line) if record is not None), "")
