"""Whatever lies in a folder: every verb ends inside its limits with a documented exit code and clean output."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.hostile import SHAPES, make
from tests.sampling import taken
from tests.system.world import DOCUMENTED, World

pytestmark = pytest.mark.sweep

MEGABYTES, SECONDS = 400, 60
VERBS = (
    ("pulse",),
    ("ask", "What is due for the bakery permit?"),
    ("index",),
    ("compact",),
    ("doctor",),
    ("kb", "info", "odd"),
)
FORBIDDEN = {chr(code) for code in (*range(32), 127, *range(0x80, 0xA0))} - {"\n", "\t"}
FORBIDDEN |= set("\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def limited(world: World, *words: str) -> tuple[Ran, float, float]:
    """(how a verb ended, CPU seconds, the most megabytes it held), ended where it goes past the limits."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words],
        cwd=world.root,
        env={**os.environ, "ADJUTANT_NOW": world.now},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=4 * SECONDS,
        preexec_fn=limit,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said, _, held = done.stderr.rpartition("held ")
    ran = Ran(subprocess.CompletedProcess(done.args, done.returncode, done.stdout, said))
    return ran, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, float(held or 0) / 1024


# VmHWM begins anew with a program; ru_maxrss holds what the process that started it had.
MEASURED = """
import sys
from adjutant.__main__ import main
code = main()
sys.stdout.flush()
held = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print("held", held, file=sys.stderr)
raise SystemExit(code)
"""


@pytest.mark.parametrize("seed", range(taken(12, 8, 300)))
def test_a_hostile_folder_stays_inside_every_limit(empty: World, tmp_path: Path, seed: int) -> None:
    make(tmp_path / "odd", seed)
    empty.run("kb", "add", "odd", str(tmp_path / "odd"), check=0)
    for words in VERBS:
        ran, seconds, megabytes = limited(empty, *words)
        assert ran.code in DOCUMENTED, (words, ran)
        assert megabytes <= MEGABYTES, words
        assert seconds < SECONDS, words
        assert not FORBIDDEN & set(ran.out + ran.err), (words, sorted(FORBIDDEN & set(ran.out + ran.err)))
        assert "Traceback" not in ran.err and "a bug in" not in ran.out + ran.err, (words, ran)


@pytest.mark.parametrize("words", [("pulse",), ("ask", "What is due for the bakery permit?")], ids=["pulse", "ask"])
def test_ten_times_the_text_costs_ten_times_the_work(empty: World, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Every shape at once, beyond start-up; a square would be a hundred times as much."""
    start = limited(empty, *words)[1]
    spent = []
    for size in (6_000, 60_000):
        folder = tmp_path / f"of-{size}"
        folder.mkdir()
        for number, shape in enumerate(SHAPES.values()):
            (folder / f"n{number}.md").write_text(shape(size))
            (folder / f"n{number}.yaml").write_text(shape(size))
        world = empty.copy(tmp_path / f"instance-{size}")
        world.run("kb", "add", "odd", str(folder), check=0)
        spent.append(limited(world, *words)[1] - start)
    assert spent[1] <= 25 * max(spent[0], 0.15), (spent, start)
