"""What older notices amount to is kept beside the log, and never says anything else than the log itself."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.clock import Clock
from adjutant.records import notice_log
from adjutant.records.notice_log import History
from adjutant.store import jsonl
from tests.conftest import NOW, TestedApp, make_app

OUTCOMES = ("paused", "budget_exceeded", "quiet_hours", "duplicate", "dry_run")


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return make_app(tmp_path / "mine", verb="review")


def at(app: TestedApp, day: float) -> Clock:
    """The clock so many days after NOW."""
    return Clock(lambda: 0.0, lambda: 0.0, None, app.clock.parse(NOW) + timedelta(days=day))


def line(app: TestedApp, day: float, key: str, event: str, outcome: str | None = None, **more: Any) -> str:
    record = {"ts": at(app, day).now().isoformat(), "key": key, "event": event, "outcome": outcome, "run": "r"} | more
    return json.dumps({**record, "text": "[home] boiler overdue, and what else there is to be said of it" * 2}) + "\n"


def lived(app: TestedApp, chance: random.Random, first: int, last: int) -> str:
    """What so many days leave: notices that were sent, held back, given back, cut off, carried; a clock that jumps."""
    lines: list[str] = []
    for day in range(first, last):
        for _ in range(chance.randrange(1, 5)):
            key, run, moment = f"k{chance.randrange(60)}", f"r{chance.randrange(400)}", day + chance.random()
            event = chance.choice(
                ("sent", "sent", "unknown", "failed", "suppressed", "suppressed", "folded", "reserved")
            )
            if chance.random() < 0.03:
                moment += chance.choice((-40, 40))
            if event in ("sent", "unknown", "failed"):
                lines.append(line(app, moment, key, "reserved", run=run, kind=chance.choice(("manual", "advice"))))
            outcome = chance.choice(OUTCOMES) if event == "suppressed" else None
            more = {"returned": True} if event in ("failed", "suppressed") and chance.random() < 0.4 else {}
            lines.append(line(app, moment, key, event, outcome, run=run, **more))
        if chance.random() < 0.05:
            lines.append(chance.choice(("no record\n", '{"key": "k1", "event": "sent", "ts": "at no time"}\n', "\n")))
    return "".join(lines)


def says(app: TestedApp, records: list[dict[str, Any]], clock: Clock) -> list[object]:
    history = History(records, clock, clock.now())
    return [history.used, history.advice, history.failures, history.spent, list(history.unsent.items())]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in range(2, 10))])
def test_what_is_kept_says_what_the_log_says_at_every_later_moment_and_at_earlier_ones(
    app: TestedApp, seed: int
) -> None:
    chance, path, day = random.Random(seed), Path(app.tree.notices), 0
    for _ in range(4):
        with path.open("a") as file:
            file.write(lived(app, chance, day, day := day + 60))
        notice_log.keep(app.files, at(app, day))
        kept = json.loads(Path(app.tree.notices_cache).read_text())
        assert kept["size"] == path.stat().st_size
        for later in (0, 1, 29, 31, 100, -1, -50):
            with path.open("a") as file:
                file.write(lived(app, chance, day, day + 1))
            clock = at(app, day + later)
            every = jsonl.read(app.files, app.tree.notices)
            assert says(app, notice_log.read(app.files, clock.now()), clock) == says(app, every, clock)


@pytest.mark.parametrize("change", ["an edit", "rotated", "shorter", "gone", "damaged", "a folder", "of nobody"])
def test_what_was_kept_of_another_log_counts_for_nothing(app: TestedApp, change: str) -> None:
    path, cache = Path(app.tree.notices), Path(app.tree.notices_cache)
    path.write_text("".join(line(app, number / 10, f"k{number}", "sent") for number in range(300)))
    notice_log.keep(app.files, at(app, 80))
    assert len(notice_log.read(app.files, at(app, 80).now())) == 300
    assert cache.exists()
    data = path.read_bytes()
    if change == "an edit":
        path.write_bytes(data.replace(b'"k7"', b'"x7"'))
    elif change == "rotated":
        path.write_bytes(b"".join(data.splitlines(keepends=True)[200:]))
    elif change == "shorter":
        path.write_bytes(data[: len(data) // 2])
    elif change == "gone":
        path.unlink()
    else:
        cache.unlink()
        if change == "a folder":
            cache.mkdir()
        else:
            cache.write_text("{" if change == "damaged" else '["size"]')
    clock = at(app, 90)
    found = notice_log.read(app.files, clock.now())
    assert says(app, found, clock) == says(app, jsonl.read(app.files, app.tree.notices), clock)
    assert {each["key"] for each in found} == {each["key"] for each in jsonl.read(app.files, app.tree.notices)}


def test_little_that_is_new_and_a_torn_end_are_left_to_the_next_time(app: TestedApp) -> None:
    path, cache = Path(app.tree.notices), Path(app.tree.notices_cache)
    path.write_text(line(app, 0, "k", "sent"))
    notice_log.keep(app.files, at(app, 1))
    path.write_text("".join(line(app, 0, f"k{number}", "sent") for number in range(300))[:-1])
    notice_log.keep(app.files, at(app, 1))
    assert not cache.exists()


def test_a_review_keeps_it(app: TestedApp) -> None:
    from adjutant.stages import review
    from tests.conftest import parsed

    events = ("reserved", "sent")
    lines = "".join(line(app, -90, f"k{number}", event) for number in range(300) for event in events)
    Path(app.tree.notices).write_text(lines)
    args = parsed(review)
    args.tier = "cheap"
    review.run(app, args)
    assert len(notice_log.read(app.files, app.clock.now())) == 300
    assert Path(app.tree.notices_cache).stat().st_size < len(lines) / 3


@pytest.mark.parametrize("ts", ["at no time", "", "2026-11-20T09:00:00", "9999-99-99"])
def test_an_unreadable_moment_counts_against_the_day(app: TestedApp, ts: str) -> None:
    """What nobody can date may have left today, and its key may be one of the last thirty days."""
    clock = at(app, 0)
    later = clock if ts.startswith("2026") else at(app, 400)
    history = History([json.loads(line(app, 0, "k", "reserved")) | {"ts": ts}], later, later.now())
    assert history.used == 1
    assert history.spent == {"k"}
