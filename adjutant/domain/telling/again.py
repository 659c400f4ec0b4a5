"""DOMAIN. What need not be told because another line said it: one thing stands in several lines, in other words.

Two lines are about one thing by the words they share, those of their headings and file names with them. A word counts
by how few of the folder's matters have it, a name twice. The nearer their days, the less they have to share.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from adjutant.domain.matters.cues import names_nothing
from adjutant.domain.matters.picture import Open
from adjutant.domain.matters.settle import are_numbered_apart
from adjutant.language.words import is_idle
from adjutant.records.insights import stems_of

APART, BEGINNING = 3, 5  # days between the dates of one thing; letters by which a compound is known
ONE_HOUR, LEAST = 0.5, 1.5  # what two lines of one hour or page share; what others do, in two words or a name
MOST = 0.6  # of the shorter one's words, where the days differ or one has none
ALONE = 2  # matters that have a word before it counts less
NAME, AROUND = 2.0, 0.5  # what a name counts, and a word that stands only over both lines
ITEMS = frozenset(("row", "plan", "box", "label", "event"))  # of one list each is a thing of its own
_WORD = re.compile(r"[^\W\d_]{2,}")


class ToldLately:
    """What was told lately or is about to be, beside everything open."""

    def __init__(self, matters: Sequence[Open], told: Iterable[Open]) -> None:
        self._told = list(told)
        every = {each.id: each for each in (*matters, *self._told)}.values()
        self._bases = {kb: _Words([each for each in every if each.kb == kb]) for kb in {each.kb for each in every}}

    def add(self, each: Open) -> None:
        """One more that is to be told."""
        self._told.append(each)

    def holds(self, each: Open) -> bool:
        """Whether another line on the same thing is among them: this one says no more."""
        words = self._bases.get(each.kb) or _Words([each])
        others = (other for other in self._told if other.id != each.id and other.kb == each.kb)
        return any(_is_same(each, other, words) for other in others)


class _Words:
    """How much each word of a knowledge base tells."""

    def __init__(self, matters: Sequence[Open]) -> None:
        self._held = Counter(word for each in matters for word in _beginnings(each.what) | _around(each))
        self._names = {word for each in matters for word in _names(each.what)}
        self._scale = log(max(len(matters), ALONE + 1) / ALONE)

    def weigh(self, words: Iterable[str]) -> float:
        """What words tell together, the rarer the more."""
        rare = ((word, max(0.0, 1.0 - log(max(self._held[word], ALONE) / ALONE) / self._scale)) for word in words)
        return sum(share * (NAME if word in self._names else 1.0) for word, share in rare)


def _is_same(one: Open, two: Open, words: _Words) -> bool:
    here, there = one.evidence[0], two.evidence[0]
    items = one.rests[:1] == two.rests[:1] and not ITEMS.isdisjoint(one.rests[:1])
    if here.path == there.path and (here.line == there.line or items):
        return here.line == there.line
    hours = {_dial(each.time) for each in (one, two) if each.time}
    apart = abs((one.last - two.last).days) if one.last and two.last else None
    if len(hours) > 1 or (apart or 0) > APART:
        return False
    mine, theirs = _beginnings(one.what), _beginnings(two.what)
    above, below = _around(one), _around(two)
    common = (mine & theirs | mine & below | above & theirs) - (above & below)
    own = words.weigh(common)
    shared = own + AROUND * words.weigh(above & below)
    if apart == 0 and one.time and two.time:
        return shared >= ONE_HOUR or not one.time.endswith(":00")  # many things are at noon, few at 06:50
    if are_numbered_apart(one.what, two.what):
        return False
    if apart == 0 and mine and theirs and (mine <= theirs or theirs <= mine):
        return True
    page = (here.path, one.heads) == (there.path, two.heads)  # a page of few matters is about one
    if shared < LEAST or (len(common) < 2 and not (page and own >= ONE_HOUR) and (apart != 0 or own < LEAST)):
        return False
    return apart == 0 or shared >= MOST * min(words.weigh(mine), words.weigh(theirs))


def _dial(time: str) -> tuple[int, str]:
    """An hour as a dial shows it: `4` and `16:00` may be the same."""
    hour, _, minute = time.partition(":")
    return int(hour) % 12, minute


def _around(each: Open) -> frozenset[str]:
    return _beginnings(f"{' '.join(each.heads)} {each.evidence[0].path.rpartition('.')[0]}")


def _beginnings(text: str) -> frozenset[str]:
    """How words begin, as those of compounds do; without those that say only how pressing something is."""
    said = " ".join(word for word in _WORD.findall(text) if not names_nothing(word))
    return frozenset(stem[:BEGINNING] for stem in stems_of(said))


def _names(what: str) -> frozenset[str]:
    """The words that are names: capitalised where no capital has to stand, or with one inside."""
    found = (word for word in _WORD.finditer(what) if word[0][0].isupper() and not is_idle(word[0].lower()))
    inside = (word for word in found if what[: word.start()].strip() or not word[0][1:].islower())
    return frozenset(part for word in inside for part in _beginnings(word[0]))
