"""DOMAIN. One concept of the scheme, and its labels in every language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

Labels = Mapping[str, tuple[str, ...]]


class Concept(NamedTuple):
    """A concept: `pref` and `notes` {language: text}, `alt` and `hidden` {language: texts}, ids of broader and related.

    `lines`: where each of its keys stands in the file, its id under "".
    """

    id: str
    lines: Mapping[str, int]
    pref: Mapping[str, str]
    alt: Labels
    hidden: Labels
    notes: Mapping[str, str]
    broader: tuple[str, ...]
    related: tuple[str, ...]

    def label(self, language: str = "en") -> str:
        """What it is called in this language, else in any."""
        return self.pref.get(language) or next(iter(self.pref.values()), self.id)

    def labels(self) -> Iterator[tuple[str, str, str]]:
        """(kind, language, label) of all its labels."""
        for language, label in self.pref.items():
            yield "prefLabel", language, label
        for kind, labels in (("altLabels", self.alt), ("hiddenLabels", self.hidden)):
            for language, several in labels.items():
                yield from ((kind, language, label) for label in several)
