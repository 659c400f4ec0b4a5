"""System calls of one verb, seen and disturbed from outside with strace: traces, kill points, faults, delays."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import Ran
from tests.sampling import taken
from tests.system.world import World

WRITE_SIDE = (
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat2",
    "unlink",
    "link",
    "openat",
    "ftruncate",
    "mkdir",
    "rmdir",
    "flock",
)
CHANGING = ("write", "rename", "renameat2", "unlink", "link", "openat", "ftruncate", "mkdir", "rmdir")
RECORDS = (
    r"journal/.*",
    r"state/(actions|notices|usage|events|interactions)\.jsonl",
    r"state/(runs|cache|locks|crash)/.*",
    r"state/notify_count_.*",
)
CALL = re.compile(r"^(\d+) +(\w+)\((.*)$")
QUOTED = re.compile(r'"([^"]*)"')
OPENED = re.compile(r"^\d+<([^>]*)>")
FAILED = re.compile(r"= -1 E[A-Z]+ \(")


class Call(NamedTuple):
    """One call of a trace: who, what, and its arguments with the result."""

    pid: str
    name: str
    rest: str


class Point(NamedTuple):
    """The `number`-th call of that name by the main thread, and what it did there."""

    name: str
    number: int
    rest: str

    def __str__(self) -> str:
        return f"{self.name} #{self.number}: {self.rest[:200]}"


def strace(fault: str = "") -> list[str]:
    """The program, which stops a child only where it is told to look. It sends no signals that way."""
    return ["strace", "-f", "-qq", *(["--seccomp-bpf"] if "signal=" not in fault else [])]


def traced(
    world: World,
    *words: str,
    calls: Sequence[str],
    fault: str = "",
    timeout: float = 120,
) -> tuple[Ran, list[Call]]:
    """Runs a verb under strace; `fault` is what -e inject= takes. The log is kept outside of the instance."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "trace"
        command = [*strace(fault), "-y", "-o", str(log), "-e", f"trace={','.join(calls)}"]
        for one in filter(None, fault.split()):
            command += ["-e", f"inject={one}"]
        given = {**os.environ, "ADJUTANT_NOW": world.now, "PYTHONDONTWRITEBYTECODE": "1", **world.env}
        done = subprocess.run(
            [*command, *world.argv(*words)],
            capture_output=True,
            text=True,
            env=given,
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        found = [
            Call(*match.groups()) for line in log.read_text(errors="replace").split("\n") if (match := CALL.match(line))
        ]
    return Ran(done), found


def points(world: World, *words: str, names: Sequence[str] = WRITE_SIDE) -> list[Point]:
    """Every write-side call that touches the instance, from a reference run on a copy that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        spare = world.copy(Path(folder) / "instance")
        ran, calls = traced(spare, *words, calls=names)
        assert ran.code == 0, ran
        counts: dict[str, int] = {}
        found = []
        for call in calls:
            if call.pid != calls[0].pid:
                continue
            counts[call.name] = counts.get(call.name, 0) + 1
            reading = call.name == "openat" and not re.search(r"O_CREAT|O_WRONLY|O_RDWR", call.rest)
            if str(spare.root) in call.rest and not reading and not FAILED.search(call.rest):
                found.append(Point(call.name, counts[call.name], call.rest.replace(str(spare.root), "")))
    return found


def disturbed(world: World, *words: str, fault: str, **more: Any) -> Ran:
    """Runs a verb with faults injected and no trace kept."""
    names = sorted({name for one in fault.split() for name in one.partition(":")[0].split(",")})
    return traced(world, *words, calls=names, fault=fault, **more)[0]


def sampled(found: Sequence[Point], desk: int, ci: int = 5) -> list[Point]:
    """About `desk` points spread over all of them, in CI about `ci`; all with ADJUTANT_EVERY_POINT set."""
    step = max(1, round(len(found) / max(1, taken(desk, ci, len(found)))))
    return [point for n, point in enumerate(found) if n % step == 0]


def each(points: Sequence[Any], prove: Any) -> None:
    """prove(point) for all of them, two at a time; the failures are told together."""

    def told(point: Any) -> str:
        try:
            prove(point)
        except AssertionError as error:
            return f"{point}\n    {str(error)[:1500]}"
        return ""

    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [text for text in pool.map(told, points) if text]
    assert not failures, f"{len(failures)} of {len(points)} points:\n" + "\n".join(failures[:8])


# -- effects -------------------------------------------------------------------------------------------------


def effect(root: str, call: Call) -> str:
    """What a call does to the world: a connection, a child, or a change of the operator's tree; "" for nothing."""
    if FAILED.search(call.rest) and call.name != "connect":
        return ""
    if call.name == "connect":
        return "connect" if "AF_INET" in call.rest else ""
    if call.name == "execve":
        return "execve"
    if call.name in ("rename", "renameat2", "link", "unlink", "rmdir"):
        path = QUOTED.findall(call.rest)[-1]
    elif call.name == "write":
        opened = OPENED.match(call.rest)
        path = opened[1] if opened else ""
    else:
        return ""
    relative = path.removeprefix(f"{root}/")
    if relative == path or path.endswith(".adj-tmp"):
        return ""
    return "" if any(re.fullmatch(pattern, relative) for pattern in RECORDS) else f"{call.name} {relative}"


def unguarded(root: str, calls: Sequence[Call]) -> list[str]:
    """Effects without a look at PAUSED since the effect before them."""
    looked, found = False, []
    for call in calls:
        if call.name in ("newfstatat", "lstat") and f'"{root}/PAUSED"' in call.rest:
            looked = True
        elif what := effect(root, call):
            if not looked:
                found.append(what)
            looked = False
    return found


def effects(root: str, calls: Sequence[Call]) -> list[str]:
    """All effects of a trace in their order."""
    return [what for call in calls if (what := effect(root, call))]
