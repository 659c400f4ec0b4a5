"""doctor: what a limit left undone, and folders that are closed to us."""

from __future__ import annotations

from typing import Any

import pytest

from tests.system.test_many import said_by
from tests.system.world import TASKS, World


def checks(world: World, **more: Any) -> dict[str, dict[str, Any]]:
    ran = world.run("doctor", "--json", **more)
    found = ran.json["result"] if ran.code == 0 else ran.json["error"]["details"]
    return {each["name"]: each for each in found["checks"]}


def test_all_is_well_without_limits_or_closed_folders(world: World) -> None:
    world.run("pulse", check=0)
    found = checks(world)
    assert all(found[name]["ok"] for name in ("limits", "folders", "kb bakery"))
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
    assert "BAD folders: cannot be read or written: memory/notes" in said
    assert "BAD kb bakery, not read: closed: Permission denied" in said or "closed/: Permission denied" in said
