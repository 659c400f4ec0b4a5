"""DOCUMENTS. A folder's files within caps, listed by stat: no link followed, nothing hidden, binary or excluded."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from errno import EINVAL
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from adjutant.children.folder import INSTANCE, KEPT
from adjutant.store import package

HIDDEN = frozenset({"node_modules", "__pycache__"})  # everything that starts with a dot is left out as well
TOP_LEVEL_OURS = frozenset({"kb.yaml", "opencode.json"})
MAX_NAMED, MAX_DEPTH, MAX_IGNORE, SNIFF = 50, 40, 65_536, 4096
LAST_NS = 4_102_444_800 * 10**9  # the year 2100: no calendar holds every time that a file system does
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))
_LINES = (line.split() for line in package.text("documents", "suffixes.txt").splitlines())
KINDS = {suffix: kind for kind, *suffixes in _LINES for suffix in suffixes}  # what a file is, by the end of its name
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PASSED = getattr(os, "O_PATH", 0)  # a folder above may be closed to us, as long as it lets us through
_NAME, _NEWEST = attrgetter("name"), attrgetter("mtime_ns", "path")


class Limits(NamedTuple):
    """Of one folder: how many files, bytes of a file that are read, bytes of all of them."""

    files: int = 2000
    file_bytes: int = 1_048_576
    folder_bytes: int = 33_554_432


class Entry(NamedTuple):
    """A file that may be read; `path`, relative to the folder, is `printable`."""

    path: str
    size: int
    mtime_ns: int


class Skipped(NamedTuple):
    """What was left out, and why; a path of "" where a count says how many. `lost`: by a limit or the disk, no wish."""

    path: str
    reason: str
    lost: bool = False


class Scan(NamedTuple):
    """The files by path; where a cap bites, the newest."""

    entries: list[Entry]
    skipped: list[Skipped]


def scan(
    folder: str | Path, limits: Limits, exclude: Sequence[str] = (), *, named: int = MAX_NAMED, mail: bool = False
) -> Scan:
    """The files below `folder`, or the one that it is; nothing is read but its .adjutantignore. Raises OSError where it
    cannot be listed. An Adjutant instance below it is left out whole; of one that it is itself, what Adjutant keeps
    there. At most `named` of what is left out are named, the others counted. `mail`: hidden folders of a Maildir are
    entered."""
    if os.path.isfile(folder):
        info = os.stat(folder, follow_symlinks=False)
        return Scan([Entry(printable(os.path.basename(folder)), info.st_size, info.st_mtime_ns)], [])
    walk = _Walk(str(folder), exclude, named, mail)
    return Scan(*walk.within(limits))


def text_of(folder: str | Path, entry: Entry, limit: int, *, tail: bool = False) -> str:
    """The text of a file, to its last whole line within `limit` bytes: UTF-8, UTF-16 with its mark, else Latin-1.

    `tail`: the last `limit` bytes instead, empty lines for what stands before. Line ends are "\\n".

    Raises OSError, also for what is a link by now, no regular file, or no text.
    """
    data, cut = _read(str(folder), entry.path, limit, tail)
    if cut and not tail:
        data = data[: data.rfind(b"\n") + 1] or data
    return decode_text(data, cut=cut)


def _read(folder: str, path: str, limit: int, tail: bool) -> tuple[bytes, bool]:
    """(bytes, whether there are more); every part of the path is opened without following links."""
    *above, name = path.split("/")
    at = _root(os.path.dirname(folder) if os.path.isfile(folder) else folder)
    try:
        for part in above:
            below = _open(part, os.O_DIRECTORY, at)
            os.close(at)
            at = below
        with open(name, "rb", opener=lambda each, _: _open(each, os.O_NONBLOCK, at)) as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode):
                raise OSError(EINVAL, "not a regular file", path)
            lines, skip = 0, max(0, info.st_size - limit) if tail else 0
            while skip and (passed := file.read(min(skip, 1 << 20))):
                lines, skip = lines + passed.count(b"\n"), skip - len(passed)
            data = file.read(limit + 1)
    finally:
        os.close(at)
    if lines:
        data = b"\n" * lines + data[data.find(b"\n") :]  # of the line in which it begins nothing is known
        limit = len(data)
    return data[:limit], len(data) > limit


def decode_text(data: bytes, cut: bool = False) -> str:
    """The text in a file's bytes, line ends as "\\n"; `cut`: it may end within a character. Raises OSError: no text."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and len(data) % 2 == 0:
        text = data.decode("utf-16", "replace")
    elif b"\0" in data or len(data[:SNIFF].translate(None, _CONTROLS)) < 0.9 * len(data[:SNIFF]):
        raise OSError(EINVAL, "not text")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            whole = cut and error.end >= len(data) - 3
            text = data[: error.start].decode("utf-8-sig") if whole else data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _root(folder: str) -> int:
    """A descriptor of the folder itself. Raises OSError, also where a link stands in its place or above: a registry
    holds real paths, and whoever can put a link there does not decide what is read."""
    at, parts = os.open("/", _FOLDER | _PASSED), os.path.abspath(folder).split("/")
    for number, part in enumerate(parts, start=1):
        try:
            below = os.open(part or ".", _FOLDER | (_PASSED if number < len(parts) else 0), dir_fd=at)
        except NotADirectoryError:
            if not stat.S_ISLNK(os.stat(part, dir_fd=at, follow_symlinks=False).st_mode):
                raise
            raise OSError(errno.ELOOP, f"`{part}` is a link; register the folder that it leads to", folder) from None
        finally:
            os.close(at)
        at = below
    return at


def exclude_from(folder: str, patterns: Sequence[str]) -> Excluded:
    """What is left out of a folder: by patterns, its .adjutantignore, as what an instance keeps. Raises OSError."""
    root = _root(folder)
    try:
        return _exclude(root, patterns)
    finally:
        os.close(root)


def _exclude(root: int, patterns: Sequence[str]) -> Excluded:
    own = sorted(f"/{name}" for name in KEPT) if _holds(root, INSTANCE) else []
    return Excluded([*_read_ignored(root), *patterns, *own])


class _Walk:
    """One walk; `left` counts per reason what is not named."""

    def __init__(self, folder: str, exclude: Sequence[str], named: int, mail: bool) -> None:
        self.named, self.mail = named, mail
        self.found: list[Entry] = []
        self.skipped: list[Skipped] = []
        self.left: Counter[tuple[str, bool]] = Counter()
        root = _root(folder)
        try:
            self.excluded = _exclude(root, exclude)
            for pattern in self.excluded.refused:
                self._skip(IGNORE_NAME, f"a pattern that is too long or has too many stars: {pattern[:60]}", lost=True)
            self._below("", root, 0)
        finally:
            os.close(root)

    def within(self, limits: Limits) -> tuple[list[Entry], list[Skipped]]:
        files, most, total = limits
        kept, size, many, large = list[Entry](), 0, 0, 0
        for entry in sorted(self.found, key=_NEWEST, reverse=True):
            size += (taken := min(entry.size, most))
            if len(kept) >= files:
                many += 1
            elif size > total:
                large += 1
                size -= taken
            else:
                kept.append(entry)
                if entry.size > most:
                    self._skip(entry.path, f"read to the first {most} bytes only", lost=True)
        over = ((many, f"limits.files_per_kb ({files})"), (large, f"limits.bytes_per_kb ({total})"))
        told = [(f"{count} older file{'s' * (count != 1)} beyond {which}", True) for count, which in over if count]
        told += [(f"{count} more: {reason}", lost) for (reason, lost), count in self.left.items()]
        return sorted(kept), [*self.skipped, *(Skipped("", reason, lost) for reason, lost in told)]

    def _below(self, prefix: str, folder: int, depth: int) -> None:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=_NAME)
        for each in entries:
            name = each.name
            hidden = name[0] == "." and not (self.mail and _holds(folder, f"{name}/cur"))
            if hidden or name in HIDDEN or (not prefix and name in TOP_LEVEL_OURS):
                continue
            path = f"{prefix}{name}"
            try:
                info = each.stat(follow_symlinks=False)
                if stat.S_ISDIR(info.st_mode):
                    self._enter(path, name, folder, depth)
                elif reason := self._refuse(path, name, info.st_mode):
                    self._skip(path, reason)
                else:
                    self.found.append(Entry(printable(path), info.st_size, min(max(info.st_mtime_ns, 0), LAST_NS)))
            except OSError as error:
                self._skip(path, error.strerror or "cannot be read", lost=True)

    def _refuse(self, path: str, name: str, mode: int) -> str:
        if not stat.S_ISREG(mode):
            return "a link" if stat.S_ISLNK(mode) else "not a regular file"
        if self.excluded.any and self.excluded.leaves_out(path):
            return "excluded"
        return "not text" if KINDS.get(name.rpartition(".")[2].lower()) == "binary" else ""

    def _enter(self, path: str, name: str, folder: int, depth: int) -> None:
        if self.excluded.leaves_out(path, folder=True):
            self._skip(f"{path}/", "excluded")
            return
        if depth >= MAX_DEPTH:
            self._skip(f"{path}/", "folders too deep", lost=True)
            return
        below = os.open(name, _FOLDER, dir_fd=folder)
        try:
            if _holds(below, INSTANCE):
                self._skip(f"{path}/", "an Adjutant instance")
            else:
                self._below(f"{path}/", below, depth + 1)
        finally:
            os.close(below)

    def _skip(self, path: str, reason: str, *, lost: bool = False) -> None:
        if len(self.skipped) < self.named:
            self.skipped.append(Skipped(printable(path), reason, lost))
        else:
            self.left[reason, lost] += 1


def printable(path: str) -> str:
    """A path as text that any JSON can hold: undecodable bytes of a name and line ends are shown as U+FFFD."""
    if path.isascii() and "\n" not in path:
        return path
    return os.fsencode(path).decode("utf-8", "replace").replace("\n", "\ufffd")


def _open(name: str, flags: int, folder: int) -> int:
    """Opens an entry of a folder by its name as `printable` shows it."""
    flags |= os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        meant = [each for each in os.listdir(folder) if printable(each) == name] if "\ufffd" in name else []
        if len(meant) != 1:
            raise
        return os.open(meant[0], flags, dir_fd=folder)


def _holds(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _read_ignored(folder: int) -> list[str]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(IGNORE_NAME, "rb", opener=lambda name, _: os.open(name, flags, dir_fd=folder)) as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(MAX_IGNORE).decode("utf-8", "replace").split("\n") if regular else []
    except OSError:
        return []


# -- what is left out of a folder ----------------------------------------------------------------------------------
IGNORE_NAME = ".adjutantignore"
MAX_PATTERNS, PATTERN_CHARS, MOST_STARRED = 500, 200, 2


class Excluded:
    """The patterns; `refused` are those that are too long or have too many stars to be compared in bounded time."""

    def __init__(self, patterns: Iterable[str]) -> None:
        lines = [line.rstrip("\r\n") for line in patterns]
        good = [line for line in lines if not refusal(line)][:MAX_PATTERNS]
        known = set(good)
        self.refused = [line for line in lines if line not in known]
        self._spec = GitIgnoreSpec.from_lines(good)
        self.any = any(pattern.include is not None for pattern in self._spec.patterns)

    def leaves_out(self, path: str, *, folder: bool = False) -> bool:
        return self.any and self._spec.match_file(f"{path}/" if folder else path)


def refusal(pattern: str) -> str:
    """Why a pattern is not taken: it is none, or cannot be compared with any path in bounded time; "" when it is."""
    segments = pattern.split("/")
    open_ended = sum(each.count("*") - 1 for each in segments if "*" in each and each.strip("*"))
    if len(pattern) > PATTERN_CHARS or open_ended > 1 or sum("**" in each for each in segments) > MOST_STARRED:
        return f"is longer than {PATTERN_CHARS} characters or has too many stars"
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return "is none"
    return ""
