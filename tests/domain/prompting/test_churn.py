"""Layers change at a pace: what is recorded, and what is more often than the tier says."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from adjutant.domain.prompting import churn
from adjutant.records.layers import Layer
from adjutant.store import config
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import NOW

START = datetime.fromisoformat(NOW)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    (tmp_path / "state").mkdir()
    return Files(Tree(str(tmp_path)))


def layer(text: str, name: str = "soul", missing: bool = False) -> Layer:
    return Layer(name, f"identity/{name}.md", text, missing, False, 6000)


def measured(files: Files, tier: str, now: datetime) -> churn.Churn:
    return churn.measure(files, Config({**config.defaults().values, "layers.soul.tier": tier}, {}), now)["soul"]


def told(files: Files, tier: str = "granite", now: datetime = START) -> tuple[str, int, bool]:
    """When it changed last, how often within its tier's cadence, whether that is too often."""
    found = measured(files, tier, now)
    return found.changed, found.changes, found.often


def test_the_first_sight_of_a_layer_is_no_change(files: Files) -> None:
    churn.note(files, [layer("one")], START, "r1")
    assert json.loads(Path(files.tree.layer_changes).read_text())["layer"] == "soul"
    assert told(files) == ("", 0, False)


def test_a_layer_that_stays_is_recorded_once(files: Files) -> None:
    for day in range(3):
        churn.note(files, [layer("one")], START + timedelta(days=day), "r")
    assert len(Path(files.tree.layer_changes).read_text().splitlines()) == 1


@pytest.mark.parametrize(("tier", "days"), [("granite", 91), ("sandstone", 30), ("bedrock", 7), ("topsoil", 1)])
def test_two_changes_within_the_cadence_are_too_often_and_one_is_not(files: Files, tier: str, days: int) -> None:
    churn.note(files, [layer("0")], START - timedelta(days=400), "r")
    churn.note(files, [layer("1")], START - timedelta(days=days, minutes=-1), "r")
    assert told(files, tier)[1:] == (1, False)
    churn.note(files, [layer("2")], START, "r")
    assert told(files, tier) == (START.isoformat(), 2, True)
    assert told(files, tier, START + timedelta(days=days + 1))[1:] == (0, False)


def test_a_layer_that_goes_and_comes_back_has_changed_twice(files: Files) -> None:
    for at, text in enumerate(("a", None, "a")):
        churn.note(files, [layer(text or "", missing=text is None)], START + timedelta(minutes=at), "r")
    assert measured(files, "bedrock", START + timedelta(hours=1)).changes == 2


def test_one_change_that_two_turns_recorded_is_one(files: Files) -> None:
    churn.note(files, [layer("a")], START, "r0")
    record = {"ts": (START + timedelta(minutes=1)).isoformat(), "layer": "soul", "sha256": "b", "chars": 1, "run": "r1"}
    files.append_all(files.tree.layer_changes, [record, {**record, "run": "r2"}])
    assert told(files, "topsoil", START + timedelta(minutes=2)) == (record["ts"], 1, False)


def test_a_layer_that_never_was_there_is_not_recorded(files: Files) -> None:
    churn.note(files, [layer("", missing=True)], START, "r")
    assert not Path(files.tree.layer_changes).exists()


@pytest.mark.parametrize(
    "line",
    [
        '{"layer": 1}',
        '{"layer": "soul", "sha256": "x", "ts": "soon"}',
        "torn",
        "[]",
        '{"layer": "soul", "sha256": "x", "ts": "2026-01-01T00:00:00"}',
    ],
)
def test_a_line_that_is_no_record_of_ours_is_left_out(files: Files, line: str) -> None:
    churn.note(files, [layer("one")], START, "r")
    with open(files.tree.layer_changes, "a") as log:
        log.write(line + "\n")
    before = Path(files.tree.layer_changes).read_text()
    churn.note(files, [layer("one")], START, "r")
    assert Path(files.tree.layer_changes).read_text() == before
    assert churn.measure(files, config.defaults(), START)["soul"].changes == 0
