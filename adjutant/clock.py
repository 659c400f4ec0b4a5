"""GROUND. One clock, one zone: everything that asks the time asks this, so that a test or ADJUTANT_NOW can fix it."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    Tick = Callable[[], float]


def moment(text: object) -> datetime | None:
    """The moment that an ISO-8601 text with offset names, in every zone; None for anything else."""
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None and MINYEAR < found.year < MAXYEAR else None


def read_day(text: object) -> date | None:
    """The day that a text names as YYYY-MM-DD, None for anything else and for days beside which there is no other."""
    try:
        found = date.fromisoformat(text) if isinstance(text, str) and len(text) == 10 else None
    except ValueError:
        return None
    return found if found is not None and MINYEAR < found.year < MAXYEAR else None


class Clock:
    """Wall-clock time in the instance's zone (None: the system's), and monotonic seconds for waits and deadlines."""

    def __init__(self, wall: Tick, monotonic: Tick, zone: tzinfo | None = None, fixed: datetime | None = None) -> None:
        self._wall, self.fixed, self.zone = wall, fixed, zone
        self.monotonic = monotonic

    def now(self) -> datetime:
        """Aware, in the instance's zone, whole seconds."""
        return self.local(self.fixed.timestamp() if self.fixed is not None else self._wall())

    def machine_ns(self) -> int:
        """Nanoseconds since the epoch by the machine's own clock, even where `now` is fixed: mtimes are held to it."""
        return int(self._wall() * 1_000_000_000)

    def local(self, seconds: float) -> datetime:
        """The moment `seconds` since the epoch in the instance's zone, whole seconds."""
        utc = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds))
        return utc.astimezone(self.zone)

    def parse(self, text: str) -> datetime:
        """An ISO-8601 text; one without offset is taken in the instance's zone. Raises ValueError."""
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=self.zone) if self.zone is not None else moment.astimezone()
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            raise ValueError(f"no moment of this zone: {text!r}") from None

    def speak(self, text: str) -> str:
        """An ISO-8601 moment as people write it: `today 08:00`, `Mon 09:00`, `24 Nov 09:00`, `24 Nov 2027 09:00`."""
        moment, now = self.parse(text), self.now()
        days = (moment.date() - now.date()).days
        if days in (-1, 0, 1):
            return f"{('yesterday', 'today', 'tomorrow')[days + 1]} {moment:%H:%M}"
        if abs(days) < 7:
            return f"{moment:%a %H:%M}"
        year = "" if moment.year == now.year else f" {moment.year}"
        return f"{moment.day} {moment:%b}{year} {moment:%H:%M}"

    def tell(self, ts: object) -> str:
        """`spoken` of what a record holds; the beginning of anything that is no moment."""
        return self.speak(str(ts)) if moment(ts) is not None else str(ts)[:16]
