"""The export is SKOS that an RDF library reads: both formats hold the same graph, whatever the labels hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from rdflib.namespace import RDF, SKOS

from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.taxonomy import TOPS, Scheme
from adjutant.store.files import Files
from adjutant.store.tree import Tree

pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # rdflib's own reader of JSON-LD
LEAST = "scheme: adjutant:work\nprefLabel: {en: Work}\nconcepts:\n" + "".join(
    f"  {top}:\n    prefLabel: {{en: {top[9:].title()}}}\n" for top in TOPS
)
HOSTILE = (
    'say "hi"',
    "back\\slash",
    "ends in \\",
    "# no comment",
    "<urn:x> a .",
    "'''",
    '"""',
    "@en",
    "^^x",
    "æøå ß 😀",
    "{{ x }}",
    "a;b,c.",
    "\\u0041",
    "&amp;",
    "a\u00a0b",
)


def graph(text: str, format: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format={"turtle": "turtle", "jsonld": "json-ld"}[format])


def uri(id: str) -> rdflib.URIRef:
    return rdflib.URIRef(taxonomy.NAMESPACE + id.removeprefix("adjutant:"))


@pytest.fixture
def hostile(tmp_path: Path) -> Scheme:
    quoted = ", ".join("'" + label.replace("'", "''") + "'" for label in HOSTILE)
    files = Files(Tree(str(tmp_path)))
    files.create(
        files.tree.taxonomy,
        LEAST
        + (
            f"  adjutant:odd:\n    prefLabel: {{en: Odd, zh-Hant: 怪}}\n    altLabels: {{en: [{quoted}]}}\n"
            '    scopeNote: {en: "one \\"quoted\\" note"}\n    broader: adjutant:meta\n    related: adjutant:build\n'
        ),
    )
    return taxonomy.load(files)


def test_both_formats_hold_the_same_graph_with_every_triple() -> None:
    scheme = taxonomy.own()
    one, two = (graph(taxonomy.export(scheme, format), format) for format in taxonomy.FORMATS)
    assert set(one) == set(two)
    assert len(one) == sum(len(said) for each in taxonomy.describe(scheme).values() for said in each.values()) > 2000


@pytest.mark.parametrize("format", taxonomy.FORMATS)
def test_the_graph_says_what_the_file_says(format: str) -> None:
    scheme = taxonomy.own()
    found = graph(taxonomy.export(scheme, format), format)
    work = uri("adjutant:work")
    assert (work, RDF.type, SKOS.ConceptScheme) in found
    assert set(found.objects(work, SKOS.hasTopConcept)) == {uri(top) for top in TOPS}
    assert set(found.subjects(SKOS.topConceptOf, work)) == {uri(top) for top in TOPS}
    assert set(found.subjects(RDF.type, SKOS.Concept)) == {uri(id) for id in scheme.concepts}
    assert set(found.subjects(SKOS.inScheme, work)) == {uri(id) for id in scheme.concepts}
    k8s = scheme.concepts["adjutant:platform/k8s"]
    assert set(found.objects(uri(k8s.id), SKOS.hiddenLabel)) == {
        rdflib.Literal(label, lang=language)
        for language, labels in k8s.labels["hiddenLabels"].items()
        for label in labels
    }
    assert found.value(uri(k8s.id), SKOS.notation) == rdflib.Literal("platform/k8s")
    assert set(found.subject_objects(SKOS.narrower)) == {(b, a) for a, b in found.subject_objects(SKOS.broader)}
    related = set(found.subject_objects(SKOS.related))
    assert related == {(b, a) for a, b in related}
    assert (uri("adjutant:build"), uri("adjutant:tooling")) in related


@pytest.mark.parametrize("format", taxonomy.FORMATS)
def test_no_label_breaks_the_export(hostile: Scheme, format: str) -> None:
    found = graph(taxonomy.export(hostile, format), format)
    odd = uri("adjutant:odd")
    assert set(found.objects(odd, SKOS.altLabel)) == {rdflib.Literal(label, lang="en") for label in HOSTILE}
    assert rdflib.Literal("怪", lang="zh-Hant") in set(found.objects(odd, SKOS.prefLabel))
    assert (odd, SKOS.related, uri("adjutant:build")) in found  # the file says one direction, SKOS knows two
    assert (uri("adjutant:build"), SKOS.related, odd) in found
    assert found.value(odd, SKOS.scopeNote) == rdflib.Literal('one "quoted" note', lang="en")


def test_a_missing_escape_is_found(hostile: Scheme) -> None:
    broken = taxonomy.export(hostile, "turtle").replace('\\"', '"')
    with pytest.raises(Exception, match=r"(?i)syntax"):
        graph(broken, "turtle")


def test_the_same_scheme_gives_the_same_bytes(hostile: Scheme) -> None:
    for format in taxonomy.FORMATS:
        assert taxonomy.export(hostile, format) == taxonomy.export(hostile, format)
        assert taxonomy.export(hostile, format).endswith("\n")
