"""DOMAIN. Quiet hours: when notices are held back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from adjutant.store.config import Config


def active(config: Config, now: datetime) -> bool:
    """True inside `notifications.quiet_hours`, across midnight too; equal start and end are no hours at all."""
    if not config.flag("notifications.quiet_hours.enabled"):
        return False
    return within(config.text("notifications.quiet_hours.start"), config.text("notifications.quiet_hours.end"), now)


def within(start: str, end: str, now: datetime) -> bool:
    """True from `start` (included) until `end` (excluded), both "HH:MM" wall-clock time."""
    first, last, minute = _minutes(start), _minutes(end), now.hour * 60 + now.minute
    if first <= last:
        return first <= minute < last
    return minute >= first or minute < last


def _minutes(text: str) -> int:
    hour, _, minute = text.partition(":")
    return int(hour) * 60 + int(minute)
