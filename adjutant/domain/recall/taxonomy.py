"""DOMAIN. The concept scheme of prompts/taxonomy.yaml: its concepts, and naming one by its id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import msgspec

from adjutant.errors import TaxonomyInvalid, UsageError
from adjutant.ports import WORKLOADS
from adjutant.store import package
from adjutant.store.files import Files

PREFIX, SCHEME = "adjutant:", "adjutant:work"
TOPS = tuple(PREFIX + name for name in WORKLOADS)
SHIPPED, COMPILED = "taxonomy.yaml", "taxonomy.json"  # the package's own scheme, and the same as it was once read
MAX_BYTES = 1024 * 1024
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

    def named(self, name: str) -> str:
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


# -- reading -------------------------------------------------------------------------------------------------


def load(files: Files) -> Scheme:
    """The instance's own scheme, else the package's. Raises TaxonomyInvalid with file and line, FileDamaged."""
    data, shown = source(files)
    scheme, problems = _read(data, shown)
    if scheme is None:
        raise TaxonomyInvalid(str(problems[0]), problems[0].fix)
    return scheme


def source(files: Files) -> tuple[bytes, str]:
    """The bytes of the taxonomy that counts, and its name for messages. Raises FileDamaged, IoFailed."""
    try:
        return files.read(files.tree.taxonomy, MAX_BYTES), files.tree.relative(files.tree.taxonomy)
    except FileNotFoundError:
        return package.read("instance", SHIPPED), SHIPPED


def own() -> Scheme:
    """The scheme that comes with the package."""
    scheme, _ = _read(package.read("instance", SHIPPED), SHIPPED)
    assert scheme is not None
    return scheme


def problems(data: bytes, shown: str) -> list[TaxonomyProblem]:
    """Everything that is wrong with a taxonomy file, by line; [] for a valid one."""
    return list(_read(data, shown)[1])


def compiled(data: bytes) -> bytes:
    """A valid scheme as `_compiled` reads it: the sha256 of its bytes on the first line, then JSON."""
    scheme, _ = _read_yaml(data, SHIPPED)
    assert scheme is not None
    return (
        f"{sha256(data).hexdigest()}\n".encode()
        + msgspec.json.encode([scheme.pref, list(scheme.concepts.values())])
        + b"\n"
    )


def _compiled(data: bytes) -> Scheme | None:
    """The package's own scheme where these are its bytes, read in a tenth of the time; most instances keep it so."""
    sha, _, held = package.read("instance", COMPILED).partition(b"\n")
    if sha.decode() != sha256(data).hexdigest():
        return None
    return Scheme(*msgspec.json.decode(held, type=tuple[dict[str, str], list[Concept]]))


@lru_cache(maxsize=4)
def _read(data: bytes, shown: str) -> tuple[Scheme | None, tuple[TaxonomyProblem, ...]]:
    if (known := _compiled(data)) is not None:
        return known, ()
    return _read_yaml(data, shown)


def _read_yaml(data: bytes, shown: str) -> tuple[Scheme | None, tuple[TaxonomyProblem, ...]]:
    from adjutant.domain.recall.scheme_reader import SchemeReader  # yaml, 20 ms: only for a scheme that was edited

    reader = SchemeReader(shown)
    scheme = reader.read(data)
    found = tuple(sorted(reader.problems, key=lambda problem: problem.line))
    return (None if found else scheme), found
