"""GROUND. An empty folder of ours for one child, outside every tree, gone when the child is."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PREFIX = "adjutant-"
_NAME = re.compile(rf"{PREFIX}(\d+)-")


@contextmanager
def folder() -> Iterator[str]:
    """The path of a new folder that holds the empty folders `home` and `work`, readable by us alone. Raises OSError.

    What a run that was killed has left is taken away first: such a folder is named after the process that made it.
    """
    _sweep(tempfile.gettempdir())
    path = os.path.realpath(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        for name in ("home", "work"):
            os.mkdir(os.path.join(path, name), 0o700)
        yield path
    finally:
        shutil.rmtree(path, onerror=_open_up)


def _sweep(parent: str) -> None:
    for entry in os.scandir(parent):
        found = _NAME.match(entry.name)
        try:
            if found and entry.is_dir(follow_symlinks=False):
                os.kill(int(found.group(1)), 0)
        except ProcessLookupError:  # another user's folder cannot be taken away by us, and is not
            shutil.rmtree(entry.path, onerror=_open_up)
        except (OSError, OverflowError):
            continue  # another has swept it meanwhile, or may not be asked about: not ours to take away


def _open_up(step: Callable[..., Any], path: str, error: Any) -> None:
    """A folder that the child has closed is opened and tried once more; what cannot be removed then is left."""
    try:
        os.chmod(os.path.dirname(path), stat.S_IRWXU)
        if not os.path.islink(path):
            os.chmod(path, stat.S_IRWXU)
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else step(path)
    except OSError:
        return
