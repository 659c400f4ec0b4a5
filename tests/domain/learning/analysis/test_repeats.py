"""What the operator says again word for word: corrections, questions; in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.records.suggestion import CORRECTION, QUESTION, ROLE_CORRECTED, SKILL_CORRECTED
from tests.domain.learning.analysis.asking import Record

DAYS = (20, 9, 0.3)
VEKU = "Zorb veku nal tirru."  # of no language that there is


def corrected(tmp_path: Path, *said: str, **more: object) -> Record:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day, each in zip(DAYS, said, strict=True):
        record.session(day, "whom does the bill go to?", each, **more)
    return record


def test_the_same_words_behind_answers_are_found(tmp_path: Path) -> None:
    record = corrected(tmp_path, "Invoices go to Berg now.", "invoices go to Berg now", "Invoices go to Berg, now!")
    (found,) = record.found(CORRECTION)
    assert found.text == "Invoices go to Berg, now!"
    assert found.figures == {"sessions": 3.0, "times": 3.0}


def test_a_made_up_language_is_read_the_same(tmp_path: Path) -> None:
    (found,) = corrected(tmp_path, VEKU, VEKU, VEKU).found(CORRECTION)
    assert found.text == VEKU


@pytest.mark.parametrize(
    "said",
    (
        ("Invoices go to Berg now.", "Bills are for Berg.", "Berg has them."),
        ("Thanks, that is all.", "Thanks, that is all.", "Thanks, that is all."),
        ("Berg it is", "Berg it is", "Berg it is"),
    ),
)
def test_other_words_thanks_and_few_words_are_not(tmp_path: Path, said: tuple[str, ...]) -> None:
    assert corrected(tmp_path, *said).causes() == []


def test_what_begins_talks_is_a_request(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day in DAYS:
        record.session(day, "Draft the weekly letter to tenants.")
    assert record.causes() == []


def test_nothing_new_in_the_window_is_nothing(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day in (20, 9, 3):
        record.session(day, "whom does the bill go to?", VEKU)
    assert record.causes() == []


@pytest.mark.parametrize(
    ("more", "cause", "subject"),
    (({"skills": ("billing",)}, SKILL_CORRECTED, "billing"), ({"agent": "coder"}, ROLE_CORRECTED, "coder")),
)
def test_one_skill_or_role_is_where_it_lies(tmp_path: Path, more: dict[str, object], cause: str, subject: str) -> None:
    (found,) = corrected(tmp_path, VEKU, VEKU, VEKU, **more).found(cause)
    assert found.subject == subject


def test_a_wish_that_returns_is_the_behaviour_review_s(tmp_path: Path) -> None:
    assert corrected(tmp_path, *["From now on answer in German."] * 3).causes() == []


# -- questions -----------------------------------------------------------------------------------------------


def asked(tmp_path: Path, question: str, *answers: str) -> Record:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day, answer in zip(DAYS, answers, strict=True):
        record.session(day, (question, answer))
    return record


def test_a_question_that_returns_is_found(tmp_path: Path) -> None:
    (found,) = asked(tmp_path, "Where is the alarm code?", "In the safe.", "In the hall.", "At Kari's.").found(QUESTION)
    assert found.evidence[0].trust == "operator"


def test_a_question_of_the_picture_comes_back_for_a_reason(tmp_path: Path) -> None:
    assert asked(tmp_path, "What is due this week?", *["The rent is due."] * 3).causes() == []
