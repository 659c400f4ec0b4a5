"""The sample's running papers: true on whatever day they are written."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import frontmatter
import pytest

from adjutant.documents import document, folder
from adjutant.domain.matters import extract, look, wording
from adjutant.domain.matters.fact import Reading
from adjutant.domain.matters.sample import sample_files
from adjutant.domain.matters.signal import Signal
from adjutant.records import heart, registry
from adjutant.store.tree import Tree

START = date(2027, 11, 1)
DAYS = [START + timedelta(days=number) for number in range(400)]
ISO = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
NAMED = re.compile(r"\b([A-Z][a-z]+day) (\d{1,2} [A-Z][a-z]+ \d{4})\b")
PREFIX = "knowledge_bases/"
CHECKOUT = Path(__file__).resolve().parents[3]
TEXTS = sample_files(START)


def every_day() -> Iterator[tuple[date, dict[str, str]]]:
    return ((day, sample_files(day)) for day in DAYS)


def bills(day: date) -> dict[str, dict[str, str]]:
    rows = csv.DictReader(io.StringIO(sample_files(day)[PREFIX + "household/current/bills.csv"]))
    return {row["bill"]: row for row in rows}


def test_the_same_files_are_written_on_every_day() -> None:
    assert all(files.keys() == TEXTS.keys() for _, files in every_day())


def test_every_file_lies_in_one_of_the_folders_that_git_ignores() -> None:
    assert {str(Path("/r", path).parent) for path in TEXTS} == set(Tree("/r").sample_folders())


def test_no_placeholder_is_left_and_every_text_ends_with_a_newline() -> None:
    for _, files in every_day():
        for path, text in files.items():
            assert text.endswith("\n") and not text.endswith("\n\n"), path
            assert "{" not in text and "}" not in text, path


def test_every_iso_date_is_a_date_on_a_working_day() -> None:
    for day, files in every_day():
        found = [date.fromisoformat(text) for body in files.values() for text in ISO.findall(body)]
        assert len(found) >= 15, day
        assert all(each.weekday() < 5 for each in found), day


def test_every_weekday_that_is_named_is_the_weekday_of_its_date() -> None:
    for day, files in every_day():
        named = [hit for body in files.values() for hit in NAMED.findall(body)]
        assert len(named) > 8, day
        for weekday, text in named:
            assert datetime.strptime(text, "%d %B %Y").strftime("%A") == weekday, day


def test_headings_that_are_days_run_backwards_and_none_lies_ahead() -> None:
    for day, files in every_day():
        for path in ("research/current/log.md", "household/current/notes.md"):
            headings = re.findall(r"^## \w+ (.+)$", files[PREFIX + path], re.MULTILINE)
            days = [datetime.strptime(text, "%d %B %Y").date() for text in headings]
            assert days == sorted(set(days), reverse=True) and len(days) > 1, (day, path)
            assert days[0] < day, (day, path)


def test_the_payment_page_is_overdue_by_a_few_days() -> None:
    for day, files in every_day():
        tasks = files[PREFIX + "launch/current/tasks.md"]
        due = re.search(r"\[ \] Take the payment page .* due (\S+)", tasks)
        assert due
        assert 3 <= (day - date.fromisoformat(due[1])).days <= 5


def test_brandt_is_blocked_past_the_day_it_promised() -> None:
    for day, files in every_day():
        vendors = files[PREFIX + "launch/current/vendors.md"]
        row = re.search(r"Brandt .*?(\d{4}-\d\d-\d\d) \| blocked", vendors)
        assert row
        assert 6 <= (day - date.fromisoformat(row[1])).days <= 8


def test_the_insurance_is_open_and_due_in_three_to_seven_days() -> None:
    for day in DAYS:
        row = bills(day)["contents insurance"]
        assert row["status"] == "open"
        assert 3 <= (date.fromisoformat(row["due"]) - day).days <= 7


def test_every_other_bill_is_paid_or_far_ahead() -> None:
    for day in DAYS:
        for bill, row in bills(day).items():
            left = (date.fromisoformat(row["due"]) - day).days
            paid = row["status"] == "paid" and left <= 0
            assert paid or left >= 60 or bill == "contents insurance", (day, bill)


def test_the_weekly_call_is_on_a_monday_and_not_later_than_the_vendors_news() -> None:
    for day, files in every_day():
        call = NAMED.search(files[PREFIX + "launch/current/call.md"])
        news = NAMED.search(files[PREFIX + "launch/current/vendors.md"])
        assert call
        assert news
        assert call[1] == "Monday"
        held, rang = (datetime.strptime(hit[2], "%d %B %Y").date() for hit in (call, news))
        assert held <= rang < day


def test_the_day_of_the_run_is_counted_from_its_beginning() -> None:
    for _, files in every_day():
        text = files[PREFIX + "research/current/log.md"]
        began = re.search(r"began (\S+)\.", text)
        assert began
        entries = re.findall(r"^## \w+ (.+)\n\nDay (\d+)\.", text, re.MULTILINE)
        assert len(entries) == 5
        for heading, number in entries:
            read = datetime.strptime(heading, "%d %B %Y").date()
            assert (read - date.fromisoformat(began[1])).days + 1 == int(number) <= 42


def test_the_paper_is_due_beyond_the_horizon_of_two_weeks() -> None:
    for day, files in every_day():
        post = frontmatter.loads(files[PREFIX + "research/current/paper.md"])
        assert post["status"] == "draft"
        assert post["due"] > day + timedelta(days=14)


@pytest.mark.parametrize("path", sorted(TEXTS))
def test_a_file_reads_like_working_notes_not_like_a_stub(path: str) -> None:
    assert 6 <= len(sample_files(START)[path].splitlines()) <= 40


def read_on(day: date, root: Path) -> list[tuple[str, Signal]]:
    """What the rules raise on the sample as a clone would have it on `day`."""
    shutil.copytree(CHECKOUT / "knowledge_bases", root / "knowledge_bases", ignore=shutil.ignore_patterns("current"))
    for path, text in sample_files(day).items():
        target = root / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    mind = heart.parse((CHECKOUT / "identity/heart.md").read_text(encoding="utf-8"))
    now = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
    signals = {}
    for kb in registry.parse((CHECKOUT / "knowledge_bases/registry.yaml").read_bytes(), Tree(str(root))):
        readings = []
        for entry in folder.scan(kb.folder, folder.Limits()).entries:
            doc = document.read(entry.path, folder.text_of(kb.folder, entry, 1 << 20), near=day)
            readings.append(Reading(entry.path, 0, 0, day, extract.read(doc, day, day, None).facts, {}, "", False))
        signals[kb.name] = look.extract(kb, readings, mind, now, 14).signals
    return wording.rank(signals)


@pytest.mark.parametrize("day", [*DAYS[:7], date(2027, 12, 31), date(2028, 1, 1), date(2028, 2, 29)], ids=str)
def test_the_rules_raise_what_is_meant_and_nothing_else(day: date, tmp_path: Path) -> None:
    raised = read_on(day, tmp_path)
    told = [(kb, each.evidence[0].quote, each.severity in ("high", "critical")) for kb, each in raised]
    assert [(kb, grave) for kb, _, grave in told[:2]] == [("launch", True), ("launch", True)]
    assert sorted((kb, grave) for kb, _, grave in told[2:]) == [("household", False), ("research", False)]
    quotes = " ".join(quote for _, quote, _ in told)
    assert all(word in quotes for word in ("payment page", "Brandt Plastics", "insurance", "Dr Aydin"))
