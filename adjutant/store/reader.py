"""FILES. Reading: an instance's files as they are, under the overlay of a dry run."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from adjutant.errors import FileDamaged
from adjutant.store.disk import TEMP_SUFFIX, closing_fd, guard, open_below, read_all, refuse
from adjutant.store.tree import Tree

BOM = b"\xef\xbb\xbf"


def decode(data: bytes, shown: str) -> str:
    """UTF-8 without its BOM. Raises FileDamaged with `shown` and the line of a bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileDamaged(f"{shown}:{data.count(10, 0, error.start) + 1}: not UTF-8") from error


READ_LIMIT = 64 * 1024 * 1024
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class Reader:
    """Reads of one instance. `overlay`: {path: bytes, or None for gone} in place of what lies on disk."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.overlay: dict[str, bytes | None] = {}

    def read(self, path: str, limit: int = READ_LIMIT, *, cut: bool = False) -> bytes:
        """The bytes of a regular file; of one that is over the limit its first whole lines, with `cut`. Raises
        FileNotFoundError, FileDamaged (folder, pipe, link, size), IoFailed."""
        if path in self.overlay:
            held = self.overlay[path]
            if held is None:
                raise FileNotFoundError(errno.ENOENT, "gone", path)
            return held
        with self._open(path) as (fd, size):
            if size > limit and not cut:
                raise FileDamaged(f"{self.tree.relative(path)}: {size} bytes, more than the {limit} allowed")
            if size <= limit:
                return read_all(fd, size)
            data = os.pread(fd, limit, 0)
            return data[: data.rfind(b"\n") + 1] or data

    def find(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """As `read`, None without a file. Raises FileDamaged, IoFailed."""
        try:
            return self.read(path, limit)
        except FileNotFoundError:
            return None

    def log(self, path: str, limit: int = READ_LIMIT) -> bytes:
        """As `read`, b"" without a file: nobody has written to it yet. Raises FileDamaged, IoFailed."""
        return self.find(path, limit) or b""

    def tail(self, path: str, limit: int) -> bytes:
        """The last `limit` bytes of a log, from a line start on; b"" without a file. Raises FileDamaged, IoFailed."""
        if path in self.overlay:
            data = self.log(path)[-limit - 1 :]
        else:
            try:
                with self._open(path) as (fd, size):
                    data = os.pread(fd, limit + 1, max(0, size - limit - 1))
            except FileNotFoundError:
                return b""
        return data if len(data) <= limit else data[data.find(b"\n") + 1 :]

    def refuse_odd(self, path: str, what: str = "not a regular file") -> FileDamaged:
        """For what stands where another kind of thing belongs."""
        return FileDamaged(f"{self.tree.relative(path)}: {what}", "move it away")

    @contextmanager
    def _open(self, path: str) -> Iterator[tuple[int, int]]:
        """(descriptor, size) of a regular file."""
        flags = _READ if self.tree.may_be_link(path) else _READ | os.O_NOFOLLOW
        try:
            with self.hold(path) as (at, name):
                fd = os.open(name, flags, dir_fd=at)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENOTDIR):
                link = error.errno == errno.ELOOP
                raise self.refuse_odd(path, *["a link where a file of ours belongs"] * link) from error
            raise refuse(path, error) from error
        with closing_fd(fd), guard(path):
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise self.refuse_odd(path)
            yield fd, info.st_size

    @contextmanager
    def folder(self, path: str, *, make: bool = False) -> Iterator[int]:
        """A descriptor of a folder of the instance in which others work: no name on the way to it is a link, not even
        one that is put there meanwhile. Raises FileNotFoundError, FileDamaged, IoFailed."""
        try:
            fd = open_below(self.tree.root, self.tree.relative(path), make=make)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise self.refuse_odd(path, "a link or a file where a folder belongs") from error
            raise refuse(path, error) from error
        with closing_fd(fd):
            yield fd

    @contextmanager
    def hold(self, path: str, *, make: bool = False) -> Iterator[tuple[int | None, str]]:
        """What to open a file by, (descriptor of its folder, name): in the workspace, where agents may swap a folder
        for a link while we look at it; elsewhere (None, path). Raises as `folder`."""
        if not self.tree.is_worked_in(path):
            yield None, path
            return
        above, _, name = path.rpartition("/")
        with self.folder(above, make=make) as fd:
            yield fd, name

    def text(self, path: str, limit: int = READ_LIMIT) -> str:
        """A UTF-8 file without its BOM. Raises as `read`; FileDamaged names the line of a bad byte."""
        return decode(self.read(path, limit), self.tree.relative(path))

    def find_text(self, path: str) -> str | None:
        """As `text`, None without a file."""
        return None if (data := self.find(path)) is None else decode(data, self.tree.relative(path))

    def exists(self, path: str) -> bool:
        """True for any directory entry of that name."""
        return self.overlay[path] is not None if path in self.overlay else os.path.lexists(path)

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder, temp files left out; none when it does not exist. Raises FileDamaged, IoFailed."""
        try:
            found = {name for name in os.listdir(folder) if not name.endswith(TEMP_SUFFIX)}
        except FileNotFoundError:
            found = set()
        except NotADirectoryError as error:
            raise self.refuse_odd(folder, "a file where a folder belongs") from error
        except OSError as error:
            raise refuse(folder, error) from error
        for path, held in self.overlay.items():
            head, _, name = path.rpartition("/")
            if head == folder:
                (found.discard if held is None else found.add)(name)
        return sorted(found)
