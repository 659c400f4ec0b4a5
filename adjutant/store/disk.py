"""FILES. What reading, writing and locking are made of: one system call or a few, and refusals told in one line."""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from adjutant.errors import IoFailed, LockBusy

NAMES = (FileNotFoundError, FileExistsError)  # a name that is gone or taken is for the caller to know
TEMP_SUFFIX = ".adj-tmp"
RENAME_NOREPLACE = 1
AT_FDCWD = -100
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def guard(path: str) -> Iterator[None]:
    """Turns what the disk refuses into one line that names the path."""
    try:
        yield
    except NAMES:
        raise
    except OSError as error:
        raise refuse(path, error) from error


def refuse(path: str, error: OSError) -> IoFailed:
    """The error of ours."""
    return IoFailed(f"{path}: {error.strerror or error}")


def read_all(fd: int, size: int, offset: int = 0) -> bytes:
    """All bytes from `offset` on, those that came since it was measured too."""
    found = b""
    while chunk := os.pread(fd, max(size - offset, 65536), offset + len(found)):
        found += chunk
    return found


def last_line(fd: int, size: int) -> tuple[int, bytes]:
    """Offset and bytes of what stands after the last newline."""
    start, parts = size, list[bytes]()
    while start > 0:
        step = min(65536, start)
        block = os.pread(fd, step, start - step)
        cut = block.rfind(b"\n") + 1
        start -= step - cut
        parts.append(block[cut:])
        if cut:
            break
    return start, b"".join(reversed(parts))


def has_name(mine: os.stat_result, path: str) -> bool:
    """Whether the file that is open still bears this name."""
    try:
        named = os.lstat(path)
    except FileNotFoundError:
        return False
    return (mine.st_ino, mine.st_dev) == (named.st_ino, named.st_dev)


def name_temp(path: str) -> str:
    """A temporary name in the same folder, which says which process made it."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.{os.getpid()}.{os.urandom(4).hex()}{TEMP_SUFFIX}")


def is_orphan(name: str) -> bool:
    """Whether a temporary name's process is dead."""
    pid = name.removesuffix(TEMP_SUFFIX).split(".")[-2:][0]
    with suppress(PermissionError, OverflowError):
        try:
            os.kill(int(pid) if pid.isdigit() else os.getpid(), 0)
        except ProcessLookupError:
            return True
    return False


@contextmanager
def closing_fd(fd: int) -> Iterator[int]:
    """A descriptor that is closed at the end."""
    try:
        yield fd
    finally:
        os.close(fd)


def fsync_folder(path: str) -> None:
    """Makes the entries of a folder durable."""
    with closing_fd(os.open(path, _FOLDER)) as fd:
        os.fsync(fd)


def open_below(base: str, path: str, *, make: bool = False) -> int:
    """A descriptor of the folder `path` below `base`, of whose names none may be a link, nor become one meanwhile.
    Missing ones are made with `make`. Raises OSError, ENOTDIR for a link or a file."""
    fd = os.open(base, _FOLDER)
    try:
        for name in path.split("/"):
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=fd)
                    os.fsync(fd)
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = inner
        return fd
    except BaseException:
        os.close(fd)
        raise


def make_folder(path: str) -> None:
    """Makes a folder and its parents, each durable in its own parent."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        make_folder(parent)
    try:
        os.mkdir(path, 0o700)
        fsync_folder(parent)
    except FileExistsError:
        if not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, "a file where a folder belongs", path) from None


def read_mtime(path: str) -> str:
    """When a file was last changed, ISO-8601 in UTC; "" where that cannot be told."""
    from datetime import UTC, datetime  # only for what does not say when it was made

    try:
        return datetime.fromtimestamp(int(os.lstat(path).st_mtime), UTC).isoformat()
    except OSError:
        return ""


def make_private(folder: str) -> None:
    """Takes every right of others off a folder; nothing where there is none, or it is not ours to change."""
    with suppress(OSError):  # `doctor` names it
        mode = os.lstat(folder).st_mode
        if stat.S_ISDIR(mode) and mode & 0o077:
            os.chmod(folder, 0o700)


def discard(path: str) -> None:
    """Takes away a cache that cannot be read; a folder is renamed, as it may be somebody's. Raises IoFailed."""
    with guard(path):
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except (IsADirectoryError, PermissionError):
            if not os.path.isdir(path):
                raise
            rename_noreplace(path, f"{path}.folder-{os.urandom(4).hex()}")
        fsync_folder(os.path.dirname(path))


def write_whole(fd: int, data: bytes, size: int) -> None:
    """One write; what came out short is taken back, so that no reader ever meets half a record from a full disk."""
    try:
        if os.write(fd, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        os.ftruncate(fd, size)
        raise


def rename_noreplace(source: str, target: str) -> None:
    """renameat2(RENAME_NOREPLACE), which is atomic; link and unlink where the kernel or file system lacks it."""
    import ctypes  # 8 ms, needed only by runs that move an insight

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        if call(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), RENAME_NOREPLACE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EINVAL):
            raise OSError(code, os.strerror(code), source, None, target)
    os.link(source, target)
    os.unlink(source)


LOCKS = "/proc/locks"  # Linux only; elsewhere a holder has no name
LONGEST = 60


def take(fd: int, name: str, wait: float) -> None:
    """An exclusive flock on an open file. Raises LockBusy when somebody else keeps it for `wait` seconds."""
    until, pause = 0.0, 0.001
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            until = until or time.monotonic() + wait
            if time.monotonic() >= until:
                raise LockBusy(f"{name} is locked by another process{holder(fd)}") from None
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def owner(path: str | int) -> str:
    """The user that a file belongs to, such as `ina (uid 1000)`. Raises OSError."""
    uid = os.stat(path, follow_symlinks=isinstance(path, int)).st_uid
    import pwd  # only for messages

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def holder(path: str | int) -> str:
    """The process that holds a lock on a file, "" if unknown: ` (process 4711 of ina (uid 1000): adjutant pulse)`."""
    try:
        inode = os.stat(path).st_ino
        with open(LOCKS, encoding="ascii", errors="replace") as file:
            rows = [line.split() for line in file]
        # 3: FLOCK  ADVISORY  WRITE 4711 08:01:131090 0 EOF; those who wait have `->` in the second place
        rows = [row for row in rows if row[1] == "FLOCK" and row[5].endswith(f":{inode}")]
        pid = rows[0][4]
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = os.fsdecode(file.read(4096)).split("\0")
        names = [os.path.basename(word) for word in words]
        begin = names.index("adjutant") if "adjutant" in names else 0  # without python and its options
        command = "".join(filter(str.isprintable, " ".join([names[begin], *words[begin + 1 :]])))
        return f" (process {pid} of {owner(f'/proc/{pid}')}: {command[:LONGEST].strip()})"
    except (OSError, ValueError, IndexError):
        return ""
