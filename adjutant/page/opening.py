"""SHELL. Files that the page may open, to read: the folders of the instance that hold words, and knowledge bases."""

from __future__ import annotations

import os
from urllib.parse import urlencode

from adjutant.app import Row
from adjutant.desk import Desk
from adjutant.errors import PageRefused
from adjutant.records import registry
from adjutant.store.tree import Tree

AROUND, MOST_BYTES, LINE_CHARS = 150, 2 * 1024 * 1024, 1000
INSIDE = "./"  # begins the path of a file of the instance, whatever a knowledge base is called


def address(path: str, line: int = 0) -> str:
    """Where the page shows a file: its path in the instance, `kb/path` in a knowledge base, or an absolute one."""
    at = {"line": str(line)} if line else {}
    return f"/file?{urlencode({'path': path} | at, errors='replace')}" + (f"#L{line}" if line else "")


def cite(desk: Desk, path: str, line: int = 0) -> str:
    """The address of a path, or path:line, that a verb names; "" where the page opens no such file."""
    before, _, number = path.rpartition(":")
    if number.isascii() and number.isdigit():
        path, line = before, line or int(number)
    try:
        _place(desk, path)
    except PageRefused:
        return ""
    return address(path, line)


def read(desk: Desk, path: str, line: int) -> Row:
    """A file: its `title`, `lines` from `first` on, those around `line`, of `total`. Raises PageRefused for what the
    page does not open, and as reading does."""
    title, place = _place(desk, path)
    try:
        text = desk.app("kb").files.read(place, MOST_BYTES, cut=True).decode("utf-8", "replace")
    except (OSError, ValueError):
        raise PageRefused("There is no such file here.") from None
    lines = [each[:LINE_CHARS] for each in text.split("\n")]
    first = max(0, line - 1 - AROUND)
    shown = lines[first : first + 2 * AROUND]
    return {"title": title, "lines": shown, "first": first + 1, "total": len(lines), "line": line}


def _place(desk: Desk, path: str) -> tuple[str, str]:
    """(title, absolute path) of what may be opened. Raises PageRefused."""
    kb, rest, folder = "", path.removeprefix(INSIDE), desk.tree.root
    for each in registry.load(desk.app("kb").files) if not path.startswith(INSIDE) else ():
        for begins in (f"{each.folder}/", f"{each.name}/"):
            if path.startswith(begins):
                kb, rest, folder = f"{each.name}: ", path[len(begins) :], each.folder
    hidden = any(part.startswith(".") for part in rest.split("/") if part != ".sample")
    if "\0" not in rest and not rest.startswith("/") and not hidden:
        place, root = os.path.realpath(os.path.join(folder, rest)), os.path.realpath(folder)
        if place.startswith(f"{root}/") and (kb or _may_open(desk.tree, place[len(root) + 1 :])):
            return f"{kb}{rest}", place
    raise PageRefused("This page opens no such file.")


def _may_open(tree: Tree, path: str) -> bool:
    """Whether a path of the instance is one of words: none of its secrets, keys, caches, or switches."""
    folders = (
        *(tree.identity, tree.prompts, tree.skills, tree.memory, tree.journal, tree.insights, tree.evolution),
        *(tree.knowledge_bases, tree.conflicts, tree.runs, tree.conversations),
    )
    files = (tree.today, tree.config, tree.outbox, tree.actions, tree.notices, tree.matters, tree.behavior_history)
    place = tree.inside(path)
    return place in files or any(place.startswith(f"{folder}/") for folder in folders)
