"""GROUND. A text that grows, from a child to its parent: a datagram each time, of which the newest counts."""

import os
import socket
import time
from contextlib import suppress

PACE = 0.3  # seconds between two datagrams
LONGEST = 12_000  # characters: more than one message of a chat can show
LARGEST = 64 * 1024


class Receiver:
    """The parent's end. `fd` is for the child alone, and is closed here once it has been started."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ours.setblocking(False)
        self.fd = self._theirs.fileno()

    def newest(self) -> str | None:
        found: bytes | None = None
        with suppress(OSError):  # nothing more has come, or the child is gone
            while True:
                found = self._ours.recv(LARGEST)
        return None if found is None else found.decode("utf-8", "replace")

    def close(self) -> None:
        self._ours.close()
        self._theirs.close()


class Sender:
    """The child's end, in the place of a terminal that shows a text while it comes."""

    def __init__(self, fd: int) -> None:
        """Raises OSError where `fd` is no socket."""
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(False)
        os.set_inheritable(fd, False)  # programs that a turn starts have nothing to say here
        self._told = 0.0

    def show(self, text: str) -> None:
        """Tells the text so far, at its own pace; a parent that does not listen is no trouble."""
        now = time.monotonic()
        if text and now - self._told >= PACE:
            self._told = now
            with suppress(OSError):
                self._socket.send(text[:LONGEST].encode("utf-8", "replace")[:LARGEST])

    def finish(self, text: str) -> bool:
        return False
