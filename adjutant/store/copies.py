"""FILES. Conflict copies: what Syncthing, Dropbox, Nextcloud and the like leave where two machines changed one file."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from adjutant.store.tree import Tree

MOST_NAMES = 200_000  # looked at
_COPY = re.compile(
    r"(?P<name>.+?)"
    r"(?:\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]+|[ _]\([^()/]*(?:conflicted|conflict) copy[^()/]*\))"
    r"(?P<suffix>(?:\.[^./]+)*)"
)
_OPENS, _PARTS, _CLOSES = b"<<<<<<< ", b"=======", b">>>>>>> "


def original(name: str) -> str:
    """The name of the file that a conflict copy is one of, "" for a file that is none."""
    found = _COPY.fullmatch(name)
    return found["name"] + found["suffix"] if found else ""


def find(tree: Tree) -> list[tuple[str, str]]:
    """(copy, the file it is a copy of) in an instance, by path; no folder of ours that holds scratch is looked into,
    and none that is hidden."""
    return sorted((path, f"{os.path.dirname(path)}/{real}") for path in paths(tree) if (real := original(_name(path))))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def paths(tree: Tree) -> Iterator[str]:
    """Every file of an instance but scratch, links and what is hidden."""
    scratch = {tree.cache, tree.quarantine, tree.conflicts, tree.workspace, tree.locks, tree.crash, tree.runs}
    left = MOST_NAMES
    for folder, folders, files in os.walk(tree.root):
        folders[:] = [name for name in folders if not name.startswith(".") and f"{folder}/{name}" not in scratch]
        left -= len(folders) + len(files)
        if left < 0:
            return
        yield from (path for name in files if not os.path.islink(path := f"{folder}/{name}"))


def marked_line(data: bytes) -> int:
    """The line at which git left a conflict for a person to decide on, 0 for none."""
    lines = data.split(b"\n") if _OPENS in data and _CLOSES in data else []
    return next((number for number, line in enumerate(lines, 1) if line.startswith(_OPENS)), 0)


def without_marks(data: bytes) -> bytes:
    """JSON lines without the marks of git between them."""
    lines = data.splitlines(keepends=True)
    return b"".join(each for each in lines if not each.startswith((_OPENS, _CLOSES)) and each.rstrip() != _PARTS)
