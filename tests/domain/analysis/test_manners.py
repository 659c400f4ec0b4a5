"""How the operator wants to be answered, measured on returning.txt; a task is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.analysis import manners
from adjutant.domain.behavior.own_words import sentences
from tests.domain.analysis.returning import rows


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


@pytest.mark.parametrize(("message", "way"), (
    ("Answer in German, not in English.", "german"), ("Not in English, answer in Norwegian.", "norwegian"),
    ("Svar på norsk, takk.", "norwegian"), ("Bitte auf Deutsch.", "german"),
))
def test_the_language_that_is_wanted(message: str, way: str) -> None:
    manner = found(message)
    assert manner is not None and (manner.kind, manner.way) == ("language", way)


@pytest.mark.parametrize("message", ("That was not too long.", "not so formal, not casual", "", "?", "in short, yes"))
def test_what_complains_of_nothing(message: str) -> None:
    manner = manners.find(message)
    assert manner is None or manner.way == "less"


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.text(max_size=120))
def test_any_text_can_be_asked(text: str) -> None:
    manner = manners.find(text)
    assert manner is None or manner.sentence in text
