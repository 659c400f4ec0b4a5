"""What of a matter counts for raising it, and how much."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.domain.matters import scorer
from adjutant.domain.matters.fact import Fact
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.matters.scorer import FEATURES, Weights
from adjutant.domain.matters.settle import Matter, Placed
from adjutant.language.stems import stems
from adjutant.records.heart import Heart

TODAY = date(2026, 11, 23)
HEART = Relevance(Heart(priorities=["Sale of the boat"], concerns=["Sunde, late before"]), "notes")
PLAIN = Fact(
    kind="task",
    line=3,
    quote="- [ ] ring the yard",
    what="ring the yard",
    basis="word",
    state="open",
    first=None,
    last=None,
    time="",
    certain=False,
    dated=True,
    who="",
    heads=(),
    stems=stems("ring the yard"),
    around=frozenset(),
    day=None,
    group=0,
)


def found(changed: date = date(2026, 11, 3), **more: object) -> dict[str, float]:
    """The features that are not 0."""
    given = {name: getattr(PLAIN, name) for name in PLAIN.__struct_fields__} | more
    matter = Matter((Placed("Yard.md", Fact(**given)),))
    values = scorer.features(matter, HEART, TODAY, changed)
    assert all(0 <= value <= 1 for value in values)
    return {name: round(value, 3) for name, value in zip(FEATURES, values, strict=True) if value}


def on(day: int, month: int = 11) -> dict[str, object]:
    return {"last": date(2026, month, day), "basis": "label"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {"no day"}),
        ({"certain": True}, {"certain", "no day"}),
        ({"basis": "box"}, {"idle box", "no day"}),
        ({"basis": "box", "last": date(2027, 1, 9)}, set()),
        ({"basis": "row"}, {"record", "no day"}),
        ({"basis": "promise", "kind": "waiting"}, {"promise", "waiting", "no day"}),
        ({"kind": "blocked"}, {"stuck", "no day"}),
        ({"kind": "problem"}, {"stuck", "no day"}),
        (
            on(23) | {"kind": "appointment"},
            {"label", "appointment", *(f"within {each}" for each in ("a day", "three days", "a week"))},
        ),
        (on(25) | {"kind": "deadline"}, {"label", "deadline", "within three days", "within a week"}),
        (on(30), {"label", "within a week"}),
        (on(1, 12), {"label"}),
        (on(22), {"label", "late", "long late"}),
        (on(22) | {"dated": False}, {"label"}),  # over, not late
        (on(8), {"label", "long late"}),
        ({"stems": stems("ring about the boat")}, {"priority in the line", "no day"}),
        ({"around": stems("boat sale")}, {"priority around it", "no day"}),
        ({"stems": stems("ring Sunde")}, {"priority in the line", "concern", "no day"}),
    ],
)
def test_features(more: dict[str, object], expected: set[str]) -> None:
    assert set(found(**more)) - {"file long unchanged"} == expected


def test_age_of_the_file() -> None:
    assert found(date(2026, 11, 21))["file just changed"] == 1
    assert found(date(2026, 11, 21))["file long unchanged"] < found()["file long unchanged"] == round(20 / 60, 3)
    assert found(date(2020, 1, 1))["file long unchanged"] == 1
    assert found(date(2026, 12, 1)) == {"no day": 1.0, "file just changed": 1.0}  # a clock that runs ahead


def test_more_of_a_priority_counts_more() -> None:
    one, two = (
        found(stems=stems(text))["priority in the line"] for text in ("ring about the boat", "sale of the boat")
    )
    assert one < two


def test_chance_and_its_factors() -> None:
    weights = Weights(bias=-1.0, features={"certain": 2.0, "no day": -0.5, "late": 3.0}, list=0.3, tell=0.6, ships=True)
    values = tuple(float(name in ("certain", "no day")) for name in FEATURES)
    assert scorer.chance(weights, values) == pytest.approx(0.6225, abs=1e-4)
    assert scorer.factors(weights, values) == [("certain", 2.0), ("no day", -0.5)]
    nothing = tuple(0.0 for _ in FEATURES)
    assert scorer.chance(weights, nothing) == pytest.approx(0.2689, abs=1e-4)
    assert scorer.factors(weights, nothing) == []


def test_there_are_at_most_twenty_features_and_each_has_a_sign() -> None:
    assert len(FEATURES) <= 20 and set(FEATURES.values()) == {1, -1}
