"""Which passages are about a message: what it tells, held against what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.domain.conversation import relevance, weather
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import classify
from adjutant.ports import Document, Hit
from tests.conftest import TestedApp, make_app
from tests.domain.conversation import lived


def found(app: TestedApp, message: str) -> list[str]:
    """What stands for each passage that a message brings: path, skill and text together."""
    about = classify(message, taxonomy.load(app.files))
    return [f"{each.path} {each.passage}" for each in weather.find(app, message, about).found]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> TestedApp:
    root = tmp_path_factory.mktemp("home") / "mine"
    app = make_app(root, verb="prompt", retrieval__vault=["vault"])
    lived.live(root)
    return app


@pytest.mark.parametrize(("message", "right"), lived.RIGHT)
def test_a_message_brings_what_answers_it(home: TestedApp, message: str, right: str) -> None:
    assert any(right in each for each in found(home, message)), found(home, message)


@pytest.mark.parametrize("message", lived.NOTHING)
def test_small_talk_and_what_the_folder_does_not_know_bring_nothing(home: TestedApp, message: str) -> None:
    assert found(home, message) == []


def test_what_is_brought_is_little_beside_what_is_right(home: TestedApp) -> None:
    brought = sum(len(found(home, message)) for message, _ in lived.RIGHT)
    assert brought <= 1.5 * len(lived.RIGHT), brought


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Thanks, that was great!", set()),
        ("ok do that", set()),
        ("god morgen, takk for sist", set()),
        ("guten Morgen, danke", set()),
        ("", set()),
        ("🙂", set()),
        ("what is it about?", set()),
        ("see you on Friday", set()),
        ("Where is the boiler?", {"boiler"}),
        ("report and reports", {"report"}),
        ("E4", {"e4"}),
        ("x", set()),
    ],
)
def test_a_message_tells_what_is_left_without_everyday_words(message: str, words: set[str]) -> None:
    assert set(relevance.sought(message).words) == words


def test_an_overlap_in_a_common_word_is_no_evidence_and_one_in_a_rare_word_is() -> None:
    wanted = relevance.sought("which shop sells parsnips and celeriac?")
    common = {"terms": ["shop"], "rarity": [0.2]}
    rare = {"terms": ["parsnips"], "rarity": [1.0]}
    assert sum(relevance.evident(wanted, common).values()) < wanted.needed
    assert sum(relevance.evident(wanted, rare).values()) >= wanted.needed


def test_one_shared_word_of_many_is_chance_and_two_are_not() -> None:
    message = "parsnips, celeriac, beetroot, kohlrabi, fennel, endives, radicchio and salsify"
    wanted = relevance.sought(message)
    assert len(wanted.words) == 8
    one, two = {"fennel": 1.0}, {"fennel": 1.0, "salsify": 1.0}
    passage = Document("n", "agent_memory", "", "Fennel and salsify", "n.md")
    assert relevance.held(passage, passage.text, one) < wanted.needed <= relevance.held(passage, passage.text, two)


def test_a_beginning_of_a_word_counts_for_less_than_the_word() -> None:
    wanted = relevance.sought("does Jon dance?")
    assert relevance.evident(wanted, {"terms": ["jon…"], "rarity": [1.0]}) == {"jon": relevance.BEGINNING}
    assert relevance.evident(wanted, {"terms": ["jon"], "rarity": [1.0]}) == {"jon": 1.0}


def test_an_index_that_tells_no_rarity_is_believed() -> None:
    assert relevance.evident(relevance.sought("the boiler"), {"terms": ["boiler"]}) == {"boiler": 1.0}


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("the boiler", "Boilers hum."),
        ("where did we go sailing", "We sailed."),
        ("children", "The child slept."),
        ("猫の餌", "猫の餌は棚にある。"),
        ("Tyres?", "TYRES"),
    ],
)
def test_other_forms_of_a_word_are_found_in_a_passage(asked: str, text: str) -> None:
    wanted = relevance.sought(asked)
    rare = dict.fromkeys(wanted.words, 1.0)
    assert relevance.held(Document("n", "agent_memory", "", text, "n.md"), text, rare) >= 1.0


def test_a_word_within_another_is_not_that_word() -> None:
    document = Document("n", "agent_memory", "", "The management met.", "n.md")
    assert relevance.held(document, document.text, {"age": 1.0}) == 0.0
    assert relevance.held(document, document.text, {}) == 0.0


def test_a_word_in_most_of_the_notes_brings_nothing_alone(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="prompt")
    notes = tmp_path / "mine" / "memory" / "notes" / "fact"
    notes.mkdir(parents=True)
    for number in range(300):
        (notes / f"n{number}.md").write_text(f"The shop sold lot {number} of plate{number}.\n")
    (notes / "owner.md").write_text("The shop belongs to Kari.\n")
    assert found(app, "the shop?") == [] and found(app, "does the shop have violins or trumpets?") == []
    assert "owner.md" in found(app, "the shop, is it Kari's?")[0]


def test_in_a_folder_of_few_notes_a_word_of_all_of_them_is_not_common(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="prompt")
    notes = tmp_path / "mine" / "memory" / "notes" / "fact"
    notes.mkdir(parents=True)
    for name in ("mast", "engine", "sail"):
        (notes / f"{name}.md").write_text(f"The {name} of the boat was mended.\n")
    assert len(found(app, "tell me about the boat")) == 3


def hit(id: str, text: str, score: float, *terms: str) -> Hit:
    return Hit(
        Document(id, "agent_memory", "", text, f"{id}.md"), score, {"terms": list(terms), "rarity": [1.0] * len(terms)}
    )


def test_what_holds_little_of_it_stays_out_beside_a_passage_that_holds_all() -> None:
    wanted = relevance.sought("parsnips celeriac fennel")
    whole = hit("a", "Parsnips, celeriac and fennel", 3.0, "parsnips", "celeriac", "fennel")
    little, half = hit("b", "Fennel", 2.0, "fennel"), hit("c", "Celeriac, fennel", 1.0, "celeriac", "fennel")
    assert [each.id for each in weather.chosen([whole, little, half], wanted)] == ["a", "c"]
    assert [each.id for each in weather.chosen([little], wanted)] == ["b"]


def test_the_order_of_the_search_stands_also_where_its_scores_say_otherwise() -> None:
    wanted = relevance.sought("fennel")
    found = weather.chosen([hit("a", "Fennel", 1.0, "fennel"), hit("b", "Fennel too", 3.0, "fennel")], wanted)
    assert [(each.id, each.score) for each in found] == [("a", 1.0), ("b", 1.0)]
