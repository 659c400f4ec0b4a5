"""DOMAIN. What need not be told because another line said it: one thing stands in several files, in other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from adjutant.domain.matters.picture import WEEK, Open
from adjutant.domain.matters.settle import overlap
from adjutant.language.words import is_idle
from adjutant.records.fingerprint import stems_of

SAME, BEGINNING = 0.6, 5  # of the shorter one's content words; letters by which a compound is known
_NAME = re.compile(r"[^\W\d_]{3,}")


class ToldLately:
    """What was told lately or is about to be, beside everything open."""

    def __init__(self, matters: Sequence[Open], told: Iterable[Open]) -> None:
        self._told = list(told)
        self._days: dict[tuple[str, str], set[date]] = {}
        self._sure = {(each.kb, name) for each in matters for name, sure in _names(each.what).items() if sure}
        for each in matters:
            for name in _names(each.what) if each.last is not None else ():
                self._days.setdefault((each.kb, name), set()).add(each.last or date.max)

    def add(self, each: Open) -> None:
        """One more that is to be told."""
        self._told.append(each)

    def holds(self, each: Open) -> bool:
        """Whether another line on the same thing and day is among them: this one says no more."""
        return any(other.id != each.id and self._is_same(each, other) for other in self._told)

    def _is_same(self, one: Open, two: Open) -> bool:
        """About one day, and most content words; on it, and all of one's; or one hour and a content word, or one odd
        minute; or a name that is of no other day of that week."""
        if not one.is_like(two) or (one.time and two.time and one.time != two.time):
            return False
        if overlap(one.what, two.what) >= SAME:
            return True
        if one.last != two.last:
            return False
        if any(self._is_of_one_day(one, name) for name in _names(one.what).keys() & _names(two.what).keys()):
            return True
        if one.evidence[0].path == two.evidence[0].path:
            return False
        mine, theirs = stems_of(one.what), stems_of(two.what)
        if mine and theirs and (mine <= theirs or theirs <= mine):
            return True
        if one.time and one.time == two.time:
            odd = not one.time.endswith(":00")  # many things are at noon, few at 06:50
            return odd or _share_a_stem(one.what, two.what)
        return False

    def _is_of_one_day(self, each: Open, name: str) -> bool:
        """Whether a name, surely one, is of no other day within a week of this matter's."""
        days, last = self._days.get((each.kb, name), set()), each.last or date.max
        return (each.kb, name) in self._sure and all(day == last or abs((day - last).days) > WEEK for day in days)


def _names(what: str) -> dict[str, bool]:
    """{capitalised word in small letters: whether it is a name: where no capital has to stand, or with one inside}."""
    found: dict[str, bool] = {}
    for word in _NAME.finditer(what):
        name, rest = word[0].lower(), word[0][1:]
        if word[0][0].isupper() and not is_idle(name):
            inside = rest not in (rest.lower(), rest.upper())
            found[name] = found.get(name, False) or inside or bool(what[: word.start()].strip())
    return found


def _share_a_stem(one: str, two: str) -> bool:
    """Whether two lines have a content word in common, or one that begins alike, as compounds do."""
    mine, theirs = ({stem[:BEGINNING] for stem in stems_of(what)} for what in (one, two))
    return not mine.isdisjoint(theirs)
