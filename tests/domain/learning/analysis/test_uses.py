"""What answers use and never use: notes, documents, items of the layers, skills."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from adjutant.domain.learning.layer_items import read_items
from adjutant.records import note as note_file
from adjutant.records.suggestion import FREQUENT, STALE_NOTE, UNUSED_ITEM, UNUSED_SKILL
from tests.domain.learning.analysis.asking import NOW, Record

OLD, LONG_AGO = "2026-01-10T10:00:00+00:00", NOW - timedelta(days=60)
ID = "20260110T100000-0001"
NOTE = f"agent_memory/{ID}"


def note(record: Record, body: str, *, id: str = ID, created: str = OLD, **more: object) -> None:
    made = note_file.Note(id=id, type="fact", title=body[:40], body=body, created=created, **more)
    record.write(f"memory/notes/fact/{id}.md", note_file.render(made))


# -- stale notes -----------------------------------------------------------------------------------------------


def retrieved(tmp_path: Path, turns: int = 13, used: int = 0, days: float = 18, outcome: str = "answered") -> Record:
    record = Record(tmp_path / "i")
    note(record, "The standup is on Tuesdays in room four.")
    record.everyday(12)
    for number in range(turns):
        asked, use = ("is there a standup?", "I see nothing of it."), (NOTE,) * (number < used)
        record.session(days * (turns - number) / turns, asked, retrieved=(NOTE,), used=use, outcome=outcome)
    return record


def test_a_note_that_no_answer_uses(tmp_path: Path) -> None:
    (found,) = retrieved(tmp_path).found(STALE_NOTE)
    assert found.subject == NOTE
    assert found.figures == {"turns": 13.0, "used": 0.0}


@pytest.mark.parametrize("changed", ({"turns": 9}, {"used": 1}, {"days": 0.2}, {"outcome": "offline"}))
def test_a_note_that_may_still_be_of_use(tmp_path: Path, changed: dict[str, int]) -> None:
    assert STALE_NOTE not in retrieved(tmp_path, **changed).causes()


def test_a_note_that_is_gone_is_not_forgotten_twice(tmp_path: Path) -> None:
    record = retrieved(tmp_path)
    (record.root / f"memory/notes/fact/{ID}.md").unlink()
    assert STALE_NOTE not in record.causes()


# -- documents found for most turns ----------------------------------------------------------------------------


def frequent(
    tmp_path: Path,
    body: str = "Use kubectl with the context prod.",
    share: float = 0.7,
    turns: int = 12,
    days: float = 28,
    **more: object,
) -> Record:
    record = Record(tmp_path / "i")
    note(record, body, **more)
    record.everyday(20)
    for number in range(turns):
        uses = int((number + 1) * share) - int(number * share)
        record.session(
            days * (turns - number - 0.5) / turns,
            (f"is node {number} up?", "It is."),
            retrieved=(NOTE,),
            used=(NOTE,) * uses,
            concept="adjutant:platform",
        )
    return record


def test_a_note_used_in_most_turns_of_a_workload(tmp_path: Path) -> None:
    (found,) = frequent(tmp_path).found(FREQUENT)
    assert (found.subject, found.workload) == (NOTE, "adjutant:platform")
    assert found.figures["turns"] == 12.0
    assert found.figures["share"] > 0.5
    assert found.figures["used"] == 8.0
    assert found.figures["two_windows"] == 1.0


@pytest.mark.parametrize("changed", ({"share": 0.5}, {"turns": 7}, {"days": 2.0}))
def test_half_is_not_enough_nor_are_few_turns_or_days(tmp_path: Path, changed: dict[str, float]) -> None:
    assert FREQUENT not in frequent(tmp_path, **changed).causes()


def test_a_note_that_took_anothers_place_is_the_same_matter(tmp_path: Path) -> None:
    record = frequent(tmp_path)
    newer = "20261110T100000-0002"
    note(record, "Use kubectl with the context live.", id=newer, created="2026-11-10T10:00:00+00:00", supersedes=ID)
    (found,) = record.found(FREQUENT)
    assert found.subject == f"agent_memory/{newer}"


def test_one_busy_half_of_the_month_shows_no_frequency_in_two_windows(tmp_path: Path) -> None:
    (found,) = frequent(tmp_path, days=12).found(FREQUENT)
    assert found.figures["two_windows"] == 0.0


def test_two_months_running_show_it(tmp_path: Path) -> None:
    record = frequent(tmp_path, days=12)
    for number in range(10):
        record.session(
            31 + 2 * number, ("is a node up?", "It is."), used=(NOTE,) * (number > 2), concept="adjutant:platform"
        )
    (found,) = record.found(FREQUENT)
    assert found.figures["two_windows"] == 1.0


def test_the_work_log_counts_too_and_skills_do_not(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    record.write("state/slog.jsonl", f'{{"ts": "{OLD}", "id": "l1", "text": "Moved mail to vidar."}}\n')
    record.everyday(20)
    for number in range(10):
        record.session(2.5 * number, "is mail up?", used=("slog/l1", "agent_skills/mail"), concept="adjutant:platform")
    (found,) = record.found(FREQUENT)
    assert found.subject == "slog/l1"


# -- items and skills that nobody uses -------------------------------------------------------------------------

USER = """# User

- Runa runs a studio of two in Bergen with her sister Liv
- Collects fountain pens and wants to hear of auctions in Gothenburg
- Never share the salaries of employees with suppliers or landlords
- Answers short, in Norwegian, with figures in tables
- Vegetarian
"""
PENS = "user#collects-fountain-pens-and-wants"


def aged(path: Path, days: float) -> None:
    """A file that was last changed so many days ago."""
    stamp = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (stamp, stamp))


def layers(tmp_path: Path, turns: int = 45, days: int = 60) -> Record:
    record = Record(tmp_path / "i")
    aged(record.write("identity/user.md", USER), days)
    app = record.app()
    studio = next(each.id for each in read_items(app.files, app.config) if "studio" in each.text)
    record.everyday(turns - 1, days=28)
    record.session(0.4, "who is Liv?", items=(studio,))
    return record


def test_an_item_that_is_used_no_more(tmp_path: Path) -> None:
    record = layers(tmp_path)
    record.session(40, "which auctions are on?", items=(PENS,))
    found = record.found(UNUSED_ITEM)[0]
    assert (found.subject, found.figures) == (PENS, {"turns": 45.0, "used": 0.0, "before": 1.0})
    assert found.evidence[0].text.startswith("- Collects fountain pens")


def test_items_never_used_are_named_together(tmp_path: Path) -> None:
    (found,) = layers(tmp_path).found(UNUSED_ITEM)
    assert found.subject.startswith(f"{PENS}, user#never-share")
    assert "before" not in found.figures


@pytest.mark.parametrize("changed", ({"turns": 30}, {"days": 10}))
def test_too_few_turns_or_too_young_a_layer_tell_nothing(tmp_path: Path, changed: dict[str, int]) -> None:
    assert layers(tmp_path, **changed).found(UNUSED_ITEM) == []


def test_a_layer_that_was_edited_lately_tells_of_items_that_were_used_before(tmp_path: Path) -> None:
    record = layers(tmp_path)
    aged(record.write("identity/user.md", USER + "- Plays the bassoon in the town orchestra on Sundays\n"), days=5)
    assert record.found(UNUSED_ITEM) == []
    record.session(40, "which auctions are on?", items=(PENS,))
    assert [each.subject for each in record.found(UNUSED_ITEM)] == [PENS]


def skill(record: Record, folder: str, days_old: int = 90) -> None:
    text = f"---\nname: {folder}\ndescription: How {folder} is done.\n---\n\nDo it.\n"
    aged(record.write(f"skills/{folder}/SKILL.md", text), days_old)


def test_a_skill_that_is_never_found_nor_read(tmp_path: Path) -> None:
    record = Record(tmp_path / "i")
    for folder in ("idle", "found", "read"):
        skill(record, folder)
    skill(record, "young", days_old=5)
    record.everyday(44, days=28)
    record.session(3, "how?", retrieved=("agent_skills/found",), skills=("read",))
    assert [each.subject for each in record.found(UNUSED_SKILL)] == ["idle"]
