"""DOMAIN. What need not be told because another line said it: one thing stands in several lines, in other words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date

from adjutant.domain.matters.cues import LABELS
from adjutant.domain.matters.picture import WEEK, Open
from adjutant.domain.matters.settle import SHARED, overlap
from adjutant.language.pack import cached, listed
from adjutant.language.words import is_idle
from adjutant.records.fingerprint import stems_of

SAME, BEGINNING = 0.6, 5  # of the shorter one's content words; letters by which a compound is known
APART = 3  # days between the dates that two lines give for one thing
ITEMS = frozenset(("row", "plan", "box", "label", "event"))  # of one list each is a thing of its own
_NAME = re.compile(r"[^\W\d_]{3,}")


class ToldLately:
    """What was told lately or is about to be, beside everything open."""

    def __init__(self, matters: Sequence[Open], told: Iterable[Open]) -> None:
        self._told = list(told)
        self._days: dict[tuple[str, str], set[date]] = defaultdict(set)
        self._sure = {(each.kb, name) for each in matters for name, sure in _names(each.what).items() if sure}
        for each in matters:
            for name in _names(each.what) if each.last is not None else ():
                self._days[each.kb, name].add(each.last or date.max)

    def add(self, each: Open) -> None:
        """One more that is to be told."""
        self._told.append(each)

    def holds(self, each: Open) -> bool:
        """Whether another line on the same thing is among them: this one says no more."""
        return any(other.id != each.id and self._is_same(each, other) for other in self._told)

    def _is_same(self, one: Open, two: Open) -> bool:
        """One line; else about the same days, and most content words; on one day, and two content words or all of
        one's, or a name that is of no other day, or one hour and a content word, or one odd minute."""
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
        mine, theirs = stems_of(one.what), stems_of(two.what)
        if mine and theirs and (mine <= theirs or theirs <= mine):
            return True
        shared = len(_beginnings(mine - _labels()) & _beginnings(theirs - _labels()))
        if shared >= SHARED or (one.time and two.time and (shared or not one.time.endswith(":00"))):
            return True  # many things are at noon, few at 06:50
        return any(self._is_of_one_day(one, name) for name in _names(one.what).keys() & _names(two.what).keys())

    def _is_of_one_day(self, each: Open, name: str) -> bool:
        """Whether a name, surely one, is of no other day within a week of this matter's."""
        days, last = self._days[each.kb, name], each.last or date.max
        return (each.kb, name) in self._sure and all(day == last or abs((day - last).days) > WEEK for day in days)


def _dial(time: str) -> tuple[int, str]:
    """An hour as a dial shows it: `4` and `16:00` may be the same."""
    hour, _, minute = time.partition(":")
    return int(hour) % 12, minute


def _are_items(one: Open, two: Open) -> bool:
    return one.rests[:1] == two.rests[:1] and not ITEMS.isdisjoint(one.rests[:1])


@cached(1)
def _labels() -> frozenset[str]:
    """The stems of the words that label any matter: "blocked" is no thing that two share."""
    return stems_of(" ".join(phrase for name in LABELS for phrase in listed("matters", f"labels.{name}")))


def _names(what: str) -> dict[str, bool]:
    """{capitalised word in small letters: whether it is a name: where no capital has to stand, or with one inside}."""
    found: dict[str, bool] = {}
    for word in _NAME.finditer(what):
        name, rest = word[0].lower(), word[0][1:]
        if word[0][0].isupper() and not is_idle(name):
            inside = rest not in (rest.lower(), rest.upper())
            found[name] = found.get(name, False) or inside or bool(what[: word.start()].strip())
    return found


def _beginnings(stems: Iterable[str]) -> frozenset[str]:
    """How content words begin, as those of compounds do."""
    return frozenset(stem[:BEGINNING] for stem in stems)
