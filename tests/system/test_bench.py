"""The benchmark runs, and fails when and only when something is far off its aim."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.measure import Figure, Settings, Skipped, paired, ratio
from tests.conftest import CHECKOUT


@pytest.mark.sweep
def test_the_quick_rows_run_and_nothing_is_far_off_its_aim(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    command = [sys.executable, "-m", "bench", "--quick", "--plot", "--out", str(out)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(out.read_text())["figures"]
    assert {figure["row"] for figure in figures} == set(bench.ROWS)
    lines = [line for line in done.stdout.splitlines() if "left out" not in line and "picture" not in line]
    assert max(map(len, lines)) <= 80
    assert "matplotlib is not installed" in done.stdout or (tmp_path / "results.png").exists()


@pytest.mark.parametrize(
    ("figure", "met", "failed"),
    [
        (Figure("r", "w", 3.9, 4.0), True, False),
        (Figure("r", "w", 4.1, 4.0), False, False),
        (Figure("r", "w", 8.1, 4.0), False, True),
        (Figure("r", "w", 0.5, 0.9, most=False), False, False),
        (Figure("r", "w", 0.44, 0.9, most=False), False, True),
        (Figure("r", "w", 0.91, 0.9, most=False), True, False),
        (Figure("r", "w", 1, 0, exact=True), False, True),
        (Figure("r", "w", 0, 0, exact=True), True, False),
        (Figure("r", "w", 3, 2, exact=True), False, True),
    ],
)
def test_a_ratio_fails_twice_off_its_aim_and_a_count_at_once(figure: Figure, met: bool, failed: bool) -> None:
    assert (figure.met, figure.failed) == (met, failed)


def test_one_figure_far_off_is_an_exit_of_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def row(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
        assert folder.is_dir()
        assert settings.quick
        yield Figure("start", "far off", 9.0, 4.0)
        yield Skipped("start", "a peer", "not here")

    monkeypatch.setitem(bench.ROWS, "start", row)
    out = tmp_path / "r.json"
    assert bench.main(["--quick", "--out", str(out), "start"]) == 1
    told = capsys.readouterr().out
    assert "9.00" in told
    assert "missed" in told
    assert "far off its aim: start, far off" in told
    assert "not here" in told
    assert [figure["row"] for figure in json.loads(out.read_text())["figures"]] == ["start", "start"]


@pytest.mark.parametrize(("exact", "code"), [(False, 0), (True, 1)])
def test_a_ratio_far_off_is_measured_once_more_and_a_count_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exact: bool, code: int
) -> None:
    values = iter((9.0, 3.0))

    def row(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
        yield Figure("start", "disturbed", next(values), 4.0, exact=exact)

    monkeypatch.setitem(bench.ROWS, "start", row)
    out = tmp_path / "r.json"
    assert bench.main(["--quick", "--out", str(out), "start"]) == code
    assert [figure["value"] for figure in json.loads(out.read_text())["figures"]] == [9.0 if exact else 3.0]


def test_sides_are_run_in_turn_and_compared_pair_by_pair() -> None:
    order: list[str] = []

    def side(name: str, seconds: float) -> float:
        order.append(name)
        return seconds

    ours, theirs = paired([lambda: side("a", 3.0), lambda: side("b", 2.0)], 3)
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"
    assert ratio(ours, theirs) == 1.5
    assert ratio([1, 2, 90], [1, 1, 1]) == 2
