"""state/telegram.jsonl and its replay."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path

import pytest

from adjutant.clock import Clock
from adjutant.records import telegram_log
from adjutant.records.telegram_log import DONE, NEWEST, REPLY, SKIPPED, STARTED, Job, ListenerState, Log, Other, Update
from adjutant.store.files import Files
from adjutant.store.tree import Tree

NOON, WEEK_LATER = "2026-11-20T12:00:00+00:00", "2026-11-27T12:00:00+00:00"


def build(root: Path, now: str = NOON) -> Log:
    moment = datetime.fromisoformat(now)
    return Log(Files(Tree(str(root))), Clock(moment.timestamp, lambda: 0.0, moment.tzinfo))


def standing(root: Path, now: str = NOON) -> ListenerState:
    return build(root, now).standing("telegram-1")


def path(root: Path) -> Path:
    return root / "state" / "telegram.jsonl"


def job(id: int, text: str = "hello", session: str = "telegram-1") -> Job:
    return Job(Update(id, 1000 + id, text), session)


def test_without_a_log_all_that_waits_is_read(tmp_path: Path) -> None:
    assert standing(tmp_path) == ListenerState(0, frozenset(), (), "telegram-1", ())


def test_what_was_received_is_undone_until_it_is_done(tmp_path: Path) -> None:
    made = build(tmp_path)
    made.receive([job(7), Other(8, "stranger", 5, 6), job(9, "/kb"), job(10, "/pulse")])
    made.note(STARTED, 9)
    made.note(REPLY, 9, text="none", outcome="answered")
    made.note(STARTED, 10)
    made.note(DONE, 7, outcome="answered")
    was = standing(tmp_path)
    assert was.offset == 11
    assert was.known == {7, 8, 9, 10}
    assert was.damage == ""
    assert was.undone == (
        job(9, "/kb")._replace(begun=1, reply="none", outcome="answered"),
        job(10, "/pulse")._replace(begun=1),
    )
    assert was.dates == (1007, 1009, 1010)


def test_a_strangers_text_is_not_kept(tmp_path: Path) -> None:
    build(tmp_path).receive([Other(8, "stranger", 5, 6)])
    assert json.loads(path(tmp_path).read_text()) == {
        "ts": NOON,
        "update": 8,
        "event": "ignored",
        "reason": "stranger",
        "chat": 5,
        "sender": 6,
    }


def test_the_conversation_is_that_of_the_last_message(tmp_path: Path) -> None:
    build(tmp_path).receive([job(7), job(8, "/new", "telegram-1-8")])
    assert standing(tmp_path).session == "telegram-1-8"


def test_after_a_week_without_messages_the_numbers_begin_anew(tmp_path: Path) -> None:
    build(tmp_path).receive([job(7)])
    assert standing(tmp_path).offset == 8
    assert standing(tmp_path, WEEK_LATER).offset == 0
    assert standing(tmp_path, WEEK_LATER).known == {7}


def test_a_torn_last_line_was_never_acknowledged_and_is_no_damage(tmp_path: Path) -> None:
    build(tmp_path).receive([job(7), job(8)])
    whole = path(tmp_path).read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole)):
        path(tmp_path).write_bytes(whole[:length])
        was = standing(tmp_path)
        assert was.damage == ""
        assert was.offset == (9 if length == len(whole) - 1 else 8)


@pytest.mark.parametrize("bad", [b"\x00\xff\n", b'{"update": 9, "event": "recei\n', b"[]\n", b'"x"\n', b"9\n"])
def test_a_bad_line_at_the_end_means_the_newest(tmp_path: Path, bad: bytes) -> None:
    made = build(tmp_path)
    made.receive([job(7)])
    path(tmp_path).write_bytes(path(tmp_path).read_bytes() + bad)
    was = standing(tmp_path)
    assert was.offset == NEWEST
    assert "telegram.jsonl" in was.damage
    made.note(SKIPPED, 12)
    assert standing(tmp_path).offset == 13
    assert standing(tmp_path).damage == ""


def test_a_bad_line_before_the_last_message_is_no_damage(tmp_path: Path) -> None:
    made = build(tmp_path)
    made.receive([job(7)])
    path(tmp_path).write_bytes(path(tmp_path).read_bytes() + b"??\n")
    made.receive([job(8)])
    assert standing(tmp_path).offset == 9
    assert standing(tmp_path).damage == ""


@pytest.mark.parametrize(
    "row",
    [
        {"update": "7", "event": "received"},
        {"update": True, "event": "received"},
        {"update": 7},
        {"update": 7, "event": "received", "date": "x", "text": "t", "session": "s"},
        {"update": 7, "event": "received", "date": 1, "text": ["t"], "session": "s"},
        {"update": 7, "event": "reply", "text": 5},
        {"update": 1 << 60, "event": "skipped"},
        {},
    ],
)
def test_an_odd_record_is_no_message(tmp_path: Path, row: dict[str, object]) -> None:
    path(tmp_path).parent.mkdir()
    path(tmp_path).write_text(json.dumps(row) + "\n")
    assert standing(tmp_path).undone == ()
    assert standing(tmp_path).offset in (0, 8)


def test_any_bytes_at_all_replay_to_something(tmp_path: Path) -> None:
    made, chance = build(tmp_path), random.Random(1)
    made.receive([job(7), job(8, "/new")])
    made.note(STARTED, 7)
    made.note(REPLY, 7, text="x", outcome="answered")
    whole = path(tmp_path).read_bytes()
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path(tmp_path).write_bytes(data)
        assert standing(tmp_path).offset >= NEWEST


def test_a_long_log_is_cut_and_what_is_undone_stays(tmp_path: Path) -> None:
    made = build(tmp_path)
    made.receive([job(1, "/pulse")])
    made.note(STARTED, 1)
    made.receive([job(2)])
    made.note(DONE, 2, outcome="answered")
    made.cut()
    before = path(tmp_path).read_bytes()
    made.receive([job(number, "x" * 4000) for number in range(3, 330)])
    made.note(DONE, *range(3, 330), outcome="answered")
    made.cut()
    assert before.startswith(path(tmp_path).read_bytes()[:20])
    assert path(tmp_path).stat().st_size < telegram_log.LIMIT * 0.6
    was = standing(tmp_path)
    assert was.offset == 330
    assert was.undone == (job(1, "/pulse")._replace(begun=1),)
    assert 2 not in was.known
