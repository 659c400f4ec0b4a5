"""DOMAIN. What a remark or directive on manner is about, so that two of one matter are known for one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from adjutant.domain.behavior import feedback_de, feedback_en, feedback_nb
from adjutant.domain.behavior import feedback_words as words
from adjutant.domain.behavior.feedback_words import LENGTH
from adjutant.records.wording import AGAINST

LANGUAGES = {"en": feedback_en.WORDS, "nb": feedback_nb.WORDS, "de": feedback_de.WORDS}
_ENDS = re.compile(r"^[^\w(]+|[^\w)]+$")


def plain(text: str) -> str:
    """A text as patterns are held against it: lower case, straight apostrophes, no marks at its ends."""
    return _ENDS.sub("", " ".join(text.replace("’", "'").lower().split()))


def about(type: str, text: str) -> str:
    """A key: what a directive of this type and text is about, and which side it takes. Two of one key want the same."""
    side = "against" if type in AGAINST else "for"
    told = plain(text)
    for name, language in LANGUAGES.items():
        know = _subjects(name)
        if known := know.said.get(told):
            if known[0] == LENGTH:
                return _of_length(known[1], side)
            if known[0]:
                return f"{known[0]} {side}"
        bare = know.idle.sub(" ", f" {told} ")
        bare = " ".join(bare.split())
        if know.short.fullmatch(bare):
            return _of_length("short", side)
        if know.long.fullmatch(bare):
            return _of_length("long", side)
        for matter, pattern in know.nouns:
            if pattern.fullmatch(bare):
                return f"{matter} {side}"
        if language.gerunds and re.fullmatch(r"repeat(?:ing)?(?: yourself| things)?|repetitions?", bare):
            return f"{words.REPEAT} {side}"
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


_IDLE = r"me|my|please|always|so|it|things|using|use|adding|add|writing|write|with|in|of|and|to|the"


@lru_cache(maxsize=3)
def _subjects(name: str) -> _Subjects:
    language = LANGUAGES[name]
    said = {
        plain(text): (matter, "long" if key in ("long", "detail") else "short")
        for key, (matter, text) in language.said.items()
        if matter
    }
    articles = language.articles.strip()
    idle = re.compile(rf"(?<!\w)(?:{_IDLE}|keep|be|give|answer|reply|{language.answer}|{articles})(?!\w)")
    short, long = re.compile(rf"(?:{language.short})(?: (?:{language.short}))*"), re.compile(language.long)
    nouns = tuple(
        (matter, re.compile(rf"(?:{pattern})"))
        for part in (language.sure, language.open)
        for matter, pattern in part.items()
    )
    return _Subjects(said, idle, short, long, nouns)


def names_one(text: str) -> bool:
    """Whether a text is the name of one matter and nothing more."""
    return not about(words.KEEP, text).startswith("for: ")


def names_manner(text: str) -> bool:
    """Whether a text speaks of how things are said."""
    return any(
        manner(name).search(text) or re.search(rf"\b(?:{language.answer})\b", text, re.IGNORECASE)
        for name, language in LANGUAGES.items()
    )


@lru_cache(maxsize=3)
def manner(name: str) -> re.Pattern[str]:
    """Finds what a language calls the manner of an answer."""
    language = LANGUAGES[name]
    nouns = "|".join((*language.sure.values(), *language.open.values()))
    return re.compile(rf"\b(?:{nouns}|{language.places})\b", re.IGNORECASE)
