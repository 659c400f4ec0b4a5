"""What a message finds: the passages and lines that are about it, never itself, nor its own conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjutant.domain.conversation import briefing
from adjutant.domain.conversation.briefing import Weather
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import classify
from adjutant.domain.recall.wanted import Wanted
from adjutant.index_ports import Document, Hit
from tests.conftest import TestedApp, make_app
from tests.domain.conversation import lived

SOURCES = ["agent_skills", "agent_memory", "vault_index", "slog"]


def looked_up(app: TestedApp, message: str, session: str = "cli", id: str = "", names: str | None = None) -> Weather:
    about = classify(message, taxonomy.load(app.files))
    return briefing.find(app, message, about, briefing.where(app, message, session, id, names=names))


def found(app: TestedApp, message: str) -> list[str]:
    """What stands for each passage that a message brings: path, skill and text together."""
    return [f"{each.path} {each.passage}" for each in looked_up(app, message).found]


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
    assert not any(each.certain for each in looked_up(home, message).answers)


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
    assert Wanted(message).telling == words


def test_one_shared_word_of_many_is_chance_and_two_are_not() -> None:
    wanted = Wanted("parsnips, celeriac, beetroot, kohlrabi, fennel, endives, radicchio and salsify")
    assert len(wanted.telling) == 8
    assert briefing.choose([hit("a", "Fennel", 1.0, "fennel")], wanted) == []
    assert len(briefing.choose([hit("a", "Fennel and salsify", 1.0, "fennel", "salsify")], wanted)) == 1


def test_an_overlap_in_a_common_word_is_no_evidence_and_one_in_a_rare_word_is() -> None:
    wanted = Wanted("which shop sells parsnips and celeriac?")
    common, rare = hit("a", "The shop", 1.0, shop=0.2), hit("b", "Parsnips", 1.0, parsnips=1.0)
    assert [each.id for each in briefing.choose([common, rare], wanted)] == ["b"]


def test_an_index_that_tells_no_rarity_is_believed() -> None:
    plain = Hit(Document("a", "agent_memory", "", "The boiler", "a.md"), 1.0, {"terms": ["boiler"]})
    assert len(briefing.choose([plain], Wanted("the boiler"))) == 1


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("the boiler", "Boilers hum."),
        ("where did we go sailing", "We sailed."),
        ("the oxen and the mice", "A mouse slept."),
        ("猫の餌", "猫の餌は棚にある。"),
        ("Tyres?", "TYRES"),
    ],
)
def test_other_forms_of_a_word_are_found_in_a_passage(asked: str, text: str) -> None:
    assert Wanted(asked).match(text)


def test_a_word_within_another_is_not_that_word() -> None:
    assert Wanted("the age").match("The management met.") == {}


def test_a_word_in_most_of_the_notes_brings_nothing_alone(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="prompt")
    notes = tmp_path / "mine" / "memory" / "notes" / "fact"
    notes.mkdir(parents=True)
    for number in range(300):
        (notes / f"n{number}.md").write_text(f"The shop sold lot {number} of plate{number}.\n")
    (notes / "owner.md").write_text("The shop belongs to Kari.\n")
    assert found(app, "the shop?") == []
    assert found(app, "does the shop have violins or trumpets?") == []
    assert "owner.md" in found(app, "the shop, is it Kari's?")[0]


def test_in_a_folder_of_few_notes_a_word_of_all_of_them_is_not_common(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="prompt")
    notes = tmp_path / "mine" / "memory" / "notes" / "fact"
    notes.mkdir(parents=True)
    for name in ("mast", "engine", "sail"):
        (notes / f"{name}.md").write_text(f"The {name} of the boat was mended.\n")
    assert len(found(app, "tell me about the boat")) == 3


def hit(id: str, text: str, score: float, *terms: str, **rarity: float) -> Hit:
    told = rarity or dict.fromkeys(terms, 1.0)
    return Hit(Document(id, "agent_memory", "", text, f"{id}.md"), score, {"terms": list(told), "rarity": told})


def test_what_holds_little_of_it_stays_out_beside_a_passage_that_holds_all() -> None:
    wanted = Wanted("parsnips celeriac fennel")
    whole = hit("a", "Parsnips, celeriac and fennel", 3.0, "parsnips", "celeriac", "fennel")
    little, half = hit("b", "Fennel", 2.0, "fennel"), hit("c", "Celeriac, fennel", 1.0, "celeriac", "fennel")
    assert [each.id for each in briefing.choose([whole, little, half], wanted)] == ["a", "c"]
    assert [each.id for each in briefing.choose([little], wanted)] == ["b"]


def test_the_order_of_the_search_stands_also_where_its_scores_say_otherwise() -> None:
    wanted = Wanted("fennel")
    found = briefing.choose([hit("a", "Fennel", 1.0, "fennel"), hit("b", "Fennel too", 3.0, "fennel")], wanted)
    assert [(each.id, each.score) for each in found] == [("a", 1.0), ("b", 1.0)]


# -- what is never found -------------------------------------------------------------------------------------


def talk(
    app: TestedApp,
    session: str,
    *texts: str,
    role: str = "operator",
    ts: str = "2026-11-19T09:00:00+00:00",
) -> None:
    path = Path(app.tree.conversation(session))
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"id": f"m{at}", "ts": ts, "role": role, "name": role, "text": text})
        for at, text in enumerate(texts)
    ]
    path.write_text("\n".join([*lines, ""]))


@pytest.fixture
def talked(tmp_path: Path) -> TestedApp:
    """Somebody has said the same in two conversations, the journal and a note."""
    every = [*SOURCES, "journal", "conversations"]
    app = make_app(tmp_path / "mine", verb="prompt", retrieval__weather=every)
    talk(app, "cli", "Where is the zither?", "The zither is in the attic.")
    talk(app, "other", "The zither is in the cellar.")
    root = Path(app.tree.root)
    (root / "journal").mkdir()
    (root / "journal" / "2026-11-18.md").write_text("## 09:00 — Zither\n\nThe zither was tuned.\n")
    return app


def test_a_message_and_its_own_conversation_are_never_found(talked: TestedApp) -> None:
    ids = [each.id for each in looked_up(talked, "Where is the zither?", "cli", "m0").found]
    assert set(ids) == {"other/m0", "2026-11-18#09:00"}


def test_asked_about_the_past_its_own_talk_is_found_once_it_is_over_and_no_more_in_the_prompt(
    talked: TestedApp,
) -> None:
    told = "What did I tell you about the zither?"
    assert {each.id for each in looked_up(talked, told, "cli", "m0").found} == {"other/m0", "2026-11-18#09:00"}
    more = [f"And what about number {number}?" for number in range(30)]
    talk(talked, "cli", "Where is the zither?", "The zither is in the attic.", *more)
    brought = looked_up(talked, told, "cli", "m0")
    assert {"cli/m1", "other/m0", "2026-11-18#09:00"} == {each.id for each in brought.found}
    assert all(each.document.id != "cli/m0" for each in brought.answers)


def test_what_was_said_in_this_very_talk_is_never_found_however_long_it_is(talked: TestedApp) -> None:
    more = [f"And what about number {number}?" for number in range(30)]
    talk(talked, "cli", "Where is the zither?", "The zither is in the attic.", *more, ts="2026-11-20T08:00:00+00:00")
    brought = looked_up(talked, "What did I tell you about the zither?", "cli", "m9")
    assert {each.id for each in brought.found} == {"other/m0", "2026-11-18#09:00"}
    assert not any(each.document.id.startswith("cli/") for each in brought.answers)


def test_conversations_and_journal_are_looked_into_for_the_past_or_by_name(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="prompt", retrieval__weather=SOURCES)
    talk(app, "other", "The zither is in the cellar.")
    assert looked_up(app, "Where is the zither?") == Weather()
    for message, names in (
        ("What did we decide about the zither?", None),
        ("Hva sa du om zither?", None),
        ("Was hast du über die Zither gesagt?", None),
        ("Where is the zither?", "conversations"),
    ):
        assert [each.id for each in looked_up(app, message, names=names).found] == ["other/m0"], message


def test_a_week_that_was_summed_up_is_a_source_of_the_past_alone(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="prompt")
    folder = Path(app.tree.weekly)
    folder.mkdir(parents=True)
    head = "---\nperiod: 2026-W46\n---\n\n## Decisions\n\n"
    (folder / "2026-W46.md").write_text(f"{head}- The zither goes to Kari [journal 2026-11-10 09:00]\n")
    assert looked_up(app, "Who gets the zither?") == Weather()
    assert looked_up(app, "What did we decide about the zither?").found
