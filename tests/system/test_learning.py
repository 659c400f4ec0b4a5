"""Weeks of asking, looked at through the shell: what returns becomes a suggestion with its proof, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.learning import target
from adjutant.records import evolution_log
from adjutant.records import note as note_file
from adjutant.records import suggestion as finding
from adjutant.records.suggestion import Suggestion
from adjutant.store.files import Files, sha256
from adjutant.store.tree import Tree
from tests.domain.learning.analysis.asking import NOW, Record, made_up, stands
from tests.modelserver import ModelServer
from tests.system.test_model import asked, prompt
from tests.system.world import World

NOTE = "20260110T100000-0001"
VEKU = "Zorb veku nal tirru."  # of no language that there is
DAYS = (20, 9, 0.3)


def suggestions(root: Path) -> list[Suggestion]:
    return [held.suggestion for held in evolution_log.read(Files(Tree(str(root)))).held.values()]


def live(record: Record, *asked: tuple[str, str] | str, **more: Any) -> None:
    for day in DAYS:
        record.session(day, *asked, **more)


def begun(root: Path) -> Record:
    record = Record(root, evolution__min_interactions=10)
    record.write("identity/soul.md", "# Soul\n\nCalm and exact.\n")
    record.everyday(30)
    record.everyday(10, days=0.8)
    return record


def world_of(record: Record) -> World:
    record.app()
    return World(record.root, NOW.isoformat())


def planted(root: Path) -> World:
    """Of every kind that needs no model one."""
    record = begun(root)
    live(record, "whom does the bill go to?", "Invoices go to Berg now.")
    live(record, ("Where is the alarm code?", "It is kept in the safe."))
    live(record, "how is the weather?", "From now on answer in German.")
    made = note_file.Note(
        id=NOTE, type="fact", title="Context", body="Use the context prod.", created="2026-01-10T10:00:00+00:00"
    )
    record.write(f"memory/notes/fact/{NOTE}.md", note_file.render(made))
    for number in range(12):
        fields = {"outcome": "failed", "cause": "unreachable", "friction_signals": ("failed",)} if number < 8 else {}
        record.session(2 * number + 0.2, f"build {made_up(number)}", concept="adjutant:build", agent="coder", **fields)
        used = (f"agent_memory/{NOTE}",) * (number % 4 != 0)
        record.session(2 * number + 0.4, f"is {made_up(number)} up?", concept="adjutant:platform", used=used)
    record.settings |= {"specialists": {"coder": {"workloads": ["build"]}}}
    return world_of(record)


@pytest.fixture
def looked(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, dict[str, Any]]:
    """One look by the real entry point, for all tests: those that change something copy it."""
    if not _LOOKED:
        world = planted(tmp_path_factory.mktemp("learning") / "instance")
        _LOOKED.append((world, world.result("evolve", timeout=120)))
    return _LOOKED[0]


_LOOKED: list[tuple[World, dict[str, Any]]] = []
Looked = tuple[World, dict[str, Any]]


# -- without a model -----------------------------------------------------------------------------------------


def test_each_thing_that_returns_is_suggested_once(looked: Looked) -> None:
    found = [(each.cause, each.kind) for each in suggestions(looked[0].root)]
    assert sorted(found) == sorted(((finding.CORRECTION, "memory"),))


def test_all_else_is_told_in_words(looked: Looked) -> None:
    told = " ".join(each["title"] for each in looked[1]["words"])
    assert "is used in most turns about platform" in told
    assert "coder often fails at build" in told


def test_every_proof_stands_in_the_record(looked: Looked) -> None:
    world = looked[0]
    assert all(
        stands(world.root, quote.ref, quote.text)
        for each in suggestions(world.root)
        for quote in each.evidence
        if quote.text
    )


def test_each_diff_makes_of_its_file_what_was_rehearsed(looked: Looked) -> None:
    world = looked[0]
    for each in suggestions(world.root):
        path = world.root / each.path
        before = path.read_bytes().decode() if path.exists() else None
        after = target.apply_diff(before, each.diff)
        assert sha256((after or "").encode()) == each.after_sha


def test_the_report_tells_each_and_that_it_is_offline(looked: Looked) -> None:
    world, result = looked
    text = world.text(result["path"])
    assert all(f"adjutant evolve accept {each.id}" in text for each in suggestions(world.root))
    assert "Offline: I compared words as they stand" in text


def test_advice_is_no_notice(looked: Looked) -> None:
    assert looked[1]["notice"] is None
    assert looked[0].outbox() == []


def test_the_next_digest_names_what_waits(looked: Looked, tmp_path: Path) -> None:
    world = looked[0].copy(tmp_path / "instance")
    world.settings(review__deliver="always")
    world.result("review")
    assert "Waiting for your word: 1 suggestion: adjutant evolve list" in world.outbox()[0]


def test_a_second_look_doubles_nothing(looked: Looked, tmp_path: Path) -> None:
    world = looked[0].copy(tmp_path / "instance")
    world.result("evolve", now="2026-11-20T18:30:00+00:00")
    assert len(suggestions(world.root)) == 1


def test_nothing_comes_of_weeks_in_which_nothing_returns(tmp_path: Path) -> None:
    record = begun(tmp_path)
    record.session(9, "whom does the bill go to?", "Invoices go to Berg now.")
    record.session(0.3, "whom does the bill go to?", "Invoices go to Berg now.")
    live(record, "hello", "Thanks, that is all.")
    assert world_of(record).result("evolve")["suggestions"] == []


def test_too_little_is_no_ground_to_guess(tmp_path: Path) -> None:
    record = Record(tmp_path, evolution__min_interactions=10)
    live(record, "whom?", "Invoices go to Berg now.")
    result = world_of(record).result("evolve")
    assert (result["outcome"], result["read"], result["needed"]) == ("not_enough_data", 6, 10)


def test_a_made_up_language_is_looked_at_the_same(tmp_path: Path) -> None:
    record = begun(tmp_path)
    live(record, "Mirru zorb hask?", VEKU)
    [row] = world_of(record).result("evolve")["suggestions"]
    assert row["title"] == f'Remember: "{VEKU}"'


def test_from_the_first_word_to_a_suggestion(tmp_path: Path) -> None:
    """Nothing but what is said to `ask` is written by a hand."""
    world = World(tmp_path, NOW.isoformat())
    world.write("identity/soul.md", "# Soul\n\nCalm and exact.\n")
    world.settings()
    for day in (17, 18, 20):
        for number, text in enumerate(("which wood is the table of?", VEKU, "how deep is the fjord?", "who rang?")):
            world.run("ask", "--session", f"s{day}", text, now=f"2026-11-{day}T09:0{number}:00+00:00")
    [row] = world.result("evolve", "--hours", "200")["suggestions"]
    assert row["title"] == f'Remember: "{VEKU}"'


# -- with a model --------------------------------------------------------------------------------------------

SAID = ("No, the invoices are for Berg.", "Bills go to Berg, I told you.", "Berg gets our invoices, not Hansen.")
QUIET = json.dumps({"suggestions": []})


def talked(root: Path, *said: str) -> World:
    record = begun(root)
    for day, each in zip(DAYS, said, strict=True):
        record.session(day, "send the invoice of October", each)
    return world_of(record)


def answering(root: Path, answer: Callable[[str], str], *said: str) -> tuple[World, dict[str, Any], str]:
    """A look with a model: (the world, the result, what the model was shown)."""
    world = talked(root, *said)
    with ModelServer(answer=lambda body: answer(prompt(body)) if asked(body) == "evolve" else QUIET) as server:
        world.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="m")
        result = world.result("evolve")
        shown = prompt(server.requests[0].body)
    return world, result, shown


def remember(shown: str) -> str:
    """What returned in other words, by the handles of the messages that say so."""
    handles = re.findall(r"^(m\d+) \(.*\]: .*(?:Berg)", shown, re.MULTILINE)
    cited = [{"handle": each, "quote": "Berg"} for each in handles]
    made = {"reason": "Berg was named three times.", "evidence": cited, "kind": "memory", "target": ""}
    made |= {"text": "Our invoices go to Berg, not Hansen.", "title": "Invoices go to Berg", "effect": "It is known."}
    made["evidence"] = [{"handle": handles[-1], "quote": "Berg gets our invoices, not Hansen"}, *cited[:-1]]
    return json.dumps({"suggestions": [made]})


def test_what_returns_in_other_words_is_a_model_s_to_find(tmp_path: Path) -> None:
    world, result, _ = answering(tmp_path, remember, *SAID)
    [found] = suggestions(tmp_path)
    assert (found.kind, found.title) == ("memory", "Invoices go to Berg")
    assert len({quote.ref for quote in found.evidence}) == 3
    assert result["model_calls"] == 1
    assert world.result("runs", "replay", result["run"])["differences"] == []


def test_its_words_are_the_agent_s_where_nobody_said_them(tmp_path: Path) -> None:
    answering(tmp_path, lambda shown: remember(shown).replace("Our invoices go", "All post is mailed"), *SAID)
    [found] = suggestions(tmp_path)
    assert "\n+trust: agent\n" in found.diff


def test_nothing_comes_of_small_talk(tmp_path: Path) -> None:
    _, result, shown = answering(tmp_path, lambda shown: QUIET, "good morning", "lovely weather", "see you")
    assert result["suggestions"] == []
    assert "lovely weather" in shown


def test_a_suggestion_without_a_source_is_dropped(tmp_path: Path) -> None:
    answering(tmp_path, lambda shown: remember(shown).replace('"quote": "Berg', '"quote": "Nobody said'), *SAID)
    assert suggestions(tmp_path) == []


# -- what a person then does ---------------------------------------------------------------------------------


def test_a_person_accepts_and_takes_back(looked: Looked, tmp_path: Path) -> None:
    world = looked[0].copy(tmp_path / "instance")
    note = next(each for each in suggestions(world.root) if each.cause == finding.CORRECTION)
    assert world.result("evolve", "show", note.id)["suggestion"]["diff"] == note.diff
    assert world.result("evolve", "accept", note.id)["status"] == "accepted"
    assert "Berg" in world.result("memory", "search", "who do invoices go to?")["hits"][0]["text"]
    assert world.result("evolve", "revert", note.id)["status"] == "reverted"
    assert not (world.root / note.path).exists()


def test_a_person_rejects(looked: Looked, tmp_path: Path) -> None:
    world = looked[0].copy(tmp_path / "instance")
    first = suggestions(world.root)[0]
    assert world.result("evolve", "reject", first.id, "--reason", "Berg leaves in May")["status"] == "rejected"
    assert first.id not in {row["id"] for row in world.result("evolve", "list")["suggestions"]}
