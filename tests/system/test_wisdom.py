"""wisdom undo under kill -9 and beside others: the file is as it was or as it becomes, the next one completes it."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from adjutant.records import wisdom_log
from adjutant.records.wisdom_file import RuleEntry, Wisdom, render
from adjutant.records.wisdom_log import Distilled, Dropped, Ruled
from tests.conftest import make_app
from tests.system.syscalls import CHANGING, Point, disturbed, each, points, sampled
from tests.system.test_writes import beyond, declared
from tests.system.world import World, changed

KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
WANTED = 14
KEYS, ASK, FLOUR = (
    RuleEntry("Keys", "They hang here."),
    RuleEntry("Ask", "Ask for the day."),
    RuleEntry("Flour", "Order early."),
)


def text(*entries: RuleEntry) -> str:
    return render(Wisdom("Adjutant", "2026-11-01", entries))


ONE, TWO, THREE = text(KEYS), text(KEYS, ASK), text(ASK, FLOUR)


@pytest.fixture
def distilled(world: World) -> World:
    """Two runs: the first ADDed Ask, the second ADDed Flour and dropped Keys."""
    world.write("identity/wisdom.md", ONE)
    app = make_app(world.root)
    for run, before, after, item, dropped in (
        ("r1", ONE, TWO, "n1", []),
        ("r2", TWO, THREE, "n2", [Dropped("Keys", "stale", "They hang here.")]),
    ):
        decisions = [Ruled(item, "1", "ADD", "Ask" if run == "r1" else "Flour")]
        change = wisdom_log.Distilled(
            "2026-11-01T03:00:00+00:00", run, before, after, decisions=decisions, dropped=dropped
        )
        wisdom_log.write(app.files, app.config, change, app.clock.now())
    return world


def on_disk(world: World) -> str:
    return (world.root / "identity" / "wisdom.md").read_text()


def whole(world: World) -> None:
    """What the file says is what the log leads to, and nothing half-made lies about."""
    app = make_app(world.root)
    state = wisdom_log.read(app.files)
    assert state.unfinished is None
    assert state.damaged == ()
    changes = [each.change for each in state.versions if each.outcome == wisdom_log.STANDS]
    standing = [each for each in changes if isinstance(each, wisdom_log.Distilled)]
    assert on_disk(world) == (standing[-1].after if standing else ONE)
    assert set(state.items) == {each.item for change in standing for each in change.decisions}
    assert not list((world.root / "identity").glob(".*adj-tmp"))


def killed_everywhere(distilled: World, tmp_path: Path) -> None:
    """Each call that changes a file is the last one once."""
    found = points(distilled, "wisdom", "undo", names=CHANGING)
    assert len(found) >= 8, f"only {len(found)} calls that change a file: the sweep has gone blind"
    killed: list[Point] = []

    def one(point: Point) -> None:
        copy = distilled.copy(tmp_path / f"{point.name}-{point.number}")
        ran = disturbed(copy, "wisdom", "undo", fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        killed.extend([point] if ran.code in KILLED else [])
        assert on_disk(copy) in (THREE, TWO), "half a file"
        copy.run("wisdom", "lint", check=0)
        versions = wisdom_log.read(make_app(copy.root).files).versions
        recorded = any(not isinstance(version.change, Distilled) for version in versions)
        again = copy.result("wisdom", "undo")
        assert again["run"] == ("r1" if recorded else "r2"), "a recorded undo is completed, and the next one goes on"
        whole(copy)
        archive = (copy.root / "memory" / "wisdom-archive.md").read_text()
        assert archive.count("**Keys**: back in wisdom.md") == 1

    chosen = sampled(found, WANTED)
    each(chosen, one)
    assert len(killed) >= 0.9 * len(chosen)


@pytest.mark.real_strace
def test_an_undo_killed_at_any_write_is_completed_by_the_next(distilled: World, tmp_path: Path) -> None:
    killed_everywhere(distilled, tmp_path)


@pytest.mark.real_strace
def test_the_sweep_is_red_when_what_was_cut_is_not_completed(distilled: World, tmp_path: Path) -> None:
    distilled.plant("from adjutant.records import wisdom_log\nwisdom_log.complete = lambda files, config, now: ''")
    with pytest.raises(AssertionError, match="points"):
        killed_everywhere(distilled, tmp_path)


def test_two_undos_at_once_go_back_two_runs(distilled: World) -> None:
    both = [distilled.start("wisdom", "undo") for _ in range(2)]
    for child in both:
        _, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
    assert on_disk(distilled) == ONE
    whole(distilled)
    assert distilled.refusal("wisdom", "undo", check=1)["error"]["code"] == "check.failed"


def test_an_undo_writes_what_it_declares_and_git_shows_one_clean_diff(distilled: World) -> None:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(distilled.root), "-c", "user.name=x", "-c", "user.email=x@x", *words],
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    git("init", "-q")
    git("add", "identity")
    git("commit", "-q", "-m", "as distilled")
    before = distilled.snapshot()
    distilled.run("wisdom", "undo", check=0)
    found = changed(before, distilled.snapshot())
    assert beyond(distilled.root, declared("wisdom"), found) == set()
    assert {"identity/wisdom.md", "state/wisdom.jsonl", "memory/wisdom-archive.md"} <= found
    told = git("diff", "--numstat")
    assert told.split() == ["3", "3", "identity/wisdom.md"]


def test_an_edit_since_the_run_is_named_and_kept(distilled: World) -> None:
    distilled.write("identity/wisdom.md", THREE + "\n**Mine**\nAs I say.\n")
    told = distilled.refusal("wisdom", "undo", check=1)
    assert told["error"]["code"] == "file.changed"
    assert "identity/wisdom.md was edited since run r2" in (told["error"]["message"])
    assert on_disk(distilled).endswith("As I say.\n")
