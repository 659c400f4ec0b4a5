"""The verb index: its figures, its exit codes, and what it says of damage."""

from __future__ import annotations

import argparse
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adjutant.app import Outcome
from adjutant.errors import SearchInvalid, Stopped
from adjutant.stages import doctor, index
from tests.conftest import NOW, TestedApp, adjutant, make_app, parsed
from tests.stages.test_mirrors import rested


def run(app: TestedApp, *words: str) -> Outcome:
    return index.run(app, parsed(index, *words))


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    root = tmp_path / "mine"
    made = make_app(root, verb="index", retrieval__vault=["vault"])
    (root / "vault").mkdir()
    (root / "vault" / "boat.md").write_text("# Boat\n\nA sloop.\n\n## Engine\n\nChange the oil in May.\n")
    (root / "state").mkdir(exist_ok=True)
    (root / "state" / "slog.jsonl").write_text(json.dumps({"id": "s1", "ts": NOW, "text": "oil"}) + "\n")
    return made


def test_the_result_counts_documents_and_the_second_run_finds_nothing_to_do(app: TestedApp) -> None:
    first, second = run(app), run(app)
    found = first.result
    assert list(found) == ["status", "collections", "mirrors", "contract_pushed", "seconds", "damaged"]
    assert list(found["collections"]) == [
        "memory",
        "skills",
        "vault",
        "slog",
        "journal",
        "conversations",
        "kb",
        "events",
        "behavior",
        "interactions",
    ]
    assert found["collections"]["vault"] == {"documents": 2, "upserted": 2, "deleted": 0, "unchanged": 0}
    assert found["mirrors"] == {"sqlite": "ok"}
    assert found["contract_pushed"] is False
    assert found["seconds"] >= 0
    assert second.result["collections"]["vault"] == {"documents": 2, "upserted": 0, "deleted": 0, "unchanged": 2}
    [line] = first.lines
    assert line.startswith("index: 3 documents, 3 upserted, 0 deleted, 0 unchanged;")


def test_full_and_only_do_as_they_say(app: TestedApp) -> None:
    run(app)
    assert run(app, "--full").result["collections"]["slog"]["documents"] == 1
    assert list(run(app, "--only", "slog,vault").result["collections"]) == ["vault", "slog"]
    with pytest.raises(SearchInvalid):
        run(app, "--only", "everything")


def test_check_is_silent_when_index_and_files_agree_and_names_the_drift_else(app: TestedApp) -> None:
    run(app)
    assert run(app, "--check").result == {"drift": [], "behind": {}, "damaged": []}
    page = "# Boat\n\nA sloop.\n\n## Engine\n\nSold.\n\n## Sails\n\nNew.\n"
    (Path(app.tree.root) / "vault" / "boat.md").write_text(page)
    found = run(app, "--check")
    assert found.error is not None
    assert found.error.code == "check.failed"
    assert found.error.exit_code == 1
    assert found.result["drift"] == [
        {
            "mirror": "sqlite",
            "collection": "vault_index",
            "missing": 1,
            "extra": 0,
            "stale": 1,
            "examples": ["vault/boat.md#sails", "vault/boat.md#engine"],
        }
    ]
    assert "vault_index: 1 missing, 0 extra, 1 stale" in found.lines[0]


def test_check_advises_what_mends(app: TestedApp) -> None:
    run(rested(app))
    with closing(sqlite3.connect(app.tree.index)) as db, db:
        assert db.execute("UPDATE documents SET source_sha = x'00' WHERE id LIKE 'vault/boat%'").rowcount
    assert fix(app) == "adjutant index --full"
    assert run(app, "--check").lines[-1] == "`adjutant index --full` repairs it"
    run(app, "--full")
    assert fix(app) is None


def fix(app: TestedApp) -> str | None:
    """What --check advises."""
    error = run(app, "--check").error
    return error.fix if error is not None else None


def test_check_only_reads_so_that_paused_does_not_stop_it(app: TestedApp) -> None:
    run(app)
    Path(app.tree.paused).touch()
    root = app.tree.root
    assert adjutant("index", "--root", root, "--json", check=0).json["result"]["status"] == "skipped"
    told = adjutant("index", "--only", "slog", "--check", "--root", root, "--json", check=0).json["result"]
    assert told == {"drift": [], "behind": {}, "damaged": []}
    (Path(root) / "vault" / "boat.md").write_text("Sold.\n")
    adjutant("index", "--root", root, "--check", check=1)


def test_damage_is_named_and_the_rest_is_indexed(app: TestedApp) -> None:
    bad = Path(app.tree.root) / "skills" / "bad" / "SKILL.md"
    bad.parent.mkdir(parents=True)
    bad.write_bytes(b"\xff")
    for words in ((), (), ("--full",), ("--check",)):
        found = run(app, *words)
        assert found.result["damaged"] == ["skills/bad/SKILL.md:1: not UTF-8"]
        assert found.error is None
        assert "left out: skills/bad/SKILL.md:1: not UTF-8" in found.lines


def test_paused_stops_it_before_the_next_file(app: TestedApp) -> None:
    Path(app.tree.paused).touch()
    with pytest.raises(Stopped):
        run(app)
    Path(app.tree.paused).unlink()
    assert run(app).result["collections"]["vault"]["documents"] == 2


def test_the_command_line_has_the_exit_codes_of_the_book(app: TestedApp) -> None:
    root = app.tree.root
    drift = adjutant("index", "--check", "--root", root, "--json", check=1).json
    assert drift["error"]["code"] == "check.failed"
    assert drift["error"]["details"]["drift"]
    assert "adjutant index" in drift["fix"]
    adjutant("index", "--root", root, check=0)
    adjutant("index", "--check", "--root", root, check=0)
    adjutant("index", "--check", "--full", "--root", root, check=2)
    assert adjutant("index", "--only", "x", "--root", root, "--json", check=2).json["error"]["code"] == "search.invalid"


def test_doctor_looks_at_the_index_and_mends_nothing(app: TestedApp) -> None:
    def told() -> tuple[bool, str]:
        checks = doctor.run(app, argparse.Namespace()).result["checks"]
        return next((check["ok"], check["detail"]) for check in checks if check["name"] == "index")

    path = Path(app.tree.index)
    assert told() == (True, "0 documents")
    assert not path.exists()
    run(app)
    assert told() == (True, "3 documents")
    for damage in (b"garbage " * 1000, path.read_bytes()[:9000]):
        path.write_bytes(damage)
        ok, detail = told()
        assert not ok
        assert "the next run makes it anew" in detail
        assert path.read_bytes() == damage
