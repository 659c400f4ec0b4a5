"""state/interactions.jsonl: read back as it was added, with what came later; whatever was written twice or broken."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjutant.records import interactions, rotation
from adjutant.records.interactions import CYCLE, SIGNALS, TURN, Interaction, friction_of
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests import working

NOW = datetime.fromisoformat("2026-11-20T18:00:00+00:00")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(Tree(str(tmp_path)))


def made(id: str, hour: int = 9, *signals: str, **more: Any) -> Interaction:
    moment = (NOW.replace(hour=0) + timedelta(hours=hour)).isoformat()
    return Interaction(
        **{
            "id": id,
            "ts": moment,
            "kind": TURN,
            "session": "cli",
            "friction_signals": signals,
            "friction": friction_of(signals),
            **more,
        }
    )


def raw(files: Files, *lines: bytes) -> None:
    path = Path(files.tree.interactions)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as log:
        log.write(b"".join(line + b"\n" for line in lines))


def test_what_is_added_is_read_back_whole(files: Files) -> None:
    assert interactions.read(files) == []
    one = made("a", 9, "degraded", agent="coder", items=("user#hours",), parts={"soul": 7}, tokens=3, concept="æøå")
    interactions.append(files, one)
    assert interactions.read(files) == [one]


def test_the_oldest_comes_first_whatever_the_order_of_the_lines(files: Files) -> None:
    for id, hour in (("b", 12), ("a", 8), ("c", 15)):
        interactions.append(files, made(id, hour))
    assert [each.id for each in interactions.read(files)] == ["a", "b", "c"]


def test_a_late_signal_counts_once_and_one_of_nothing_not_at_all(files: Files) -> None:
    interactions.append(files, made("a", 9, "degraded"))
    for of in ("a", "a", "nobody"):
        interactions.signal(files, of, "corrected", "cli/b", NOW)
    (found,) = interactions.read(files)
    assert found.friction_signals == ("degraded", "corrected")
    assert found.friction == friction_of(("degraded", "corrected")) == 0.76
    assert Path(files.tree.interactions).read_text().count('"signal": "corrected"') == 2, "no line is added twice"


@pytest.mark.parametrize(
    ("marks", "friction"),
    (
        (("useful", "useless"), 0.6),
        (("useless", "useful"), 0.0),
        (("useless", "useful", "useless"), 0.6),
    ),
)
def test_of_the_marks_of_one_notice_the_last_counts(files: Files, marks: tuple[str, ...], friction: float) -> None:
    interactions.append(files, made("RUN-1-escalation", kind=CYCLE, notices=("key-1", "key-2")))
    for name in (*marks, marks[-1]):
        interactions.signal(files, "RUN-1-escalation", name, "key-1", NOW)
    assert len(files.read(files.tree.interactions).splitlines()) == 1 + len(marks)
    assert interactions.read(files)[0].friction == friction
    interactions.signal(files, "RUN-1-escalation", "useful", "key-2", NOW)
    assert interactions.read(files)[0].friction == 0.0  # one of its notices was


@pytest.mark.parametrize(
    "more",
    (
        {"tokens": 10**400},
        {"rounds": -1},
        {"friction": 1e308},
        {"confidence": 7},
        {"ts": "9999-12-31T23:00:00-14:00"},
    ),
)
def test_figures_and_times_that_cannot_be_are_a_damaged_line(files: Files, more: dict[str, Any]) -> None:
    interactions.append(files, made("a", 9))
    raw(files, json.dumps(msgspec.to_builtins(made("b", 10)) | more).encode())
    assert [each.id for each in interactions.read(files)] == ["a"]


def test_a_second_line_of_the_same_id_is_ignored(files: Files) -> None:
    interactions.append(files, made("a", agent="first"))
    interactions.append(files, made("a", agent="second"))
    assert [each.agent for each in interactions.read(files)] == ["first"]


def test_a_recorded_friction_stands_where_nothing_came_later(files: Files) -> None:
    interactions.append(files, made("a", friction=0.5))
    assert interactions.read(files)[0].friction == 0.5


def test_damaged_lines_are_left_out_and_all_others_read(files: Files) -> None:
    good = json.dumps(msgspec.to_builtins(made("good"))).encode()
    raw(
        files,
        b"{",
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        good.replace(b'"good"', b'""'),
        good.replace(b'"turn"', b'"talk"'),
        good.replace(b'"2026-11-20T09', b'"20-11-20T09'),
        good.replace(b"+00:00", b""),
        b"[" * 100_000,
        good.replace(b'"tokens": 0', b'"tokens": "many"'),
        b'{"event": "signal", "of": "good"}',
        b'{"event": "signal", "of": "good", "signal": "bored"}',
        b'{"event": "signal", "of": ["good"], "signal": 7}',
        b'{"event": "other", "of": "good", "signal": "corrected"}',
        good[:50],
        good,
    )
    assert interactions.read(files) == [made("good")]


@settings(derandomize=True, max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.binary(max_size=60)
        | st.sampled_from(
            [
                json.dumps(msgspec.to_builtins(made("a"))).encode(),
                b'{"event": "signal", "of": "a", "signal": "corrected"}',
            ]
        ),
        max_size=8,
    )
)
def test_any_bytes_at_all_are_read(lines: list[bytes]) -> None:
    found = interactions.fold(b"\n".join(lines), NOW)
    assert [each.id for each in found] in ([], ["a"])
    if found:
        assert set(found[0].friction_signals) <= {"corrected", "abandoned"}


# -- abandoned -----------------------------------------------------------------------------------------------


def abandoned(files: Files, now: datetime = NOW) -> list[str]:
    return [each.id for each in interactions.read(files, now) if "abandoned" in each.friction_signals]


def test_a_talk_that_ended_with_something_wrong_is_abandoned_after_six_hours(files: Files) -> None:
    interactions.append(files, made("a", 9, "degraded"))
    assert abandoned(files, NOW.replace(hour=14)) == []
    assert abandoned(files, NOW.replace(hour=15)) == ["a"]
    assert interactions.read(files)[0].friction_signals == ("degraded",), "only with a time to judge by"
    assert interactions.read(files, NOW)[0].friction == friction_of(("degraded", "abandoned"))


def test_nothing_wrong_or_something_said_soon_after_is_no_abandoning(files: Files) -> None:
    interactions.append(files, made("smooth", 2, session="one"))
    interactions.append(files, made("busy", 2, "many_rounds", session="two"))
    interactions.append(files, made("wrong", 2, "failed", session="three"))
    interactions.append(files, made("after", 7, session="three"))
    interactions.append(files, made("elsewhere", 2, "failed", session="four"))
    interactions.append(files, made("task", 2, "failed", session="five", kind="task"))
    assert abandoned(files) == ["elsewhere"]


def test_a_talk_taken_up_the_next_day_was_abandoned_the_day_before(files: Files) -> None:
    interactions.append(files, made("a", 1))
    interactions.append(files, made("b", 10))
    assert abandoned(files) == []
    interactions.signal(files, "a", "corrected", "cli/b", NOW)
    assert abandoned(files) == ["a"]


def test_what_lies_ahead_of_the_time_judged_by_is_not_there_yet(files: Files) -> None:
    interactions.append(files, made("a", 1, "failed"))
    interactions.append(files, made("b", 4, "failed"))
    assert abandoned(files, NOW.replace(hour=3)) == []


# -- dry runs, rotation, size, status ------------------------------------------------------------------------


def test_a_dry_run_adds_nothing(tmp_path: Path) -> None:
    dry = Files(Tree(str(tmp_path)), dry=True)
    interactions.append(dry, made("a"))
    interactions.signal(dry, "a", "corrected", "cli/b", NOW)
    assert not (tmp_path / "state").exists()
    assert interactions.read(dry) == []


def test_rotation_moves_lines_of_both_kinds_and_what_stays_is_read(files: Files) -> None:
    for number in range(6):
        interactions.append(files, made(f"i{number}", number))
        interactions.signal(files, f"i{number}", "corrected", "x/y", NOW)
    moved = rotation.rotate(files, "interactions", 5, NOW)
    assert sum(moved.values()) == 7
    found = interactions.read(files)
    assert [each.id for each in found] == ["i4", "i5"]
    assert all("corrected" in each.friction_signals for each in found)
    interactions.signal(files, "i0", "useful", "x/y", NOW)
    assert len(interactions.read(files)) == 2


def test_the_work_of_reading_grows_with_the_lines() -> None:
    rows = [
        json.dumps(
            msgspec.to_builtins(
                made(
                    f"i{n}",
                    n % 24,
                    session=f"s{n % 40}",
                    retrieved=("kb/a", "kb/b") * 4,
                    parts=dict.fromkeys("abcdefghij", 100),
                )
            )
        )
        for n in range(1_000)
    ]
    late = [json.dumps({"ts": "", "event": "signal", "of": f"i{n}", "signal": SIGNALS[0]}) for n in range(1_000)]

    def read(count: int) -> None:
        data = "\n".join((*rows[:count], *late[:count])).encode()
        assert len(interactions.fold(data, NOW)) == count

    assert working.grows(read, 500) < 2.2
