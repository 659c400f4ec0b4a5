"""DOMAIN. The notification budget: which slots of the day are used, and one slot taken or given back.

Call `take` and `give_back` under the data lock `notices`. Count files are never removed: after a clock that jumped
ahead and came back, the file of the true day must still be there.
"""

from __future__ import annotations

from datetime import timedelta

from adjutant.clock import read_day
from adjutant.errors import FileDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from adjutant.store.files import Files

COUNT_BYTES = 32


class Slots:
    """The slots of one day: `used` of `maximum`; `day` names the count file that the next slot is written to.

    `problem` says why there is no budget today (a count file that is no integer), `ignored` names the count files
    that are dated too far ahead to be believed.
    """

    def __init__(self, day: str, used: int, maximum: int, problem: str | None, ignored: list[str]) -> None:
        self.day, self.used, self.maximum, self.problem, self.ignored = day, used, maximum, problem, ignored

    @property
    def left(self) -> int:
        """Slots that are free."""
        return max(0, self.maximum - self.used)


def read(files: Files, now: datetime, maximum: int, recorded: int) -> Slots:
    """The slots of `now`'s day. Raises IoFailed.

    `recorded` is how many notices of this local day the record of notices knows to have left or may have: the count
    file alone would forget them when the instance's zone changes. A count file dated one day ahead (the clock went
    back across midnight) counts as today's, and stays the one that is written: the day key never goes back.
    """
    today = now.date()
    days = [today.isoformat(), (today + timedelta(days=1)).isoformat()]
    counts, problem = [recorded], None
    for day in days:
        try:
            counts.append(_count(files, day))
        except FileDamaged as error:
            problem = error.message
    key = days[1] if files.exists(files.tree.notify_count(days[1])) else days[0]
    used = max(maximum, *counts) if problem else max(counts)
    return Slots(key, used, maximum, problem, _too_far_ahead(files, days[1]))


def take(files: Files, slots: Slots) -> None:
    """One more slot is used, durable when this returns. Raises FileDamaged, IoFailed."""
    files.replace(files.tree.notify_count(slots.day), str(slots.used + 1))
    slots.used += 1


def give_back(files: Files, day: str) -> None:
    """A slot that definitely carried nothing is free again. Raises FileDamaged, IoFailed."""
    files.replace(files.tree.notify_count(day), str(max(0, _count(files, day) - 1)))


def _count(files: Files, day: str) -> int:
    """The bare integer in the day's count file, 0 without one. Raises FileDamaged, IoFailed."""
    path = files.tree.notify_count(day)
    try:
        text = files.read(path, COUNT_BYTES).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return 0
    if not (text.isascii() and text.isdigit()):
        shown = "".join(c if c.isprintable() else "?" for c in text)
        raise FileDamaged(
            f"{files.tree.relative(path)}:1: `{shown}` is not an integer; no notice leaves today",
            "write how many notices were sent today into it, or remove it",
        )
    return int(text)


def _too_far_ahead(files: Files, tomorrow: str) -> list[str]:
    head, _, tail = files.tree.notify_count("*").partition("*")
    folder = head.rpartition("/")[0]
    paths = [f"{folder}/{name}" for name in files.names(folder)]
    days = [path.removeprefix(head).removesuffix(tail) for path in paths]
    ahead = [day for day, path in zip(days, paths, strict=True) if path == f"{head}{day}{tail}" and day > tomorrow]
    return [files.tree.relative(files.tree.notify_count(day)) for day in ahead if read_day(day) is not None]
