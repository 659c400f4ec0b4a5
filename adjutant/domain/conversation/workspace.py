"""DOMAIN. workspace/: the scratch that an agent may list, read and write; nothing leads out of it."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice

from adjutant.children.folder import is_order
from adjutant.errors import FileDamaged, IoFailed
from adjutant.store.files import Files

MAX_BYTES = 256 * 1024
MAX_DEPTH = 8
LISTED = 200
LONGEST = 200  # bytes, so that a temp file beside it has a name that every file system takes
_FORBIDDEN = frozenset('\\:*?"<>|')
# What makes a folder an instance, or steers one.
RESERVED = frozenset(("adjutant.yaml", "registry.yaml", "paused", "killed"))


class ToolRefused(ValueError):
    """A call that is not carried out, such as for a path that is none of the workspace's; says why, for the model."""


def place(files: Files, folder: str, path: str) -> str:
    """The absolute path of `path` in `folder`, with that folder's own name before it or not. No part of it may be a
    link: said here, and kept to by whatever opens it (Reader.held). Raises ToolRefused."""
    path = path.removeprefix(f"{folder}/")
    parts, size = path.split("/"), len(path.encode("utf-8", "surrogatepass"))
    if not path or size > LONGEST or path.startswith(("/", "~")) or len(parts) > MAX_DEPTH:
        raise ToolRefused(f"a path within the workspace, at most {LONGEST} bytes and {MAX_DEPTH} folders deep")
    for part in parts:
        if not part or part.startswith(".") or not part.isprintable() or set(part) & _FORBIDDEN:
            raise ToolRefused('plain names only: no `..`, no hidden files, none of \\ : * ? " < > |')
    full = files.tree.inside(f"{folder}/{path}")
    above = os.path.dirname(full)
    while above not in files.overlay and above != files.tree.root:
        above = os.path.dirname(above)
    if above in files.overlay:
        raise ToolRefused(f"{files.tree.relative(above)}: a link or a file where a folder belongs")
    with suppress(FileNotFoundError), _bounds(), files.folder(os.path.dirname(full)) as fd:
        if stat.S_ISLNK(os.lstat(os.path.basename(full), dir_fd=fd).st_mode):
            raise ToolRefused("a link; only plain files and folders are used")
    return full


@contextmanager
def _bounds() -> Iterator[None]:
    try:
        yield
    except FileDamaged as error:
        raise ToolRefused(error.message) from error
    except IoFailed as error:
        raise ToolRefused("it cannot be read") from error


def list_files(files: Files, folder: str, path: str = "") -> list[str]:
    """The files below `path` with their size in bytes, at most LISTED; no links, no hidden ones. Raises ToolRefused."""
    path = path.strip().removesuffix("/")
    root = place(files, folder, path) if path not in ("", ".", folder) else files.tree.inside(folder)
    top, found = files.tree.inside(folder), list(islice(_below(files, root), LISTED + 1))
    lines = [f"{os.path.relpath(full, top)} ({size} bytes)" for full, size in found[:LISTED]]
    return [*lines, "… and more"] if len(found) > LISTED else lines


def _below(files: Files, root: str) -> Iterator[tuple[str, int]]:
    for path, held in sorted(files.overlay.items()):
        if held is not None and path.startswith(f"{root}/"):
            yield path, len(held)
    with suppress(FileNotFoundError), _bounds(), files.folder(root) as top:
        for here, folders, names, fd in os.fwalk(".", dir_fd=top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                full = os.path.normpath(os.path.join(root, here, name))
                if name.startswith(".") or full in files.overlay:
                    continue
                with suppress(FileNotFoundError):
                    found = os.lstat(name, dir_fd=fd)
                    if stat.S_ISREG(found.st_mode):
                        yield full, found.st_size


def read(files: Files, folder: str, path: str) -> str:
    """A file's text. Raises ToolRefused (also for one that is missing, too long or no text)."""
    full = place(files, folder, path)
    with suppress(FileNotFoundError), _bounds():
        return files.text(full, MAX_BYTES)
    raise ToolRefused("there is no such file")


def write(files: Files, folder: str, path: str, text: str) -> str:
    """Puts the text there, whole; `written: ` and its path in the instance. Raises ToolRefused, IoFailed, Stopped."""
    full = place(files, folder, path)
    for part in path.split("/"):
        if part.casefold() in RESERVED or is_order(part):
            raise ToolRefused(f"{part} is a reserved name: such a file would be taken for settings or orders")
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise ToolRefused(f"{len(data)} bytes; a file holds at most {MAX_BYTES}")
    if os.path.lexists(full) and not os.path.isfile(full):
        raise ToolRefused("there is something of that name that is no file")
    try:
        files.replace(full, data)
    except FileDamaged as error:
        raise ToolRefused(error.message) from error
    except FileNotFoundError:
        raise ToolRefused("its folder was taken away meanwhile") from None
    return f"written: {files.tree.relative(full)}"
