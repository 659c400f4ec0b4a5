"""The weights of questions and sentences: how they are learnt and that they are those of the published texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjutant.language import judging
from bench.instances import CHECKOUT
from bench.judging import train
from bench.judging.train import PARTS, Said
from tests.meanings import need_packages

FEW = [
    Said("Who am I waiting for?", "waiting"),
    Said("What am I still waiting for?", "waiting"),
    Said("Who waits for the bus?", "fact"),
    Said("How much is the bus?", "fact"),
]


def test_words_that_few_questions_share_decide() -> None:
    judge = train.fit(FEW)
    shares = judge.shares(judging.features("Whom am I waiting for", train.TODAY))
    assert shares["waiting"] > shares["fact"]


def test_shares_of_a_text_make_one() -> None:
    shares = train.fit(FEW).shares(judging.features("anything at all", train.TODAY))
    assert sum(shares.values()) == pytest.approx(1)


def test_names_days_and_figures_are_not_weighed() -> None:
    found = judging.features("Does Kessler come on Friday for 300 euros?", train.TODAY)
    assert {"kessler", "friday", "300"}.isdisjoint(found)


@pytest.mark.parametrize("part", PARTS)
def test_features_read_one_by_one_are_those_of_the_file(part: str) -> None:
    place, _ = PARTS[part]
    held, judge = json.loads(CHECKOUT.joinpath("adjutant", *place).read_bytes()), judging.read(*place)
    assert dict(judge.weights) == held["weights"]
    assert judge.bias == held["bias"]


def test_a_feature_that_nobody_learnt_is_none() -> None:
    judge = judging.read(*PARTS["questions"][0])
    assert all(feature not in judge.weights for feature in ("", "xyzzy", "who is nobody", '"', "\U0010ffff"))


@pytest.mark.parametrize("part", PARTS)
def test_nobody_is_asked_twice(part: str) -> None:
    both = {each.text for each in train.load(part, "train")} & {each.text for each in train.load(part, "held-out")}
    assert both == set()


@pytest.mark.sweep
def test_training_by_numpy_is_training(monkeypatch: pytest.MonkeyPatch) -> None:
    need_packages()
    texts = train.load("questions", "train")[:400]
    found = train.fit(texts)
    monkeypatch.setattr(train, "_descend", train._descend_plainly)
    assert len(found.weights) > 100
    assert train.fit(texts) == found


@pytest.mark.sweep
@pytest.mark.parametrize("part", PARTS)
def test_training_writes_the_bytes_that_are_published(part: str, tmp_path: Path) -> None:
    place, _ = PARTS[part]
    written = tmp_path / "weights.json"
    train.write(train.fit(train.load(part, "train")), written)
    assert written.read_bytes() == CHECKOUT.joinpath("adjutant", *place).read_bytes()
