"""Notices: the order of the checks, what each leaves on disk, and what a crash at any point costs."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from adjutant.app import App
from adjutant.clock import Clock
from adjutant.domain.telling import notices, standing
from adjutant.errors import FileDamaged, LockBusy, Stopped, UsageError
from adjutant.ports import Notifier, Refused, Told, Uncertain
from adjutant.store import config as config_file
from adjutant.store import jsonl
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import TestedApp, make_app, make_instance

DAY = "2026-11-20"


class Channel:
    """Delivers, or raises what it was told to."""

    channel = "test"

    def __init__(self, *raising: BaseException | None) -> None:
        self.texts: list[str] = []
        self.raising = list(raising)

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        error = self.raising.pop(0) if self.raising else None
        if isinstance(error, Refused | Stopped):
            raise error
        self.texts.append(text)
        if error is not None:
            raise error


def app_for(root: Path, channel: Notifier, now: str = f"{DAY}T09:00:00+00:00", **more: Any) -> TestedApp:
    return make_app(root, now=now, verb="notify", notifier=lambda app: channel, **more)


def world_of(files: Files, config: Config, clock: Clock, run: str, channel: Notifier) -> App:
    """An App of these files and this clock."""
    quiet: Any = {"say": lambda line: None, "dry_run": False}
    return App(files=files, config=config, clock=clock, run=run, notifier=lambda *name: channel, **quiet)


def send(root: Path, channel: Notifier, key: str = "k", kind: str = "manual", **more: Any) -> notices.Sent:
    return notices.Notices(app_for(root, channel, **more)).send("[home] boiler overdue", key, kind)


def count(root: Path, day: str = DAY) -> str | None:
    path = root / "state" / f"notify_count_{day}.txt"
    return path.read_text() if path.exists() else None


def told(root: Path, name: str = "notices") -> list[dict[str, Any]]:
    tree = Tree(str(root))
    return jsonl.read(Files(tree), getattr(tree, name))


def events(root: Path) -> list[tuple[str, str | None]]:
    return [(record["event"], record["outcome"]) for record in told(root)]


def test_a_notice_that_is_sent_is_counted_recorded_and_in_the_ledger(tmp_path: Path) -> None:
    channel = Channel()
    sent = send(tmp_path, channel)
    assert (sent.outcome, sent.key, sent.count, sent.max_per_day) == ("sent", "k", 1, 3)
    assert channel.texts == ["[home] boiler overdue"]
    assert count(tmp_path) == "1"
    assert [list(record)[:9] for record in told(tmp_path)] == 2 * [
        ["ts", "key", "event", "outcome", "kind", "text", "insight", "run", "channel"]
    ]
    assert events(tmp_path) == [("reserved", None), ("sent", "sent")]
    [line] = told(tmp_path, "actions")
    assert list(line)[:4] == ["ts", "type", "detail", "run"]
    assert (line["type"], line["detail"]) == ("notify", "[home] boiler overdue")


def test_the_slot_is_on_disk_before_anything_leaves(tmp_path: Path) -> None:
    class Looking(Channel):
        def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
            assert (count(tmp_path), events(tmp_path)) == ("1", [("reserved", None)])
            super().send(text, key)

    assert send(tmp_path, Looking()).outcome == "sent"


def test_the_checks_come_in_their_order(tmp_path: Path) -> None:
    make_instance(
        tmp_path, notifications={"max_per_day": 1, "quiet_hours": {"enabled": True, "start": "08:00", "end": "10:00"}}
    )
    channel, paused = Channel(), tmp_path / "PAUSED"
    assert send(tmp_path, channel, now=f"{DAY}T07:00:00+00:00").outcome == "sent"
    paused.touch()
    assert send(tmp_path, channel, dry_run=True).outcome == "paused"
    paused.unlink()
    dry = send(tmp_path, channel, dry_run=True)
    assert (dry.outcome, dry.would) == ("dry_run", "duplicate")
    assert send(tmp_path, channel).outcome == "duplicate"
    assert send(tmp_path, channel, key="other").outcome == "budget_exceeded"
    assert send(tmp_path, channel, key="other", now="2026-11-21T09:00:00+00:00").outcome == "quiet_hours"
    assert send(tmp_path, channel, key="other", now="2026-11-21T11:00:00+00:00").outcome == "sent"
    assert len(channel.texts) == 2


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_any_entry_named_paused_stops_a_notice(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "PAUSED")
    assert send(tmp_path, Channel()).outcome == "paused"
    assert count(tmp_path) is None
    assert events(tmp_path) == [("suppressed", "paused")]


def test_a_channel_is_not_even_built_when_nothing_may_leave(tmp_path: Path) -> None:
    def never(app: object) -> Notifier:
        raise AssertionError("built")

    app = make_app(tmp_path, verb="notify", notifier=never, dry_run=True)
    assert notices.Notices(app).send("x", "k", "manual").would == "sent"


class _PausingFiles(Files):
    """Sets PAUSED right after the reservation is on disk."""

    def append(self, path: str, record: Mapping[str, Any]) -> None:
        super().append(path, record)
        if record.get("event") == "reserved":
            Path(self.tree.paused).touch()


@pytest.mark.parametrize("gated", [True, False])
def test_paused_between_reservation_and_sending_gives_the_slot_back(tmp_path: Path, gated: bool) -> None:
    app, channel = app_for(tmp_path, Channel()), Channel()
    files = _PausingFiles(app.tree, gate=make_app(tmp_path, verb="pulse").gate if gated else None)
    sent = notices.Notices(world_of(files, app.config, app.clock, app.run, channel)).send("x", "k", "escalation")
    assert (sent.outcome, sent.count, channel.texts, count(tmp_path)) == ("paused", 0, [], "0")
    assert events(tmp_path) == [("reserved", None), ("suppressed", "paused")]
    (tmp_path / "PAUSED").unlink()
    assert send(tmp_path, channel).outcome == "sent"


def test_a_switch_that_the_channel_itself_meets_gives_the_slot_back(tmp_path: Path) -> None:
    assert send(tmp_path, Channel(Stopped("paused"))).outcome == "paused"
    assert count(tmp_path) == "0"


def test_another_runs_pause_does_not_free_a_slot_that_is_taken(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        send(tmp_path, Channel(KeyboardInterrupt()), run="run-a")
    (tmp_path / "PAUSED").touch()
    assert send(tmp_path, Channel(), run="run-b").outcome == "paused"
    (tmp_path / "PAUSED").unlink()
    assert send(tmp_path, Channel(), run="run-c").outcome == "duplicate"


def test_a_refused_notice_gives_its_slot_back_and_may_be_tried_again(tmp_path: Path) -> None:
    channel = Channel(Refused("HTTP 400: chat not found"))
    sent = send(tmp_path, channel)
    assert (sent.outcome, sent.count, sent.detail) == ("failed", 0, "HTTP 400: chat not found")
    assert count(tmp_path) == "0"
    assert told(tmp_path, "actions") == []
    assert send(tmp_path, channel).outcome == "sent"
    assert count(tmp_path) == "1"


def test_an_uncertain_notice_keeps_its_slot_and_is_never_sent_again(tmp_path: Path) -> None:
    channel = Channel(Uncertain("HTTP 500"))
    assert send(tmp_path, channel).outcome == "unknown"
    assert count(tmp_path) == "1"
    assert [line["outcome"] for line in told(tmp_path, "actions")] == ["unknown"]
    assert send(tmp_path, channel, now="2026-11-21T09:00:00+00:00").outcome == "duplicate"
    assert len(channel.texts) == 1


def test_a_crash_while_sending_reads_as_unknown(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        send(tmp_path, Channel(KeyboardInterrupt()))
    app = app_for(tmp_path, Channel())
    [held] = standing.status(app.files, app.config, app.clock)["notices_unsent"]
    assert held["outcome"] == "unknown"
    assert send(tmp_path, Channel()).outcome == "duplicate"
    assert count(tmp_path) == "1"


def test_a_kill_between_count_and_record_costs_a_slot_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / f"notify_count_{DAY}.txt").write_text("1")
    channel = Channel()
    assert [send(tmp_path, channel, key=f"k{n}").outcome for n in range(3)] == ["sent", "sent", "budget_exceeded"]


def test_a_lost_count_file_gives_no_second_budget(tmp_path: Path) -> None:
    channel = Channel()
    for n in range(2):
        send(tmp_path, channel, key=f"k{n}")
    (tmp_path / "state" / f"notify_count_{DAY}.txt").unlink()
    assert [send(tmp_path, channel, key=f"m{n}").outcome for n in range(2)] == ["sent", "budget_exceeded"]
    assert count(tmp_path) == "3"


@pytest.mark.parametrize("content", [b"abc", b"", b"-1", b"1.5", b"1 2", "٣".encode(), b"\xff\xfe", b"0x2", b"9" * 99])
def test_a_count_file_that_is_no_integer_means_no_budget_loudly(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state" / f"notify_count_{DAY}.txt"
    path.parent.mkdir()
    path.write_bytes(content)
    channel, app = Channel(), app_for(tmp_path, Channel())
    sent = send(tmp_path, channel)
    assert (sent.outcome, sent.count, channel.texts) == ("budget_exceeded", 3, [])
    assert path.read_bytes() == content
    assert path.name in sent.detail
    said = notices.Notices(app).send("x", "k", "manual")
    assert said.outcome == "budget_exceeded"
    assert any(path.name in line for line in app.said)
    status = standing.status(app.files, app.config, app.clock)
    assert status["budget"] == {"used": 3, "max": 3, "left": 0}
    assert [path.name in problem for problem in status["problems"]] == [True]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/null")])
def test_something_else_in_the_count_files_place_means_no_budget(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "state").mkdir()
    make(tmp_path / "state" / f"notify_count_{DAY}.txt")
    assert send(tmp_path, Channel()).outcome == "budget_exceeded"


def test_a_count_file_one_day_ahead_counts_as_today(tmp_path: Path) -> None:
    channel = Channel()
    for n in range(2):
        send(tmp_path, channel, key=f"k{n}", now="2026-11-21T00:10:00+00:00")
    late = f"{DAY}T23:50:00+00:00"
    assert [send(tmp_path, channel, key=f"m{n}", now=late).outcome for n in range(2)] == ["sent", "budget_exceeded"]
    assert (count(tmp_path), count(tmp_path, "2026-11-21")) == (None, "3")
    assert send(tmp_path, channel, key="z", now="2026-11-21T09:00:00+00:00").outcome == "budget_exceeded"


def test_count_files_further_ahead_are_ignored_and_named(tmp_path: Path) -> None:
    send(tmp_path, Channel(), key="far", now="2026-12-24T09:00:00+00:00")
    app = app_for(tmp_path, Channel())
    assert notices.Notices(app).send("x", "k", "manual").count == 1
    assert any("notify_count_2026-12-24.txt" in line for line in app.said)
    assert "notify_count_2026-12-24.txt" in standing.status(app.files, app.config, app.clock)["problems"][0]


def test_at_most_three_definite_failures_a_free_slot_are_tried(tmp_path: Path) -> None:
    make_instance(tmp_path, notifications={"max_per_day": 2})
    channel = Channel(*(Refused("HTTP 400") for _ in range(99)))
    outcomes = [send(tmp_path, channel, key=f"k{n}").outcome for n in range(8)]
    assert outcomes == ["failed"] * 6 + ["budget_exceeded"] * 2
    assert send(tmp_path, channel, key="k", now="2026-11-21T09:00:00+00:00").outcome == "failed"


def test_advice_takes_one_slot_a_day_and_never_the_last(tmp_path: Path) -> None:
    channel = Channel()
    assert send(tmp_path, channel, key="a1", kind="advice").outcome == "sent"
    assert send(tmp_path, channel, key="a2", kind="advice").outcome == "budget_exceeded"
    assert send(tmp_path, channel, key="m1").outcome == "sent"
    assert send(tmp_path, channel, key="m2").outcome == "sent"
    tomorrow = "2026-11-21T09:00:00+00:00"
    for n in range(2):
        assert send(tmp_path, channel, key=f"n{n}", now=tomorrow).outcome == "sent"
    assert send(tmp_path, channel, key="a3", kind="advice", now=tomorrow).outcome == "budget_exceeded"
    assert send(tmp_path, channel, key="n2", now=tomorrow).outcome == "sent"


def test_with_no_budget_at_all_nothing_leaves(tmp_path: Path) -> None:
    make_instance(tmp_path, notifications={"max_per_day": 0})
    assert send(tmp_path, Channel()).outcome == "budget_exceeded"


def test_a_key_is_remembered_for_thirty_days(tmp_path: Path) -> None:
    channel = Channel()
    assert send(tmp_path, channel).outcome == "sent"
    assert send(tmp_path, channel, now="2026-12-20T08:59:59+00:00").outcome == "duplicate"
    assert send(tmp_path, channel, now="2026-12-20T09:00:01+00:00").outcome == "sent"


def test_a_dry_run_decides_the_same_and_changes_nothing_but_the_record(tmp_path: Path) -> None:
    make_instance(tmp_path, notifications={"max_per_day": 1})
    channel, app = Channel(), app_for(tmp_path, Channel(), dry_run=True)
    pretending = notices.Notices(app)
    found = [pretending.send("x", key, "manual") for key in ("a", "a", "b")]
    assert [(sent.outcome, sent.would) for sent in found] == [
        ("dry_run", "sent"),
        ("dry_run", "duplicate"),
        ("dry_run", "budget_exceeded"),
    ]
    assert [record["would"] for record in told(tmp_path)] == ["sent", "duplicate", "budget_exceeded"]
    assert (count(tmp_path), told(tmp_path, "actions")) == (None, [])
    assert standing.held_back(app.files, app.clock) == []
    assert send(tmp_path, channel, key="a").outcome == "sent"


def test_held_back_notices_wait_until_a_review_has_carried_them(tmp_path: Path) -> None:
    make_instance(tmp_path, notifications={"max_per_day": 1})
    channel = Channel(None, Refused("HTTP 400"))
    send(tmp_path, channel, key="sent")
    send(tmp_path, channel, key="sent")
    send(tmp_path, channel, key="over")
    send(tmp_path, channel, key="failed", now="2026-11-21T09:00:00+00:00")
    app = app_for(tmp_path, channel, now="2026-11-21T20:00:00+00:00")
    held = standing.held_back(app.files, app.clock)
    assert {notice["key"]: notice["outcome"] for notice in held} == {"over": "budget_exceeded", "failed": "failed"}
    standing.fold(app.files, held, now=app.clock.now(), run="r")
    assert standing.held_back(app.files, app.clock) == []
    send(tmp_path, channel, key="later", now="2026-11-21T21:00:00+00:00")
    send(tmp_path, channel, key="over", now="2026-11-21T21:00:00+00:00")
    assert [notice["key"] for notice in standing.held_back(app.files, app.clock)] == ["over"]


def test_a_dry_review_folds_nothing(tmp_path: Path) -> None:
    (tmp_path / "PAUSED").touch()
    send(tmp_path, Channel())
    app = app_for(tmp_path, Channel(), dry_run=True)
    held = standing.held_back(app.files, app.clock)
    standing.fold(app.files, held, now=app.clock.now(), run="r")
    assert standing.held_back(app.files, app.clock) == held != []


def test_damaged_lines_of_the_record_stop_nothing_and_a_damaged_file_stops_the_sending(tmp_path: Path) -> None:
    channel, record = Channel(), tmp_path / "state" / "notices.jsonl"
    send(tmp_path, channel)
    record.write_bytes(b'{"key": 7}\n\xff\n[1]\n' + record.read_bytes() + b'{"ts": "x", "key": "torn')
    assert send(tmp_path, channel).outcome == "duplicate"
    record.unlink()
    record.mkdir()
    with pytest.raises(FileDamaged, match=r"notices\.jsonl"):
        send(tmp_path, channel, key="other")
    assert len(channel.texts) == 1


def test_a_held_lock_stops_the_sending(tmp_path: Path) -> None:
    app, channel = app_for(tmp_path, Channel()), Channel()

    class Impatient(Files):
        def lock(self, name: str, wait: float = 0.05) -> Any:
            return super().lock(name, 0.05)

    with app.files.lock("notices"), pytest.raises(LockBusy):
        notices.Notices(world_of(Impatient(app.tree), app.config, app.clock, "r", channel)).send("x", "k", "manual")
    assert channel.texts == []


def test_no_lock_is_held_while_the_message_is_on_its_way(tmp_path: Path) -> None:
    class Nested(Channel):
        def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
            if key == "outer":
                assert send(tmp_path, Channel(), key="inner").outcome == "sent"
            super().send(text, key)

    assert send(tmp_path, Nested(), key="outer").outcome == "sent"
    assert count(tmp_path) == "2"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[home] a **bold** claim", "[home] a bold claim"),
        ("one\ntwo\r\n\u2028three\x1b[31m", "one two three(31m"),
        ("[kb] [link](http://x.y) <b>now</b>", "[kb] link (http://x.y) now"),
        ("a\u202eb\u200bc", "abc"),
    ],
)
def test_control_characters_and_markup_are_removed(tmp_path: Path, text: str, left: str) -> None:
    channel = Channel()
    notices.Notices(app_for(tmp_path, channel)).send(text, "k", "manual")
    assert channel.texts == [left]


@pytest.mark.parametrize(
    ("kind", "most"),
    [("manual", 500), ("failure", 500), ("advice", 500), ("escalation", 1200), ("review", 3900)],
)
def test_a_notice_has_the_characters_and_lines_of_its_kind(tmp_path: Path, kind: str, most: int) -> None:
    channel = Channel()
    for number, text in enumerate(("Late:\n- Boiler **leaks**\n\n" + "- a line of many\n" * 400, "b" * 5000)):
        notices.Notices(app_for(tmp_path / str(number), channel)).send(text, "k", kind)
    long, wide = channel.texts
    assert len(long) <= most
    assert len(wide) == 500
    assert wide.endswith("b…")
    if most == 500:
        assert long.startswith("Late: - Boiler leaks - a line of many -")
        assert "\n" not in long
    else:
        assert long.split("\n")[:3] == ["Late:", "- Boiler leaks", "- a line of many"]


@pytest.mark.parametrize(
    ("text", "key", "kind"),
    [
        ("", "k", "manual"),
        (" \n", "k", "manual"),
        ("x", "", "manual"),
        ("x", "a\nb", "manual"),
        ("x", "k", "spam"),
        ("x", "k" * 121, "manual"),
    ],
)
def test_a_notice_without_text_key_or_kind_is_refused(tmp_path: Path, text: str, key: str, kind: str) -> None:
    with pytest.raises(UsageError):
        notices.Notices(app_for(tmp_path, Channel())).send(text, key, kind)
    assert not (tmp_path / "state" / "notices.jsonl").exists()


@pytest.mark.parametrize(
    ("start", "end", "now", "quiet"),
    [
        ("22:00", "07:00", "21:59", False),
        ("22:00", "07:00", "22:00", True),
        ("22:00", "07:00", "00:00", True),
        ("22:00", "07:00", "06:59", True),
        ("22:00", "07:00", "07:00", False),
        ("12:00", "13:00", "12:30", True),
        ("12:00", "13:00", "13:00", False),
        ("12:00", "13:00", "00:30", False),
        ("12:00", "12:00", "12:00", False),
    ],
)
def test_quiet_hours_hold_back_across_midnight_too(tmp_path: Path, start: str, end: str, now: str, quiet: bool) -> None:
    make_instance(tmp_path, notifications={"quiet_hours": {"enabled": True, "start": start, "end": end}})
    sent = send(tmp_path, Channel(), now=f"{DAY}T{now}:00+00:00")
    assert sent.outcome == ("quiet_hours" if quiet else "sent")
    assert count(tmp_path) == (None if quiet else "1")


class World:
    """A clock that a test moves, in a zone that a test changes; it counts what left, by instant and by local day."""

    def __init__(self, root: Path, maximum: int) -> None:
        make_instance(root, notifications={"max_per_day": maximum})
        self.root, self.maximum = root, maximum
        self.seconds = datetime(2026, 3, 27, 12, tzinfo=ZoneInfo("Europe/Oslo")).timestamp()
        self.zone = ZoneInfo("Europe/Oslo")
        self.left: list[tuple[float, str]] = []
        self.number = 0
        self.late = 0.0
        self.files: type[_SlowFiles] = _SlowFiles

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.seconds, time.monotonic, self.zone)

    def send(self, error: BaseException | None = None) -> str:
        files = self.files(Tree(str(self.root)), self)
        config, channel = config_file.load(Files(files.tree)), Channel(error)
        self.number += 1
        try:
            sent = (
                notices.Notices(world_of(files, config, self.clock, f"run-{self.number}", channel))
                .send("x", f"k{self.number}", "manual")
                .outcome
            )
        except KeyboardInterrupt:
            sent = "crashed"
        if channel.texts:
            self.left.append((self.seconds, self.clock.now().date().isoformat()))
            self.check()
        return sent

    def check(self) -> None:
        """Never more on one local day, as the clock told it then, nor as the zone of now tells it."""
        today = self.clock.now().date()
        in_this_zone = sum(self.clock.local(moment).date() == today for moment, _ in self.left)
        as_told = sum(day == today.isoformat() for _, day in self.left)
        assert max(in_this_zone, as_told) <= self.maximum


class _SlowFiles(Files):
    """The wall clock moves by `late` seconds once the reservation is on disk."""

    def __init__(self, tree: Tree, world: World) -> None:
        super().__init__(tree)
        self.world = world

    def append(self, path: str, record: Mapping[str, Any]) -> None:
        super().append(path, record)
        if record.get("event") == "reserved":
            self.world.seconds += self.world.late
            self.world.late = 0.0


def test_a_notice_reserved_before_midnight_does_not_leave_after_it_uncounted(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.seconds = datetime(2026, 3, 27, 23, 59, 58, tzinfo=world.zone).timestamp()
    world.late = 5.0
    assert world.send() == "sent"
    assert (count(tmp_path, "2026-03-27"), count(tmp_path, "2026-03-28")) == ("0", "1")
    assert world.send() == "budget_exceeded"


def test_a_notice_that_midnight_overtook_may_be_held_back_and_leaves_another_day(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.seconds = datetime(2026, 3, 28, 9, tzinfo=world.zone).timestamp()
    assert world.send() == "sent"
    world.seconds = datetime(2026, 3, 27, 23, 59, 58, tzinfo=world.zone).timestamp()
    (tmp_path / "state" / "notify_count_2026-03-28.txt").write_text("0")
    world.late = 5.0
    assert world.send() == "budget_exceeded"
    held = standing.held_back(Files(Tree(str(tmp_path))), world.clock)
    assert [(notice["key"], notice["outcome"]) for notice in held] == [("k2", "budget_exceeded")]


def test_a_change_of_zone_gives_no_second_budget(tmp_path: Path) -> None:
    world = World(tmp_path, 3)
    assert [world.send() for _ in range(4)] == ["sent"] * 3 + ["budget_exceeded"]
    for name in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Oslo"):
        world.zone = ZoneInfo(name)
        world.send()


@pytest.mark.parametrize("seed", range(6))
def test_no_jump_of_clock_or_zone_and_no_crash_ever_gives_a_second_budget(tmp_path: Path, seed: int) -> None:
    dice, world = random.Random(seed), World(tmp_path, 2)
    zones = [ZoneInfo(name) for name in ("Europe/Oslo", "America/New_York", "Pacific/Auckland", "UTC")]
    errors = (None, None, None, Refused("no"), Uncertain("?"), KeyboardInterrupt())
    for _ in range(90):
        move = dice.random()
        if move < 0.55:
            world.seconds += dice.choice((60, 3600, 7200, 6 * 3600))
        elif move < 0.7:
            world.seconds += dice.choice((-1, 1)) * dice.choice((3600, 86400, 2 * 86400, 40 * 86400))
        elif move < 0.8:
            world.zone = dice.choice(zones)
        elif move < 0.85:
            world.late = dice.choice((3600.0, 86400.0))
        world.send(dice.choice(errors))
    assert len(world.left) > 5


def test_the_simulation_sees_a_budget_that_is_not_written_down(tmp_path: Path) -> None:
    class Forgetful(_SlowFiles):
        def replace(self, path: str, content: str | bytes, expect: str | None = None) -> None:
            if "notify_count" not in path:
                super().replace(path, content, expect)

        def append(self, path: str, record: Mapping[str, Any]) -> None:
            if record.get("event") != "reserved":
                super().append(path, record)

    world = World(tmp_path, 2)
    world.files = Forgetful
    with pytest.raises(AssertionError):
        for _ in range(3):
            world.send()


def test_the_silence_after_jumps_ends_within_two_days(tmp_path: Path) -> None:
    world = World(tmp_path, 2)
    for jump in (86400, -86400, 40 * 86400, -40 * 86400):
        world.seconds += jump
        for _ in range(3):
            world.send()
    world.seconds += timedelta(days=3).total_seconds()
    assert world.send() == "sent"


def test_records_stay_readable_whatever_the_text(tmp_path: Path) -> None:
    app = app_for(tmp_path, Channel())
    notices.Notices(app).send('"}\n{"event": "sent", "key": "forged"}\ud800\u2028', "k", "manual")
    lines = (tmp_path / "state" / "notices.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["key"] for line in lines if line] == ["k", "k"]
