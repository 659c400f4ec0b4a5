"""What a knowledge base says is done ends in the summaries too, by the line of the register that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.records.period_file import bullets
from tests.system.world import World, once

TASK = "Pay the deposit for the tent to Halvorsen, due 2026-11-17"


def live(empty: World) -> None:
    empty.knowledge("yard", {"tasks.md": f"# Yard\n\n- [ ] {TASK}\n- [ ] Order the hooks, due 2026-11-18\n"})
    empty.run("pulse", check=0, now="2026-11-17T09:00:00+00:00")
    empty.write("knowledge_bases/yard/tasks.md", f"# Yard\n\n- [x] {TASK}\n- [ ] Order the hooks, due 2026-11-18\n")
    empty.run("pulse", check=0, now="2026-11-18T09:00:00+00:00")
    empty.run("compact", check=0, now="2026-11-23T09:00:00+00:00")


@pytest.fixture
def lived(empty: World, kept: Path) -> World:
    return once(kept / "lived", empty, live)


def said(world: World, path: str) -> list[str]:
    return [each.text for each in bullets(world.text(path))]


def test_day_says_what_a_tick_ended(lived: World) -> None:
    [found] = [text for text in said(lived, "memory/daily/2026-11-18.md") if "deposit" in text]
    assert found.startswith("✓ ")


def test_week_does_not_hold_it_as_open(lived: World) -> None:
    found = [each for each in bullets(lived.text("memory/weekly/2026-W47.md")) if "deposit" in each.text]
    assert [each.section for each in found if not each.text.startswith("✓ ")] == []


def test_day_it_was_told_holds_it_as_open(lived: World) -> None:
    [found] = [each for each in bullets(lived.text("memory/daily/2026-11-17.md")) if "deposit" in each.text]
    assert found.section == "Open threads"


def test_nothing_else_is_called_done(lived: World) -> None:
    days = sorted(path.name for path in (lived.root / "memory/daily").iterdir())
    ended = [text for day in days for text in said(lived, f"memory/daily/{day}") if text.startswith("✓ ")]
    assert [("deposit" in text) for text in ended] == [True]
