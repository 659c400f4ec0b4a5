"""DOMAIN. Whether a passage is about a message: how much of what the message tells it holds, rare words before common.

The evidence of a passage is the sum of the rarities of the words that it shares with the message: 1 for a word that
stands in one document alone, towards 0 for one that stands in most. It is held against the number of telling words in
the message, so that one shared word of five is chance, and one of one is an answer. Nothing is read off a score, whose
size depends on the number of documents, their length and their kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from adjutant.language.detect import language_of
from adjutant.language.words import is_idle
from adjutant.store.index_query import asked, root
from adjutant.store.index_words import FORMS, UNSPACED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.ports import Document

FLOOR = 0.25  # of the telling words: one rare word in three or four, or two of eight
MOST_WORDS = 8  # in a longer message nobody expects an answer to every word
BEGINNING = 0.4  # of a word that only begins like one in the passage
BESIDE = 0.4  # of the best passage's evidence: what holds less than this stays out beside it


class Sought(NamedTuple):
    """What a message tells: its telling words, one of those that are forms of one word."""

    words: tuple[str, ...]

    @property
    def needed(self) -> float:
        """The evidence below which a passage is not about the message."""
        return FLOOR * min(len(self.words), MOST_WORDS)


def sought(message: str) -> Sought:
    """The telling words of a message; none for a greeting, thanks, or a question that names nothing."""
    read, code = asked(message), language_of(message)
    telling = [
        term.word
        for term in read.terms
        if " " not in term.word and not is_idle(term.word, code) and (len(term.word) > 1 or not term.word.isascii())
    ]
    return Sought(tuple({root(word): word for word in reversed(telling)}.values()))


def evident(wanted: Sought, why: Mapping[str, object], *, around: bool = False) -> dict[str, float]:
    """{telling word: how rare it is} of what a hit says that it holds; an index that tells no rarity tells 1.

    `around`: what stands around it is its own, as the body of a skill is.
    """
    terms, rarity = _listed(why.get("terms")), _listed(why.get("rarity"))
    if around:
        terms, rarity = terms + _listed(why.get("near")), rarity + _listed(why.get("near_rarity"))
    words = {root(word): word for word in wanted.words}
    found: dict[str, float] = {}
    for number, term in enumerate(terms):
        whole = str(term).removesuffix("…")
        word = words.get(root(whole))
        if word is not None:
            told = rarity[number] if number < len(rarity) else 1.0
            rare = float(told) if isinstance(told, int | float) else 1.0
            found[word] = max(found.get(word, 0.0), rare if term == whole else BEGINNING * rare)
    return found


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any form of these words, each in a group of its own, in their order."""
    return re.compile("|".join(f"({_forms(word)})" for word in words) or "(?!)", re.IGNORECASE)


def held(document: Document, passage: str, rare: Mapping[str, float]) -> float:
    """The evidence of a passage with its title, names and tags."""
    if not rare:
        return 0.0
    text = "\n".join((document.title, document.names, *document.tags, passage))
    words = list(rare)
    inside = {words[match.lastindex - 1] for match in pattern(words).finditer(text) if match.lastindex}
    return sum(rare[word] for word in inside)


def _forms(word: str) -> str:
    """What the forms of a word begin with."""
    if UNSPACED.search(word):
        return re.escape(word)
    roots = "|".join(sorted({re.escape(root(form)) for form in (word, *FORMS.get(word, ()))}, key=len, reverse=True))
    return rf"(?<![^\W_])(?:{roots})"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
