"""kill -9 at every write-side system call: nothing acknowledged is gone, and the next run repairs without hands.

The signal arrives on entry, so that call does not happen. Killed at an fsync or a flock, the files are what they are at
the next call that changes one: only those are swept.
"""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.botapi import CHAT, TOKEN, BotApi
from tests.system.syscalls import CHANGING, Point, disturbed, each, points, sampled
from tests.system.world import DAY, JSONL, PERMIT, World, readable

pytestmark = pytest.mark.real_strace
WANTED = 14  # points a verb on a desk; all of them in CI or with ADJUTANT_EVERY_POINT=1
LATER = "2026-11-20T09:05:00+00:00"
Prove = Callable[[World, BotApi], None]


def acknowledged(world: World) -> dict[str, list[bytes]]:
    """The whole lines of every record, and the insights' texts: what no crash may take away."""
    kept = {}
    for name in JSONL:
        path = world.root / "state" / f"{name}.jsonl"
        kept[name] = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return kept


def sweep(world: World, tmp_path: Path, verb: str, *words: str, prove: Prove) -> None:
    """Kills `verb` at each point of a copy of `world`; the next run must be clean; then `prove`."""
    world.settings(heartbeat__parallel=1, notifications__channel="telegram",
                   messaging__telegram__api_base="http://127.0.0.1:9")
    with BotApi() as reference:
        world.settings(heartbeat__parallel=1, notifications__channel="telegram",
                       messaging__telegram__api_base=reference.url)
        world.env |= {"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_CHAT_ID": CHAT}
        found = points(world, verb, *words, names=CHANGING)
    assert len(found) >= 15, f"{verb} makes only {len(found)} write-side calls: the sweep has gone blind"
    killed: list[Point] = []

    def one(point: Point) -> None:
        folder = tmp_path / f"{point.name}-{point.number}"
        with BotApi() as api:
            copy = world.copy(folder)
            copy.settings(heartbeat__parallel=1, notifications__channel="telegram",
                          messaging__telegram__api_base=api.url)
            before = acknowledged(copy)
            ran = disturbed(copy, verb, *words, fault=f"{point.name}:signal=SIGKILL:when={point.number}")
            if ran.code in (-signal.SIGKILL, 128 + signal.SIGKILL):
                killed.append(point)
            after = acknowledged(copy)
            for name, lines in before.items():
                assert after[name][: len(lines)] == lines, f"{name} lost what it held"
            again = copy.run(verb, *words, "--json", now=LATER)
            assert again.code == 0 and again.json["ok"], f"the next run: {again}"
            assert "Traceback" not in again.err
            healed = acknowledged(copy)
            for name, lines in after.items():
                whole = [line for line in lines if is_record(line)]
                assert healed[name][: len(whole)] == whole, f"{name} lost what it held"
            prove(copy, api)
            readable(copy)
        shutil.rmtree(folder)

    chosen = sampled(found, WANTED)
    each(chosen, one)
    assert len(killed) >= 0.9 * len(chosen), f"only {len(killed)} of {len(chosen)} kills took place"


def is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def within_budget(world: World, api: BotApi) -> None:
    """Never more than the budget, never one key twice, the count no less than what left."""
    assert len(api.possible) <= 3
    texts = [message.body["text"] for message in api.possible]
    assert len(texts) == len(set(texts)), f"told twice: {texts}"
    assert world.count() >= len(api.possible)
    sent = [record["key"] for record in world.records("notices") if record["event"] == "sent"]
    assert len(sent) == len(set(sent))
    leftovers = [str(path) for path in world.root.rglob("*.adj-tmp") if "runs" not in path.parts]
    assert leftovers == [], "the next run sweeps what a crash left half-made"


def test_a_pulse_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})

    def prove(copy: World, api: BotApi) -> None:
        within_budget(copy, api)
        assert copy.insights("pending") == [], "filed but not escalated"
        assert len(copy.insights("sent")) == 2, "each matter filed once"
        handled = {record["trigger"] for record in copy.records("actions") if record["type"] == "escalation"}
        assert handled == set(copy.insights("sent"))
        reserved = [record for record in copy.records("notices") if record["event"] == "reserved"]
        assert len(api.possible) == 1 or (reserved and not api.possible), "told once, or cut while sending"

    sweep(world, tmp_path, "pulse", prove=prove)


def test_an_escalation_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.write("insights/pending/2026-11-19-1700.md", "Ring Halvorsen about the bakery oven\n\nBefore noon.\n")
    world.write("insights/pending/2026-11-19-1800.md", "Sign the second permit form of the bakery\n\nToday.\n")

    def prove(copy: World, api: BotApi) -> None:
        within_budget(copy, api)
        assert copy.insights("pending") == [] and len(copy.insights("sent")) == 2
        for name in copy.insights("sent"):
            text = copy.text(f"insights/sent/{name}")
            assert "attempts: 1" in text and ("Ring Halvorsen" in text or "Sign the second" in text)

    sweep(world, tmp_path, "escalation", prove=prove)


def test_a_review_killed_anywhere_is_finished_by_the_next(world: World, tmp_path: Path) -> None:
    world.write("insights/pending/2026-11-19-1700.md", "Ring Halvorsen about the bakery oven\n\nBefore noon.\n")

    def prove(copy: World, api: BotApi) -> None:
        within_budget(copy, api)
        assert copy.insights("pending") == [] and copy.insights("sent") == ["2026-11-19-1700.md"]
        assert " — Review" in copy.journal()
        assert [record for record in copy.records("actions") if record["type"] == "review"]

    sweep(world, tmp_path, "review", prove=prove)


def test_a_notice_killed_anywhere_leaves_once_at_most(world: World, tmp_path: Path) -> None:
    def prove(copy: World, api: BotApi) -> None:
        assert len(api.possible) <= 1, "one key, one message"
        assert copy.count() >= len(api.possible)
        for number in range(3):
            copy.run("notify", f"more {number}", check=0)
        assert len(api.possible) <= 3 <= copy.count(), (len(api.possible), copy.text(f"state/notify_count_{DAY}.txt"))

    sweep(world, tmp_path, "notify", "the oven is here", "--key", "oven", prove=prove)


def test_the_sweep_sees_a_writer_that_is_not_careful(tmp_path: Path) -> None:
    """A test of the test: the same look at a tree finds the marks of careless writing."""
    careless = World(tmp_path)
    careless.write("state/actions.jsonl", '{"ts": 1}\n{"ts"')
    with pytest.raises(AssertionError, match="torn tail"):
        readable(careless)
    careless.write("state/actions.jsonl", "")
    for where in ("pending", "sent"):
        careless.write(f"insights/{where}/2026-11-20-0900.md", "twice\n")
    with pytest.raises(AssertionError, match="two places"):
        readable(careless)
