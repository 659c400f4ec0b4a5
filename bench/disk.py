"""Rows append and replace: durable writes, against the bare system calls they cannot do without."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from adjutant.store.files import Files
from adjutant.store.tree import Tree
from bench.instances import environment
from bench.measure import Figure, Settings, Skipped, paired, ratio

RECORD = {"ts": "2026-11-20T09:00:00+00:00", "type": "pulse", "issues_found": ["x" * 120], "run": "20261120T09-0000"}
CONTENT = b"x" * 400


def bare_append(path: str) -> None:
    """Lock for the write, fdatasync after unlock: the least that is durable and whole."""
    line = json.dumps(RECORD).encode() + b"\n"
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.write(fd, line)
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.fdatasync(fd)
    finally:
        os.close(fd)


def bare_replace(path: str, data: bytes) -> None:
    """Temp file, fsync, rename, fsync of the folder."""
    temp = f"{path}.tmp"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    os.rename(temp, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def writer(kind: str, root: str) -> Callable[[], None]:
    """One durable append, ours or the bare one."""
    files = Files(Tree(root))
    if kind == "ours":
        return lambda: files.append(files.tree.actions, RECORD)
    return lambda: bare_append(files.tree.actions)


def work(kind: str, root: str, seconds: float) -> None:
    """A child: waits for its start, appends for a while, prints how often."""
    append = writer(kind, root)
    append()
    print("ready", flush=True)
    sys.stdin.readline()
    done, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        append()
        done += 1
    print(done)


def crowd(kind: str, root: str, count: int, seconds: float) -> list[int]:
    """Appends that each of `count` processes did in `seconds`."""
    Path(root, "state").mkdir(parents=True, exist_ok=True)
    Path(root, "state", "actions.jsonl").unlink(missing_ok=True)
    command = [sys.executable, "-m", "bench.disk", kind, root, str(seconds)]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment())
        for _ in range(count)
    ]
    for child in children:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    done = [int(child.communicate()[0]) for child in children]
    lines = Path(root, "state", "actions.jsonl").read_bytes().count(b"\n")
    if lines != sum(done) + count:
        raise RuntimeError(f"{kind}: {sum(done) + count} appends acknowledged, {lines} lines found")
    return done


def append(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """Durable appends a second by 1, 8 and 32 processes; a lost one is an error, not a figure."""
    root, seconds, rounds = str(folder), 0.4 if settings.quick else 1.0, 3 if settings.quick else 7
    for count in (1, 8) if settings.quick else (1, 8, 32):
        rates, fair, ours_each = [], [], []
        for _ in range(rounds):
            theirs, ours = crowd("bare", root, count, seconds), crowd("ours", root, count, seconds)
            rates.append(sum(ours) / sum(theirs))
            fair.append(min(ours) / max(ours))
            ours_each.append(sum(ours) / seconds)
        middle = sorted(rates)[rounds // 2]
        yield Figure(
            "append",
            f"ours / bare flock, write, fdatasync; {count} at once",
            middle,
            0.9,
            most=False,
            details={"per_second": max(ours_each)},
        )
        if count > 1:
            what = f"slowest / fastest of {count} processes"
            yield Figure("append", what, sorted(fair)[rounds // 2], 0.5, most=False)


def replace(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """Atomic replace of 400 bytes, and its flushes counted."""
    files = Files(Tree(str(folder)))
    (folder / "state").mkdir(parents=True)
    target, beside = files.tree.pulse, f"{files.tree.state}/beside.json"
    batch = 20 if settings.quick else 50

    def timed(act: Callable[[], None]) -> Callable[[], float]:
        def side() -> float:
            began = time.perf_counter()
            for _ in range(batch):
                act()
            return time.perf_counter() - began

        return side

    ours, bare = timed(lambda: files.replace(target, CONTENT)), timed(lambda: bare_replace(beside, CONTENT))
    mine, theirs = paired([ours, bare], settings.pairs)
    yield Figure(
        "replace",
        "ours / bare temp, fsync, rename, fsync",
        ratio(mine, theirs),
        1.2,
        details={"us": 1e6 * min(mine) / batch},
    )
    yield Figure("replace", "flushes of one replace (exactly 2)", _flushes(files, target), 2, exact=True, unit="")


def _flushes(files: Files, target: str) -> int:
    counted = 0
    real = os.fsync, os.fdatasync

    def counting(fd: int) -> None:
        nonlocal counted
        counted += 1
        real[0](fd)

    os.fsync = os.fdatasync = counting
    try:
        files.replace(target, CONTENT)
    finally:
        os.fsync, os.fdatasync = real
    return counted


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], float(sys.argv[3]))
