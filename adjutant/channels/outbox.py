"""OUTSIDE. The outbox: notices are appended to state/outbox.md and shown to whoever is looking."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from adjutant.clock import Clock
from adjutant.errors import FileDamaged, IoFailed
from adjutant.ports import Refused, Told, Uncertain
from adjutant.store.files import Files


class Outbox:
    """Delivered is what stands in the file. `show(line)` prints for a person; it may fail without changing that."""

    channel = "outbox"

    def __init__(self, files: Files, clock: Clock, show: Callable[[str], None]) -> None:
        self._files, self._clock, self._show = files, clock, show

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        """Appends one list item. Raises Refused (no regular file), Uncertain (the disk failed), Stopped."""
        try:
            self._files.append_text(self._files.tree.outbox, f"- {self._clock.now():%Y-%m-%d %H:%M} · {text}\n")
        except FileDamaged as error:
            raise Refused(error.message) from None
        except IoFailed as error:
            raise Uncertain(error.message) from None
        with suppress(OSError):  # nobody reads our output any more; the file has the notice
            self._show(text)
