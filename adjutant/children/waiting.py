"""GROUND. Work in a thread of its own, given up in time, however slowly a server answers."""

import queue
import threading
import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Heard: TypeAlias = Callable[[bytes], None]


class Late(Exception):
    """The work did not end in the time it had."""


def within(seconds: float, work: Callable[[Heard], T], heard: Heard = lambda piece: None) -> T:
    """What `work` returns or raises, after `seconds` at the latest; `heard` is given, here, what it tells meanwhile. A
    thread that was given up ends with the process. Raises Late."""
    box: queue.SimpleQueue[tuple[str, bytes | T | Exception]] = queue.SimpleQueue()
    until = time.monotonic() + seconds

    def run() -> None:
        try:
            box.put(("made", work(lambda piece: box.put(("told", piece)))))
        except Exception as error:  # noqa: BLE001 - carried over to the thread that waits, which raises it
            box.put(("failed", error))

    threading.Thread(target=run, daemon=True, name="request").start()
    while True:
        try:
            kind, value = box.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise Late from None
        if kind == "made":
            return value  # type: ignore[return-value]  # what `work` returned
        if isinstance(value, Exception):
            raise value
        heard(value)  # type: ignore[arg-type]  # what it told
