"""--if-due from outside: two crons at once, sleep, pauses, crashes, and summer time by a clock that is faked."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.botapi import BotApi
from tests.conftest import Ran, need
from tests.system.sweep import LATER, connect, sweep, within_budget
from tests.system.syscalls import CHANGING, Point, points, sampled
from tests.system.world import PERMIT, World

THURSDAY, FRIDAY, EVENING = "2026-11-19T09:00:10+00:00", "2026-11-20T09:00:10+00:00", "2026-11-20T17:00:10+00:00"
MONDAY = "2026-11-23T08:30:00+00:00"


def pulses(world: World) -> list[str | None]:
    """The slots in the ledger's lines of completed pulses."""
    return [
        record.get("slot")
        for record in world.records("actions")
        if record["type"] == "pulse" and "status" not in record
    ]


def test_fires_of_two_crons_at_once_run_a_slot_once(world: World) -> None:
    for number, now in enumerate((THURSDAY, FRIDAY, EVENING), 1):
        world.now = now
        ended = []
        for child in [world.start("pulse", "--if-due", "--json") for _ in range(4)]:
            with child:
                out, err = child.communicate(timeout=60)
            ended.append((child.returncode, out, err))
        assert {code for code, _, _ in ended} <= {0, 75} and len(pulses(world)) == number, ended
        assert world.result("pulse", "--if-due") == {
            "status": "skipped",
            "reason": "not_due",
            "next": world.result("status")["next"]["pulse"],
        }
    assert pulses(world) == ["2026-11-19T09:00:00+00:00", "2026-11-20T09:00:00+00:00", "2026-11-20T17:00:00+00:00"]
    assert all(list(record)[-1] == "slot" for record in world.records("actions")), "the notice's and escalation's too"


def test_a_machine_that_slept_catches_up_once_and_status_names_the_rest(world: World) -> None:
    world.result("pulse", "--if-due", now=THURSDAY)
    status = world.result("status", now=MONDAY)
    assert status["missed"] == [
        {"stage": "pulse", "slot": f"2026-11-{slot}:00:00+00:00"} for slot in ("19T17", "20T09", "20T17")
    ]
    assert status["next"] == {
        "pulse": "2026-11-23T09:00:00+00:00",
        "review": "2026-11-23T20:00:00+00:00",
        "compact": "2026-11-24T03:15:00+00:00",
        "distill": "2026-12-01T03:30:00+00:00",
        "evolve": "2026-11-23T13:00:00+00:00",
        "behavior-review": "2026-11-23T21:30:00+00:00",
        "index": "2026-11-23T08:45:00+00:00",
        "jobs": "2026-11-23T08:45:00+00:00",
    }
    assert [world.result("pulse", "--if-due", now=MONDAY)["status"] for _ in range(2)] == ["completed", "skipped"]
    assert len(world.result("status", now=MONDAY)["missed"]) == 2
    told = world.run("status", now=MONDAY, check=0).out
    assert "missed  pulse Thu 17:00\nmissed  pulse Fri 09:00\n" in told
    assert "next pulse            today 09:00\n" in told


def test_slots_that_pass_under_a_pause_are_missed_and_the_last_is_caught_up_with(world: World) -> None:
    world.result("pulse", "--if-due", now=THURSDAY)
    world.run("pause", check=0, now=THURSDAY)
    for now in ("2026-11-19T17:00:10+00:00", FRIDAY):
        assert world.result("pulse", "--if-due", now=now) == {"status": "skipped", "reason": "paused"}
    world.run("resume", check=0, now=FRIDAY)
    assert [missed["slot"][8:13] for missed in world.result("status", now=FRIDAY)["missed"]] == ["19T17", "20T09"]
    assert world.result("pulse", "--if-due", now=FRIDAY)["status"] == "completed"
    assert [missed["slot"][8:13] for missed in world.result("status", now=FRIDAY)["missed"]] == ["19T17"]


def test_cron_s_quiet_fire_says_nothing_when_nothing_is_due(world: World) -> None:
    world.run("pulse", "--if-due", check=0)
    ran = world.run("--quiet", "pulse", "--if-due", check=0)
    assert (ran.out, ran.err) == ("", "")
    assert "not due; next 2026-11-20T17:00:00+00:00" in world.run("pulse", "--if-due", check=0).out


def test_a_stage_that_is_killed_each_time_is_tried_thrice_a_slot(world: World) -> None:
    world.plant("import os\nfrom adjutant.stages import pulse\npulse.run = lambda app, args: os._exit(9)")
    codes = [
        world.run("pulse", "--if-due", now=f"2026-11-20T09:{minute:02d}:05+00:00").code for minute in (0, 15, 30, 45)
    ]
    assert codes == [9, 9, 9, 0]
    world.program = warm.PROGRAM
    assert world.result("pulse", "--if-due", now="2026-11-20T10:00:05+00:00")["reason"] == "not_due"
    assert world.result("pulse", "--if-due", now=EVENING)["status"] == "completed"


def test_a_stage_that_crashes_three_times_running_is_told(world: World) -> None:
    world.plant("from adjutant.stages import pulse\npulse.run = lambda app, args: 1 / 0")
    for now in (THURSDAY, FRIDAY, EVENING):
        world.run("pulse", "--if-due", now=now, check=70)
    (line,) = [line for line in world.outbox() if "[adjutant]" in line]
    assert "pulse failed 3 times in a row: a bug in adjutant (ZeroDivisionError)" in line
    assert world.count() == 1


@pytest.mark.real_strace
def test_a_fire_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    with BotApi() as reference:
        connect(world, reference)
        found = points(world, "pulse", "--if-due", names=CHANGING)
    assert len(found) >= 70, f"only {len(found)} calls that change a file: the sweep has gone blind"
    open_after = []

    def ended(point: Point, ran: Ran, copy: World, api: BotApi) -> None:
        open_after.append(copy.result("status", now=LATER)["last"]["pulse"] is None)

    def prove(copy: World, api: BotApi) -> None:
        within_budget(copy, api)
        assert copy.insights("pending") == [] and len(copy.insights("sent")) == 2, "filed, decided, settled"
        assert copy.result("pulse", "--if-due", now=LATER)["reason"] == "not_due"
        assert copy.result("status", now=LATER)["missed"] == []

    sweep(
        world,
        tmp_path,
        sampled(found[::4], 10),
        "pulse",
        "--if-due",
        fault="signal=SIGKILL:when={}",
        ended=ended,
        prove=prove,
    )
    assert {True, False} == set(open_after), "killed before the pulse was on record, and after it"


# -- the machine's clock, faked for real ---------------------------------------------------------------------------


def faked(world: World, zone: str, utc: str, *words: str) -> dict[str, Any]:
    """A verb's result on a machine of that zone, at that time."""
    seconds = int(datetime.fromisoformat(utc).replace(tzinfo=UTC).timestamp())
    command = [need("faketime"), "-f", f"@{seconds}", *world.argv(*words, "--json")]
    env = {name: value for name, value in os.environ.items() if name != "ADJUTANT_NOW"}
    done = subprocess.run(
        command, env=env | {"TZ": zone, "FAKETIME_FMT": "%s"}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["result"]
    return found


@pytest.mark.program
@pytest.mark.parametrize(
    ("zone", "fires"),
    [
        (
            "Europe/Oslo",
            [
                ("2027-03-27 01:30:20", "2027-03-27T02:30:00+01:00"),
                ("2027-03-28 00:59:50", None),  # 01:59:50: the hour from two to three is left out
                ("2027-03-28 01:00:05", "2027-03-28T03:00:00+02:00"),
                ("2027-03-28 01:30:05", None),
                ("2027-10-31 00:30:05", "2027-10-31T02:30:00+02:00"),
                ("2027-10-31 01:30:05", None),  # half past two for the second time
                ("2027-11-01 01:30:05", "2027-11-01T02:30:00+01:00"),
            ],
        ),
        (
            "Australia/Lord_Howe",
            [
                ("2027-10-02 15:29:50", "2027-10-02T02:30:00+10:30"),
                ("2027-10-02 15:30:05", "2027-10-03T02:30:00+11:00"),  # from two to half past two is left out
                ("2027-10-02 15:45:05", None),
            ],
        ),
    ],
)
@pytest.mark.parametrize("configured", [True, False])
def test_summer_time_runs_a_slot_once_in_the_machine_s_zone_and_in_a_configured_one(
    world: World,
    zone: str,
    fires: list[tuple[str, str | None]],
    configured: bool,
) -> None:
    world.settings(schedule__pulse="30 2 * * *", instance__timezone=zone if configured else None)
    for utc, slot in fires:
        before = len(pulses(world))
        result = faked(world, "UTC" if configured else zone, utc, "pulse", "--if-due")
        assert result["status"] == ("completed" if slot else "skipped"), (utc, result)
        assert pulses(world)[before:] == ([slot] if slot else [])


@pytest.mark.program
def test_a_machine_that_moves_to_another_zone_runs_no_slot_twice(world: World) -> None:
    world.settings(schedule__pulse="0 9 * * *")
    journey = (
        ("Asia/Tokyo", "2027-06-01 00:00:30"),
        ("Asia/Tokyo", "2027-06-01 00:15:30"),
        ("Asia/Kolkata", "2027-06-01 03:00:30"),
        ("Asia/Kolkata", "2027-06-01 03:30:30"),
        ("Europe/Oslo", "2027-06-01 04:00:30"),
        ("Europe/Oslo", "2027-06-01 07:00:30"),
        ("Asia/Tokyo", "2027-06-01 07:15:30"),
    )
    ran = [faked(world, zone, utc, "pulse", "--if-due")["status"] == "completed" for zone, utc in journey]
    assert ran == [True, False, False, True, False, True, False]
    assert pulses(world) == [f"2027-06-01T09:00:00+{offset}" for offset in ("09:00", "05:30", "02:00")]
