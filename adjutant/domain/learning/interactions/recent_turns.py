"""DOMAIN. How the last days went: turns and their friction, from the end of state/interactions.jsonl.

On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta

from adjutant.clock import moment
from adjutant.records.friction import friction_of, join, late_signals, signals_of
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.store.files import Files

DAYS = 7
TAIL = 256 * 1024  # bytes: some hundred turns
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
    """The last days by the end of the file. What cannot be read counts for nothing. Raises FileDamaged, IoFailed."""
    since, older = now - timedelta(days=DAYS), False
    rows, turns = jsonl.tail(files, files.tree.interactions, TAIL), dict[str, tuple[str, ...]]()
    for record in rows:
        when = moment(record.get("ts"))
        older = older or (when is not None and when < since)
        if when is not None and since <= when <= now and record.get("kind") in TOLD:
            turns.setdefault(str(record.get("id")), signals_of(record))  # of two lines of one id the first counts
    late = late_signals(rows)
    frictions = [friction_of(join(names, late.get(id, {}).values())) for id, names in turns.items()]
    mean = round(sum(frictions) / len(frictions), 2) if frictions else None
    return RecentTurns(len(turns), mean, bool(turns) and not older and os.path.getsize(files.tree.interactions) > TAIL)
