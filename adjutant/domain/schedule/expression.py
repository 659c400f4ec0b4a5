"""DOMAIN. A cron expression: which days and which minutes of a day it admits."""

from __future__ import annotations

from adjutant.store import cron

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date


class Expression:
    """A cron time. `text` is the original, `minutes_of_day` sorted minutes since midnight on a day it admits."""

    __slots__ = ("_fields", "minutes_of_day", "text")

    def __init__(self, text: str, fields: cron.Fields) -> None:
        self.text, self._fields = text, fields
        self.minutes_of_day = tuple(60 * hour + minute for hour in fields.hours for minute in fields.minutes)

    def month(self, month: int) -> bool:
        """Is any day of this month admitted?"""
        return month in self._fields.months

    def day(self, day: date) -> bool:
        """Is this day admitted? Two restricted day fields: either one is enough (crontab(5))."""
        fields = self._fields
        if day.month not in fields.months:
            return False
        by_day, by_weekday = day.day in fields.days, day.isoweekday() % 7 in fields.weekdays
        if fields.any_day or fields.any_weekday:
            return by_day and by_weekday
        return by_day or by_weekday


def parse(text: str) -> Expression:
    """Five fields or one of @hourly @daily @weekly @monthly @yearly. Raises ValueError with one clear sentence."""
    return Expression(text, cron.fields(text))
