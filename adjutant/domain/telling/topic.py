"""DOMAIN. Whom or what a question names, and how much of that stands in a text."""

from __future__ import annotations

import re

from adjutant.language.stems import stems
from adjutant.language.words import day_names, tokens, words

ENOUGH = 0.5  # of a name, that a text has to hold more than
_APART = re.compile(r"[/._-]+")
KIND, SMALL = 0.4, 0.5  # what a noun behind a name counts, and a word of one or two letters


class Topic:
    """A name word by word: what each counts. A noun behind a name says of what kind it is, hardly more
    (`the Kessler job`), and a word of one or two letters is half of one."""

    def __init__(self, about: str) -> None:
        self._whole = about.lower() if not day_names(0).isdisjoint(words(about)) else ""  # `Good Friday`
        self._weights: dict[str, float] = {}
        self.is_whole = True
        before = False
        for word in tokens(about):
            capital = about[word.start : word.end][:1].isupper()
            for stem in stems(word.text):
                weight = KIND if before and not capital else SMALL if len(word.text) <= 2 else 1.0
                self._weights[stem] = max(weight, self._weights.get(stem, 0.0))
                self.is_whole = self.is_whole and capital
            before = capital

    def share(self, *texts: str) -> float:
        """How much of the name stands in these texts together, 0 to 1."""
        text = _APART.sub(" ", " ".join(texts))
        if self._whole:
            return float(self._whole in text.lower())
        if not self._weights:
            return 1.0
        held = stems(text)
        return sum(weight for stem, weight in self._weights.items() if stem in held) / sum(self._weights.values())

    def is_in(self, *texts: str) -> bool:
        """Whether more than half of it does."""
        return self.share(*texts) > ENOUGH
