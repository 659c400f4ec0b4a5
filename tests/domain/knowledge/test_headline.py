"""What a signal is called."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.domain.knowledge import headline


@pytest.mark.parametrize(
    "topic, text, quote, title",
    [
        (
            "Shop",
            "Take the page live, Tom, due 2026-11-17 The bank has said yes.",
            "- [ ] Take the page live, Tom, due 2026-11-17",
            "Shop: Take the page live, Tom",
        ),
        (
            "Vendors",
            "Brandt | 200 enclosures | 2026-11-13 | blocked: mould cracked",
            "| Brandt | 200 enclosures | 2026-11-13 |",
            "Vendors: Brandt, 200 enclosures, blocked: mould cracked",
        ),
        (
            "bills.csv",
            "contents insurance | 312.40 | open",
            "contents insurance,312.40,open",
            "contents insurance, open",
        ),
        (
            "Thursday 19 November 2026",
            "Still waiting on Dr Aydin",
            "- Still waiting on Dr Aydin",
            "Still waiting on Dr Aydin",
        ),
        ("Roof", "Roof leaks again.", "Roof leaks again.", "Roof leaks again"),
        (
            "Umzug",
            "**Kaution** überweisen, fällig am 03.12.",
            "- **Kaution** überweisen, fällig am 03.12.",
            "Umzug: Kaution überweisen",
        ),
    ],
)
def test_a_title_is_the_statement_without_markers_dates_and_what_follows(
    topic: str, text: str, quote: str, title: str
) -> None:
    assert headline.title(topic, text, quote) == title


def test_a_long_title_ends_at_a_word() -> None:
    title = headline.title("", "word " * 60, "word " * 60)
    assert len(title) <= headline.TITLE_CHARS
    assert title.endswith("word…")


def test_a_priority_is_named_by_its_first_words() -> None:
    assert headline.name_of("Larch launch: 200 air monitors built") == "Larch launch"
    assert len(headline.name_of("a priority without any early colon that goes on for long, very long indeed")) <= 48


def test_the_reason_says_state_day_and_priority() -> None:
    today = date(2026, 11, 20)
    assert headline.why("overdue", "overdue", date(2026, 11, 17), "priority 'Tax'", today) == (
        "overdue since 17 November; touches priority 'Tax'"
    )
    assert headline.why("waiting for someone", "waiting", date(2026, 11, 21), "", today) == (
        "waiting for someone; due 21 November (tomorrow)"
    )
    assert headline.why("due", "deadline", date(2027, 1, 2), "", today) == "due 2 January 2027 (in 43 days)"
