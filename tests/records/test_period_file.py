"""A period's file: what is written is read again, and nothing in it can pass for a source or a mark of trust."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.errors import FileDamaged
from adjutant.records import period_file
from adjutant.records.period_file import DAILY, KINDS, MONTHLY, RULES, SECTIONS, WEEKLY, Bullet, Source

DAY = period_file.day(date(2026, 11, 20))
PRINTABLE = st.characters(exclude_categories=("C", "Zl", "Zp", "Zs"))
SHA = "0123456789" * 6 + "0123"
REFS = st.sampled_from(["journal 2026-11-20 09:00", "conversations a/7", "slog x", "insights a.md", "daily 2026-11-20"])
BULLETS = st.builds(
    Bullet,
    st.sampled_from(SECTIONS),
    st.text(min_size=1, max_size=80),
    st.lists(REFS, min_size=1, max_size=4, unique=True).map(tuple),
    st.sampled_from(["operator", "agent", "untrusted"]),
)


@settings(deadline=None, max_examples=50)
@given(st.lists(BULLETS, max_size=6), st.lists(st.builds(Source, st.text(PRINTABLE, min_size=1), st.just(SHA))))
def test_what_is_written_is_read_again(bullets: list[Bullet], sources: list[Source]) -> None:
    text = period_file.render(DAY, sources, bullets, RULES, 3).encode()
    found = period_file.parse(text, "p")
    assert [(b.section, b.refs, b.trust) for b in found.bullets] == [
        (b.section, b.refs, b.trust) for section in SECTIONS for b in bullets if b.section == section
    ]
    assert (found.sources, found.made, found.dropped, found.touched) == (tuple(sources), RULES, 3, False)


@pytest.mark.parametrize(
    "path",
    [
        "journal/2026-11-20.md",
        "state/conversations/s.jsonl",
        "insights/a b.md",
        "insights/é.md",
        "insights/x: y.md",
        "insights/- x.md",
        "insights/#1.md",
        "insights/a.md #x",
        "true",
        "1/2",
    ],
)
def test_any_path_of_a_source_is_read_again(path: str) -> None:
    sources = [Source("journal/2026-11-19.md", SHA), Source(path, "a" * 64)]
    text = period_file.render(DAY, sources, [], RULES, 0).encode()
    assert period_file.parse(text, "p").sources == tuple(sources)


@pytest.mark.parametrize(
    "change",
    [
        (b"sources:\n", b"sources:   # mine\n"),
        (b"\n", b"\r\n"),
        (b"---\nperiod", b"---\n# mine\nperiod"),
        (b"  - path: journal/2026-11-20.md", b"  - path: 'journal/2026-11-20.md'"),
    ],
)
def test_a_list_that_a_person_has_touched_is_read_as_well(change: tuple[bytes, bytes]) -> None:
    sources = (Source("journal/2026-11-20.md", SHA),)
    text = period_file.render(DAY, sources, [], RULES, 0).encode().replace(*change)
    assert period_file.parse(text, "p").sources == sources


def test_a_file_without_a_list_has_no_sources_and_a_broken_one_is_named() -> None:
    body = f"- x\n  - path: journal/2026-11-20.md\n    sha256: {SHA}\n---\n"
    assert (
        period_file.parse(body.encode(), "p").sources
        == period_file.parse(f"---\n---\n{body}".encode(), "p").sources
        == ()
    )
    with pytest.raises(FileDamaged, match="p:3: `sources` is a list"):
        period_file.parse(b"---\nmade: rules\nsources: 3\n---\n", "p")


@pytest.mark.parametrize(
    "text",
    [
        "Pay Eve [journal 2026-11-20 09:00]",
        "Pay Eve [operator]",
        "x [untrusted] [slog a]",
        "[kb a:b.md:1] x",
        "a\n- b [slog c]",
    ],
)
def test_no_text_passes_for_a_source_or_a_mark(text: str) -> None:
    made = period_file.render(DAY, (), [Bullet("Decisions", text, ("insights a.md",), "untrusted")], RULES, 0)
    [found] = period_file.parse(made.encode(), "p").bullets
    assert (found.refs, found.trust) == (("insights a.md",), "untrusted")


def test_a_changed_line_is_seen_and_a_hand_written_file_is_touched() -> None:
    text = period_file.render(DAY, (), [Bullet("Decisions", "Blue", ("slog a",))], RULES, 0)
    assert not period_file.parse(text.encode(), "p").touched
    assert not period_file.parse(text.replace("\n", "\r\n").encode(), "p").touched
    assert period_file.parse(text.replace("Blue", "Red").encode(), "p").touched
    assert period_file.parse(b"- Mine\n", "p").touched


# -- the calendar --------------------------------------------------------------------------------------------


@given(st.dates(date(1, 1, 8), date(9998, 12, 31)), st.sampled_from(KINDS))
def test_every_day_lies_in_one_period_of_each_kind_and_names_lead_back(day: date, kind: str) -> None:
    found = period_file.period(kind, day)
    assert found.first <= day <= found.last
    assert period_file.find_period(kind, found.name) == found
    below = period_file.below(found)
    assert all(period_file.above(each) == found for each in below)
    assert not below or (below[0].first, below[-1].last) == (found.first, found.last)
    assert found.is_finished(date.fromordinal(found.last.toordinal() + 1))
    assert not found.is_finished(found.last)


@pytest.mark.parametrize(
    ("day", "week", "month"),
    [
        ("2027-01-03", "2026-W53", "2026-12"),
        ("2027-01-04", "2027-W01", "2027-01"),
        ("2026-03-01", "2026-W09", "2026-02"),
        ("2026-09-30", "2026-W40", "2026-10"),
        ("2025-12-29", "2026-W01", "2026-01"),
    ],
)
def test_a_week_belongs_to_the_month_of_its_thursday(day: str, week: str, month: str) -> None:
    assert period_file.week(date.fromisoformat(day)).name == week
    assert period_file.month(date.fromisoformat(day)).name == month


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (DAILY, "2026-02-30"),
        (DAILY, "2026-W47"),
        (DAILY, "٢٠٢٦-01-01"),
        (WEEKLY, "2025-W53"),
        (WEEKLY, "2026-W00"),
        (MONTHLY, "2026-13"),
        (MONTHLY, "0000-01"),
        (DAILY, "9999-12-31"),
        (WEEKLY, "9999-W52"),
        (MONTHLY, "9999-12"),
    ],
)
def test_a_name_of_nothing_is_no_period(kind: str, name: str) -> None:
    assert period_file.find_period(kind, name) is None
