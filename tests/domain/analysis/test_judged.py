"""Notices called useless, and judgements whose replies could not be used."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.records import insight as insight_file
from adjutant.records.finding import USELESS_NOTICES, WEAK_MODEL
from adjutant.records.interaction import Interaction
from tests.domain.analysis.asking import NOW, Record

BEANS = ("Water the beans", "Bean seed not ordered", "Bean net is torn")


class Noticed(Record):
    """A record with notices."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.rows: list[dict[str, Any]] = []
        self.everyday(20)

    def notice(
        self,
        days: float,
        title: str,
        *states: str,
        kb: str = "allotment",
        concern: str | None = "The beds",
        insight: bool = True,
    ) -> None:
        at = NOW - timedelta(days=days)
        key, run = f"{at:%Y-%m-%d-%H%M}", f"{at:%Y%m%dT%H%M%S}-0001"
        name = f"{key}.md"
        row = {
            "ts": at.isoformat(),
            "key": key,
            "event": "sent",
            "outcome": "sent",
            "kind": "escalation",
            "text": f"[{kb}] {title}, two days late",
            "insight": name,
            "run": run,
            "channel": "outbox",
        }
        self.rows.append(row)
        if insight:
            self.write(
                f"insights/sent/{name}",
                insight_file.render(
                    insight_file.Insight(
                        kb=kb,
                        title=title,
                        why="late",
                        severity="high",
                        created=at.isoformat(),
                        fingerprint=f"{len(self.rows):016x}",
                        concern=concern,
                        run=run,
                        evidence=[insight_file.Quote("beds.md", 3, title)],
                    )
                ),
            )
        for number, state in enumerate(states, start=1):
            later = (at + timedelta(hours=number)).isoformat()
            self.rows.append({**row, "ts": later, "event": "marked", "outcome": None, "state": state})
        self.add(
            Interaction(
                id=f"{run}-pulse",
                ts=at.isoformat(),
                kind="cycle",
                agent="pulse",
                channel="cron",
                run=run,
                notices=(key,),
            ),
            at,
        )
        self.write("state/notices.jsonl", "".join(f"{json.dumps(each)}\n" for each in self.rows))


def test_a_matter_whose_notices_are_called_useless(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    for number, title in enumerate(BEANS):
        record.notice(3 + 5 * number, title, "useless")
    (found,) = record.found(USELESS_NOTICES)
    assert found.subject == "allotment bean" and found.figures == {"useless": 3.0, "useful": 0.0}
    assert {quote.trust for quote in found.evidence} == {"untrusted"} and found.text == ""
    assert all(quote.interaction.endswith("-pulse") for quote in found.evidence)


def test_matters_that_were_called_useless_by_their_ids(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    seen, called = list[str](), list[str]()
    for number, title in enumerate(BEANS):
        at = (NOW - timedelta(days=3 + number)).isoformat()
        line = {"kb": "allotment", "what": title, "kind": "task", "severity": "high", "path": "beds.md", "line": 3}
        seen.append(json.dumps({"ts": at, "id": f"b{number}an", "event": "seen", **line, "quote": title}))
        called.append(json.dumps({"ts": at, "fingerprint": None, "state": "useless", "matter": f"b{number}an"}))
    record.write("state/matters.jsonl", "\n".join((*seen, "")))
    record.write("state/marks.jsonl", "\n".join((*called, "")))
    (found,) = record.found(USELESS_NOTICES)
    assert found.subject == "allotment bean" and found.figures == {"useless": 3.0, "useful": 0.0}
    assert {quote.text for quote in found.evidence} == {f"[allotment] {title}" for title in BEANS}
    assert {quote.ref.partition("#")[0] for quote in found.evidence} == {"state/matters.jsonl"}


def test_the_insights_may_be_gone(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    for number, title in enumerate(BEANS):
        record.notice(3 + 5 * number, title, "useless", insight=False)
    assert record.causes() == [USELESS_NOTICES]


@pytest.mark.parametrize(
    "marks",
    (
        (("useless",), ("useless",), ()),
        (("useless",), ("useless",), ("useful",)),
        (("useless",), ("useless",), ("useless", "useful")),
    ),
)
def test_two_are_not_enough_and_one_that_was_useful_speaks_for_it(tmp_path: Path, marks: Any) -> None:
    record = Noticed(tmp_path / "i")
    for number, (title, states) in enumerate(zip(BEANS, marks, strict=True)):
        record.notice(3 + 5 * number, title, *states)
    assert record.causes() == []


def test_notices_of_several_matters_are_no_matter(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    for number, title in enumerate(("Power bill due", "Roof leaks", "Dentist moved")):
        record.notice(3 + 5 * number, title, "useless", concern=None)
    assert record.causes() == []


def test_marks_of_the_window_are_counted_by_kind(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    record.notice(0.5, "Water the beans", "useless")
    record.notice(0.6, "Water the roses", "useful")
    record.notice(5, "Water the lawn", "useful")
    assert record.analysed().notices == {"escalation": (1, 1)}


# -- judgements ------------------------------------------------------------------------------------------------


def spans(record: Record, name: str, *degraded: str | None, backend: str = "openai") -> None:
    lines = []
    for number, cause in reversed(list(enumerate(degraded))):
        at = NOW - timedelta(days=number + 0.5)
        attributes = {"run": f"r{number}", "backend": backend} | ({"degraded": cause} if cause else {})
        lines.append(
            json.dumps(
                {
                    "trace_id": "t",
                    "span_id": f"{name.replace(' ', '')}{number}",
                    "parent": None,
                    "name": name,
                    "start": round(at.timestamp() * 1e9),
                    "end": 0,
                    "attributes": attributes,
                    "status": {},
                }
            )
        )
    path = record.root / "state/events.jsonl"
    before = path.read_text() if path.exists() else ""
    record.write("state/events.jsonl", before + "".join(f"{line}\n" for line in lines))


def test_a_judgement_whose_replies_cannot_be_used(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    record.session(0.5, "what?", run="r0")
    spans(record, "judgement triage", *("malformed", None) * 3, "check", "malformed", None)
    spans(record, "judgement brief", *("unreachable",) * 9)
    spans(record, "judgement escalation", *("malformed",) * 9, backend="offline")
    (found,) = record.found(WEAK_MODEL)
    assert found.subject == "triage" and found.figures == {"asked": 9.0, "malformed": 5.0, "share": 0.556}
    assert found.evidence[0].interaction == record.lines[-1][1]["id"]  # the turn of the newest, r0


@pytest.mark.parametrize("degraded", (("malformed",) * 4, ("malformed",) * 5 + (None,) * 12))
def test_a_few_broken_replies_are_no_weakness(tmp_path: Path, degraded: tuple[str | None, ...]) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    spans(record, "turn conductor", *degraded)
    assert record.causes() == []


def test_damaged_events_are_left_out(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.everyday(20)
    record.write(
        "state/events.jsonl",
        '{"name": "judgement triage", "span_id": 4}\n{"name": "judgement \xff\n[]\n'
        '{"name": "judgement x", "span_id": "a", "start": 99999999999999999999999, "attributes": {}}\n',
    )
    assert record.causes() == []
