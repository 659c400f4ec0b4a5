"""Notes under many hands and under kill -9: none is lost, none is doubled, and the next command repairs."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from adjutant.domain.memory.shelf import Shelf
from adjutant.records.note import Note
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests import warm
from tests.system.syscalls import CHANGING, Point, disturbed, each, points, sampled
from tests.system.world import UNLOCKED, World

PROCESSES, SAVES, SHARED = 16, 8, 4
WRITER = """
import sys
from datetime import UTC, datetime
from adjutant.domain.memory import notes
from adjutant.domain.memory.shelf import Shelf
from adjutant.errors import LockBusy
from adjutant.store.files import Files
from adjutant.store.tree import Tree
print("ready", flush=True)
sys.stdin.readline()
root, mark, own, shared = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
shelf = Shelf(Files(Tree(root)))
for number in range(own + shared):
    text = f"Box {mark} holds {number} keys." if number < own else f"Shelf {number} holds the keys."
    while True:
        try:
            saved = notes.save(shelf, notes.NoteDraft(text, "fact"), datetime(2026, 11, 20, 9, tzinfo=UTC))
        except LockBusy:
            continue  # the lock goes to whoever looks first, and a busy machine may let one wait for long
        break
    print(saved.note.id, flush=True)
"""
OLD = """\
---
id: {id}
type: fact
trust: operator
superseded_by: null
---

{body}
"""


def held(world: World) -> dict[str, Note]:
    """The notes by id; all of them can be read, and nothing half-made lies about."""
    shelf = Shelf(Files(Tree(str(world.root))))
    found = {note.id: note for note in shelf.all()}
    assert shelf.damaged == {}
    return found


def race(root: Path, processes: int = PROCESSES, own: int = SAVES - SHARED, program: str = WRITER) -> list[str]:
    """The ids that the writers were told; all begin at the same time."""
    children = [
        warm.start(
            [str(root), str(mark), str(own), str(SHARED)],
            [*warm.PLANTED, program],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for mark in range(processes)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    told = [child.communicate(timeout=180)[0].split() for child in children]
    assert [child.returncode for child in children] == [0] * processes
    return [id for ids in told for id in ids]


def whole(world: World, told: list[str], processes: int, own: int) -> None:
    """Each text in one note, each note told to whoever saved it."""
    found = held(world)
    assert len(told) == processes * (own + SHARED)
    assert set(told) == set(found)
    assert len(found) == len({note.body for note in found.values()}) == processes * own + SHARED
    assert sum(note.reinforced == ("2026-11-20",) for note in found.values()) == SHARED


def test_sixteen_that_save_at_once_lose_nothing_and_double_nothing(empty: World) -> None:
    whole(empty, race(empty.root), PROCESSES, SAVES - SHARED)


def test_the_race_is_red_without_the_lock(empty: World) -> None:
    unlocked = UNLOCKED.replace("{write}", "create")
    with pytest.raises(AssertionError):
        whole(empty, race(empty.root, 2, 0, unlocked + WRITER), 2, 0)


# -- kill -9 -------------------------------------------------------------------------------------------------

WANTED = 6  # points a verb on a desk
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
LEAST = {"save": 8, "forget": 2, "restore": 2}


def killed_everywhere(world: World, tmp_path: Path, *words: str, prove: Callable[[World], None]) -> None:
    """Each call that changes a file is the last one once; `prove` looks at the copy."""
    found = points(world, *words, names=CHANGING)
    assert len(found) >= LEAST[words[1]], f"only {len(found)} calls that change a file: the sweep has gone blind"
    killed: list[Point] = []

    def one(point: Point) -> None:
        copy = world.copy(tmp_path / f"{point.name}-{point.number}")
        ran = disturbed(copy, *words, fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        killed.extend([point] if ran.code in KILLED else [])
        prove(copy)
        assert not list((copy.root / "memory").rglob("*.adj-tmp")), "the next command sweeps what was left half-made"

    chosen = sampled(found, WANTED)
    each(chosen, one)
    assert len(killed) >= 0.9 * len(chosen)


def with_old(world: World, id: str = "20261101T090000-0000", body: str = "Rent is 1,400 euros.") -> bytes:
    return world.write(f"memory/notes/fact/{id}.md", OLD.format(id=id, body=body)).read_bytes()


def saved_once(copy: World) -> None:
    assert {"20261101T090000-0000"} <= set(held(copy)), "what was there is there"
    result = copy.result("memory", "save", "Rent is 1,450 euros.", "--supersedes", "20261101")
    found = held(copy)
    assert len(found) == 2
    assert found["20261101T090000-0000"].superseded_by == result["id"]
    told = (copy.root / "memory/notes/fact/20261101T090000-0000.md").read_text()
    assert f"superseded_by: {result['id']}" in told
    assert found[result["id"]].supersedes == "20261101T090000-0000"


@pytest.mark.real_strace
def test_a_save_killed_anywhere_is_finished_by_the_same_words(empty: World, tmp_path: Path) -> None:
    with_old(empty)
    words = ("memory", "save", "Rent is 1,450 euros.", "--supersedes", "20261101")
    killed_everywhere(empty, tmp_path, *words, prove=saved_once)


@pytest.mark.real_strace
@pytest.mark.parametrize("verb", ["forget", "restore"])
def test_a_note_is_in_one_place_with_all_its_bytes_wherever_a_move_is_killed(
    empty: World,
    tmp_path: Path,
    verb: str,
) -> None:
    id = "20261101T090000-0000"
    data = with_old(empty)
    if verb == "restore":
        empty.run("memory", "forget", id, check=0)

    def prove(copy: World) -> None:
        places = list((copy.root / "memory").rglob("*.md"))
        assert len(places) == 1
        assert places[0].read_bytes() == data
        if "notes" in places[0].parts:
            copy.run("memory", "forget", id, check=0)
        copy.run("memory", "restore", id, check=0)
        assert (copy.root / f"memory/notes/fact/{id}.md").read_bytes() == data

    killed_everywhere(empty, tmp_path, "memory", verb, id, prove=prove)


@pytest.mark.real_strace
def test_the_sweep_is_red_when_the_old_note_is_told_first(empty: World, tmp_path: Path) -> None:
    with_old(empty)
    empty.plant(
        "from adjutant.domain.memory import notes\n"
        "added = notes.LockedNotes._add\n"
        "def careless(held, draft, old):\n"
        "    notes._revise(held._shelf.files, old, superseded_by='lost')\n"
        "    return added(held, draft, held._shelf.find(old.id))\n"
        "notes.LockedNotes._add = careless"
    )
    words = ("memory", "save", "Rent is 1,450 euros.", "--supersedes", "20261101")
    with pytest.raises(AssertionError, match="points"):
        killed_everywhere(empty, tmp_path, *words, prove=saved_once)
