"""SHELL. What changes by itself: a stream of events that tells an open page that the ledger, or a switch, moved."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable

from adjutant.store.tree import Tree

EVERY, QUIET, MOST = 0.5, 15.0, 24  # seconds between looks, between signs of life; streams at once


class Live:
    """Tails the records of an instance."""

    def __init__(self, tree: Tree, version: Callable[[], int]) -> None:
        self._version, self._open = version, 0
        self._paths = (
            *(tree.actions, tree.notices, tree.marks, tree.matters, tree.evolution_log, tree.behavior_history),
            *(tree.interactions, tree.conflicts, tree.wisdom, tree.paused, tree.killed),
        )

    @property
    def full(self) -> bool:
        """Whether no more streams are opened."""
        return self._open >= MOST

    async def tail(self) -> AsyncIterator[str]:
        """Server-sent events: `changed` whenever something was written."""
        self._open += 1
        try:
            before, silent = self._look(), 0.0
            yield "retry: 2000\n\n"
            while True:
                await asyncio.sleep(EVERY)
                now = self._look()
                if now != before:
                    before, silent = now, 0.0
                    yield "event: changed\ndata: \n\n"
                elif (silent := silent + EVERY) >= QUIET:
                    silent = 0.0
                    yield ": still here\n\n"
        finally:
            self._open -= 1

    def _look(self) -> tuple[object, ...]:
        return (self._version(), *map(_stamp, self._paths))


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size
