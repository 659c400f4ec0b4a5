"""A stage that fails three times running says so, once a day, within the budget, and never in the way of its error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands, parsing, runner
from adjutant.domain.heartbeat import failures
from adjutant.errors import AdjutantError, ConfigInvalid
from adjutant.ports import Notifier
from tests.conftest import NOW, TestedApp, make_app


def run(root: Path, now: str, verb: str = "pulse", number: int = 0, **more: Any) -> TestedApp:
    """One run, whatever comes of it. `number` makes the run's id."""
    app = make_app(root, now=now, verb=verb, run=f"20261120T090000-{number:04x}", **more)
    row = commands.ROWS[verb]
    try:
        runner.run(row, parsing.parse(row, []), app)
    except AdjutantError as error:
        app.said.append(f"ended: {error.message}")
    return app


def failed(root: Path, stage: str, now: str = NOW) -> int:
    app = make_app(root, now=now)
    return failures.in_a_row(app.files, app.clock, stage)


def break_registry(root: Path, text: str = "- name: [broken\n") -> None:
    (root / "knowledge_bases").mkdir(parents=True, exist_ok=True)
    (root / "knowledge_bases" / "registry.yaml").write_text(text)


def notices(root: Path) -> list[dict[str, Any]]:
    path = root / "state" / "notices.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def outbox(root: Path) -> str:
    path = root / "state" / "outbox.md"
    return path.read_text() if path.exists() else ""


def times(day: int, count: int) -> list[str]:
    return [f"2026-11-{day}T{hour:02d}:00:00+00:00" for hour in range(9, 9 + count)]


def test_the_third_failure_in_a_row_is_told_once_a_day(tmp_path: Path) -> None:
    break_registry(tmp_path)
    for number, now in enumerate(times(20, 2)):
        run(tmp_path, now, number=number)
    assert outbox(tmp_path) == ""
    for number, now in enumerate([*times(20, 5)[2:], *times(21, 2)], 2):
        run(tmp_path, now, number=number)
    lines = [line for line in outbox(tmp_path).splitlines() if "[adjutant]" in line]
    assert len(lines) == 2
    assert "pulse failed 3 times in a row: " in lines[0]
    assert "registry.yaml" in lines[0]
    assert lines[0].endswith("adjutant doctor")
    sent = [notice for notice in notices(tmp_path) if notice["event"] == "sent"]
    assert [notice["key"] for notice in sent] == ["failed-pulse-2026-11-20", "failed-pulse-2026-11-21"]
    assert {notice["kind"] for notice in sent} == {"failure"}


def test_one_success_begins_the_count_anew_and_stops_and_dry_runs_do_not_count(tmp_path: Path) -> None:
    first, second, third, fourth, fifth, sixth, seventh = times(20, 7)
    break_registry(tmp_path)
    run(tmp_path, first, number=1)
    run(tmp_path, second, number=2)
    run(tmp_path, second, number=3, dry_run=True)
    break_registry(tmp_path, "[]\n")
    run(tmp_path, third, number=4)
    break_registry(tmp_path)
    run(tmp_path, fourth, number=5)
    run(tmp_path, fifth, number=6)
    assert outbox(tmp_path) == ""
    assert failed(tmp_path, "pulse") == 2
    run(tmp_path, sixth, number=7, dry_run=True)
    assert outbox(tmp_path) == ""
    run(tmp_path, seventh, number=8)
    assert "3 times" in outbox(tmp_path)


def test_each_stage_counts_for_itself_and_an_unscheduled_one_says_nothing(tmp_path: Path) -> None:
    make_app(tmp_path, schedule__review=None)
    break_registry(tmp_path)
    for number, now in enumerate(times(20, 4)):
        run(tmp_path, now, verb=("pulse", "review")[number % 2], number=number)
    assert outbox(tmp_path) == ""
    for number, now in enumerate(times(21, 3)):
        run(tmp_path, now, verb="review", number=10 + number)
    assert outbox(tmp_path) == "", "review has no schedule here"
    run(tmp_path, times(21, 4)[-1], number=20)
    assert "pulse failed 3 times" in outbox(tmp_path)


def test_an_index_that_fails_three_times_running_is_told_and_one_that_succeeds_begins_anew(tmp_path: Path) -> None:
    lock = tmp_path / "state" / "locks" / "index.lock"
    first, second, third, fourth, *rest = times(20, 6)
    lock.mkdir(parents=True)
    for number, now in enumerate((first, second)):
        run(tmp_path, now, verb="index", number=number)
    lock.rmdir()
    run(tmp_path, third, verb="index", number=2)
    assert failed(tmp_path, "index", third) == 0, "the ledger has no line for the one that succeeded"
    lock.unlink()
    lock.mkdir()
    for number, now in enumerate((fourth, *rest), 3):
        assert outbox(tmp_path) == ""
        run(tmp_path, now, verb="index", number=number)
    assert "index failed 3 times in a row: " in outbox(tmp_path)
    assert "index.lock" in outbox(tmp_path)
    ledger = [json.loads(line) for line in (tmp_path / "state" / "actions.jsonl").read_text().splitlines()]
    lines = [record for record in ledger if record["type"] == "index"]
    assert len(lines) == 5
    assert {record["status"] for record in lines} == {"failed"}


def test_a_run_of_index_dated_years_ahead_hides_no_failure(tmp_path: Path) -> None:
    run(tmp_path, "2036-11-20T09:00:00+00:00", verb="index")
    lock = tmp_path / "state" / "locks" / "index.lock"
    lock.unlink()
    lock.mkdir()
    run(tmp_path, NOW, verb="index", number=1)
    assert failed(tmp_path, "index") == 1


def test_a_bug_counts_like_any_failure(tmp_path: Path) -> None:
    row = commands.ROWS["pulse"]
    for number, now in enumerate(times(20, 3)):
        app = make_app(tmp_path, now=now, run=f"20261120T090000-{number:04x}")
        del app.config.values["heartbeat.cooldown_days"], app.config.values["runs.keep_days"]
        with pytest.raises(KeyError):
            runner.run(row, parsing.parse(row, []), app)
    assert "a bug in adjutant (KeyError)" in outbox(tmp_path)


def test_the_budget_and_the_pause_bind_it_as_any_notice(tmp_path: Path) -> None:
    make_app(tmp_path, notifications__max_per_day=0)
    break_registry(tmp_path)
    for number, now in enumerate(times(20, 3)):
        run(tmp_path, now, number=number)
    assert outbox(tmp_path) == ""
    assert notices(tmp_path)[-1]["outcome"] == "budget_exceeded"


def test_a_notice_that_cannot_leave_never_hides_the_error(tmp_path: Path) -> None:
    def none(app: object) -> Notifier:
        raise ConfigInvalid("no channel")

    break_registry(tmp_path)
    for number, now in enumerate(times(20, 3)):
        app = run(tmp_path, now, number=number, notifier=none)
    assert any("nobody was told of pulse's failure: no channel" in line for line in app.said)
    assert "registry.yaml" in app.said[-1]


def test_a_long_error_keeps_the_notice_whole(tmp_path: Path) -> None:
    app, row = make_app(tmp_path), commands.ROWS["pulse"]
    for number in range(3):
        app.run = f"20261120T090000-{number:04x}"
        runner._note_failed(row, "pulse", app, AdjutantError("long\n" * 500))
    (line,) = [line for line in outbox(tmp_path).splitlines() if "[adjutant]" in line]
    assert "adjutant doctor" in line
    assert "…" in line
