"""A folder of the workspace that its agent swaps for a link, to and fro, while we write, read and list below it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from adjutant.domain.conversation import preparing, workspace
from adjutant.domain.conversation.preparing import WorkloadOwner
from adjutant.errors import FileDamaged
from tests.conftest import TestedApp, make_app

SECONDS = 1.5  # the swap was hit within .2 s
SOUL = "who I am\n"
# exchanges two names at one stroke, as fast as it can
SWAPS = """
import ctypes, os, sys
call = ctypes.CDLL(None).renameat2
one, other = map(os.fsencode, sys.argv[1:])
print("swapping", flush=True)
while True:
    call(-100, one, -100, other, 2)
"""


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    app = make_app(tmp_path / "mine", verb="ask")
    Path(app.tree.identity).mkdir(parents=True, exist_ok=True)
    Path(app.tree.soul).write_text(SOUL)
    return app


@pytest.fixture
def swapped(app: TestedApp) -> Iterator[str]:
    """workspace/coder/sub, which is now a folder and now a link to identity/."""
    coder = Path(app.tree.workspace, "coder")
    (coder / "sub").mkdir(parents=True)
    (coder / "link").symlink_to(app.tree.identity)
    agent = subprocess.Popen(
        [sys.executable, "-c", SWAPS, str(coder / "sub"), str(coder / "link")], stdout=subprocess.PIPE
    )
    assert agent.stdout is not None
    assert agent.stdout.readline()
    yield "coder/sub"
    agent.kill()
    agent.wait()
    agent.stdout.close()


def raced(step: Callable[[], object], over: Callable[[], bool]) -> int:
    """Takes the step again and again until the attack is `over` or the time is; how often it was not refused."""
    until, done = time.monotonic() + SECONDS, 0
    while time.monotonic() < until and not over():
        with suppress(workspace.ToolRefused, FileDamaged):
            step()
            done += 1
    return done


def test_a_write_never_follows_a_swapped_folder(app: TestedApp, swapped: str) -> None:
    soul = Path(app.tree.soul)

    def write() -> None:
        workspace.write(app.files, "workspace", f"{swapped}/soul.md", "owned")

    done = raced(write, lambda: soul.read_text() != SOUL)
    assert soul.read_text() == SOUL
    assert done, "no write was ever tried with the folder in its place"


def test_a_new_folder_never_arises_behind_one(app: TestedApp, swapped: str) -> None:
    made = Path(app.tree.identity, "deep")
    raced(lambda: workspace.write(app.files, "workspace", f"{swapped}/deep/x.md", "owned"), made.exists)
    assert not made.exists()


def test_a_read_never_follows_a_swapped_folder(app: TestedApp, swapped: str) -> None:
    seen: list[str] = []
    raced(lambda: seen.append(workspace.read(app.files, "workspace", f"{swapped}/soul.md")), lambda: bool(seen))
    assert not seen


def test_a_list_never_follows_a_swapped_folder(app: TestedApp, swapped: str) -> None:
    seen: list[str] = []
    raced(lambda: seen.extend(workspace.list_files(app.files, "workspace", swapped)), lambda: bool(seen))
    assert not seen


def test_a_specialists_folder_is_never_a_link(app: TestedApp, swapped: str) -> None:
    owner, wrong = WorkloadOwner("coder", None, None, f"workspace/{swapped}/mine"), Path(app.tree.identity, "mine")
    raced(lambda: preparing.folder_of(app.files, owner), wrong.exists)
    assert not wrong.exists()
