"""GROUND. An empty folder of ours for one child, outside every tree, gone when the child is."""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PREFIX = "adjutant-"
_NAME = re.compile(rf"{PREFIX}(\d+)-")


@contextmanager
def folder() -> Iterator[str]:
    """A new folder with empty `home` and `work`, ours alone; what killed runs left goes first. Raises OSError."""
    _sweep(tempfile.gettempdir())
    path = os.path.realpath(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        for name in ("home", "work"):
            os.mkdir(os.path.join(path, name), 0o700)
        yield path
    finally:
        _remove(path)


def put(path: str, name: str, data: bytes) -> str:
    """The path of a file with this content, in such a folder. Raises OSError."""
    held = os.path.join(path, name)
    with open(held, "xb") as file:
        file.write(data)
    return held


def _sweep(parent: str) -> None:
    for entry in os.scandir(parent):
        found = _NAME.match(entry.name)
        try:
            info = entry.stat(follow_symlinks=False)
            # a real folder that our user made: what stands in another's could be changed under our hands
            if found and stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid():
                os.kill(int(found.group(1)), 0)
        except ProcessLookupError:
            _remove(entry.path)
        except (OSError, OverflowError):
            continue  # another has swept it meanwhile, or may not be asked about: not ours to take away


def _remove(path: str) -> None:
    """Also what a child has closed or nested too deep for us, which these programs are for; else it is left."""
    with suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    for argv in (["chmod", "-R", "u+rwx", path], ["rm", "-rf", path]) if os.path.lexists(path) else ():
        with suppress(OSError):
            subprocess.run(argv, stderr=subprocess.DEVNULL, check=False)
