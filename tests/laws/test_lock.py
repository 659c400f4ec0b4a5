"""The lock: every dependency by version and hash, and nothing installed beside it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT

LOCKS = sorted((CHECKOUT / "requirements").glob("*.txt"))


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(folder / "bin" / "lock"), "--check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_requirement_is_met_by_the_lock() -> None:
    done = check(CHECKOUT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("pyproject.toml", '"filelock >=3.16"', '"filelock >=300"'),
        ("pyproject.toml", '"filelock >=3.16"', '"filelock >=3.16", "another >=1"'),
        ("pyproject.toml", "flit_core >=3.11,<4", "flit_core >=4"),
        ("requirements/base.txt", "filelock==", "padlock=="),
        ("requirements/test.txt", "    --hash=sha256:", "    # "),
    ],
)
def test_what_the_lock_does_not_hold_is_named(tmp_path: Path, file: str, old: str, new: str) -> None:
    for name in ("bin", "requirements"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    done = check(tmp_path)
    assert done.returncode == 1
    assert "fix: bin/lock" in done.stderr


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_pin_has_hashes(lock: Path) -> None:
    pins = re.split(r"(?m)^(?=[a-z0-9])", lock.read_text())[1:]
    assert pins
    assert all(re.match(r"[a-z0-9-]+==\S+( ; [^\\]+)? \\\n +--hash=sha256:[0-9a-f]{64}\b", pin) for pin in pins)


def test_nothing_is_installed_without_hashes() -> None:
    scripts = [path for folder in ("bin", ".ci") for path in (CHECKOUT / folder).iterdir() if path.is_file()]
    asks = re.compile(r"-m pip\b.*\binstall\b|\*pip,")
    found = [
        line for path in scripts if path.name != "lock" for line in path.read_text().split("\n") if asks.search(line)
    ]
    assert len(found) == 3
    assert [line for line in found if "--require-hashes" not in line and "--no-index" not in line] == []
