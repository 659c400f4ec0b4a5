"""OUTSIDE. What both mirrors share: work given up in time, however slowly a server answers."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Late(Exception):
    """The work did not end in the time it had."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises, after `seconds` at the latest. Raises Late.

    The time limits of the clients hold for one read each, and none holds for resolving a name: a server that drips
    bytes would keep the run. A thread that was given up ends with the process at the latest.
    """
    box: queue.SimpleQueue[tuple[T | None, Exception | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            box.put((work(), None))
        except Exception as error:  # noqa: BLE001 - carried over to the thread that waits, which raises it
            box.put((None, error))

    threading.Thread(target=run, daemon=True, name="mirror request").start()
    try:
        value, error = box.get(timeout=seconds)
    except queue.Empty:
        raise Late from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]  # None only where `work` itself returned it
