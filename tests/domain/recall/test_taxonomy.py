"""The taxonomy file: what it may say, and that every contradiction is named with its line and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.taxonomy import TOPS, FileProblem, Scheme
from adjutant.errors import TaxonomyInvalid, UsageError
from adjutant.store import package
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import CHECKOUT

OWN = CHECKOUT / "adjutant" / "instance" / "taxonomy.yaml"
LEAST = "scheme: adjutant:work\nconcepts:\n" + "".join(
    f"  {top}:\n    prefLabel: {{en: {top[9:].title()}}}\n" for top in TOPS
)
AT = LEAST.count("\n") + 1  # the line on which what is added below begins
ADDED = {
    "a second prefLabel of a language": (
        "  adjutant:a:\n    prefLabel:\n      en: [A, B]\n",
        AT + 2,
        "more than one prefLabel",
    ),
    "a prefLabel given twice": ("  adjutant:a:\n    prefLabel: {en: A, en: B}\n", AT + 1, "given twice"),
    "no prefLabel": ("  adjutant:a:\n    altLabels: {en: [x]}\n", AT, "no prefLabel"),
    "a label that is preferred and alternative": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    altLabels: {en: [x, A]}\n",
        AT + 2,
        "prefLabel and in altLabels",
    ),
    "a label that is alternative and hidden": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    altLabels: {en: [x]}\n    hiddenLabels: {en: [x]}\n",
        AT + 3,
        "altLabels and in hiddenLabels",
    ),
    "two concepts of one name": (
        "  adjutant:a:\n    prefLabel: {en: platform}\n",
        AT + 1,
        "so has `adjutant:platform`",
    ),
    "a circle of two": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    broader: adjutant:b\n"
        "  adjutant:b:\n    prefLabel: {en: B}\n    broader: adjutant:a\n",
        AT + 2,
        "broader than itself",
    ),
    "a circle of one": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    broader: adjutant:a\n",
        AT + 2,
        "broader than itself",
    ),
    "related to what is above": (
        "  adjutant:a/b:\n    prefLabel: {en: A}\n    broader: adjutant:platform\n    related: [adjutant:platform]\n",
        AT + 3,
        "also above or below",
    ),
    "related to what is far above": (
        "  adjutant:a/b:\n    prefLabel: {en: A}\n    broader: adjutant:platform\n"
        "  adjutant:a/c:\n    prefLabel: {en: C}\n    broader: adjutant:a/b\n    related: adjutant:platform\n",
        AT + 6,
        "also above or below",
    ),
    "related to itself": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    related: adjutant:a\n",
        AT + 2,
        "related to itself",
    ),
    "an unknown broader": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    broader: adjutant:platfrom\n",
        AT + 2,
        "no concept here",
    ),
    "an unknown related": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    related: [adjutant:nowhere]\n",
        AT + 2,
        "no concept here",
    ),
    "a narrower id without broader": ("  adjutant:a/b:\n    prefLabel: {en: A}\n", AT, "no broader concept"),
    "an id of another scheme": ("  other:a:\n    prefLabel: {en: A}\n", AT, "no id of a concept"),
    "an id with capitals": ("  adjutant:A:\n    prefLabel: {en: A}\n", AT, "no id of a concept"),
    "an unknown key": ("  adjutant:a:\n    prefLabel: {en: A}\n    altLabel: {en: [x]}\n", AT + 2, "unknown key"),
    "labels without a language": ("  adjutant:a:\n    prefLabel: A\n", AT + 1, "`prefLabel` holds `A`"),
    "what is no language": ("  adjutant:a:\n    prefLabel: {english!: A}\n", AT + 1, "no language tag"),
    "an empty label": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    altLabels: {en: [x, '']}\n",
        AT + 2,
        "nothing where",
    ),
    "a label that is a list": (
        "  adjutant:a:\n    prefLabel: {en: A}\n    altLabels: {en: [[x]]}\n",
        AT + 2,
        "a list where",
    ),
    "a control character": ('  adjutant:a:\n    prefLabel: {en: "A\\x07"}\n', AT + 1, "control character"),
    "a concept that is a text": ("  adjutant:a: text\n", AT, "holds `text`"),
    "a concept given twice": ("  adjutant:platform:\n    prefLabel: {en: A}\n", AT, "given twice"),
    "an alias": ("  adjutant:a: &x\n    prefLabel: {en: A}\n  adjutant:b: *x\n", AT + 2, "aliases"),
    "broken YAML": ("  adjutant:a: [\n", AT + 1, ""),
}


def problems(text: str) -> list[FileProblem]:
    return taxonomy.problems(text.encode(), "t.yaml")


def write(root: Path, text: str) -> Files:
    files = Files(Tree(str(root)))
    files.replace(files.tree.taxonomy, text)
    return files


def test_the_least_scheme_is_right_and_so_is_the_one_that_comes_along() -> None:
    assert not problems(LEAST)
    assert not taxonomy.problems(OWN.read_bytes(), "t.yaml")
    scheme = taxonomy.own()
    assert scheme.tops() == list(TOPS)
    assert len(scheme.concepts) >= 40
    assert all(concept.notes for concept in scheme.concepts.values() if not concept.broader)


def test_the_checkout_holds_the_copy_that_init_makes() -> None:
    assert (CHECKOUT / "prompts" / "taxonomy.yaml").read_bytes() == OWN.read_bytes()


@pytest.mark.parametrize(("added", "line", "words"), ADDED.values(), ids=ADDED.keys())
def test_a_contradiction_is_named_with_its_line_and_what_to_do(added: str, line: int, words: str) -> None:
    found = problems(LEAST + added)
    assert any(each.line == line and words in each.message for each in found), found
    assert all(each.fix and str(each).startswith("t.yaml:") for each in found)


@pytest.mark.parametrize("top", TOPS)
def test_every_workload_has_to_stay_and_to_stay_on_top(top: str) -> None:
    mine = f"  {top}:\n    prefLabel: {{en: {top[9:].title()}}}\n"
    other = next(each for each in TOPS if each != top)
    assert f"`{top}` is missing" in problems(LEAST.replace(mine, ""))[0].message
    [found] = problems(LEAST.replace(mine, f"{mine}    broader: {other}\n"))
    assert "has a broader one" in found.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the scheme is not"),
        ("scheme: other\n", "the scheme is not"),
        ("- 1\n", "must be"),
        ("42\n", "must be"),
        ("scheme: adjutant:work\nconcepts: [1]\n", "no mapping `concepts`"),
        ("\x00", ""),
        ("\udcff", ""),
    ],
)
def test_what_is_no_scheme_at_all_is_one_plain_line(text: str, words: str) -> None:
    found = taxonomy.problems(text.encode("utf-8", "surrogateescape"), "t.yaml")
    assert found
    assert words in found[0].message
    assert "\n" not in str(found[0])


def test_what_contradicts_nothing_is_let_be() -> None:
    fine = (
        "  adjutant:household:\n    prefLabel: {en: Household, nb: Hus, en-GB: Home}\n    scopeNote: {en: home}\n"
        "  adjutant:household/tax:\n    prefLabel: {en: Tax}\n    altLabels: {en: vat, de: [Steuer]}\n"
        "    hiddenLabels: {nb: [Steuer]}\n    broader: [adjutant:household, adjutant:meta]\n"
        "    related: [adjutant:build]\n"
    )
    assert not problems(LEAST + fine)


def test_the_instances_own_file_wins_and_a_broken_one_stops_with_its_line(tmp_path: Path) -> None:
    files = Files(Tree(str(tmp_path)))
    assert taxonomy.load(files).concepts.keys() == taxonomy.own().concepts.keys()
    write(tmp_path, LEAST + "  adjutant:household:\n    prefLabel: {en: Household}\n")
    assert "adjutant:household" in taxonomy.load(files).concepts
    write(tmp_path, LEAST + "  adjutant:a/b:\n    prefLabel: {en: A}\n")
    with pytest.raises(TaxonomyInvalid, match=rf"prompts/taxonomy\.yaml:{AT}: ") as raised:
        taxonomy.load(files)
    assert raised.value.exit_code == 65
    assert raised.value.fix
    assert re.search(r"a/b", files.text(files.tree.taxonomy))


@pytest.fixture
def scheme(tmp_path: Path) -> Scheme:
    return taxonomy.load(
        write(
            tmp_path,
            LEAST
            + (
                "  adjutant:platform/k8s:\n    prefLabel: {en: Kubernetes}\n    broader: adjutant:platform\n"
                "  adjutant:platform/k8s/pods:\n    prefLabel: {en: Pods}\n"
                "    broader: [adjutant:platform/k8s, adjutant:build]\n"
            ),
        )
    )


def test_a_filter_by_a_concept_lets_through_what_is_below_it(scheme: Scheme) -> None:
    below = ("adjutant:platform", "adjutant:platform/k8s", "adjutant:platform/k8s/pods")
    assert scheme.expand("adjutant:platform") == below
    assert scheme.expand("adjutant:build") == ("adjutant:build", "adjutant:platform/k8s/pods")
    assert set(scheme.tops_of("adjutant:platform/k8s/pods")) == {"adjutant:platform", "adjutant:build"}
    assert scheme.tops_of("adjutant:meta") == ("adjutant:meta",)


def test_a_concept_is_found_by_its_id_with_or_without_prefix(scheme: Scheme) -> None:
    for name in ("adjutant:platform/k8s", "platform/k8s", " Platform/K8s "):
        assert scheme.resolve(name) == "adjutant:platform/k8s"
    with pytest.raises(UsageError, match="did you mean `platform`"):
        scheme.resolve("plattform")
    assert scheme.find("") is None


def test_what_ships_compiled_is_what_its_yaml_says() -> None:
    reader = taxonomy.SchemeReader(taxonomy.SHIPPED)
    read, problems = reader.read(package.read("instance", taxonomy.SHIPPED)), reader.problems
    found = taxonomy.own()
    assert not problems
    assert found.concepts == read.concepts
    assert found.pref == read.pref
    assert found.tops() == read.tops()
