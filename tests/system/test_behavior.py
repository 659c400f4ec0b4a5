"""Directives under many hands and under kill -9: none is lost, none is doubled, and the history tells the contract."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from adjutant.errors import FileDamaged
from adjutant.records import behavior_history, contract
from adjutant.records.contract import Contract
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests import warm
from tests.system.syscalls import CHANGING, Point, disturbed, each, points, sampled
from tests.system.world import UNLOCKED, World

PROCESSES, DIRECTIVES = 16, 200
WRITER = """
import sys
from adjutant.commands import ROWS
from adjutant.domain.behavior import control
from adjutant.place import Options
from adjutant.wire import open_app
print("ready", flush=True)
sys.stdin.readline()
app = open_app(ROWS["behavior"], Options(), sys.argv[1])
for number in range(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])):
    print(control.add(app, "keep", f"rule {number}").outcome, flush=True)
"""
WANTED = 12  # points a verb on a desk
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)


def held(world: World) -> Contract:
    """The contract, which its history replays to."""
    files = Files(Tree(str(world.root)))
    found = contract.read(files)
    assert behavior_history.replay(behavior_history.read(files)) == found
    return found


def lines(world: World) -> list[str]:
    return [each.line for each in held(world).directives]


def race(root: Path, processes: int, directives: int, program: str = WRITER) -> list[str]:
    """What the writers were told; all begin at the same time."""
    children = [
        warm.start(
            [str(root), str(first), str(directives), str(processes)],
            [*warm.PLANTED, program],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for first in range(processes)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    told = [child.communicate(timeout=300)[0].split() for child in children]
    assert [child.returncode for child in children] == [0] * processes
    return [outcome for outcomes in told for outcome in outcomes]


def whole(world: World, told: list[str], directives: int) -> None:
    """Every rule stands once, each change is one version and one event."""
    assert told == ["added"] * directives
    found = held(world)
    assert sorted(each.text for each in found.directives) == sorted(f"rule {number}" for number in range(directives))
    made = [event["version"] for event in behavior_history.read(Files(Tree(str(world.root))))]
    assert found.version == directives
    assert sorted(made) == [*range(1, directives + 1)]


def test_sixteen_processes_that_add_two_hundred_directives_lose_none(empty: World) -> None:
    empty.settings(behavior__max_directives=DIRECTIVES)
    whole(empty, race(empty.root, PROCESSES, DIRECTIVES), DIRECTIVES)
    assert empty.run("behavior", "add", "KEEP: one more", check=1).err.startswith("adjutant: the contract is full: 200")


def test_the_race_is_red_without_the_lock(empty: World) -> None:
    unlocked = UNLOCKED.replace("{write}", "append_all")
    with pytest.raises((AssertionError, FileDamaged)):  # a rule is lost, or a version is made twice
        whole(empty, race(empty.root, 2, 4, unlocked + WRITER), 4)


# -- kill -9 -------------------------------------------------------------------------------------------------


def killed_everywhere(world: World, tmp_path: Path, *words: str, prove: Callable[[World], None]) -> None:
    """Each call that changes a file is the last one once; `prove` looks at the copy."""
    found = points(world, *words, names=CHANGING)
    assert len(found) >= 5, f"only {len(found)} calls that change a file: the sweep has gone blind"
    killed: list[Point] = []

    def one(point: Point) -> None:
        copy = world.copy(tmp_path / f"{point.name}-{point.number}")
        ran = disturbed(copy, *words, fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        killed.extend([point] if ran.code in KILLED else [])
        prove(copy)
        assert not list((copy.root / "state" / "behavior").glob("*.adj-tmp")), "the next verb sweeps what was half-made"
        assert not list((copy.root / "state" / "behavior").glob(".*.adj-tmp"))

    chosen = sampled(found, WANTED)
    each(chosen, one)
    assert len(killed) >= 0.9 * len(chosen)


@pytest.fixture
def ruled(empty: World) -> World:
    empty.run("behavior", "add", "KEEP: short answers", check=0)
    empty.run("behavior", "add", "MORE: tables", check=0)
    return empty


@pytest.mark.real_strace
def test_an_add_killed_anywhere_is_whole_after_the_same_words(ruled: World, tmp_path: Path) -> None:
    def prove(copy: World) -> None:
        assert copy.result("behavior", "add", "LESS: coffee")["outcome"] in ("added", "duplicate")
        assert lines(copy) == ["KEEP: short answers", "MORE: tables", "LESS: coffee"]
        assert held(copy).version == 3

    killed_everywhere(ruled, tmp_path, "behavior", "add", "LESS: coffee", prove=prove)


@pytest.mark.real_strace
def test_the_first_add_of_an_instance_killed_anywhere_is_whole_too(empty: World, tmp_path: Path) -> None:
    def prove(copy: World) -> None:
        assert copy.result("behavior", "add", "LESS: coffee")["outcome"] in ("added", "duplicate")
        assert lines(copy) == ["LESS: coffee"]
        assert held(copy).version == 1

    killed_everywhere(empty, tmp_path, "behavior", "add", "LESS: coffee", prove=prove)


@pytest.mark.real_strace
def test_a_replacement_killed_anywhere_leaves_one_of_the_two(ruled: World, tmp_path: Path) -> None:
    words = ("behavior", "add", "STOP: short answers", "--replace")

    def prove(copy: World) -> None:
        assert copy.result(*words)["outcome"] in ("replaced", "duplicate")
        assert lines(copy) == ["MORE: tables", "STOP: short answers"]
        assert held(copy).version == 3

    killed_everywhere(ruled, tmp_path, *words, prove=prove)


@pytest.mark.real_strace
def test_a_removal_killed_anywhere_is_done_by_the_next_verb(ruled: World, tmp_path: Path) -> None:
    def prove(copy: World) -> None:
        assert copy.run("behavior", "remove", "more-").code in (0, 1)
        assert lines(copy) == ["KEEP: short answers"]
        assert held(copy).version == 3

    killed_everywhere(ruled, tmp_path, "behavior", "remove", "more-", prove=prove)


@pytest.mark.real_strace
def test_several_that_expire_at_once_go_one_by_one_wherever_it_is_killed(empty: World, tmp_path: Path) -> None:
    for text in ("short answers", "tables", "lists"):
        empty.run("behavior", "add", f"KEEP: {text}", "--expires", "2026-11-20", check=0)
    empty.now = "2026-11-21T09:00:00+00:00"

    def prove(copy: World) -> None:
        copy.run("behavior", "apply", check=0)
        assert lines(copy) == []
        assert held(copy).version == 6

    killed_everywhere(empty, tmp_path, "behavior", "apply", prove=prove)


@pytest.mark.real_strace
def test_the_sweep_is_red_when_the_contract_is_written_before_its_event(ruled: World, tmp_path: Path) -> None:
    ruled.plant(
        "from adjutant.domain.behavior import control\n"
        "def careless(desk, event, about, gone=(), **fields):\n"
        "    directives = (*desk.contract.directives, about)\n"
        "    made = control.Contract(desk.contract.version + 1, desk.now.isoformat(), directives)\n"
        "    desk.contract = made\n"
        "    desk.save()\n"
        "    desk.tell(event, id=about.id, type=about.type, text=about.text, source=about.source,\n"
        "              version=made.version, hash=made.hash, directive=about.row())\n"
        "control.ContractEdit.change = careless"
    )

    def prove(copy: World) -> None:
        copy.result("behavior", "add", "LESS: coffee")
        held(copy)

    with pytest.raises(AssertionError, match="points"):
        killed_everywhere(ruled, tmp_path, "behavior", "add", "LESS: coffee", prove=prove)


def test_a_history_cut_at_every_byte_of_its_last_event_never_stops_the_next_verb(ruled: World) -> None:
    path = ruled.root / "state" / "behavior" / "history.jsonl"
    data, before = path.read_bytes(), (ruled.root / "state" / "behavior" / "contract.json").read_bytes()
    last = data.rindex(b"\n", 0, -1) + 1
    event = json.loads(data[last:])
    assert event["version"] == 2
    for end in range(last, len(data), 40):
        path.write_bytes(data[:end])
        (ruled.root / "state" / "behavior" / "contract.json").write_bytes(before)
        assert ruled.result("behavior", "add", "LESS: coffee")["contract"]["version"] == 3
