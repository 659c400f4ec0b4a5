"""--if-due on real files: what is believed when some of them are lost, damaged or dated in the future."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands, parsing, runner
from adjutant.app import Outcome
from adjutant.domain.schedule import due
from adjutant.errors import IoFailed, UsageError
from tests.conftest import make_app

MORNING, LATER, EVENING = "2026-11-20T09:00:20+00:00", "2026-11-20T09:15:00+00:00", "2026-11-20T17:00:05+00:00"
SLOT = "2026-11-20T09:00:00+00:00"
SKIPPED = {"status": "skipped", "reason": "not_due", "next": "2026-11-20T17:00:00+00:00"}


def pulse(root: Path, now: str, *words: str, **more: Any) -> Outcome:
    app = make_app(root, now=now, **more)
    row = commands.ROWS["pulse"]
    return runner.run(row, parsing.parse(row, list(words)), app)


def fire(root: Path, now: str, **more: Any) -> str:
    """`pulse --if-due`: its status."""
    return str(pulse(root, now, "--if-due", **more).result["status"])


def state(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "state" / "schedule.json").read_text())
    return found


def problems(root: Path, now: str) -> list[str]:
    app, found = make_app(root, now=now, verb="status"), list[str]()
    due.standing(app.files, app.config, app.clock, found)
    return found


def index(root: Path, now: str, *words: str) -> str:
    """`index`: its status."""
    row = commands.ROWS["index"]
    return str(runner.run(row, parsing.parse(row, list(words)), make_app(root, now=now, verb="index")).result["status"])


def missed(root: Path, now: str, stage: str = "pulse") -> list[str]:
    app = make_app(root, now=now, verb="status")
    return [f"{slot:%a %H:%M}" for slot in due.standing(app.files, app.config, app.clock, [])[stage].missed]


def records(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / "state" / "actions.jsonl").read_text().splitlines()]


# -- one run a slot --------------------------------------------------------------------------------------------------


def test_a_slot_runs_once_and_its_ledger_line_ends_with_it(tmp_path: Path) -> None:
    assert fire(tmp_path, MORNING) == "completed"
    assert list(records(tmp_path)[0].items())[-1] == ("slot", SLOT)
    again = pulse(tmp_path, LATER, "--if-due")
    assert again.result == SKIPPED
    assert again.exit_code == 0
    assert again.lines == ["pulse: not due; next 2026-11-20T17:00:00+00:00"]
    assert fire(tmp_path, EVENING) == "completed"
    assert len(records(tmp_path)) == 2
    assert missed(tmp_path, EVENING) == []


def test_a_run_by_hand_counts_for_its_slot_and_has_none_in_the_ledger(tmp_path: Path) -> None:
    assert pulse(tmp_path, MORNING).result["status"] == "completed"
    assert "slot" not in records(tmp_path)[0]
    assert fire(tmp_path, LATER) == "skipped"


def test_a_reflect_by_hand_is_a_review(tmp_path: Path) -> None:
    app = make_app(tmp_path, now="2026-11-20T20:30:00+00:00", verb="reflect")
    row = commands.ROWS["reflect"]
    assert runner.run(row, parsing.parse(row, []), app).result["status"] == "completed"
    app = make_app(tmp_path, now="2026-11-20T20:45:00+00:00", verb="review")
    assert due.check(app.files, app.config, app.clock, "review").reason == "not_due"


def test_only_scheduled_verbs_take_if_due() -> None:
    takes = set()
    for row in commands.TABLE:
        try:
            words = [*row.verb.split()[1:], "--if-due"]
            takes |= {row.verb} if getattr(parsing.parse(row, words), "if_due", False) else set()
        except UsageError:
            continue
    assert (
        takes
        == {row.verb for row in commands.TABLE if row.schedule}
        == {"pulse", "review", "behavior review", "compact", "distill", "evolve", "index", "job work"}
    )


def test_an_index_runs_once_a_slot_and_what_it_slept_through_is_not_missed(tmp_path: Path) -> None:
    assert [index(tmp_path, MORNING, "--if-due") for _ in range(2)] == ["completed", "skipped"]
    assert index(tmp_path, LATER, "--if-due") == "completed"
    week = "2026-11-27T09:01:00+00:00"
    assert missed(tmp_path, week, "index") == []
    assert index(tmp_path, week, "--if-due") == "completed"
    told = make_app(tmp_path, now=week, verb="status")
    standing = due.standing(told.files, told.config, told.clock, [])["index"]
    assert standing.next is not None
    assert standing.next.isoformat() == "2026-11-27T09:15:00+00:00"
    assert standing.last is not None
    assert standing.last.isoformat() == week


def test_an_index_of_some_collections_settles_no_slot(tmp_path: Path) -> None:
    assert index(tmp_path, MORNING, "--only", "slog") == "partial"
    assert index(tmp_path, MORNING, "--if-due") == "completed"


def test_of_the_runs_of_an_index_only_the_latest_are_kept(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    start = datetime(2026, 11, 19, tzinfo=UTC)
    runs = [(start + timedelta(minutes=15 * number)).isoformat() for number in range(100)]
    stages = {"index": {"runs": runs}, "pulse": {"runs": runs}}
    (tmp_path / "state" / "schedule.json").write_text(json.dumps({"stages": stages}))
    assert index(tmp_path, EVENING) == fire(tmp_path, EVENING) == "completed"
    kept = {name: len(part["runs"]) for name, part in state(tmp_path)["stages"].items()}
    assert kept == {"index": due.KEPT_FEW, "pulse": 101}


def test_a_stage_without_a_schedule_is_not_scheduled(tmp_path: Path) -> None:
    told = pulse(tmp_path, MORNING, "--if-due", schedule__pulse=None)
    assert told.result == {"status": "skipped", "reason": "not_scheduled", "next": None}
    assert told.exit_code == 0
    assert not (tmp_path / "state" / "locks").exists()


def test_nothing_is_due_while_another_run_holds_the_lock_and_nobody_is_told_75(tmp_path: Path) -> None:
    assert fire(tmp_path, MORNING) == "completed"
    with make_app(tmp_path).files.lock("heartbeat", 0):
        assert fire(tmp_path, LATER) == "skipped"


def test_the_machine_s_own_zone_is_gone_by_where_none_is_configured(tmp_path: Path) -> None:
    app = make_app(tmp_path, now=MORNING)
    app.clock.zone = None
    found = due.check(app.files, app.config, app.clock, "pulse")
    assert found.slot is not None
    assert found.slot.isoformat() == SLOT


# -- what does not count -----------------------------------------------------------------------------------------


def test_a_dry_run_is_no_run_but_happens_once_a_slot(tmp_path: Path) -> None:
    assert fire(tmp_path, MORNING, dry_run=True) == "completed"
    assert fire(tmp_path, LATER, dry_run=True) == "skipped", "a quarter-hourly dry run says nothing new"
    assert not (tmp_path / "state" / "schedule.json").exists()
    assert fire(tmp_path, LATER) == "completed", "but the slot is still open"
    assert fire(tmp_path, EVENING, dry_run=True) == "completed"


def test_a_slot_that_fails_is_tried_thrice_then_the_next_one_is_waited_for(tmp_path: Path) -> None:
    fire(tmp_path, "2026-11-19T17:00:05+00:00")
    registry = tmp_path / "knowledge_bases" / "registry.yaml"
    registry.parent.mkdir(exist_ok=True)
    registry.write_text("- name: [broken\n")
    for minute in (0, 15, 30):
        with pytest.raises(Exception, match="registry"):
            fire(tmp_path, f"2026-11-20T09:{minute:02d}:03+00:00")
    told = pulse(tmp_path, "2026-11-20T09:45:03+00:00", "--if-due")
    assert told.result == SKIPPED
    assert "was tried 3 times" in told.lines[0]
    registry.write_text("[]\n")
    assert fire(tmp_path, "2026-11-20T10:00:03+00:00") == "skipped"
    assert missed(tmp_path, "2026-11-20T10:00:03+00:00") == ["Fri 09:00"]
    assert fire(tmp_path, EVENING) == "completed"
    assert [record.get("slot") for record in records(tmp_path)][1:4] == [SLOT] * 3


def test_a_run_that_was_stopped_leaves_its_slot_open(tmp_path: Path) -> None:
    app = make_app(tmp_path, now=MORNING)
    row = commands.ROWS["pulse"]
    (tmp_path / "PAUSED").touch()
    with pytest.raises(Exception, match="paused"):
        runner.run(row, parsing.parse(row, ["--if-due"]), app)
    (tmp_path / "PAUSED").unlink()
    assert fire(tmp_path, LATER) == "completed"


# -- missed ----------------------------------------------------------------------------------------------------


def test_slots_that_passed_in_sleep_are_missed_and_a_catch_up_covers_the_last_one_only(tmp_path: Path) -> None:
    fire(tmp_path, "2026-11-18T17:00:05+00:00")
    assert missed(tmp_path, MORNING) == ["Thu 09:00", "Thu 17:00", "Fri 09:00"]
    assert fire(tmp_path, MORNING) == "completed"
    assert fire(tmp_path, LATER) == "skipped"
    assert missed(tmp_path, LATER) == ["Thu 09:00", "Thu 17:00"]


def test_missed_slots_are_counted_from_the_installation_and_none_before_it_is_due(tmp_path: Path) -> None:
    app = make_app(tmp_path, now="2026-11-19T12:00:00+00:00")
    (tmp_path / "state" / "schedule.json").write_text('{"stages": {"compact": {"runs": []}}, "more": 1}')
    due.note_entries(app.files, app.clock.now(), stand=True)
    assert state(tmp_path) == {"stages": {"compact": {"runs": []}}, "more": 1, "installed": "2026-11-19T12:00:00+00:00"}
    assert fire(tmp_path, "2026-11-19T12:15:00+00:00") == "skipped"
    assert missed(tmp_path, LATER) == ["Thu 17:00", "Fri 09:00"]
    assert missed(tmp_path, "2026-12-24T12:00:00+00:00")[0] == "Thu 17:00", "14 days back, not more"
    assert len(missed(tmp_path, "2026-12-24T12:00:00+00:00")) == 20


def test_without_any_run_or_installation_the_last_slot_is_due_but_nothing_is_missed(tmp_path: Path) -> None:
    assert missed(tmp_path, LATER) == []
    assert fire(tmp_path, LATER) == "completed"


# -- what is lost or damaged -------------------------------------------------------------------------------------

DAMAGED = (
    "",
    "{",
    "[]",
    '{"stages": []}',
    '{"stages": {"pulse": 1}}',
    '{"installed": "soon"}',
    '{"installed": 5}',
    '{"stages": {"pulse": {"runs": ["2026-11-20T09:00:20"]}}}',
    '{"stages": {"pulse": {"tries": "3"}}}',
    "\x00",
    '{"stages": {"pulse": {"runs": {}}}, "stages": {}}',
    '{"stages": {"pulse": {"slot": "x"}}}',
)


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_record_is_named_believed_in_nothing_and_written_anew_by_the_next_run(
    tmp_path: Path,
    text: str,
) -> None:
    fire(tmp_path, MORNING)
    kept = tmp_path / "state" / "schedule.json"
    kept.write_text(text)
    assert len(problems(tmp_path, LATER)) == 1
    assert "schedule.json:1" in problems(tmp_path, LATER)[0]
    assert fire(tmp_path, LATER) == "skipped" and kept.read_text() == text, "last_heartbeat.json knows the run"
    assert fire(tmp_path, EVENING) == "completed"
    assert problems(tmp_path, EVENING) == []
    (aside,) = (tmp_path / "state" / "quarantine").iterdir()
    assert aside.name == "schedule.json.20261120T170005"
    assert aside.read_text() == text
    assert fire(tmp_path, "2026-11-20T17:15:00+00:00") == "skipped"
    assert missed(tmp_path, EVENING) == []


def test_a_folder_or_a_link_in_its_place_is_set_aside_as_well(tmp_path: Path) -> None:
    kept = tmp_path / "state" / "schedule.json"
    kept.mkdir(parents=True)
    assert fire(tmp_path, MORNING) == "completed"
    assert kept.is_file()
    assert fire(tmp_path, LATER) == "skipped"
    kept.unlink()
    kept.symlink_to("/dev/zero")
    assert fire(tmp_path, EVENING) == "completed"
    assert not kept.is_symlink()


@pytest.mark.parametrize("lost", ["schedule", "last_heartbeat"])
def test_what_one_file_forgot_the_other_knows(tmp_path: Path, lost: str) -> None:
    fire(tmp_path, "2026-11-19T17:00:05+00:00")
    fire(tmp_path, MORNING)
    (tmp_path / "state" / f"{lost}.json").unlink()
    assert fire(tmp_path, LATER) == "skipped"
    assert missed(tmp_path, LATER) == []
    assert fire(tmp_path, EVENING) == "completed"
    assert missed(tmp_path, EVENING) == []


def test_everything_lost_is_one_run_more_and_no_loop(tmp_path: Path) -> None:
    fire(tmp_path, MORNING)
    for name in ("schedule.json", "last_heartbeat.json", "actions.jsonl"):
        (tmp_path / "state" / name).unlink()
    assert [fire(tmp_path, LATER), fire(tmp_path, "2026-11-20T09:30:00+00:00")] == ["completed", "skipped"]


def test_a_damaged_last_heartbeat_is_named_and_neither_silences_nor_loops(tmp_path: Path) -> None:
    fire(tmp_path, MORNING)
    last = tmp_path / "state" / "last_heartbeat.json"
    for text in ("{", '{"last": {"pulse": "soon"}}', '{"last": {"pulse": 7}}'):
        last.write_text(text)
        assert len(problems(tmp_path, LATER)) == 1
        assert "last_heartbeat.json" in problems(tmp_path, LATER)[0]
        assert fire(tmp_path, LATER) == "skipped"
    assert fire(tmp_path, EVENING) == "completed"
    assert problems(tmp_path, EVENING) == []


def test_a_run_of_years_ahead_is_named_and_silences_nothing(tmp_path: Path) -> None:
    fire(tmp_path, "2031-03-03T09:00:20+00:00")
    assert "a run of pulse is dated 2031-03-03T09:00:20+00:00, more than a day ahead" in problems(tmp_path, MORNING)[0]
    assert [fire(tmp_path, now) for now in (MORNING, LATER, EVENING)] == ["completed", "skipped", "completed"]
    (tmp_path / "state" / "schedule.json").write_text('{"installed": "2031-01-01T00:00:00+00:00"}')
    assert "the installation of the schedule is dated 2031" in problems(tmp_path, EVENING)[0]


def test_where_a_try_cannot_be_noted_nothing_runs_and_the_failure_is_on_record(tmp_path: Path) -> None:
    make_app(tmp_path)
    (tmp_path / "state" / "schedule.json").write_text("{")
    (tmp_path / "state" / "quarantine").write_text("a file in the place of a folder")
    with pytest.raises(IoFailed):
        fire(tmp_path, MORNING)
    (record,) = records(tmp_path)
    assert record["status"] == "failed"
    assert record["slot"] == SLOT


def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    now = datetime(2026, 11, 20, 9, tzinfo=UTC)
    runs = [(now - timedelta(hours=n)).isoformat() for n in range(900, 0, -1)]
    (tmp_path / "state" / "schedule.json").write_text(json.dumps({"stages": {"pulse": {"runs": runs}}}))
    assert fire(tmp_path, MORNING) == "completed"
    assert state(tmp_path)["stages"]["pulse"]["runs"] == [*runs[-due.KEPT + 1 :], MORNING]
