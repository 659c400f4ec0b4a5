"""LANGUAGE. Words and figures of a text with their places, and which of them say what it is about."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from adjutant.language.pack import cached, entry, listed, packs

_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*[^\W_]*|[^\W_]+(?:['’][^\W\d_]+)*")
_MARKED = re.compile(  # where letters are followed by marks of their own, as file names of some systems write them
    r"\d+(?:[.,:/-]\d+)*[^\W_]*|(?:[^\W_][\u0300-\u036f]*)+(?:['’](?:[^\W\d_][\u0300-\u036f]*)+)*"
)
_MARKS = re.compile("[\u0300-\u036f]+")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "ß": "ss", "đ": "d", "ł": "l", "œ": "oe", "ð": "d", "þ": "th"})


class Token(NamedTuple):
    """A word or figure, lower case, and its place in the text; "don't" is two tokens in one place."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Words and figures in order; 12:30, 1,200.50 and 2026-11-24 stay whole, hyphens part words. Linear time."""
    plain = _plain(text)
    if plain is None:
        return [part for match in _MARKED.finditer(text) for part in _parts(match)]
    if not _is_simple(plain):
        return [part for match in _TOKEN.finditer(plain) for part in _parts(match)]
    new = tuple.__new__  # a call of Token takes twice as long
    return [new(Token, (match[0], match.start(), match.end())) for match in _TOKEN.finditer(plain)]


def words(text: str) -> list[str]:
    """The texts of the tokens."""
    plain = _plain(text)
    return _TOKEN.findall(plain) if plain is not None and _is_simple(plain) else [each.text for each in tokens(text)]


def fold(text: str) -> str:
    """Lower case without accents and umlauts, for comparing."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold()).casefold()  # ℠ is two capitals
    return unicodedata.normalize("NFC", _MARKS.sub("", parts)).translate(_LETTERS)


def content(text: str, code: str) -> list[str]:
    """The words that say what a text is about: no function word, nothing everyday, no day or month, no figure."""
    code = code if code in packs() else "en"
    idle = _idle_for(code)
    telling = (word for word in words(text) if word not in idle and not word[0].isdigit())
    return [word for word in telling if len(word) > 1 or not word.isascii()]


def is_idle(word: str, code: str = "") -> bool:
    """Whether any message may hold a lower-case word: a function word, a greeting, a month; "": in any language."""
    return word in _idle(code)


def forms(word: str) -> tuple[str, ...]:
    """Other forms of a word that no stemmer brings together, and its other names."""
    return all_forms().get(word, ())


@cached(1)
def all_forms() -> Mapping[str, tuple[str, ...]]:
    """{word: its other forms and names} of all languages."""
    found: dict[str, tuple[str, ...]] = {}
    for group in (line.split() for pack in packs().values() for line in entry(pack, "words", "forms")):
        for word in group:
            others = (*found.get(word, ()), *group)
            found[word] = tuple(dict.fromkeys(other for other in others if other != word))
    return found


@cached(4)
def day_names(least: int = 4) -> frozenset[str]:
    """The names of months and weekdays in every language, those of fewer letters left out: other words too."""
    return frozenset(name for name in listed("dates", "months") | listed("dates", "weekdays") if len(name) >= least)


@cached(64)
def _idle_for(code: str) -> frozenset[str]:
    """What is idle in one language, and its everyday words."""
    return _idle(code) | packs()[code].everyday


@cached(64)
def _idle(code: str) -> frozenset[str]:
    one = code or None
    said = listed("words", "stop", one) | listed("words", "everyday", one)
    return said | listed("dates", "months", one) | listed("dates", "weekdays", one)


def _plain(text: str) -> str | None:
    """The text in small letters, each in its place; None where a letter takes more than one."""
    plain = text.lower()
    if text.isascii():
        return plain
    return plain if len(plain) == len(text) and not _MARKS.search(text) else None


def _is_simple(plain: str) -> bool:
    """Whether nothing in it is contracted and every letter is written in one way."""
    return "'" not in plain and "’" not in plain and unicodedata.is_normalized("NFKC", plain)


def _parts(match: re.Match[str]) -> Iterator[Token]:
    """A word, its contraction taken apart: "don't" is "do" and "not"."""
    word = match[0] if match[0].isascii() else unicodedata.normalize("NFKC", match[0]).replace("’", "'")
    word = word.lower()
    for part in _spell_out(word).split() if "'" in word else (word,):
        yield Token(part, *match.span())


@cached(4096)
def _spell_out(word: str) -> str:
    for pack in packs().values():
        if whole := dict(entry(pack, "words", "contractions")).get(word):
            return str(whole)
    for pack in packs().values():
        for ending, said in dict(entry(pack, "words", "contracted")).items():
            if word.endswith(ending):
                return f"{word[: -len(ending)]} {said}"
    return word
