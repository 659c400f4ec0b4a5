"""The store of one empty instance, and disks that are full at a byte."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjutant.store.files import Files
from adjutant.store.tree import Tree


class Store(Files):
    """Files that keep what they warn of."""

    warned: list[str]


@pytest.fixture
def files(tmp_path: Path) -> Store:
    warned: list[str] = []
    store = Store(Tree(str(tmp_path)), warn=warned.append)
    store.warned = warned
    return store


@pytest.fixture
def dry(tmp_path: Path) -> Files:
    """The same instance in a dry run."""
    return Files(Tree(str(tmp_path)), dry=True)


@contextmanager
def full(size: int) -> Iterator[None]:
    """No file grows beyond `size` bytes: writes come out short there, then fail (Python ignores SIGXFSZ)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def snapshot(root: str | Path) -> dict[str, bytes | None]:
    """{relative path: bytes} of a tree, None for what is no regular file."""
    root = Path(root)
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in root.rglob("*")
    }
