"""LANGUAGE. Which stems two texts have in common, of the words that say what they are about; figures as they stand.

Each turn that was answered comes by here, so it loads little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from adjutant.language import detect
from adjutant.language.stems import stem
from adjutant.language.words import fold, is_idle

_BEGINNING = 3  # letters that no stemmer changes, once folded
_WORD = re.compile(r"[^\W_]+")
_FIGURE = re.compile(r"\d+(?:[.,:-]\d+)*")


def words(text: str) -> list[str]:
    """The words of a text, lower case."""
    return _WORD.findall(text.replace("’", "'").lower())


def language_of(text: str) -> str:
    """The language of a text, "" where it does not tell."""
    return detect.language_of(text, "")


@lru_cache(maxsize=256)
def stems_in(text: str, language: str) -> frozenset[str]:
    """The stems of a text's telling words, read in a language (en, nb, de, "")."""
    return frozenset(_stems(text, language))


def shared(text: str, others: Sequence[str]) -> list[frozenset[str]]:
    """For each of the others, the stems it has in common with `text`; all are read in the language of `text`.

    Only words that begin like one of the text's are stemmed: layers are long, and answers short.
    """
    language = language_of(text)
    own = stems_in(text, language)
    begins = frozenset(found[:_BEGINNING] for found in own)
    return [own.intersection(_stems(other, language, begins)) for other in others]


def rare(text: str, others: Sequence[str], most: int = 2) -> list[frozenset[str]]:
    """As `shared`, only those stems that stand in at most `most` of the others."""
    found = shared(text, others)
    counts = Counter(stem for stems in found for stem in stems)
    return [frozenset(stem for stem in stems if counts[stem] <= most) for stems in found]


def read_as(text: str, other: str) -> frozenset[str]:
    """The stems of `text`, read in the language of `other`."""
    return stems_in(text, language_of(other))


def _stems(text: str, language: str, begins: frozenset[str] | None = None) -> Iterable[str]:
    yield from (found for found in _FIGURE.findall(text) if len(found) > 1)
    for word in dict.fromkeys(words(text)):
        if len(word) < _BEGINNING or is_idle(word) or word[0].isdigit():
            continue
        folded = fold(word)
        if begins is None or folded[:_BEGINNING] in begins:
            yield stem(word, language)
