"""DOMAIN. What a period is made from: a day from what was said in it, a week or month from the periods below it."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from adjutant.clock import Clock
from adjutant.domain.periods import pieces
from adjutant.domain.periods.days import PeriodDays
from adjutant.domain.periods.extract import recurring
from adjutant.domain.periods.pieces import PeriodPiece
from adjutant.errors import FileDamaged, IoFailed
from adjutant.ports import TRUST
from adjutant.records import calendar, period_file
from adjutant.records.calendar import DAILY, Period
from adjutant.records.period_file import Source
from adjutant.store.files import Files, sha256

MOST_PIECES, MOST_CHARS = 5000, 1_000_000  # of one period; whose word weighs more comes first


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
        return found._replace(pieces=(*found.pieces, *recurring(self._days_of(period))))

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
                said += pieces.of_period(below, read.bullets)
        kept, left = _bounded(said)
        if left:
            damaged.append(f"{period.name}: {left} of {len(said)} things said are left out or cut: it is too much")
        return GatheredPieces(tuple(found), tuple(kept), tuple(damaged))

    def _days_of(self, period: Period) -> list[list[PeriodPiece]]:
        """What was said on each day of a period."""
        first, last = period.first.isoformat(), period.last.isoformat()
        return [_bounded(self.days.gather(day)[1])[0] for day in self.days.names() if first <= day <= last]

    def sources(self, period: Period) -> GatheredPieces:
        """The same without pieces, as fast as the files can be read. Raises IoFailed."""
        if period.kind == DAILY:
            found, damaged = self.days.sources(period.name)
        else:
            damaged = []
            found = [Source(self._path(below), sha256(data)) for below, data in self._below(period, damaged)]
        return GatheredPieces(tuple(found), (), tuple(damaged))

    def _below(self, period: Period, damaged: list[str]) -> list[tuple[Period, bytes]]:
        """The files of the periods below that there are."""
        found = []
        for below in calendar.below(period):
            try:
                found.append((below, self.files.read(self.files.tree.period(below.kind, below.name))))
            except FileNotFoundError:
                continue
            except (FileDamaged, IoFailed) as error:
                damaged.append(error.message)
        return found

    def _path(self, period: Period) -> str:
        return self.files.tree.relative(self.files.tree.period(period.kind, period.name))


def _bounded(said: list[PeriodPiece]) -> tuple[list[PeriodPiece], int]:
    """(those there is room for in their order, how many are left out or cut), whose word weighs most first."""
    room, kept, whole = MOST_CHARS, dict[int, PeriodPiece](), 0
    for at in sorted(range(len(said)), key=lambda at: TRUST.index(said[at].trust))[:MOST_PIECES]:
        if room > 0:
            kept[at] = said[at]._replace(text=said[at].text[:room])
            whole += len(said[at].text) <= room
            room -= len(said[at].text)
    return [kept[at] for at in sorted(kept)], len(said) - whole
