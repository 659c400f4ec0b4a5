"""notices, mark and ledger: what people and scripts see of the records."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.app import Outcome
from adjutant.domain.telling import notices as sending
from adjutant.errors import UsageError
from adjutant.records import insights
from adjutant.records import ledger as records_of
from adjutant.records.insights import Insight
from adjutant.stages import ledger, mark, notices
from tests.conftest import adjutant, make_app, parsed

NOW = datetime.fromisoformat("2026-11-20T09:00:00+00:00")


def fill(root: Path, count: int) -> None:
    app = make_app(root)
    fields: dict[str, Any] = {"kbs_checked": ["a"], "issues_found": [], "escalated": False}
    for number in range(count):
        made = records_of.record(NOW + timedelta(hours=number), "pulse", fields, run="r")
        records_of.append(app.files, made)


def read(root: Path, *words: str) -> Outcome:
    return ledger.run(make_app(root), parsed(ledger, *words))


def test_the_ledger_shows_the_last_fifty_and_says_where_the_rest_is(tmp_path: Path) -> None:
    fill(tmp_path, 60)
    found = read(tmp_path)
    assert (len(found.result["records"]), found.result["truncated"]) == (50, True)
    assert found.result["path"] == "state/actions.jsonl"
    assert len(found.lines) == 60
    assert found.result["records"][-1]["ts"] == (NOW + timedelta(hours=59)).isoformat()
    few = read(tmp_path, "--since", "2026-11-22", "--tail", "3")
    assert (len(few.result["records"]), few.result["truncated"]) == (3, False)
    assert few.lines[0].endswith("pulse: 1 knowledge base, 0 issues")


@pytest.mark.parametrize("words", ["--since yesterday", "--tail -1", "rotate --file actions --keep -1"])
def test_numbers_and_days_that_make_no_sense_are_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(UsageError):
        read(tmp_path, *words.split())


def test_rotation_by_hand_moves_lines_and_refuses_what_is_truth(tmp_path: Path) -> None:
    fill(tmp_path, 5)
    words = ("ledger", "rotate", "--keep", "2", "--root", str(tmp_path), "--json")
    would = adjutant(*words, "--dry-run", check=0).json["result"]
    done = adjutant(*words, check=0).json["result"]
    assert done == would == {"file": "actions", "moved": {"state/archive/actions-2026-11.jsonl.gz": 3}}
    assert len(read(tmp_path).result["records"]) == 2
    adjutant(*words, "--file", "marks", check=1)


def test_a_notice_is_listed_by_its_last_word_and_marked_with_its_insight(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    made = Insight(kb="home", title="Boiler", why="", severity="high", created=NOW.isoformat(), fingerprint="f1")
    name = insights.file(app.files, made, NOW)
    assert name == "2026-11-20-0900.md"
    for _ in range(2):
        sending.Notices(app).send("Boiler · today · b2aa", "2026-11-20-0900", "escalation", insight=name)
    [row] = notices.run(app, Namespace(subverb=None, all=False)).result["notices"]
    assert (row["key"], row["outcome"], row["text"]) == ("2026-11-20-0900", "sent", "Boiler · today · b2aa")
    assert len(notices.run(app, Namespace(subverb="list", all=True)).result["notices"]) == 3
    told = mark.run(app, Namespace(name="2026-11-20-0900", state="done", until=[], seal=None))
    assert told.result["marked"]["fingerprint"] == "f1"
    assert "not raised again" in told.lines[0]
    ran = adjutant(
        "notices",
        "mark",
        name,
        "snooze",
        "2026-12-24",
        "--json",
        "--root",
        str(tmp_path),
        ADJUTANT_NOW=NOW.isoformat(),
        check=0,
    )
    assert ran.json["result"]["marked"]["until"] == "2026-12-24"
    adjutant("mark", "nothing", "done", "--root", str(tmp_path), check=1)
