"""DOMAIN. What a query text asks for, as terms that FTS5 can look up. No text is an error."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from adjutant.store.index_tables import UNSPACED, pairs
from adjutant.store.index_words import ASKS_FIGURE, ASKS_WHEN, DATE_WORDS, FORMS, MONTHS, STOP, TIMELY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_READ = 10_000  # characters of a text that are read
MOST_TERMS = 100
WORD = re.compile(r"[^\W_]+")
ISO_DAY = re.compile(r"\b(\d{4})-([01]\d)-([0-3]\d)\b")
# Tried where a word begins, and never given back: else a word of 10,000 letters takes seconds.
COMPOUND = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_./:@'’+][^\W_]++)+")
QUOTED = re.compile(r'["“”«»„]([^"“”«»„]{3,200})["“”«»„]')
CONTRACTED = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))
LEAST_ROOT = 3


class Term(NamedTuple):
    """`word` as people see it; `match`: an FTS5 expression, every part of it quoted.

    What holds a blank is a phrase. The index knows no positions: it finds all of its words, `look` sees them in a row.
    """

    word: str
    match: str


class Asked(NamedTuple):
    """A query text, read: its terms (at most MOST_TERMS), all its words, whether it asks for a time, for a figure."""

    terms: tuple[Term, ...]
    words: frozenset[str]
    timely: bool
    figure: bool


def asked(text: str) -> Asked:
    """Reads any text at all. Function words are left out unless nothing else is there."""
    text = text[:MOST_READ]
    days = [Term(found[0], _day(*found.groups())) for found in ISO_DAY.finditer(text)]
    text = ISO_DAY.sub(" ", text)
    words = list(dict.fromkeys(WORD.findall(text.lower())))
    silent = _function_words(words)
    terms = {day.word: day for day in days}
    telling = [word for word in words if word not in silent]
    for word in telling or ([] if days else words):
        for term in _terms(word):
            terms.setdefault(term.word, term)
    for phrase in _phrases(text, silent):
        terms.setdefault(phrase, Term(phrase, _all(phrase.split())))
    return Asked(
        tuple(terms.values())[:MOST_TERMS],
        frozenset(words),
        bool(ASKS_WHEN.match(text)),
        bool(ASKS_FIGURE.search(text)),
    )


def beginnings(read: Asked) -> tuple[Term, ...]:
    """The same words as beginnings of longer ones: for when none of them is found whole."""
    return tuple(
        Term(f"{term.word}…", f'"{term.word}" *')
        for term in read.terms
        if len(term.word) >= LEAST_ROOT and " " not in term.word
    )


def tells_time(text: str) -> bool:
    """Whether a message tells a time of its own, as one does that answers "when" and "how long"."""
    return not TIMELY.isdisjoint(text.lower().split())


@lru_cache(maxsize=4096)  # the same words in most of what is found
def root(word: str) -> str:
    """What the forms of a word begin with, roughly: enough to see in which field and how often a term stands."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "y", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_ROOT:
            return word[: -len(ending)]
    return word


def _function_words(words: list[str]) -> frozenset[str]:
    """Those of the language that has most of them here; English where it is as many."""
    return max(STOP.values(), key=lambda stop: sum(word in stop for word in words if word not in CONTRACTED))


def _day(year: str, month: str, day: str) -> str:
    """A day as it is written, and as `Document.names` spells it."""
    digits = _all((year, month, day))
    return f"{digits} OR {_all((str(int(day)), MONTHS[int(month) - 1], year))}" if 1 <= int(month) <= 12 else digits


def _all(words: Iterable[str]) -> str:
    return f"({' AND '.join(f'{chr(34)}{word}{chr(34)}' for word in words)})"


def _terms(word: str) -> list[Term]:
    runs = [] if word.isascii() else UNSPACED.findall(word)
    if runs:
        terms = [Term(gram, f'"{gram}"') for run in runs for gram in pairs(run)[: max(1, len(run) - 1)]]
        terms = [Term(term.word, f"{term.match} *") if len(term.word) == 1 else term for term in terms]
        return terms + [Term(part, f'"{part}"') for part in WORD.findall(UNSPACED.sub(" ", word))]
    forms = (word, *FORMS.get(word, ()))
    return [Term(word, " OR ".join(f'"{form}"' for form in forms))]


def _phrases(text: str, silent: frozenset[str]) -> list[str]:
    """What stands in quotes, and compounds such as notify-budget: sought as they are, besides their parts."""
    found = []
    for part in (*QUOTED.findall(text), *COMPOUND.findall(text)):
        words = WORD.findall(part.lower())
        if len(words) > 1 and not silent.issuperset(words) and not (len(words) == 2 and words[1] in CONTRACTED):
            found.append(" ".join(words))
    return list(dict.fromkeys(found))


class Called:
    """Tells whether a question's words name who speaks in a document; a day that it names is no person."""

    def __init__(self, words: frozenset[str]) -> None:
        self._words = {word for word in words if not word.isdigit()} - DATE_WORDS
        self._known = {"": False}

    def by(self, names: str) -> bool:
        """For the `names` of a document."""
        found = self._known.get(names)
        if found is None:
            found = self._known[names] = not self._words.isdisjoint(WORD.findall(names.lower()))
        return found
