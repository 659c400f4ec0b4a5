"""Verbs that take a person's words take them on standard input too, so that none need stand in a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant import runner
from adjutant.app import Outcome
from adjutant.commands import ROWS
from adjutant.errors import AdjutantError, BehaviorUnknown, CheckFailed, MemoryUnknown, UsageError
from adjutant.parsing import parse
from adjutant.store import switches
from tests.conftest import make_app


def given(root: Path, stdin: str, *words: str) -> Outcome:
    row = ROWS.get(" ".join(words[:2])) or ROWS[words[0]]
    args = parse(row, list(words[1:]))
    return runner.run(row, args, make_app(root, verb=row.verb, stdin=stdin))


def test_a_directive_and_its_id_are_read(tmp_path: Path) -> None:
    made = given(tmp_path, "KEEP: short answers\n", "behavior", "add", "-").result
    assert made["outcome"] == "added"
    assert made["directive"]["text"] == "short answers"
    gone = given(tmp_path, f"{made['directive']['id']}\n", "behavior", "remove", "-").result
    assert gone["outcome"] == "removed"
    assert gone["directive"]["id"] == made["directive"]["id"]


def test_a_note_is_found_and_forgotten(tmp_path: Path) -> None:
    kept = given(tmp_path, "The boiler needs its service in May.", "memory", "save", "-").result
    found = given(tmp_path, "boiler service", "memory", "search", "-").result["hits"]
    assert [hit["id"] for hit in found] == [kept["id"]]
    assert given(tmp_path, f" {kept['id']} \n", "memory", "forget", "-").result["ids"] == [kept["id"]]


def test_the_name_of_a_knowledge_base_and_the_question_are_read(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "boiler.md").write_text("# Boiler\n\nThe boiler was serviced in May.\n")
    given(tmp_path, "", "kb", "add", "house", str(tmp_path / "house"))
    told = given(tmp_path, "house when was the boiler serviced?\n", "kb", "query", "-").result
    assert told["kb"] == "house"
    assert "May" in told["answer"]
    again = given(tmp_path, "house\nwhen was the boiler serviced?\n", "kb", "query", "-").result
    assert again["answer"] == told["answer"]


def test_the_reason_of_a_switch_is_one_line(tmp_path: Path) -> None:
    given(tmp_path, "away\nuntil Monday\n", "pause", "-")
    assert switches.reason(str(tmp_path / "PAUSED")) == "away until Monday"
    assert (tmp_path / "PAUSED").read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("words", "stdin", "error", "told"),
    [
        (("why", "-"), "no-such-thing\n", CheckFailed, "no-such-thing"),
        (("mark", "-", "done"), "no-such-thing\n", CheckFailed, "no-such-thing"),
        (("mark", "-", "snooze"), "no-such-thing 2026-12-24\n", CheckFailed, "no-such-thing"),
        (("mark", "-", "snooze"), "one 24 december at noon or so", UsageError, "one name"),
        (("mark", "-", "snooze"), "one some day soon", UsageError, "snooze needs a day, not `some day soon`"),
        (("mark", "-", "snooze"), "one", UsageError, "snooze needs a day"),
        (("mark", "-", "done"), " \n", UsageError, "one name"),
        (("behavior", "promote", "-"), "keep-zz\n", BehaviorUnknown, "keep-zz"),
        (("behavior", "reject", "-"), "keep-zz\n", BehaviorUnknown, "keep-zz"),
        (("memory", "forget", "-"), "n-zzzz\n", MemoryUnknown, "n-zzzz"),
        (("memory", "forget", "-"), "\n", UsageError, "which notes"),
        (("kb", "query", "-"), "house\n", UsageError, "question is empty"),
        (("kb", "query", "-", "what is due?"), "house when?\n", UsageError, "reads the name and the question"),
    ],
)
def test_what_is_refused_is_what_was_read(
    tmp_path: Path,
    words: tuple[str, ...],
    stdin: str,
    error: type[AdjutantError],
    told: str,
) -> None:
    with pytest.raises(error) as refused:
        given(tmp_path, stdin, *words)
    assert told in refused.value.message
