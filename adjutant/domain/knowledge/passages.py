"""Reads a knowledge base's folder: text files within caps, no link followed, nothing hidden, nothing binary."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

HIDDEN = frozenset({"node_modules"})  # everything that starts with a dot is left out as well
TOP_LEVEL_OURS = frozenset({"kb.yaml", "opencode.json"})
MAX_NAMED_SKIPS = 50
MAX_DEPTH = 40
SNIFF_BYTES = 8192


class KbFile(msgspec.Struct, frozen=True):
    """One text file: `text` is decoded UTF-8 without BOM, line ends are "\\n" only."""

    path: str
    text: str
    mtime_ns: int
    sha256: str

    def lines(self) -> list[str]:
        """The file's lines, split on "\\n" only: U+2028 and friends stay inside a line."""
        return self.text.split("\n")


class Skipped(msgspec.Struct, frozen=True):
    """A file (path "" for all that follow) that was left out, and why."""

    path: str
    reason: str


class KbScan(msgspec.Struct, frozen=True):
    """What was read of a folder, and what was not."""

    files: list[KbFile]
    skipped: list[Skipped]


def scan(folder: Path, *, max_files: int, max_bytes: int) -> KbScan:
    """The text files under `folder`, sorted by path. `max_bytes` is per file: a longer file is read up to its
    last whole line inside the cap and named in `skipped`. Raises OSError when the folder itself cannot be read.
    """
    files: list[KbFile] = []
    skipped: list[Skipped] = []
    left_out: Counter[str] = Counter()
    over = 0
    for path, directory, name in _walk(folder, skipped):
        relative = f"{path}{name}"
        if len(files) >= max_files:
            over += 1
            continue
        read = _read(directory, name, max_bytes)
        if isinstance(read, str):
            left_out[read] += 1
            if len(skipped) < MAX_NAMED_SKIPS:
                skipped.append(Skipped(_printable(relative), read))
            continue
        data, mtime_ns, cut = read
        text = _decode(data, cut)
        if text is None:
            left_out["not text"] += 1
            if len(skipped) < MAX_NAMED_SKIPS:
                skipped.append(Skipped(_printable(relative), "not text"))
            continue
        if cut:
            skipped.append(Skipped(_printable(relative), f"read to the first {max_bytes} bytes only"))
        files.append(KbFile(_printable(relative), text, mtime_ns, hashlib.sha256(data).hexdigest()))
    if over:
        skipped.append(Skipped("", f"{over} more files than limits.files_per_kb ({max_files})"))
    unnamed = sum(left_out.values()) - sum(1 for s in skipped if s.reason in left_out)
    if unnamed > 0:
        skipped.append(Skipped("", f"{unnamed} more files left out: " + ", ".join(sorted(left_out))))
    return KbScan(files, skipped)


def fingerprint(scan: KbScan) -> str:
    """sha256 over path and content hash of the text files: changes when any of them does."""
    digest = hashlib.sha256()
    for file in scan.files:
        digest.update(f"{file.path}\0{file.sha256}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _walk(folder: Path, skipped: list[Skipped]) -> Iterator[tuple[str, int, str]]:
    """(relative folder with trailing slash, open folder descriptor, file name), depth first in sorted order.

    Folders are opened by descriptor with O_NOFOLLOW, so a folder swapped for a link meanwhile is not entered.
    """
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    yield from _walk_open("", root, 0, skipped)


def _walk_open(prefix: str, descriptor: int, depth: int, skipped: list[Skipped]) -> Iterator[tuple[str, int, str]]:
    try:
        for name in sorted(os.listdir(descriptor)):
            if name.startswith(".") or name in HIDDEN or (not prefix and name in TOP_LEVEL_OURS):
                continue
            try:
                mode = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    if depth >= MAX_DEPTH:
                        skipped.append(Skipped(_printable(prefix + name), "folders too deep"))
                        continue
                    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                    below = os.open(name, flags, dir_fd=descriptor)
                else:
                    below = -1
            except OSError as error:
                skipped.append(Skipped(_printable(prefix + name), error.strerror or "cannot be read"))
                continue
            if below >= 0:
                yield from _walk_open(f"{prefix}{name}/", below, depth + 1, skipped)
            else:
                yield prefix, descriptor, name
    finally:
        os.close(descriptor)


def _read(directory: int, name: str, max_bytes: int) -> tuple[bytes, int, bool] | str:
    """(bytes, mtime_ns, cut at the cap), or the reason why the file is left out."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(name, flags, dir_fd=directory)
    except OSError as error:
        kind = _kind(directory, name)
        return kind or error.strerror or "cannot be read"
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            return "not a regular file"
        data = os.read(handle, min(SNIFF_BYTES, max_bytes + 1))
        if b"\0" in data:
            return "not text"
        while len(data) <= max_bytes:
            more = os.read(handle, max_bytes + 1 - len(data))
            if not more:
                break
            data += more
    except OSError as error:
        return error.strerror or "cannot be read"
    finally:
        os.close(handle)
    return data[:max_bytes], info.st_mtime_ns, len(data) > max_bytes


def _kind(directory: int, name: str) -> str | None:
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except OSError:
        return None
    return "a link" if stat.S_ISLNK(mode) else None


def _decode(data: bytes, cut: bool) -> str | None:
    if b"\0" in data:
        return None
    if cut:
        data = data[: data.rfind(b"\n") + 1] or data
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not (cut and error.end >= len(data) - 4):
            return None
        text = data[: error.start].decode("utf-8-sig")
    return text.replace("\r\n", "\n")


def _printable(path: str) -> str:
    """A path as text that any JSON can hold: undecodable bytes of a file name are shown as U+FFFD."""
    return path.encode("utf-8", "replace").decode("utf-8").replace("\n", "\ufffd")
