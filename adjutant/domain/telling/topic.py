"""DOMAIN. Whom or what a question names, one or several, and how much of that stands in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy

from adjutant.language.detect import language_of
from adjutant.language.pack import cached, listed
from adjutant.language.stems import stems
from adjutant.language.words import day_names, tokens, words

ENOUGH = 0.5  # of a name, that a text has to hold more than
_APART = re.compile(r"[/._-]+")
KIND, SMALL = 0.4, 0.5  # what a noun behind a name counts, and a word of one or two letters


class Topic:
    """A name word by word: what each counts. A noun behind a name says of what kind it is, hardly more
    (`the Kessler job`), and a word of one or two letters is half of one."""

    def __init__(self, about: str) -> None:
        parts = [part for part in _joints().split(about) if part.strip()]
        self._each = [Topic(part) for part in parts] if len(parts) > 1 else []  # of several each is enough
        self._whole = about.lower() if not day_names(0).isdisjoint(words(about)) else ""  # `Good Friday`
        self._weights: dict[str, float] = {}
        self.is_whole = True
        self._plain = set[str]()  # what stands in small letters: it may be no name
        self._code = language_of(about)  # one stemmer for both sides, whichever it is
        before = False
        titles = listed("words", "titles")
        said = tokens(about)
        for word in [each for each in said if each.text not in titles] or said:
            capital = about[word.start : word.end][:1].isupper()
            for stem in stems(word.text, self._code):
                weight = KIND if before and not capital else SMALL if len(word.text) <= 2 else 1.0
                self._weights[stem] = max(weight, self._weights.get(stem, 0.0))
                self.is_whole = self.is_whole and capital
                self._plain |= set() if capital else {stem}
            before = capital

    def narrow(self, heads: Sequence[str]) -> Topic:
        """The same by those of its words alone that pages and headings are called by, where some are and no name is
        among them: "how do we stand with the lens" is about the lens."""
        plain = self._plain == self._weights.keys()
        held = set[str]().union(*(stems(_APART.sub(" ", head), self._code) for head in heads)) if plain else set()
        found = copy(self)
        found._each = [each.narrow(heads) for each in self._each]
        found._weights = {stem: self._weights[stem] for stem in sorted(held & self._weights.keys())} or self._weights
        return found

    def share(self, *texts: str) -> float:
        """How much of the name stands in these texts together, 0 to 1."""
        if self._each:
            return max(each.share(*texts) for each in self._each)
        text = _APART.sub(" ", " ".join(texts))
        if self._whole:
            return float(self._whole in text.lower())
        if not self._weights:
            return 1.0
        held = stems(text, self._code)
        return sum(weight for stem, weight in self._weights.items() if stem in held) / sum(self._weights.values())

    def is_in(self, *texts: str) -> bool:
        """Whether more than half of it does."""
        return self.share(*texts) > ENOUGH


@cached(1)
def _joints() -> re.Pattern[str]:
    """What stands between one name and the next."""
    words = "|".join(re.escape(word) for word in sorted(listed("dates", "and")) if word.isalpha())
    return re.compile(rf"\s*[,&]\s*|\s+(?:{words})\s+", re.IGNORECASE)
