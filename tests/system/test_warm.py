"""A fork of the warm process is what a start is: the same state, the same ends, the same words."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.system.world import World

PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.fixture(params=["real", "fork"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(warm.STARTS, request.param)
    return str(request.param)


def reading(root: Path, **more: Any) -> subprocess.Popen[Any]:
    """A `notify` that waits for its text."""
    child = warm.start(["notify", "-", "--key", "k"], cwd=root, text=True, **{**PIPES, **more})
    since = time.monotonic()
    while time.monotonic() - since < 0.3:  # asleep for so long: it reads
        if not fields(child.pid)["State"].startswith("S"):
            since = time.monotonic()
        time.sleep(0.02)
    return child


def fields(pid: int) -> dict[str, str]:
    """What the kernel tells of a process."""
    return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())


def state(pid: int) -> dict[str, object]:
    """What a process was given by whoever started it."""
    told = fields(pid)
    return {
        "folder": os.readlink(f"/proc/{pid}/cwd"),
        "descriptors": sorted(map(int, os.listdir(f"/proc/{pid}/fd"))),
        "threads": told["Threads"],
        "signals": [told[name] for name in ("SigBlk", "SigIgn", "SigCgt")],
        "umask": told["Umask"],
        "group": os.getpgid(pid),
        "limits": Path(f"/proc/{pid}/limits").read_text(),
        "nice": os.getpriority(os.PRIO_PROCESS, pid),
    }


def test_a_fork_has_what_a_start_has(made: World, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for how in ("real", "fork"):
        monkeypatch.setenv(warm.STARTS, how)
        with reading(made.root) as child:
            assert (type(child) is warm.Forked) == (how == "fork")
            seen.append(state(child.pid))
            out, err = child.communicate("the oven is here\n", timeout=30)
            assert (child.returncode, err) == (0, "")
            assert out
    assert seen[0] == seen[1]


def test_its_session_may_be_its_own(made: World, how: str) -> None:
    with reading(made.root, start_new_session=True) as child:
        assert os.getsid(child.pid) == os.getpgid(child.pid) == child.pid
        os.killpg(child.pid, signal.SIGKILL)
        assert child.wait(30) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_it_ends_by_a_signal(made: World, how: str, sent: signal.Signals, code: int) -> None:
    with reading(made.root) as child:
        assert child.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.05)
        child.send_signal(sent)
        _, err = child.communicate(timeout=30)
    assert child.returncode == code
    assert "Traceback" not in err


def test_words_bytes_and_exit_codes_come_through(made: World, how: str) -> None:
    def ran(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        return warm.run(words, cwd=made.root, **more)

    assert ran("notify", "-", "--key", "k", stdin="Ærlig talt\n").stdout.startswith("Ærlig talt")
    refused = ran("no-such-verb")
    assert refused.returncode == 2
    assert "unknown verb" in refused.stderr
    assert not refused.stdout
    assert ran("status", env={**os.environ, "ADJUTANT_NOW": "soon"}).returncode == 78
    assert "Fri 02 Jan 2026 03:04" in ran("status", env={**os.environ, "ADJUTANT_NOW": "2026-01-02T03:04:05Z"}).stdout
    with pytest.raises(FileNotFoundError):
        warm.run(["status"], cwd=made.root / "nowhere")


def test_files_take_its_output(made: World, how: str, tmp_path: Path) -> None:
    with (tmp_path / "both").open("wb") as both:
        child = warm.start(["no-such-verb"], cwd=made.root, stdout=both, stderr=subprocess.STDOUT)
        assert child.wait(30) == 2
    assert "unknown verb" in (tmp_path / "both").read_text()


def test_what_an_interpreter_or_its_loader_reads_is_a_start(made: World) -> None:
    for name in ("PYTHONIOENCODING", "PYTHONPATH", "LC_ALL", "LANG", "LD_PRELOAD"):
        assert not warm.as_it_is({**os.environ, name: "C"}), name
    assert warm.as_it_is({**os.environ, "ADJUTANT_NOW": "2026-01-02", "HOME": "/", "TZ": "Asia/Tokyo"})
    with warm.start(["version"], ["-I", "-c", "raise SystemExit(7)"]) as child:
        assert type(child) is subprocess.Popen
        assert child.wait(30) == 7


def test_code_that_is_planted_runs_and_ends(how: str) -> None:
    done = warm.run(["a", "b"], [*warm.PLANTED, "import sys\nprint(sys.argv)\nsys.exit(7)"])
    assert (done.returncode, done.stdout, done.stderr) == (7, "['-c', 'a', 'b']\n", "")
    broken = warm.run([], [*warm.PLANTED, "1 / 0"])
    assert broken.returncode == 1
    assert "ZeroDivisionError" in broken.stderr
