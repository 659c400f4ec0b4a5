"""DOMAIN. What the operator asks outright of all answers to come: a line nearly a directive, or a plain phrase.

The phrases are few (language/data/*/wishes.yaml) and take a whole sentence. Praise, complaints and hints are a model's
to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from adjutant.domain.behavior import grammar, own_words
from adjutant.language.phrases import Match, matcher
from adjutant.language.sentences import by_line
from adjutant.records.contract import collapse, problem

FILE, KEY = "wishes", "wishes"
THING, WAY = "thing", "way"
_ENDS = " \t.!,;:"


class Wish(NamedTuple):
    """A directive's `type` and `text`; `quote`: the sentence that asks for it, as it stands."""

    type: str
    text: str
    quote: str


def find(message: str) -> list[Wish]:
    """The wishes of a message, in the operator's own words, each once."""
    found: dict[tuple[str, str], Wish] = {}
    for wish in (*_near_misses(message), *_find_spoken(own_words.read_outright(message))):
        found.setdefault((wish.type, wish.text.casefold()), wish)
    return list(found.values())


def read(sentence: str) -> Wish | None:
    """The wish that a sentence is; None for none."""
    match = matcher(FILE, KEY).whole(sentence)
    if match is None:
        return None
    text = collapse(_text(sentence, match)).strip(_ENDS)
    return None if problem(text) else Wish(match.name, text, sentence)


def _text(sentence: str, match: Match) -> str:
    if THING in match.slots:
        return match.slots[THING]
    if WAY not in match.slots:
        return sentence
    before = sentence[: sentence.rfind(match.slots[WAY])].split()
    return " ".join([*before[-1:], match.slots[WAY]])


def _find_spoken(own: str) -> Iterator[Wish]:
    for sentence in by_line(own):
        wish = read(sentence)
        if wish is not None:
            yield wish


def _near_misses(message: str) -> Iterator[Wish]:
    """`keep: tables`, in small letters: no directive, and yet hardly meant otherwise."""
    lines = message.split("\n")
    for miss in grammar.parse(message[: own_words.READ].encode("utf-8", "replace")).misses:
        would = grammar.parse_one(miss.would_work)
        if isinstance(would, grammar.DirectiveLine) and miss.line <= len(lines):
            yield Wish(would.type, would.text, collapse(lines[miss.line - 1]))
