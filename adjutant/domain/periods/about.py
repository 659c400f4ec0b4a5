"""DOMAIN. What a statement is about: the stems and figures of its text."""

from __future__ import annotations

from adjutant.language.figures import figures
from adjutant.language.pack import cached
from adjutant.language.stems import stems
from adjutant.language.words import is_idle, words


def topic(text: str, language: str) -> frozenset[str]:
    """The stems of a text, its figures, dates and days taken out."""
    kept, end = "", 0
    for figure in figures(text):
        kept, end = f"{kept}{text[end : figure.start]} ", figure.end
    return stems(kept + text[end:], language)


@cached(8192)
def compared(text: str) -> frozenset[str]:
    """The figures of a text as compared, the newest of each."""
    return frozenset(figure.text.lower() for figure in figures(text))


def telling(text: str) -> int:
    """How many words of a text say something; figures do."""
    return sum(not is_idle(word) for word in words(text))
