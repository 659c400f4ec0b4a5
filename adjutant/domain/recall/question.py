"""DOMAIN. What a query text asks for, as terms that FTS5 can look up. No text is an error."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from adjutant.language import synonyms
from adjutant.language.detect import language_of
from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.phrases import matcher
from adjutant.language.stems import stem
from adjutant.language.words import day_names, fold, forms
from adjutant.store.index_tables import UNSPACED, pairs

MOST_READ = 10_000  # characters of a text that are read
MOST_TERMS = 100
ASKING = 400  # characters in which a question says what it asks for
WORD = re.compile(r"[^\W_]+")
ISO_DAY = re.compile(r"\b(\d{4})-([01]\d)-([0-3]\d)\b")
# Tried where a word begins, and never given back: else a word of 10,000 letters takes seconds.
COMPOUND = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_./:@'’+][^\W_]++)+")
QUOTED = re.compile(r'["“”«»„]([^"“”«»„]{3,200})["“”«»„]')
CONTRACTED = frozenset(("s", "t", "d", "m", "re", "ve", "ll"))
LEAST_ROOT, LEAST_STEM = 3, 4


class Term(NamedTuple):
    """`word` as people see it; `match`: an FTS5 expression, every part of it quoted. What holds a blank is a phrase.
    The index knows no positions: it finds all of its words, `look` sees them in a row."""

    word: str
    match: str


class ParsedQuestion(NamedTuple):
    """A query text, read: its terms (at most MOST_TERMS), all its words, the language it is in. `timely`: it asks when
    something was; `figure`: for a figure or a day."""

    terms: tuple[Term, ...]
    words: frozenset[str]
    code: str
    timely: bool
    figure: bool


def read_question(text: str, *, wider: bool = False) -> ParsedQuestion:
    """Reads any text; function words where nothing else is there. `wider`: words of the same meaning, too."""
    text = text[:MOST_READ]
    days = [Term(found[0], _day(*found.groups())) for found in ISO_DAY.finditer(text)]
    text = ISO_DAY.sub(" ", text)
    words = list(dict.fromkeys(WORD.findall(text.lower())))
    code = language_of(text)
    silent = packs()[code].stop
    terms = {day.word: day for day in days}
    telling = [word for word in words if word not in silent]
    for word in telling or ([] if days else words):
        for term in _terms(word, code):
            others = synonyms.find(term.word, code) if wider else ()
            matches = (each.match for other in others for each in _terms(other, code))
            terms.setdefault(term.word, Term(term.word, " OR ".join((term.match, *matches))))
    for phrase in _phrases(text, silent):
        terms.setdefault(phrase, Term(phrase, _all(phrase.split())))
    when, figure = (matcher("questions", name).first(text[:ASKING]) for name in ("when", "figure"))
    timely = when is not None and not text[: when.start].strip()
    return ParsedQuestion(tuple(terms.values())[:MOST_TERMS], frozenset(words), code, timely, figure is not None)


def beginnings(read: ParsedQuestion) -> tuple[Term, ...]:
    """The same words as beginnings of longer ones: for when none of them is found whole."""
    words = (term.word for term in read.terms if len(term.word) >= LEAST_ROOT and " " not in term.word)
    return tuple(Term(f"{word}…", f'"{word}" *') for word in words)


def tells_time(text: str) -> bool:
    """Whether a message tells a time of its own, as one does that answers "when" and "how long"."""
    words = WORD.findall(text.lower())
    return not (listed("questions", "timely").isdisjoint(words) and day_names().isdisjoint(words))


@cached(1)
def calendar() -> Mapping[str, tuple[str, ...]]:
    """{name of a month or weekday in any language, or a short one: the English name}."""
    months = {str(number): f"{date(2024, number, 1):%B}".lower() for number in range(1, 13)}
    days = {str(number): f"{date(2024, 1, 1 + number):%A}".lower() for number in range(7)}  # the first was a Monday
    found = dict[str, tuple[str, ...]]()
    for (key, names), pack in product((("months", months), ("weekdays", days)), packs().values()):
        found |= {word: (names[number],) for word, number in dict(entry(pack, "dates", key)).items() if word.isalpha()}
    return {word: names for word, names in found.items() if names != (word,)}


@lru_cache(maxsize=4096)  # the same words in most of what is found
def root(word: str) -> str:
    """What the forms of a word begin with, roughly: enough to see in which field and how often a term stands."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "y", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_ROOT:
            return word[: -len(ending)]
    return word


def _day(year: str, month: str, day: str) -> str:
    digits = _all((year, month, day))
    if not 1 <= int(month) <= 12:
        return digits
    english = f"{date(2024, int(month), 1):%B}".lower()
    names = (english, *(name for name, other in calendar().items() if other == (english,)))
    return " OR ".join((digits, *(_all((str(int(day)), name, year)) for name in names)))


def _all(words: Iterable[str]) -> str:
    return f"({' AND '.join(f'{chr(34)}{word}{chr(34)}' for word in words)})"


def _terms(word: str, code: str) -> list[Term]:
    runs = [] if word.isascii() else UNSPACED.findall(word)
    if runs:
        terms = [Term(gram, f'"{gram}"') for run in runs for gram in pairs(run)[: max(1, len(run) - 1)]]
        terms = [Term(term.word, f"{term.match} *") if len(term.word) == 1 else term for term in terms]
        return terms + [Term(part, f'"{part}"') for part in WORD.findall(UNSPACED.sub(" ", word))]
    match = " OR ".join(f'"{form}"' for form in (word, *forms(word), *calendar().get(word, ())))
    part = _beginning(word, code)
    begun = f'"{part}" *' if len(part) >= LEAST_STEM else f'"{part}"'
    return [Term(word, f"{match} OR {begun}" if part else match)]


def _beginning(word: str, code: str) -> str:
    """What all forms of a word begin with that the index's English stemmer does not bring together, "" for none."""
    if code == "en" or word in calendar():
        return ""
    stemmed = stem(word, code)
    part = word[: len(stemmed)]
    return part if len(part) >= LEAST_ROOT and part != word and fold(part) == stemmed else ""


def _phrases(text: str, silent: frozenset[str]) -> list[str]:
    """What stands in quotes, and compounds such as notify-budget: sought as they are, besides their parts."""
    parts = (WORD.findall(part.lower()) for part in (*QUOTED.findall(text), *COMPOUND.findall(text)))
    several = (words for words in parts if len(words) > 1 and not silent.issuperset(words))
    return list(dict.fromkeys(" ".join(words) for words in several if len(words) > 2 or words[1] not in CONTRACTED))


def seek_speakers(words: frozenset[str]) -> Callable[[str], bool]:
    """Tells of a document's `names` whether a question's words name who speaks there; its day is no person."""
    sought = {word for word in words if not word.isdigit()} - day_names(0)
    return lru_cache(maxsize=None)(lambda names: not sought.isdisjoint(WORD.findall(names.lower())))
