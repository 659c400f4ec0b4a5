"""DOMAIN. workspace/: the scratch that an agent may list, read and write; nothing leads out of it."""

from __future__ import annotations

import os
import stat

from adjutant.errors import FileDamaged
from adjutant.store.files import Files

MAX_BYTES = 256 * 1024
MAX_DEPTH = 8
LISTED = 200
LONGEST = 200
_FORBIDDEN = frozenset('\\:*?"<>|')


class OutOfBounds(ValueError):
    """A path that is none of the workspace's, or a file there that may not be used like that; says why."""


def place(files: Files, folder: str, path: str) -> str:
    """The absolute path of `path` in `folder` (relative to the instance). No part of it may be a link.

    Raises OutOfBounds.
    """
    parts = path.split("/")
    if not path or len(path) > LONGEST or path.startswith(("/", "~")) or len(parts) > MAX_DEPTH:
        raise OutOfBounds(f"a path within the workspace, at most {LONGEST} characters and {MAX_DEPTH} folders deep")
    for part in parts:
        if part in ("", ".", "..") or part.startswith(".") or not part.isprintable() or set(part) & _FORBIDDEN:
            raise OutOfBounds("plain names only: no `..`, no hidden files, none of \\ : * ? \" < > |")
    root = files.tree.inside(folder)
    found = root
    for part in ("", *parts):
        found = f"{found}/{part}" if part else found
        if os.path.islink(found):
            raise OutOfBounds("a link; only plain files and folders are used")
    return f"{root}/{path}"


def listed(files: Files, folder: str, path: str = "") -> list[str]:
    """Files below `path`, with their size in bytes; folders end in /. At most LISTED. Raises OutOfBounds, IoFailed."""
    root = place(files, folder, path.rstrip("/")) if path.strip("/.") else files.tree.inside(folder)
    lines: list[str] = []
    for here, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            full = os.path.join(here, name)
            found = os.lstat(full)
            if stat.S_ISREG(found.st_mode) and not name.startswith("."):
                lines.append(f"{os.path.relpath(full, files.tree.inside(folder))} ({found.st_size} bytes)")
            if len(lines) >= LISTED:
                return [*lines, "… and more"]
    return lines


def read(files: Files, folder: str, path: str) -> str:
    """A file's text. Raises OutOfBounds (also for one that is missing, too long or no text), IoFailed."""
    full = place(files, folder, path)
    try:
        return files.text(full, MAX_BYTES)
    except FileNotFoundError:
        raise OutOfBounds("there is no such file") from None
    except FileDamaged as error:
        raise OutOfBounds(error.message) from error


def write(files: Files, folder: str, path: str, text: str) -> str:
    """Puts the text there, whole; the path relative to the instance. Raises OutOfBounds, IoFailed, Stopped."""
    full = place(files, folder, path)
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise OutOfBounds(f"{len(data)} bytes; a file holds at most {MAX_BYTES}")
    if os.path.lexists(full) and not os.path.isfile(full):
        raise OutOfBounds("there is something of that name that is no file")
    try:
        files.replace(full, data)
    except FileDamaged as error:
        raise OutOfBounds(error.message) from error
    except NotADirectoryError:
        raise OutOfBounds("a part of the path is a file, not a folder") from None
    return files.tree.relative(full)
