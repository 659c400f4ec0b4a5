"""DOMAIN. A concept scheme: its concepts with their labels, what stands below which; and the same as SKOS."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

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


# -- as SKOS, in Turtle or JSON-LD: one list of what it says, two ways to write it down ------------------------------


# https://www.w3.org/TR/skos-reference/, https://www.w3.org/TR/turtle/, https://www.w3.org/TR/json-ld11/
FORMATS = ("turtle", "jsonld")
NAMESPACE = "urn:adjutant:"
SKOS = "http://www.w3.org/2004/02/skos/core#"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class Literal(NamedTuple):
    """A text with its language, "" for none."""

    text: str
    language: str


def export(scheme: Scheme, format: str) -> str:
    """The scheme as text of one of FORMATS, the same bytes for the same scheme."""
    return _turtle(scheme) if format == "turtle" else _jsonld(scheme)


def describe(scheme: Scheme) -> dict[str, dict[str, list[str | Literal]]]:
    """{subject: {property of SKOS: objects}} of everything the scheme says, in both directions where SKOS knows two;
    "a" is a class of SKOS."""
    called: list[str | Literal] = [Literal(label, language) for language, label in scheme.pref.items()]
    found: dict[str, dict[str, list[str | Literal]]] = {SCHEME: {"a": ["ConceptScheme"], "prefLabel": called}}
    found[SCHEME]["hasTopConcept"] = [*scheme.tops()]
    related = {(one, two) for one, concept in scheme.concepts.items() for two in concept.related}
    for id, concept in scheme.concepts.items():
        said: dict[str, list[str | Literal]] = {"a": ["Concept"], "inScheme": [SCHEME]}
        said["topConceptOf"] = [] if concept.broader else [SCHEME]
        said["notation"] = [Literal(id.removeprefix(PREFIX), "")]
        for kind, language, label in concept.labels():
            said.setdefault(kind.removesuffix("s"), []).append(Literal(label, language))
        said["scopeNote"] = [Literal(text, language) for language, text in concept.notes.items()]
        said |= {"broader": [*concept.broader], "narrower": [*scheme.narrower(id)]}
        said["related"] = [each for each in scheme.concepts if {(id, each), (each, id)} & related]
        found[id] = said
    return {id: {name: objects for name, objects in said.items() if objects} for id, said in found.items()}


def _turtle(scheme: Scheme) -> str:
    blocks = [f"@prefix skos: <{SKOS}> ."]
    for subject, said in describe(scheme).items():
        lines = []
        for predicate, objects in said.items():
            if predicate == "a":
                lines.append(f"    a skos:{objects[0]}")
            else:
                lines.append(f"    skos:{predicate} " + ",\n        ".join(map(_term, objects)))
        blocks.append(f"{_term(subject)}\n" + " ;\n".join(lines) + " .")
    return "\n\n".join(blocks) + "\n"


def _term(object: str | Literal) -> str:
    """An IRI or a text as Turtle writes it; what an id may hold needs no escaping."""
    if isinstance(object, Literal):
        return f'"{object.text.translate(_ESCAPES)}"' + (f"@{object.language}" if object.language else "")
    return f"<{NAMESPACE}{object.removeprefix(PREFIX)}>"


def _jsonld(scheme: Scheme) -> str:
    nodes: list[dict[str, Any]] = []
    for subject, said in describe(scheme).items():
        node: dict[str, Any] = {"@id": subject, "@type": f"skos:{said.pop('a')[0]}"}
        node |= {f"skos:{predicate}": [_value(object) for object in objects] for predicate, objects in said.items()}
        nodes.append(node)
    context = {"skos": SKOS, PREFIX.removesuffix(":"): NAMESPACE}
    return json.dumps({"@context": context, "@graph": nodes}, ensure_ascii=False, indent=1) + "\n"


def _value(object: str | Literal) -> dict[str, str]:
    if isinstance(object, Literal):
        return {"@value": object.text} | ({"@language": object.language} if object.language else {})
    return {"@id": object}
