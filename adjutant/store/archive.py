"""FILES. A backup's tar: written beside its place and renamed, read with limits, unpacked whole or not at all.

It writes outside of every instance: the tar, and a folder that is no instance until it is renamed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import posixpath
import shutil
import tarfile
from contextlib import contextmanager, suppress
from typing import IO

from adjutant.errors import BackupDamaged, BackupRefused
from adjutant.store import manifest as manifests
from adjutant.store.disk import alive, disk, fsync_folder
from adjutant.store.manifest import FILE, FOLDER, LINK, Entry, Manifest
from adjutant.store.reader import TEMP_SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from adjutant.store.snapshot import Held

CHUNK = 1024 * 1024
HEAD = 256 * 1024 * 1024  # bytes of a manifest: a million entries
TYPES = {FILE: tarfile.REGTYPE, FOLDER: tarfile.DIRTYPE, LINK: tarfile.SYMTYPE}
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_open = functools.partial(tarfile.open, format=tarfile.GNU_FORMAT, encoding="utf-8", errors="strict")


def _beside(path: str) -> str:
    """A temporary name in the same folder, which says which process made it."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.{os.getpid()}.{os.urandom(4).hex()}{TEMP_SUFFIX}")


def sweep(path: str) -> list[str]:
    """Takes away what runs that were killed left beside `path`; the names."""
    folder, name = os.path.split(path)
    gone = []
    for each in os.listdir(folder):
        if each.startswith(f".{name[:100]}.") and each.endswith(TEMP_SUFFIX):
            pid = each.removesuffix(TEMP_SUFFIX).split(".")[-2]
            if pid.isdigit() and not alive(int(pid)):
                found = os.path.join(folder, each)
                shutil.rmtree(found, ignore_errors=True) if os.path.isdir(found) else os.unlink(found)
                gone.append(each)
    return gone


def is_backup(path: str) -> bool:
    """Whether a file begins as a backup does. Raises IoFailed."""
    with disk(path), open(path, "rb") as file:
        head = file.read(tarfile.BLOCKSIZE)
    try:
        return tarfile.TarInfo.frombuf(head, "utf-8", "strict").name == manifests.NAME
    except (tarfile.HeaderError, UnicodeDecodeError):
        return False


@contextmanager
def nameless(beside: str) -> Iterator[BinaryIO]:
    """A file for copies in the same folder that a crash leaves no trace of. Raises IoFailed."""
    with disk(beside):
        path = _beside(beside)
        fd = os.open(path, _NEW, 0o600)
        os.unlink(path)
        with os.fdopen(fd, "w+b") as file:
            yield file


def write(path: str, manifest: Manifest, held: Mapping[str, Held], copies: BinaryIO) -> None:
    """The tar, durable when this returns; killed anywhere before, what was at `path` still is. Raises IoFailed.

    The same bytes for the same tree: entries in order, owner and times of folders left out.
    """
    temp = _beside(path)
    with disk(path):
        try:
            with os.fdopen(os.open(temp, _NEW, 0o600), "wb") as file:
                with _open(fileobj=file, mode="w") as tar:
                    _add_all(tar, manifest, held, copies)
                file.flush()
                os.fsync(file.fileno())
            os.rename(temp, path)
            fsync_folder(os.path.dirname(path))
        except BaseException:
            with suppress(OSError):
                os.unlink(temp)
            raise


def _add_all(tar: tarfile.TarFile, manifest: Manifest, held: Mapping[str, Held], copies: BinaryIO) -> None:
    import io  # for the one member that is no file

    data = manifest.encode()
    tar.addfile(_info(Entry(manifests.NAME, FILE, 0o600, len(data))), io.BytesIO(data))
    for entry in manifest.entries:
        info, copy = _info(entry), held.get(entry.path)
        if copy is not None:
            info.mtime = copy.mtime
            copies.seek(copy.offset)
        tar.addfile(info, copies)


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
def _opened(path: str) -> Iterator[tuple[tarfile.TarFile, Manifest]]:
    """The tar after its manifest. Raises BackupDamaged, IoFailed."""
    with disk(path), open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            with _open(fileobj=_Bounded(file), mode="r:") as tar:
                first = tar.next()
                if first is None or first.name != manifests.NAME or not first.isreg() or first.size > min(HEAD, size):
                    raise BackupDamaged(f"{path}: does not begin with {manifests.NAME}: no backup of Adjutant's")
                found = manifests.decode(b"".join(_chunks(tar, first)))
                if sum(entry.size for entry in found.entries) > size:
                    raise BackupDamaged("it is shorter than what its manifest says it holds")
                yield tar, found
        except (tarfile.TarError, EOFError, UnicodeDecodeError) as error:
            raise BackupDamaged(f"{path}: no whole tar of a backup: {error}") from None
        except BackupDamaged as error:
            raise BackupDamaged(f"{path}: {error.message.removeprefix(f'{path}: ')}") from None


def _chunks(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    file: IO[bytes] | None = tar.extractfile(member)
    while file is not None and (data := file.read(CHUNK // 2)):
        yield data


def _members(tar: tarfile.TarFile, manifest: Manifest) -> Iterator[tuple[Entry, tarfile.TarInfo]]:
    """Each entry with its member; the two agree in all that is in a header. Raises BackupDamaged."""
    for entry in manifest.entries:
        member = tar.next()
        if member is None:
            raise BackupDamaged(f"it ends before {entry.path!r}")
        found = (member.name, member.type, member.mode, member.size, member.linkname, member.sparse)
        if found != (entry.path, TYPES[entry.kind], entry.mode, entry.size, entry.target, None):
            raise BackupDamaged(f"{member.name!r} in it is not what its manifest says of {entry.path!r}")
        yield entry, member
    if (member := tar.next()) is not None:
        raise BackupDamaged(f"{member.name!r} in it is not in its manifest")


def restore(path: str, folder: str) -> Manifest:
    """Unpacks a backup beside `folder` and renames it, which is nothing or an empty folder until then. What it returns
    was compared with the bytes on disk. Raises BackupRefused, BackupDamaged, IoFailed; nothing is kept then."""
    temp = _beside(folder)
    with disk(folder), _opened(path) as (tar, manifest):
        try:
            os.mkdir(temp, 0o700)
            needed, free = sum(entry.size for entry in manifest.entries), shutil.disk_usage(temp).free
            if needed > free:
                raise BackupRefused(f"{folder}: {needed:,} bytes do not fit: {free:,} are free", "make room first")
            for entry, member in _members(tar, manifest):
                _unpack(tar, entry, member, temp)
            _finish(manifest, temp)
            try:
                os.rename(temp, folder)
            except OSError as error:
                raise BackupRefused(f"{folder}: {error.strerror}", "name a new folder, or an empty one") from error
            fsync_folder(os.path.dirname(folder))
        except BaseException:
            shutil.rmtree(temp, ignore_errors=True)
            raise
    return manifest


def check(path: str) -> Manifest:
    """The same without writing anything. Raises BackupDamaged, IoFailed."""
    with _opened(path) as (tar, manifest):
        for entry, member in _members(tar, manifest):
            if entry.kind == FILE:
                digest = hashlib.sha256()
                for data in _chunks(tar, member):
                    digest.update(data)
                _compare(entry, digest.hexdigest())
    return manifest


def _compare(entry: Entry, digest: str) -> None:
    if digest != entry.sha256:
        raise BackupDamaged(f"{entry.path!r} in it is not what was backed up: another hash")


def _unpack(tar: tarfile.TarFile, entry: Entry, member: tarfile.TarInfo, temp: str) -> None:
    """One entry. No link is there yet: nothing is written through one."""
    path = os.path.join(temp, entry.path)
    if entry.kind == FOLDER:
        os.mkdir(path, 0o700)
    if entry.kind != FILE:
        return
    digest = hashlib.sha256()
    with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
        for data in _chunks(tar, member):
            digest.update(data)
            file.write(data)
        file.flush()
        os.fchmod(file.fileno(), entry.mode)
        os.utime(file.fileno(), (member.mtime, member.mtime))
        os.fsync(file.fileno())
    _compare(entry, digest.hexdigest())


def _finish(manifest: Manifest, temp: str) -> None:
    """Links, when all else is there; then the modes of folders, from the innermost out, each durable."""
    real = os.path.realpath(temp)
    for entry in manifest.entries:
        if entry.kind == LINK:
            os.symlink(entry.target, os.path.join(temp, entry.path))
    for entry in manifest.entries:
        path = os.path.join(temp, entry.path)
        if entry.kind == LINK and not f"{os.path.realpath(path)}/".startswith(f"{real}/"):
            raise BackupDamaged(f"the link {entry.path!r} in it leads out of the folder")
    for entry in reversed(manifest.entries):
        if entry.kind == FOLDER:
            path = os.path.join(temp, entry.path)
            fsync_folder(path)
            os.chmod(path, entry.mode)
    fsync_folder(temp)


def place_of(given: str) -> str:
    """The absolute path that is meant, links followed."""
    return posixpath.normpath(os.path.realpath(os.path.expanduser(given)))
