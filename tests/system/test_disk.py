"""The disk refuses: exit 74 and one line, what stood there still stands, and nothing leaves without a reservation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.botapi import BotApi
from tests.conftest import Ran
from tests.system.sweep import Prove, connect, kept, lines, sweep, within_budget
from tests.system.syscalls import Point, disturbed, points, sampled, traced
from tests.system.world import PERMIT, World, mannered, readable

DESK, CI = 8, 5  # points a verb and fault; all of them with ADJUTANT_EVERY_POINT=1
REFUSING = ("write", "fsync", "fdatasync", "rename", "renameat2", "link", "openat", "ftruncate", "mkdir", "unlink")
OUTPUT = ("write",)  # failing for good it takes stdout away as well; RLIMIT_FSIZE and the small disk stand for it


def refused_everywhere(world: World, tmp_path: Path, *words: str, fault: str, prove: Prove) -> None:
    with BotApi() as reference:
        connect(world, reference)
        found = points(world, *words, names=[name for name in REFUSING if "+" not in fault or name not in OUTPUT])
    seen: list[int] = []

    def ended(point: Point, ran: Ran, copy: World, api: BotApi) -> None:
        mannered(ran)
        seen.append(ran.code)
        assert ran.code in (0, 69, 74), ran
        assert ran.code == 0 or len(ran.err.splitlines()) <= 3, ran
        if ran.code == 74:
            assert "fix:" in ran.err and ran.json["error"]["code"] == "io.failed", ran
        readable(copy)  # the last line too: a record that came out short is taken back
        reserved = [record for record in copy.records("notices") if record["event"] == "reserved"]
        assert len(api.messages) <= len(reserved) and copy.count() >= len(api.possible), "sent without a reservation"

    sweep(world, tmp_path, sampled(found, DESK, CI), *words, "--json", fault=fault, ended=ended, prove=prove)
    assert 74 in seen, "no fault was told as what it is"


def pulse_is_whole(world: World, api: BotApi) -> None:
    within_budget(world, api)
    waiting = [name for name in world.insights("pending") if "attempts: 0" in world.text(f"insights/pending/{name}")]
    assert waiting == [], "filed but not escalated"
    assert len({*world.insights("pending"), *world.insights("sent")}) == 2, "each matter filed once"


def any_end(world: World, api: BotApi) -> None:
    within_budget(world, api)


@pytest.mark.real_strace
@pytest.mark.parametrize("fault", ["error=ENOSPC:when={}", "error=EIO:when={}+", "error=EACCES:when={}+"])
def test_a_pulse_that_the_disk_refuses_stops_cleanly_and_the_next_one_finishes(
    world: World,
    tmp_path: Path,
    fault: str,
) -> None:
    world.knowledge("permit", {"permit.md": PERMIT})
    refused_everywhere(world, tmp_path, "pulse", fault=fault, prove=pulse_is_whole)


@pytest.mark.real_strace
@pytest.mark.parametrize(
    "words", [("review",), ("escalation",), ("notify", "the oven is here", "--key", "oven")], ids=lambda words: words[0]
)
def test_other_verbs_that_the_disk_refuses_stop_cleanly(world: World, tmp_path: Path, words: tuple[str, ...]) -> None:
    world.write("insights/pending/2026-11-19-1700.md", "Ring Halvorsen about the bakery oven\n\nBefore noon.\n")
    refused_everywhere(world, tmp_path, *words, fault="error=ENOSPC:when={}", prove=any_end)


@pytest.mark.real_strace
@pytest.mark.parametrize(
    "path",
    [
        "adjutant.yaml",
        "identity/heart.md",
        "knowledge_bases/registry.yaml",
        "knowledge_bases/bakery/tasks.md",
        "state/actions.jsonl",
        "state/notices.jsonl",
    ],
)
def test_a_file_that_cannot_be_read_is_named(world: World, path: str) -> None:
    world.run("pulse", check=0)
    world.write("knowledge_bases/bakery/more.md", "# Bakery\n\n- [ ] Insure the bakery, due 2026-11-12\n")
    number = opens_of(world, path)
    ran = disturbed(world, "pulse", "--json", fault=f"openat:error=EACCES:when={number}")
    mannered(ran)
    if path.startswith("knowledge_bases/bakery"):
        assert ran.code == 0 and "tasks.md" in world.journal() + ran.out, ran
    else:
        assert ran.code == 74 and os.path.basename(path) in ran.err, ran


def opens_of(world: World, path: str) -> int:
    """The number, among all openat calls of a pulse, of the first that opens `path`; as deep as the world is, since the
    way to a knowledge base is opened folder by folder."""
    with TemporaryDirectory(dir=world.root.parent.parent) as folder:
        spare = world.copy(Path(folder) / "instance")
        spare.settings(heartbeat__parallel=1)
        world.settings(heartbeat__parallel=1)
        _, calls = traced(spare, "pulse", calls=("openat",))
        mine = [call for call in calls if call.pid == calls[0].pid]
        return next(n for n, call in enumerate(mine, 1) if path in call.rest)


# -- a file may not grow: RLIMIT_FSIZE -----------------------------------------------------------------------


def limited(world: World, size: int, *words: str) -> Ran:
    """The verb as a child whose files may not grow beyond `size` bytes; a write tears exactly there."""
    limited = World(world.root, world.now, **world.env)
    limited.plant(f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))")
    return limited.run(*words)


@pytest.mark.parametrize(
    "words", [("pulse",), ("notify", "the oven is here", "--key", "oven"), ("review",)], ids=lambda words: words[0]
)
def test_files_that_may_not_grow_keep_what_they_held(world: World, words: tuple[str, ...], tmp_path: Path) -> None:
    with BotApi() as api:
        connect(world, api)
        world.result("pulse", now="2026-11-19T09:00:00+00:00")
        world.knowledge("permit", {"permit.md": PERMIT})
        already = len(api.messages)
        for size in (0, 1, 100, 300, 600, 900, 1200, 2000, 5000):
            copy = world.copy(tmp_path / str(size))
            before, count = lines(copy), len(api.messages)
            ran = limited(copy, size, *words, "--json")
            mannered(ran)
            assert ran.code in (0, 69, 74), (size, ran)
            assert kept(before, lines(copy)) == []
            readable(copy)
            left = len(api.messages) - count
            reserved = [r for r in copy.records("notices")[len(before["notices"]) :] if r["event"] == "reserved"]
            assert left <= len(reserved) and copy.count() >= left, (size, ran)
            mannered(copy.run(*words, check=0))
            readable(copy)
        assert len(api.messages) > already or words == ("review",), "the sizes reach from nothing to everything"


# -- a small disk --------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of a few pages."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)]
    made = subprocess.run(mount, capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("mounting a small tmpfs needs root with CAP_SYS_ADMIN; RLIMIT_FSIZE stands in for it")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_fills_up_ends_every_verb_with_74_and_one_line(world: World, small_disk: Path) -> None:
    full = world.copy(small_disk / "instance")
    full.result("pulse", now="2026-11-19T09:00:00+00:00")
    full.knowledge("permit", {"permit.md": PERMIT})
    before = lines(full)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 1024)
        except OSError:
            pass
    for words in (("pulse",), ("review",), ("notify", "hello"), ("kb", "create", "new"), ("pause", "full")):
        ran = full.run(*words, "--json")
        mannered(ran)
        assert ran.code in (69, 74), (words, ran)
        assert ran.json["error"]["code"] in ("io.failed", "channel.unavailable")
        assert len(ran.err.splitlines()) <= 4
        assert kept(before, lines(full)) == []
        readable(full)
    for words in (("status",), ("notices", "list"), ("ledger",), ("runs", "list"), ("kb", "list")):
        mannered(full.run(*words, check=0))
    filler.unlink()
    assert full.result("pulse")["status"] == "completed"
    assert full.insights("pending") == []
    assert len(full.insights("sent")) == 2
    readable(full)


def test_folders_that_may_not_be_written_are_named(world: World, tmp_path: Path) -> None:
    """For root nothing is unwritable by its mode: a file stands where a folder belongs."""
    for folder in ("journal", "insights/pending", "state/runs", "state/locks"):
        copy = world.copy(tmp_path / folder.replace("/", "-"))
        for path in sorted((copy.root / folder).rglob("*"), reverse=True):
            path.unlink()
        if (copy.root / folder).exists():
            (copy.root / folder).rmdir()
        copy.write(folder, "not a folder\n")
        ran = copy.run("pulse", "--json")
        mannered(ran)
        assert ran.code in (65, 74) and folder.partition("/")[0] in ran.err, ran
        assert copy.text(folder) == "not a folder\n"


def test_ctrl_c_leaves_a_whole_tree_and_exits_130(world: World) -> None:
    """A signal that Python turns into an exception takes the same road as a fault."""

    def one(wait: float) -> None:
        child = world.start("pulse", "--full")
        time.sleep(wait)
        child.send_signal(signal.SIGINT)
        with child:
            _, err = child.communicate(timeout=60)
        assert child.returncode in (130, 0, 75, -signal.SIGINT), err
        assert "Traceback" not in err or child.returncode == -signal.SIGINT, err

    for wait in (0.2, 0.25, 0.3, 0.35, 0.4, 0.5):
        one(wait)
        readable(world)
    assert world.run("pulse", check=0)
    assert json.loads(world.text("state/last_heartbeat.json"))
