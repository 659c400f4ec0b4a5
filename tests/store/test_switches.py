"""Kill switches: any directory entry of the name is the state; what cannot be looked at counts as on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adjutant.store import switches


def a_file(path: Path) -> None:
    path.write_text("gone fishing\nuntil Monday\n")


def an_empty_file(path: Path) -> None:
    path.touch()


def a_folder(path: Path) -> None:
    path.mkdir()


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    "make", [a_file, an_empty_file, a_folder, a_dangling_link, a_link_to_itself, a_pipe], ids=lambda make: make.__name__
)
def test_any_entry_of_the_name_is_on(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "PAUSED"
    assert not switches.is_on(str(path))
    assert switches.since(str(path)) is None
    assert switches.reason(str(path)) == ""
    make(path)
    assert switches.is_on(str(path))
    assert switches.since(str(path)) is not None
    assert switches.reason(str(path)) == ("gone fishing until Monday" if make is a_file else "")


def test_what_cannot_be_looked_at_counts_as_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert switches.is_on(str(tmp_path / "file" / "PAUSED"))  # its folder is no folder
    assert switches.is_on(str(tmp_path / ("x" * 300)))  # no name the disk takes
    assert switches.since(str(tmp_path / "file" / "PAUSED")) is None


def test_a_folder_that_may_not_be_searched_counts_as_on(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)  # nobody: root may look into every folder
    try:
        assert switches.is_on(str(closed / "PAUSED"))
        assert not switches.is_on("/PAUSED-of-no-instance")
    finally:
        os.seteuid(me)
        closed.chmod(0o700)


def test_a_reason_is_one_printable_line_of_a_few_hundred_bytes(tmp_path: Path) -> None:
    path = tmp_path / "PAUSED"
    path.write_bytes(b"a\x1b[31mb\x00c\r\nd\t\xff\xe2\x80\xae " + b"x" * 10_000)
    reason = switches.reason(str(path))
    assert reason.startswith("a [31mb c d ")
    assert reason.isprintable()
    assert len(reason) <= switches.REASON_BYTES
