"""LANGUAGE. When two texts say the same: word for word, but for inflection, articles and which clause comes first.

A wrong "same" loses what a person said; a wrong "other" costs one more note. So whatever could make a difference does:
numbers, names, negation, tense, direction, symbols, and the order of words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from adjutant.store import snowball

_STEMMERS = {"en": "english", "nb": "norwegian", "de": "german"}
# Words that tell a language, and among them those that change nothing where they come and go.
_TELLING = {
    "en": "the a an is are and of to in on for with we our that this not be by at as it always never every when must",
    "nb": "og er en et ei ikke på det som til av med har vi vår våre at den de for fra alltid aldri når skal må hver",
    "de": "der die das den dem des und ist sind nicht kein mit für auf von zu ein eine einen einem einer wir unser "
    "unsere dass in im am immer nie wenn muss jeder jede",
}
_IDLE = {
    "en": "the a an is are be we our that please also just",
    "nb": "er en et ei den det de vi vår vårt våre at",
    "de": "der die das den dem des ist sind ein eine einen einem einer wir unser unsere unseren unserem dass bitte",
}
_SPOKEN = {language: frozenset(words.split()) for language, words in _TELLING.items()}
_DROPPED = {language: frozenset(words.split()) for language, words in _IDLE.items()}
_CONTRACTIONS = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "never": "not",
    "i'm": "i am",
    "aldri": "ikke",
    "nie": "nicht",
    "niemals": "nicht",
}
_DAY_NAMES = """
monday tuesday wednesday thursday friday saturday sunday weekend
mandag tirsdag onsdag torsdag fredag lørdag søndag montag dienstag mittwoch donnerstag freitag samstag sonntag
"""
_BEFORE_NOUNS = "a an the this that these those my your his her its our their every each no"
_ENDING_IN_ING = """
building meeting training setting string warning reading opening ring king spring wing thing morning evening
nothing something anything everything
"""
_DAYS, _DETERMINERS = frozenset(_DAY_NAMES.split()), frozenset(_BEFORE_NOUNS.split())
_NOUNS = frozenset(_ENDING_IN_ING.split())
_SPOKEN_SHORT = {"'ll": "will", "'ve": "have", "'m": "am"}
_MADE = frozenset(" ".join((*_CONTRACTIONS.values(), *_SPOKEN_SHORT.values())).split())
_ACRONYMS = frozenset(("us", "it", "who"))  # another word in capitals than in small letters
_WRAPPING = "*_`\"'“”„‘’«»()[]{}"
_ENDS = ",;:.!?…"
_DASHES = frozenset("-–—·•")
_PLAIN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_UMLAUTS = re.compile("[äöüßæøå]")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[ \][ \t]+)?|^[ \t]*#{1,6}[ \t]+|^[ \t]*>[ \t]?")
_CHECKED = re.compile(r"\[[xX]\]")
_FOLDED = str.maketrans("äöüåø", "aouao")


class Word(NamedTuple):
    """A word as compared: lower case, and how it was written; `noun` where an article stands before it."""

    text: str
    written: str
    noun: bool


class Meaning(NamedTuple):
    """The words that count, in order; the places where a clause begins; the language, "" when none is told."""

    words: tuple[Word, ...]
    clauses: tuple[int, ...]
    language: str


def same(one: str, two: str) -> bool:
    """Whether the two say the same."""
    first, second = meaning(one), meaning(two)
    if len(first.words) != len(second.words) or not first.words:
        return False
    language = first.language or second.language
    return any(
        all(_same_word(a, b, language) for a, b in zip(ours, theirs, strict=True))
        for ours in _orders(first)
        for theirs in _orders(second)
    )


def marks(text: str) -> tuple[str, ...]:
    """What a text that says the same holds somewhere once it is folded: a filter before any closer look."""
    words = [word.text for word in meaning(text).words]
    found = {_fold(word)[:3] for word in words if len(word) > 3 and word.isalpha() and word not in _MADE}
    numbers = {word for word in words if word.isascii() and word.isdigit()}
    return (*sorted(numbers, key=len, reverse=True), *sorted(found))  # what most texts lack comes first


def content(text: str) -> tuple[Word, ...]:
    """The words of a text that say what it is about."""
    small = frozenset().union(*_SPOKEN.values(), *_DROPPED.values())
    return tuple(word for word in meaning(text).words if word.text not in small and any(map(str.isalnum, word.text)))


def holds(text: str, words: tuple[Word, ...]) -> bool:
    """Whether each of these words stands in a text, in whatever form and case."""
    found = meaning(text)
    return all(any(_same_word(_small(word), _small(other), found.language) for other in found.words) for word in words)


def _small(word: Word) -> Word:
    return Word(word.text.lower(), word.text.lower(), False)


def fold(text: str) -> str:
    """A text as `marks` are looked for in it."""
    return _fold(text.lower()) if text.isascii() else _fold(unicodedata.normalize("NFKC", text).lower())


@lru_cache(maxsize=2048)
def meaning(text: str) -> Meaning:
    """The words of a text that make what it says."""
    chunks = list(_chunks(unicodedata.normalize("NFKC", text).replace("’", "'")))
    language = _language([chunk.lower() for chunk, _ in chunks])
    dropped = _DROPPED.get(language, frozenset())
    words: list[Word] = []
    clauses: list[int] = []
    before = ""
    for chunk, ends in chunks:
        for part in _parts(chunk):
            lower = part.lower() if _PLAIN.fullmatch(part) else part
            if lower == "not" and words and words[-1].text in ("do", "does"):
                words.pop()
            if lower not in dropped or (len(part) == 2 and part.isupper()):
                words.append(Word(lower, part, before in _DETERMINERS))
            before = lower
        if ends and words and (not clauses or clauses[-1] != len(words)):
            clauses.append(len(words))
    return Meaning(tuple(words), tuple(at for at in clauses if at < len(words)), language)


def _chunks(text: str) -> Iterator[tuple[str, bool]]:
    """(what stands between blanks, without quotes and stops; whether a clause ends there)."""
    for line in _ITEM.sub("", text).split("\n"):
        for raw in line.split():
            if raw in _DASHES:
                yield "", True
            elif _CHECKED.fullmatch(raw):
                yield raw.lower(), False
            else:
                core = raw.lstrip(_WRAPPING).rstrip(_WRAPPING + _ENDS)
                asks = raw.rstrip(_WRAPPING + "!.").endswith("?")
                yield core, not asks and raw.rstrip(_WRAPPING)[-1:] in tuple(_ENDS)
                if asks:
                    yield "?", True
        yield "", True


def _parts(chunk: str) -> Iterator[str]:
    """The words of a chunk; what is no plain word (a number, a flag, a path) stays whole and as it is written."""
    lower = chunk.lower()
    if not chunk:
        return
    if not _PLAIN.fullmatch(chunk):
        yield chunk
    elif lower in _CONTRACTIONS:
        yield from _CONTRACTIONS[lower].split()
    elif lower.endswith("n't"):
        yield from (chunk[:-3], "not")
    else:
        for part in chunk.split("-"):
            head, apostrophe, tail = part.partition("'")
            yield head
            if (apostrophe + tail).lower() in _SPOKEN_SHORT:
                yield _SPOKEN_SHORT[(apostrophe + tail).lower()]
            elif tail.lower() not in ("s", "re", ""):
                yield tail


def _orders(found: Meaning) -> Iterator[tuple[Word, ...]]:
    """The words as they stand; where there are two clauses, the other one first as well."""
    yield found.words
    if len(found.clauses) == 1:
        cut = found.clauses[0]
        yield found.words[cut:] + found.words[:cut]


def _same_word(one: Word, two: Word, language: str) -> bool:
    if one.text == two.text:
        return one.text not in _ACRONYMS or one.written.isupper() == two.written.isupper()
    if not (one.text.isalpha() and two.text.isalpha()):
        return False
    if one.written[0].isupper() and two.written[0].isupper() and not (_is_day(one.text) and _is_day(two.text)):
        return False  # two names: Hans is not Han
    short, long = sorted((one, two), key=lambda word: len(word.text))
    if language in ("", "en"):
        return _english(short, long)
    marked = _UMLAUTS.findall(short.text) == _UMLAUTS.findall(long.text)  # schon is not schön
    return marked and len(short.text) > 2 and _stem(short.text, language) == _stem(long.text, language)


def _is_day(word: str) -> bool:
    return word in _DAYS or word.removesuffix("s") in _DAYS


def _english(short: Word, long: Word) -> bool:
    """Plurals and third persons; the -ing form, but not of a noun (`the building` is no form of `build`)."""
    a, b = short.text, long.text
    if len(a) < 3:
        return False
    if _stem(a, "en") != _stem(b, "en"):
        return False  # news are not new
    if b in (f"{a}s", f"{a}es") or (a.endswith("y") and b == f"{a[:-1]}ies"):
        return True
    noun = long.noun or short.noun or b in _NOUNS
    return not noun and b.endswith("ing") and b[:-3] in (a, a.removesuffix("e"), a + a[-1])


def _language(words: list[str]) -> str:
    """The language whose telling words stand here most, "" where none stands."""
    counts = {name: sum(word in spoken for word in words) for name, spoken in _SPOKEN.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] and list(counts.values()).count(counts[best]) == 1 else ""


@lru_cache(maxsize=4096)
def _stem(word: str, language: str) -> str:
    stemmer: Any = _stemmer(language)
    return str(stemmer.stemWord(word))


@lru_cache(maxsize=4)
def _stemmer(language: str) -> Any:
    return snowball.stemmer(_STEMMERS[language])


def _fold(text: str) -> str:
    return text if text.isascii() else text.translate(_FOLDED)
