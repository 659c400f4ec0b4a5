"""What is on record of the last runs: the newest first, as many as asked for, damage left out and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjutant.judgements import recording
from adjutant.judgements.asking import Asker
from adjutant.replay import history
from adjutant.replay.history import Budget
from adjutant.store.files import Files
from tests.asked import INPUTS, judgement, make, ticking
from tests.rehearsal import Record

TINY, SMALL = judgement(), judgement("small")
OFFLINE = "llm: {backend: offline}\n"


def asked(root: Path, number: int, *kinds: Any) -> str:
    """A run that put these questions; its id."""
    run = f"20261120T09{number:02d}00-ab12"
    asker = Asker(make(root, None, OFFLINE, run=run))
    for kind in kinds or (TINY,):
        asker.ask(kind, INPUTS)
    return run


def files(root: Path) -> Files:
    return make(root, None, OFFLINE).files


def budget(root: Path, seconds: float = 10.0, step: float = 0.0) -> Budget:
    return Budget(make(root, None, OFFLINE, monotonic=ticking(step)).clock, seconds)


def found(root: Path, *names: str, **most: int) -> tuple[list[tuple[str, int]], int]:
    """([(run, number)] of the questions, how many records were damaged)."""
    within = budget(root)
    seen = history.read(files(root), names or ("tiny",), within, **most)
    return [(each.run, each.recorded.number) for each in seen], within.damaged


def test_there_are_no_more_runs_and_no_more_questions_than_allowed(tmp_path: Path) -> None:
    for number in range(4):
        asked(tmp_path, number, TINY, TINY)
    assert len(found(tmp_path, most=3)[0]) == 6
    assert [number for _, number in found(tmp_path, judgements=3)[0]] == [1, 2, 1]


def test_what_is_damaged_is_left_out_and_counted(tmp_path: Path) -> None:
    whole, torn, odd = (asked(tmp_path, number) for number in range(3))
    runs = tmp_path / "state" / "runs"
    (runs / torn / "01-tiny.json").write_text('{"judgement": "ti')
    (runs / odd / "01-tiny.json").write_text("[]")
    (runs / "20261120T095900-ab12").write_text("a file where a folder belongs")
    assert found(tmp_path) == ([(whole, 1)], 3)


def test_a_record_that_is_pruned_meanwhile_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = asked(tmp_path, 1, TINY, TINY)
    there = recording.names(files(tmp_path), run)
    monkeypatch.setattr(recording, "names", lambda files, run: there)
    (tmp_path / "state" / "runs" / run / there[0]).unlink()
    assert found(tmp_path) == ([(run, 2)], 1)


def test_nothing_is_read_when_time_is_up(tmp_path: Path) -> None:
    for number in range(4):
        asked(tmp_path, number)
    spent = budget(tmp_path, 2.0, step=1.0)
    assert len(history.read(files(tmp_path), ("tiny",), spent)) == 1
    assert spent.ran_out


# -- messages ------------------------------------------------------------------------------------------------


def messages(record: Record) -> list[str]:
    app = record.app()
    return [each.message for each in history.turns(app.files, Budget(app.clock))]


def test_a_message_without_its_directives_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.ask("KEEP: short answers\nAnd the plumber?")
    assert messages(record) == ["And the plumber?"]


def test_a_delegated_task_is_no_message(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.ask("Work on it", None, "--session", "task-t1")
    assert messages(record) == []


def test_a_damaged_turn_is_left_out(tmp_path: Path) -> None:
    record = Record(tmp_path)
    run = record.ask("Real?")
    (path,) = (tmp_path / "state" / "runs" / run).glob("*-turn.json")
    kept = json.loads(path.read_text())
    kept["inputs"]["message"] = 7
    path.write_text(json.dumps(kept))
    assert messages(record) == []
