"""Workloads: heavy without a skill, failing with a specialist, filed nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.records.suggestion import MISROUTED, SKILL_GAP, UNFILED
from tests.domain.learning.analysis.asking import Record

STEPS = "1. export the ledger\n2. map the accounts\n3. post the batch"
HEAVY = {"friction_signals": ("many_rounds", "tool_error"), "rounds": 5}


def heavy(tmp_path: Path, turns: int = 10, taught: int = 0, **more: object) -> Record:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for number in range(turns):
        request = f"sync the ledger of branch {number} with the gateway" + f"\n{STEPS}" * (number < taught)
        record.session(
            25 * (number + 0.5) / turns, (request, "Done."), concept="adjutant:integration", **{**HEAVY, **more}
        )
    return record


def test_a_heavy_workload_without_a_skill(tmp_path: Path) -> None:
    (found,) = heavy(tmp_path).found(SKILL_GAP)
    assert (found.subject, found.workload) == ("integration", "adjutant:integration")
    assert found.figures == {"turns": 10.0, "sessions": 10.0, "friction": 0.61, "rounds": 5.0}


@pytest.mark.parametrize(
    "changed",
    (
        {"turns": 6},
        {"skills": ("sync",)},
        {"retrieved": ("agent_skills/sync",)},
        {"friction_signals": (), "rounds": 1},
        {"friction_signals": ("degraded",), "rounds": 0},  # a model that is away is no lack of a skill
    ),
)
def test_what_needs_no_skill(tmp_path: Path, changed: dict[str, object]) -> None:
    assert SKILL_GAP not in heavy(tmp_path, **changed).causes()


def test_a_skill_that_is_tagged_with_it_is_one(tmp_path: Path) -> None:
    record = heavy(tmp_path)
    record.write("skills/sync/SKILL.md", "---\nname: sync\ndescription: d\nworkload: integration\n---\n\nDo it.\n")
    assert SKILL_GAP not in record.causes()


# -- specialists -----------------------------------------------------------------------------------------------

OWNED = {"specialists": {"coder": {"workloads": ["build"]}}}


def failing(tmp_path: Path, bad: int = 4, good: int = 2, **settings: object) -> Record:
    record = Record(tmp_path / "i", **(settings or OWNED))
    record.everyday(20)
    for number in range(bad + good):
        fields = {"outcome": "failed", "cause": "unreachable", "friction_signals": ("failed",)} if number < bad else {}
        record.session(
            2.5 * number + 0.2, f"build the module {number}", concept="adjutant:build", agent="coder", **fields
        )
    return record


def test_a_specialist_that_fails_at_what_it_owns(tmp_path: Path) -> None:
    (found,) = failing(tmp_path).found(MISROUTED)
    assert (found.subject, found.workload) == ("coder", "adjutant:build")
    assert found.figures == {"turns": 6.0, "failed": 4.0, "share": 0.667}


@pytest.mark.parametrize("changed", ({"bad": 2, "good": 4}, {"bad": 3, "good": 1}))
def test_a_specialist_that_does_well_enough_or_is_hardly_known(tmp_path: Path, changed: dict[str, int]) -> None:
    assert failing(tmp_path, **changed).causes() == []


def test_a_specialist_that_owns_it_no_more(tmp_path: Path) -> None:
    assert failing(tmp_path, specialists={"coder": {"workloads": ["pipeline"]}}).causes() == []


def test_where_everybody_fails_it_is_nobodys_fault(tmp_path: Path) -> None:
    record = failing(tmp_path)
    for number in range(30):
        record.session(
            number / 2, f"what about {number}?", outcome="failed", cause="unreachable", concept="adjutant:build"
        )
    assert MISROUTED not in record.causes()


# -- what fits no concept ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turns", "expected"), ((8, 1), (7, 0)))
def test_many_turns_that_fit_no_concept_are_counted(tmp_path: Path, turns: int, expected: int) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for number in range(turns):
        record.session(3 * number + 0.3, f"veku zorb {number}?", concept="uncategorised")
    assert len(record.found(UNFILED)) == expected
