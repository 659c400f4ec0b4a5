"""GROUND. What of an operator's folder a child may see: no hidden file, and none that an agent takes for its orders."""

from __future__ import annotations

import os
from typing import NamedTuple

# Files that agents load as settings, code or orders wherever they find them.
ORDERS = frozenset({
    "opencode.json", "opencode.jsonc", "agents.md", "agent.md", "claude.md", "claude.local.md", "gemini.md",
    "context.md", "mcp.json",
})
MOST_ENTRIES = 100_000


class TooLarge(Exception):
    """The folder holds more entries than are looked through."""


class View(NamedTuple):
    """`whole`: folders and files that may be read with all that is in them. `shut`: (path, is a folder) kept away.

    Both absolute. Every folder on the way to something in `whole` may be listed.
    """

    whole: list[str]
    shut: list[tuple[str, bool]]


def view(folder: str) -> View:
    """Walks the folder without following links. Raises TooLarge, OSError (the folder itself cannot be read)."""
    shut: list[tuple[str, bool]] = []
    seen = 0

    def walk(path: str, top: bool) -> list[str] | None:
        """What may be read below `path`; None when all of it may."""
        nonlocal seen
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError:
            if top:
                raise
            return None  # what we cannot list, the child cannot either
        seen += len(entries)
        if seen > MOST_ENTRIES:
            raise TooLarge(f"{folder}: more than {MOST_ENTRIES} entries")
        parts: list[str] = []
        mixed = False
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.is_symlink():
                mixed = True  # a rule for its path would be one for its target
            elif is_order(entry.name):
                shut.append((entry.path, is_folder))
                mixed = True
            elif is_folder and (inner := walk(entry.path, False)) is not None:
                parts += inner
                mixed = True
            else:
                parts.append(entry.path)
        return parts if mixed else None

    parts = walk(folder, True)
    return View([folder] if parts is None else parts, shut)


def is_order(name: str) -> bool:
    """True for hidden entries and for what agents obey."""
    return name.startswith(".") or name.casefold() in ORDERS
