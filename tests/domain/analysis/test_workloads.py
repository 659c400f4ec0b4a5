"""Workloads: heavy without a skill, failing with a specialist, filed nowhere, grown and shrunk."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from adjutant.records.finding import MISROUTED, SHIFT, SKILL_GAP, UNFILED
from adjutant.records.interaction import Interaction
from tests.domain.analysis.asking import NOW, Record

STEPS = "first export the ledger, then map the accounts, then post the batch"
HEAVY = {"friction_signals": ("many_rounds", "tool_error"), "rounds": 5}


def heavy(tmp_path: Path, turns: int = 10, taught: int = 0, **more: object) -> Record:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for number in range(turns):
        request = f"sync the ledger of branch {number} with the gateway" + f": {STEPS}" * (number < taught)
        record.session(
            25 * (number + 0.5) / turns, (request, "Done."), concept="adjutant:integration", **{**HEAVY, **more}
        )
    return record


def test_a_heavy_workload_without_a_skill(tmp_path: Path) -> None:
    (found,) = heavy(tmp_path).found(SKILL_GAP)
    assert found.workload == "adjutant:integration" and "ledger" in found.subject
    assert found.figures["turns"] == 10.0 and found.figures["friction"] >= 0.3 and found.figures["rounds"] == 5.0


def test_the_steps_that_the_operator_dictates_are_quoted(tmp_path: Path) -> None:
    (found,) = heavy(tmp_path, taught=4, friction_signals=(), rounds=0).found(SKILL_GAP)
    assert found.figures["taught"] == 4.0 and STEPS in found.text
    assert sum(STEPS in quote.text for quote in found.evidence) >= 3


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


def test_tasks_count_as_turns_do(tmp_path: Path) -> None:
    record = failing(tmp_path, bad=2, good=1)
    for number in range(3):
        at = NOW - timedelta(days=number, hours=1)
        record.add(
            Interaction(
                id=f"t{number}",
                ts=at.isoformat(),
                kind="task",
                agent="coder",
                concept="adjutant:build",
                channel="delegate",
                outcome="failed",
                cause="unreachable",
                friction_signals=("failed",),
            ),
            at,
        )
    (found,) = record.found(MISROUTED)
    assert found.figures["failed"] == 5.0


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

BEES = (
    "when do I treat the hives against varroa?",
    "how much syrup does a hive of bees need?",
    "can the bees of the blue hive stay queenless?",
    "does the varroa treatment harm the honey of the hives?",
    "where are frames for the hives of my bees sold?",
    "how do I feed the bees in the hive after frost?",
)


def unfiled(
    tmp_path: Path,
    *asked: str,
    sessions: int = 6,
    concept: str = "uncategorised",
    confidence: float = 0.0,
) -> Record:
    record = Record(tmp_path / "i")
    record.everyday(30, concept="uncategorised", confidence=0.0)
    for number in range(sessions):
        record.session(4 * number + 0.3, *asked[number::sessions], concept=concept, confidence=confidence)
    return record


def test_turns_alike_that_fit_no_concept(tmp_path: Path) -> None:
    (found,) = unfiled(tmp_path, *BEES).found(UNFILED)
    assert found.subject.split()[0] == "hive" and 2 <= len(found.subject.split()) <= 4
    assert found.text in ("hive", "hives") and found.figures == {"turns": 6.0, "sessions": 6.0}


@pytest.mark.parametrize("changed", ({"sessions": 2}, {"concept": "adjutant:knowledge", "confidence": 0.5}))
def test_turns_of_one_evening_or_that_are_filed(tmp_path: Path, changed: dict[str, object]) -> None:
    record = unfiled(tmp_path, *BEES, **changed)
    assert UNFILED not in record.causes()


def test_what_is_mostly_filed_elsewhere_is_no_new_concept(tmp_path: Path) -> None:
    record = unfiled(tmp_path, *BEES)
    for number, each in enumerate(BEES[:4]):
        record.session(3 * number + 0.2, f"{each} once more", concept="adjutant:knowledge")
    assert UNFILED not in record.causes()


def test_four_of_them_are_too_few(tmp_path: Path) -> None:
    assert unfiled(tmp_path, *BEES[:4]).causes() == []


def test_talk_that_shares_everyday_words_is_no_concept(tmp_path: Path) -> None:
    talk = (
        "good morning, how are you?",
        "what a lovely day it is",
        "thanks for the help",
        "see you next week",
        "that was a good idea",
        "how was the weekend?",
        "good night and thanks",
    )
    assert unfiled(tmp_path, *talk * 3, sessions=12).causes() == []


# -- what grew and what shrank -----------------------------------------------------------------------------------


def test_a_workload_that_doubled_over_a_week(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    for day in range(36):
        record.session(day + 0.3, *("how is the mail?",) * (3 if day < 7 else 1), concept="adjutant:comms")
        record.session(day + 0.3, "what of the build?", concept="adjutant:build")
    (found,) = record.found(SHIFT)
    assert found.subject == "adjutant:comms" and found.figures["turns"] == 21.0
    assert 6.5 <= found.figures["before"] <= 7.5


def test_where_all_workloads_grow_alike_none_has_shifted(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    for day in range(36):
        for text, concept in (("how is the mail?", "adjutant:comms"), ("what of the build?", "adjutant:build")):
            record.session(day + 0.3, *(text,) * (3 if day < 7 else 1), concept=concept)
    assert record.found(SHIFT) == []


def test_a_record_of_a_week_shows_no_shift(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    for day in range(8):
        record.session(day + 0.3, *("how is the mail?",) * 3, concept="adjutant:comms")
    assert record.found(SHIFT) == []
