"""Conversations: the newest messages of a session."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from adjutant.records import conversation
from tests.conftest import NOW, TestedApp, make_app


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return make_app(tmp_path / "mine", verb="prompt")


def line(number: int, role: str = "operator", text: str = "hello") -> str:
    return json.dumps({"id": f"m{number}", "ts": NOW, "role": role, "name": role, "text": text}) + "\n"


def kept(app: TestedApp, text: str) -> None:
    Path(app.tree.conversations).mkdir(parents=True)
    Path(app.tree.conversation("cli")).write_text(text)


def ids(app: TestedApp, most: int) -> list[str]:
    return [each.id for each in conversation.newest(app.files, "cli", most)]


def test_the_newest_messages_come_in_their_order_and_no_more_than_wanted(app: TestedApp) -> None:
    assert ids(app, 3) == []
    kept(app, "".join(line(number, ("operator", "agent")[number % 2]) for number in range(9)))
    assert ids(app, 3) == ["m6", "m7", "m8"] and len(ids(app, 20)) == 9


def test_strangers_and_damaged_lines_take_nobodys_place(app: TestedApp) -> None:
    damaged = 'no record\n{"id": "x", "ts": 3, "role": "operator", "name": "", "text": "t"}\n'
    kept(app, line(1) + line(2, "agent") + line(3, "stranger") + damaged + line(4, "stranger") + '{"torn')
    assert ids(app, 2) == ["m1", "m2"]


def test_a_session_of_years_is_read_as_fast_as_a_short_one(app: TestedApp) -> None:
    kept(app, "".join(line(number, text="words of a talk " * 20) for number in range(20_000)))
    began = time.process_time()
    assert ids(app, 20)[-1] == "m19999"
    assert time.process_time() - began < 0.05
