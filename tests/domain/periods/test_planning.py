"""Which periods are written, and why the others are not."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from time import process_time

import pytest

from adjutant.domain.periods.sources import SKIPPED, UNCHANGED, WRITE, Planned
from adjutant.records import period_file
from tests.domain.periods.lived import Lived, line

DAYS = [f"2026-11-{day:02}" for day in range(2, 30)]  # four whole weeks, Monday to Sunday: W45 to W48, all November's


def lived_month(root: Path, now: str = "2026-12-31") -> Lived:
    """Four weeks with an entry each day, and a message on each Friday."""
    lived = Lived(root, now)
    for day in DAYS:
        lived.journal(day, f"## 09:00 — Shop\n\n- Sold {day[-2:]} loaves\n")
    for day in ("2026-11-06", "2026-11-13"):
        lived.say("cli", (f"{day}T18:00:00+01:00", "The week is over"))
    return lived


def told(planned: list[Planned]) -> list[tuple[str, str, str]]:
    return [(each.period.name, each.action, each.reason) for each in planned]


def bytes_of(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "memory").rglob("*.md")}


def test_a_month_is_written_from_its_days_up_and_then_never_again(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    assert lived.compact() == [*DAYS, "2026-W45", "2026-W46", "2026-W47", "2026-W48", "2026-11"]
    assert lived.compact() == []
    assert told(lived.plan("weekly")) == [(f"2026-W{week}", UNCHANGED, "") for week in (45, 46, 47, 48)]


def test_a_late_entry_makes_exactly_its_day_its_week_and_its_month_stale(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    for day in ("2026-10-26", "2026-10-27", "2026-10-28", "2026-10-19", "2026-10-20", "2026-10-21"):
        lived.journal(day, "- October\n")
    lived.compact()
    assert [each.period.name for each in lived.plan("weekly")] == [f"2026-W{week}" for week in range(43, 49)]
    before = bytes_of(tmp_path)
    with (tmp_path / "journal/2026-11-12.md").open("a") as late:
        late.write("\n## 23:00 — Late\n\n- The oven broke\n")
    assert lived.compact() == ["2026-11-12", "2026-W46", "2026-11"]
    after = bytes_of(tmp_path)
    assert {name for name in after if after[name] != before.get(name)} == {"2026-11-12.md", "2026-W46.md", "2026-11.md"}
    assert all(b"The oven broke" in after[name] for name in ("2026-11-12.md", "2026-W46.md", "2026-11.md"))
    lived.say("new", ("2026-11-29T23:59:59+01:00", "Just in time"), ("2026-11-30T00:00:00+01:00", "Too late"))
    assert lived.compact() == ["2026-11-29", "2026-11-30", "2026-W48", "2026-11"]


def test_what_is_not_over_is_not_due_and_says_when_it_will_be(tmp_path: Path) -> None:
    lived = lived_month(tmp_path, now="2026-11-29")
    assert [each.period.name for each in lived.plan("daily")] == DAYS[:-1]
    assert lived.compact() == [*DAYS[:-1], "2026-W45", "2026-W46", "2026-W47"]
    assert told(lived.plan("daily", on="2026-11-29")) == [("2026-11-29", SKIPPED, "not over before 2026-11-30")]
    assert told(lived.plan("monthly", on="2026-11-29")) == [("2026-11", SKIPPED, "not over before 2026-11-30")]
    lived.at("2026-11-30")
    assert lived.compact() == ["2026-11-29", "2026-W48", "2026-11"]


@pytest.mark.parametrize(
    ("now", "names"),
    [
        ("2026-11-30", ("2026-11-29", "2026-W48", "2026-11")),
        ("2026-11-29", ("2026-11-28", "2026-W47", "2026-10")),
        ("2027-01-01", ("2026-12-31", "2026-W52", "2026-11")),  # in week 53, which is December's
        ("2027-01-03", ("2027-01-02", "2026-W52", "2026-11")),
        ("2027-01-04", ("2027-01-03", "2026-W53", "2026-12")),
        ("2026-10-01", ("2026-09-30", "2026-W39", "2026-09")),  # a Thursday: its week is October's
        ("2026-09-30", ("2026-09-29", "2026-W39", "2026-09")),  # in a week of October's already
        ("2026-09-27", ("2026-09-26", "2026-W38", "2026-08")),
    ],
)
def test_a_word_alone_means_the_last_one_that_is_over(tmp_path: Path, now: str, names: tuple[str, ...]) -> None:
    lived = Lived(tmp_path, now)
    found = [lived.plan(kind, word=kind) for kind in period_file.KINDS]
    assert tuple(each.period.name for [each] in found) == names
    assert [each.reason for [each] in found] == ["nothing happened", "0 days of 3 needed", "0 weeks of 2 needed"]


def test_a_day_names_the_period_of_each_kind_that_holds_it(tmp_path: Path) -> None:
    lived = Lived(tmp_path, "2027-02-01")
    for word in ("due", "weekly"):
        [week] = lived.plan("weekly", word=word, on="2027-01-02")
        assert (week.period.name, week.action) == ("2026-W53", SKIPPED)
    [month] = lived.plan("monthly", on="2027-01-02")
    assert month.period.name == "2026-12"


def test_a_week_needs_its_days_and_a_month_its_weeks(tmp_path: Path) -> None:
    lived = Lived(tmp_path)
    for day in ("2026-11-02", "2026-11-03", "2026-11-09", "2026-11-10", "2026-11-15"):
        lived.journal(day, "- x\n")
    assert lived.compact()[-1] == "2026-W46"
    assert told(lived.plan("weekly")) == [("2026-W45", SKIPPED, "2 days of 3 needed"), ("2026-W46", UNCHANGED, "")]
    assert told(lived.plan("monthly")) == [("2026-11", SKIPPED, "1 week of 2 needed")]
    fewer = Lived(tmp_path, memory__periods__min_dailies=2, memory__periods__min_weeklies=1)
    assert fewer.compact() == ["2026-W45", "2026-11"]


# -- what a person did ---------------------------------------------------------------------------------------


MINE = "edited by hand; move the file away to have it made anew"


def test_a_file_edited_by_hand_is_left_to_the_person(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    lived.compact()
    mine = tmp_path / "memory/daily/2026-11-12.md"
    mine.write_text(mine.read_text() + "- My own line\n")
    [day] = lived.plan("daily", on="2026-11-12")
    assert day.action == UNCHANGED, "its sources are the same"
    assert lived.compact() == ["2026-W46", "2026-11"], "what was made from it has changed"
    lived.journal("2026-11-12", "- Closed\n")
    assert told(lived.plan("daily", on="2026-11-12")) == [("2026-11-12", SKIPPED, MINE)]
    assert lived.compact() == []
    assert b"My own line" in mine.read_bytes()
    mine.unlink()
    assert lived.compact()[0] == "2026-11-12"


def test_a_file_written_by_hand_is_a_person_s(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    lived.write("memory/daily/2026-11-12.md", "# A day\n\n- Mine\n")
    assert told(lived.plan("daily", on="2026-11-12")) == [("2026-11-12", SKIPPED, MINE)]
    assert "2026-11-12" not in lived.compact()
    assert (tmp_path / "memory/daily/2026-11-12.md").read_text() == "# A day\n\n- Mine\n"


def test_a_day_whose_sources_are_gone_keeps_its_file(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    lived.compact()
    (tmp_path / "journal/2026-11-12.md").unlink()
    assert told(lived.plan("daily", on="2026-11-12")) == [
        ("2026-11-12", SKIPPED, "what it was made from is gone; the file is kept")
    ]
    (tmp_path / "journal/2026-11-13.md").unlink()
    assert lived.compact() == ["2026-11-13", "2026-W46", "2026-11"], "a message is left of it"


# -- what cannot be read -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "damage"),
    [
        ("journal/2026-11-13.md", b"\xff"),
        ("journal/2026-11-13.md", None),
        ("journal", b"a file"),
        ("state/conversations/cli.jsonl", None),
        ("state/conversations/cli.jsonl", b"\xff\n\xff\n"),
        ("state/conversations", b"a file"),
        (
            "state/conversations/cli.jsonl",  # its line of that day alone
            line(id="m1", ts="2026-11-06T18:00:00+01:00", role="operator", name="operator", text="The week is over")
            + b'{"id": "m2", "ts": "2026-11-13T18:00:00+01:00", "role": oper}\n',
        ),
    ],
)
def test_a_day_is_not_made_anew_without_what_is_there_and_cannot_be_read(
    tmp_path: Path,
    path: str,
    damage: bytes | None,
) -> None:
    lived = lived_month(tmp_path)
    lived.compact()
    before = bytes_of(tmp_path)
    lived.work("2026-11-13T10:00:00+01:00", "A late line that makes it stale")
    os.rename(tmp_path / path, tmp_path / "aside")
    if damage is None:
        (tmp_path / path).mkdir()
    else:
        lived.write(path, damage)
    [day] = lived.plan("daily", on="2026-11-13")
    assert day.action == SKIPPED and day.reason.startswith(path), day
    assert lived.compact() == []
    assert bytes_of(tmp_path) == before
    if damage is None:
        (tmp_path / path).rmdir()
    else:
        (tmp_path / path).unlink()
    os.rename(tmp_path / "aside", tmp_path / path)
    assert lived.compact() == ["2026-11-13", "2026-W46", "2026-11"]


def test_a_day_whose_journal_cannot_be_read_waits_for_it(tmp_path: Path) -> None:
    lived = Lived(tmp_path)
    lived.write("journal/2026-11-12.md", b"\xff")
    lived.say("cli", ("2026-11-12T09:00:00+01:00", "Hello"))
    assert told(lived.plan("daily")) == [("2026-11-12", SKIPPED, "journal/2026-11-12.md:1: not UTF-8")]


def test_a_day_goes_on_without_a_conversation_it_was_never_made_from(tmp_path: Path) -> None:
    lived = Lived(tmp_path)
    lived.journal("2026-11-12", "- x\n")
    lived.write("state/conversations/s.jsonl", b"\xff\n")
    [day] = lived.plan("daily")
    assert day.action == WRITE


def test_a_damaged_line_stops_no_other_day_of_its_log(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    lived.compact()
    path = tmp_path / "state/conversations/cli.jsonl"
    path.write_bytes(path.read_bytes() + b"{torn")
    lived.journal("2026-11-13", "- Late\n")
    assert lived.compact() == ["2026-11-13", "2026-W46", "2026-11"]


@pytest.mark.parametrize("broken", [b"---\nsources: 3\n---\n- x\n", b"---\nsources: [\n---\n", b"---\n\xff\n---\n"])
def test_a_period_s_own_file_that_cannot_be_read_is_left_alone_and_holds_up_what_is_above(
    tmp_path: Path,
    broken: bytes,
) -> None:
    lived = lived_month(tmp_path)
    lived.compact()
    lived.write("memory/daily/2026-11-12.md", broken)
    before = bytes_of(tmp_path)
    assert lived.compact() == []
    assert bytes_of(tmp_path) == before
    [day], [week] = lived.plan("daily", on="2026-11-12"), lived.plan("weekly", on="2026-11-12")
    assert (day.action, week.action) == (SKIPPED, SKIPPED)
    assert day.reason.startswith("memory/daily/2026-11-12.md:")
    assert day.reason == week.reason


@pytest.mark.parametrize("name", [b"a\xff", b"a\nb", "a\x85b".encode(), "a\u2028b".encode()])
def test_a_name_that_no_list_can_hold_is_told_of_and_makes_nothing_stale(tmp_path: Path, name: bytes) -> None:
    lived = lived_month(tmp_path)
    folder = os.fsencode(tmp_path / "state/conversations")
    with open(folder + b"/" + name + b".jsonl", "wb") as file:
        file.write(line(id="m1", ts="2026-11-12T09:00:00+01:00", role="operator", text="x"))
    assert "2026-11-12" in lived.compact()
    assert lived.compact() == []
    assert "not a name of ours" in lived.day("2026-11-12").damaged[0]


def test_files_that_are_no_periods_are_none(tmp_path: Path) -> None:
    lived = lived_month(tmp_path)
    for name in ("notes.md", "2026-13-01.md", "9999-12-31.md", "2026-11-31.md", ".2026-11-12.md.swp", "2026-W45.md"):
        lived.write(f"memory/daily/{name}", "- x\n")
        lived.write(f"journal/{name}", "- x\n")
    lived.say("far", ("9999-12-31T23:00:00+01:00", "x"), ("0001-01-01T00:00:00+01:00", "y"))
    assert lived.compact()[:2] == DAYS[:2]


# -- quickly -------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_half_a_year_in_which_nothing_changed_is_planned_in_well_under_half_a_second(tmp_path: Path) -> None:
    lived = Lived(tmp_path, "2026-12-31")
    days = [date.fromordinal(date(2026, 5, 4).toordinal() + n).isoformat() for n in range(200)]
    logs = [b""] * 20
    for number, day in enumerate(days):
        lived.journal(day, "".join(f"## {hour:02}:00 — Shop\n\n- Sold bread\n\n" for hour in range(8, 16)))
        lived.insight(f"{day}-0900.md", f"{day}T09:00:00+01:00", folder="sent")
        for message in range(20):
            logs[(number + message) % 20] += line(
                id=f"{number}-{message}",
                ts=f"{day}T{message:02}:00:00+01:00",
                role="operator",
                name="operator",
                text="a few words " * 10,
            )
    for number, log in enumerate(logs):
        lived.write(f"state/conversations/s{number}.jsonl", log)
    assert len(lived.compact()) == 200 + 29 + 7
    began = process_time()
    assert lived.compact() == []
    assert process_time() - began < 0.5
