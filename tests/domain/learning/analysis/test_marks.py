"""Notices and matters called useless, by the place they are from."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.records import insights
from adjutant.records.insights import Evidence
from adjutant.records.interactions import Interaction
from adjutant.records.suggestion import USELESS_NOTICES
from tests.domain.learning.analysis.asking import NOW, Record

BEANS = ("Bean net is torn", "The bean net has no price", "Order a bean net")


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
        path: str = "beds.md",
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
                insights.render(
                    insights.Insight(
                        kb=kb,
                        title=title,
                        why="late",
                        severity="high",
                        created=at.isoformat(),
                        fingerprint=f"{len(self.rows):016x}",
                        run=run,
                        evidence=[Evidence(path, 3, title)],
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


def test_a_place_whose_notices_are_called_useless(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    for number, title in enumerate(BEANS):
        record.notice(3 + 5 * number, title, "useless")
    (found,) = record.raw()
    assert (found.cause, found.subject) == (USELESS_NOTICES, "allotment beds.md")
    assert found.figures == {"useless": 3.0, "useful": 0.0}
    assert {quote.trust for quote in found.evidence} == {"untrusted"}
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
    assert found.subject == "allotment beds.md"
    assert found.figures == {"useless": 3.0, "useful": 0.0}
    assert {quote.text for quote in found.evidence} == {f"[allotment] {title}" for title in BEANS}
    assert {quote.ref.partition("#")[0] for quote in found.evidence} == {"state/matters.jsonl"}


def test_without_insights_no_place_is_known(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    for number, title in enumerate(BEANS):
        record.notice(3 + 5 * number, title, "useless", insight=False)
    assert record.causes() == []


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


def test_notices_from_several_places_are_none(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    for number, title in enumerate(BEANS):
        record.notice(3 + 5 * number, title, "useless", path=f"{number}.md")
    assert record.causes() == []


def test_marks_of_the_window_are_counted_by_kind(tmp_path: Path) -> None:
    record = Noticed(tmp_path / "i")
    record.notice(0.5, "Water the beans", "useless")
    record.notice(0.6, "Water the roses", "useful")
    record.notice(5, "Water the lawn", "useful")
    assert record.analysed().notices == {"escalation": (1, 1)}
