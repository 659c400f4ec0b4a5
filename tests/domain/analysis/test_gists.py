"""What was said, as stems, values, sides."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.analysis.gists import gist, joined, opened


@pytest.mark.parametrize(
    ("sentence", "rest"),
    (
        ("No, that's wrong: invoices go to Berg.", "invoices go to Berg."),
        ("I told you that Berg gets them.", "Berg gets them."),
        ("Nei, det stemmer ikke, det er Berg som får dem.", "det er Berg som får dem."),
        ("Das stimmt nicht, Keller bekommt sie.", "Keller bekommt sie."),
        ("Wrong database. Staging is kestrel_stage.", "Staging is kestrel_stage."),
        ("No.", "No."),  # nothing but that is said
        ("Norway is cold.", "Norway is cold."),
        ("Actual costs rose.", "Actual costs rose."),
    ),
)
def test_what_only_corrects_is_left_away(sentence: str, rest: str) -> None:
    assert opened(sentence) == rest


@pytest.mark.parametrize(
    ("sentence", "right", "wrong"),
    (
        ("invoices go to Berg, not Hansen", {"berg", "invoic"}, {"hansen"}),
        ("use pytest instead of unittest", {"pytest"}, {"unittest"}),
        ("not Hansen but Berg gets the invoices", {"berg", "invoic"}, {"hansen"}),
        ("fakturaene skal til Berg, ikke Lie", {"berg", "faktura"}, {"lie"}),
        ("nicht Vogt, sondern Keller zahlt", {"kell", "zahlt"}, {"vogt"}),
        ("backups do not run at midnight, they run at 02:00", {"backup", "midnight", "ran", "2:00"}, set()),
    ),
)
def test_what_is_set_against_what(sentence: str, right: set[str], wrong: set[str]) -> None:
    told = gist(sentence)
    assert (told.telling - told.wrong, told.wrong, told.denies) == (right, wrong, False)


@pytest.mark.parametrize(
    "sentence",
    (
        "never restart the gateway",
        "don't restart the gateway",
        "leave drafts out of it",
        "no drafts in the report",
        "ikke start gatewayen på nytt",
        "keine Entwürfe im Bericht",
        "not to restart the gateway",
    ),
)
def test_what_denies(sentence: str) -> None:
    assert gist(sentence).denies


@pytest.mark.parametrize(
    ("one", "two"),
    (
        ("at 9.15", "at 9:15"),
        ("forty chairs", "40 chairs"),
        ("on torsdager", "on Thursdays"),
        ("14 500", "14,500"),
        ("the 3rd of it", "the 3 of it"),
        ("am Freitag", "freitags"),
        ("three of them", "3 of them"),
    ),
)
def test_a_value_is_the_same_however_it_is_written(one: str, two: str) -> None:
    assert gist(one).values == gist(two).values != frozenset()


@pytest.mark.parametrize(
    ("one", "two"),
    (
        ("it has 14 days", "it has 30 days"),
        ("on Monday", "on Tuesday"),
        ("at 9:15", "at 19:15"),
        ("pg16", "pg15"),
    ),
)
def test_other_values_are_others(one: str, two: str) -> None:
    assert gist(one).values != gist(two).values


def test_a_number_of_another_language_is_a_word() -> None:
    assert gist("the fire alarm in the hall").values == frozenset()  # four, in Norwegian
    assert gist("the elf in the hall is wooden").values == frozenset()  # eleven, in German


def test_sentences_after_one_that_denies_are_what_it_is_set_against() -> None:
    told = joined([gist("The Debian package of Kestrel."), gist("There is no container.")])
    assert not told.denies and told.wrong == {"contain"}


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_a_gist(text: str) -> None:
    told = gist(text)
    assert told.wrong <= told.telling and not told.values & told.wrong
    assert opened(text) in text
