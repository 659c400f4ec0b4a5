"""LANGUAGE. Words and figures of a text with their places, and which of them say what it is about."""

from __future__ import annotations

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
    plain = text if text.isascii() else _normal(text)
    if plain is None:
        return list(_strange(text))
    found = [Token(match[0], *match.span()) for match in _TOKEN.finditer(plain.lower())]
    return found if "'" not in plain and "’" not in plain else list(_parted(found))


def words(text: str) -> list[str]:
    """The texts of the tokens."""
    if "'" in text or not text.isascii():
        return [token.text for token in tokens(text)]
    return _TOKEN.findall(text.lower())


def fold(text: str) -> str:
    """Lower case without accents and umlauts, for comparing."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", parts)).translate(_LETTERS)


def content(text: str, code: str) -> list[str]:
    """The words that say what a text is about: no function word, nothing everyday, no day or month, no figure."""
    idle = _idle(code)
    return [
        word
        for word in words(text)
        if word not in idle and not word[0].isdigit() and (len(word) > 1 or not word.isascii())
    ]


def forms(word: str) -> tuple[str, ...]:
    """Other forms of a word that no stemmer brings together, and its other names."""
    return _forms().get(word, ())


@cached(1)
def _forms() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in listed("words", "forms"):
        group = line.split()
        found.update({word: tuple(other for other in group if other != word) for word in group})
    return found


@cached(64)
def _idle(code: str) -> frozenset[str]:
    pack = packs().get(code) or packs()["en"]
    return pack.stop | pack.everyday | listed("dates", "months", pack.code) | listed("dates", "weekdays", pack.code)


def _normal(text: str) -> str | None:
    """The text in a form in which every character keeps its place, None where there is none."""
    if unicodedata.is_normalized("NFKC", text) and len(text.lower()) == len(text) and not _MARKS.search(text):
        return text
    return None


def _strange(text: str) -> Iterator[Token]:
    for match in _MARKED.finditer(text):
        yield from _parted([Token(unicodedata.normalize("NFKC", match[0]).lower(), *match.span())])


@cached(1)
def _contracted() -> tuple[Mapping[str, str], Mapping[str, str]]:
    whole: dict[str, str] = {}
    endings: dict[str, str] = {}
    for pack in packs().values():
        whole.update(entry(pack, "words", "contractions"))
        endings.update(entry(pack, "words", "contracted"))
    return whole, dict(sorted(endings.items(), key=lambda item: -len(item[0])))


def _parted(found: list[Token]) -> Iterator[Token]:
    """The same with contractions taken apart."""
    whole, endings = _contracted()
    for token in found:
        if "'" not in token.text and "’" not in token.text and token.text not in whole:
            yield token
            continue
        word = token.text.replace("’", "'")
        said = whole.get(word)
        if said is None:
            ending = next((each for each in endings if word.endswith(each)), "")
            said = f"{word[: len(word) - len(ending)]} {endings.get(ending, '')}"
        for part in said.split():
            yield Token(part, token.start, token.end)
