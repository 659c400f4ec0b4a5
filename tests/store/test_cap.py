"""A capped log: its last half stays, in place, under the hands of a shell that has it open."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.store.conftest import Store

LIMIT = 1000


def log(files: Files, data: bytes) -> Path:
    path = Path(files.tree.cron_log)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_log_over_its_limit_keeps_its_last_half_from_a_line_start_on(files: Store) -> None:
    lines = [f"line {number:04d}\n".encode() for number in range(200)]
    path = log(files, b"".join(lines))
    inode = path.stat().st_ino
    files.cap(str(path), LIMIT)
    assert path.read_bytes() == b"".join(lines[-(LIMIT // 2 // 10) + 1 :])
    assert path.stat().st_ino == inode
    files.cap(str(path), LIMIT)
    assert path.stat().st_size == 490


@pytest.mark.parametrize("data", [b"", b"x" * LIMIT, b"short\n"])
def test_a_log_within_its_limit_is_left_alone(files: Store, data: bytes) -> None:
    path = log(files, data)
    files.cap(str(path), LIMIT)
    assert path.read_bytes() == data


@pytest.mark.parametrize("tail", [b"", b"\n"])
def test_one_endless_line_is_cut_too(files: Store, tail: bytes) -> None:
    path = log(files, b"x" * 5000 + tail)
    files.cap(str(path), LIMIT)
    assert path.read_bytes() == (b"x" * 500 + tail)[-500:]


def test_what_the_shell_that_started_us_prints_afterwards_is_in_the_log(files: Store, tmp_path: Path) -> None:
    path = log(files, b"old\n" * 500)
    script = 'exec 3>&1 >>"$1"; echo begun; echo >&3; read go; echo ended'
    shell = subprocess.Popen(["/bin/sh", "-c", script, "sh", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert shell.stdout is not None
    assert shell.stdout.readline() == b"\n"
    files.cap(str(path), LIMIT)
    shell.communicate(b"go\n")
    assert path.read_bytes().endswith(b"old\nbegun\nended\n")
    assert path.stat().st_size < LIMIT


def test_no_log_a_link_and_a_dry_run_change_nothing(files: Store, tmp_path: Path) -> None:
    files.cap(files.tree.cron_log, LIMIT)
    assert not os.path.lexists(files.tree.cron_log)
    aside = tmp_path / "aside"
    aside.write_bytes(b"y\n" * LIMIT)
    path = log(files, b"y\n" * LIMIT)
    Files(Tree(files.tree.root), dry=True).cap(str(path), LIMIT)
    assert path.stat().st_size == 2 * LIMIT
    path.unlink()
    path.symlink_to(aside)
    files.cap(str(path), LIMIT)
    assert aside.stat().st_size == 2 * LIMIT
