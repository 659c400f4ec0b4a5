"""SHELL. The day as the page shows it: what `today --all` gave last, under the marks that were made since.

Reading ten thousand matters takes seconds, so a page gets what there is at once and a fresh look follows. A decision
rests on the files as they are: where anything under a matter moved since the last look, it is looked at again first.
"""

import os
import threading
import time
from typing import NamedTuple

from adjutant.app import Row
from adjutant.clock import Clock
from adjutant.desk import Desk
from adjutant.errors import AdjutantError
from adjutant.records import matters_log, registry

AT_ONCE, PATIENCE = 0.3, 2.0  # seconds: a look this short is waited for; the first one at most this long
TICK = 20_000_000  # nanoseconds: stamps of files lag that much behind the clock
PAUSE = 1.0  # between two looks, and twenty times as long as the last one took
Stamp = tuple[int, int] | None


class DayView(NamedTuple):
    """`rows` that are open; `settled`; `unread` knowledge bases; `error` in place of all, where there is one."""

    rows: list[Row]
    settled: list[Row]
    unread: list[str]
    error: str = ""


class _Look(NamedTuple):
    began: float  # monotonic
    wall: int  # nanoseconds, as files are stamped
    took: float
    state: tuple[Stamp, ...]
    result: Row

    def find(self, id: str) -> Row | None:
        return next((each for each in self.result["matters"] if each["id"] == id), None)


class Day:
    """`version` grows when a look found another picture than the last."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        self._desk, self._tree, self._clock = desk, desk.tree, clock
        self._look: _Look | None = None
        self._error = ""
        self._looking = threading.Lock()
        self._looked = threading.Event()
        self.version = 0

    def view(self) -> DayView | None:
        """The day; None while the first look is under way."""
        look = self._look
        if look is None:
            self.begin()
            self._looked.wait(PATIENCE)
        elif look.state != self._state() or time.monotonic() - look.began > max(PAUSE, 20 * look.took):
            self._draw() if look.took < AT_ONCE else self.begin()
        if self._look is None:
            return DayView([], [], [], self._error) if self._error else None
        return self._mark(self._look)

    def begin(self) -> None:
        if not self._looking.locked():
            threading.Thread(target=self._draw, daemon=True).start()

    def matter(self, id: str) -> Row | None:
        """A matter as its files are now, None for one that is not open. Raises AdjutantError."""
        look, row = self._look, self.find_known(id)
        if look is None or row is None or look.state != self._state() or self._has_moved(row, look.wall):
            look = self._draw()
            if look is None:
                raise AdjutantError(self._error)
        return next((each for each in self._mark(look).rows if each["id"] == id), None)

    def find_known(self, id: str) -> Row | None:
        """A matter of the last look, marked since or not."""
        return self._look.find(id) if self._look is not None else None

    def _has_moved(self, row: Row, since: int) -> bool:
        folder = registry.find(self._desk.app("today").files, row["kb"]).folder
        try:
            places = [os.path.join(folder, cited["path"]) for cited in row["evidence"]]
            return any(os.stat(place).st_ctime_ns >= since for place in places)
        except OSError:
            return True

    def _state(self) -> tuple[Stamp, ...]:
        tree = self._tree
        return tuple(map(stamp, (tree.config, tree.registry, tree.heart, tree.matters)))

    def _draw(self) -> _Look | None:
        with self._looking:
            began, wall, state, before = time.monotonic(), self._clock.machine_ns() - TICK, self._state(), self._look
            try:
                result = self._desk.look("today", "--all").result
            except (AdjutantError, OSError) as error:
                self._look, self._error = None, error.message if isinstance(error, AdjutantError) else str(error)
            else:
                self._look, self._error = _Look(began, wall, time.monotonic() - began, state, result), ""
                self.version += before is None or before.result["matters"] != result["matters"]
            self._looked.set()
            return self._look

    def _mark(self, look: _Look) -> DayView:
        marks = matters_log.last_marks(self._desk.app("today").files)
        today, rows, settled = self._clock.now().date().isoformat(), list[Row](), list(look.result["settled"])
        for each in look.result["matters"]:
            mark = marks.get(each["id"], {})
            state, until = mark.get("state", ""), str(mark.get("until") or "")
            if state == "done":
                settled.append({"id": each["id"], "said": each["said"], "state": "done"})
            elif not (state == "useless" or (state == "snooze" and until > today)):
                rows.append(each)
        return DayView(rows, settled[::-1], look.result["unread"])


def stamp(path: str, *, follow: bool = True) -> Stamp:
    """When a file was changed and how long it is, None for none; of a link itself where it is not to `follow`."""
    try:
        info = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size
