"""Readings are kept: only a changed file is read, a bad cache is not used, a line counts from its first day."""

from __future__ import annotations

import os
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from adjutant.documents import folder
from adjutant.domain.matters import opened
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.opened import Readings
from adjutant.records.registry import KnowledgeBase
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.conftest import make_instance
from tests.noticing import TODAY, facts

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
OLD = MONDAY - timedelta(days=20)


class Base:
    """A knowledge base `home` of an instance, looked at now and then."""

    def __init__(self, root: Path) -> None:
        self.tree: Tree = make_instance(root / "instance")
        self.files = Files(self.tree)
        self.folder = root / "home"
        self.folder.mkdir()
        self.place = "home"  # as it is registered

    def write(self, name: str, text: str, changed: datetime = OLD) -> None:
        path = self.folder / name
        path.write_text(text)
        os.utime(path, (changed.timestamp(), changed.timestamp()))

    def look(self, now: datetime = MONDAY, *, most: int = 1000, limit: int = 1 << 20) -> Readings:
        left = iter([True] * most)
        entries = folder.scan(self.folder, folder.Limits()).entries
        return opened.refresh(
            self.files,
            KnowledgeBase("home", self.place, str(self.folder)),
            entries,
            now,
            limit=limit,
            order=None,
            more=lambda size: next(left, False),
        )

    def days(self, now: datetime = MONDAY) -> dict[str, date | None]:
        return {fact.what: fact.last for each in self.look(now).readings for fact in each.facts}

    @property
    def cache(self) -> Path:
        return Path(self.tree.readings("home"))


@pytest.fixture
def base(tmp_path: Path) -> Base:
    return Base(tmp_path)


def test_only_a_changed_file_is_read_again(base: Base) -> None:
    for name in ("a.md", "b.md", "c.md"):
        base.write(name, f"- [ ] {name}\n")
    first = base.look()
    assert first.read == ["a.md", "b.md", "c.md"]
    assert base.look().read == []
    base.write("b.md", "- [ ] another\n")
    again = base.look()
    assert again.read == ["b.md"]
    assert [fact.what for each in again.readings for fact in each.facts] == ["a.md", "another", "c.md"]
    assert again.fingerprint() != first.fingerprint()


def test_a_file_of_the_same_size_and_another_time_is_read_again(base: Base) -> None:
    base.write("a.md", "- [ ] one\n")
    base.look()
    base.write("a.md", "- [ ] two\n", OLD + timedelta(seconds=1))
    assert base.look().read == ["a.md"]


def test_a_touched_file_that_says_the_same_keeps_the_fingerprint(base: Base) -> None:
    base.write("a.md", "- [ ] one\n")
    before = base.look().fingerprint()
    base.write("a.md", "- [ ] one\n", MONDAY - timedelta(days=1))
    assert base.look().fingerprint() == before


def test_a_file_that_came_or_went_is_noticed(base: Base) -> None:
    base.write("a.md", "- [ ] one\n")
    one = base.look()
    base.write("b.md", "- [ ] two\n")
    two = base.look()
    (base.folder / "b.md").unlink()
    gone = base.look()
    assert [len(each.readings) for each in (one, two, gone)] == [1, 2, 1]
    assert one.fingerprint() == gone.fingerprint() != two.fingerprint()


def test_a_change_within_the_same_instant_is_not_missed(base: Base) -> None:
    base.write("a.md", "- [ ] one\n", MONDAY)
    base.look(MONDAY)
    base.write("a.md", "- [ ] two\n", MONDAY)
    assert [fact.what for each in base.look(MONDAY).readings for fact in each.facts] == ["two"]


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"\xff" * 99])
def test_a_cut_or_damaged_cache_is_not_used(base: Base, damage: object) -> None:
    base.write("a.md", "- [ ] one\n")
    before = base.look().readings
    base.cache.write_bytes(damage(base.cache.read_bytes()))  # type: ignore[operator]  # a function of the parameters
    again = base.look()
    assert again.read == ["a.md"]
    assert again.readings == before
    assert base.look().read == []


def test_another_limit_or_another_registered_place_makes_the_cache_useless(base: Base) -> None:
    base.write("a.md", "- [ ] one\n")
    base.look()
    assert base.look(limit=1 << 10).read == ["a.md"]
    base.place = "elsewhere"
    assert base.look(limit=1 << 10).read == ["a.md"]


def test_a_cache_that_cannot_be_written_stops_nothing(base: Base) -> None:
    base.write("a.md", "- [ ] one\n")
    base.cache.parent.parent.mkdir(parents=True, exist_ok=True)
    base.cache.parent.rmdir() if base.cache.parent.exists() else None
    base.cache.parent.write_text("a file stands where the folder should")
    assert base.look().read == base.look().read == ["a.md"]


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(base: Base) -> None:
    base.write("a.md", "- [ ] one\n")
    (base.folder / "b.md").write_bytes(b"a\0b")
    found = base.look()
    assert (found.read, [path for path, _ in found.failed]) == (["a.md"], ["b.md"])


def test_when_time_is_up_the_rest_waits_and_what_was_read_stands(base: Base) -> None:
    for name in ("a.md", "b.md", "c.md"):
        base.write(name, f"- [ ] {name}\n")
    first = base.look(most=1)
    assert (first.read, first.late) == (["a.md"], 2)
    second = base.look(most=1)
    assert (second.read, second.late) == (["b.md"], 1)
    base.write("a.md", "- [ ] changed\n")
    third = base.look(most=0)
    assert (third.read, third.late) == ([], 2)
    assert [fact.what for each in third.readings for fact in each.facts] == ["a.md", "b.md"]
    assert base.look().late == 0


# -- the day a line was first seen ---------------------------------------------------------------------------


def test_at_a_first_look_relative_words_of_an_old_file_have_no_day(base: Base) -> None:
    base.write("a.md", "- [ ] ring Bo tomorrow\n")
    assert base.days() == {"ring Bo tomorrow": None}


def test_at_a_first_look_those_of_a_fresh_file_count_from_its_change(base: Base) -> None:
    base.write("a.md", "- [ ] ring Bo tomorrow\n", MONDAY - timedelta(days=1))
    assert base.days() == {"ring Bo tomorrow": date(2026, 11, 23)}


def test_a_new_line_counts_from_the_day_it_is_seen_and_goes_on_counting_from_it(base: Base) -> None:
    base.write("a.md", "# Notes\n")
    base.look()
    base.write("a.md", "# Notes\n\n- [ ] ring Bo tomorrow\n", MONDAY)
    assert base.days() == {"ring Bo tomorrow": date(2026, 11, 24)}
    later = MONDAY + timedelta(days=3)
    base.write("a.md", "# Notes\n\n- [ ] ring Bo tomorrow\n- [ ] ring Ann tomorrow\n", later)
    assert base.days(later) == {"ring Bo tomorrow": date(2026, 11, 24), "ring Ann tomorrow": date(2026, 11, 27)}


def test_a_line_without_a_day_at_the_first_look_gets_none_by_a_change_elsewhere_in_its_file(base: Base) -> None:
    base.write("a.md", "- [ ] ring Bo tomorrow\n")
    base.look()
    base.write("a.md", "- [ ] ring Bo tomorrow\n- [ ] oil the gate\n", MONDAY)
    assert base.days() == {"ring Bo tomorrow": None, "oil the gate": None}


def test_a_first_look_that_takes_several_runs_is_a_first_look_to_its_end(base: Base) -> None:
    base.write("a.md", "# Notes\n")
    base.write("b.md", "- [ ] ring Bo tomorrow\n")
    for most in (1, 0):
        assert base.look(most=most).late == 1
    assert base.days() == {"ring Bo tomorrow": None}


def test_a_new_file_counts_from_the_day_it_is_seen(base: Base) -> None:
    base.write("a.md", "# Notes\n")
    base.look()
    base.write("b.md", "- [ ] ring Bo tomorrow\n")
    assert base.days()["ring Bo tomorrow"] == date(2026, 11, 24)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("2026-11-20.md", "- [ ] ring Bo tomorrow\n"),
        ("a.md", "---\ndate: 2026-11-20\n---\n\n- [ ] ring Bo tomorrow\n"),
        ("a.md", "# Diary\n\n## Friday 20 November 2026\n\n- [ ] ring Bo tomorrow\n"),
    ],
)
def test_a_day_of_the_text_itself_comes_first(base: Base, path: str, text: str) -> None:
    base.write(path, text)
    assert base.days() == {"ring Bo tomorrow": date(2026, 11, 21)}


def test_dates_without_a_year_are_read_again_in_time(base: Base) -> None:
    base.write("a.md", "- [ ] prune the vine by 1 Feb\n")
    assert base.days() == {"prune the vine by 1 Feb": date(2027, 2, 1)}
    assert base.look(MONDAY + timedelta(days=59)).read == []
    assert base.look(MONDAY + timedelta(days=60)).read == ["a.md"]


def shared(*who: str, path: str = "actions.md") -> list[str]:
    """The kinds of the rows of a table that gives a task to each of these, for an operator called Jo."""
    text = "| action | who | due |\n|---|---|---|\n" + "".join(f"| Book hall {n} | {n} | 2026-11-24 |\n" for n in who)
    reading = Reading(path, 1, 0, TODAY, facts(text, path), {}, "", False)
    (found,) = opened.with_own([reading], {"jo"})
    return [fact.kind for fact in found.facts]


def test_what_a_table_gives_to_others_is_waited_for() -> None:
    assert shared("Petra", "Jo") == ["waiting", "deadline"]


def test_whom_a_bill_is_for_is_not_waited_for() -> None:
    assert shared("Power", "Water") == ["deadline", "deadline"]


def test_what_minutes_give_to_others_is_waited_for() -> None:
    assert shared("Petra", "Jo", path="minutes/2026-11-18.md") == ["waiting", "deadline"]
    assert shared("Petra", "Bo", path="minutes/2026-11-18.md") == ["waiting", "waiting"]


@pytest.mark.parametrize(
    ("line", "head", "basis"),
    [
        ("Shortlist by 25 November, Petra and Bo.", "Present: Petra, Bo, Jo", "plan"),
        ("Shortlist by 25 November, Petra and Bo.", "With coffee.", "sentence"),
        ("The landlord wants an answer by 25 November.", "Present: Petra, Bo, Jo", "sentence"),
        ("Jo to write the plan before 25 November.", "Present: Petra, Bo, Jo", "sentence"),
        ("I need the plan of Bo by 25 November.", "Present: Petra, Bo, Jo", "sentence"),
    ],
)
def test_whose_a_sentence_of_minutes_is(line: str, head: str, basis: str) -> None:
    text = f"# Section\n\n{head}\n\n1. {line}\n"
    reading = Reading("section.md", 1, 0, TODAY, facts(text, "section.md"), {}, "", False)
    (found,) = opened.with_own([reading], {"jo"})
    assert [fact.basis for fact in found.facts] == [basis]
