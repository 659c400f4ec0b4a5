"""FILES. A backup's tar: written beside its place and renamed, read with limits, unpacked whole or not at all.

It writes outside of every instance: the tar, and a folder that is no instance until it is renamed.
"""

import io
import os
import shutil
import tarfile
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import IO, BinaryIO

from adjutant.errors import BackupDamaged, BackupRefused
from adjutant.store import snapshot as manifests
from adjutant.store.disk import TEMP_SUFFIX, fsync_folder, guard, is_orphan, name_temp
from adjutant.store.files import Files
from adjutant.store.snapshot import FILE, FOLDER, LINK, Copy, Entry, Manifest, Snapshot
from adjutant.store.tree import Tree

CHUNK = 1024 * 1024
HEAD = 256 * 1024 * 1024  # bytes of a manifest: a million entries
TYPES = {FILE: tarfile.REGTYPE, FOLDER: tarfile.DIRTYPE, LINK: tarfile.SYMTYPE}
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_open = partial(tarfile.open, format=tarfile.GNU_FORMAT, encoding="utf-8", errors="strict")


def sweep(path: str) -> list[str]:
    """Takes away what runs that were killed left beside `path`; the names."""
    folder, name = os.path.split(path)
    left = [each for each in os.listdir(folder) if each.startswith(f".{name[:100]}.") and each.endswith(TEMP_SUFFIX)]
    gone = list(filter(is_orphan, left))
    for found in (os.path.join(folder, each) for each in gone):
        shutil.rmtree(found, ignore_errors=True) if os.path.isdir(found) else os.unlink(found)
    return gone


def is_backup(path: str) -> bool:
    """Whether a file begins as a backup does. Raises IoFailed."""
    with guard(path), open(path, "rb") as file:
        head = file.read(tarfile.BLOCKSIZE)
    try:
        return tarfile.TarInfo.frombuf(head, "utf-8", "strict").name == manifests.NAME
    except (tarfile.HeaderError, UnicodeDecodeError):
        return False


def nameless(beside: str) -> IO[bytes]:
    """A file for copies in the same folder that a crash leaves no trace of. Raises IoFailed."""
    with guard(beside):
        return tempfile.TemporaryFile(dir=os.path.dirname(beside))


def write(path: str, manifest: Manifest, held: Mapping[str, Copy], copies: IO[bytes]) -> None:
    """The tar, durable when this returns; killed anywhere before, what was at `path` still is. The same bytes for the
    same tree: entries in order, owner and times of folders left out. Raises IoFailed."""
    temp = name_temp(path)
    with guard(path):
        try:
            with os.fdopen(os.open(temp, _NEW, 0o600), "wb") as file:
                with _open(fileobj=file, mode="w") as tar:
                    data = manifest.encode()
                    tar.addfile(_info(Entry(manifests.NAME, FILE, 0o600, len(data))), io.BytesIO(data))
                    for entry in manifest.entries:
                        info = _info(entry)
                        if (copy := held.get(entry.path)) is not None:
                            info.mtime = copy.seen.mtime
                            copies.seek(copy.offset)
                        tar.addfile(info, copies)
                file.flush()
                os.fsync(file.fileno())
            os.rename(temp, path)
            fsync_folder(os.path.dirname(path))
        except BaseException:
            with suppress(OSError):
                os.unlink(temp)
            raise


def _info(entry: Entry) -> tarfile.TarInfo:
    info = tarfile.TarInfo(entry.path)
    info.type, info.mode, info.size, info.linkname = TYPES[entry.kind], entry.mode, entry.size, entry.target
    return info


class _Bounded:
    """A file of which nobody reads more than CHUNK at once: no header of a tar makes us hold more."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= CHUNK:
            raise tarfile.ReadError("a header too long")
        return self._file.read(size)


@contextmanager
def _open_tar(path: str) -> Iterator[tuple[tarfile.TarFile, Manifest]]:
    with guard(path), open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            with _open(fileobj=_Bounded(file), mode="r:") as tar:
                first = tar.next()
                if first is None or first.name != manifests.NAME or not first.isreg() or first.size > min(HEAD, size):
                    raise BackupDamaged(f"it does not begin with {manifests.NAME}, so it is not an Adjutant backup")
                file_in = tar.extractfile(first)
                assert file_in is not None, "of a regular file"
                found = manifests.decode(b"".join(iter(partial(file_in.read, CHUNK // 2), b"")))
                if sum(entry.size for entry in found.entries) > size:
                    raise BackupDamaged("it is shorter than its manifest says")
                yield tar, found
        except (tarfile.TarError, EOFError, UnicodeDecodeError) as error:
            raise BackupDamaged(f"{path}: not a complete backup: {error}") from None
        except BackupDamaged as error:
            raise BackupDamaged(f"{path}: {error.message}") from None


def _members(tar: tarfile.TarFile, manifest: Manifest) -> Iterator[tarfile.TarInfo]:
    """Each entry's member; the two agree in all that is in a header. Raises BackupDamaged."""
    for entry in manifest.entries:
        member, told = tar.next(), (entry.path, TYPES[entry.kind], entry.mode, entry.size, entry.target)
        if member is None or (member.name, member.type, member.mode, member.size, member.linkname) != told:
            raise BackupDamaged(f"{entry.path!r} in it differs from its manifest, or is missing")
        yield member
    if (member := tar.next()) is not None:
        raise BackupDamaged(f"{member.name!r} in it is not in its manifest")


def check(path: str) -> Manifest:
    """The manifest of a backup whose headers say the same. Raises BackupDamaged, IoFailed."""
    with guard(path), _open_tar(path) as (tar, manifest):
        deque(_members(tar, manifest), 0)
    return manifest


def restore(path: str, folder: str) -> Manifest:
    """Unpacks a backup beside `folder`, which is nothing or an empty folder until it is renamed to it; what it returns
    was compared with what stands there. Raises BackupDamaged, BackupRefused, IoFailed; nothing is kept then."""
    temp = name_temp(folder)
    with _open_tar(path) as (tar, manifest), guard(folder), ExitStack() as undo:
        undo.callback(shutil.rmtree, temp, ignore_errors=True)
        os.mkdir(temp, 0o700)
        needed, free = sum(entry.size for entry in manifest.entries), shutil.disk_usage(temp).free
        if needed > free:
            raise BackupRefused(f"{folder}: {needed:,} bytes do not fit: {free:,} are free", "make room first")
        tar.extraction_filter = lambda member, _: member  # what is let out is in the manifest, which was checked
        tar.extractall(temp, list(_members(tar, manifest)))
        for entry in manifest.entries:
            if entry.kind == FOLDER:
                os.utime(os.path.join(temp, entry.path))  # in the tar folders have no time
        with open(os.devnull, "r+b") as nowhere:  # what stands there, as a backup of it would have it
            unpacked = Snapshot(Files(Tree(temp)), nowhere)
            unpacked.copy_changed()
        if Manifest(unpacked.entries(), {}, {}).tree != manifest.tree:
            raise BackupDamaged("its files differ from the hashes in its manifest")
        os.sync()
        os.rename(temp, folder)
        fsync_folder(os.path.dirname(folder))
    return manifest
