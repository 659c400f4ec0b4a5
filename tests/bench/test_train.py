"""The trainer finds the one optimum, judges on authors it has not seen, and writes the same bytes every time."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from adjutant.domain.matters import scorer
from bench.lives import command, gather, life, train
from bench.lives.gather import Row
from bench.lives.life import Morning
from bench.lives.train import Model
from tests.bench import small

WIDTH = len(train.SIGNS)
CERTAIN, LONG = (list(train.SIGNS).index(name) for name in ("certain", "long late"))


def row(label: bool, *values: float, author: str = "a", weight: float = 1.0, must: bool = False, **more: bool) -> Row:
    return Row(author, author, label, must, weight, values, **more)


def slope(model: Model, rows: Sequence[Row], number: int) -> float:
    """How the loss changes with a weight."""
    errors = (each.weight * each.features[number] * (model.chance(each) - each.label) for each in rows)
    return sum(errors) + train.RIDGE * model.weights[number]


def test_the_bias_alone_is_the_share_of_what_is_right() -> None:
    model = train.fit([row(True, 0.0), row(False, 0.0, weight=3.0)], [1])
    assert model.chance(row(True, 0.0)) == pytest.approx(0.25)


def test_the_optimum_has_no_slope_and_keeps_its_signs() -> None:
    dice = random.Random(1)
    rows = []
    for _ in range(300):
        values = tuple(dice.random() for _ in range(4))
        truth = 3 * values[0] - 3 * values[1] + 2 * values[2] - 1
        rows.append(row(dice.random() < 1 / (1 + math.exp(-truth)), *values, weight=dice.random()))
    model = train.fit(rows, [1, -1, -1, 0])
    assert model.weights[0] > 0 > model.weights[1]
    assert model.weights[2] == 0.0
    for number in (0, 1, 3):
        assert slope(model, rows, number) == pytest.approx(0, abs=1e-6)
    assert slope(model, rows, 2) < 0  # it would help, on the side where it may not be
    again = train.fit(dice.sample(rows, len(rows)), [1, -1, -1, 0])
    assert again == model


def test_what_separates_perfectly_is_held_by_the_ridge() -> None:
    rows = [row(True, 1.0)] * 5 + [row(False, 0.0)] * 5
    weak, strong = (train.fit(rows, [1], ridge).weights[0] for ridge in (0.1, 10))
    assert 0 < strong < weak < 10


def test_rows_that_say_the_same_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [row(True, 1.0, weight=0.25)] * 4 + [row(False, 1.0), row(False, 0.0), row(False, 0.0)]
    whole = [row(True, 1.0), row(False, 1.0), row(False, 0.0, weight=2.0)]
    assert train.fit(parts, [1]) == train.fit(whole, [1])
    monkeypatch.setattr(train, "PASSES", 1)
    with pytest.raises(RuntimeError, match="still move"):
        train.fit(parts, [1])


def test_nobody_is_judged_by_a_model_that_saw_them() -> None:
    theirs = [row(True, 1.0, author="b"), row(False, 0.0, author="b")]
    mine = [row(False, 1.0), row(True, 0.0), row(True)]
    chances = train.left_out([*mine, *theirs], [0])
    seen = train.fit(theirs, [0])
    assert chances[:3] == [seen.chance(mine[0]), seen.chance(mine[1]), 0.0]
    assert chances[0] > 0.5 > chances[1]
    assert chances[3] < 0.5 < chances[4]


def test_auc() -> None:
    rows = [row(True, 1.0), row(False, 1.0), row(False, 1.0, weight=2.0), row(True)]
    assert train.auc(rows, [0.9, 0.1, 0.1, 0.0]) == 1.0
    assert train.auc(rows, [0.5, 0.5, 0.5, 0.0]) == 0.5
    assert train.auc(rows, [0.5, 0.9, 0.1, 0.0]) == pytest.approx(2 / 3)
    assert train.auc(rows[:1], [0.5]) == 0.0


def test_quality_of_a_list_and_of_telling() -> None:
    rows = [row(True, must=True), row(True), row(False, weight=2.0), row(True, must=True)]
    picked = {0, 1, 2}
    assert train.listed(rows, picked.__contains__) == pytest.approx((0.5, 2 / 3, 4 / 7))
    assert train.told(rows, picked.__contains__) == pytest.approx((1 / 3, 1 / 2, 2 / 5))  # what may be told is neither
    assert train.listed(rows, lambda _: False) == (0, 0, 0)


def made(number: int, label: bool, **more: bool) -> Row:
    """A row whose one feature tells what is right."""
    values = [0.0] * WIDTH
    values[CERTAIN if label else LONG] = 1.0
    return Row(f"author {number % 3}", "x", label, label, 1.0, tuple(values), **more)


def test_the_scorer_ships_where_it_beats_the_plain_rule() -> None:
    rows = [made(number, number % 2 == 0, grave=True, plain=number < 6) for number in range(60)]
    found = train.train(rows)
    assert (found["lists"], found["tells"]) == (True, True)
    assert found["left out"]["list"] == found["left out"]["tell"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert found["left out"]["auc"] == 1.0
    assert found["plain rule"]["list"] == {
        "precision": 0.5,
        "recall": 0.1,
        "f1": 0.167,
    }
    assert list(found["features"]) == list(train.SIGNS)
    assert found["features"]["certain"] > 0 > found["features"]["long late"]
    assert found["trained on"] == {"authors": 3, "lives": 1, "rows": 60}


def test_the_plain_rule_ships_where_it_is_as_good() -> None:
    rows = [made(number, number % 2 == 0, grave=True, plain=number % 2 == 0) for number in range(60)]
    found = train.train(rows)
    assert (found["lists"], found["tells"]) == (False, False)


def test_telling_is_sure_before_it_is_complete() -> None:
    """Of rows in which a lower threshold has the better F1, the one that is sure is taken."""

    def order(*quality: float) -> tuple[bool, float]:
        return train._order(train.Quality(*quality), train.SURE)

    assert order(0.86, 0.1, 0.18) > order(0.84, 0.9, 0.87)
    assert order(0.86, 0.5, 0.63) > order(0.95, 0.1, 0.18)
    assert order(0.7, 0.1, 0.17) > order(0.5, 0.9, 0.64)


def test_only_what_is_grave_is_told() -> None:
    rows = [made(number, number % 2 == 0) for number in range(60)]
    found = train.train(rows)
    assert found["left out"]["tell"]["recall"] == 0.0
    assert (found["lists"], found["tells"]) == (True, False)


# -- rows ----------------------------------------------------------------------------------------------------


def labels(rows: Sequence[Row]) -> list[tuple[bool, bool]]:
    return sorted((each.label, each.must) for each in rows)


def test_rows_of_a_morning(tmp_path: Path) -> None:
    found = gather.gather(Morning(small.write(tmp_path / "petra", small.MORNING)))
    assert labels(found) == [(False, False), (True, True), (True, True)]  # the survey, insurance and Sunde's bill
    assert {(each.author, each.life, each.weight) for each in found} == {("two", "petra", 1.0)}
    assert all(len(each.features) == WIDTH for each in found)
    assert [each.must for each in found if each.plain] == [True]  # the insurance: near, certain, of a priority
    bare = small.MORNING | {"issues.yaml": small.MORNING["issues.yaml"].replace("low, must: false", "low, must: true")}
    found = gather.gather(Morning(small.write(tmp_path / "bare", bare)))
    assert [each.label for each in found if not each.features] == [True]  # nobody reads that the pump is one


def test_a_row_beside_a_labelled_row_is_not_labelled(tmp_path: Path) -> None:
    bills = small.MORNING["kbs/money/bills.csv"].replace(
        "420,2026-11-26,open", "420,2026-11-26,open\nRope,9,2026-11-26,open"
    )
    life_ = Morning(small.write(tmp_path / "rows", small.MORNING | {"kbs/money/bills.csv": bills}))
    assert labels(gather.gather(life_)) == [(False, False), (False, False), (True, True), (True, True)]


def test_training_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small.write(tmp_path / "lives" / "fortnights" / "petra", small.FORTNIGHT)
    small.write(tmp_path / "lives" / "mornings" / "two", small.MORNING)
    other = small.MORNING | {"life.yaml": small.MORNING["life.yaml"].replace("author: two", "author: three")}
    small.write(tmp_path / "lives" / "mornings" / "three", other)
    hidden = small.MORNING | {"life.yaml": small.MORNING["life.yaml"] + "set: held-out\n"}
    small.write(tmp_path / "lives" / "mornings" / "hidden", hidden)
    for part in (life.fortnights, life.mornings):
        monkeypatch.setattr(part, "__defaults__", (tmp_path / "lives", (), ""))
    for name in ("one", "two"):
        assert command.main(["--train", str(tmp_path / name)]) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert json.loads((tmp_path / "one").read_text())["trained on"]["lives"] == 2
    told = capsys.readouterr().out
    assert "plain rule" in told
    assert "2 lives, 2 authors" in told


def test_the_weights_of_the_package_are_of_its_features_and_signs() -> None:
    weights = scorer.load()
    assert list(weights.features) == list(train.SIGNS)
    assert all(weight * train.SIGNS[name] >= 0 for name, weight in weights.features.items())
    assert 0 < weights.list <= weights.tell < 1
