"""Did it help? Equal spans, the same workload, and ten turns before anything is said."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.learning import acting, choosing
from adjutant.records import evolution_log
from adjutant.records.interactions import CYCLE, TASK, TURN, Interaction
from adjutant.records.suggestion import USELESS_NOTICES
from tests.conftest import TestedApp
from tests.domain.learning.deciding.suggested import learning, one

ACCEPTED = "2026-11-20T09:00:00+00:00"
LATER = "2026-11-30T09:00:00+00:00"
PLATFORM = "adjutant:platform"


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return learning(tmp_path)


def turns(app: TestedApp, count: int, days: float, **fields: Any) -> list[Interaction]:
    """Turns one after the other by the minute, from so many days after the accept."""
    begin = app.clock.parse(ACCEPTED) + timedelta(days=days)
    told: dict[str, Any] = {"kind": TURN, "concept": PLATFORM, "friction": 0.4, "tokens": 1000} | fields
    return [
        Interaction(id=f"{days}-{number}-{fields}", ts=(begin + timedelta(minutes=number)).isoformat(), **told)
        for number in range(count)
    ]


def measured(app: TestedApp, interactions: list[Interaction], now: str = LATER, **more: Any) -> dict[str, Any]:
    each = one(app, workload=more.pop("workload", PLATFORM), **more)
    acting.accept(app, each.id)
    later = learning(Path(app.tree.root), now=now)
    [found] = choosing.measure(evolution_log.read(later.files), interactions, later.clock)
    return found


def test_spans_of_equal_length_before_and_after_are_compared(app: TestedApp) -> None:
    found = measured(
        app,
        [
            *turns(app, 12, -9, friction=0.6, tokens=1200),
            *turns(app, 40, -11, friction=1.0),
            *turns(app, 20, 1, friction=0.1, tokens=900),
            *turns(app, 5, 11, friction=1.0),
        ],
    )
    assert found["before"] == {"turns": 12, "friction": 0.6, "tokens": 1200}
    assert found["after"] == {"turns": 20, "friction": 0.1, "tokens": 900}
    assert found["helped"] == "smoother"
    assert found["about"] == f"turns of {PLATFORM}"


@pytest.mark.parametrize(("after", "helped"), [(0.9, "rougher"), (0.62, "about the same"), (0.2, "smoother")])
def test_it_is_said_whether_it_went_smoother(app: TestedApp, after: float, helped: str) -> None:
    assert measured(app, [*turns(app, 12, -9, friction=0.6), *turns(app, 12, 1, friction=after)])["helped"] == helped


def test_under_ten_turns_after_it_nothing_is_said(app: TestedApp) -> None:
    found = measured(app, [*turns(app, 12, -9), *turns(app, 9, 1, friction=0.0)])
    assert (found["helped"], found["after"]["turns"]) == ("not yet", 9)


def test_only_turns_of_its_workload_count(app: TestedApp) -> None:
    mine = [*turns(app, 10, -9), *turns(app, 6, 1), *turns(app, 4, 2, concept=f"{PLATFORM}/k8s", kind=TASK)]
    others = [
        *turns(app, 30, 1, concept="adjutant:comms"),
        *turns(app, 30, 1, concept=f"{PLATFORM}s"),
        *turns(app, 30, 1, kind=CYCLE),
    ]
    assert measured(app, mine + others)["after"]["turns"] == 10


def test_without_a_workload_all_turns_count_and_for_notices_the_cycles(app: TestedApp) -> None:
    every = [
        *turns(app, 10, 1),
        *turns(app, 10, 1, concept="adjutant:comms"),
        *turns(app, 4, 1, kind=CYCLE, agent="pulse"),
        *turns(app, 4, 1, kind=CYCLE, agent="compact"),
    ]
    assert measured(app, every, workload="")["after"]["turns"] == 20
    heart = learning(Path(app.tree.root) / "other")
    assert measured(heart, every, workload="", cause=USELESS_NOTICES)["after"]["turns"] == 4


def test_what_was_taken_back_is_measured_until_then(app: TestedApp) -> None:
    each = one(app, workload=PLATFORM)
    acting.accept(app, each.id)
    root = Path(app.tree.root)
    acting.revert(learning(root, now="2026-11-25T09:00:00+00:00"), each.id)
    later = learning(root, now=LATER)
    [found] = choosing.measure(evolution_log.read(later.files), [*turns(app, 11, 1), *turns(app, 30, 6)], later.clock)
    assert found["after"]["turns"] == 11
    assert found["status"] == "reverted"


def test_tokens_of_a_turn_without_real_ones_are_those_of_its_prompt(app: TestedApp) -> None:
    assert measured(app, turns(app, 10, 1, tokens=0, parts={"core": 200, "user": 50}))["after"]["tokens"] == 250
