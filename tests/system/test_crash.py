"""kill -9 at every write-side system call: nothing acknowledged is gone, and the next run repairs without hands.

The signal arrives on entry, so that call does not happen. Killed at an fsync or a flock, the files are what they are at
the next call that changes one: only those are swept.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.botapi import BotApi
from tests.conftest import Ran
from tests.system.sweep import Prove, connect, sweep, within_budget
from tests.system.syscalls import CHANGING, Point, points, sampled
from tests.system.world import DAY, PERMIT, World, readable

pytestmark = pytest.mark.real_strace
WANTED = 14  # points a verb on a desk, some more in CI; all of them with ADJUTANT_EVERY_POINT=1
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
LEAST = {"pulse": 60, "escalation": 35, "review": 30, "notify": 12}


def killed_everywhere(world: World, tmp_path: Path, *words: str, prove: Prove) -> None:
    with BotApi() as reference:
        connect(world, reference)
        found = points(world, *words, names=CHANGING)
    assert len(found) >= LEAST[words[0]], f"only {len(found)} calls that change a file: the sweep has gone blind"
    killed: list[Point] = []

    def ended(point: Point, ran: Ran, copy: World, api: BotApi) -> None:
        if ran.code in KILLED:
            killed.append(point)

    chosen = sampled(found, WANTED)
    sweep(world, tmp_path, chosen, *words, fault="signal=SIGKILL:when={}", ended=ended, prove=prove)
    assert len(killed) >= 0.9 * len(chosen), f"only {len(killed)} of {len(chosen)} kills took place"


def pulse_is_whole(world: World, api: BotApi) -> None:
    within_budget(world, api)
    assert world.insights("pending") == [], "filed but not escalated"
    assert len(world.insights("sent")) == 2, "each matter filed once"
    handled = {record["trigger"] for record in world.records("actions") if record["type"] == "escalation"}
    assert handled == set(world.insights("sent"))
    reserved = [record for record in world.records("notices") if record["event"] == "reserved"]
    assert len(api.possible) == 1 or (reserved and not api.possible), "told once, or cut while sending"


def notice_is_whole(world: World, api: BotApi) -> None:
    assert len(api.possible) <= 1, "one key, one message"
    assert world.count() >= len(api.possible)
    for number in range(3):
        world.run("notify", f"more {number}", check=0)
    assert len(api.possible) <= 3 <= world.count(), (len(api.possible), world.text(f"state/notify_count_{DAY}.txt"))


def test_a_pulse_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    killed_everywhere(world, tmp_path, "pulse", prove=pulse_is_whole)


def test_an_escalation_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.write("insights/pending/2026-11-19-1700.md", "Ring Halvorsen about the bakery oven\n\nBefore noon.\n")
    world.write("insights/pending/2026-11-19-1800.md", "Sign the second permit form of the bakery\n\nToday.\n")

    def prove(copy: World, api: BotApi) -> None:
        within_budget(copy, api)
        assert copy.insights("pending") == []
        assert len(copy.insights("sent")) == 2
        for name in copy.insights("sent"):
            text = copy.text(f"insights/sent/{name}")
            assert "attempts: 1" in text
            assert "Ring Halvorsen" in text or "Sign the second" in text

    killed_everywhere(world, tmp_path, "escalation", prove=prove)


def test_a_review_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.write("insights/pending/2026-11-19-1700.md", "Ring Halvorsen about the bakery oven\n\nBefore noon.\n")

    def prove(copy: World, api: BotApi) -> None:
        within_budget(copy, api)
        assert copy.insights("pending") == []
        assert copy.insights("sent") == ["2026-11-19-1700.md"]
        assert copy.journal().count("- **Insight**: ") == 1
        assert [record for record in copy.records("actions") if record["type"] == "review"]

    killed_everywhere(world, tmp_path, "review", prove=prove)


def test_a_notice_killed_anywhere_leaves_once_at_most(world: World, tmp_path: Path) -> None:
    killed_everywhere(world, tmp_path, "notify", "the oven is here", "--key", "oven", prove=notice_is_whole)


# -- the sweep sees what it should ---------------------------------------------------------------------------

HALF_FILES = """
def create(self, path, content):
    data = content.encode() if isinstance(content, str) else content
    with open(path, "xb", buffering=0) as file:
        file.write(data[:60])
        file.write(data[60:])
Files.create = create
"""
NO_RESERVATION = """
append = Files.append
Files.append = lambda self, path, record: record.get("event") == "reserved" or append(self, path, record)
"""


def test_the_sweep_is_red_when_files_are_written_in_place(world: World, tmp_path: Path) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    world.plant(f"from adjutant.store.files import Files\n{HALF_FILES}")
    with BotApi() as reference:
        connect(world, reference)
        found = [point for point in points(world, "pulse", names=("write",)) if "/insights/" in point.rest]
    with pytest.raises(AssertionError, match=r"filed but not escalated|damaged|each matter"):
        sweep(
            world,
            tmp_path,
            found,
            "pulse",
            fault="signal=SIGKILL:when={}",
            ended=lambda *seen: None,
            prove=pulse_is_whole,
        )


def test_the_sweep_is_red_when_a_notice_leaves_without_a_reservation(world: World, tmp_path: Path) -> None:
    world.plant(f"from adjutant.store.files import Files\n{NO_RESERVATION}")
    words = ("notify", "the oven is here", "--key", "oven")
    with BotApi() as reference:
        connect(world, reference)
        found = [point for point in points(world, *words, names=("write",)) if "/state/notices" in point.rest]
    with pytest.raises(AssertionError, match="one key, one message"):
        sweep(
            world,
            tmp_path,
            found,
            *words,
            fault="signal=SIGKILL:when={}",
            ended=lambda *seen: None,
            prove=notice_is_whole,
        )


def test_the_look_at_a_tree_finds_a_torn_record_and_a_doubled_insight(tmp_path: Path) -> None:
    careless = World(tmp_path)
    careless.write("state/actions.jsonl", '{"ts": 1}\n{"ts"')
    with pytest.raises(AssertionError, match="torn tail"):
        readable(careless)
    careless.write("state/actions.jsonl", "")
    for where in ("pending", "sent"):
        careless.write(f"insights/{where}/2026-11-20-0900.md", "twice\n")
    with pytest.raises(AssertionError, match="two places"):
        readable(careless)
