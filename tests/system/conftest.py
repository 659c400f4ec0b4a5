"""Fresh worlds for black-box tests; `init` runs once, every test gets its own copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Guarded, adjutant
from tests.system.world import HEART, TASKS, World


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the instance that all are copied from is made, by the first test that needs one."""
    return tmp_path_factory.mktemp("pattern") / "instance"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a file's tests, for worlds that each gets a copy of: see `once`."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def made(pattern: Path, guarded: Guarded, tmp_path: Path) -> World:
    """What `init` makes."""
    if not pattern.exists():
        adjutant("init", str(pattern), check=0)
    return World(pattern).copy(tmp_path / "instance")


@pytest.fixture
def empty(made: World) -> World:
    """A fresh instance with priorities, without a knowledge base."""
    made.write("identity/heart.md", HEART)
    return made


@pytest.fixture
def world(empty: World) -> World:
    """One knowledge base with one overdue task that touches a priority."""
    empty.knowledge("bakery", {"tasks.md": TASKS})
    return empty
