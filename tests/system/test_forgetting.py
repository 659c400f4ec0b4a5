"""A fact taken back or put right through the shell: every copy of it, whoever wrote it, wherever the run is cut."""

from __future__ import annotations

import gzip
import hashlib
import json
import signal
from pathlib import Path

import pytest

from tests.system.syscalls import CHANGING, Point, disturbed, each, points, sampled
from tests.system.world import World, once

DAYS = ("2026-10-05", "2026-10-06", "2026-10-07", "2026-10-12", "2026-10-13", "2026-10-14")
FACT = "The slipway of Tangen is rented for 4,300 kroner a month."
RIGHT = "The slipway of Tangen is rented for 4,700 kroner a quarter."
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)


def tell(empty: World) -> None:
    for number, day in enumerate(DAYS):
        line = f"Decision: {FACT[0].lower()}{FACT[1:]}" if number % 2 else f"Tarred the hull, {number} pots. {FACT}"
        empty.write(f"journal/{day}.md", f"## 09:00 Yard\n\n- {line}\n- Lise sorted {number + 3} crates of rope.\n")
    talk = {"id": "m1", "ts": f"{DAYS[0]}T12:00:00+00:00", "role": "operator", "text": f"As I said: {FACT} Fine?"}
    empty.write("state/conversations/cli.jsonl", json.dumps(talk) + "\n")
    work = {"ts": f"{DAYS[1]}T10:00:00+00:00", "id": "20261006T100000-0001", "text": FACT}
    empty.write("state/slog.jsonl", json.dumps(work) + "\n")
    empty.run("memory", "save", FACT, "--type", "decision", check=0)
    empty.run("memory", "save", "Crates of rope stand on the left.", "--type", "fact", check=0)
    for words in (("compact",), ("distill",), ("ask", "slipway Tangen rent"), ("index",)):
        empty.run(*words, check=0)


@pytest.fixture
def told(empty: World, kept: Path) -> World:
    """The fact in journals, a talk, the work log, days, weeks, a month, wisdom, its log, the index and a run."""
    return once(kept / "told", empty, tell)


def note(world: World, word: str = "slipway") -> str:
    return next(str(each["id"]) for each in world.result("memory", "list")["notes"] if word in each["title"].lower())


def holding(world: World, words: str) -> list[str]:
    """The files that hold these words, memory/.archive left out."""
    found = (path for path in world.root.rglob("*") if path.is_file() and ".archive" not in path.parts)
    return sorted(str(path.relative_to(world.root)) for path in found if words.encode() in path.read_bytes())


def records(world: World) -> list[list[dict[str, object]]]:
    folder = world.root / "memory/.archive/changes"
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in sorted(folder.glob("*"))]


def test_a_forgotten_fact_leaves_every_file(told: World) -> None:
    assert len(holding(told, "4,300")) > 15
    told.run("memory", "forget", note(told), check=0)
    assert holding(told, "4,300") == []


def test_what_stood_beside_a_forgotten_fact_stays(told: World) -> None:
    told.run("memory", "forget", note(told), check=0)
    assert "Tarred the hull, 2 pots. [forgotten " in told.text("journal/2026-10-07.md")
    assert "Lise sorted 5 crates of rope." in told.text("memory/daily/2026-10-07.md")


def test_forgetting_leaves_one_record(told: World) -> None:
    result = told.result("memory", "forget", note(told))
    [record] = records(told)
    assert (record[0]["event"], record[-1]["event"]) == ("begun", "done")
    assert {each["path"] for each in record[1:-1]} == set(result["copies"])


def test_a_forgotten_fact_is_not_made_anew(told: World) -> None:
    told.run("memory", "forget", note(told), check=0)
    assert set(told.result("compact")["written"]) >= {*DAYS, "2026-10"}
    told.run("distill", check=0)
    assert holding(told, "4,300") == []


def test_a_corrected_fact_is_right_in_every_file(told: World) -> None:
    result = told.result("memory", "correct", note(told), RIGHT)
    assert holding(told, "4,300 kroner a month") == []
    assert set(holding(told, "4,700 kroner a quarter")) >= {
        "journal/2026-10-06.md",
        "memory/daily/2026-10-06.md",
        "memory/monthly/2026-10.md",
        "identity/wisdom.md",
        result["path"],
    }


def test_a_corrected_fact_is_what_search_finds(told: World) -> None:
    told.run("memory", "correct", note(told), RIGHT, check=0)
    found = told.run("search", "rent of the slipway of Tangen").out
    assert "4,700" in found
    assert "4,300" not in found


def test_a_correction_is_not_undone_by_the_next_compaction(told: World) -> None:
    told.run("memory", "correct", note(told), RIGHT, check=0)
    told.run("compact", check=0)
    month = told.text("memory/monthly/2026-10.md")
    assert month.count("4,700 kroner a quarter") == 1
    assert "4,300" not in month


def test_restore_brings_note_and_logs_back(told: World) -> None:
    before = {day: told.text(f"journal/{day}.md") for day in DAYS}
    talk, id = told.text("state/conversations/cli.jsonl"), note(told)
    told.run("memory", "forget", id, check=0)
    told.run("memory", "restore", id, check=0)
    assert {day: told.text(f"journal/{day}.md") for day in DAYS} == before
    assert json.loads(told.text("state/conversations/cli.jsonl").splitlines()[0]) == json.loads(talk.splitlines()[0])


def test_a_page_of_the_operators_own_is_named_and_left(told: World) -> None:
    told.write("identity/user.md", f"# Me\n\n{FACT}\n")
    result = told.result("memory", "forget", note(told))
    assert result["left"] == ["identity/user.md"]
    assert FACT in told.text("identity/user.md")


def test_a_dry_run_changes_nothing(told: World) -> None:
    before = told.snapshot()
    told.run("memory", "forget", note(told), "--dry-run")
    assert {path: data for path, data in told.snapshot().items() if path.startswith(("journal", "memory"))} == {
        path: data for path, data in before.items() if path.startswith(("journal", "memory"))
    }


@pytest.mark.real_strace
def test_cut_off_anywhere_the_next_verb_ends_it(told: World, tmp_path: Path) -> None:
    words = ("memory", "forget", note(told))
    chosen = sampled(points(told, *words, names=CHANGING), 10)
    killed: list[Point] = []

    def one(point: Point) -> None:
        copy = told.copy(tmp_path / f"{point.name}-{point.number}")
        ran = disturbed(copy, *words, fault=f"{point.name}:signal=SIGKILL:when={point.number}")
        killed.extend([point] if ran.code in KILLED else [])
        begun = bool(records(copy))
        copy.run("memory", "list", check=0)
        left = [path for path in holding(copy, "4,300") if "index.sqlite" not in path]
        assert (left == []) is begun

    each(chosen, one)
    assert len(killed) >= 0.5 * len(chosen)


def test_doctor_names_a_run_that_was_cut(told: World) -> None:
    id = note(told)
    told.run("memory", "forget", id, check=0)
    [record] = (told.root / "memory/.archive/changes").iterdir()
    record.write_text("\n".join(record.read_text().splitlines()[:-1]) + "\n")
    checks = told.run("doctor", "--json").json["error"]["details"]["checks"]
    assert [each["fix"] for each in checks if each["name"] == f"note {id}"] == ["adjutant memory list"]


def archived(world: World) -> bytes:
    return b"".join(gzip.decompress(path.read_bytes()) for path in sorted(world.root.glob("state/archive/*.gz")))


def test_a_forgotten_fact_leaves_the_archives_of_logs(told: World) -> None:
    line = json.dumps({"ts": f"{DAYS[0]}T12:00:00+00:00", "verb": "ask", "text": FACT})
    told.write("state/interactions.jsonl", f"{line}\n{json.dumps({'ts': DAYS[1], 'verb': 'other'})}\n")
    told.run("ledger", "rotate", "--file", "interactions", "--keep", "0", check=0)
    assert b"4,300" in archived(told)
    told.run("memory", "forget", note(told), check=0)
    assert b"4,300" not in archived(told)
    assert b"other" in archived(told)


def test_restore_brings_an_archived_line_back(told: World) -> None:
    line = json.dumps({"ts": f"{DAYS[0]}T12:00:00+00:00", "verb": "ask", "text": FACT})
    told.write("state/interactions.jsonl", f"{line}\n")
    told.run("ledger", "rotate", "--file", "interactions", "--keep", "0", check=0)
    before, id = archived(told), note(told)
    told.run("memory", "forget", id, check=0)
    told.run("memory", "restore", id, check=0)
    assert archived(told) == before


def test_a_rotation_that_died_is_settled_first(told: World) -> None:
    log = f"{json.dumps({'ts': DAYS[0], 'text': FACT})}\n{json.dumps({'ts': DAYS[1], 'verb': 'other'})}\n"
    told.write("state/interactions.jsonl", log)
    old = gzip.compress(b'{"verb":"old"}\n', mtime=0)
    path = told.root / "state/archive/interactions-2026-10.jsonl.gz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(old + gzip.compress(log.encode(), mtime=0))
    digest = hashlib.sha256(log.encode()).hexdigest()
    intent = {"log": len(log), "sha256": digest, "archives": {path.name: len(old)}}
    told.write("state/archive/interactions.rotating.json", json.dumps(intent))
    told.run("memory", "forget", note(told), check=0)
    assert gzip.decompress(path.read_bytes()) == b'{"verb":"old"}\n'
    assert "4,300" not in told.text("state/interactions.jsonl")
    assert not (told.root / "state/archive/interactions.rotating.json").exists()
