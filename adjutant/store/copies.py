"""FILES. Conflict copies: what Syncthing, Dropbox, Nextcloud and the like leave where two machines changed one file."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from adjutant.store.tree import Tree

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
    """(copy, the file it is a copy of) in what an instance itself holds, by path."""
    found = ((path, original(os.path.basename(path))) for path in paths(tree))
    return sorted((path, f"{os.path.dirname(path)}/{real}") for path, real in found if real)


def paths(tree: Tree) -> Iterator[str]:
    """Every file of what an instance itself holds, but scratch and links: no knowledge base, no folder beside."""
    scratch = {tree.cache, tree.quarantine, tree.conflicts, tree.locks, tree.crash, tree.runs}
    own = [tree.identity, tree.prompts, tree.skills, tree.memory]
    own += [tree.evolution, tree.journal, tree.insights, tree.state]
    for folder in (tree.root, tree.knowledge_bases):
        with suppress(OSError):
            yield from (entry.path for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    for folder, folders, files in (each for top in own for each in os.walk(top)):
        folders[:] = [name for name in folders if f"{folder}/{name}" not in scratch]
        yield from (path for name in files if not os.path.islink(path := f"{folder}/{name}"))


def find_marked_line(data: bytes) -> int:
    """The line at which git left a conflict for a person to decide on, 0 for none."""
    lines = data.split(b"\n") if _OPENS in data and _CLOSES in data else []
    return next((number for number, line in enumerate(lines, 1) if line.startswith(_OPENS)), 0)


def without_marks(data: bytes) -> bytes:
    """JSON lines without the marks of git between them."""
    lines = data.splitlines(keepends=True)
    return b"".join(each for each in lines if not each.startswith((_OPENS, _CLOSES)) and each.rstrip() != _PARTS)
