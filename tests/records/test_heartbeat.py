"""Journal, ledger, last heartbeat, marks and rotation: what the heartbeat leaves on record."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.heartbeat import marking
from adjutant.domain.telling import notices
from adjutant.errors import CheckFailed, UsageError
from adjutant.records import insights, journal, ledger, matters_log, notice_log, rotation
from adjutant.records.insights import Insight
from adjutant.store import jsonl
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import make_app

NOW = datetime.fromisoformat("2026-11-20T09:00:00+01:00")


def files_of(root: Path, **more: Any) -> Files:
    return Files(Tree(str(root)), **more)


# -- journal ---------------------------------------------------------------------------------------------------


def test_an_entry_has_its_time_title_and_one_item_a_line(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    journal.entry(files, NOW, "Pulse", ["**home**: 3 open tasks", "- **Escalated** → Boiler"])
    journal.entry(files, NOW, "Review", [], dry_run=True)
    assert (tmp_path / "journal" / "2026-11-20.md").read_text() == (
        "## 09:00 — Pulse\n\n- **home**: 3 open tasks\n- **Escalated** → Boiler\n\n## 09:00 — Review [DRY RUN]\n\n\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "# forged",
        "x\n## 09:01 — Pulse\n\n- all well",
        "\r## 09:01 — Pulse",
        "\u2028## x",
        "\x0b## x",
        "```",
        "---",
        "~~~sh",
        "> quoted",
        "<!-- hide",
        "\x00\x1b]0;title\x07",
        "- # forged",
    ],
)
def test_no_line_can_forge_a_heading_or_hide_what_follows(tmp_path: Path, line: str) -> None:
    files = files_of(tmp_path)
    journal.entry(files, NOW, f"Pulse {line}", [line, "last"])
    lines = (tmp_path / "journal" / "2026-11-20.md").read_text().split("\n")
    assert [number for number, text in enumerate(lines) if text.startswith("#")] == [0]
    assert len(lines) == 6
    assert lines[3] == "- last"
    body = lines[2].removeprefix("- ")
    assert not body.startswith(("#", "```", "~~~", "---", ">"))
    assert "<!" not in body.replace("\\<", "")
    assert body.isprintable()


def test_a_journal_that_a_person_is_writing_in_is_only_added_to(tmp_path: Path) -> None:
    path = tmp_path / "journal" / "2026-11-20.md"
    path.parent.mkdir()
    path.write_text("my own words, no newline")
    journal.entry(files_of(tmp_path, dry=True), NOW, "Pulse", ["x"], dry_run=True)
    assert path.read_text() == "my own words, no newline\n## 09:00 — Pulse [DRY RUN]\n\n- x\n\n"


def test_recent_days_come_oldest_first_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    for day, data in (("17", b"old"), ("18", b"two"), ("19", b"\xff"), ("20", b"today")):
        (folder / f"2026-11-{day}.md").write_bytes(data)
    damaged: list[str] = []
    found = journal.recent(files_of(tmp_path), NOW, 3, damaged)
    assert found == [("2026-11-18", "two"), ("2026-11-20", "today")]
    assert damaged == ["journal/2026-11-19.md:1: not UTF-8"]


# -- ledger, last heartbeat ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "fields", "keys"),
    [
        (
            "pulse",
            {"escalated": True, "issues_found": [], "kbs_checked": []},
            ["kbs_checked", "issues_found", "escalated"],
        ),
        (
            "review",
            {"recommendations": [], "tier": "medium", "insights_sent": 0, "kbs_checked": []},
            ["kbs_checked", "insights_sent", "recommendations", "tier"],
        ),
        (
            "escalation",
            {"notice": None, "project": "p", "action": "logged", "trigger": "t"},
            ["trigger", "action", "project", "notice"],
        ),
        ("notify", {"detail": "x"}, ["detail"]),
    ],
)
@pytest.mark.parametrize("dry", [True, False])
def test_ledger_records_have_their_keys_in_order(type: str, fields: dict[str, Any], keys: list[str], dry: bool) -> None:
    made = ledger.record(NOW, type, fields, run="r", dry_run=dry, degraded=None, status="failed")
    assert list(made) == ["ts", "type", *(["dry_run"] if dry else []), *keys, "run", "status"]
    assert made["ts"] == "2026-11-20T09:00:00+01:00"
    assert made.get("dry_run", True) is True


def test_the_ledger_is_read_by_day_type_and_tail(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    for number in range(4):
        moment = NOW + timedelta(days=number)
        ledger.append(files, ledger.record(moment, "pulse" if number % 2 else "notify", {}, run=str(number)))

    def runs(**by: Any) -> list[str]:
        return [entry["run"] for entry in ledger.read(files, **by)]

    assert runs() == ["0", "1", "2", "3"]
    assert runs(since="2026-11-22") == ["2", "3"]
    assert runs(type="pulse") == ["1", "3"]
    assert (runs(tail=1), runs(tail=0), runs(tail=9)) == (["3"], [], ["0", "1", "2", "3"])


def test_the_last_heartbeat_keeps_when_each_stage_ran(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    pulse = ledger.record(NOW, "pulse", {"kbs_checked": ["home"], "issues_found": [], "escalated": False}, run="r1")
    ledger.write_last(files, pulse, "all\nquiet " + "x" * 300, NOW)
    later = NOW + timedelta(hours=11)
    ledger.write_last(files, ledger.record(later, "review", {"kbs_checked": []}, run="r2"), "Å", later)
    found = ledger.read_last(files)
    assert found is not None
    assert list(found) == ["type", "timestamp", "summary", "kbs_checked", "run", "last"]
    assert (found["type"], found["timestamp"], found["summary"]) == ("review", later.isoformat(), "Å")
    assert found["last"] == {"pulse": NOW.isoformat(), "review": later.isoformat()}
    ledger.write_last(files, pulse, "all\nquiet " + "x" * 300, NOW)
    again = ledger.read_last(files)
    assert again is not None
    assert len(again["summary"]) == 200
    assert again["summary"].startswith("all quiet xxx")


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"last": 7}', "\x00"])
def test_a_damaged_last_heartbeat_is_set_aside_and_written_anew(tmp_path: Path, content: str) -> None:
    path = tmp_path / "state" / "last_heartbeat.json"
    path.parent.mkdir()
    path.write_text(content)
    ledger.write_last(files_of(tmp_path, dry=True), {"type": "pulse"}, "x", NOW)
    assert path.read_text() == content
    ledger.write_last(files_of(tmp_path), {"type": "pulse"}, "x", NOW)
    assert json.loads(path.read_text())["last"] == {"pulse": NOW.isoformat()}
    assert [kept.read_text() for kept in (tmp_path / "state" / "quarantine").iterdir()] == [content]


# -- marks -----------------------------------------------------------------------------------------------------


def filed(root: Path) -> tuple[Files, str]:
    files = files_of(root)
    made = Insight(kb="home", title="Boiler", why="", severity="high", created=NOW.isoformat(), fingerprint="f1")
    return files, insights.file(files, made, NOW)


def standing(files: Files) -> dict[str, tuple[str, str | None]]:
    """{fingerprint: (state, until)} of the last mark on each insight without a matter."""
    return {known: (mark["state"], mark["until"]) for known, mark in matters_log.last_marks(files).by_line.items()}


@pytest.mark.parametrize("by", ["2026-11-20-0900.md", "2026-11-20-0900"])
def test_the_last_done_or_snooze_of_an_insight_without_matter_stands(tmp_path: Path, by: str) -> None:
    files, _ = filed(tmp_path)
    told = marking.apply(files, by, "snooze", "2026-11-23", now=NOW, run="r")
    assert told == {
        "matter": None,
        "insight": "2026-11-20-0900.md",
        "notice": None,
        "fingerprint": "f1",
        "state": "snooze",
        "until": "2026-11-23",
    }
    assert standing(files) == {"f1": ("snooze", "2026-11-23")}
    marking.apply(files, by, "done", None, now=NOW, run="r")
    assert standing(files) == {"f1": ("done", None)}
    marking.apply(files, by, "useless", None, now=NOW, run="r")
    assert standing(files) == {"f1": ("done", None)}
    assert matters_log.last_marks(files) == {}
    lines = jsonl.read(files, files.tree.marks)
    assert [list(line) for line in lines] == 3 * [["ts", "fingerprint", "state", "until", "insight"]]


def test_marking_a_notice_marks_the_insight_it_named(tmp_path: Path) -> None:
    files, name = filed(tmp_path)
    sending = notices.Notices(make_app(tmp_path, verb="notify", now=NOW.isoformat()))
    sending.send("[home] Boiler (and 1 more)", "key-1", "escalation", insight=f"{name},other.md")
    told = marking.apply(files, "key-1", "done", None, now=NOW, run="r")
    assert (told["insight"], told["notice"], told["fingerprint"]) == (name, "key-1", "f1")
    marked = jsonl.read(files, files.tree.notices)[-1]
    assert (marked["event"], marked["outcome"], marked["state"], marked["key"]) == ("marked", None, "done", "key-1")


def test_a_notice_without_insight_can_be_useful_but_not_done(tmp_path: Path) -> None:
    notices.Notices(make_app(tmp_path, verb="notify")).send("x", "key-1", "manual")
    files = files_of(tmp_path)
    assert marking.apply(files, "key-1", "useful", None, now=NOW, run="r")["fingerprint"] is None
    with pytest.raises(CheckFailed, match="has no matter that can be marked done"):
        marking.apply(files, "key-1", "done", None, now=NOW, run="r")


@pytest.mark.parametrize(("kind", "matter"), [("escalation", "b2aa"), ("review", None)])
def test_marking_a_notice_marks_its_first_matter_and_marking_a_digest_none(
    tmp_path: Path, kind: str, matter: str | None
) -> None:
    sending = notices.Notices(make_app(tmp_path, verb="notify"))
    sending.send("Boiler · b2aa\nRoof · c2aa", "key-1", kind, matters=[("b2aa", "home"), ("c2aa", "home")])
    files = files_of(tmp_path)
    for name in ("key-1", "last"):
        assert marking.apply(files, name, "useless", None, now=NOW, run="r")["matter"] == matter
    assert list(matters_log.last_marks(files)) == ([matter] if matter else [])
    if matter is None:
        with pytest.raises(CheckFailed, match="has no matter that can be marked done"):
            marking.apply(files, "key-1", "done", None, now=NOW, run="r")


def test_useful_takes_back_useless_and_neither_done_nor_a_snooze(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    for matter, states in {
        "b2aa": ("useless", "useful"),
        "c2aa": ("done", "useful"),
        "d2aa": ("useful", "done"),
    }.items():
        for state in states:
            matters_log.append_mark(files, state, NOW, matter=matter)
    assert {matter: mark["state"] for matter, mark in matters_log.last_marks(files).items()} == {
        "b2aa": "useful",
        "c2aa": "done",
        "d2aa": "done",
    }


@pytest.mark.parametrize(
    ("state", "until", "error"),
    [
        ("snooze", None, UsageError),
        ("snooze", "soon", UsageError),
        ("snooze", "2026-11-20", UsageError),
        ("done", "2026-11-30", UsageError),
    ],
)
def test_marks_that_make_no_sense_are_refused(
    tmp_path: Path, state: str, until: str | None, error: type[Exception]
) -> None:
    files, name = filed(tmp_path)
    with pytest.raises(error):
        marking.apply(files, name, state, until, now=NOW, run="r")
    assert not files.exists(files.tree.marks)


@pytest.mark.parametrize("name", ["nothing", "../../adjutant", ".gitkeep", ""])
def test_marking_what_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    make_app(tmp_path)
    with pytest.raises(CheckFailed, match="no matter, insight or notice"):
        marking.apply(files_of(tmp_path), name, "done", None, now=NOW, run="r")


# -- rotation --------------------------------------------------------------------------------------------------


def lines_of(root: Path, name: str = "actions") -> list[bytes]:
    """All lines of a log, archives first, by month."""
    archived = sorted((root / "state" / "archive").glob(f"{name}-*.jsonl.gz"))
    parts = [gzip.decompress(path.read_bytes()) for path in archived]
    return b"".join([*parts, (root / "state" / f"{name}.jsonl").read_bytes()]).split(b"\n")[:-1]


def fill(files: Files, count: int, path: str | None = None, first: datetime = NOW) -> list[bytes]:
    for number in range(count):
        record = {"ts": (first + timedelta(days=number)).isoformat(), "type": "pulse", "n": number}
        files.append(path or files.tree.actions, record)
    return files.read(path or files.tree.actions).split(b"\n")[:-1]


def test_older_lines_move_to_monthly_archives_and_none_is_lost(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    before = fill(files, 60)
    moved = rotation.rotate(files, "actions", 10, NOW)
    assert moved == {
        "state/archive/actions-2026-11.jsonl.gz": 11,
        "state/archive/actions-2026-12.jsonl.gz": 31,
        "state/archive/actions-2027-01.jsonl.gz": 8,
    }
    assert files.read(files.tree.actions).split(b"\n")[:-1] == before[-10:]
    assert lines_of(tmp_path) == before
    before += fill(files, 5, first=NOW + timedelta(days=60))[-5:]
    rotation.rotate(files, "actions.jsonl", 3, NOW)
    assert lines_of(tmp_path) == before
    assert rotation.rotate(files, "actions", 3, NOW) == {}
    assert not files.exists(files.tree.archived("actions.rotating.json"))


def test_identical_damaged_and_torn_lines_survive_a_rotation(tmp_path: Path) -> None:
    files, path = files_of(tmp_path), tmp_path / "state" / "usage.jsonl"
    path.parent.mkdir()
    data = b'{"a": 1}\n' * 5 + b"\xff garbage\n\n" + b'{"ts": "2026-10-01T00:00:00+00:00"}\n{"torn": '
    path.write_bytes(data)
    for keep in (6, 4, 2, 0):
        rotation.rotate(files, "usage", keep, NOW)
    archived = sorted((tmp_path / "state" / "archive").iterdir())
    assert [gzip.decompress(kept.read_bytes()) for kept in archived] == [
        b'{"ts": "2026-10-01T00:00:00+00:00"}\n',
        b'{"a": 1}\n' * 5 + b"\xff garbage\n\n",
    ]
    assert path.read_bytes() == b'{"torn": '


def test_notices_of_the_last_thirty_days_never_move(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    fill(files, 60, files.tree.notices)
    rotation.rotate(files, "notices", 0, NOW + timedelta(days=60))
    assert len(files.read(files.tree.notices).split(b"\n")) - 1 == 30
    assert len(lines_of(tmp_path, "notices")) == 60


def test_what_last_told_of_a_matter_stays(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    for day, ids, event in (
        (0, ["a2aa", "b2bb"], "sent"),
        (1, ["b2bb"], "sent"),
        (2, ["a2aa"], "failed"),
        (3, [], "sent"),
    ):
        ts = (NOW + timedelta(days=day)).isoformat()
        record = {"ts": ts, "key": str(day), "event": event, "outcome": event, "kind": "escalation", "matters": ids}
        files.append(files.tree.notices, record)
    later = NOW + timedelta(days=60)
    before = notice_log.find_told(files, later)
    assert sum(rotation.rotate(files, "notices", 0, later).values()) == 2
    assert notice_log.find_told(files, later) == before
    assert set(before) == {"a2aa", "b2bb"}
    assert rotation.rotate(files, "notices", 0, later) == {}


def test_a_dry_rotation_only_counts(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    before = fill(files, 5)
    would = rotation.rotate(files_of(tmp_path, dry=True), "actions", 2, NOW)
    assert would == {"state/archive/actions-2026-11.jsonl.gz": 3}
    assert files.read(files.tree.actions).split(b"\n")[:-1] == before
    assert not (tmp_path / "state" / "archive").exists()


@pytest.mark.parametrize(
    ("name", "error"),
    [*((name, CheckFailed) for name in rotation.TRUTH), ("nothing", UsageError), ("../actions", UsageError)],
)
def test_logs_that_are_truth_are_refused(tmp_path: Path, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        rotation.rotate(files_of(tmp_path), name, 0, NOW)


class _Dying(Files):
    """Dies before the n-th replace or at the final rename of the log."""

    steps = 0

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise KeyboardInterrupt

    def replace(self, path: str, content: str | bytes, expect: str | None = None) -> None:
        self._step()
        super().replace(path, content, expect)

    def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> None:
        def dying(data: bytes) -> bytes:
            kept = change(data)
            self._step()
            return kept

        super().rewrite(path, dying)

    def remove(self, path: str) -> None:
        self._step()
        super().remove(path)


@pytest.mark.parametrize("steps", range(5))
def test_a_rotation_cut_at_any_step_loses_and_doubles_nothing(tmp_path: Path, steps: int) -> None:
    before = fill(files_of(tmp_path), 30)
    dying = _Dying(Tree(str(tmp_path)))
    dying.steps = steps
    with pytest.raises(KeyboardInterrupt):
        rotation.rotate(dying, "actions", 4, NOW)
    before += fill(files_of(tmp_path), 3, first=NOW + timedelta(days=30))[-3:]
    rotation.rotate(files_of(tmp_path), "actions", 5, NOW)
    assert lines_of(tmp_path) == before


def _append_many(root: str, mine: int, go: Any) -> None:
    files = Files(Tree(root))
    go.wait()
    for number in range(100):
        ledger.append(files, {"ts": NOW.isoformat(), "type": "pulse", "who": mine, "n": number})


def test_nothing_is_lost_when_others_append_during_rotations(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    go = context.Event()
    writers = [context.Process(target=_append_many, args=(str(tmp_path), number, go)) for number in range(4)]
    for writer in writers:
        writer.start()
    files = files_of(tmp_path)
    fill(files, 5)
    go.set()
    while any(writer.is_alive() for writer in writers):
        rotation.rotate(files, "actions", 7, NOW)
        time.sleep(0.01)
    assert [writer.exitcode for writer in writers] == [0] * 4
    found = [json.loads(line) for line in lines_of(tmp_path)]
    by_writer = [[entry["n"] for entry in found if entry.get("who") == number] for number in range(4)]
    assert by_writer == [list(range(100))] * 4
