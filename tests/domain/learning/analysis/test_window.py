"""Which time is looked at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import gathering as window

NOW = datetime.fromisoformat("2026-11-20T13:00:00+01:00")


def test_the_first_look_goes_back_as_far_as_is_configured() -> None:
    assert window.choose_window(None, NOW, 8) == (NOW - timedelta(hours=8), NOW)


def test_a_look_begins_where_the_last_one_ended() -> None:
    assert window.choose_window(NOW - timedelta(hours=30), NOW, 8) == (NOW - timedelta(hours=30), NOW)


def test_of_a_look_in_another_age_a_year_is_left() -> None:
    assert window.choose_window(datetime.fromisoformat("0001-01-05T00:00:00+00:00"), NOW, 8) == (
        NOW - window.LONGEST,
        NOW,
    )


def test_an_hour_is_an_hour_when_the_clocks_go_forward() -> None:
    now = datetime(2026, 3, 29, 7, tzinfo=ZoneInfo("Europe/Oslo"))
    since, _ = window.choose_window(None, now, 8)
    assert now.astimezone(UTC) - since.astimezone(UTC) == timedelta(hours=8)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(1, 8760))
def test_a_window_is_never_shorter_and_ends_now(minutes: int, hours: int) -> None:
    since, until = window.choose_window(NOW - timedelta(minutes=minutes), NOW, hours)
    assert until == NOW
    assert until - since >= timedelta(hours=hours)
