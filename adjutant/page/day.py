"""SHELL. The day as the page shows it: what `today --all` gave last, under the marks that were made since.

Reading ten thousand matters takes seconds, so a page gets what there is at once and a fresh look follows. A decision
rests on the files as they are: where anything under a matter moved since the last look, it is looked at again first.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any, NamedTuple

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

    rows: list[dict[str, Any]]
    settled: list[dict[str, str]]
    unread: list[str]
    error: str = ""


class _Look(NamedTuple):
    began: float  # monotonic
    wall: int  # nanoseconds, as files are stamped
    took: float
    state: tuple[Stamp, ...]
    result: dict[str, Any]
    folders: dict[str, str]
    stamps: dict[str, Stamp]


class Day:
    """`version` grows when a look found another picture than the last."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        self._desk, self._tree, self._clock = desk, desk.tree, clock
        self._look: _Look | None = None
        self._error = ""
        self._looking = threading.Lock()
        self._waiting = threading.Event()
        self.version = 0
        self._marks: tuple[Stamp, matters_log.Marks] = (None, matters_log.Marks())

    def view(self) -> DayView | None:
        """The day; None while the first look is under way."""
        look = self._look
        age = time.monotonic() - look.began if look is not None else 0.0
        if look is None or look.state != self._state() or age > max(PAUSE, 20 * look.took):
            if look is not None and look.took < AT_ONCE:
                self._draw()
            else:
                self.begin()
        if self._look is None:
            self._waiting.wait(PATIENCE)
        if self._look is None:
            return DayView([], [], [], self._error) if self._error else None
        return self._mark(self._look)

    def begin(self) -> None:
        """Looks in the background, unless somebody does."""
        if not self._looking.locked():
            threading.Thread(target=self._draw, daemon=True).start()

    def matter(self, id: str) -> dict[str, Any] | None:
        """A matter as its files are now, None for one that is not open. Raises AdjutantError."""
        look = self._look
        row = next((each for each in look.result["matters"] if each["id"] == id), None) if look else None
        if look is None or row is None or look.state != self._state() or not self._is_same(look, row):
            look = self._draw()
            if look is None:
                raise AdjutantError(self._error)
        return next((each for each in self._mark(look).rows if each["id"] == id), None)

    def find_known(self, id: str) -> dict[str, Any] | None:
        """A matter of the last look, marked since or not."""
        rows = self._look.result["matters"] if self._look is not None else []
        return next((each for each in rows if each["id"] == id), None)

    def _is_same(self, look: _Look, row: dict[str, Any]) -> bool:
        """Whether no file under a matter was written since the look began."""
        for cited in row["evidence"]:
            path = _place(look.folders, row["kb"], cited["path"])
            now = stamp(path)
            if now is None or now != look.stamps.get(path) or now[0] >= look.wall:
                return False
        return True

    def _state(self) -> tuple[Stamp, ...]:
        tree = self._tree
        return tuple(map(stamp, (tree.config, tree.registry, tree.heart, tree.matters)))

    def _draw(self) -> _Look | None:
        """A look now; None where it cannot be had."""
        with self._looking:
            began, wall, state = time.monotonic(), self._clock.machine_ns() - TICK, self._state()
            try:
                result = self._desk.look("today", "--all").result
                folders = {kb.name: kb.folder for kb in registry.load(self._desk.app("today").files)}
            except (AdjutantError, OSError) as error:
                self._error = error.message if isinstance(error, AdjutantError) else str(error)
                self._look = None
                self._waiting.set()
                return None
            took = time.monotonic() - began
            places = {
                _place(folders, each["kb"], cited["path"]) for each in result["matters"] for cited in each["evidence"]
            }
            before = self._look
            self._look = look = _Look(began, wall, took, state, result, folders, {path: stamp(path) for path in places})
            self._error = ""
            self._waiting.set()
            if before is None or before.result["matters"] != result["matters"]:
                self.version += 1
        return look

    def _mark(self, look: _Look) -> DayView:
        """The look without what was marked since."""
        held, today = self._read_marks(), self._clock.now().date().isoformat()
        rows, settled = [], list(look.result["settled"])
        for each in look.result["matters"]:
            mark = held.get(each["id"])
            state, until = (mark["state"], str(mark.get("until") or "")) if mark else ("", "")
            if state == "done":
                settled.append({"id": each["id"], "said": each["said"], "state": "done"})
            elif not (state == "useless" or (state == "snooze" and until > today)):
                rows.append(each)
        return DayView(rows, settled[::-1], look.result["unread"])

    def _read_marks(self) -> matters_log.Marks:
        now = stamp(self._tree.marks)
        if now != self._marks[0]:
            self._marks = (now, matters_log.last_marks(self._desk.app("today").files))
        return self._marks[1]


def _place(folders: dict[str, str], kb: str, path: str) -> str:
    return os.path.join(folders.get(kb, ""), path)


def stamp(path: str, *, follow: bool = True) -> Stamp:
    """When a file was changed and how long it is, None for none; of a link itself where it is not to `follow`."""
    try:
        info = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size
