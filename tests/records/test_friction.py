"""Friction: what a record alone tells, how signals add up, and what takes their weight away."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.records import interactions
from adjutant.records.interactions import SIGNALS, USEFUL, WEIGHTS, at_once, friction_of, join

NAMES = st.lists(st.sampled_from([*SIGNALS, "unknown"]), max_size=8)


def test_a_smooth_turn_has_no_signal() -> None:
    assert at_once(degraded=False, failed=False, calls=[("search", False)], rounds=2, most=6) == ()


@pytest.mark.parametrize(
    ("calls", "signals"),
    [
        ([("search", True)], ("tool_error",)),
        ([("kb_query", True)], ("kb_error",)),
        ([("kb_query", False), ("workspace_write", True)], ("tool_error",)),
        ([("kb_query", True), ("skill_read", True), ("kb_query", False)], ("tool_error", "kb_error")),
    ],
)
def test_a_refused_call_is_told_from_a_refused_knowledge_base(
    calls: list[tuple[str, bool]],
    signals: tuple[str, ...],
) -> None:
    assert at_once(degraded=False, failed=False, calls=calls) == signals


@pytest.mark.parametrize(
    ("rounds", "most", "many"),
    [
        (3, 6, False),
        (4, 6, True),
        (3, 3, True),
        (6, 12, False),
        (7, 12, True),
    ],
)
def test_many_rounds_are_three_and_more_than_half_of_those_allowed(rounds: int, most: int, many: bool) -> None:
    assert (at_once(degraded=False, failed=False, rounds=rounds, most=most) == ("many_rounds",)) is many


def test_rules_in_a_models_place_are_told_from_no_answer_at_all() -> None:
    assert at_once(degraded=True, failed=False) == ("degraded",)
    assert at_once(degraded=True, failed=True) == ("failed", "degraded")
    assert friction_of(("failed", "degraded")) == 0.76 > friction_of(("degraded",)) == 0.4


@settings(derandomize=True, max_examples=50)
@given(NAMES, NAMES)
def test_more_signals_never_rub_less_and_the_same_twice_is_once(one: list[str], two: list[str]) -> None:
    both = join(one, two)
    assert 0.0 <= friction_of(tuple(one)) <= 1.0
    assert friction_of(tuple(one + one)) == friction_of(tuple(reversed(one))) == friction_of(join(one, one))
    if USEFUL in both:
        assert friction_of(both) == 0.0
    else:
        assert friction_of(both) >= max(friction_of(tuple(one)), friction_of(tuple(two)))


def test_the_names_that_others_go_by_are_weighed() -> None:
    named = {interactions.CORRECTED, interactions.REPEATED, interactions.USELESS, "abandoned"}
    assert named | interactions.WRONG <= set(WEIGHTS)
