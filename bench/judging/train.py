"""`bin/bench judging`: how well questions and sentences are told apart; `--train` writes the weights for it.

Multinomial logistic regression with L2 over the features of `judging.features`, found by gradient steps without chance
and rounded: a clone writes the same bytes. The figures are of people it was not trained on.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from adjutant.domain.matters import says
from adjutant.domain.telling import asking
from adjutant.language import judging
from adjutant.language.judging import Judge
from bench.instances import CHECKOUT

HERE = Path(__file__).resolve().parent
# What is told apart: the place of its weights in the package, and the kind that asks for nothing or is not open.
PARTS = {"questions": (asking.PLACE, asking.FACT), "sentences": (says.PLACE, says.NONE)}
TODAY = date(2026, 11, 23)  # a Monday, on which all of them were said
RIDGE, LEAST, STEPS, DIGITS = 0.5, 3, 8, 2  # L2; texts that hold a feature; times all are read; decimals kept
PACE, SOFT = 0.1, 0.1  # of the descent: the first step's length, and what keeps it short
SMALL = 0.1  # weights below say nothing
BIAS = 0  # the feature that every text has, and no ridge holds


class Said(msgspec.Struct):
    """A text and its kind."""

    text: str = msgspec.field(name="says")
    kind: str


class Figures(NamedTuple):
    """Of the texts of any kind but the idle one, those known as such and those of the right kind; idle ones taken."""

    kinds: int
    known: int
    right: int
    idle: int
    taken: int


def load(part: str, half: str) -> list[Said]:
    """The texts of `train` or of `held-out`. Raises OSError, msgspec.ValidationError."""
    found = list[Said]()
    for path in sorted((HERE / part / half).glob("*.yaml")):
        found += msgspec.yaml.decode(path.read_bytes(), type=list[Said])
    return found


def fit(texts: Sequence[Said]) -> Judge:
    """The weights that explain the texts best."""
    held = [sorted(judging.features(each.text, TODAY)) for each in texts]
    counts = Counter(feature for features in held for feature in features)
    names = sorted(feature for feature, count in counts.items() if count >= LEAST)
    places = {name: at for at, name in enumerate(names, 1)}
    rows = [[BIAS, *(places[feature] for feature in features if feature in places)] for features in held]
    kinds = sorted({each.kind for each in texts})
    wanted = [kinds.index(each.kind) for each in texts]
    shares = [0.0, *(RIDGE / counts[name] for name in names)]
    bias, *weights = (_descend if find_spec("numpy") else _descend_plainly)(rows, wanted, shares, len(kinds))
    return Judge(_round(kinds, bias, 0.0), {
        name: kept for name, each in zip(names, weights, strict=True) if (kept := _round(kinds, each, SMALL))
    })  # fmt: skip


def _descend(
    rows: Sequence[Sequence[int]], wanted: Sequence[int], shares: Sequence[float], kinds: int
) -> list[list[float]]:
    """What `_descend_plainly` gives, the same sums in the same order, in a sixth of the time."""
    import numpy as np  # not installed with what everybody needs

    weights, bends = np.zeros((len(shares), kinds)), np.full((len(shares), kinds), SOFT)
    held, ridge = [np.array(row) for row in rows], np.array(shares).reshape(-1, 1)
    for pace, number in _turns(len(rows)):
        at = held[number]
        own = weights[at]
        slopes = np.array(_errors(own.sum(axis=0).tolist(), wanted[number])) + ridge[at] * own
        bent = bends[at] + slopes * slopes
        weights[at], bends[at] = own - pace * slopes / np.sqrt(bent), bent
    found: list[list[float]] = weights.tolist()
    return found


def _descend_plainly(
    rows: Sequence[Sequence[int]], wanted: Sequence[int], shares: Sequence[float], kinds: int
) -> list[list[float]]:
    """The weights of each feature by AdaGrad (Duchi, Hazan and Singer 2011): text by text, each weight at its own pace.
    What every step would take off all weights by the ridge is taken off those of a text, more the rarer they are."""
    weights, bends = [[0.0] * kinds for _ in shares], [[SOFT] * kinds for _ in shares]
    for pace, number in _turns(len(rows)):
        scores = [0.0] * kinds
        for at in rows[number]:
            scores = [score + value for score, value in zip(scores, weights[at], strict=True)]
        errors = _errors(scores, wanted[number])
        for at in rows[number]:
            share, own, bend = shares[at], list[float](), list[float]()
            for error, value, bent in zip(errors, weights[at], bends[at], strict=True):
                slope = error + share * value
                bent += slope * slope
                bend.append(bent)
                own.append(value - pace * slope / math.sqrt(bent))
            weights[at], bends[at] = own, bend
    return weights


def _turns(texts: int) -> Iterator[tuple[float, int]]:
    """(pace, number of a text), every text in each of the steps, in an order without chance."""
    order = list(range(texts))
    for step in range(STEPS):
        Random(step).shuffle(order)
        for number in order:
            yield PACE * (1 - step / STEPS), number


def _errors(scores: Sequence[float], wanted: int) -> list[float]:
    """By how much the share of each kind is too large."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    errors = [power / total for power in powers]
    errors[wanted] -= 1
    return errors


def _round(kinds: Sequence[str], values: Sequence[float], least: float) -> dict[str, float]:
    return {kind: round(value, DIGITS) for kind, value in zip(kinds, values, strict=True) if abs(value) >= least}


def measure(judge: Judge, texts: Sequence[Said], idle: str) -> Figures:
    """How the texts are judged. `idle`: the kind that says nothing open."""
    judged = list[tuple[str, str]]()
    for each in texts:
        shares = judge.shares(judging.features(each.text, TODAY))
        open_ones = [kind for kind in shares if kind != idle]
        judged.append((each.kind, idle if shares[idle] > 0.5 else max(open_ones, key=lambda kind: shares[kind])))
    found = [(kind, said) for kind, said in judged if kind != idle]
    taken = [said != idle for kind, said in judged if kind == idle]
    known, right = sum(said != idle for _, said in found), sum(kind == said for kind, said in found)
    return Figures(len(found), known, right, len(taken), sum(taken))


def write(judge: Judge, path: Path) -> None:
    """Writes the weights, a feature a line."""
    lines = [f"{json.dumps(name, ensure_ascii=False)}: {_line(each)}" for name, each in judge.weights.items()]
    path.write_text(f'{{"bias": {_line(judge.bias)},\n"weights": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


def _line(weights: Mapping[str, float]) -> str:
    return json.dumps(weights, ensure_ascii=False)


def main(argv: list[str]) -> int:
    """Prints the figures; writes the weights with --train. Returns 0."""
    parser = argparse.ArgumentParser(prog="bin/bench judging", description="How well texts are told apart.")
    parser.add_argument("--train", action="store_true", help="write the weights in adjutant/ anew")
    args = parser.parse_args(argv)
    print("texts      half       open  known  right kind   idle  taken")
    for part, (place, idle) in PARTS.items():
        if args.train:
            write(fit(load(part, "train")), CHECKOUT.joinpath("adjutant", *place))
        judge = judging.read(*place)
        for half in ("train", "held-out"):
            found = measure(judge, load(part, half), idle)
            known, right, taken = (found.known / found.kinds, found.right / found.kinds, found.taken / found.idle)
            print(
                f"{part:<10} {half:<9} {found.kinds:>5}   {known:.2f}        {right:.2f}  {found.idle:>5}   {taken:.2f}"
            )
    return 0
