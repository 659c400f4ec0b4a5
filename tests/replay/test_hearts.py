"""Recorded pulses and reviews under another heart: what is raised no more, what is raised now, and what stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjutant.records.suggestion import BY_RULES, Change, Decided
from tests.rehearsal import HEART, KIT, LLM, NOTIFY, Record, Scripted

QUIET = f"{HEART}- press kit\n"
MATTER = "home: The press kit is late, send it to the printer, due 2026-11-18"


def by(judgement: str, changed: tuple[Decided, ...]) -> list[tuple[str, str, str]]:
    return [(each.what, each.then, each.now) for each in changed if each.judgement == judgement]


@pytest.fixture
def lived(tmp_path: Path) -> Record:
    """Three pulses and a review, all offline."""
    record = Record(tmp_path)
    for _ in range(3):
        record.pulse()
    record.review()
    return record


def test_a_matter_that_is_to_be_left_alone_is_raised_no_more(lived: Record) -> None:
    told = lived.rehearse("identity/heart.md", QUIET)
    assert told.method == BY_RULES
    assert told.runs == 4
    for judgement in ("triage", "synthesis"):  # of the pulses, and of the review
        assert by(judgement, told.changed) == [(MATTER, "high", "not raised (quiet zone: press kit)")]
    assert by("escalation", told.changed) == [(MATTER, "notify", "not filed, so nothing to decide")]
    assert told.total == 5  # of three pulses, the review and the escalation
    assert "shown once" in told.note


def test_a_comment_changes_no_decision(lived: Record) -> None:
    told = lived.rehearse("identity/heart.md", f"{HEART}<!-- press kit -->\nThe press kit, in words.\n")
    assert (told.method, told.runs, told.total, told.changed) == (BY_RULES, 4, 0, ())
    assert told.judgements == 11  # three of each pulse with news, two of one without, three of the review, and today's


def test_a_new_priority_raises_what_was_left_alone(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.write("identity/heart.md", QUIET)
    record.pulse()
    told = record.rehearse("identity/heart.md", HEART)
    assert by("triage", told.changed) == [(MATTER, "not raised", "high")]


def test_what_touches_no_priority_any_more_is_left_alone(lived: Record) -> None:
    told = lived.rehearse("identity/heart.md", HEART.replace("- Home: bills paid", "- Band: new songs"))
    assert (MATTER, "high", "not raised (irrelevant)") in by("triage", told.changed)


def test_another_severity_is_told(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.write("identity/heart.md", HEART.replace("- Home: bills paid", "- Printer: running"))
    record.write("home/tasks.md", "# Plan\n\n- BLOCKED: the printer needs toner by 26 November\n")
    record.pulse()
    concern = HEART.replace("- Home: bills paid", "- Band: songs\n\n## Active Concerns\n\n- Printer: running")
    assert by("triage", record.rehearse("identity/heart.md", concern).changed) == [
        ("home: BLOCKED: the printer needs toner by 26 November", "high", "medium")
    ]


def test_text_that_changed_since_is_judged_as_it_was_shown(lived: Record) -> None:
    lived.write("home/tasks.md", "# Home\n\n- [x] All done\n")
    told = lived.rehearse("identity/heart.md", QUIET)
    assert "recorded runs are judged by the lines on record" in told.note
    assert by("triage", told.changed) == [(MATTER, "high", "not raised (quiet zone: press kit)")]


def test_a_knowledge_base_that_is_gone_is_judged_as_it_was_shown(lived: Record) -> None:
    (lived.root / "home" / "tasks.md").unlink()
    (lived.root / "home").rmdir()
    assert by("triage", lived.rehearse("identity/heart.md", QUIET).changed)
    lived.write("knowledge_bases/registry.yaml", "[]\n")
    assert by("triage", lived.rehearse("identity/heart.md", QUIET).changed)


def test_what_came_since_the_last_pulse_is_looked_at_too(lived: Record) -> None:
    new = "- [ ] The press kit for Bergen is late as well, due 2026-11-19"
    lived.write("home/more.md", f"# Home\n\n{new}\n")
    told = lived.rehearse("identity/heart.md", QUIET)
    assert [each.run for each in told.changed if "Bergen" in each.what] == ["today"]
    assert "looked at besides: 1 knowledge base as of now" in told.note


def test_a_pulse_in_which_nothing_had_changed_is_judged_by_the_last_brief(lived: Record) -> None:
    lived.write("home2/plan.md", "# Plan\n\n- [ ] Pay the gas bill, due 2026-11-19\n")
    lived.write("knowledge_bases/registry.yaml", "- name: home\n  path: home\n- name: home2\n  path: home2\n")
    run = lived.pulse(full=False)
    assert not (lived.root / "state" / "runs" / run / "02-brief.json").exists()
    told = lived.rehearse("identity/heart.md", QUIET)
    assert told.changed[0].run == run
    assert told.changed[0].what == MATTER


def test_a_heart_that_was_another_since_is_compared_with_what_it_is_now(lived: Record) -> None:
    lived.write("identity/heart.md", QUIET)
    assert lived.rehearse("identity/heart.md", f"{QUIET}<!-- x -->\n").total == 0
    told = lived.rehearse("identity/heart.md", HEART)
    assert by("triage", told.changed) == [(MATTER, "not raised", "high")]


def test_without_anything_on_record_it_says_so(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.write("knowledge_bases/registry.yaml", "[]\n")
    told = record.rehearse("identity/heart.md", QUIET)
    assert (told.method, told.runs, told.judgements, told.total) == ("unknown", 0, 0, 0)
    assert told.note.startswith("nothing on record touches it yet")


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
        path = max((record.root / "state" / "runs" / run).glob("*-triage.json"))
        issues = json.loads(path.read_bytes())["result"]["issues"]
        return {f"{each['kb']}: {each['title']}": each["severity"] for each in issues}

    record = Record(tmp_path)
    record.write("home/house.md", HOUSE)
    was = raised()
    told = by("triage", record.rehearse("identity/heart.md", heart).changed)
    record.write("identity/heart.md", heart)
    now = raised()
    expected = {
        (what, was.get(what, "not raised"), now.get(what, "not raised"))
        for what in was.keys() | now.keys()
        if was.get(what) != now.get(what)
    }
    assert {(what, then, new.partition(" (")[0]) for what, then, new in told} == expected


# -- a model's runs ------------------------------------------------------------------------------------------


def cited(line: int, quote: str, **more: Any) -> dict[str, Any]:
    return {
        "title": "What the model calls it",
        "why": "it is late",
        "severity": "high",
        "concern": None,
        "evidence": [{"path": "tasks.md", "line": line, "quote": quote}],
        **more,
    }


def model(**more: Any) -> Scripted:
    return Scripted(
        brief={"summary": "two things", "items": [cited(4, KIT)]},
        triage={"issues": [{**cited(4, KIT), "evidence": ["i1"]}]},
        escalation=NOTIFY,
        **more,
    )


def test_of_a_models_questions_the_rules_decide_and_that_is_said(tmp_path: Path) -> None:
    record = Record(tmp_path, **LLM)
    record.pulse(model())
    told = record.rehearse("identity/heart.md", QUIET)
    assert told.method == BY_RULES
    assert by("triage", told.changed) == [(MATTER, "high", "not raised (quiet zone: press kit)")]
    assert "a model answered" in told.note
    assert "cannot be known" in told.note


def test_a_model_that_was_shown_nothing_to_choose_from_is_no_silence_of_the_rules(tmp_path: Path) -> None:
    record = Record(tmp_path, **LLM)
    record.pulse(Scripted(brief={"summary": "all quiet", "items": []}))
    assert by("brief", record.rehearse("identity/heart.md", QUIET).changed)


# -- damage --------------------------------------------------------------------------------------------------


def alter(record: Record, name: str, **changed: Any) -> None:
    path = next((record.root / "state" / "runs").glob(f"*/{name}"))
    kept = json.loads(path.read_bytes())
    kept["inputs"] |= changed
    path.write_text(json.dumps(kept))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("01-brief.json", {"bases": [{"signals": 7}]}),
        ("02-triage.json", {"signals": None}),
        ("03-escalation.json", {"waiting": "dreadful"}),
    ],
)
def test_a_record_that_was_edited_is_left_out_and_counted(lived: Record, name: str, changed: dict[str, Any]) -> None:
    alter(lived, name, **changed)
    told = lived.rehearse("identity/heart.md", QUIET)
    assert "1 record could not be read or fit no question of today" in told.note
    assert by("triage", told.changed) == [(MATTER, "high", "not raised (quiet zone: press kit)")]


@pytest.mark.parametrize("line", [-4, 0, 10**12])
def test_lines_that_no_file_has_are_nothing_to_look_at(lived: Record, line: int) -> None:
    alter(lived, "01-brief.json", base={"lines": [{"path": "tasks.md", "line": line, "text": "x"}]})
    assert by("triage", lived.rehearse("identity/heart.md", QUIET).changed)


def test_a_heart_over_its_limit_is_said(tmp_path: Path) -> None:
    record = Record(tmp_path, layers__heart__max_chars=len(HEART) + 10)
    record.pulse()
    told = record.rehearse("identity/heart.md", QUIET + "x" * 20)
    assert "pulse and review would go on by rules" in told.note
    assert any(each.now.startswith("would fail: identity/heart.md") for each in told.changed)


# -- whatever is written around the lists --------------------------------------------------------------------

PROSE = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="#-*+•`~<>0123456789\r"), max_size=60)


@settings(derandomize=True, max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(PROSE)
def test_no_prose_at_the_end_of_the_heart_changes_a_decision(lived: Record, prose: str) -> None:
    told = lived.change(Change("identity/heart.md", HEART, f"{HEART}\n{prose}\n"))
    assert (told.total, told.runs) == (0, 4)
