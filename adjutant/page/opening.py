"""SHELL. Files that the page may open, to read: the folders of the instance that hold words, and knowledge bases."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import urlencode

from adjutant.desk import Desk
from adjutant.errors import PageRefused
from adjutant.records import registry
from adjutant.store.tree import Tree

AROUND, MOST_BYTES, LINE_CHARS = 150, 2 * 1024 * 1024, 1000


class OpenedFile(NamedTuple):
    """`lines` from `first` on, of `total`; `line`: the one that was asked for."""

    title: str
    lines: list[str]
    first: int
    total: int
    line: int


def inside(path: str, line: int = 0) -> str:
    """The address of a file of the instance."""
    return _address({"path": path}, line)


def cite(desk: Desk, path: str, line: int) -> str:
    """The address of a file that a citation names: `kb/path` for one of a knowledge base; "" where it may not be."""
    path, _, number = path.rpartition(":") if path.rpartition(":")[2].isdigit() else (path, "", "")
    line = line or int(number or 0)
    name, _, rest = path.partition("/")
    names = {kb.name: kb.folder for kb in registry.load(desk.app("kb").files)}
    for kb, folder in names.items():
        if path.startswith(f"{folder}/"):
            return _address({"kb": kb, "path": path[len(folder) + 1 :]}, line)
    if name in names and rest:
        return _address({"kb": name, "path": rest}, line)
    return inside(path, line) if _may_open(desk.tree, path) else ""


def address(tree: Tree, place: str) -> str:
    """The address of a place of `why`: path, or path:line, absolute where it is outside."""
    path, _, line = place.rpartition(":")
    if not line.isdigit():
        path, line = place, "0"
    return _address({"path": tree.relative(path)}, int(line))


def read(desk: Desk, kb: str, path: str, line: int) -> OpenedFile:
    """A file, the lines around one of it. Raises PageRefused for what the page does not open, and as reading does."""
    real = _place(desk, kb, path)
    try:
        text = desk.app("kb").files.read(real, MOST_BYTES, cut=True).decode("utf-8", "replace")
    except (OSError, ValueError):
        raise PageRefused("There is no such file here.") from None
    lines = [each[:LINE_CHARS] for each in text.split("\n")]
    first = max(0, line - 1 - AROUND)
    title = f"{kb}: {path}" if kb else path
    return OpenedFile(title, lines[first : first + 2 * AROUND], first + 1, len(lines), line)


def _place(desk: Desk, kb: str, path: str) -> str:
    """The absolute path of what may be opened. Raises PageRefused."""
    tree, refused = desk.tree, PageRefused("This page opens no such file.")
    if "\0" in path or not path:
        raise refused
    bases = registry.load(desk.app("kb").files)
    if os.path.isabs(path):  # as `why` names what lies outside the instance
        found = next((each for each in bases if path.startswith(f"{each.folder}/")), None)
        if found is None:
            raise refused
        kb, path = found.name, path[len(found.folder) + 1 :]
    if any(part.startswith(".") for part in path.split("/") if part not in (".sample",)):
        raise refused
    folder = next((each.folder for each in bases if each.name == kb), None) if kb else tree.root
    if folder is None:
        raise refused
    place, root = os.path.realpath(os.path.join(folder, path)), os.path.realpath(folder)
    if not place.startswith(f"{root}/") or not (kb or _may_open(tree, place[len(root) + 1 :])):
        raise refused
    return place


def _may_open(tree: Tree, path: str) -> bool:
    """Whether a path of the instance is one of words: none of its secrets, keys, caches, or switches."""
    folders = (
        *(tree.identity, tree.prompts, tree.skills, tree.memory, tree.journal, tree.insights, tree.evolution),
        *(tree.knowledge_bases, tree.conflicts, tree.runs, tree.conversations),
    )
    files = (tree.today, tree.config, tree.outbox, tree.actions, tree.notices, tree.matters, tree.behavior_history)
    place = tree.inside(path)
    return place in files or any(place.startswith(f"{folder}/") for folder in folders)


def _address(query: dict[str, str], line: int) -> str:
    at = {"line": str(line)} if line else {}
    return f"/file?{urlencode(query | at, errors='replace')}" + (f"#L{line}" if line else "")
