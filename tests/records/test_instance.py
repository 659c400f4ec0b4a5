"""Whose the documents on a server are: the id of an instance, and what becomes of it when the folder does."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest

from adjutant.errors import FileDamaged
from adjutant.records.instance import InstanceOwner
from adjutant.store.files import Files
from adjutant.store.tree import Tree


def owner(root: Path) -> InstanceOwner:
    return InstanceOwner(Files(Tree(str(root))))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    root = tmp_path / "mine"
    (root / "state").mkdir(parents=True)
    return root


def test_nothing_is_made_by_asking_and_what_is_made_stays(mine: Path) -> None:
    assert owner(mine).read() == ""
    assert not (mine / "state" / "instance.json").exists()
    made = owner(mine).make()
    assert len(made) == 12
    assert {owner(mine).read(), owner(mine).make()} == {made}


def test_a_dry_run_keeps_it_too_for_the_server_keeps_what_it_was_told(mine: Path) -> None:
    made = InstanceOwner(Files(Tree(str(mine)), dry=True)).make()
    assert owner(mine).read() == made


def test_two_that_make_it_at_once_agree(mine: Path) -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.append(owner(mine).make())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8
    assert len(set(made)) == 1


def test_a_copy_gets_its_own_and_a_folder_that_was_moved_keeps_it(mine: Path, tmp_path: Path) -> None:
    made = owner(mine).make()
    copy, moved = tmp_path / "copy", tmp_path / "moved"
    shutil.copytree(mine, copy)
    assert owner(copy).read() == ""
    assert owner(copy).make() != made
    assert owner(mine).read() == made
    mine.rename(moved)
    assert owner(moved).read() == owner(moved).make() == made
    assert json.loads((moved / "state" / "instance.json").read_text())["root"] == str(moved)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"id": "x", "root": "/"}', '{"id": "0123456789ab"}'])
def test_a_damaged_one_is_named_and_not_written_over(mine: Path, text: str) -> None:
    path = mine / "state" / "instance.json"
    path.write_text(text)
    for ask in (owner(mine).read, owner(mine).make):
        with pytest.raises(FileDamaged, match=r"state/instance\.json"):
            ask()
    assert path.read_text() == text
