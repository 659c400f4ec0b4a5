"""FILES. A picture of the instance as it was at one instant, taken while runs and people go on changing it.

Files are copied without a lock. Then, under all data locks, what changed since is copied again until two looks at the
tree find the same: every copy is what its file was between them. A run writes records first and moves last, so a tree
of one instant is one that the next run completes.
"""

import hashlib
import json
import os
import posixpath
import re
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import IO, NamedTuple

import msgspec

from adjutant.errors import BackupDamaged, BackupRefused, IoFailed, LockBusy
from adjutant.store import jsonl
from adjutant.store.disk import TEMP_SUFFIX, closing_fd, last_line, open_below, take
from adjutant.store.files import Files
from adjutant.store.tree import CONFIG, Tree

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
        files = [entry.size for entry in self.entries if entry.kind == FILE]
        return {"files": len(files), "bytes": sum(files), "tree": self.tree}

    @property
    def told(self) -> str:
        return "{files} files, {bytes:,} bytes, tree {tree:.16}".format(**self.figures)

    def encode(self) -> bytes:
        head = {"adjutant_backup": VERSION, "tree": self.tree, "outside": self.outside, "left_out": self.left_out}
        lines = ",\n".join(json.dumps(list(entry)) for entry in self.entries)
        return f'{json.dumps(head)[:-1]}, "entries": [\n{lines}\n]}}\n'.encode("ascii")


def is_unkept(tree: Tree, path: str) -> bool:
    """Whether no backup holds this absolute path: keys and secrets, caches, locks, what a crash left half-made."""
    return path in tree.unkept or path.endswith(TEMP_SUFFIX) or path == tree.inside(NAME)


def decode(data: bytes) -> Manifest:
    """The manifest in these bytes, of which nothing is believed. Raises BackupDamaged."""
    try:
        found = jsonl.loads(data)
        manifest = msgspec.convert([found[name] for name in Manifest._fields], Manifest)
        right = found["adjutant_backup"] == VERSION and found["tree"] == manifest.tree
    except (ValueError, KeyError, TypeError):
        right = False
    if not right:
        raise BackupDamaged(f"{NAME} in it is not a manifest of version {VERSION}, or was changed")
    if problem := next(_problems(manifest.entries), None):
        raise BackupDamaged(f"its manifest: {problem}")
    return manifest


def _problems(entries: list[Entry]) -> Iterator[str]:
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
    return kind in (FILE, FOLDER, LINK) and 0 <= entry.mode <= 0o777 and entry.size >= 0 and good


def leads_out(path: str) -> bool:
    """Whether a normal path is absolute, of the folder itself, or climbs above it."""
    return path in (".", "..") or path.startswith(("/", "../")) or "\0" in path


LOCKS = ("registry", "memory", "behavior", "evolution", "insights", "notices", "schedule", "rotation")
HOLD, TRIES, PAUSE = 5.0, 3, 1.0  # seconds that the locks are held for at most, how often, and what lies between
SETTLE = 0.25  # seconds that a file which people edit must have been left alone
CHUNK = 1024 * 1024
NAMED = 5
OTHERS = {".git", "__pycache__", "node_modules"}  # what git and other programs keep and make themselves
MARKS = {"pyvenv.cfg", "CACHEDIR.TAG"}  # a folder that holds one of these is made anew by its program
CLOSED = "may not be read"
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Seen(NamedTuple):
    """An entry as a look found it. `signature` changes when a file does; () for a switch, whose name counts."""

    path: str
    kind: str
    mode: int = 0
    signature: tuple[int, ...] = ()
    target: str = ""
    mtime: int = 0


class Copy(NamedTuple):
    """A file's copy, which begins at `offset` among the copies. `entry`: None for a file that may not be read."""

    seen: Seen
    entry: Entry | None = None
    offset: int = 0


class Look:
    """One look at the whole tree: `seen` by path, and what is `left_out`, with the reason."""

    def __init__(self, files: Files) -> None:
        self._tree, self._root = files.tree, os.path.realpath(files.tree.root)
        self.seen: dict[str, Seen] = {}
        self.left_out: dict[str, str] = {}
        self._folders = [""]
        while self._folders:
            folder = self._folders.pop()
            try:
                self._list(folder)
            except OSError:
                self.left_out[folder or "."] = CLOSED
        if len(self.seen) > MOST:
            raise BackupRefused(f"more than {MOST} files and folders", "move what is none of Adjutant's out of it")

    def folder(self, shown: str) -> int:
        """A descriptor of a folder: of the names on the way to it the first alone may be a link. Raises OSError."""
        top, _, rest = shown.partition("/")
        return open_below(os.path.realpath(self._tree.inside(top)), rest or ".")

    def _list(self, folder: str) -> None:
        with closing_fd(self.folder(folder)) as fd:
            names = sorted(os.listdir(fd))
            if folder and not MARKS.isdisjoint(names):
                del self.seen[folder]
                self.left_out[folder] = "made anew by its program"
                return
            for name in names:
                with suppress(FileNotFoundError):
                    self._add(posixpath.join(folder, name), name, fd)

    def _add(self, shown: str, name: str, fd: int) -> None:
        path, info = self._tree.inside(shown), os.stat(name, dir_fd=fd, follow_symlinks=False)
        if is_unkept(self._tree, path):
            return
        if why := _unfit(shown, name):
            self.left_out[shown] = why
        elif path in (self._tree.paused, self._tree.killed) and not stat.S_ISREG(info.st_mode):
            self.seen[shown] = Seen(shown, FILE, 0o600)
        elif stat.S_ISLNK(info.st_mode):
            self._add_link(shown, os.readlink(name, dir_fd=fd))
        else:
            self._add_real(shown, info)

    def _add_real(self, shown: str, info: os.stat_result) -> None:
        mode = info.st_mode & 0o777
        if stat.S_ISDIR(info.st_mode):
            self.seen[shown] = Seen(shown, FOLDER, mode)
            self._folders.append(shown)
        elif stat.S_ISREG(info.st_mode):
            self.seen[shown] = Seen(shown, FILE, mode, signature(info), mtime=int(info.st_mtime))
        else:
            self.left_out[shown] = "not a file: a pipe, a socket or a device"

    def _add_link(self, shown: str, target: str) -> None:
        """A link within the instance stays one; of others those are followed that may stand for its own files."""
        path = self._tree.inside(shown)
        real, above = os.path.realpath(path), posixpath.dirname(shown)
        if real.startswith(f"{self._root}/"):
            target = os.path.relpath(real, os.path.realpath(os.path.dirname(path))) if target[:1] == "/" else target
            if not leads_out(posixpath.normpath(posixpath.join(above, target))):
                self.seen[shown] = Seen(shown, LINK, target=target)
                return
        around = f"{self._root}/".startswith(f"{real.rstrip('/')}/")
        followed = os.path.isdir(real) if path in self._tree.folders else os.path.isfile(real)
        if followed and not around and (path in self._tree.folders or self._tree.may_be_link(path)):
            self._add_real(shown, os.stat(real))
        else:
            self.left_out[shown] = f"a link that leads out, to {target}"


def _unfit(shown: str, name: str) -> str:
    reasons = {
        "secrets are in no backup": SECRETS.fullmatch(name),
        "kept or made anew by its own program": name in OTHERS,
        "its name is not UTF-8": not shown.isascii() and shown.encode("utf-8", "replace").decode() != shown,
        "a path too long": len(shown.encode("utf-8", "replace")) > LONGEST,
    }
    return next((why for why, holds in reasons.items() if holds), "")


def signature(info: os.stat_result) -> tuple[int, ...]:
    """What changes when a file is changed."""
    return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_mode


class Snapshot:
    """The copies, in one file of the caller's. After `take`: `held` by path, and the last `look`."""

    def __init__(self, files: Files, copies: IO[bytes]) -> None:
        self._files, self._copies, self._tree = files, copies, files.tree
        ours = (self._tree.state, self._tree.journal, self._tree.notes_archive)
        self._ours = tuple(f"{self._tree.relative(each)}/" for each in ours)
        self.look, self.held = Look(files), dict[str, Copy]()
        self._restless, self._stirred = set[str](), time.monotonic()

    def take(self) -> None:
        """Raises LockBusy when the tree holds still in none of TRIES times, IoFailed for the copies' disk."""
        self.copy_changed()
        for attempt in range(TRIES):
            time.sleep(PAUSE if attempt else 0)
            with ExitStack() as locks, suppress(LockBusy):
                until = time.monotonic() + HOLD
                for name in LOCKS:
                    locks.enter_context(self._files.lock(name, max(0.0, until - time.monotonic())))
                while time.monotonic() < until:
                    if self._holds_still():
                        return
        named = f": {', '.join(sorted(self._restless)[:NAMED])}" if self._restless else ""
        what = f"the instance did not hold still for a backup{named}; no backup was written"
        raise LockBusy(what, "try again, or `adjutant pause` first and `adjutant resume` afterwards")

    def _holds_still(self) -> bool:
        """Whether a look finds what the last one found; what differs is copied, for the next look to compare."""
        before, self.look = self.look.seen, Look(self._files)
        now = self.look.seen
        differ = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
        self._restless |= differ
        if any(not path.startswith(self._ours) for path in differ):
            self._stirred = time.monotonic()
        if self.copy_changed() or differ:
            return False
        rest = self._stirred + SETTLE - time.monotonic()
        time.sleep(max(0.0, rest))
        return rest <= 0

    def copy_changed(self) -> bool:
        """Copies every file that is not what its copy was made of; whether there was one."""
        files = {path: each for path, each in self.look.seen.items() if each.kind == FILE}
        self.held = {path: copy for path, copy in self.held.items() if copy.seen == files.get(path)}
        wanted = [each for path, each in files.items() if path not in self.held]
        for each in wanted:
            with suppress(FileNotFoundError, LockBusy):  # the next look finds what became of it
                self._copy(each)
        return bool(wanted)

    def _copy(self, seen: Seen) -> None:
        """The file's copy; none, for the next look to try again, where it changed meanwhile."""
        if not seen.signature:
            self.held[seen.path] = Copy(seen, Entry(seen.path, FILE, seen.mode, 0, hashlib.sha256().hexdigest()))
            return
        try:
            fd = self._open(seen.path)
        except OSError as error:  # else a link or a folder now
            self.held |= {seen.path: Copy(seen)} if isinstance(error, PermissionError) else {}
            return
        with closing_fd(fd):
            if seen.path.startswith(self._ours):
                take(fd, seen.path, HOLD)  # nobody appends while it is read
            if signature(os.fstat(fd)) == seen.signature:
                size, offset = self._measure(fd, seen), self._copies.seek(0, os.SEEK_END)
                entry = Entry(seen.path, FILE, seen.mode, size, self._digest(fd, seen.path, size))
                if signature(os.fstat(fd)) == seen.signature:
                    self.held[seen.path] = Copy(seen, entry, offset)

    def _open(self, shown: str) -> int:
        flags = _READ if self._tree.may_be_link(self._tree.inside(shown)) else _READ | os.O_NOFOLLOW
        with closing_fd(self.look.folder(posixpath.dirname(shown))) as above:
            return os.open(posixpath.basename(shown), flags, dir_fd=above)

    def _digest(self, fd: int, path: str, size: int) -> str:
        """Copies `size` bytes; their sha256. Of a file that is cut meanwhile less: its signature says so."""
        digest, at = hashlib.sha256(), 0
        try:
            while data := os.pread(fd, min(CHUNK, size - at), at):
                at += len(data)
                digest.update(data)
                self._copies.write(data)
        except OSError as error:
            raise IoFailed(f"{path}: {error.strerror}") from error
        return digest.hexdigest()

    def _measure(self, fd: int, seen: Seen) -> int:
        """The bytes that count: of a log of ours none after its last whole line."""
        size = seen.signature[1]
        if not (seen.path.startswith(self._ours) and seen.path.endswith(".jsonl")):
            return size
        start, tail = last_line(fd, size)
        with suppress(ValueError, RecursionError):
            return size if isinstance(json.loads(tail), dict) else start
        return start

    def entries(self) -> list[Entry]:
        others = (each for each in self.look.seen.values() if each.kind != FILE)
        made = [Entry(each.path, each.kind, each.mode, target=each.target) for each in others]
        return sorted([*made, *(copy.entry for copy in self.held.values() if copy.entry is not None)])

    @property
    def lost(self) -> dict[str, str]:
        return {path: CLOSED for path, copy in sorted(self.held.items()) if copy.entry is None}
