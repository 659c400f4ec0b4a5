"""What of a matter counts for raising it, and how much."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from adjutant.domain.matters import scorer
from adjutant.domain.matters.fact import Fact
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.matters.scorer import Weights
from adjutant.domain.matters.settle import Matter, Placed
from adjutant.language.stems import stems
from adjutant.records.heart import Heart
from bench.lives.train import SIGNS

TODAY = date(2026, 11, 23)
HEART = Relevance(
    Heart(priorities=["Sale of the boat"], concerns=["Sunde, late before"], quiet=["Choir of the parish"]), "notes"
)
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


def found(changed: date = date(2026, 11, 3), like: int = 1, **more: object) -> dict[str, float]:
    """The features that are not 0."""
    given = {name: getattr(PLAIN, name) for name in PLAIN.__struct_fields__} | more
    matter = Matter((Placed("Yard.md", Fact(**given)),))
    values = scorer.features(matter, HEART, TODAY, changed, like)
    assert list(values) == list(SIGNS), "in the order in which they are trained"
    assert all(0 <= value <= 1 for value in values.values())
    return {name: round(value, 3) for name, value in values.items() if value}


def on(day: int, month: int = 11) -> dict[str, object]:
    return {"last": date(2026, month, day), "basis": "label"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {"no day"}),
        ({"certain": True}, {"certain", "no day"}),
        (on(23) | {"kind": "appointment"}, {"appointment", "within three days", "within a week"}),
        (on(25) | {"kind": "deadline"}, {"deadline", "within three days", "within a week"}),
        (on(30), {"within a week"}),
        (on(1, 12), set()),
        (on(22), {"late", "long late"}),
        (on(22) | {"dated": False}, set()),  # over, not late
        (on(8), {"long late"}),
        ({"stems": stems("ring about the boat")}, {"priority in the line", "no day"}),
        ({"around": stems("boat sale")}, {"priority around it", "no day"}),
        ({"stems": stems("ring Sunde")}, {"priority in the line", "no day"}),
        ({"around": stems("choir books")}, {"quiet zone near", "no day"}),
        ({"who": "Sunde"}, {"person named", "no day"}),
    ],
)
def test_features(more: dict[str, object], expected: set[str]) -> None:
    assert set(found(**more)) == expected


def test_what_was_just_written() -> None:
    assert "just written" in found(date(2026, 11, 20))
    assert "just written" not in found(date(2026, 11, 19))
    assert "just written" in found(day=date(2026, 11, 21))
    assert "just written" not in found(day=date(2026, 11, 1))
    assert "just written" not in found(date(2026, 12, 24))  # a clock that runs ahead


def test_one_of_many_counts_the_matters_under_its_heading() -> None:
    matters = [
        Matter((Placed(path, msgspec.structs.replace(PLAIN, heads=heads)),))
        for path, heads in (("a.md", ()), ("a.md", ()), ("a.md", ("Plan",)), ("b.md", ()))
    ]
    assert scorer.headings(matters) == {("a.md", ()): 2, ("a.md", ("Plan",)): 1, ("b.md", ()): 1}
    assert found(like=3)["one of many"] == 0.25
    assert found(like=30)["one of many"] == 1


def test_more_of_a_priority_counts_more() -> None:
    one, two = (
        found(stems=stems(text))["priority in the line"] for text in ("ring about the boat", "sale of the boat")
    )
    assert one < two


def test_chance_is_that_of_all_features_together() -> None:
    weights = Weights(
        bias=-1.0, features={"certain": 2.0, "no day": -0.5, "late": 3.0}, list=0.3, tell=0.6, lists=True, tells=False
    )
    values = {name: float(name in ("certain", "no day")) for name in SIGNS}
    assert scorer.chance(weights, values) == pytest.approx(0.6225, abs=1e-4)
    assert scorer.chance(weights, dict.fromkeys(SIGNS, 0.0)) == pytest.approx(0.2689, abs=1e-4)


def test_there_are_at_most_twenty_features_and_each_has_a_sign() -> None:
    assert len(SIGNS) <= 20
    assert set(SIGNS.values()) == {1, -1}
