"""FILES. The one writer: atomic replace, locked append, move without overwrite, and the overlay of a dry run."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from contextlib import contextmanager, suppress

from adjutant.errors import FileChanged, LockBusy
from adjutant.store import disk
from adjutant.store.own_secrets import Blotter
from adjutant.store.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from adjutant.store.tree import Tree

TEMP_MAX_AGE = 3600.0
DATA_LOCK_WAIT = 10.0
OURS = 0o600  # the mode of a new file; one that is replaced keeps its own
SOON = 1.5  # seconds; who waits longer than this for a lock is preferred
_TEMP = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_ASCII = json.JSONEncoder(ensure_ascii=True, allow_nan=False)


def sha256(data: bytes) -> str:
    """Hex digest, the form `replace(expect=...)` compares."""
    import hashlib  # brings OpenSSL, 3 ms: not on the way to `status`

    return hashlib.sha256(data).hexdigest()


def state_of(data: str | bytes | None) -> str:
    """What `Files.replace` expects of a file that holds this: its sha256, "" for no file."""
    return "" if data is None else sha256(data.encode() if isinstance(data, str) else data)


def encode(record: Mapping[str, Any]) -> bytes:
    """One record as one JSONL line. Content cannot forge a line: JSON escapes newlines, lone surrogates are escaped."""
    try:
        return _TEXT.encode(record).encode() + b"\n"
    except UnicodeEncodeError:
        return _ASCII.encode(record).encode() + b"\n"


class Files(Reader):
    """Reads and writes of one instance. `dry`: writes go to the overlay, except records and caches. `gate` is called
    before every write to the operator's tree and raises when a switch has been set meanwhile. `warn` is told of what
    was repaired. `secrets` gives {value: name} of what must stand in nothing that we tell."""

    def __init__(
        self,
        tree: Tree,
        *,
        dry: bool = False,
        gate: Callable[[], None] | None = None,
        warn: Callable[[str], None] | None = None,
        secrets: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        super().__init__(tree)
        self.blotter = Blotter(secrets)
        self.dry, self.gate = dry, gate
        self._warn = warn or (lambda line: None)

    def _is_held(self, path: str) -> bool:
        """Asks the gate; True when the write belongs in the overlay."""
        record = self.tree.is_record(path)
        if self.gate is not None and not record:
            self.gate()
        return self.dry and not record

    def _blot(self, path: str, content: str | bytes) -> bytes:
        data = content.encode() if isinstance(content, str) else content
        return self.blotter.data(data) if self.tree.is_told(path) else data

    def replace(self, path: str, content: str | bytes, expect: str | None = None) -> None:
        """Old file or new file, never half: temp in the same folder, fsync, rename, fsync folder. `expect` is the
        sha256 of what was read ("" for no file): another state means that a person was faster, and the proposal is kept
        under state/conflicts/. Raises FileChanged, FileDamaged, IoFailed."""
        data, held = self._blot(path, content), self._is_held(path)
        self._refuse_changed(path, data, expect)
        if held:
            self.overlay[path] = data
            return
        with disk.guard(path), self.hold(self._find_target(path), make=True) as (at, target):
            self._put(target, data, at, lambda: self._refuse_changed(path, data, expect))

    def _put(self, path: str, data: bytes, at: int | None = None, check: Callable[[], None] = lambda: None) -> None:
        """Temp, fsync, `check`, rename, fsync of the folder; `at`: see `hold`."""
        with self._temp(path, data, at) as temp:
            check()
            os.rename(temp, path, src_dir_fd=at, dst_dir_fd=at)
            disk.fsync_folder(os.path.dirname(path)) if at is None else os.fsync(at)

    def create(self, path: str, content: str | bytes) -> None:
        """A new file, whole or not at all. Raises FileExistsError when the name is taken, IoFailed."""
        data = self._blot(path, content)
        if self._is_held(path):
            self._refuse_taken(path)
            self.overlay[path] = data
            return
        with disk.guard(path), self._temp(path, data) as temp:
            os.link(temp, path)
            os.unlink(temp)
            disk.fsync_folder(os.path.dirname(path))

    def _refuse_taken(self, path: str) -> None:
        if self.exists(path):
            raise FileExistsError(errno.EEXIST, "exists", path)

    def append(self, path: str, record: Mapping[str, Any]) -> None:
        """One JSONL record, acknowledged when this returns; a torn tail is mended. Raises FileDamaged, IoFailed."""
        self._append(path, encode(record), jsonl=True)

    def append_all(self, path: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Several records at one stroke, with one flush for all of them. Raises as `append`."""
        self._append(path, b"".join(map(encode, records)), jsonl=True)

    def append_text(self, path: str, block: str) -> None:
        """A block of text at the end of a Markdown file, durable when this returns. Raises FileDamaged, IoFailed."""
        self._append(path, block.encode("utf-8", "replace"), jsonl=False)

    def _append(self, path: str, data: bytes, *, jsonl: bool) -> None:
        data = self._blot(path, data)
        if self._is_held(path):
            before = self.read(path) if self.exists(path) else b""
            self.overlay[path] = before + (b"\n" if before and not before.endswith(b"\n") else b"") + data
            return
        try:  # without `_locked`, which every record would pay for
            fd, size = self._lock_for_append(path)
            try:
                if size == 0:
                    disk.fsync_folder(os.path.dirname(path))
                elif os.pread(fd, 1, size - 1) != b"\n":
                    size, data = self._mend_tail(fd, path, size, data, jsonl)
                disk.write_whole(fd, data, size)
                fcntl.flock(fd, fcntl.LOCK_UN)
                os.fdatasync(fd)
            finally:
                os.close(fd)
        except disk.NAMES:
            raise
        except OSError as error:
            raise disk.refuse(path, error) from error

    @contextmanager
    def _locked(self, path: str) -> Iterator[tuple[int, int]]:
        with disk.guard(path):
            fd, size = self._lock_for_append(path)
            with disk.closing_fd(fd):
                yield fd, size

    def _lock_for_append(self, path: str) -> tuple[int, int]:
        """(descriptor, size) of the file that has this name now, under a flock that was waited for: another may have
        rotated it meanwhile. Each system call here is paid by every record."""
        made = False
        while True:
            try:
                fd = os.open(path, _APPEND, OURS)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                    raise self.refuse_odd(path) from error
                if error.errno not in (errno.ENOENT, errno.ENOTDIR) or made:
                    raise
                disk.make_folder(os.path.dirname(path))  # or another thread has made it since: either way once more
                made = True
                continue
            try:
                disk.take(fd, self.tree.relative(path), DATA_LOCK_WAIT)
                mine = os.fstat(fd)
                if not stat.S_ISREG(mine.st_mode):
                    raise self.refuse_odd(path)
                if disk.has_name(mine, path):
                    return fd, mine.st_size
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def _mend_tail(self, fd: int, path: str, size: int, data: bytes, jsonl: bool) -> tuple[int, bytes]:
        """A last line without newline gets it when it is whole; else it is moved to quarantine with its offset."""
        if not jsonl:
            return size, b"\n" + data
        start, tail = disk.last_line(fd, size)
        with suppress(ValueError, RecursionError):
            if isinstance(json.loads(tail), dict):
                return size, b"\n" + data
        aside = self.tree.quarantined(f"{os.path.basename(path)}.{start}-{sha256(tail)[:8]}")
        if not os.path.lexists(aside):
            self._put(aside, tail)
        os.ftruncate(fd, start)
        self._warn(f"{self.tree.relative(path)}: torn last line at byte {start} moved to {self.tree.relative(aside)}")
        return start, data

    def move(self, source: str, target: str) -> None:
        """Renames, never onto an existing name. Raises FileNotFoundError, FileExistsError, IoFailed."""
        if self._is_held(target):
            self._refuse_taken(target)
            self.overlay |= {target: self.read(source), source: None}
            return
        with disk.guard(source):
            disk.make_folder(os.path.dirname(target))
            disk.rename_noreplace(source, target)
            disk.fsync_folder(os.path.dirname(target))
            if os.path.dirname(source) != os.path.dirname(target):
                disk.fsync_folder(os.path.dirname(source))

    def remove(self, path: str) -> None:
        """Unlinks a file (or an empty folder); nothing when there is none. Raises IoFailed."""
        if self._is_held(path):
            self.overlay[path] = None
            return
        with disk.guard(path):
            try:
                os.unlink(path)
            except FileNotFoundError:
                return
            except (IsADirectoryError, PermissionError):
                if not os.path.isdir(path) or os.path.islink(path):
                    raise
                os.rmdir(path)
            disk.fsync_folder(os.path.dirname(path))

    def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """Replaces a JSONL file under its append lock; who waited for that reopens the new one. `change` maps its bytes
        to what stays, and makes durable whatever has to be so before. Raises IoFailed."""
        if self._is_held(path):
            return
        with self._locked(path) as (fd, size):
            self._put(path, change(disk.read_all(fd, size)))

    def cap(self, path: str, limit: int) -> None:
        """Cuts a log of more than `limit` bytes to its last half, from a line start on. In place: the shell that
        started us has it open for appending (`>>cron.log`), and what this run prints must not go to a file without a
        name. A line that another program adds in that moment may be lost. Raises FileDamaged, IoFailed."""
        try:
            if self.dry or os.lstat(path).st_size <= limit:
                return
        except OSError:
            return
        with self._locked(path) as (fd, size):
            if size <= limit:
                return  # another run has cut it while this one waited
            kept = disk.read_all(fd, size, size - limit // 2)
            kept = kept[kept.find(b"\n", 0, -1) + 1 :]
            os.ftruncate(fd, 0)
            disk.write_whole(fd, kept, 0)

    @contextmanager
    def lock(self, name: str, wait: float = DATA_LOCK_WAIT) -> Iterator[None]:
        """A kernel lock in state/locks/, taken within `wait` seconds. Raises LockBusy, IoFailed."""
        from filelock import FileLock, Timeout  # brings asyncio, 40 ms: only runs that lock pay it

        path = self.tree.lock(name)
        with disk.guard(path):
            disk.make_folder(self.tree.locks)
            lock = FileLock(path, mode=OURS)
            try:
                with suppress(Timeout):  # whoever waits longer asks more often: none is passed over for the whole wait
                    lock.acquire(timeout=min(wait, SOON), poll_interval=0.02)
                if not lock.is_locked:
                    lock.acquire(timeout=max(wait - SOON, 0), poll_interval=0.002)
            except Timeout:
                what = f"another run holds the {name} lock{disk.holder(path)}"
                raise LockBusy(what, details={"lock": name}) from None
        try:
            yield
        finally:
            lock.release()

    def sweep(self, folder: str, now: float) -> None:
        """Removes temp files whose writer died (or is older than an hour). Call it under the folder's lock."""
        with suppress(OSError):
            for name in os.listdir(folder):
                path = f"{folder}/{name}"
                if not name.endswith(disk.TEMP_SUFFIX):
                    continue
                with suppress(OSError):
                    if disk.is_orphan(name) or now - os.lstat(path).st_mtime > TEMP_MAX_AGE:
                        os.unlink(path)

    def _refuse_changed(self, path: str, data: bytes, expect: str | None) -> None:
        """Raises FileChanged where a file is not what was read; `data`, which was to be written, is kept."""
        if expect is None:
            return
        found = state_of(self.find(path))
        if found == expect:
            return
        kept, name = self.tree.conflict(f"{os.path.basename(path)}.{sha256(data)[:12]}"), self.tree.relative
        if self.dry:
            self.overlay[kept] = data
        elif not os.path.lexists(kept):
            with disk.guard(kept):
                self._put(kept, data)
        raise FileChanged(f"{name(path)} changed since it was read; the proposal is in {name(kept)}")

    def _find_target(self, path: str) -> str:
        """What a replace really writes: the file behind the operator's own link, else the path itself."""
        if not os.path.islink(path):
            if os.path.isdir(path):
                raise self.refuse_odd(path, "a folder where a file belongs")
            return path
        if not self.tree.may_be_link(path):
            raise self.refuse_odd(path, "a link where a file of ours belongs")
        return os.path.realpath(path)

    @contextmanager
    def _temp(self, path: str, data: bytes, at: int | None = None) -> Iterator[str]:
        """A fsynced temp file beside `path`, with its mode; gone at the end unless it was renamed. `at`: see `hold`."""
        if at is None:
            disk.make_folder(os.path.dirname(path))
        mode = 0
        with suppress(FileNotFoundError):
            mode = os.lstat(path, dir_fd=at).st_mode
        temp = disk.name_temp(path)
        fd = os.open(temp, _TEMP, OURS, dir_fd=at)
        try:
            with disk.closing_fd(fd):
                if stat.S_ISREG(mode):
                    os.fchmod(fd, stat.S_IMODE(mode))  # open() would take the umask off it
                view = memoryview(data)
                while view:
                    view = view[os.write(fd, view) :]
                os.fsync(fd)
            yield temp
        except BaseException:
            with suppress(OSError):  # the disk that refused the write may refuse this too; the sweep finds it
                os.unlink(temp, dir_fd=at)
            raise
