"""SCREENING. Orders in other letters: `i g n o r e`, mirrored, shifted by thirteen, or in a language without a list."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from adjutant.language.pack import cached, listed, packs
from adjutant.language.patterns import Parts, regex
from adjutant.screening.characters import letters_seen
from adjutant.screening.phrases import FILE

_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][\s.·•*|/\\~-]{1,3}){5,}[^\W\d_](?![^\W_])")
_BROKEN = re.compile(r"(?<=[^\W\d_])[.·•*|/\\~-](?=[^\W\d_])")
_LONGEST = 4000  # characters of a line in a foreign language that are looked at
_FEW = r"(?:\W+\w+){0,4}?\W+"  # words between two parts of a foreign order
_PLAIN = re.compile(r"\\.|[^\\]+")
_NOT_LETTERS = re.compile(r"[\W\d_]+")


def run_together(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers of `text` (prepared by `reading`) that give an order in letters set apart."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) < 11 or not (_APART.search(line) or len(_BROKEN.findall(line)) >= 3):
            continue
        if _is_order(line):
            yield number, "an order in letters set apart"


def turned_letters(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers of `text` (prepared by `reading`) that give an order mirrored or shifted by thirteen letters."""
    marks = [turned for word in listed(FILE, "turned") for turned in _turned(word)]
    if not any(mark in text for mark in marks):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if any(mark in line for mark in marks) and any(map(_is_order, _turned(line))):
            yield number, "an order in turned letters"


def _turned(text: str) -> tuple[str, str]:
    return text[::-1], codecs.encode(text, "rot13")


def _is_order(line: str) -> bool:
    return regex(FILE, "{run_together}").search(_NOT_LETTERS.sub("", line)) is not None


def from_abroad(text: str) -> Iterator[int]:
    """Line numbers of `text` (prepared by `reading`) that set the rules aside in a language without a list."""
    signs = [sign for word in listed(FILE, "abroad_signs") if (sign := letters_seen(word)) in text]
    for number, line in enumerate(text.split("\n"), 1) if signs else ():
        if any(map(line.__contains__, signs)) and _foreign().search(line[:_LONGEST]):
            yield number


@cached(1)
def _foreign() -> re.Pattern[str]:
    """Written in the letters that `reading` leaves."""
    every = [Parts(pack, FILE, {"few": _FEW}) for pack in packs().values()]
    order = "|".join(parts.fill("{abroad}") for parts in every if parts.get("abroad"))
    return re.compile(
        _PLAIN.sub(lambda part: part[0] if part[0][0] == "\\" else letters_seen(part[0]), order) or "(?!)"
    )
