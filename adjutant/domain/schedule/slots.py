"""DOMAIN. Slots: the moments at which a cron expression fires, in a zone with its summer time.

Every moment comes in the zone of `now`. A `now` with a plain offset (datetime.timezone, what Clock gives where no zone
is configured) is read in the machine's own zone, since an offset alone knows no summer time. A slot in the hour that
is left out fires once, at the first moment after the gap; one in the hour that comes twice fires the first time only.
Python compares two times of one zone by their wall clocks, and finds one of a doubled hour equal to none of another
zone: who compares slots takes them to UTC first.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, tzinfo

    from adjutant.domain.schedule.expression import Expression

EPOCH = datetime(1970, 1, 1)
DAY = timedelta(days=1)


def previous(expression: Expression, now: datetime) -> datetime | None:
    """The latest slot at or before `now` (aware)."""
    return next(backwards(expression, now), None)


def following(expression: Expression, now: datetime) -> datetime | None:
    """The first slot after `now` (aware)."""
    zone = _zone(now)
    after, wall = now.timestamp(), _wall(now.timestamp(), zone)
    try:
        for day in _days_on(expression, wall.date()):
            for moment in _walls(expression, day):
                if moment > wall and (seconds := _seconds(moment, zone)) > after:
                    return _aware(seconds, zone)
    except (OverflowError, ValueError):
        pass  # the calendar ends
    return None


def between(expression: Expression, after: datetime, until: datetime, limit: int) -> list[datetime]:
    """The latest `limit` slots in (after, until], oldest first, in the zone of `until`."""
    found: list[datetime] = []
    for slot in backwards(expression, until):
        if slot.timestamp() <= after.timestamp() or len(found) == limit:
            break
        found.append(slot)
    return found[::-1]


def backwards(expression: Expression, now: datetime) -> Iterator[datetime]:
    """The slots at or before `now` (aware), latest first."""
    zone = _zone(now)
    until, last = now.timestamp(), None
    wall = _wall(until, zone)
    start = wall + timedelta(seconds=_naive_seconds(wall, zone, 1) - _naive_seconds(wall, zone, 0)) * wall.fold
    try:
        for day in _days_back(expression, start.date()):
            for moment in reversed(_walls(expression, day)):
                if moment <= start and (seconds := _seconds(moment, zone)) <= until and seconds != last:
                    last = seconds
                    yield _aware(seconds, zone)
    except (OverflowError, ValueError):
        return  # the calendar ends


def _days_back(expression: Expression, day: date) -> Iterator[date]:
    while True:
        if not expression.month(day.month):
            day = day.replace(day=1)
        elif expression.day(day):
            yield day
        day -= DAY


def _days_on(expression: Expression, day: date) -> Iterator[date]:
    while True:
        if not expression.month(day.month):
            day = (day.replace(day=28) + 4 * DAY).replace(day=1) - DAY
        elif expression.day(day):
            yield day
        day += DAY


def _walls(expression: Expression, day: date) -> list[datetime]:
    midnight = datetime.combine(day, time())
    return [midnight + timedelta(minutes=minute) for minute in expression.minutes_of_day]


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
    early = _naive_seconds(wall, zone, 1)
    after = _offset(late, zone)
    while late - early > 1:
        middle = (early + late) // 2
        if _offset(middle, zone) == after:
            late = middle
        else:
            early = middle
    return late


def _offset(seconds: int, zone: tzinfo | None) -> timedelta:
    return _wall(seconds, zone) - (EPOCH + timedelta(seconds=seconds))
