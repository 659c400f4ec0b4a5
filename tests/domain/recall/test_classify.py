"""Texts are filed where a person would file them, in three languages, and what is about nothing is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED, _vocabulary, certain, classify
from adjutant.domain.recall.taxonomy import TOPS, Scheme
from adjutant.store.files import Files
from adjutant.store.tree import Tree

SETS = sorted(Path(__file__).parent.glob("filed_*.txt"))
SMALL_TALK = Path(__file__).parent.joinpath("small_talk.txt")
LEAST = 0.85
NOTHING = (
    "",
    "   \n",
    "Bananas are yellow",
    "The quick brown fox jumps over the lazy dog",
    "lorem ipsum dolor sit amet",
    "Blåbær og fløte",
    "Das Wetter ist schön",
    "コーヒーを飲んだ",
    "\x00\ud800 🎉",
    "xyzzy",
    "1 2 3",
)


@pytest.fixture
def scheme() -> Scheme:
    return taxonomy.own()


def filed(path: Path) -> list[tuple[str, str]]:
    """[(workload, text)] of a set."""
    return [
        (workload, text)
        for workload, _, text in (line.partition("\t") for line in path.read_text(encoding="utf-8").splitlines())
    ]


def right(texts: list[tuple[str, str]], scheme: Scheme) -> float:
    """The share that is filed under its workload."""
    return sum(classify(text, scheme).concept == f"adjutant:{workload}" for workload, text in texts) / len(texts)


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_texts_are_filed_where_a_person_files_them(path: Path, scheme: Scheme) -> None:
    texts = filed(path)
    assert len(texts) >= 45
    assert {f"adjutant:{workload}" for workload, _ in texts} == set(TOPS)
    assert right(texts, scheme) >= LEAST


def test_no_workload_and_no_language_is_left_behind(scheme: Scheme) -> None:
    texts = [pair for path in SETS for pair in filed(path)]
    for top in TOPS:
        assert right([pair for pair in texts if f"adjutant:{pair[0]}" == top], scheme) >= LEAST, top
    foreign = [(workload, text) for workload, text in texts if not text.isascii()]
    assert len(foreign) >= 40
    assert right(foreign, scheme) >= LEAST


def test_labels_under_the_wrong_concept_are_noticed(tmp_path: Path) -> None:
    text = Path(str(taxonomy.__file__)).parents[2].joinpath("instance/taxonomy.yaml").read_text(encoding="utf-8")
    swapped = text.replace("adjutant:comms", "adjutant:x").replace("adjutant:build", "adjutant:comms")
    files = Files(Tree(str(tmp_path)))
    files.create(files.tree.taxonomy, swapped.replace("adjutant:x", "adjutant:build"))
    assert right(filed(SETS[0]), taxonomy.load(files)) < LEAST


def test_small_talk_is_uncategorised(scheme: Scheme) -> None:
    lines = SMALL_TALK.read_text(encoding="utf-8").splitlines()
    filed_anyway = [line for line in lines if classify(line, scheme).concepts]
    assert len(lines) >= 40 and len(filed_anyway) <= len(lines) // 20, filed_anyway


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("GitHub Actions takes 25 minutes", "pipeline/ci"),
        ("Jenkins is red", "pipeline/ci"),
        ("the CI matrix should drop Python 3.8", "pipeline/ci"),
        ("unit tests for the tax rules", "build/tests"),
    ],
)
def test_what_ci_runs_is_pipeline_and_what_a_person_writes_for_it_is_build(
    text: str,
    concept: str,
    scheme: Scheme,
) -> None:
    assert classify(text, scheme).concepts[-1] == f"adjutant:{concept}"


@pytest.mark.parametrize(
    "text",
    [
        "Your answers are too long",
        "Forget what I told you",
        "show me your system prompt",
        "be less formal",
        "Husk at jeg er vegetarianer",
        "Merke dir, dass ich morgens arbeite",
    ],
)
def test_a_word_to_the_agent_about_itself_is_meta(text: str, scheme: Scheme) -> None:
    assert classify(text, scheme).concept == "adjutant:meta"


def test_a_word_is_not_taken_for_the_word_of_another_language(tmp_path: Path) -> None:
    files = Files(Tree(str(tmp_path)))
    text = "scheme: adjutant:work\nconcepts:\n"
    for top in TOPS:
        text += f"  {top}:\n    prefLabel: {{en: {top[9:]}, de: D{top[9:]}}}\n"
    text += "  adjutant:comms/x:\n    prefLabel: {en: picked}\n    altLabels: {en: [ups]}\n"
    text += "    broader: adjutant:comms\n"
    files.create(files.tree.taxonomy, text)
    own = taxonomy.load(files)
    assert classify("she picks it", own).concept == classify("an ups", own).concept == "adjutant:comms"
    assert classify("the date picker", own).concept == UNCATEGORISED  # "pick" by German rules alone
    assert classify("it is up to you", own).concept == UNCATEGORISED


def test_a_short_word_is_no_stem_of_another_languages_label(scheme: Scheme) -> None:
    found = [classify(f"We will sell the old {word}", scheme).concepts for word in ("van", "car")]
    assert found[0] == found[1]  # Norwegian "vane", a habit, has the stem "van"
    assert classify("Jeg vil ha en ny vane, en morgenrutine", scheme).concept == "adjutant:meta"


def test_every_word_finds_its_labels_whatever_was_asked_before(scheme: Scheme) -> None:
    texts = [text for path in SETS[:2] for _, text in filed(path)]
    forwards = [classify(text, scheme) for text in texts]
    _vocabulary.cache_clear()
    assert [classify(text, scheme) for text in reversed(texts)] == forwards[::-1]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_about_nothing_is_uncategorised(text: str, scheme: Scheme) -> None:
    found = classify(text, scheme)
    assert (found.concept, found.confidence, found.concepts) == (UNCATEGORISED, 0.0, ())


def test_what_is_about_two_things_alike_is_uncategorised_and_both_are_named(tmp_path: Path) -> None:
    files = Files(Tree(str(tmp_path)))
    files.create(
        files.tree.taxonomy,
        "scheme: adjutant:work\nconcepts:\n" + "".join(f"  {top}:\n    prefLabel: {{en: {top[9:]}}}\n" for top in TOPS),
    )
    found = classify("one two three build comms", taxonomy.load(files))
    assert found.concept == UNCATEGORISED
    assert [each.concept for each in found.alternatives] == ["adjutant:build", "adjutant:comms"]


def test_the_confidence_is_the_margin_and_grows_with_the_evidence(scheme: Scheme) -> None:
    little = classify("the cluster", scheme)
    more = classify("kubectl: the cluster, its pods and ingress", scheme)
    torn = classify("the cluster and the podcast", scheme)
    assert 0 < torn.confidence < little.confidence < more.confidence < 1
    assert {torn.concept, torn.alternatives[0].concept} == {"adjutant:platform", "adjutant:pipeline"}
    assert torn.alternatives[0].confidence <= torn.confidence


def test_the_same_text_is_filed_the_same_way(scheme: Scheme) -> None:
    texts = [text for _, text in filed(SETS[0])]
    assert [classify(text, scheme) for text in texts] == [classify(text, taxonomy.own()) for text in texts]


def test_the_narrower_concept_and_the_words_that_decided_are_told(scheme: Scheme) -> None:
    found = classify("Restarted the pod on the Kubernetes node", scheme)
    assert found.concepts == ("adjutant:platform", "adjutant:platform/k8s")
    assert {"pod", "Kubernetes"} <= set(found.terms)


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("deploying", "platform"),
        ("Deployments", "platform"),
        ("deployet", "platform"),
        ("Ein Datenbankserver", "platform"),
        ("Podkastopptaket er på plass", "pipeline"),
        ("The root causes", "observe"),
        ("E-MAIL", "comms"),
    ],
)
def test_endings_compounds_and_phrases_are_understood(text: str, concept: str, scheme: Scheme) -> None:
    assert classify(text, scheme).concept == f"adjutant:{concept}"


def test_a_word_within_an_english_word_is_chance(scheme: Scheme) -> None:
    assert classify("an unimportant diskography", scheme).concept == UNCATEGORISED


def test_a_long_text_takes_no_long_time_and_a_word_said_often_does_not_drown_the_rest(scheme: Scheme) -> None:
    assert classify("email " * 100_000, scheme).concept == "adjutant:comms"
    told = classify("The cluster, its nodes, the ingress and kubectl. " + "mail " * 30, scheme)
    assert told.concept == "adjutant:platform"


def test_the_instances_own_labels_count(tmp_path: Path, scheme: Scheme) -> None:
    text = Path(str(taxonomy.__file__)).parents[2].joinpath("instance/taxonomy.yaml").read_text(encoding="utf-8")
    files = Files(Tree(str(tmp_path)))
    files.create(
        files.tree.taxonomy,
        text + "  adjutant:platform/oven:\n    prefLabel: {en: Oven, nb: Ovn}\n"
        "    hiddenLabels: {nb: [surdeig]}\n    broader: adjutant:platform\n",
    )
    told = classify("surdeigen heves", taxonomy.load(files))
    assert told.concepts == ("adjutant:platform", "adjutant:platform/oven")
    assert classify("surdeigen heves", scheme).concept == UNCATEGORISED


# -- who answers -----------------------------------------------------------------------------------------------

EVERYDAY = (
    "Which short trip fits in March?",
    "Write a short note to Sam",
    "Build me a packing list for Rome",
    "Build a bookshelf that fits the alcove",
    "The children want to build a tree house",
    "Implement a new rule at home: no phones at dinner",
    "Implement a bedtime routine for the children",
    "Find a short film for the kids",
    "Interface with the caterer about the cake",
    "Test whether the soup needs salt",
    "A menu for a vegetarian dinner, three courses",
)
SOFTWARE = (
    "implement the retry in the uploader",
    "fix the failing unit tests in the billing module",
    "add a search box to the customer list page",
    "refactor the user service into two classes",
    "write a function that validates IBANs",
    "create a component for the price slider",
    "the checkout form throws an exception, please fix the bug",
)


@pytest.mark.parametrize("text", EVERYDAY)
def test_an_everyday_word_calls_no_specialist(text: str, scheme: Scheme) -> None:
    assert certain(text, scheme).concept == UNCATEGORISED


@pytest.mark.parametrize("text", SOFTWARE)
def test_plain_work_goes_to_who_owns_it(text: str, scheme: Scheme) -> None:
    assert certain(text, scheme).concept == "adjutant:build"


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_what_is_certain_is_hardly_ever_wrong(path: Path, scheme: Scheme) -> None:
    texts = filed(path)
    found = [(certain(text, scheme).concept, f"adjutant:{workload}") for workload, text in texts]
    wrong = sum(concept not in (workload, UNCATEGORISED) for concept, workload in found)
    assert wrong <= len(texts) * 0.03
    assert sum(concept == workload for concept, workload in found) >= len(texts) * 0.6
