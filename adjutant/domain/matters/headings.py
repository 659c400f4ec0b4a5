"""DOMAIN. What the headings above a line say of it."""

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from adjutant.documents import zones
from adjutant.documents.document import Block, ParsedFile
from adjutant.domain.matters.cues import Cues
from adjutant.language import dates
from adjutant.language.dates import Date, day_in_name
from adjutant.language.pack import listed
from adjutant.language.stems import stems
from adjutant.language.words import words

_DAY = re.compile(r"(\d{1,2})(?:\s*[:–-])?\s+(?=[^\W\d])")
_YEAR = re.compile(r"(?<!\d)20\d\d(?!\d|[–/-]\d)")
SHORTEST = 27  # days from the first to the last of a month
TAGS = ("tags", "tag", "category", "type")  # of a page: what it is about


class Place(NamedTuple):
    """What the headings above a line say of it: their stems and the file's, and the day to come that the last names.

    `calendar`: its lines are entries; `reference`: it explains things, so no plain sentence there is a matter; `state`:
    what its items wait for or are blocked by stands there.
    """

    around: frozenset[str]
    calendar: bool
    reference: bool
    day: Date | None
    state: str


class Headings:
    """The headings of one file. `first`: the first day to come that a text names."""

    def __init__(self, doc: ParsedFile, near: date, known: Cues, first: Callable[[str], Date | None]) -> None:
        self._doc, self._near, self._known, self._first = doc, near, known, first
        tags = " ".join(each.value for each in doc.meta if each.name.lower() in TAGS)
        self._around = stems(re.sub(r"[/_.-]+", " ", doc.path.rsplit(".", 1)[0]) + f" {tags}", doc.language)
        self._places: dict[tuple[str, ...], Place] = {}
        fields = (each.columns[0] for each in doc.blocks if each.kind == "field" and each.columns)
        states = (each.value for each in fields if each.name.lower() in zones.STATE_NAMES)
        self._decided = any(map(zones.is_decided, states))
        self._ahead: bool | None = None
        self._months: dict[tuple[str, ...], str] = {}
        self.entered = False  # the last block is a day of a month

    def place(self, path: tuple[str, ...]) -> Place:
        """What the headings of a path say; a diary's heading is over, and names no day to come."""
        if path not in self._places:
            known = [frozenset((part.lower(), *words(part))) for part in (*path, *re.split(r"[/._]", self._doc.path))]
            self._places[path] = Place(
                stems(" ".join(path), self._doc.language) | self._around,
                any(not listed("zones", "calendar").isdisjoint(words(head)) for head in path[-2:]),
                self._decided or any(not listed("zones", "reference").isdisjoint(each) for each in known),
                self._plan(path[-1]) if path else None,
                next(
                    (name for name in ("waiting", "blocked") if path and self._known.labels[name].whole(path[-1])), ""
                ),
            )
        return self._places[path]

    def in_month(self, block: Block) -> Block:
        """An item with its month behind its day, where its heading is a month and all beside it begin with days:
        "- 14: parents' evening"."""
        day = _DAY.match(block.text) if block.kind == "item" and block.path else None
        month = self._month(block.path) if day else ""
        self.entered = bool(month)
        return block._replace(text=f"{day[1]} {month}: {block.text[day.end() :]}") if day and month else block

    def _month(self, path: tuple[str, ...]) -> str:
        """The month that a heading is, with its year or the file's, over items in the order of their days; else ""."""
        if path not in self._months:
            found = dates.find(path[-1], self._near, code=self._doc.language)
            whole = len(found) == 1 and found[0].end - found[0].start == len(path[-1].strip())
            whole = whole and found[0].first.day == 1 and (found[0].last - found[0].first).days >= SHORTEST
            items = (
                [each.text for each in self._doc.blocks if each.path == path and each.kind == "item"] if whole else []
            )
            numbers = [int(day[1]) if (day := _DAY.match(each)) else 0 for each in items]
            counts = numbers == list(range(1, len(numbers) + 1))  # they are no days
            year = _YEAR.search(path[-1]) or _YEAR.search(" ".join((*path, self._doc.path)))
            month = path[-1] if not year or year[0] in path[-1] else f"{path[-1]} {year[0]}"
            ordered = numbers == sorted(numbers) and numbers[:1] > [0]
            self._months[path] = month if ordered and not counts and numbers[-1] <= found[0].last.day else ""
        return self._months[path]

    def _plan(self, heading: str) -> Date | None:
        """The day for which a heading plans. Today is one where a later heading follows, as in a plan of the week; else
        it is the day of a diary's entry."""
        day = self._first(heading)
        if day is None or day.last > self._near or (day.relative and self._doc.day is None):
            return day
        return day if day_in_name(self._doc.path) is None and self._plans_ahead() else None

    def _plans_ahead(self) -> bool:
        """Whether a heading names a day to come."""
        if self._ahead is None:
            heads = (block.text for block in self._doc.blocks if block.kind == "heading")
            days = (self._first(head) for head in heads)
            self._ahead = any(day is not None and day.first > self._near for day in days)
        return self._ahead
