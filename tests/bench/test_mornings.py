"""What a thing raised one morning is worth: useful, again, may or false."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.lives import baseline, mornings
from bench.lives.life import LifeError, Morning
from tests.bench import small

NOW = "2026-11-23T08:00+01:00"


@pytest.fixture
def petra(tmp_path: Path) -> Morning:
    return Morning(small.write(tmp_path / "petra", small.MORNING))


def issue(kb: str, path: str, line: int, severity: str = "high") -> dict[str, Any]:
    return {"kb": kb, "title": "t", "severity": severity, "evidence": [{"path": path, "line": line}]}


def step(verb: str, result: dict[str, Any], *told: str) -> dict[str, Any]:
    notices = [{"kind": "escalation", "text": "\n".join(told), "insights": []}] if told else []
    return {"at": NOW, "verb": verb, "args": [], "stdout": json.dumps({"result": result}), "notices": notices}


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([("boat", "Boat.md", 3)], ["useful"]),
        ([("boat", "Boat.md", 4)], ["useful"]),  # the next line
        ([("boat", "boat/Boat.md", 3)], ["useful"]),
        ([("boat", "Boat.md", 5)], ["false"]),
        ([("money", "Boat.md", 3)], ["false"]),  # the wrong knowledge base
        ([("boat", "Boat.md", 3), ("boat", "Boat.md", 2)], ["useful", "again"]),
        ([("boat", "Boat.md", 7)], ["may"]),
        ([("boat", "Boat.md", 8), ("money", "bills.csv", 2)], ["may", "useful"]),
    ],
)
def test_verdict_of_what_is_listed(petra: Morning, places: list[tuple[str, str, int]], expected: list[str]) -> None:
    pulse = step("pulse", {"issues": [issue(*place) for place in places]})
    assert [each.verdict for each in mornings.judged(petra, mornings.listed(petra, [pulse]))] == expected


def test_what_is_open_is_read_of_today_where_there_is_such_a_verb(petra: Morning) -> None:
    pulse = step("pulse", {"issues": [issue("boat", "Boat.md", 3)]})
    today = step("today", {"matters": [issue("money", "bills.csv", 2)]})
    usage = step("today", {}) | {"stdout": "unknown command", "rc": 64}
    assert [each.places[0].kb for each in mornings.listed(petra, [pulse, today])] == ["money"]
    assert [each.places[0].kb for each in mornings.listed(petra, [pulse, usage])] == ["boat"]


def test_what_a_quiet_zone_mutes_is_not_listed(petra: Morning) -> None:
    muted = issue("boat", "Boat.md", 3) | {"muted": "quiet zone: Boat"}
    today = step("today", {"matters": [muted, issue("money", "bills.csv", 2) | {"muted": None}]})
    assert [each.places[0].kb for each in mornings.listed(petra, [today])] == ["money"]


def test_counts_of_a_morning(petra: Morning) -> None:
    raised = [
        issue("boat", "Boat.md", 3, "high"),
        issue("money", "bills.csv", 2, "critical"),
        issue("boat", "Soup.md", 9),
    ]
    steps = [step("pulse", {"issues": raised}, "Insurance · boat/Boat.md:3 · k7f2", "Soup · Soup.md:9 · a2b3")]
    assert mornings.tally(petra, steps) == {
        "mornings": 1, "musts": 2, "grave": 1,
        "listed_useful": 2, "listed_false": 1, "listed_musts": 2, "listed_grave": 1,
        "rated": 2, "rated_right": 1, "rated_near": 1,
        "told_useful": 1, "told_false": 1, "told_musts": 1, "told_grave": 1,
    }  # fmt: skip


def test_a_quiet_morning_is_kept_by_telling_nothing_false(tmp_path: Path) -> None:
    quiet = small.MORNING | {"issues.yaml": small.MORNING["issues.yaml"].replace("must: true", "must: false")}
    life = Morning(small.write(tmp_path / "quiet", quiet))
    assert mornings.tally(life, [])["kept"] == 1
    assert mornings.tally(life, [step("pulse", {}, "Insurance · Boat.md:3")])["kept"] == 1
    assert mornings.tally(life, [step("pulse", {}, "Soup · Soup.md:9")])["kept"] == 0


def test_a_label_that_stands_in_no_line_or_in_two_is_refused(tmp_path: Path) -> None:
    for number, has in enumerate(("Rule 5000", "- [ ]", "")):
        bad = small.MORNING | {"issues.yaml": small.MORNING["issues.yaml"].replace("has: Rule 500", f"has: '{has}'")}
        with pytest.raises(LifeError, match="bilge"):
            Morning(small.write(tmp_path / str(number), bad))


def test_baselines_list_every_line_near_a_date_and_every_open_box(petra: Morning) -> None:
    found = {name: mornings.listed(petra, baseline.wake(petra, test)) for name, test in baseline.BASELINES.items()}
    places = {name: [(each.places[0].path, each.places[0].line) for each in raised] for name, raised in found.items()}
    assert places == {
        "every dated line": [("Boat.md", 3), ("bills.csv", 2)],
        "every open box": [("Boat.md", 3), ("Boat.md", 4)],
    }
