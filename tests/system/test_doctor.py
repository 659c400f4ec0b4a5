"""doctor: what a limit left undone, folders that are closed to us, and a clock that ran backwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.system.test_many import said_by
from tests.system.world import TASKS, World


def checks(world: World, **more: Any) -> dict[str, dict[str, Any]]:
    ran = world.run("doctor", "--json", **more)
    found = ran.json["result"] if ran.code == 0 else ran.json["error"]["details"]
    return {each["name"]: each for each in found["checks"]}


def test_all_is_well_without_limits_closed_folders_or_jumps(world: World) -> None:
    world.run("pulse", check=0)
    found = checks(world)
    assert all(found[name]["ok"] for name in ("limits", "folders", "clock", "kb bakery"))
    assert "kb bakery, not read" not in found


def test_limits_on_a_knowledge_base_are_findings(world: World) -> None:
    world.settings(limits__files_per_kb=2, limits__bytes_per_file=40)
    world.knowledge("garden", {f"{n}.md": "# A bed\n\n- [ ] Water it, due 2026-11-18, with care\n" for n in range(5)})
    found = checks(world)["kb garden, not read"]
    assert not found["ok"]
    assert "3 older files beyond limits.files_per_kb (2)" in found["detail"]
    assert "read to the first 40 bytes only" in found["detail"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"limits__bytes_per_run": 60}, "limits.bytes_per_run"),
        ({"heartbeat__max_insights": 1}, "1 matter not filed, beyond heartbeat.max_insights (1)"),
    ],
)
def test_limits_that_bit_the_last_pulse_are_findings(world: World, settings: dict[str, int], said: str) -> None:
    world.settings(**settings)
    world.knowledge("shop", {"tasks.md": TASKS.replace("deposit", "rent").replace("Halvorsen", "Dahl")})
    world.run("pulse", "--full", check=0)
    found = checks(world)["limits"]
    assert not found["ok"]
    assert said in found["detail"]
    world.settings()
    world.run("pulse", "--full", check=0)
    assert checks(world)["limits"]["ok"]


def test_folders_that_are_closed_to_us_are_named(world: World) -> None:
    world.write("memory/notes/fact/a.md", "x")
    world.write("knowledge_bases/bakery/closed/b.md", "x")
    closed = [world.root / "memory" / "notes", world.root / "knowledge_bases" / "bakery" / "closed"]
    for folder in closed:
        folder.chmod(0)
    said = said_by(world, "doctor").out
    for folder in closed:
        folder.chmod(0o700)
    assert "BAD folders: cannot be read: memory/notes" in said
    assert "BAD kb bakery, not read: closed: Permission denied" in said or "closed/: Permission denied" in said


def test_records_ahead_of_the_clock_are_named(world: World) -> None:
    world.run("pulse", check=0)
    found = checks(world, now="2026-11-19T23:00:00+00:00")["clock"]
    assert not found["ok"]
    assert "state/actions.jsonl: a record of 2026-11-20T09:00:00+00:00, ahead of now" in found["detail"]


def test_clock_that_jumped_back_between_runs_is_named(world: World) -> None:
    for now in ("2026-11-20T09:00:00+00:00", "2026-11-20T06:00:00+00:00", "2026-11-20T10:00:00+00:00"):
        world.run("pulse", "--full", now=now, check=0)
    jumped = checks(world, now="2026-11-20T10:30:00+00:00")["clock"]
    assert "from 2026-11-20T09:00:00+00:00 back to 2026-11-20T06:00:00+00:00" in jumped["detail"]
    record = json.dumps({"ts": "no time", "type": "pulse"})
    world.write("state/actions.jsonl", f"{record}\n")
    world.write("state/events.jsonl", "")
    world.write("state/usage.jsonl", "")
    world.write("state/notices.jsonl", "")
    assert checks(world, now="2026-11-20T10:30:00+00:00")["clock"]["ok"]
