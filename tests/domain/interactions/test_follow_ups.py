"""What the next message says of the answer before it, measured on sentences that were written before the rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.interactions import follow_ups

LINES = [line for line in (Path(__file__).parent / "follow_ups.txt").read_text().split("\n") if line[:1] in "+-~!"]
RECALL, ALARMS = 0.85, 0.02


def said(mark: str) -> list[tuple[str, str]]:
    """(message, the answer before it) of the lines of a kind."""
    pairs = (line[2:].partition("<<") for line in LINES if line.startswith(f"{mark} "))
    return [(message.strip(), answer.strip()) for message, _, answer in pairs]


def asked(mark: str) -> list[tuple[str, str]]:
    """(earlier, later) of the lines of a kind."""
    pairs = (line[2:].partition("|") for line in LINES if line.startswith(f"{mark} "))
    return [(earlier.strip(), later.strip()) for earlier, _, later in pairs]


def test_most_corrections_are_seen() -> None:
    corrections = said("+")
    missed = [message for message, answer in corrections if not follow_ups.corrects(message, answer)]
    assert len(corrections) >= 60 and len(missed) <= (1 - RECALL) * len(corrections), missed


def test_hardly_an_ordinary_message_is_taken_for_one() -> None:
    ordinary = said("-")
    alarms = [message for message, answer in ordinary if follow_ups.corrects(message, answer)]
    assert len(ordinary) >= 150 and len(alarms) <= ALARMS * len(ordinary), alarms


def test_the_same_asked_again_is_told_from_another_question() -> None:
    again, other = asked("~"), asked("!")
    missed = [later for earlier, later in again if not follow_ups.repeats(later, earlier)]
    alarms = [later for earlier, later in other if follow_ups.repeats(later, earlier)]
    assert len(missed) <= (1 - RECALL) * len(again) and alarms == [], (missed, alarms)


@pytest.mark.parametrize(
    ("message", "answer", "corrects"),
    [
        ("No, send it as it is.", "Here it is. Shall I shorten it?", False),
        ("No, the lease is Ola's.", "The lease is yours.", True),
        ("The boiler, not the oven.", "The oven is due on Monday.", True),
        ("The boiler, not the oven.", "It is due on Monday.", False),
        ("Not Halvorsen!", "Halvorsen sells ovens.", True),
        ("Not Halvorsen!", "Brandt sells boxes.", False),
        ("> That's wrong.\nWho wrote this?", "", False),
        ("```\nno, that's wrong\n```\nSee above.", "", False),
        ("Fine.\n\n> That is wrong.\n\nNo, wait: that's wrong.", "", True),
        ("Tell Kari: you forgot the deposit.", "", False),
        ("Translate: das ist falsch.", "", False),
        ("Skriv til Ola: det er feil.", "", False),
        ("On Tuesday Berg wrote:\nThat is wrong.", "", False),
        ("From: Kari\n\nThat's wrong. It is due in May.", "", False),
        ("Kari says: no, that's wrong.", "", False),
        ("That is wrong. Tell Kari: we come.", "", True),
        ("That’s wrong.", "", True),
        ("NO, THAT IS WRONG", "", True),
        ("", "", False),
        ("?", "", False),
        ("x " * 400 + "that's wrong.", "", False),
    ],
)
def test_what_decides(message: str, answer: str, corrects: bool) -> None:
    assert follow_ups.corrects(message, answer) is corrects


def test_a_short_question_and_another_figure_are_no_repetition() -> None:
    assert not follow_ups.repeats("and tomorrow?", "and tomorrow?")
    assert not follow_ups.repeats("Which boxes?", "Which boxes?")
    assert follow_ups.repeats("Which boxes from Brandt come on 3 May?", "Which of Brandt's boxes come on 3 May?")
    assert not follow_ups.repeats("Which boxes from Brandt come on 3 May?", "Which boxes from Brandt come on 4 May?")
    assert not follow_ups.repeats("Boxes from Brandt came today.", "Boxes from Brandt came today.")


@settings(derandomize=True, max_examples=200)
@given(st.text(max_size=300), st.text(max_size=200))
def test_any_text_is_looked_at_and_the_same_question_is_the_same(message: str, answer: str) -> None:
    follow_ups.corrects(message, answer)
    assert follow_ups.repeats(message, answer) == follow_ups.repeats(answer, message)


@pytest.mark.parametrize(
    "text",
    [
        "no, " * 2000,
        "i said " * 2000,
        "x' " * 2000,
        "the " * 3000 + "date",
        "a" * 20_000,
        "not the " * 2000,
        "> " * 5000,
        "```" * 3000,
    ],
)
def test_of_a_text_made_to_be_slow_the_beginning_decides(text: str) -> None:
    assert (
        follow_ups.corrects(text, text)
        is follow_ups.corrects(text + text, text)
        is follow_ups.corrects(text[: follow_ups.READ], text)
    )
    assert not follow_ups.repeats(text, text)
