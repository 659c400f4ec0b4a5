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
from adjutant.store.tree import CONFIG, Tree

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
    def figures(self) -> dict[str, int | str]:
        """How much it is, and its hash."""
        files = [entry for entry in self.entries if entry.kind == FILE]
        return {"files": len(files), "bytes": sum(entry.size for entry in files), "tree": self.tree}

    @property
    def told(self) -> str:
        """The same in one line."""
        return "{files} files, {bytes:,} bytes, tree {tree:.16}".format(**self.figures)

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
        raise BackupDamaged(f"{NAME} in it is not a manifest of version {VERSION}, or was changed")
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
    tree, before, folders = Tree("/r"), "", {""}
    for entry in entries:
        path, above, name = entry.path, *posixpath.split(entry.path)
        if path != posixpath.normpath(path) or leads_out(path) or len(path.encode("utf-8", "replace")) > LONGEST:
            yield f"{path!r} leads out of the folder, or is not a path"
        elif path <= before or above not in folders:
            yield f"{path!r} is held twice, out of order, or in no folder of it"
        elif is_unkept(tree, tree.inside(path)) or SECRETS.fullmatch(name) or not _fits(entry):
            yield f"{path!r} is not something that a backup holds"
        before = path
        folders |= {path} if entry.kind == FOLDER else set()
    if len(entries) > MOST or not any(entry.path == CONFIG and entry.kind != FOLDER for entry in entries):
        yield f"without an {CONFIG}, or with more than {MOST} entries"


def _fits(entry: Entry) -> bool:
    """Whether it has what an entry of its kind has, and nothing else."""
    above, kind = posixpath.dirname(entry.path), entry.kind
    good = bool(_HASH.fullmatch(entry.sha256)) if kind == FILE else not (entry.size or entry.sha256)
    out = leads_out(posixpath.normpath(posixpath.join(above, entry.target)))
    good = good and (bool(entry.target) and not out if kind == LINK else not entry.target)
    return kind in (FILE, FOLDER, LINK) and entry.mode <= 0o777 and good


def leads_out(path: str) -> bool:
    """Whether a normal path is absolute, of the folder itself, or climbs above it."""
    return path in (".", "..") or path.startswith(("/", "../")) or "\0" in path
