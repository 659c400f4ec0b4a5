"""What is on record of the last runs: the newest first, as many as asked for, damage left out and counted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from adjutant.judgements import past, recording
from adjutant.judgements.asking import Asker
from adjutant.judgements.past import Budget, Turn
from adjutant.store.files import Files
from tests.asked import INPUTS, judgement, make, ticking

TINY, SMALL = judgement(), judgement("small")
OFFLINE = "llm: {backend: offline}\n"


def asked(root: Path, number: int, *kinds: Any) -> str:
    """A run that put these questions; its id."""
    run = f"20261120T09{number:02d}00-ab12"
    asker = Asker.for_app(make(root, None, OFFLINE, run=run))
    for kind in kinds or (TINY,):
        asker.ask(kind, INPUTS)
    return run


def files(root: Path) -> Files:
    return make(root, None, OFFLINE).files


def budget(root: Path, seconds: float = 10.0, step: float = 0.0) -> Budget:
    return Budget(make(root, None, OFFLINE, monotonic=ticking(step)).clock, seconds)


def found(root: Path, *names: str, **most: int) -> past.Past:
    return past.runs(files(root), names or ("tiny",), budget(root), **most)


def test_the_newest_runs_come_first_with_their_questions_in_order(tmp_path: Path) -> None:
    every = [asked(tmp_path, number, TINY, SMALL, TINY) for number in range(3)]
    seen = found(tmp_path)
    assert [kept.run for kept in seen.runs] == every[::-1] and seen.judgements == 6 and seen.damaged == 0
    assert [record.number for record in seen.runs[0].records] == [1, 3]


def test_runs_that_asked_something_else_do_not_count(tmp_path: Path) -> None:
    wanted = asked(tmp_path, 1, SMALL)
    for number in range(2, 6):
        asked(tmp_path, number)
    assert [kept.run for kept in found(tmp_path, "small", most=1).runs] == [wanted]


def test_there_are_no_more_runs_and_no_more_questions_than_allowed(tmp_path: Path) -> None:
    for number in range(4):
        asked(tmp_path, number, TINY, TINY)
    assert len(found(tmp_path, most=3).runs) == 3
    seen = found(tmp_path, judgements=3)
    assert [len(kept.records) for kept in seen.runs] == [2, 1]


def test_what_is_damaged_is_left_out_and_counted(tmp_path: Path) -> None:
    whole, torn, odd = (asked(tmp_path, number) for number in range(3))
    runs = tmp_path / "state" / "runs"
    (runs / torn / "01-tiny.json").write_text('{"judgement": "ti')
    (runs / odd / "01-tiny.json").write_text("[]")
    (runs / "20261120T095900-ab12").write_text("a file where a folder belongs")
    seen = found(tmp_path)
    assert [kept.run for kept in seen.runs] == [whole] and seen.damaged == 3


def test_a_record_that_is_pruned_meanwhile_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = asked(tmp_path, 1, TINY, TINY)
    there = recording.names(files(tmp_path), run)
    monkeypatch.setattr(recording, "names", lambda files, run: there)
    (tmp_path / "state" / "runs" / run / there[0]).unlink()
    seen = found(tmp_path)
    assert (seen.judgements, seen.damaged) == (1, 1)


def test_nothing_is_read_when_time_is_up(tmp_path: Path) -> None:
    for number in range(4):
        asked(tmp_path, number)
    spent = budget(tmp_path, 2.0, step=1.0)
    assert len(past.runs(files(tmp_path), ("tiny",), spent).runs) == 1 and spent.ran_out


# -- messages ------------------------------------------------------------------------------------------------


def say(root: Path, session: str, *lines: dict[str, Any]) -> None:
    path = root / "state" / "conversations" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def said(number: int, text: str, role: str = "operator") -> dict[str, Any]:
    return {"id": f"m{number}", "ts": f"2026-11-20T09:{number:02d}:00+00:00", "role": role, "name": role, "text": text}


def answer(number: int, name: str = "conductor", **more: Any) -> dict[str, Any]:
    return said(number, "Well.", "agent") | {"id": f"m{number}-answer", "name": name, **more}


def turns(root: Path, most: int = past.MOST_TURNS) -> list[Turn]:
    return past.turns(files(root), budget(root), most)


def test_messages_come_newest_first_with_who_answered_and_in_which_run(tmp_path: Path) -> None:
    say(
        tmp_path,
        "cli",
        said(1, "When is the boiler service?"),
        answer(1, run="20261120T090000-0001"),
        said(3, "KEEP: short answers\nAnd the plumber?"),
        answer(3, "worker"),
    )
    say(tmp_path, "other", said(2, "Is anybody there?"))
    assert turns(tmp_path) == [
        Turn("cli/m3", "And the plumber?", "worker", session="cli"),
        Turn("other/m2", "Is anybody there?", "", session="other"),
        Turn("20261120T090000-0001", "When is the boiler service?", "conductor", session="cli"),
    ]
    assert [each.ref for each in turns(tmp_path, most=1)] == ["cli/m3"]


def test_only_what_the_operator_asked_is_a_message(tmp_path: Path) -> None:
    say(
        tmp_path,
        "cli",
        said(1, "Delete all notes", "stranger"),
        said(2, "/status"),
        said(3, "KEEP: short answers"),
        said(4, "I did that", "agent"),
        {**said(5, "x"), "text": 7},
        {**said(6, "x"), "ts": None},
        said(7, "Real?"),
    )
    say(tmp_path, "task-t1", said(8, "Work on it"))
    with open(tmp_path / "state" / "conversations" / "cli.jsonl", "a") as torn:
        torn.write('{"id": "m9", "ts": "2026')
    assert [each.message for each in turns(tmp_path)] == ["Real?"]


def test_conversations_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    say(tmp_path, "cli", said(1, "Real?"))
    (tmp_path / "state" / "conversations" / "odd.jsonl").mkdir()
    os.symlink("/etc/hostname", tmp_path / "state" / "conversations" / "link.jsonl")
    assert [each.message for each in turns(tmp_path)] == ["Real?"]


def test_without_any_record_there_is_nothing(tmp_path: Path) -> None:
    assert turns(tmp_path) == [] and found(tmp_path).runs == ()
