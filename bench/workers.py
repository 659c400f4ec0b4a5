"""Row workers: steps on one, two and four of them, what a job costs beside its bare steps, and one that is killed."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from adjutant import commands, wire
from adjutant.jobs.steps import STEPS, StepCall, work_here
from adjutant.jobs.working import Walk
from adjutant.place import Options
from adjutant.records import queue
from adjutant.store.jsonl import loads
from bench import pause
from bench.instances import lived_in
from bench.measure import Figure, Settings, Skipped, paired, ratio

WAIT = 0.5  # seconds that a step waits
EACH, QUICK = 12, 5  # steps a worker
PAUSES = 40  # of a job that only waits for the disk
CODE = """
import sys
from adjutant.jobs.steps import STEPS
from bench.pause import PAUSE
STEPS["pause"] = PAUSE
from adjutant.cli import main
sys.exit(main(sys.argv[1:]))
"""
HERE = Path(__file__).resolve().parent.parent
numbers = itertools.count()


def workers(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """How far several workers are from as many times one."""
    STEPS["pause"] = pause.PAUSE
    yield _overhead(folder / "own", settings)
    program = shutil.which("redis-server")
    if program is None:
        yield Skipped("workers", "2 and 4 workers", "no redis-server: apt-get install redis-server")
        return
    with _redis(program, folder) as url:
        each = QUICK if settings.quick else EACH
        one = _rate(folder, url, 1, each)
        for count in (2, 4):
            rate = _rate(folder, url, count, each)
            yield Figure("workers", f"{count} workers / {count} times one", rate / (count * one), 0.9, most=False)
        if not settings.quick:
            yield _recovery(folder, url)


def _overhead(root: Path, settings: Settings) -> Figure:
    """A job's steps, each result durable before the next begins, against as many durable files."""
    lived_in(root)
    options = Options()
    options.quiet = True
    app = wire.open_app(commands.ROWS["job run"], options, str(root))

    def job() -> float:
        made = queue.file_job(app.files, f"{next(numbers):08d}", "ingest", {}, app.clock.now())
        queue.claim(app.files, made, app.clock.now(), app.run)
        walk, given = Walk(app, made, partial(work_here, app)), [pause.Input(number, 0.0) for number in range(PAUSES)]
        began = time.perf_counter()
        walk.every(pause.PAUSE, given)
        return time.perf_counter() - began

    def bare() -> float:
        name = f"{next(numbers):08d}"
        began = time.perf_counter()
        for number in range(PAUSES):
            queue.keep_result(app.files, name, f"{number:064d}", b'{"at":0.0}')
        return time.perf_counter() - began

    mine, least = paired([job, bare], settings.pairs)
    return Figure("workers", "a job's steps / as many durable files", ratio(mine, least), 2.0)


def _calls(count: int, seconds: float) -> list[StepCall]:
    given = [pause.Input(next(numbers), seconds) for _ in range(count)]
    return [StepCall("pause", msgspec.json.encode(each), pause.PAUSE.hash(each)) for each in given]


def _rate(folder: Path, url: str, count: int, each: int) -> float:
    """Steps a second, `each` of them a worker."""
    with _hands(folder, url, count):
        list(_engine(url).work(_calls(count, 0.0)))  # all of them are up
        began = time.perf_counter()
        done = list(_engine(url).work(_calls(each * count, WAIT)))
        return len(done) / (time.perf_counter() - began)


def _recovery(folder: Path, url: str) -> Figure:
    """From the death of a worker that had a step to its result by another, against what a sign of life is good for."""
    from adjutant.jobs.remote import LOST  # brings rq

    with _hands(folder, url, 2) as running:
        _wait_for_both(url)
        results = _engine(url).work(_calls(2, 3.0))
        killer = threading.Timer(1.0, lambda: _kill(running.pop()))
        killer.start()
        began = time.time() + 1.0
        ended = [loads(each.output)["at"] for each in results]
    return Figure("workers", "back after a kill / a sign of life's time", (max(ended) - began - 3.0) / LOST, 2.0)


def _wait_for_both(url: str) -> None:
    """Until two steps are worked at once."""
    for _ in range(10):
        began = time.perf_counter()
        list(_engine(url).work(_calls(2, 1.0)))
        if time.perf_counter() - began < 1.8:
            return


def _engine(url: str) -> Any:
    from redis import Redis

    from adjutant.jobs.remote import RemoteSteps  # brings rq

    def nothing(*given: Any) -> None:
        """What a step of this row never asks."""

    whole = {"jobs.tries": 3, "jobs.step_seconds": 60}.__getitem__
    config = SimpleNamespace(whole=whole, text={"jobs.fallback": "wait"}.__getitem__)
    app: Any = SimpleNamespace(config=config, gate=nothing, say=print)
    return RemoteSteps(Redis.from_url(url, socket_timeout=5), "bench", app)


@contextmanager
def _hands(folder: Path, url: str, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many workers."""
    desk = folder / "desk"
    desk.mkdir(exist_ok=True)
    (desk / "adjutant.yaml").write_text(f"jobs:\n  redis_url: {url}\n")
    command = [sys.executable, "-c", CODE, "worker", "--quiet", "--root", str(desk)]
    null = subprocess.DEVNULL
    more: dict[str, Any] = {"cwd": HERE, "stdin": null, "stdout": null, "stderr": null, "start_new_session": True}
    running = [subprocess.Popen(command, **more) for _ in range(count)]
    try:
        yield running
    finally:
        for child in running:
            child.send_signal(signal.SIGTERM)
        for child in running:
            child.wait(30)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """A worker and its child, which is a group of its own."""
    listed = Path(f"/proc/{child.pid}/task/{child.pid}/children")
    below = [int(pid) for pid in listed.read_text().split()] if listed.exists() else []
    for pid in (*below, child.pid):
        os.kill(pid, signal.SIGKILL)
    child.wait()


@contextmanager
def _redis(program: str, folder: Path) -> Iterator[str]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", "--appendonly", "yes"]
    child = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        child.terminate()
        child.wait()
