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
    assert ids(app, 3) == ["m6", "m7", "m8"]
    assert len(ids(app, 20)) == 9


def test_strangers_and_damaged_lines_take_nobodys_place(app: TestedApp) -> None:
    damaged = 'no record\n{"id": "x", "ts": 3, "role": "operator", "name": "", "text": "t"}\n'
    kept(app, line(1) + line(2, "agent") + line(3, "stranger") + damaged + line(4, "stranger") + '{"torn')
    assert ids(app, 2) == ["m1", "m2"]


def test_a_session_of_years_is_read_as_fast_as_a_short_one(app: TestedApp) -> None:
    kept(app, "".join(line(number, text="words of a talk " * 20) for number in range(20_000)))
    began = time.process_time()
    assert ids(app, 20)[-1] == "m19999"
    assert time.process_time() - began < 0.05


def test_a_message_is_found_by_its_id_however_that_is_written_and_never_by_what_others_say_of_it(
    app: TestedApp,
) -> None:
    kept(app, line(1, text="m2 is meant") + line(2).replace("m2", "\\u006d2") + line(3))
    found = conversation.record_of(app.files, "cli", "m2")
    assert found is not None
    assert found["text"] == "hello"
    assert conversation.record_of(app.files, "cli", "m") is None


def test_a_message_of_a_long_talk_is_found_without_reading_all_of_it(app: TestedApp) -> None:
    kept(app, "".join(line(number, text="words of a talk " * 20) for number in range(20_000)))
    began = time.process_time()
    assert conversation.record_of(app.files, "cli", "m19990") is not None
    assert conversation.record_of(app.files, "cli", "none") is None
    assert time.process_time() - began < 0.02
