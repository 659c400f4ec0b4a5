"""What a row measures and what it reports."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One line of the table: `value` against `aim`, a ratio as a rule. `most`: the aim is an upper bound, else a lower.

    `exact` figures are counts: they miss their aim at once, a ratio only when it is twice off.
    """

    row: str
    what: str
    value: float
    aim: float
    most: bool = True
    exact: bool = False
    unit: str = "×"
    details: dict[str, Any] = {}  # noqa: RUF012 - never changed, only written out

    @property
    def met(self) -> bool:
        """The aim is reached."""
        return self.value <= self.aim if self.most else self.value >= self.aim

    @property
    def failed(self) -> bool:
        """Twice off its aim (a count: off at all)."""
        if self.met or self.exact:
            return not self.met
        return self.value > 2 * self.aim if self.most else self.value < self.aim / 2


class Skipped(NamedTuple):
    """A figure that could not be taken, and why."""

    row: str
    what: str
    why: str


class Settings(NamedTuple):
    """`pairs`: runs of each side. `peers`: other programs may be fetched and run. `data`: for the row recall."""

    pairs: int
    quick: bool
    peers: bool
    data: Path | None = None


def wall(command: Sequence[str], **more: Any) -> float:
    """Seconds that a child takes. Raises CalledProcessError when it fails."""
    began = time.perf_counter()
    null = subprocess.DEVNULL
    subprocess.run(command, stdin=null, stdout=null, stderr=subprocess.PIPE, check=True, **more)
    return time.perf_counter() - began


class Spent(NamedTuple):
    """What a child used: seconds of CPU, and the memory it held at most."""

    seconds: float
    megabytes: float


def spent(command: Sequence[str], env: Mapping[str, str]) -> Spent:
    """Runs a child to its end. Raises CalledProcessError when it fails."""
    null = subprocess.DEVNULL
    with subprocess.Popen(command, env=env, stdin=null, stdout=null, stderr=subprocess.PIPE) as child:
        assert child.stderr is not None
        told = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, list(command), stderr=told)
    return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def paired(sides: Sequence[Callable[[], float]], pairs: int) -> list[list[float]]:
    """Seconds of each side, `pairs` times in turn; the order turns round each time. One run of each warms up."""
    found: list[list[float]] = [[] for _ in sides]
    for side in sides:
        side()
    for number in range(pairs):
        order = range(len(sides)) if number % 2 == 0 else reversed(range(len(sides)))
        for index in order:
            found[index].append(sides[index]())
    return found


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the paired ratios."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))
