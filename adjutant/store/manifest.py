"""FILES. The manifest of a backup: what it holds by path, kind, mode, size and hash, and the hash of the whole tree."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from typing import NamedTuple

from adjutant.errors import BackupDamaged
from adjutant.store import jsonl
from adjutant.store.reader import TEMP_SUFFIX
from adjutant.store.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = "adjutant-backup.json"  # the first member of the tar
VERSION = 1
FILE, FOLDER, LINK = "file", "folder", "link"
LONGEST, MOST = 1024, 1_000_000  # bytes of a path, entries
SECRETS = re.compile(r"\.env(?!\.example$).*")  # .env, .env.local, .env~ …: wherever they lie
_HASH = re.compile(r"[0-9a-f]{64}")


class Entry(NamedTuple):
    """A file, folder or link. `mode`: permission bits, `size`: bytes, `target`: of a link, relative to its folder."""

    path: str
    kind: str
    mode: int = 0
    size: int = 0
    sha256: str = ""
    target: str = ""


class Manifest(NamedTuple):
    """`outside`: {knowledge base: its folder outside the instance}, `left_out`: {path: why}; neither is in the tar."""

    entries: list[Entry]
    outside: dict[str, str]
    left_out: dict[str, str]

    @property
    def tree(self) -> str:
        """The hash of the tree: sha256 over all entries in order. Times are no part of it."""
        lines = (json.dumps(list(entry)) + "\n" for entry in self.entries)
        return hashlib.sha256("".join(lines).encode("ascii")).hexdigest()

    @property
    def told(self) -> str:
        """How much it is, and its hash, in one line."""
        files = [entry for entry in self.entries if entry.kind != FOLDER]
        return f"{len(files)} files, {sum(entry.size for entry in files):,} bytes, tree {self.tree[:16]}"

    def encode(self) -> bytes:
        """JSON, one entry a line."""
        head = {"adjutant_backup": VERSION, "tree": self.tree, "outside": self.outside, "left_out": self.left_out}
        lines = ",\n".join(json.dumps(list(entry)) for entry in self.entries)
        return f'{json.dumps(head)[:-1]}, "entries": [\n{lines}\n]}}\n'.encode("ascii")


def is_unkept(tree: Tree, path: str) -> bool:
    """Whether no backup holds this absolute path: keys and secrets, caches, locks, what a crash left half-made."""
    name = posixpath.basename(path)
    return path in tree.unkept or name.endswith(TEMP_SUFFIX) or path == tree.inside(NAME)


def decode(data: bytes) -> Manifest:
    """The manifest in these bytes, of which nothing is believed. Raises BackupDamaged."""
    try:
        found = jsonl.loads(data)
        entries = [_entry(*row) for row in found["entries"]]
        outside, left_out = ({str(key): str(value) for key, value in found[n].items()} for n in ("outside", "left_out"))
        manifest = Manifest(entries, outside, left_out)
        right = found["adjutant_backup"] == VERSION and found["tree"] == manifest.tree
    except (ValueError, KeyError, TypeError, AttributeError):
        right = False
    if not right:
        raise BackupDamaged(f"{NAME} in it is no manifest of version {VERSION}, or was changed")
    if problem := next(_problems(entries), None):
        raise BackupDamaged(f"its manifest: {problem}")
    return manifest


def _entry(*row: Any) -> Entry:
    """A row as an entry, each value of the right type. Raises TypeError."""
    entry = Entry(*row)
    if [type(each) for each in entry] != [str, str, int, int, str, str] or min(entry.mode, entry.size) < 0:
        raise TypeError("no entry")
    return entry


def _problems(entries: list[Entry]) -> Iterator[str]:
    """What an honest backup never holds."""
    tree, before, folders, files = Tree("/r"), "", {""}, set[str]()
    if len(entries) > MOST:
        yield f"more than {MOST} entries"
    for entry in entries:
        path, above = entry.path, posixpath.dirname(entry.path)
        inside = tree.inside(path)
        if path != posixpath.normpath(path) or leads_out(path) or len(path.encode("utf-8", "replace")) > LONGEST:
            yield f"{path!r} leads out of the folder, or is no path"
        elif path <= before:
            yield f"{path!r} is held twice, or out of order"
        elif above not in folders:
            yield f"{path!r} lies in no folder of it"
        elif is_unkept(tree, inside) or SECRETS.fullmatch(posixpath.basename(path)):
            yield f"{path!r} is in no backup"
        elif not _fits(entry):
            yield f"{path!r} is no {FILE}, {FOLDER} or {LINK} of a backup"
        before = path
        folders |= {path} if entry.kind == FOLDER else set()
        files |= {inside} if entry.kind != FOLDER else set()
    if tree.config not in files:
        yield "without an adjutant.yaml"


def _fits(entry: Entry) -> bool:
    hashed, kind = bool(_HASH.fullmatch(entry.sha256)), entry.kind
    if entry.mode > 0o777 or (entry.target and kind != LINK) or (kind != FILE and (entry.size or entry.sha256)):
        return False
    if kind == LINK:
        where = posixpath.join(posixpath.dirname(entry.path), entry.target)
        return bool(entry.target) and "\0" not in entry.target and not leads_out(posixpath.normpath(where))
    return hashed if kind == FILE else kind == FOLDER


def leads_out(path: str) -> bool:
    """Whether a normal path is absolute, empty, of the folder itself, or climbs above it."""
    return path in ("", ".", "..") or path.startswith(("/", "../")) or "\0" in path
