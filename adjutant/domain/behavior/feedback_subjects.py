"""DOMAIN. What a remark or directive on manner is about, so that two of one matter are known for one."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjutant.domain.behavior import feedback_words as words
from adjutant.domain.behavior.feedback_words import FILE, LENGTH, languages
from adjutant.language.pack import cached
from adjutant.language.patterns import either
from adjutant.records.wording import AGAINST

_ENDS = re.compile(r"^[^\w(]+|[^\w)]+$")


def plain(text: str) -> str:
    """A text as patterns are held against it: lower case, straight apostrophes, no marks at its ends."""
    return _ENDS.sub("", " ".join(text.replace("’", "'").lower().split()))


def about(type: str, text: str) -> str:
    """A key: what a directive of this type and text is about, and which side it takes. Two of one key want the same."""
    side = "against" if type in AGAINST else "for"
    told = plain(text)
    for name in languages():
        know = _subjects(name)
        if known := know.said.get(told):
            if known[0] == LENGTH:
                return _of_length(known[1], side)
            if known[0]:
                return f"{known[0]} {side}"
        bare = " ".join(know.idle.sub(" ", f" {told} ").split())
        if know.short.fullmatch(bare):
            return _of_length("short", side)
        if know.long.fullmatch(bare):
            return _of_length("long", side)
        for matter, pattern in know.nouns:
            if pattern.fullmatch(bare):
                return f"{matter} {side}"
    return f"{side}: {told}"


def _of_length(which: str, side: str) -> str:
    short = (which == "short") == (side == "for")
    return f"{LENGTH} {'short' if short else 'long'}"


class _Subjects(NamedTuple):
    said: dict[str, tuple[str, str]]
    idle: re.Pattern[str]
    short: re.Pattern[str]
    long: re.Pattern[str]
    nouns: tuple[tuple[str, re.Pattern[str]], ...]


@cached(16)
def _subjects(name: str) -> _Subjects:
    language = languages()[name]
    said = {
        plain(text): (matter, "long" if key in ("long", "detail") else "short")
        for key, (matter, text) in language.lists.said.items()
        if matter
    }
    return _Subjects(
        said,
        language.pattern(rf"(?<!\w)({either(FILE, 'small')}|{{answer}}|{{articles}})(?!\w)"),
        language.pattern("{short}( {short})*"),
        language.pattern("{long}"),
        tuple(
            (matter, language.pattern(pattern)) for matter, pattern in (*language.nouns, (words.REPEAT, "{repeating}"))
        ),
    )


def names_one(text: str) -> bool:
    """Whether a text is the name of one matter and nothing more."""
    return not about(words.KEEP, text).startswith("for: ")


def names_manner(text: str) -> bool:
    """Whether a text speaks of how things are said."""
    return any(manner(name).search(text) or _answers(name).search(text) for name in languages())


@cached(16)
def manner(name: str) -> re.Pattern[str]:
    """Finds what a language calls the manner of an answer."""
    return languages()[name].pattern(r"\b({n}|{places})\b", re.IGNORECASE)


@cached(16)
def _answers(name: str) -> re.Pattern[str]:
    return languages()[name].pattern(r"\b{answer}\b", re.IGNORECASE)
