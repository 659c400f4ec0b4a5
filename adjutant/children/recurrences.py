"""GROUND. `python -I recurrences.py`: on which days events of calendars take place, a JSON line a series."""

import json
import signal
import sys
from datetime import date
from typing import Any

SECONDS, WASTED, MEMORY = 1.0, 5.0, 1 << 30
MOST = 400  # occurrences of one series
TIMES = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")
LINE = "X-ADJUTANT-LINE"  # a property of each event: the line of the file where it begins


class TookTooLong(BaseException):
    """A series whose time is up; no library takes it for an error of its own."""


def main() -> None:
    """Reads {"series": [{file, text, first, last}]}; writes [line, start, end, recurrence id] of each, or why none."""
    import resource

    def over(number: int, frame: object) -> None:
        raise TookTooLong

    signal.signal(signal.SIGALRM, over)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import recurring_ical_events  # noqa: F401  # loaded here, and not in the time of the first series

    request = json.load(sys.stdin)
    wasted: dict[str, float] = {}
    for each in request["series"]:
        bad: dict[int, str] = {}
        found: list[list[Any]] | str = "the rules of this file took too long"
        file = each["file"]
        if wasted.setdefault(file, 0.0) < WASTED:
            signal.setitimer(signal.ITIMER_REAL, SECONDS, 0.2)
            try:
                found = _occurrences(each, bad)
            except TookTooLong:
                found, wasted[file] = "its rule takes too long to follow", wasted[file] + SECONDS
            except MemoryError:
                found, wasted[file] = "its rule takes too much memory", wasted[file] + SECONDS
            except Exception as error:  # noqa: BLE001 - whatever the libraries stumble over costs one series
                found = " ".join(str(error).split())[:120] or type(error).__name__
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps([found, bad]) + "\n")


def _occurrences(series: dict[str, str], bad: dict[int, str]) -> list[list[Any]]:
    import icalendar
    import recurring_ical_events

    calendar = icalendar.Calendar.from_ical(series["text"])
    for event in calendar.walk("VEVENT"):
        wrong = [f"{name}: {why}" for name, why in event.errors if name in TIMES]
        if wrong or "DTSTART" not in event:
            bad[int(event[LINE])] = (wrong or ["it has no DTSTART"])[0][:120]
            calendar.subcomponents.remove(event)
    query = recurring_ical_events.of(calendar, skip_bad_series=False)
    days = date.fromisoformat(series["first"]), date.fromisoformat(series["last"])
    found: list[list[Any]] = []
    for event in query.between(*days):
        original = event.get("RECURRENCE-ID")
        moments = (event["DTSTART"].dt, event["DTEND"].dt, original.dt if original is not None else None)
        found.append([int(event[LINE]), *(moment and moment.isoformat() for moment in moments)])
        if len(found) > MOST:
            raise ValueError(f"more than {MOST} times in these days")
    return found


if __name__ == "__main__":
    main()
