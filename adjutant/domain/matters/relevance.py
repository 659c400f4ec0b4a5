"""DOMAIN. How much a line touches what the operator wrote down: content stems shared with its words and its place."""

import re
from typing import NamedTuple

from adjutant.language.detect import language_of
from adjutant.language.pack import packs
from adjutant.language.stems import stems
from adjutant.language.words import content
from adjutant.records.heart import Heart

LINE, AROUND, BASE = 1.0, 0.7, 0.4  # a stem in the line itself, in its headings or file name, in the base's name
LEAST = 0.7
SECOND = 0.25  # of every further stem of the same item
COMPOUND = 5  # letters of a stem that may be a part of a longer one
_PHRASES = re.compile(r"[,;:()]|\s[–—-]\s|\b(?:and|og|und)\b")


class Touch(NamedTuple):
    """What of the heart a line touches: part (priority, concern), its text, how much (0 to 1.75)."""

    part: str
    text: str
    share: float


class Relevance:
    """The heart as stems. Raises nothing."""

    def __init__(self, heart: Heart, base: str) -> None:
        self.empty = not heart.items()
        self.base = base
        self._base = stems(re.sub(r"[_-]+", " ", base))
        self._items = [(part, text, found) for part, text in heart.items() for found in _stem(text)]
        self._wanted = frozenset[str]().union(*(found for _, _, found in self._items))
        self._matching: dict[str, frozenset[str]] = {}
        self._around: dict[frozenset[str], frozenset[str]] = {}  # a heading stands over many lines
        self._quiet = [
            (text, found)
            for text in heart.quiet
            for phrase in _PHRASES.split(text)
            for found in _stem(phrase, language_of(text))
        ]

    def touched(self, own: frozenset[str], around: frozenset[str]) -> Touch | None:
        """The item that a line touches most, None for none."""
        found: dict[str, float] = {}
        for matched, weight in ((self._over(self._base), BASE), (self._over(around), AROUND)):
            found.update(dict.fromkeys(matched, weight))
        for stem in own:
            found.update(dict.fromkeys(self._match(stem), LINE))
        best: Touch | None = None
        for part, text, wanted in self._items if found else ():
            weights = sorted((found[stem] for stem in wanted if stem in found), reverse=True)
            share = sum(weights[:1]) + SECOND * sum(weights[1:4])
            if share >= LEAST and (best is None or share > best.share):
                best = Touch(part, text, share)
        return best

    def _over(self, around: frozenset[str]) -> frozenset[str]:
        if around not in self._around:
            self._around[around] = frozenset().union(*map(self._match, around))
        return self._around[around]

    def quiet(self, own: frozenset[str], around: frozenset[str]) -> str:
        """The quiet zone one of whose whole phrases the line holds, itself or in its headings and file; "" for none."""
        return next((text for text, phrase in self._quiet if phrase <= own | around), "")

    def nears_quiet(self, own: frozenset[str], around: frozenset[str]) -> bool:
        """Whether the line, its headings or its file share a word with a quiet zone: too little to mute it."""
        words = own | around
        return any(one == two or _inside(one, two) for _, phrase in self._quiet for one in phrase for two in words)

    def _match(self, stem: str) -> frozenset[str]:
        """The stems of the heart that a stem stands for: itself, and those of which it is a part or that are of it."""
        if stem not in self._matching:
            found = (other for other in self._wanted if other == stem or _inside(stem, other))
            self._matching[stem] = frozenset(found)
        return self._matching[stem]


def _stem(text: str, code: str = "") -> list[frozenset[str]]:
    """An item's content words as files in each language stem them: it is too short to tell its own language."""
    said = " ".join(content(text, code or language_of(text)))
    return list(dict.fromkeys(filter(None, (stems(said, each) for each in packs()))))


def _inside(one: str, two: str) -> bool:
    """Whether one is a part of the other, as in compounds: "mortgag" in "remortgag", "tak" in nothing."""
    return min(len(one), len(two)) >= COMPOUND and (one in two or two in one)
