"""The figures of a text and what kind they are."""

from __future__ import annotations

import pytest

from adjutant.language.figures import amount, figures, unit


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Pay 1,200.50 kr, 30% or $24", [("number", "1,200.50 kr, 30%"), ("number", "$24")]),
        ("Invoice 12 and Hall 3, sold 12", [("id", "12"), ("id", "3"), ("number", "12")]),
        ("Faktura 12, Rechnung Nr. 7", [("id", "12"), ("id", "7")]),
        ("Friday the 24 Nov at 10:30", [("date", "Friday the 24 Nov"), ("time", "10:30")]),
        ("on Friday; 2026-11-24, 24. november", [("day", "Friday"), ("date", "2026-11-24"), ("date", "24. november")]),
        ("kl. 10 og 16 Uhr", [("time", "kl. 10"), ("time", "16 Uhr")]),
        ("version 1.2.3 of x2", []),
        ("no figures at all", []),
    ],
)
def test_values_and_their_kinds(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.kind, each.text) for each in figures(text)] == found
    assert all(text[each.start : each.end] == each.text for each in figures(text))


def test_a_value_that_was_another_is_one_value() -> None:
    (found,) = figures("100 kr → 120 kr → 150 kr")
    assert (found.text, found.was) == ("150 kr", ("100 kr", "120 kr"))


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,200.50 kr", 1200.5), ("1.200,50 €", 1200.5), ("8 900 kr", 8900.0), ("30%", 30.0), ("x", 0.0), ("1.2.3", 0.0)],
)
def test_a_figure_as_a_number(text: str, value: float) -> None:
    assert amount(text) == value


def test_the_unit_behind_a_figure() -> None:
    assert unit("12 kr") == " kr"
    assert unit("30%") == "%"
    assert unit("12") == ""
