"""One clock, one zone: what is asked of it is aware, in the instance's zone, in whole seconds."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjutant.clock import Clock

OSLO = ZoneInfo("Europe/Oslo")


def clock(zone: ZoneInfo | None = OSLO, wall: float = 1_795_165_200.75) -> Clock:
    return Clock(lambda: wall, time.monotonic, zone)


def test_now_is_aware_and_in_whole_seconds() -> None:
    assert clock().now().isoformat() == "2026-11-20T10:00:00+01:00"
    assert Clock(time.time, time.monotonic, None).now().tzinfo is not None


def test_a_fixed_clock_stands_still_and_its_monotonic_does_not() -> None:
    fixed = Clock(time.time, time.monotonic, OSLO, datetime(2026, 3, 29, 0, 30, tzinfo=UTC))
    assert fixed.now() == fixed.now()
    assert fixed.now().isoformat() == "2026-03-29T01:30:00+01:00"
    assert fixed.monotonic() <= fixed.monotonic()


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-20T09:00:00+00:00", "2026-11-20T10:00:00+01:00"),
        ("2026-11-20T09:00:00", "2026-11-20T09:00:00+01:00"),
        ("2026-07-01", "2026-07-01T00:00:00+02:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+02:00"),
        ("2026-11-20T23:30:00-05:00", "2026-11-21T05:30:00+01:00"),
    ],
)
def test_a_text_without_offset_is_taken_in_the_zone(text: str, iso: str) -> None:
    assert clock().parse(text).isoformat() == iso


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "2026-13-01", "20.11.2026", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
)
def test_what_is_no_iso_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        clock().parse(text)


@given(
    st.integers(min_value=0, max_value=4_102_444_800),
    st.sampled_from(
        ["Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC"]
    ),
)
def test_local_time_is_the_same_moment_in_every_zone(seconds: int, name: str) -> None:
    moment = clock(ZoneInfo(name)).local(seconds)
    assert moment - datetime(1970, 1, 1, tzinfo=UTC) == timedelta(seconds=seconds)
    assert moment.tzinfo == ZoneInfo(name)
