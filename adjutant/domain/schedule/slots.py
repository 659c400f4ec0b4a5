"""DOMAIN. Slots: the moments at which a cron expression fires, in a zone with its summer time, in the zone of `now`.

A `now` with a plain offset, where no zone is configured, is read in the machine's own zone. A slot in the hour that is
left out fires once, at the first moment after the gap; one in the hour that comes twice fires the first time only. Who
compares slots takes them to UTC first: Python compares two times of one zone by their wall clocks.
"""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from adjutant.store.cron import CronTimes

SECOND = timedelta(seconds=1)


def previous(text: str, now: datetime) -> datetime | None:
    """The latest slot at or before `now` (aware)."""
    return next(backwards(text, now), None)


def following(text: str, now: datetime) -> datetime | None:
    """The first slot after `now` (aware)."""
    zone = _zone(now)
    after, wall = now.timestamp(), _wall(now.timestamp(), zone)
    try:
        for moment in CronTimes(text).walls(wall):
            if (seconds := _seconds(moment, zone)) > after:
                return _aware(seconds, zone)
    except (OverflowError, ValueError):
        pass  # the calendar ends
    return None


def backwards(text: str, now: datetime) -> Iterator[datetime]:
    """The slots at or before `now` (aware), latest first."""
    zone = _zone(now)
    until, last = now.timestamp(), None
    wall = _wall(until, zone)
    start = wall + timedelta(seconds=_naive_seconds(wall, zone, 1) - _naive_seconds(wall, zone, 0)) * wall.fold
    try:
        for moment in CronTimes(text).walls(start.replace(microsecond=0) + SECOND, -1):
            if (seconds := _seconds(moment, zone)) <= until and seconds != last:
                last = seconds
                yield _aware(seconds, zone)
    except (OverflowError, ValueError):
        return  # the calendar ends


# -- wall-clock times and seconds since the epoch, in a zone or (None) on this machine --------------------------------


def _zone(now: datetime) -> tzinfo | None:
    return None if isinstance(now.tzinfo, timezone) else now.tzinfo


def _wall(seconds: float, zone: tzinfo | None) -> datetime:
    """Naive, its `fold` set in the second pass of an hour that comes twice."""
    return datetime.fromtimestamp(seconds, zone).replace(tzinfo=None)


def _aware(seconds: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone)


def _naive_seconds(wall: datetime, zone: tzinfo | None, fold: int) -> int:
    """PEP 495: in a gap fold 0 reads with the offset before it, fold 1 with the one after."""
    return int(wall.replace(tzinfo=zone, fold=fold).timestamp())


def _seconds(wall: datetime, zone: tzinfo | None) -> int:
    """When a wall-clock time comes: the first time, or at the end of the gap it lies in."""
    late = _naive_seconds(wall, zone, 0)
    if _wall(late, zone) == wall:
        return late
    gap = range(_naive_seconds(wall, zone, 1) + 1, late)
    return gap.start + bisect_left(gap, wall, key=lambda seconds: _wall(seconds, zone))
