"""DOMAIN. How the last days went: turns and their friction, from the end of state/interactions.jsonl.

On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta

from adjutant.clock import moment
from adjutant.records.friction import SIGNALS, friction_of, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from adjutant.store.files import Files

DAYS = 7
TAIL = 256 * 1024  # bytes: some hundred turns
OLDER = 50
TOLD = ("turn", "task")


class RecentTurns:
    """`turns`: turns and tasks of the last DAYS days; `friction`: their mean, 0 to 1, None without any. `more`: the
    days hold more than was looked at."""

    __slots__ = ("friction", "more", "turns")

    def __init__(self, turns: int, friction: float | None, more: bool) -> None:
        self.turns, self.friction, self.more = turns, friction, more

    @property
    def line(self) -> str:
        """For people; "" where nothing was asked."""
        if self.friction is None:
            return ""
        count = f"{'over ' if self.more else ''}{self.turns} turn{'' if self.turns == 1 else 's'}"
        return f"{count} in {DAYS} days, mean friction {self.friction:.2f}"


def measure(files: Files, now: datetime) -> RecentTurns:
    """The last days by the end of the file. What cannot be read counts for nothing. Raises FileDamaged, IoFailed.

    It is read back to where OLDER lines are of before these days: so many no clock set back, and no past day that
    is run again, leaves among the others.
    """
    try:
        data = files.tail(files.tree.interactions, TAIL)
    except FileNotFoundError:
        return RecentTurns(0, None, False)
    since, older = now - timedelta(days=DAYS), 0
    signals, late = dict[str, tuple[str, ...]](), dict[str, list[str]]()
    for line in reversed(data.split(b"\n")):
        record = _record(line)
        when = moment(record.get("ts"))
        older += when is not None and when < since
        if older == OLDER:
            break
        if record.get("event") == "signal":
            late.setdefault(str(record.get("of")), []).insert(0, str(record.get("signal")))
        elif when is not None and since <= when <= now and record.get("kind") in TOLD:
            signals[str(record.get("id"))] = _names(record)  # of two lines of one id the first counts
    frictions = [
        friction_of(joined(names, (name for name in late.get(id, ()) if name in SIGNALS)))
        for id, names in signals.items()
    ]
    mean = round(sum(frictions) / len(frictions), 2) if frictions else None
    return RecentTurns(len(frictions), mean, not older and os.path.getsize(files.tree.interactions) > TAIL)


def _record(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _names(record: dict[str, Any]) -> tuple[str, ...]:
    listed = record.get("friction_signals")
    return tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()
