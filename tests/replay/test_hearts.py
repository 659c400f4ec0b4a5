"""Recorded pulses and reviews under another heart: what is raised no more, what is raised now, and what stays."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjutant.clock import Clock
from adjutant.records.suggestion import BY_RULES, Change, Decided
from adjutant.replay import rehearsal
from tests.rehearsal import HEART, LLM, Record

QUIET = f"{HEART}- press kit\n"
MATTER = "home: The press kit is late, send it to the printer, due 2026-11-18"


def by(judgement: str, changed: tuple[Decided, ...]) -> list[tuple[str, str, str]]:
    return [(each.what, each.then, each.now) for each in changed if each.judgement == judgement]


@pytest.fixture
def lived(tmp_path: Path) -> Record:
    """A pulse, offline."""
    record = Record(tmp_path)
    record.pulse()
    return record


def test_a_matter_that_is_to_be_left_alone_is_raised_no_more(lived: Record) -> None:
    told = lived.rehearse("identity/heart.md", QUIET)
    assert told.method == BY_RULES
    assert by("pulse", told.changed) == [(MATTER, "high", "not raised (quiet zone: press kit)")]
    assert {each.run for each in told.changed} == {"today"}
    assert "1 knowledge base as of now" in told.note


def test_a_comment_changes_no_decision(lived: Record) -> None:
    told = lived.rehearse("identity/heart.md", f"{HEART}<!-- press kit -->\nThe press kit, in words.\n")
    assert (told.method, told.total, told.changed) == (BY_RULES, 0, ())


def test_a_new_priority_raises_what_was_left_alone(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.write("identity/heart.md", QUIET)
    record.pulse()
    told = record.rehearse("identity/heart.md", HEART)
    assert by("pulse", told.changed) == [(MATTER, "not raised", "high")]


def test_what_touches_no_priority_any_more_is_left_alone(lived: Record) -> None:
    told = lived.rehearse("identity/heart.md", HEART.replace("- Home: bills paid", "- Band: new songs"))
    assert (MATTER, "high", "not raised (irrelevant)") in by("pulse", told.changed)


def test_another_severity_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.write("identity/heart.md", HEART.replace("- Home: bills paid", "- Printer: running"))
    record.write("home/tasks.md", "# Plan\n\n- BLOCKED: the printer needs toner by 26 November\n")
    record.pulse()
    concern = HEART.replace("- Home: bills paid", "- Band: songs\n\n## Active Concerns\n\n- Printer: running")
    assert by("pulse", record.rehearse("identity/heart.md", concern).changed) == [
        ("home: BLOCKED: the printer needs toner by 26 November", "high", "medium")
    ]


def test_a_heart_that_was_another_since_is_compared_with_what_it_is_now(lived: Record) -> None:
    lived.write("identity/heart.md", QUIET)
    assert lived.rehearse("identity/heart.md", f"{QUIET}<!-- x -->\n").total == 0
    told = lived.rehearse("identity/heart.md", HEART)
    assert by("pulse", told.changed) == [(MATTER, "not raised", "high")]


def test_without_anything_on_record_it_says_so(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.write("knowledge_bases/registry.yaml", "[]\n")
    told = record.rehearse("identity/heart.md", QUIET)
    assert (told.method, told.total) == ("unknown", 0)
    assert "no knowledge base" in told.note


HEARTS = (
    f"{HEART}- press kit\n",
    HEART.replace("- Home: bills paid", "- Band: new songs\n- Printer: running"),
    HEART.replace("Current Priorities", "Active Concerns"),
    f"{HEART}- Home\n- tax bill\n",
)
HOUSE = """# House

The printer is blocked, waiting for the supplier since 2026-11-10.
- Waiting for the printer, no answer yet
- [ ] Order printer paper, due 2026-11-21
- [x] Pay the rent, due 2026-11-15

| bill | due | state |
| --- | --- | --- |
| gas | 2026-11-18 | open |
| water | 2026-11-30 | paid |
"""


@pytest.mark.parametrize("heart", HEARTS)
def test_what_is_rehearsed_is_what_the_next_pulse_raises(tmp_path: Path, heart: str) -> None:
    def raised() -> dict[str, str]:
        """{matter: severity} of the last pulse."""
        run = record.pulse()
        path = max((record.root / "state" / "runs" / run).glob("*-brief.json"))
        items = json.loads(path.read_bytes())["result"]["items"]
        return {f"{each['kb']}: {each['title']}": each["severity"] for each in items}

    record = Record(tmp_path)
    record.write("home/house.md", HOUSE)
    was = raised()
    told = by("pulse", record.rehearse("identity/heart.md", heart).changed)
    record.write("identity/heart.md", heart)
    now = raised()
    expected = {
        (what, was.get(what, "not raised"), now.get(what, "not raised"))
        for what in was.keys() | now.keys()
        if was.get(what) != now.get(what)
    }
    assert {(what, then, new.partition(" (")[0]) for what, then, new in told} == expected


def test_of_a_models_instance_the_rules_decide_and_that_is_said(tmp_path: Path) -> None:
    told = Record(tmp_path, **LLM).rehearse("identity/heart.md", QUIET)
    assert by("pulse", told.changed) == [(MATTER, "high", "not raised (quiet zone: press kit)")]
    assert "cannot be known" in told.note


def test_words_that_a_model_reads_cannot_be_rehearsed(tmp_path: Path) -> None:
    for path in ("identity/user.md", "skills/x/SKILL.md", "memory/notes/fact/x.md", "prompts/pulse.md", "../x"):
        told = Record(tmp_path / "i").change(Change(path, None, "x"))
        assert (told.method, told.note) == ("unknown", rehearsal.WORDS)
        (tmp_path / "i").rename(tmp_path / path.replace("/", "-"))


def test_a_heart_is_known_by_the_path_it_is_given(tmp_path: Path) -> None:
    record = Record(tmp_path, layers__heart__path="./mine/heart.md")
    record.write("mine/heart.md", HEART)
    assert record.rehearse("mine/heart.md", f"{HEART}- press kit\n").total
    assert record.rehearse("identity/heart.md", f"{HEART}- press kit\n").method == "unknown"


def test_nothing_is_written(lived: Record) -> None:
    before = lived.kept()
    lived.rehearse("identity/heart.md", QUIET)
    assert lived.kept() == before


def test_a_rehearsal_ends_in_time_and_says_so(lived: Record) -> None:
    app, ticks = lived.app(), iter(range(0, 10_000, 6))
    app.clock = Clock(time.time, lambda: float(next(ticks)), app.clock.zone, app.clock.now())
    lived.write("knowledge_bases/registry.yaml", "- name: home\n  path: home\n- name: two\n  path: home\n")
    told = lived.change(Change("identity/heart.md", HEART, QUIET), app=app)
    assert "time was up before all of them were looked at" in told.note


# -- whatever is written around the lists --------------------------------------------------------------------

PROSE = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="#-*+•`~<>0123456789\r"), max_size=60)


@settings(derandomize=True, max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(PROSE)
def test_no_prose_at_the_end_of_the_heart_changes_a_decision(lived: Record, prose: str) -> None:
    told = lived.change(Change("identity/heart.md", HEART, f"{HEART}\n{prose}\n"))
    assert told.total == 0
