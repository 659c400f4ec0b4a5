"""DOMAIN. The line of a document that answers a question, and whether another document's says the same again, newer.

Journals and conversations hold many matters in one document: what two of them have to say of one is in two lines.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from adjutant.domain.recall.question import WORD, root
from adjutant.language.pack import cached, listed
from adjutant.language.sentences import by_line
from adjutant.language.words import day_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LINES = 200  # of one document that are looked at
ALIKE, LEAST_ALIKE = 0.6, 2  # content words of the shorter that the longer shares, when both tell of one fact
NAMED_ALIKE = 0.7  # where a name has changed and no figure: a name may be there for many a reason
AS_MUCH = 0.5  # of what the older line holds of the question
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@cached(1)
def silent() -> frozenset[str]:
    """Function words and the names of months and days, in every language."""
    return listed("words", "stop") | day_names()


class SoughtRoot(NamedTuple):
    """The words of a question as their roots, with the weight of each."""

    root: str
    weight: float


class ScoredLine:
    """One line. `worth`: what the question's words in it weigh."""

    def __init__(self, text: str, worth: float, asked: Sequence[SoughtRoot]) -> None:
        self.worth, self._asked, self._words = worth, asked, WORD.findall(text)
        self.numbers = frozenset(_NUMBER.findall(text))

    @cached_property
    def figures(self) -> frozenset[str]:
        """Its numbers, months and weekdays."""
        return self.numbers.union(word.lower() for word in self._words if word.lower() in day_names())

    @cached_property
    def names(self) -> frozenset[str]:
        """The roots of words in capitals that do not begin it and are not asked for."""
        told = (word.lower() for word in self._words[1:] if word[0].isupper() and len(word) > 1)
        return frozenset(
            root(word) for word in told if word not in silent() and not any(each.root in word for each in self._asked)
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """The roots of the words that say what it is about."""
        told = (word.lower() for word in self._words if len(word) > 1 and not word[0].isdigit())
        return frozenset(root(word) for word in told if word not in silent())

    @property
    def first(self) -> str:
        """The root of the word that it begins with."""
        return root(self._words[0].lower()) if self._words else ""


def best_line(text: str, sought: Sequence[SoughtRoot]) -> ScoredLine:
    """The line or sentence with most of the question's words; of several the last one."""
    best, most = "", 0.0
    for line in islice(by_line(text), MOST_LINES):
        low = line.lower()
        worth = 0.0
        for each in sought:
            if each.root in low:
                worth += each.weight
        if worth >= most:
            best, most = line, worth
    return ScoredLine(best, most, sought)


def revises(newer: ScoredLine, older: ScoredLine) -> bool:
    """Whether the newer line may tell how it stands now with what the older one tells.

    It shares most of the other's words, holds as much of the question, and has other figures, other names, or another
    word to begin with; or it names the other's figure beside its own (`from 60 to 90`). What only mentions the matter
    revises nothing: a figure takes a figure.
    """
    figures = newer.figures - older.figures
    if older.figures and not figures:
        return bool(newer.figures) and _names_another(newer, older)
    mine, theirs = newer.stems, older.stems
    shared = len(mine & theirs)
    if shared < LEAST_ALIKE:
        return False
    if figures and newer.numbers & older.numbers:
        return True
    if newer.worth < AS_MUCH * older.worth:
        return False
    if older.figures:
        return _alike(newer, older, ALIKE)
    return _names_another(newer, older)


def _names_another(newer: ScoredLine, older: ScoredLine) -> bool:
    """Another name, or another word to begin with, in what is else the same."""
    mine, theirs = newer.stems, older.stems
    if mine - theirs == {newer.first} and theirs - mine == {older.first}:
        return len(mine & theirs) >= LEAST_ALIKE
    return (
        bool(older.names and newer.names - older.names)
        and newer.worth >= AS_MUCH * older.worth
        and _alike(newer, older, NAMED_ALIKE)
    )


def _alike(newer: ScoredLine, older: ScoredLine, least: float) -> bool:
    mine, theirs = newer.stems, older.stems
    shared = len(mine & theirs)
    bare = min(len(mine - (newer.names - older.names)), len(theirs - (older.names - newer.names)))
    return shared >= LEAST_ALIKE and shared >= least * bare
