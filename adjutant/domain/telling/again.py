"""DOMAIN. What need not be told because another line said it: one thing stands in several lines, in other words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date

from adjutant.domain.matters.picture import WEEK, Open
from adjutant.domain.matters.settle import overlap
from adjutant.records.fingerprint import stems_of

SAME, BEGINNING = 0.6, 5  # of the shorter one's content words; letters by which a compound is known
APART = 3  # days between the dates that two lines give for one thing
ITEMS = frozenset(("row", "plan", "box", "event"))  # of one list each is a thing of its own


class ToldLately:
    """What was told lately or is about to be, beside everything open."""

    def __init__(self, matters: Sequence[Open], told: Iterable[Open]) -> None:
        self._told = list(told)
        self._days: dict[tuple[str, str], set[date]] = defaultdict(set)
        for each in matters:
            for stem in _beginnings(each) if each.last is not None else ():
                self._days[each.kb, stem].add(each.last or date.max)

    def add(self, each: Open) -> None:
        """One more that is to be told."""
        self._told.append(each)

    def holds(self, each: Open) -> bool:
        """Whether another line on the same thing is among them: this one says no more."""
        return any(other.id != each.id and self._is_same(each, other) for other in self._told)

    def _is_same(self, one: Open, two: Open) -> bool:
        """One line; else about the same days, and most content words, or on one day something that is of no other."""
        if one.kb != two.kb:
            return False
        here, there = one.evidence[0], two.evidence[0]
        if here.path == there.path and (here.line == there.line or _are_items(one, two)):
            return here.line == there.line
        if one.last is None or two.last is None:
            return one.last is two.last and overlap(one.what, two.what) >= SAME
        hours = {_dial(each.time) for each in (one, two) if each.time}
        if abs((one.last - two.last).days) > APART or len(hours) > 1:
            return False
        if overlap(one.what, two.what) >= SAME:
            return True
        if one.last != two.last:
            return False
        mine, theirs = _beginnings(one), _beginnings(two)
        shared = mine & theirs
        if one.time and two.time and (shared or not one.time.endswith(":00")):
            return True  # many things are at noon, few at 06:50
        return bool(shared) and (shared in (mine, theirs) or any(self._is_of_one_day(one, stem) for stem in shared))

    def _is_of_one_day(self, each: Open, stem: str) -> bool:
        """Whether a word is of no other day within a week of this matter's."""
        last = each.last or date.max
        return all(day == last or abs((day - last).days) > WEEK for day in self._days[each.kb, stem])


def _dial(time: str) -> tuple[int, str]:
    """An hour as a dial shows it: `4` and `16:00` may be the same."""
    hour, _, minute = time.partition(":")
    return int(hour) % 12, minute


def _are_items(one: Open, two: Open) -> bool:
    return one.rests[:1] == two.rests[:1] and not ITEMS.isdisjoint(one.rests[:1])


def _beginnings(each: Open) -> frozenset[str]:
    """How the content words of a matter begin, as those of compounds do."""
    return frozenset(stem[:BEGINNING] for stem in stems_of(each.what))
