"""A child is run to its end or to one of its limits, and nothing of its group is left."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjutant.children import child
from adjutant.children.child import Ended


def run(script: str, *, seconds: float = 5.0, out_limit: int = 1000, **more: Any) -> Ended:
    """A few lines of Python as a child."""
    return child.run(
        [sys.executable, "-IS", "-c", script], env={}, cwd="/", seconds=seconds, out_limit=out_limit, **more
    )


def gone(pid: int, seconds: float = 2.0) -> bool:
    """Whether it ends in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_what_it_says_and_how_it_ends_is_told() -> None:
    ended = run("import sys; sys.stdout.write(sys.stdin.read()); sys.stderr.write('e'); sys.exit(3)", stdin=b"asked")
    assert ended == Ended(3, b"asked", b"e", None)


def test_a_signal_is_a_negative_code() -> None:
    assert run("import os; os.kill(os.getpid(), 9)").code == -signal.SIGKILL


def test_a_question_that_is_not_read_to_its_end_is_no_trouble() -> None:
    assert run("print('done')", stdin=b"x" * 1_000_000).out == b"done\n"


def test_a_child_that_hangs_is_ended_in_time() -> None:
    began = time.monotonic()
    ended = run("import time; time.sleep(60)", seconds=0.3)
    assert ended.cause == "timeout"
    assert ended.code == -signal.SIGTERM
    assert time.monotonic() - began < 1.5


def test_one_that_is_deaf_to_term_is_killed_a_second_later() -> None:
    began = time.monotonic()
    ended = run(
        "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(60)", seconds=0.4
    )
    assert ended.cause == "timeout"
    assert ended.code == -signal.SIGKILL
    assert 1.0 < time.monotonic() - began < 3.0


def test_a_flood_ends_it_and_little_more_than_its_cap_is_kept() -> None:
    ended = run("import sys\nwhile True: sys.stdout.write('x' * 65536)")
    assert ended.cause == "flood"
    assert 1000 < len(ended.out) <= 1000 + child.CHUNK


def test_a_flood_that_ends_by_itself_is_one_too() -> None:
    assert run("print('x' * 5000)").cause == "flood"


def test_errors_beyond_their_cap_are_dropped_and_end_nothing() -> None:
    ended = run("import sys; sys.stderr.write('x' * 1_000_000); print('well')")
    assert ended.code == 0
    assert ended.out == b"well\n"
    assert len(ended.err) == child.ERR_LIMIT


def test_a_grandchild_that_holds_the_pipes_open_delays_nothing_and_is_ended() -> None:
    began = time.monotonic()
    ended = run("import os, time\npid = os.fork()\nif pid == 0: time.sleep(60)\nprint(pid)")
    assert ended.code == 0
    assert time.monotonic() - began < 2
    assert gone(int(ended.out))


def test_what_watch_raises_ends_the_child_and_comes_through() -> None:
    class Enough(Exception):
        pass

    def children() -> set[int]:
        return {int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == os.getpid()}

    others = children()  # servers that other tests use
    pids: list[int] = []

    def watch() -> None:
        pids.extend(children() - others)
        if len(pids) > 1:
            raise Enough

    with pytest.raises(Enough):
        run("import time; time.sleep(60)", watch=watch)
    assert all(map(gone, pids))


def _parent(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


@pytest.mark.parametrize("kind", ["missing", "folder", "no program", "not executable"])
def test_what_cannot_be_started_is_an_oserror(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "program"
    made: dict[str, Callable[[], Any]] = {
        "folder": path.mkdir,
        "no program": lambda: path.write_bytes(b"\0\1\2"),
        "not executable": path.touch,
        "missing": lambda: None,
    }
    made[kind]()
    if kind == "no program":
        path.chmod(0o755)
    with pytest.raises(OSError):
        child.run([str(path)], env={}, cwd="/", seconds=5, out_limit=10)


def test_it_inherits_its_three_pipes_and_what_it_was_passed() -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        ended = run("import os; print(*os.listdir('/proc/self/fd'))", pass_fds=(reading,))
        found = {int(fd) for fd in ended.out.split()}
        assert {0, 1, 2, reading} < found and writing not in found and len(found) == 5, "one is of the listing itself"
    finally:
        os.close(reading)
        os.close(writing)
