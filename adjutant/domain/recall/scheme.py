"""DOMAIN. A concept scheme: its concepts with their labels, what stands below which, and naming one by its id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from adjutant.errors import UsageError
from adjutant.ports import WORKLOADS

PREFIX, SCHEME = "adjutant:", "adjutant:work"
TOPS = tuple(PREFIX + name for name in WORKLOADS)
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


class TaxonomyProblem(NamedTuple):
    """What is wrong with a taxonomy, in which line of which file, and what to do."""

    path: str
    line: int
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class Scheme:
    """A valid concept scheme: every id in `concepts` is known, and the hierarchy has no circles."""

    def __init__(self, pref: Mapping[str, str], concepts: Iterable[Concept]) -> None:
        self.pref = pref
        self.concepts = {concept.id: concept for concept in concepts}
        self._narrower: dict[str, list[str]] = {}
        for concept in self.concepts.values():
            for broader in concept.broader:
                self._narrower.setdefault(broader, []).append(concept.id)

    def tops(self) -> list[str]:
        """Ids of the concepts without a broader one, in the file's order."""
        return [concept.id for concept in self.concepts.values() if not concept.broader]

    def narrower(self, id: str) -> list[str]:
        """Ids of the concepts directly below."""
        return self._narrower.get(id, [])

    def expand(self, id: str) -> tuple[str, ...]:
        """The concept and all below it, each once: what a filter by this concept lets through."""
        found, left = dict.fromkeys([id]), [id]
        while left:
            for below in self.narrower(left.pop()):
                if below not in found:
                    found[below] = None
                    left.append(below)
        return tuple(found)

    def tops_of(self, id: str) -> tuple[str, ...]:
        """The top concepts that this one belongs to; itself when it is one."""
        found, left = dict[str, None](), [id]
        while left:
            concept = self.concepts[left.pop()]
            left.extend(concept.broader)
            if not concept.broader:
                found[concept.id] = None
        return tuple(found)

    def find(self, name: str) -> str | None:
        """The id of `adjutant:platform/k8s`, `platform/k8s` or a preferred label; None for any other text."""
        wanted = name.strip()
        for id in (wanted, PREFIX + wanted.lower()):
            if id in self.concepts:
                return id
        named = [
            concept.id
            for concept in self.concepts.values()
            if wanted.casefold() in {label.casefold() for label in concept.pref.values()}
        ]
        return named[0] if len(named) == 1 else None

    def resolve(self, name: str) -> str:
        """As `find`. Raises UsageError for what is no concept of the scheme."""
        found = self.find(name)
        if found is None:
            import difflib  # 7 ms, and mostly nothing is misspelt

            short = [id.removeprefix(PREFIX) for id in self.concepts]
            close = difflib.get_close_matches(name.strip().removeprefix(PREFIX).lower(), short, n=1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise UsageError(
                f"`{name[:60]}` is no concept of the taxonomy{hint}", "`adjutant taxonomy list` names them"
            )
        return found
