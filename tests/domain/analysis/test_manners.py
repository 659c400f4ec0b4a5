"""How the operator wants to be answered, measured on returning.txt; a task is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.analysis import manners
from adjutant.domain.behavior.own_words import sentences
from tests.domain.analysis.returning import rows
from tests.domain.behavior.test_feedback import lines


def found(message: str) -> manners.Manner | None:
    return next((manner for each in sentences(message) if (manner := manners.find(each))), None)


def test_a_wish_is_known_in_many_words() -> None:
    wishes = [each for row in rows("manner") for each in row]
    known = [each for each in wishes if found(each) is not None]
    assert len(wishes) >= 54 and len(known) >= 0.95 * len(wishes), [each for each in wishes if each not in known]


def test_the_same_wish_is_the_same() -> None:
    for row in rows("manner"):
        told = {(manner.kind, manner.way) for each in row if (manner := found(each))}
        assert len(told) == 1, (row, told)


@pytest.mark.parametrize("message", ("Altfor langt.", "Svaret er altfor langt.", "Det er altfor lange svar."))
def test_a_complaint_of_one_word_more(message: str) -> None:
    manner = found(message)
    assert manner is not None and (manner.kind, manner.way) == ("length", "shorter")


@pytest.mark.parametrize("message", [row[0] for row in rows("task")])
def test_a_task_is_no_wish_of_manner(message: str) -> None:
    assert found(message) is None


def test_nothing_else_that_is_corrected_is_manner() -> None:
    others = [each for kind in ("same", "other", "asked", "unlike") for row in rows(kind) for each in row]
    assert [each for each in others if found(each)] == []


@pytest.mark.parametrize(
    ("message", "way"),
    (
        ("Answer in German, not in English.", "german"),
        ("Not in English, answer in Norwegian.", "norwegian"),
        ("Svar på norsk, takk.", "norwegian"),
        ("Bitte auf Deutsch.", "german"),
    ),
)
def test_the_language_that_is_wanted(message: str, way: str) -> None:
    manner = found(message)
    assert manner is not None and (manner.kind, manner.way) == ("language", way)


@pytest.mark.parametrize("message", ("That was not too long.", "not so formal, not casual", "", "?", "in short, yes"))
def test_what_complains_of_nothing(message: str) -> None:
    manner = manners.find(message)
    assert manner is None or manner.way == "less"


def test_what_a_behaviour_review_hears_is_heard() -> None:
    """Of the wishes and complaints of manner.txt; of its everyday lines none."""
    told = [line.split("|", 2) for part in lines("manner.txt") for line in part]
    wishes = [message.strip() for types, _, message in told if types.strip() != "KEEP"]
    missed = [each for each in wishes if found(each) is None]
    assert len(wishes) >= 150 and len(missed) <= 0.05 * len(wishes), missed
    everyday = [each for part in lines("everyday.txt") for each in part]
    assert len(everyday) >= 400 and [each for each in everyday if found(each)] == []


@pytest.mark.parametrize(
    ("one", "two"),
    (
        ("Cite your sources.", "Where are your sources?"),
        ("Svar på norsk, takk.", "From now on answer in Norwegian."),
        ("I told you: no emojis.", "Bitte keine Emojis mehr."),
        ("Kortere svar, takk.", "Your answers are too long."),
        ("Please answer in three lines at most.", "Shorter, please."),
        ("Call me Kari from now on.", "Always call me Kari"),
        ("Don't be so formal.", "Mindre formelt, takk."),
    ),
)
def test_other_words_and_languages_come_under_one_key(one: str, two: str) -> None:
    first, second = manners.find(one), manners.find(two)
    assert first is not None and second is not None and first[:2] == second[:2]


@pytest.mark.parametrize(
    ("one", "two"),
    (
        ("No emojis please.", "More emojis please."),
        ("Always answer in German.", "Never answer in German."),
        ("Too long.", "Too short."),
        ("No tables please.", "No emojis please."),
        ("Call me Kari from now on.", "Call me Berg from now on."),
        ("Less formal, please.", "You are too casual."),
    ),
)
def test_the_other_side_and_another_matter_have_other_keys(one: str, two: str) -> None:
    first, second = manners.find(one), manners.find(two)
    assert first is not None and second is not None and first[:2] != second[:2]


@pytest.mark.parametrize("message", ("Short answers like this are perfect.", "Love the bullet list", "Good tone."))
def test_praise_asks_for_nothing(message: str) -> None:
    assert manners.find(message) is None


def test_a_bare_remark_that_stands_behind_no_answer_is_none() -> None:
    assert manners.find("Too long.", answered=False) is None
    assert manners.find("Your answers are too long.", answered=False) is not None


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.text(max_size=120))
def test_any_text_can_be_asked(text: str) -> None:
    manner = manners.find(text)
    assert manner is None or manner.sentence in text
