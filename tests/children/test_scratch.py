"""A scratch folder is gone when its child is, whatever that has made of it; dead runs' folders are swept."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant.children import scratch
from tests.children.nested import nested


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temp folder of this process."""
    made = tmp_path / "temp"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    yield made
    subprocess.run(["rm", "-rf", made], check=True)  # pytest cannot take away what is nested too deep


def dead() -> int:
    """The number of a process that is no more."""
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    return ended.pid


def test_it_holds_two_empty_folders_for_us_alone_and_goes(temp: Path) -> None:
    with scratch.folder() as path:
        assert sorted(os.listdir(path)) == ["home", "work"]
        assert os.stat(path).st_mode & 0o777 == 0o700
    assert not os.listdir(temp)


def test_it_goes_when_the_child_fails(temp: Path) -> None:
    with pytest.raises(ValueError), scratch.folder():
        raise ValueError
    assert not os.listdir(temp)


def test_a_folder_deeper_than_any_path_goes(temp: Path) -> None:
    with scratch.folder() as path:
        nested(Path(path), 1100, "d" * 50)
    assert not os.listdir(temp)


def test_closed_folders_links_and_odd_names_go_and_nothing_outside_does(temp: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    outside.chmod(0o755)
    (outside / "kept").write_text("kept")
    with scratch.folder() as path:
        home = Path(path) / "home"
        (home / "a" / "b").mkdir(parents=True)
        (home / "a" / "b" / "file").write_text("x")
        (home / "a" / "out").symlink_to(outside)
        (Path(path) / "out").symlink_to(outside)
        os.mkfifo(home / "fifo")
        Path(os.fsdecode(os.fsencode(home) + b"/\xff")).mkdir()
        (home / "a" / "b").chmod(0)
        (home / "a").chmod(0)
    assert not os.listdir(temp)
    assert (outside / "kept").read_text() == "kept"
    assert outside.stat().st_mode & 0o777 == 0o755


def test_what_a_killed_run_left_is_swept(temp: Path) -> None:
    left = temp / f"{scratch.PREFIX}{dead()}-abc"
    (left / "home" / "deep").mkdir(parents=True)
    with scratch.folder():
        assert not left.exists()


@pytest.mark.parametrize(
    "name",
    [
        "adjutant-{alive}-abc",
        "adjutant-{dead}",
        "other-{dead}-abc",
        "adjutant-x-abc",
        "adjutant-99999999999999999999-abc",
    ],
)
def test_nothing_else_is_swept(temp: Path, name: str) -> None:
    other = temp / name.format(alive=os.getpid(), dead=dead())
    other.mkdir()
    with scratch.folder():
        assert other.exists()


def test_a_file_and_a_link_of_such_a_name_are_left(temp: Path, tmp_path: Path) -> None:
    number = dead()
    (temp / f"adjutant-{number}-file").write_text("x")
    (temp / f"adjutant-{number}-link").symlink_to(tmp_path)
    with scratch.folder():
        assert len(os.listdir(temp)) == 3
        assert tmp_path.exists()


def test_the_folder_of_another_user_is_never_swept(temp: Path) -> None:
    if os.getuid():
        pytest.skip("only root can make a folder of another user")
    left = temp / f"{scratch.PREFIX}{dead()}-abc"
    left.mkdir()
    os.chown(left, 65534, 65534)
    with scratch.folder():
        assert left.exists()
