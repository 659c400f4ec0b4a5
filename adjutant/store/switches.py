"""FILES. The kill switches: a directory entry named PAUSED or KILLED is the state, its text the reason."""

import os
import stat
from contextlib import suppress

from adjutant.printable import to_line
from adjutant.store.disk import closing_fd

REASON_BYTES = 400


def is_on(path: str) -> bool:
    """True for any directory entry of that name, a dangling link too; what cannot be looked at counts as on."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def since(path: str) -> float | None:
    """When the switch was set (seconds since the epoch), None when that cannot be told."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return None


def reason(path: str) -> str:
    """The text in the switch on one line, or "" when there is none that can be read."""
    text = b""
    with suppress(OSError), closing_fd(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)) as fd:
        text = os.read(fd, REASON_BYTES) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    return to_line(text.decode("utf-8", "replace"))
