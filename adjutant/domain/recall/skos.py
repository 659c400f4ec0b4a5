"""DOMAIN. The concept scheme as SKOS, in Turtle or JSON-LD: one list of triples, two ways to write it down.

Formats: https://www.w3.org/TR/skos-reference/, https://www.w3.org/TR/turtle/, https://www.w3.org/TR/json-ld11/
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from adjutant.domain.recall.scheme import PREFIX, SCHEME, Scheme

FORMATS = ("turtle", "jsonld")
NAMESPACE = "urn:adjutant:"
SKOS = "http://www.w3.org/2004/02/skos/core#"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class Literal(NamedTuple):
    """A text with its language, "" for none."""

    text: str
    language: str


class Triple(NamedTuple):
    """Ids of Adjutant for subject and object; `predicate` is a property of SKOS, or "a" with a class of SKOS."""

    subject: str
    predicate: str
    object: str | Literal


def export(scheme: Scheme, format: str) -> str:
    """The scheme as text of one of FORMATS, the same bytes for the same scheme."""
    return _turtle(scheme) if format == "turtle" else _jsonld(scheme)


def triples(scheme: Scheme) -> Iterator[Triple]:
    """Everything the scheme says, with both directions of what SKOS knows two directions of."""
    yield Triple(SCHEME, "a", "ConceptScheme")
    yield from (Triple(SCHEME, "prefLabel", Literal(label, language)) for language, label in scheme.pref.items())
    yield from (Triple(SCHEME, "hasTopConcept", id) for id in scheme.tops())
    related = {(one, two) for one, concept in scheme.concepts.items() for two in concept.related}
    related |= {(two, one) for one, two in related}
    for id, concept in scheme.concepts.items():
        yield Triple(id, "a", "Concept")
        yield Triple(id, "inScheme", SCHEME)
        if not concept.broader:
            yield Triple(id, "topConceptOf", SCHEME)
        yield Triple(id, "notation", Literal(id.removeprefix(PREFIX), ""))
        for kind, language, label in concept.labels():
            yield Triple(id, kind.removesuffix("s"), Literal(label, language))
        yield from (Triple(id, "scopeNote", Literal(text, language)) for language, text in concept.notes.items())
        yield from (Triple(id, "broader", broader) for broader in concept.broader)
        yield from (Triple(id, "narrower", narrower) for narrower in scheme.narrower(id))
        yield from (Triple(id, "related", other) for other in scheme.concepts if (id, other) in related)


def _group(scheme: Scheme) -> dict[str, dict[str, list[str | Literal]]]:
    """{subject: {predicate: objects}}, in the order in which they are said."""
    found: dict[str, dict[str, list[str | Literal]]] = {}
    for triple in triples(scheme):
        found.setdefault(triple.subject, {}).setdefault(triple.predicate, []).append(triple.object)
    return found


def _turtle(scheme: Scheme) -> str:
    blocks = [f"@prefix skos: <{SKOS}> ."]
    for subject, said in _group(scheme).items():
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
    for subject, said in _group(scheme).items():
        node: dict[str, Any] = {"@id": subject, "@type": f"skos:{said.pop('a')[0]}"}
        node |= {f"skos:{predicate}": [_value(object) for object in objects] for predicate, objects in said.items()}
        nodes.append(node)
    context = {"skos": SKOS, PREFIX.removesuffix(":"): NAMESPACE}
    return json.dumps({"@context": context, "@graph": nodes}, ensure_ascii=False, indent=1) + "\n"


def _value(object: str | Literal) -> dict[str, str]:
    if isinstance(object, Literal):
        return {"@value": object.text} | ({"@language": object.language} if object.language else {})
    return {"@id": object}
