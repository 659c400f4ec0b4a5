"""init: what a person answers, and answers wrongly, before there is an instance."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from adjutant.stages import init
from tests.conftest import TestedApp, adjutant, make_app


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    (tmp_path / "notes").mkdir()
    return make_app(tmp_path / "unused", verb="init")


def made(app: TestedApp, root: Path, *answers: str) -> list[str]:
    """The knowledge bases of an instance that is made by these answers."""
    left = list(answers)
    app.question = lambda text: left.pop(0)
    args = argparse.Namespace(dir=str(root), name="", matters=[], folder=[], two_machines=False)
    found: list[str] = init.run(app, args).result["knowledge_bases"]
    assert left == []
    return found


def test_a_wrong_folder_is_asked_for_again(app: TestedApp, tmp_path: Path) -> None:
    folders = made(app, tmp_path / "mine", "Ida", "the roof", str(tmp_path / "ntes"), str(tmp_path / "notes"))
    assert folders == ["notes"]


def test_enter_registers_no_folder(app: TestedApp, tmp_path: Path) -> None:
    assert made(app, tmp_path / "mine", "", "", "") == []


def test_an_empty_option_registers_no_folder(tmp_path: Path) -> None:
    done = adjutant("init", str(tmp_path / "mine"), "--folder", "", "--json", check=0)
    assert done.json["result"]["knowledge_bases"] == []
