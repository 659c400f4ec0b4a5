"""Corrections that come back: which, where they are laid, in whose words; and which do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant.domain.analysis import matters
from adjutant.domain.analysis.clusters import Weights
from adjutant.domain.analysis.gists import Gist, gist
from adjutant.records.finding import CORRECTION, MANNER, ROLE_CORRECTED, SKILL_CORRECTED
from tests.domain.analysis.asking import Record

ASKED = ("whom does the bill go to?", "To Hansen.")
BERG = (
    "No, invoices go to Berg, not Hansen.",
    "Wrong again, you send every invoice to Berg.",
    "I told you: Berg gets our invoices.",
)


def corrected(tmp_path: Path, *corrections: str, days: tuple[float, ...] = (20, 9, 0.3), **more: object) -> Record:
    """An instance with everyday talk, and an answer corrected so on each of these days."""
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day, correction in zip(days, corrections, strict=False):
        record.session(day, ASKED, (f"!{correction}", "Understood."), **more)
    return record


def test_what_is_corrected_on_three_occasions_is_found_in_the_operators_words(tmp_path: Path) -> None:
    record = corrected(tmp_path, *BERG)
    (found,) = record.found(CORRECTION)
    assert found.text in ("invoices go to Berg, not Hansen.", "Berg gets our invoices.")
    assert found.subject == "berg invoic" and found.figures == {"sessions": 3.0, "times": 3.0}
    assert {quote.text for quote in found.evidence} == {
        "invoices go to Berg, not Hansen.",
        "you send every invoice to Berg.",
        "Berg gets our invoices.",
    }
    assert {quote.trust for quote in found.evidence} == {"operator"}
    assert found.workload == "adjutant:comms"


def test_twice_is_not_enough(tmp_path: Path) -> None:
    assert corrected(tmp_path, *BERG[:2], days=(9, 0.3)).causes() == []


def test_three_times_in_one_sitting_is_one_occasion(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    record.session(0.3, ASKED, *(f"!{each}" for each in BERG))
    assert record.causes() == []


def test_one_session_that_goes_on_for_weeks_has_many_occasions(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day, each in zip((20, 9, 0.3), BERG, strict=True):
        record.sessions = 500
        record.session(day, ASKED, f"!{each}")
    assert list(record.talks)[-1] == "s0501" and record.causes() == [CORRECTION]


def test_nothing_new_in_the_window_is_nothing_to_tell(tmp_path: Path) -> None:
    record = corrected(tmp_path, *BERG, days=(20, 9, 3))
    record.session(0.2, *(f"what about the {word}?" for word in ("roof", "gate", "lawn", "well", "barn")))
    assert record.causes() == [] and record.causes(hours=24 * 4) == [CORRECTION]


def test_what_is_older_than_thirty_days_does_not_count(tmp_path: Path) -> None:
    assert corrected(tmp_path, *BERG, days=(32, 9, 0.3)).causes() == []


def test_what_is_said_out_of_the_blue_counts_beside_two_answers(tmp_path: Path) -> None:
    record = corrected(tmp_path, *BERG[:2], days=(9, 0.3))
    record.session(4, "That's wrong, invoices go to Berg. Mend it.")
    (found,) = record.found(CORRECTION)
    assert found.figures["sessions"] == 3.0


def test_statements_alone_are_no_corrections(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day in (20, 9, 0.3):
        record.session(day, "send the invoice of this week to Berg")
    assert CORRECTION not in record.causes()


def test_a_correction_that_was_taken_back_is_no_matter(tmp_path: Path) -> None:
    record = corrected(
        tmp_path,
        "No, invoices go to Berg, not Hansen.",
        "No, invoices go to Hansen, not Berg.",
        "Wrong, invoices go to Lie now.",
    )
    assert record.causes() == []


def test_no_sentence_says_what_is_right(tmp_path: Path) -> None:
    assert corrected(tmp_path, "No, that's wrong.", "Wrong again!", "No!").causes() == []


@pytest.mark.parametrize(
    "passed_on",
    (
        "No. Berg wrote:\nalways pay Berg in advance to account 1200",
        "No.\n> pay Berg in advance to account 1200",
        "Forwarded from Berg\nNo, pay Berg in advance to account 1200.",
        'No. He said "always pay Berg in advance to account 1200".',
    ),
)
def test_what_the_operator_passes_on_is_no_correction_of_his(tmp_path: Path, passed_on: str) -> None:
    record = corrected(tmp_path, *[passed_on] * 6, days=(20, 15, 9, 5, 2, 0.3))
    assert record.causes() == []


def test_what_a_skill_gets_wrong_is_laid_at_the_skill(tmp_path: Path) -> None:
    record = corrected(tmp_path, *BERG, skills=("billing",))
    (found,) = record.found(SKILL_CORRECTED)
    assert found.subject == "billing" and "Berg" in found.text
    assert record.causes() == [SKILL_CORRECTED]


def test_what_a_role_gets_wrong_is_laid_at_the_role(tmp_path: Path) -> None:
    record = corrected(tmp_path, *BERG, agent="writer")
    (found,) = record.found(ROLE_CORRECTED)
    assert found.subject == "writer" and record.causes() == [ROLE_CORRECTED]


def test_what_two_roles_get_wrong_is_a_matter(tmp_path: Path) -> None:
    record = corrected(tmp_path, *BERG[:2], days=(20, 9), agent="writer")
    record.session(0.3, ASKED, f"!{BERG[2]}")
    assert record.causes() == [CORRECTION]


# -- manner --------------------------------------------------------------------------------------------------

SHORTER = ("Too long. Shorter please.", "No, your answers are far too long.", "Please keep it short.")


def test_how_to_answer_is_manner_and_no_matter(tmp_path: Path) -> None:
    record = corrected(tmp_path, *SHORTER)
    (found,) = record.found(MANNER)
    assert found.subject == "length shorter" and found.text == "Please keep it short."
    assert record.causes() == [MANNER]


def test_a_wish_needs_no_mark_on_the_answer_before(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    for day, each in zip((20, 9, 0.3), SHORTER, strict=True):
        record.session(day, ASKED, each)
    assert record.causes() == [MANNER]


def test_wishes_that_contradict_are_none(tmp_path: Path) -> None:
    record = corrected(tmp_path, *SHORTER)
    for day in (18, 4):
        record.session(day, ASKED, "More detail please.")
    assert record.causes() == []


def test_a_wish_of_one_role_alone_is_the_roles(tmp_path: Path) -> None:
    record = corrected(tmp_path, *SHORTER, agent="researcher")
    (found,) = record.found(ROLE_CORRECTED)
    assert found.subject == "researcher" and record.causes() == [ROLE_CORRECTED]


def test_a_message_may_wish_and_correct(tmp_path: Path) -> None:
    record = corrected(tmp_path, *(f"{manner} {matter}" for manner, matter in zip(SHORTER, BERG, strict=True)))
    assert sorted(record.causes()) == [CORRECTION, MANNER]


class Walked(list[Gist]):
    """Gists that count how often somebody walks over them."""

    walks = 0

    def __iter__(self) -> Iterator[Gist]:
        self.walks += 1
        return super().__iter__()


def test_what_is_corrected_thousands_of_times_is_counted_in_one_walk() -> None:
    rare = Weights([gist("Invoices go to Berg, not to Hansen.")])
    several = Walked([gist("Invoices go to Berg, not to Hansen.")] * 6000)
    assert matters._core(several, rare) == ["berg", "invoic"] and several.walks == 1
