"""Dates as people write them."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.domain.knowledge import dates, lexicon
from adjutant.records import heart

LEX = lexicon.load()
NOW = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("due: 2026-11-25", "en", date(2026, 11, 25)),
        ("@2026-11-25", "en", date(2026, 11, 25)),
        ("by Nov 25", "en", date(2026, 11, 25)),
        ("25 Nov", "en", date(2026, 11, 25)),
        ("25th of November 2027", "en", date(2027, 11, 25)),
        ("am 25.11.", "de", date(2026, 11, 25)),
        ("25. november", "nb", date(2026, 11, 25)),
        ("2 January", "en", date(2027, 1, 2)),
        ("week 48", "en", date(2026, 11, 27)),
        ("KW 48", "de", date(2026, 11, 27)),
        ("uke 48", "nb", date(2026, 11, 27)),
    ],
)
def test_a_written_date_is_the_one_nearest_to_its_day(text: str, language: str, day: date) -> None:
    assert [f.day for f in dates.find(text, None, NOW, LEX, language)] == [day]


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("tomorrow", "en", date(2026, 11, 4)),
        ("next Friday", "en", date(2026, 11, 6)),
        ("in 3 days", "en", date(2026, 11, 6)),
        ("before the eighteenth", "en", date(2026, 11, 18)),
        ("end of the month", "en", date(2026, 11, 30)),
        ("i morgen", "nb", date(2026, 11, 4)),
        ("in zwei Wochen", "de", date(2026, 11, 17)),
        ("vor drei Tagen", "de", date(2026, 10, 31)),
    ],
)
def test_relative_words_count_from_the_day_of_the_text_and_are_no_date_without_one(
    text: str, language: str, day: date
) -> None:
    assert [f.day for f in dates.find(text, date(2026, 11, 3), NOW, LEX, language)] == [day]
    assert dates.find(text, None, NOW, LEX, language) == []


def test_prices_and_versions_are_no_dates() -> None:
    assert dates.find("3.94 % at 4.02, version 1.2.3", None, NOW, LEX, "en") == []


def test_the_heart_is_its_list_items_under_three_headings() -> None:
    text = "# My heart\nprose\n### current priorities\n1. **Ship** it\n   soon\n- Tax\n"
    text += "## Quiet zones\n* Blog\n## Other\n- no\n"
    assert heart.parse(text) == heart.Heart(priorities=["Ship it soon", "Tax"], concerns=[], quiet=["Blog"])
