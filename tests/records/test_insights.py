"""Insights: filed under a free name, read strictly, revised without touching a person's text, moved exactly once."""

from __future__ import annotations

import multiprocessing
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.errors import FileChanged, FileDamaged
from adjutant.records import insights, pending
from adjutant.records.insights import Evidence, Insight, fingerprint
from adjutant.store.files import Files
from adjutant.store.tree import Tree

NOW = datetime.fromisoformat("2026-11-20T09:00:00+01:00")
BOILER = Evidence("docs/boiler.md", 7, "- [ ] boiler service, due 3 November")


def files_of(root: Path, **more: Any) -> Files:
    return Files(Tree(str(root)), **more)


def insight(**more: Any) -> Insight:
    fields: dict[str, Any] = {
        "kb": "home",
        "title": "Boiler: service overdue",
        "why": "overdue since 3 November",
        "severity": "high",
        "created": NOW.isoformat(),
        "concern": "keep the house warm",
        "evidence": [BOILER],
        "run": "r1",
        "fingerprint": fingerprint("home", BOILER.path, BOILER.quote),
    }
    return Insight(**{**fields, **more})


def place(root: Path, text: str | bytes, name: str = "own.md") -> Path:
    path = root / "insights" / "pending" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_what_was_filed_is_what_is_read(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    name = insights.file(files, insight(), NOW)
    assert name == "2026-11-20-0900.md"
    found = insights.load(files, name)
    assert (found.kb, found.title, found.why, found.severity) == (
        "home",
        "Boiler: service overdue",
        "overdue since 3 November",
        "high",
    )
    assert found.evidence == [BOILER]
    assert (found.created, found.run, found.attempts, found.notice) == (NOW.isoformat(), "r1", 0, None)
    assert found.prints() == {insight().fingerprint}
    text = (tmp_path / "insights" / "pending" / name).read_text()
    assert text.startswith("---\ncreated: '2026-11-20T09:00:00+01:00'\nkb: home\nseverity: high\nconcern:")
    assert "# Boiler: service overdue\n\noverdue since 3 November\n\n- docs/boiler.md:7: " in text


@pytest.mark.parametrize(
    "nasty",
    [
        "---",
        "no",
        "22:00",
        "null",
        "'",
        "a: b # c",
        "\x00\x1b[2J",
        "\ud800",
        "\u2028x",
        "&a *a",
        "---\nkb: other\n---",
        "{",
        "",
    ],
)
def test_no_text_breaks_the_frontmatter(tmp_path: Path, nasty: str) -> None:
    files = files_of(tmp_path)
    quote = Evidence(nasty or "p", 1, nasty)
    filed = insight(title=f"x {nasty}", why=nasty, concern=nasty, kb="home", evidence=[quote], run=nasty)
    found = insights.load(files, insights.file(files, filed, NOW))
    assert (found.kb, found.severity, found.attempts, found.fingerprint) == ("home", "high", 0, filed.fingerprint)
    [cited] = found.evidence
    assert cited.quote == nasty.replace("\ud800", "?") or nasty in ("null", "")


def test_a_second_insight_in_the_same_minute_gets_its_own_name_over_all_three_folders(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    names = []
    for away in (insights.settle, insights.discard, lambda *_: None, lambda *_: None):
        names.append(insights.file(files, insight(), NOW))
        away(files, names[-1])
    assert names == ["2026-11-20-0900.md", "2026-11-20-0900-2.md", "2026-11-20-0900-3.md", "2026-11-20-0900-4.md"]


def test_pending_ones_come_oldest_first_and_damaged_ones_are_named_and_left(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    later = insights.file(files, insight(created=(NOW + timedelta(hours=1)).isoformat()), NOW)
    utc = insights.file(files, insight(created="2026-11-20T07:59:00+00:00"), NOW)
    broken = place(tmp_path, "---\nkb: [\n---\n\n# x\n", "broken.md")
    (tmp_path / "insights" / "pending" / "folder.md").mkdir()
    for name in (".gitkeep", ".x.md.swp", "x.md~", "#x.md#"):
        place(tmp_path, "not an insight", name)
    good, damaged = insights.pending(files)
    assert [found.name for found in good] == [utc, later]
    assert [name for name, _ in damaged] == ["broken.md", "folder.md"]
    assert broken.exists()
    assert pending.names(files) == sorted([later, utc, "broken.md", "folder.md"])


def test_a_file_without_frontmatter_is_the_operators_own(tmp_path: Path) -> None:
    place(tmp_path, "\ufeff\n# Call the landlord\n\nabout the deposit\n")
    [found], _ = insights.pending(files_of(tmp_path))
    assert (found.kb, found.severity, found.title, found.why) == (
        "operator",
        "high",
        "Call the landlord",
        "about the deposit",
    )
    assert found.attempts == 0
    assert found.fingerprint
    assert datetime.fromisoformat(found.created).tzinfo is not None


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("---\nkb: home\n\n# no end\n", 1, "no closing"),
        ("\n---\nkb: home\n", 2, "no closing"),
        ("---\n- a\n- b\n---\n# x\n", 2, "must be `key: value`"),
        ("---\njust words\n---\n# x\n", 2, "must be `key: value`"),
        ("---\nkb: home\nkb: other\n---\n# x\n", 3, "given twice"),
        ("---\nkb: &a home\nconcern: *a\n---\n# x\n", 3, "aliases"),
        ("---\nkb: home\nseverity: urgent\n---\n# x\n", 3, "matching regex"),
        ("---\nkb: home\nattempts: many\n---\n# x\n", 3, "Expected"),
        ("---\nkb: [a]\n---\n# x\n", 2, "Expected"),
        ("---\ncreated: yesterday\n---\n# x\n", 1, "not an ISO-8601"),
        ("---\ncreated: 2026-11-20T09:00:00\n---\n# x\n", 1, "not an ISO-8601"),
        ("---\nevidence: [[[[[[[]]]]]]]\n---\n# x\n", 2, "nested deeper"),
        ("---\nkb: home\n---\n\n", 5, "without any text"),
        ("", 1, "without any text"),
        (b"# x\n\xff\n", 2, "not UTF-8"),
        (b"x" * 300_000, 0, "more than"),
    ],
)
def test_damage_is_named_by_file_and_line(tmp_path: Path, text: str | bytes, line: int, reason: str) -> None:
    place(tmp_path, text)
    with pytest.raises(FileDamaged) as raised:
        insights.load(files_of(tmp_path), "own.md")
    where = f"insights/pending/own.md:{line}: " if line else "insights/pending/own.md: "
    assert raised.value.message.startswith(where)
    assert reason in raised.value.message


def test_an_unquoted_time_and_a_no_are_read_as_written(tmp_path: Path) -> None:
    place(tmp_path, "---\ncreated: 2026-11-20T09:00:00+01:00\nkb: no\nconcern: 22:00\nattempts: 2\ntags: [x]\n---\nx\n")
    found = insights.load(files_of(tmp_path), "own.md")
    assert (found.created, found.kb, found.concern, found.attempts) == (NOW.isoformat(), "no", "22:00", 2)


def test_revising_keeps_every_other_character(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    text = "---\n# mine\nkb: home   # here\nattempts: 0 # tries\nnotice: null\nextra: {a: 1}\n---\nattempts: 7\n---\n"
    path = place(tmp_path, text)
    revised = insights.update(files, insights.load(files, "own.md"), attempts=1, notice="quiet_hours")
    assert path.read_text() == text.replace("attempts: 0", "attempts: 1").replace("null", "quiet_hours")
    insights.update(files, revised, attempts=2)
    found = insights.load(files, "own.md")
    assert (found.attempts, found.notice) == (2, "quiet_hours")


def test_revising_an_operators_own_file_gives_it_frontmatter(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    path = place(tmp_path, "Call the landlord\n")
    insights.update(files, insights.load(files, "own.md"), attempts=1)
    front = "---\nkb: operator\nseverity: high\nattempts: 1\nnotice: null\n---\n"
    assert path.read_text() == f"{front}\nCall the landlord\n"
    found = insights.load(files, "own.md")
    assert (found.title, found.kb, found.attempts) == ("Call the landlord", "operator", 1)


def test_a_persons_edit_wins_over_a_revision(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    path = place(tmp_path, "Call the landlord\n")
    read = insights.load(files, "own.md")
    path.write_text("Called him already\n")
    with pytest.raises(FileChanged):
        insights.update(files, read, attempts=1)
    assert path.read_text() == "Called him already\n"


def test_settling_moves_and_a_second_time_does_nothing(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    name = insights.file(files, insight(), NOW)
    assert insights.settle(files, name) is True
    assert insights.settle(files, name) is False
    assert (files.names(files.tree.pending), files.names(files.tree.sent)) == ([], [name])
    assert insights.load(files, name).name == name


def test_a_move_that_was_cut_between_link_and_unlink_is_completed(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    name = insights.file(files, insight(), NOW)
    (tmp_path / "insights" / "sent").mkdir()
    os.link(files.tree.pending_insight(name), files.tree.sent_insight(name))
    assert insights.settle(files, name) is True
    assert (files.names(files.tree.pending), files.names(files.tree.sent)) == ([], [name])


def test_settling_never_overwrites_another_text_of_the_same_name(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    place(tmp_path, "one\n")
    insights.settle(files, "own.md")
    place(tmp_path, "two\n")
    assert insights.settle(files, "own.md") is True
    sent = tmp_path / "insights" / "sent"
    assert {path.name: path.read_text() for path in sent.iterdir()} == {"own.md": "one\n", "own-2.md": "two\n"}


def test_discarding_keeps_the_original_in_quarantine(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    place(tmp_path, "one\n")
    assert insights.discard(files, "own.md") == "own.md"
    assert insights.discard(files, "own.md") == ""
    place(tmp_path, "two\n")
    assert insights.discard(files, "own.md") == "own-2.md"
    assert (tmp_path / "state" / "quarantine" / "own.md").read_text() == "one\n"


def test_in_a_dry_run_all_of_it_happens_on_an_overlay(tmp_path: Path) -> None:
    files = files_of(tmp_path, dry=True)
    name = insights.file(files, insight(), NOW)
    assert [each.decided for each in insights.pending(files)[0]] == [None]
    insights.update(files, insights.load(files, name), attempts=1, decided="log")
    assert [each.decided for each in insights.pending(files)[0]] == ["log"]
    insights.settle(files, name)
    assert insights.file(files, insight(), NOW) == "2026-11-20-0900-2.md"
    assert not (tmp_path / "insights").exists()


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("- [ ] Boiler service, due 3 November", "- [x] boiler service overdue 2026-12-01", True),
        ("Waiting on the vendor's quote (12 days)", "waiting on the vendors quotes (20 days)", True),
        ("Kessel warten bis 3. November", "Kessel warten bis Freitag", True),
        ("boiler service", "boiler repair", False),
        ("| 4 | ? |", "| 5 | ? |", False),
        ("?  ?", "? ?", True),
    ],
)
def test_a_fingerprint_forgets_dates_numbers_and_word_forms(one: str, two: str, same: bool) -> None:
    assert (fingerprint("kb", "a.md", one) == fingerprint("kb", "a.md", two)) is same
    assert fingerprint("kb", "a.md", one) != fingerprint("kb", "b.md", one)
    assert len(fingerprint("kb", "a.md", one)) == 16


def _settle_all(root: str, go: Any, moved: Any) -> None:
    files = Files(Tree(root))
    go.wait()
    for name in pending.names(files):
        if insights.settle(files, name):
            moved.put(name)


def test_insights_that_three_runs_race_for_move_exactly_once(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    names = [insights.file(files, insight(), NOW) for _ in range(20)]
    context = multiprocessing.get_context("spawn")
    go, moved = context.Event(), context.Queue()
    racers = [context.Process(target=_settle_all, args=(str(tmp_path), go, moved)) for _ in range(3)]
    for racer in racers:
        racer.start()
    go.set()
    got = [moved.get(timeout=30) for _ in names]
    for racer in racers:
        racer.join(30)
    assert sorted(got) == sorted(names)
    assert moved.empty()
    assert (files.names(files.tree.pending), files.names(files.tree.sent)) == ([], sorted(names))
