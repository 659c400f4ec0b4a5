"""DOMAIN. So many messages a minute, by the time at which each was sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

WINDOW = 60  # seconds


class Rate:
    """A sliding minute; what is turned away does not count in it. `earlier`: when those before were sent."""

    def __init__(self, limit: int, earlier: Iterable[int] = ()) -> None:
        self._limit, self._taken = limit, deque(earlier, maxlen=limit)
        self._told: int | None = None

    def admits(self, date: int) -> bool:
        """True, and counted, while fewer than the limit were sent in the minute before."""
        if len(self._taken) == self._limit and date - self._taken[0] < WINDOW:
            return False
        self._taken.append(date)
        return True

    def is_news(self, date: int) -> bool:
        """True once a minute: one line tells of all that is turned away."""
        if self._told is not None and 0 <= date - self._told < WINDOW:
            return False
        self._told = date
        return True
