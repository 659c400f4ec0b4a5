"""So many messages a minute."""

from __future__ import annotations

from adjutant.domain.listening.listener import Rate


def test_the_eleventh_within_a_minute_is_turned_away() -> None:
    rate = Rate(10)
    assert [rate.admits(100 + number) for number in range(12)] == [True] * 10 + [False] * 2
    assert rate.admits(160)
    assert not rate.admits(160)
    assert rate.admits(161)


def test_what_is_turned_away_does_not_count() -> None:
    rate = Rate(1)
    assert rate.admits(100)
    assert not any(rate.admits(100 + second) for second in range(1, 60))
    assert rate.admits(160)


def test_a_restart_does_not_open_another_minute() -> None:
    assert not Rate(2, [100, 110]).admits(120)


def test_it_is_told_once_a_minute() -> None:
    rate = Rate(1)
    assert [rate.is_news(second) for second in (100, 101, 159, 160, 161)] == [True, False, False, True, False]
