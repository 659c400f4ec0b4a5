"""GROUND. What of an operator's folder a child may see: no hidden file, and none that an agent takes for its orders."""

import os
from typing import NamedTuple

# Files that agents load as settings, code or orders wherever they find them.
_ORDERS = "opencode.json opencode.jsonc agents.md agent.md claude.md claude.local.md gemini.md context.md mcp.json"
ORDERS = frozenset(_ORDERS.split())
# A folder with this file is an Adjutant instance, and these are what it keeps there. Its own words are nobody's notes.
INSTANCE = "adjutant.yaml"
_KEPT = (
    "crontab.example identity prompts knowledge_bases journal insights memory skills evolution workspace state "
    "today.md AGENTS.md PAUSED KILLED"
)
KEPT = frozenset((INSTANCE, *_KEPT.split()))
# What a link of one of these names leads to is kept away like a file of that name.
LOADED = ORDERS | {".opencode", ".claude", ".mcp.json", ".agents"}
MOST_ENTRIES, MOST_SHUT = 100_000, 2_000
MOST_DEEP = 100  # folders below this depth are kept away


class TooLarge(Exception):
    """The folder holds more entries than are looked through."""


class FolderView(NamedTuple):
    """`whole`: folders and files that may be read with all in them. `shut`: (path, is a folder) kept away."""

    whole: list[str]
    shut: list[tuple[str, bool]]


def view(folder: str) -> FolderView:
    """Walks the folder without following links. Raises TooLarge, OSError (the folder itself cannot be read)."""
    walk = _FolderWalk(folder, frozenset())
    targets = frozenset(path for path in map(os.path.realpath, walk.links) if path.startswith(f"{folder}/"))
    return (_FolderWalk(folder, targets) if targets else walk).view


class _FolderWalk:
    """One walk through `folder`, which keeps away what is hidden, what agents obey, and the paths in `closed`."""

    def __init__(self, folder: str, closed: frozenset[str]) -> None:
        self._folder, self._closed, self._seen = folder, closed, 0
        self.links: list[str] = []
        shut: list[tuple[str, bool]] = []
        parts = self._below(folder, 0, shut)
        self.view = FolderView([folder] if parts is None else parts, shut)

    def _below(self, path: str, depth: int, shut: list[tuple[str, bool]]) -> list[str] | None:
        """What may be read below `path`; None when all of it may."""
        parts: list[str] = []
        mixed = False
        kept = KEPT if depth == 0 and is_instance(path) else frozenset()
        for entry in self._entries(path, depth == 0):
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.is_symlink():
                mixed = True  # a rule for its path would be one for its target
                self.links += [entry.path] if entry.name.casefold() in LOADED else []
            elif is_order(entry.name) or entry.name in kept or self._is_closed(entry.path, is_folder, depth):
                mixed = True
                shut.append((entry.path, is_folder))
                if len(shut) > MOST_SHUT:
                    raise TooLarge(f"{self._folder}: more than {MOST_SHUT} entries to keep from an agent")
            elif is_folder and (inner := self._below(entry.path, depth + 1, shut)) is not None:
                mixed = True
                parts += inner
            else:
                parts.append(entry.path)
        return parts if mixed else None

    def _is_closed(self, path: str, is_folder: bool, depth: int) -> bool:
        return path in self._closed or (is_folder and (depth >= MOST_DEEP or is_instance(path)))

    def _entries(self, path: str, top: bool) -> list[os.DirEntry[str]]:
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError:
            if top:
                raise
            return []  # what we cannot list, the child cannot either
        self._seen += len(entries)
        if self._seen > MOST_ENTRIES:
            raise TooLarge(f"{self._folder}: more than {MOST_ENTRIES} entries")
        return entries


def is_order(name: str) -> bool:
    """True for hidden entries and for what agents obey."""
    return name.startswith(".") or name.casefold() in ORDERS


def is_instance(folder: str) -> bool:
    """Whether an Adjutant instance lives in a folder."""
    return os.path.lexists(f"{folder}/{INSTANCE}")
