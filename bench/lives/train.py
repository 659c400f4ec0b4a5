"""Trains the scorer of matters: logistic regression with L2 and fixed signs, judged on authors it was not trained on.

The optimum is one point, found by coordinate descent without chance, and is rounded: a clone writes the same bytes.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adjutant.domain.matters import scorer
from bench.instances import CHECKOUT
from bench.lives import life
from bench.lives.gather import Row, gather

# Whether a feature speaks for a matter or against it; a likely line without a day has hardly any.
SIGNS: Mapping[str, int] = {
    "certain": 1,
    "deadline": 1,
    "appointment": 1,
    "late": 1,
    "long late": -1,
    "within three days": 1,
    "within a week": 1,
    "no day": -1,
    "person named": 1,
    "priority in the line": 1,
    "priority around it": 1,
    "quiet zone near": -1,
    "just written": 1,
    "one of many": -1,
}
PLACE = CHECKOUT.joinpath("adjutant", *scorer.PLACE)
RIDGE = 1.0  # L2; all features are 0 to 1
PASSES, CLOSE, STEP = 2000, 1e-9, 0.5
BETTER = 0.05  # of F1, by which the scorer has to beat the plain rule
TRUSTED, SURE = 0.8, 0.85  # precision that listing and telling need before recall counts
THRESHOLDS = [number / 100 for number in range(1, 100)]


class Model(NamedTuple):
    """A bias, and the weight of each feature."""

    bias: float
    weights: tuple[float, ...]

    def chance(self, row: Row) -> float:
        """How likely a row is one to raise; 0 where nothing was read."""
        if not row.features:
            return 0.0
        return _sigmoid(self.bias + sum(map(float.__mul__, self.weights, row.features)))


class Quality(NamedTuple):
    """Of what was picked, the share that is right; of what is right, the share picked; both in one figure."""

    precision: float
    recall: float
    f1: float


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else 1 - 1 / (1 + math.exp(value))


def fit(rows: Sequence[Row], signs: Sequence[int], ridge: float = RIDGE) -> Model:
    """The model that explains the rows best. Raises RuntimeError where it does not settle.

    Minimises the weighted log loss plus ridge/2 · |weights|², each weight kept on its side of 0 (sign 0: either side):
    Newton's step in one coordinate after the other, of at most STEP.
    """
    counts: dict[tuple[tuple[float, ...], bool], float] = defaultdict(float)
    for row in rows:
        if row.features:
            counts[row.features, row.label] += row.weight
    cases = sorted(counts)
    weigh, wanted = [counts[each] for each in cases], [float(label) for _, label in cases]
    columns = [[(at, 1.0) for at in range(len(cases))]]
    for number in range(len(signs)):
        columns.append([(at, values[number]) for at, (values, _) in enumerate(cases) if values[number]])
    totals, found = [0.0] * len(cases), [0.0] * len(columns)
    for _ in range(PASSES):
        moved = 0.0
        for number, column in enumerate(columns):
            sign, held = (0, 0.0) if number == 0 else (signs[number - 1], ridge)
            slope, bend = held * found[number], held
            for at, value in column:
                chance = _sigmoid(totals[at])
                slope += weigh[at] * value * (chance - wanted[at])
                bend += weigh[at] * value * value * chance * (1 - chance)
            step = max(-STEP, min(STEP, -slope / bend)) if bend else 0.0
            if sign * (found[number] + step) < 0:
                step = -found[number]
            if step:
                found[number] += step
                for at, value in column:
                    totals[at] += step * value
                moved = max(moved, abs(step))
        if moved < CLOSE:
            return Model(found[0], tuple(found[1:]))
    raise RuntimeError(f"the weights still move by {moved} after {PASSES} passes")


def left_out(rows: Sequence[Row], signs: Sequence[int]) -> list[float]:
    """The chance of each row under a model that saw nothing of its author."""
    models = {name: fit([row for row in rows if row.author != name], signs) for name in {row.author for row in rows}}
    return [models[row.author].chance(row) for row in rows]


def auc(rows: Sequence[Row], chances: Sequence[float]) -> float:
    """The chance that a row worth raising stands above one that is not, among those that were read."""
    by_chance: dict[float, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row, chance in zip(rows, chances, strict=True):
        if row.features:
            by_chance[chance][row.label] += row.weight
    below = won = right = 0.0
    for chance in sorted(by_chance):
        wrong, good = by_chance[chance]
        won += good * (below + wrong / 2)
        below, right = below + wrong, right + good
    return won / (below * right) if below and right else 0.0


def listed(rows: Sequence[Row], picked: Callable[[int], bool]) -> Quality:
    """How good a list is: all that is worth raising belongs on it."""
    return _quality((row.weight, picked(at), row.label, row.label) for at, row in enumerate(rows))


def told(rows: Sequence[Row], picked: Callable[[int], bool]) -> Quality:
    """How good telling is: musts should be told, what may be raised counts neither way."""
    cases = ((row.weight, picked(at), row.must, row.must or not row.label) for at, row in enumerate(rows))
    return _quality(case for case in cases if case[3])


def _quality(cases: Any) -> Quality:
    picked = right = wanted = 0.0
    for weight, is_picked, is_right, _ in cases:
        picked += weight * is_picked
        right += weight * (is_picked and is_right)
        wanted += weight * is_right
    precision, recall = right / picked if picked else 0.0, right / wanted if wanted else 0.0
    return Quality(precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0)


def train(rows: Sequence[Row]) -> dict[str, Any]:
    """Weights, thresholds and the figures that speak for them, as they are written."""
    names, signs = list(SIGNS), list(SIGNS.values())
    chances, model = left_out(rows, signs), fit(rows, signs)

    def above(threshold: float, *, grave: bool) -> Callable[[int], bool]:
        return lambda at: chances[at] >= threshold and (rows[at].grave or not grave)

    lists = {each: listed(rows, above(each, grave=False)) for each in THRESHOLDS}
    best_list = max(THRESHOLDS, key=lambda each: (_order(lists[each], TRUSTED), -each))
    tells = {each: told(rows, above(each, grave=True)) for each in THRESHOLDS if each >= best_list}
    best_tell = max(tells, key=lambda each: (_order(tells[each], SURE), -each))  # of equals the one that cuts least
    plain = (listed(rows, lambda at: rows[at].plain), told(rows, lambda at: rows[at].plain))
    ours = (lists[best_list], tells[best_tell])
    return {
        "lists": ours[0].f1 >= plain[0].f1 + BETTER,
        "tells": ours[1].f1 >= plain[1].f1 + BETTER,
        "list": best_list,
        "tell": best_tell,
        "bias": round(model.bias, 3),
        "features": {name: round(weight, 3) for name, weight in zip(names, model.weights, strict=True)},
        "left out": {"auc": round(auc(rows, chances), 3), "list": _rounded(ours[0]), "tell": _rounded(ours[1])},
        "plain rule": {"list": _rounded(plain[0]), "tell": _rounded(plain[1])},
        "trained on": {
            "authors": len({row.author for row in rows}),
            "lives": len({row.life for row in rows}),
            "rows": sum(bool(row.features) for row in rows),
        },
    }


def _order(each: Quality, least: float) -> tuple[bool, float]:
    """A precision that is sure comes first; then F1, or where none is sure, precision."""
    sure = each.precision >= least
    return sure, each.f1 if sure else each.precision


def _rounded(quality: Quality) -> dict[str, float]:
    return {name: round(value, 3) for name, value in quality._asdict().items()}


def main(path: Path = PLACE) -> int:
    """Trains on the mornings of set dev, writes the weights, prints the comparison."""
    found = train([row for each in life.mornings(part="dev") for row in gather(each)])
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(told_of(found))
    return 0


def told_of(found: Mapping[str, Any]) -> str:
    """The comparison as text."""
    lines = ["left out, by author     P     R    F1"]
    for name, part in (("scorer", "left out"), ("plain rule", "plain rule")):
        for use in ("list", "tell"):
            figures = "  ".join(f"{value:.2f}" for value in found[part][use].values())
            lines.append(f"{name:<11} {use}     {figures}")
    on = found["trained on"]
    lines.append(f"AUC {found['left out']['auc']:.3f}: {on['rows']} rows, {on['lives']} lives, {on['authors']} authors")
    for use in ("list", "tell"):
        ships = "ships" if found[f"{use}s"] else "does not ship, the plain rule does"
        lines.append(f"{use} from {found[use]:.2f}: the scorer {ships}")
    return "\n".join(lines)
