"""LANGUAGE. Whether a text denies what it says."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjutant.language.pack import cached, listed
from adjutant.language.words import Token, tokens, words

REACH = 300  # characters of a clause on either side
_CLAUSE = re.compile(r"[.!?;:…]+(?=\s|\Z)|,(?=\s)|\s[-–—]\s|[()\n]")


class _Cues(NamedTuple):
    negators: frozenset[tuple[str, ...]]
    behind: frozenset[tuple[str, ...]]
    nothing: frozenset[tuple[str, ...]]
    turns: frozenset[str]
    longest: int


def is_negated(text: str, at: int | None = None, code: str = "") -> bool:
    """Whether what stands at `at` is denied within its clause; with None, whether the text denies anything.

    "": by the words of every language.
    """
    cues = _cues(code)
    if at is None:
        return bool(_denials(tokens(text), cues))
    begin, end = _clause(text, at)
    found = tokens(text[begin:end])
    here = next((number for number, token in enumerate(found) if token.end > at - begin), len(found))
    turns = [number for number, token in enumerate(found) if token.text in cues.turns]
    first = max((number for number in turns if number < here), default=-1)
    last = min((number for number in turns if number > here), default=len(found))
    denials = _denials(found, cues)
    return any(first < place < here or (behind and here < place < last) for place, behind in denials)


def _clause(text: str, at: int) -> tuple[int, int]:
    begin, end = max(0, at - REACH), min(len(text), at + REACH)
    for mark in _CLAUSE.finditer(text, begin, end):
        if mark.end() <= at:
            begin = mark.end()
        elif mark.start() >= at:
            return begin, mark.start()
    return begin, end


def _denials(found: list[Token], cues: _Cues) -> list[tuple[int, bool]]:
    """(place, whether it denies what stands before it too) of the negators that deny something."""
    said = [token.text for token in found]
    places: list[tuple[int, bool]] = []
    skip = 0
    for place in range(len(said)):
        phrases = [tuple(said[place : place + length]) for length in range(cues.longest, 0, -1)]
        if place < skip:
            continue
        idle = next((phrase for phrase in phrases if phrase in cues.nothing), ())
        skip = place + len(idle)
        if not idle and any(phrase in cues.negators for phrase in phrases):
            places.append((place, any(phrase in cues.behind for phrase in phrases)))
    return places


@cached(64)
def _cues(code: str) -> _Cues:
    one = code or None
    every = [_phrases(key, one) for key in ("negators", "denies_back", "denies_nothing")]
    longest = max((len(phrase) for phrases in every for phrase in phrases), default=1)
    return _Cues(every[0], every[1], every[2], listed("words", "turns", one), longest)


def _phrases(key: str, code: str | None) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words(phrase)) for phrase in listed("words", key, code))
