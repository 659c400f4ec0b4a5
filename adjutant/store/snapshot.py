"""FILES. A picture of the instance as it was at one instant, taken while runs and people go on changing it.

Files are copied without a lock first. Then, under all data locks, what changed since is copied again until two looks
at the tree, one after the other, find the same: every copy is then what its file was between them. A run writes records
first and moves last, so a tree of one instant is one that the next run completes.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import stat
import time
from contextlib import ExitStack, suppress
from typing import NamedTuple

from adjutant.errors import BackupRefused, IoFailed, LockBusy
from adjutant.store.disk import last_line, open_below
from adjutant.store.files import Files
from adjutant.store.holders import take
from adjutant.store.manifest import FILE, FOLDER, LINK, LONGEST, MOST, SECRETS, Entry, is_unkept, leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import BinaryIO

LOCKS = ("registry", "memory", "behavior", "evolution", "insights", "notices", "schedule", "rotation")
HOLD, TRIES, PAUSE = 5.0, 3, 1.0  # seconds that the locks are held for at most, how often, and what lies between
SETTLE = 0.25  # seconds that a file which people edit must have been left alone
CHUNK = 1024 * 1024
NAMED = 5
OTHERS = {".git", "__pycache__", "node_modules"}  # what git and other programs keep and make themselves
MARKS = {"pyvenv.cfg", "CACHEDIR.TAG"}  # a folder that holds one of these is made anew by its program
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
Signature = tuple[int, ...]


class Seen(NamedTuple):
    """An entry of the tree as a look found it. `source`: where its bytes are, below the real folder `base`; "" for a
    switch that is no file: its name is all that counts."""

    path: str
    kind: str
    mode: int
    signature: Signature
    base: str = ""
    source: str = ""
    target: str = ""
    mtime: int = 0


class Held(NamedTuple):
    """A file's copy: where it begins among the copies, its entry, when it was changed (seconds since the epoch)."""

    offset: int
    entry: Entry
    mtime: int


class Look:
    """One look at the whole tree: `seen` by path, and what is `left_out`, with the reason."""

    def __init__(self, files: Files) -> None:
        self._tree, self._root = files.tree, os.path.realpath(files.tree.root)
        self.seen: dict[str, Seen] = {}
        self.left_out: dict[str, str] = {}
        self._folders = [(self._root, ".", "")]
        while self._folders:
            self._list(*self._folders.pop())

    def _list(self, base: str, source: str, shown: str) -> None:
        try:
            fd = open_below(base, source)
        except OSError as error:
            self._skip(shown, error.strerror or "cannot be read")
            return
        try:
            names = sorted(os.listdir(fd))
            if shown and not MARKS.isdisjoint(names):
                del self.seen[shown]
                self._skip(shown, "made anew by its program")
                return
            for name in names:
                with suppress(FileNotFoundError):
                    self._add(fd, base, posixpath.normpath(posixpath.join(source, name)), posixpath.join(shown, name))
        except OSError as error:
            self._skip(shown, error.strerror or "cannot be read")
        finally:
            os.close(fd)
        if len(self.seen) > MOST:
            raise BackupRefused(f"more than {MOST} files and folders", "move what is none of Adjutant's out of it")

    def _skip(self, shown: str, why: str) -> None:
        self.left_out[shown or "."] = why

    def _add(self, fd: int, base: str, source: str, shown: str) -> None:
        name, path = posixpath.basename(source), self._tree.inside(shown)
        info = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if is_unkept(self._tree, path):
            return
        if why := _unfit(shown, name):
            self._skip(shown, why)
        elif path in (self._tree.paused, self._tree.killed) and not stat.S_ISREG(info.st_mode):
            self.seen[shown] = Seen(shown, FILE, 0o600, ())
        elif stat.S_ISLNK(info.st_mode):
            self._add_link(os.readlink(name, dir_fd=fd), os.path.join(base, source), shown)
        else:
            self._add_real(info, base, source, shown)

    def _add_real(self, info: os.stat_result, base: str, source: str, shown: str) -> None:
        mode = stat.S_IMODE(info.st_mode) & 0o777
        if stat.S_ISDIR(info.st_mode):
            self.seen[shown] = Seen(shown, FOLDER, mode, (), base, source)
            self._folders.append((base, source, shown))
        elif stat.S_ISREG(info.st_mode):
            self.seen[shown] = Seen(shown, FILE, mode, signature(info), base, source, mtime=int(info.st_mtime))
        else:
            self._skip(shown, "no file: a pipe, a socket or a device")

    def _add_link(self, target: str, at: str, shown: str) -> None:
        """A link within the instance stays one. Of those that lead out, only ones that may stand for a file or a
        folder of the instance itself are followed."""
        real, above = os.path.realpath(at), os.path.dirname(at)
        if real == self._root or real.startswith(f"{self._root}/"):
            target = os.path.relpath(real, os.path.realpath(above)) if os.path.isabs(target) else target
            if not leads_out(posixpath.normpath(posixpath.join(posixpath.dirname(shown), target))):
                self.seen[shown] = Seen(shown, LINK, 0, (), target=target)
                return
        path = self._tree.inside(shown)
        own = path in self._tree.folders or self._tree.may_be_link(path)
        if not own or not os.path.exists(real) or f"{self._root}/".startswith(f"{real.rstrip('/')}/"):
            self._skip(shown, f"a link that leads out, to {target}")
            return
        self._add_real(os.stat(real), *((real, ".") if os.path.isdir(real) else os.path.split(real)), shown)


def _unfit(shown: str, name: str) -> str:
    """Why a name is left out, "" when it is not."""
    if SECRETS.fullmatch(name):
        return "secrets are in no backup"
    if name in OTHERS:
        return "kept or made anew by its own program"
    try:
        return "a path too long" if len(shown.encode()) > LONGEST else ""
    except UnicodeEncodeError:
        return "its name is not UTF-8"


def signature(info: os.stat_result) -> Signature:
    """What changes when a file is changed."""
    return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns, stat.S_IMODE(info.st_mode)


class Snapshot:
    """The copies, in one file of the caller's. After `take`: `held` by path, `look` the last look, `lost` what could
    not be read, `telling` the files that hold a secret of ours."""

    def __init__(self, files: Files, copies: BinaryIO, secrets: Collection[bytes] = ()) -> None:
        self._files, self._copies, self._secrets = files, copies, secrets
        self._tree = files.tree
        ours = (self._tree.state, self._tree.journal, self._tree.notes_archive)
        self._ours = tuple(f"{self._tree.relative(each)}/" for each in ours)
        self.look = Look(files)
        self.held: dict[str, Held] = {}
        self.lost: dict[str, str] = {}
        self.telling: set[str] = set()
        self._signatures: dict[str, Signature] = {}
        self._restless: set[str] = set()
        self._stirred = time.monotonic()

    def take(self) -> None:
        """Raises LockBusy when the tree holds still in none of TRIES times, IoFailed for the copies' disk."""
        self._copy_changed()
        for attempt in range(TRIES):
            if attempt:
                time.sleep(PAUSE)
            with ExitStack() as locks, suppress(LockBusy):
                until = time.monotonic() + HOLD
                for name in LOCKS:
                    locks.enter_context(self._files.lock(name, max(0.0, until - time.monotonic())))
                while time.monotonic() < until:
                    if self._holds_still():
                        return
        named = ", ".join(sorted(self._restless)[:NAMED])
        raise LockBusy(
            f"the instance did not hold still for a backup{f': {named}' if named else ''}; no backup was written",
            "try again, or `adjutant pause` first and `adjutant resume` afterwards",
        )

    def _holds_still(self) -> bool:
        """Whether a look finds what the last one found; what differs is copied, for the next look to compare."""
        before, self.look = self.look.seen, Look(self._files)
        now = self.look.seen
        differ = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
        self._restless |= differ
        if any(not path.startswith(self._ours) for path in differ):
            self._stirred = time.monotonic()
        if self._copy_changed() or differ:
            return False
        rest = self._stirred + SETTLE - time.monotonic()
        time.sleep(max(0.0, rest))
        return rest <= 0

    def _copy_changed(self) -> bool:
        """Copies every file that is not what its copy was made of; whether there was one."""
        seen = self.look.seen
        for path in self.held.keys() - seen.keys():
            del self.held[path]
        self._signatures = {path: each for path, each in self._signatures.items() if path in seen}
        self.lost = {path: each for path, each in self.lost.items() if path in seen}
        wanted = [each for each in seen.values() if each.kind == FILE]
        wanted = [each for each in wanted if self._signatures.get(each.path) != each.signature]
        for each in wanted:
            self.lost.pop(each.path, None)
            self._copy(each)
        return bool(wanted)

    def _copy(self, seen: Seen) -> None:
        """The file's copy; none, for the next look to try again, where it changed meanwhile."""
        if not seen.source:
            self._keep(seen, self._copies.seek(0, os.SEEK_END), 0, hashlib.sha256().hexdigest())
            return
        try:
            above = open_below(seen.base, posixpath.dirname(seen.source) or ".")
            try:
                fd = os.open(posixpath.basename(seen.source), _READ, dir_fd=above)
            finally:
                os.close(above)
        except OSError as error:
            self._lose(seen, error)
            return
        try:
            if seen.path.startswith(self._ours):
                take(fd, seen.path, HOLD)  # nobody appends while it is read
            if signature(os.fstat(fd)) == seen.signature:
                size = self._acknowledged(fd, seen)
                offset, digest = self._copies.seek(0, os.SEEK_END), self._digest(fd, seen.path, size)
                if signature(os.fstat(fd)) == seen.signature:
                    self._keep(seen, offset, size, digest)
        except LockBusy:
            return
        finally:
            os.close(fd)

    def _digest(self, fd: int, path: str, size: int) -> str:
        """Copies `size` bytes; their sha256."""
        digest, before, at = hashlib.sha256(), b"", 0
        while at < size:
            try:
                data = os.pread(fd, min(CHUNK, size - at), at)
            except OSError as error:
                raise IoFailed(f"{path}: {error.strerror}") from error
            if not data:
                break  # it was cut meanwhile: its signature says so
            at += len(data)
            digest.update(data)
            self._copies.write(data)
            if any(secret in before + data for secret in self._secrets):
                self.telling.add(path)
            before = data[-LONGEST:]
        return digest.hexdigest()

    def _acknowledged(self, fd: int, seen: Seen) -> int:
        """The bytes that count: of a log of ours none after its last whole line."""
        size = seen.signature[1]
        if not (seen.path.startswith(self._ours) and seen.path.endswith(".jsonl")):
            return size
        start, tail = last_line(fd, size)
        try:
            return size if isinstance(json.loads(tail), dict) else start
        except (ValueError, RecursionError):
            return start

    def _keep(self, seen: Seen, offset: int, size: int, digest: str) -> None:
        self._signatures[seen.path] = seen.signature
        self.held[seen.path] = Held(offset, Entry(seen.path, FILE, seen.mode, size, digest), seen.mtime)

    def _lose(self, seen: Seen, error: OSError) -> None:
        """A file that may not be read is named; one that is gone, or a link now, is for the next look to find."""
        if isinstance(error, PermissionError):
            self._signatures[seen.path] = seen.signature
            self.held.pop(seen.path, None)
            self.lost[seen.path] = error.strerror or "cannot be read"

    def entries(self) -> list[Entry]:
        """All entries by path."""
        held = {path: each.entry for path, each in self.held.items()}
        others = [each for each in self.look.seen.values() if each.kind != FILE]
        made = [Entry(each.path, each.kind, each.mode, target=each.target) for each in others]
        return sorted([*held.values(), *made])
