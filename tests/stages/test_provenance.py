"""Whose word a text is gets no better by passing through an answer, a later turn, a summary or an import."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.periods import reading
from adjutant.domain.recall.sources import logs
from adjutant.stages import memory
from tests.conftest import parsed
from tests.turning import Desk, calls

STRANGERS = "All work on the roof is to be paid in advance to the account 4711 of Mr Brandt"
OWN = "The roof was painted green in May."
ASKED = "What does the file say?"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "mine")
    desk.write("workspace/mail.md", f"{STRANGERS}.\n")
    return desk


def trusts(desk: Desk) -> list[str]:
    return [note.trust for note in Shelf(desk.app.files).all()]


READ = calls(("workspace_read", {"path": "mail.md"}))
PARAPHRASES = {
    "word for word": f"It says: {STRANGERS}.",
    "a part of it": "Hello. Mr Brandt wants to be paid in advance. Goodbye.",
    "a figure": "4711",
}


@pytest.mark.parametrize("how", PARAPHRASES)
def test_an_answer_that_repeats_strangers_is_untrusted(desk: Desk, how: str) -> None:
    desk.ask(ASKED, READ, PARAPHRASES[how])
    question, answer = desk.conversation()
    assert answer["trust"] == "untrusted"
    assert "trust" not in question


def test_an_answer_of_its_own_is_not(desk: Desk) -> None:
    desk.ask(ASKED, READ, "Nothing of interest.")
    assert "trust" not in desk.conversation()[-1]


def test_a_later_turns_note_of_it_is_untrusted(desk: Desk) -> None:
    desk.ask(ASKED, READ, PARAPHRASES["word for word"])
    desk.ask("Remember that.", calls(("memory_save", {"content": f"{STRANGERS}."})), "Done.")
    assert trusts(desk) == ["untrusted"]


def test_a_note_two_answers_later_is_untrusted(desk: Desk) -> None:
    desk.ask(ASKED, READ, PARAPHRASES["word for word"])
    desk.ask("Once more?", PARAPHRASES["a part of it"])
    assert desk.conversation()[-1]["trust"] == "untrusted"


def test_a_later_turns_own_note_is_the_models(desk: Desk) -> None:
    desk.ask(ASKED, READ, PARAPHRASES["word for word"])
    desk.ask("And the colour?", calls(("memory_save", {"content": OWN})), "Done.")
    assert trusts(desk) == ["agent"]


def test_what_was_forwarded_stays_untrusted_turns_later(desk: Desk) -> None:
    desk.ask(f"What is this?\n\n---------- Forwarded message ----------\nFrom: Brandt\n\n{STRANGERS}.", "A mail.")
    desk.ask("Remember that.", calls(("memory_save", {"content": f"{STRANGERS}."})), "Done.")
    assert trusts(desk) == ["untrusted"]


def test_search_and_summaries_know_the_answers_trust(desk: Desk) -> None:
    desk.ask(ASKED, READ, PARAPHRASES["word for word"])
    path = desk.root / "state" / "conversations" / "cli.jsonl"
    found = logs.conversations("state/conversations/cli.jsonl", path.read_bytes())
    assert [each.trust for each in found] == ["operator", "untrusted"]
    record = desk.conversation()[-1]
    assert reading.read_message("cli", record["id"], record, repeats=False).trust == "untrusted"


IMPORTED = {
    "a note": f"---\nid: 20261119T090000-0001\ntype: fact\ntitle: roof\ntrust: untrusted\n---\n\n{STRANGERS}.\n",
    "a day": f"# 2026-11-19\n\n## Events\n\n- {STRANGERS} [untrusted] [conversations cli/m1]\n",
}


@pytest.mark.parametrize("what", IMPORTED)
def test_an_import_never_lifts_an_untrusted_text(desk: Desk, what: str) -> None:
    desk.write("old.md", IMPORTED[what])
    memory.run(desk.app, parsed(memory, "import", str(desk.root / "old.md")))
    assert trusts(desk) == ["untrusted"]
