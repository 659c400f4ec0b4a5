"""Spans: what a run did, one line each, and nothing that could stop it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.telemetry import spans
from adjutant.errors import IoFailed
from adjutant.records.contract import EMPTY
from tests.conftest import TestedApp, adjutant, make_app


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return make_app(tmp_path / "mine")


def events(app: TestedApp) -> list[dict[str, Any]]:
    spans.flush(app)
    path = Path(app.tree.events)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_span_has_the_data_model_s_fields(app: TestedApp) -> None:
    with spans.share(app).span("step pulse", step=True, verb="pulse", tokens=None) as span:
        span.set(tokens=3)
    (line,) = events(app)
    assert set(line) == {"trace_id", "span_id", "parent", "name", "start", "end", "attributes", "status"}
    assert len(line["trace_id"]) == 32
    assert len(line["span_id"]) == 16
    assert line["parent"] is None
    assert line["start"] <= line["end"]
    assert str(line["start"]).startswith("1795165200")
    assert line["attributes"] == {
        "verb": "pulse",
        "tokens": 3,
        "run": app.run,
        "behavior_contract_version": 0,
        "behavior_contract_hash": EMPTY.hash,
    }
    assert line["status"] == {"code": "OK"}


def test_spans_hang_below_each_other_and_those_of_threads_below_the_step(app: TestedApp) -> None:
    found = spans.share(app)

    def work() -> None:
        with found.span("judgement brief"), found.span("inner"):
            pass

    with found.span("step pulse", step=True), found.span("notice"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    names = {line["span_id"]: line["name"] for line in events(app)}
    parents = {line["name"]: names.get(line["parent"]) for line in events(app)}
    assert parents == {
        "step pulse": None,
        "notice": "step pulse",
        "judgement brief": "step pulse",
        "inner": "judgement brief",
    }


def test_what_is_raised_within_ends_the_span_as_an_error_by_its_kind(app: TestedApp) -> None:
    with pytest.raises(IoFailed), spans.share(app).span("notice"):
        raise IoFailed("a text with /a/path in it")
    assert events(app)[0]["status"] == {"code": "ERROR", "message": "io.failed"}


def test_a_turn_names_the_contract_it_was_given_under(app: TestedApp) -> None:
    with spans.share(app).span("turn conductor", behavior_contract_hash="abc", behavior_contract_version=3):
        pass
    assert events(app)[0]["attributes"]["behavior_contract_hash"] == "abc"


def test_a_contract_that_cannot_be_read_is_said_to_be_damaged(app: TestedApp) -> None:
    Path(app.tree.behavior).mkdir(parents=True)
    Path(app.tree.contract).write_text("{")
    with spans.share(app).span("step review"):
        pass
    assert events(app)[0]["attributes"]["behavior_contract_hash"] == "damaged"


def test_a_disk_that_refuses_is_said_and_stops_nothing(app: TestedApp) -> None:
    Path(app.tree.events).mkdir(parents=True)
    with spans.share(app).span("step pulse"):
        pass
    spans.flush(app)
    assert any("events.jsonl" in line for line in app.said)


def test_the_log_and_a_run_are_bounded(app: TestedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST", 3)
    for _ in range(5):
        with spans.share(app).span("judgement brief"):
            pass
    assert len(events(app)) == 3
    monkeypatch.setattr(spans, "MAX_BYTES", 2000)
    for number in range(20):
        with spans.share(app).span(f"span {number}"):
            pass
        kept = events(app)
    assert kept[-1]["name"] == "span 19"
    assert Path(app.tree.events).stat().st_size <= 2000


def test_what_was_only_shown_leaves_nothing(app: TestedApp) -> None:
    with spans.share(app).span("retrieval"):
        pass
    spans.forget(app)
    assert events(app) == []


def test_nobody_is_contacted_once_paused_has_appeared(app: TestedApp) -> None:
    asked: list[str] = []
    app.exporter = lambda: asked.append("asked")
    with spans.share(app).span("step pulse"):
        pass
    Path(app.tree.paused).touch()
    assert len(events(app)) == 1
    assert asked == []
    Path(app.tree.paused).unlink()
    with spans.share(app).span("step pulse"):
        pass
    assert len(events(app)) == 2
    assert asked == ["asked"]


def test_every_run_leaves_its_spans_and_a_dry_one_is_marked(tmp_path: Path) -> None:
    root = tmp_path / "mine"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.md").write_text("- [ ] Renew the passport, due 2026-11-19\n")
    adjutant("init", str(root))
    adjutant("kb", "add", "notes", str(tmp_path / "notes"), "--root", str(root))
    adjutant("pulse", "--dry-run", "--root", str(root))
    lines = [json.loads(line) for line in (root / "state" / "events.jsonl").read_text().splitlines()]
    assert {"step pulse", "judgement brief"} <= {line["name"] for line in lines}
    assert all(line["attributes"]["dry_run"] is True for line in lines)
    step = next(line for line in lines if line["name"] == "step pulse")
    assert all(line["parent"] == step["span_id"] for line in lines if line["name"] == "judgement brief")
