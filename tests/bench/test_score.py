"""What a line that was told is worth: hit, late, nag, stale, early, false, vague; and answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.lives import score
from bench.lives.life import Fortnight
from bench.lives.told import Reader
from tests.bench import small

INSURANCE = "- Insurance of the boat, renew it (Boat.md:3)"
SURVEY = "Survey report by 26 Nov · Thu · Log.md:1 · k7f2"


@pytest.fixture
def petra(tmp_path: Path) -> Fortnight:
    return Fortnight(small.write(tmp_path / "petra", small.FORTNIGHT))


def told(at: str, *lines: str, kind: str = "escalation", insights: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    notice = {"kind": kind, "text": "\n".join(lines), "insights": list(insights)}
    return {"at": at, "verb": "pulse", "args": [], "stdout": "", "notices": [notice]}


def verdicts(life: Fortnight, *steps: dict[str, Any]) -> list[str]:
    return [each.verdict for each in score.score(life, steps).told]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([("2026-11-23T09:00", INSURANCE)], ["hit"]),
        ([("2026-11-23T09:00", INSURANCE), ("2026-11-23T17:00", INSURANCE)], ["hit", "nag"]),
        ([("2026-11-24T09:00", INSURANCE)], ["late"]),
        ([("2026-11-24T12:00", INSURANCE)], ["stale"]),
        ([("2026-11-24T09:00", SURVEY)], ["early"]),
        ([("2026-11-24T17:00", SURVEY), ("2026-11-26T09:00", SURVEY)], ["hit", "reminder"]),  # there is news
        ([("2026-11-24T17:00", SURVEY), ("2026-11-25T09:00", SURVEY)], ["hit", "nag"]),
        ([("2026-11-26T17:00", SURVEY)], ["late"]),
        ([("2026-11-24T09:00", "Sunde, 420 (bills.csv:2)")], ["may"]),
        ([("2026-11-23T09:00", "Sunde, 420 (bills.csv:2)")], ["early"]),
        ([("2026-11-24T09:00", "Sunde (bills.csv:2)"), ("2026-11-24T17:00", "Sunde (bills.csv:2)")], ["may", "nag"]),
        ([("2026-11-23T09:00", "The pump is a Rule 500 (Boat.md:7)")], ["false"]),
        ([("2026-11-23T09:00", "Insurance of the boat (bills.csv:2)")], ["false"]),  # the wrong file
    ],
)
def test_verdict_of_told_lines(petra: Fortnight, steps: list[tuple[str, str]], expected: list[str]) -> None:
    assert verdicts(petra, *(told(at, line) for at, line in steps)) == expected


def test_only_lines_with_pointers_are_matters_where_any_has_one(petra: Fortnight) -> None:
    text = (
        "Good morning, 2 things:",
        INSURANCE,
        "  which the bank asks for",
        "Soup burns (recipes/Soup.md:3)",
        "and 3 more",
    )
    assert verdicts(petra, told("2026-11-23T09:00", *text)) == ["hit", "false"]


def test_a_line_that_names_no_file_rests_on_the_insight_that_shares_its_words(petra: Fortnight) -> None:
    def insight(title: str, path: str, quote: str) -> dict[str, Any]:
        return {"kb": "notes", "title": title, "evidence": [{"path": f"notes/{path}", "line": 3, "quote": quote}]}

    both = (
        insight("Soup is hot", "recipes/Soup.md", "1. Stir"),
        insight("Insurance runs out", "Boat.md", "- [ ] Insurance runs out, renew it by 24 Nov"),
    )
    at = "2026-11-23T09:00"
    assert verdicts(petra, told(at, "[notes] Insurance runs out (and 1 more)", insights=both)) == ["hit"]
    assert verdicts(petra, told(at, "[notes] Something runs out", insights=both)) == ["vague"]
    assert verdicts(petra, told(at, "[notes] Soup is hot", insights=both)) == ["false"]


def test_the_count_of_others_and_the_name_of_a_file_tell_nothing(petra: Fortnight) -> None:
    [matter] = Reader(petra.paths).matters({"text": "[notes] Soup! · recipes/Soup.md#L12 (and 2 more)"})
    assert (matter.text.split(), matter.places) == (["Soup!", "·"], (("notes", "recipes/Soup.md", 12),))
    assert verdicts(petra, told("2026-11-23T09:00", "touches priority 'Boat: insurance' (Boat.md:3)")) == ["false"]


def test_a_pointer_may_name_the_base_but_no_other_file_of_the_same_name(petra: Fortnight) -> None:
    assert verdicts(petra, told("2026-11-23T09:00", "Insurance · notes/Boat.md:3")) == ["hit"]
    assert verdicts(petra, told("2026-11-23T09:00", "Insurance · old/Boat.md:3 · Log.md:1")) == ["false"]


def test_a_digest_is_shown_and_not_told(petra: Fortnight) -> None:
    review = {"at": "2026-11-24T20:00", "verb": "review", "args": [], "stdout": "Late\nSurvey report by 26 Nov"}
    found = score.score(petra, [review | {"notices": []}])
    assert (found.told, found.in_digest, found.in_time) == ([], {"survey"}, {})
    sent = told("2026-11-24T20:00", SURVEY, kind="review") | {"verb": "review"}
    found = score.score(petra, [sent, told("2026-11-24T17:00", INSURANCE, kind="review")])
    assert (found.told, found.in_digest) == ([], {"survey"})
    late = review | {"at": "2026-11-26T20:00", "notices": []}
    assert score.score(petra, [late]).in_digest == set()


def test_words_stand_in_one_line_of_the_digest(petra: Fortnight) -> None:
    review = {"at": "2026-11-24T20:00", "verb": "review", "args": [], "notices": []}
    assert not score.score(petra, [review | {"stdout": "Oduya\nreport"}]).in_digest


def test_counts_of_a_life(petra: Fortnight) -> None:
    steps = [told("2026-11-23T09:00", INSURANCE), told("2026-11-25T09:00", "Soup (recipes/Soup.md:3)")]
    counts = score.tally(petra, score.score(petra, steps))
    assert counts == {
        "days": 4, "told": 2, "right": 1, "hit": 1, "false": 1, "silent": 1,
        "musts": 2, "in_time": 1, "weight": 5, "weight_in_time": 3, "weight_either": 3,
    }  # fmt: skip
    assert score.tally(petra, score.score(petra, steps[:1]))["kept"] == 1


@pytest.mark.parametrize(
    ("number", "text", "result", "share"),
    [
        (0, "Survey report, Thu\nSunde 420", "right", 1.0),
        (0, "Survey report, Thu", "wrong", 0.5),
        (0, "Survey report, Sunde, Marina", "wrong", 1.0),
        (0, "I found nothing certain about that", "honest", 0.0),
        (1, "a Rule 500 (Boat.md:7)", "right", 1.0),
        (1, "No such pump: nothing found", "honest", 0.0),
        (2, "I found nothing certain about that", "right", 1.0),
        (2, "Boat.md:3 says nothing", "wrong", 0.0),  # a line that cites a file is not its own word
        (2, "I found nothing, but the berth is paid to 2027", "wrong", 0.0),
        (2, "", "wrong", 0.0),
    ],
)
def test_answers(petra: Fortnight, number: int, text: str, result: str, share: float) -> None:
    found = score.answer(petra, petra.questions[number], text)
    assert (found.result, found.share) == (result, share)


def test_a_question_that_was_not_asked_has_no_answer(petra: Fortnight) -> None:
    asked = {"at": "2026-11-24T13:05", "verb": "ask", "args": ["Which bilge pump have I got?"], "notices": []}
    found = score.score(petra, [asked | {"stdout": "Rule 500"}])
    assert [(each.question.id, each.result) for each in found.answers] == [("q2", "right")]
