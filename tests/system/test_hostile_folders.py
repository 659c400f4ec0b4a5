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


MEASURED = """
import resource, sys
from adjutant.__main__ import main
code = main()
sys.stdout.flush()
print("held", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
raise SystemExit(code)
"""


@pytest.mark.parametrize("seed", range(taken(24, 24, 300)))
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


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("words", [("pulse",), ("ask", "What is due for the bakery permit?")], ids=["pulse", "ask"])
def test_a_shape_costs_time_linear_in_its_size(
    empty: World, tmp_path: Path, shape: str, words: tuple[str, ...]
) -> None:
    """Ten times the text is at most twenty-five times the work beyond start-up; a square would be a hundred."""
    spent = []
    for size in (10_000, 100_000):
        folder = tmp_path / f"of-{size}"
        folder.mkdir()
        (folder / "notes.md").write_text(SHAPES[shape](size))
        (folder / "notes.yaml").write_text(SHAPES[shape](size))
        world = empty.copy(tmp_path / f"instance-{size}")
        world.run("kb", "add", "odd", str(folder), check=0)
        spent.append(limited(world, *words)[1])
    start = limited(empty, *words)[1]
    assert spent[1] - start <= 25 * max(spent[0] - start, 0.15), (spent, start)


NAMED = {
    "100 KB of comments begun": ("notes.md", "<!--" * 25_000),
    "250 KB of indented YAML": ("notes.yaml", "".join(f"{' ' * (n % 200)}k{n}:\n" for n in range(2_350))),
    "a hundred thousand levels": ("notes.md", "- " * 100_000 + "[ ] pay by Friday"),
    "a thousand levels by indent": ("notes.md", "".join(f"{' ' * n}- [ ] pay by 20 Nov\n" for n in range(1_000))),
    "1 MB in one line": ("notes.md", "pay by 20 Nov " * 74_000),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_text_that_once_took_minutes_takes_seconds(empty: World, tmp_path: Path, name: str) -> None:
    path, text = NAMED[name]
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / path).write_text(text)
    (tmp_path / "odd" / "plan.md").write_text("- [ ] Hand in the fire plan of the bakery, due 2026-11-20\n")
    empty.run("kb", "add", "odd", str(tmp_path / "odd"), check=0)
    ran, seconds, megabytes = limited(empty, "pulse", "--json")
    assert ran.code == 0, ran
    assert any(each["evidence"][0]["path"] == "plan.md" for each in ran.json["result"]["issues"]), ran
    assert seconds < 10 and megabytes < 250, (seconds, megabytes)
