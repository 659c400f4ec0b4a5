"""Calendars as knowledge bases: what recurs, moves and is cancelled; what clashes; what a stranger's rules cost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest
import recurring_ical_events

from tests.calendars import DAY, ZONES, calendar, day, event, lived_in
from tests.modelserver import ModelServer
from tests.system.world import World

OSLO = ZoneInfo("Europe/Oslo")
TODAY = date(2026, 10, 20)  # Europe changes its clocks on the 25th, America a week later
START = datetime(2026, 10, 1, 8)
NOON = datetime(2026, 11, 26, 10)


@pytest.fixture
def oslo(empty: World) -> World:
    empty.settings(instance__timezone="Europe/Oslo")
    empty.now = f"{TODAY}T06:00:00+02:00"
    return empty


def add(world: World, name: str, text: str, folder: Path) -> Path:
    """A registered calendar with one file."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.ics").write_text(text, newline="")
    world.run("kb", "add", name, str(folder), "--kind", "calendar", check=0)
    return folder / f"{name}.ics"


def appointments(world: World) -> set[tuple[str, str, str]]:
    """(what, first day, hour) of each appointment in the fortnight."""
    found = world.result("today", "--all")["matters"]
    last = (datetime.fromisoformat(world.now).date() + 14 * DAY).isoformat()
    return {
        (each["what"], each["when"]["first"], each["when"]["time"] or "")
        for each in found
        if each["kind"] == "appointment" and each["when"]["first"] < last
    }


def clashes(world: World) -> list[dict[str, Any]]:
    return [each for each in world.result("today", "--all")["matters"] if " and " in each["what"]]


def by_the_library(text: str, first: date) -> Iterator[tuple[str, str, str]]:
    """What recurring_ical_events says of a fortnight, in Oslo."""
    whole = icalendar.Calendar.from_ical(text)
    whole.subcomponents = [each for each in whole.subcomponents if not each.errors]
    begin = datetime.combine(first, datetime.min.time(), OSLO)
    for each in recurring_ical_events.of(whole).between(begin, begin + timedelta(days=14)):
        start = each["DTSTART"].dt
        if each.get("STATUS") != "CANCELLED":
            local = start.astimezone(OSLO) if isinstance(start, datetime) else None
            yield str(each["SUMMARY"]), f"{local or start:%Y-%m-%d}", f"{local:%H:%M}" if local else ""


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("today", [TODAY, date(2027, 3, 10), date(2027, 3, 25)])
def test_a_fortnight_is_what_the_library_says(oslo: World, tmp_path: Path, seed: int, today: date) -> None:
    oslo.now = f"{today}T00:00:00+00:00" if today.month == 3 else f"{today}T00:00:00+02:00"
    text = calendar(*lived_in(today, seed))
    add(oslo, "year", text, tmp_path / "year")
    assert appointments(oslo) == set(by_the_library(text, today))


def test_a_malformed_event_is_named_by_its_line(oslo: World, tmp_path: Path) -> None:
    broken = "BEGIN:VEVENT\r\nSUMMARY:broken\r\nDTSTART:nowhen\r\nEND:VEVENT\r\n"
    add(oslo, "cal", calendar(broken, event("a", "violin", NOON)), tmp_path / "cal")
    oslo.now = "2026-11-25T09:00:00+01:00"
    assert "cal.ics:4: an event left out (DTSTART" in oslo.run("pulse").out
    assert appointments(oslo) == {("violin", "2026-11-26", "10:00")}


def test_an_event_without_an_end_line_is_named(oslo: World, tmp_path: Path) -> None:
    cut = event("a", "cut off", NOON).replace("END:VEVENT\r\n", "")
    add(oslo, "cal", calendar(cut, event("b", "violin", NOON)), tmp_path / "cal")
    assert "cal.ics:4: an event left out" in oslo.run("kb", "info", "cal").out
    assert ("violin", "2026-11-26", "10:00") in {
        (each["what"], each["when"]["first"], each["when"]["time"]) for each in oslo.result("today", "--all")["matters"]
    }


def test_the_agenda_knows_the_day(oslo: World, tmp_path: Path) -> None:
    weekly = event("a", "violin", datetime(2026, 10, 1, 10), 60, ZONES[0], "RRULE:FREQ=WEEKLY")
    add(oslo, "cal", calendar(weekly), tmp_path / "cal")
    said = oslo.run("ask", "What is on Thursday?", check=0).out
    assert "violin · Thu 22 Oct 10:00 · cal.ics:6" in said


# -- clashes -------------------------------------------------------------------------------------------------


def planted(first: date) -> tuple[str, str, str]:
    """(work, home, notes): five clashes between the three, and what is none."""
    at = datetime.combine(first, datetime.min.time())

    def hour(days: int, hour: float) -> datetime:
        return at + timedelta(days=days, hours=hour)

    work = calendar(
        event("w1", "pre-op", hour(2, 10.5)),
        event("w2", "the board call", hour(2, 10), 90),  # 1
        event("w3", "budget round", hour(3, 9), 60, ZONES[0], "RRULE:FREQ=WEEKLY"),
        event("w4", "visit of the auditors", hour(10, 9.5), 30),  # 2: against the second budget round
        event("w5", "cancelled lunch", hour(3, 9), 60, ZONES[0], "STATUS:CANCELLED"),
        event("w6", "focus time", hour(3, 9), 60, ZONES[0], "TRANSP:TRANSPARENT"),
        event("w7", "handover with Berg", hour(6, 13)),  # 3: Berg is away
        event("w8", "site walk", hour(8, 14)),  # 4: against a promise of the notes
        event("w9", "back to back", hour(8, 15)),
        event("both", "school play", hour(5, 17)),
    )
    home = calendar(
        event("both", "school play", hour(5, 17)),
        event("copy", "pre-op", hour(2, 10.5)),
        day("fyi", "paper bin", first + 2 * DAY),
        event("h1", "dentist", hour(4, 12)),
        event("h2", "call with the plant", hour(4, 19.25), 30, ZONES[2]),  # 5: 12:15 in Oslo
    )
    away, promise = first + 6 * DAY, first + 8 * DAY
    notes = (
        f"# Notes\n\n- Berg is away {away.day}-{away.day + 1} {away:%B}\n"
        f"- Nils is away {away.day} {away:%B}\n"
        f"- I promised Sinead the keys on {promise.day} {promise:%B} at 14:30\n"
    )
    return work, home, notes


def plant(world: World, folder: Path) -> None:
    work, home, notes = planted(TODAY)
    add(world, "work", work, folder / "work")
    add(world, "home", home, folder / "home")
    world.knowledge("notes", {"notes.md": notes})


def test_five_planted_clashes_are_told_and_no_other(oslo: World, tmp_path: Path) -> None:
    plant(oslo, tmp_path)
    assert sorted(each["what"] for each in clashes(oslo)) == [
        "Fri 09:30: budget round and visit of the auditors",
        "Mon 13:00: handover with Berg and Berg is away 26-27 October",
        "Sat 12:15: dentist and call with the plant",
        "Thu 10:30: the board call and pre-op",
        "Wed 14:30: site walk and I promised Sinead the keys on 28 October at 14:30",
    ]
    for _ in range(3):
        oslo.run("pulse", check=0)
    told = [line for notice in oslo.outbox() for line in notice.removeprefix("- ").split("\n")]
    assert len(told) == len(clashes(oslo)) and all(" and " in line for line in told), told


def test_a_clash_ends_when_one_of_the_two_moves(oslo: World, tmp_path: Path) -> None:
    one, two = event("a", "pre-op", NOON), event("b", "the board call", NOON)
    oslo.now = "2026-11-25T09:00:00+01:00"
    path = add(oslo, "cal", calendar(one, two), tmp_path / "cal")
    oslo.run("pulse", check=0)
    (before,) = clashes(oslo)
    assert before["id"] == clashes(oslo)[0]["id"]
    path.write_text(calendar(one, event("b", "the board call", NOON + timedelta(hours=2))), newline="")
    assert not clashes(oslo)
    oslo.run("pulse", check=0)
    (gone,) = [each for each in oslo.records("matters") if each["id"] == before["id"] and each["event"] == "settled"]
    assert gone["state"] == "gone"


def test_a_pulse_names_each_time_of_a_series_once(oslo: World, tmp_path: Path) -> None:
    daily = event("a", "rounds", START, 60, ZONES[0], "RRULE:FREQ=DAILY")
    add(oslo, "cal", calendar(daily, event("b", "the board call", START, 60, ZONES[0])), tmp_path / "cal")
    ids = [each["id"] for each in oslo.result("pulse")["issues"]]
    assert sorted(ids) == sorted(set(ids))


def test_a_time_of_a_series_that_passed_takes_no_other(oslo: World, tmp_path: Path) -> None:
    daily = event("a", "rounds", START, 60, ZONES[0], "RRULE:FREQ=DAILY")
    add(oslo, "cal", calendar(daily), tmp_path / "cal")
    oslo.run("pulse", check=0)
    ids = {each["when"]["first"]: each["id"] for each in oslo.result("today", "--all")["matters"]}
    oslo.now = f"{TODAY + DAY}T06:00:00+02:00"
    oslo.run("pulse", check=0)
    later = {each["when"]["first"]: each["id"] for each in oslo.result("today", "--all")["matters"]}
    assert {each: ids[each] for each in ids.keys() & later.keys()} == {
        each: later[each] for each in ids.keys() & later.keys()
    }
    assert not [each for each in oslo.records("matters") if each["event"] == "changed" and "first" in each]


def test_a_second_pulse_asks_no_model(oslo: World, tmp_path: Path) -> None:
    with ModelServer(answer='{"items": [], "open": [], "summary": "quiet"}') as server:
        oslo.settings(
            instance__timezone="Europe/Oslo",
            llm={"backend": "openai", "base_url": server.url, "models": {"cheap": "m"}},
        )
        plant(oslo, tmp_path)
        oslo.run("pulse", check=0)
        asked = len(server.requests)
        assert asked
        before = oslo.text("state/matters.jsonl")
        oslo.run("pulse", check=0)
        assert len(server.requests) == asked
        assert oslo.text("state/matters.jsonl") == before


@pytest.mark.parametrize(
    "line, told",
    [
        ("On leave 24-27 November", True),
        ("I am away until Friday 27 November", True),
        ("Berg: ferie 24.-27. november", True),
        ("Berg ist im Urlaub 24.-27. November", True),
        ("24-27 November: on leave", True),
        ("On leave from 24 to 27 November", True),
        ("Berg har ferie fra 24. til 27. november", True),
        ("Jeg er bortreist 24.-27. november", True),
        ("Bortreist til fredag", True),
        ("Put away the boat by 26 November", False),
        ("Urlaub buchen am 26. November", False),
        ("Nils is away 24-27 November", False),
        ("Berg is not away 24-27 November", False),
        ("Is Berg away 24-27 November?", False),
        ("Berg is away 27-29 November", False),
    ],
)
def test_an_absence_of_the_notes_clashes(oslo: World, tmp_path: Path, line: str, told: bool) -> None:
    oslo.now = "2026-11-23T09:00:00+01:00"
    add(oslo, "cal", calendar(event("a", "handover with Berg", NOON)), tmp_path / "cal")
    oslo.knowledge("notes", {"notes.md": f"# Notes\n\n- {line}\n"})
    assert [each["what"] for each in clashes(oslo)] == [f"Thu 10:00: handover with Berg and {line}"] * told


@pytest.mark.parametrize(
    "more",
    [
        "STATUS:CANCELLED",
        "TRANSP:TRANSPARENT",
        "ATTENDEE;PARTSTAT=DECLINED;CN=Ina:mailto:ina@strand.example",
        "DTSTAMP:20260101T000000Z\r\nX-COPY:1",
    ],
)
def test_what_takes_no_time_clashes_with_nothing(oslo: World, tmp_path: Path, more: str) -> None:
    oslo.write("identity/user.md", "# User\n\n- Ina Strand, ina@strand.example\n")
    oslo.now = "2026-11-23T09:00:00+01:00"
    other = "pre-op" if "COPY" in more else "the board call"
    two = event("b", other, NOON, 60, ZONES[0], more)
    add(oslo, "cal", calendar(event("a", "pre-op", NOON), two), tmp_path / "cal")
    assert not clashes(oslo)


def test_one_file_can_be_searched(oslo: World, tmp_path: Path) -> None:
    path = tmp_path / "one.ics"
    path.write_text(calendar(event("a", "the board call", NOON)))
    oslo.run("kb", "add", "one", str(path), "--kind", "calendar", check=0)
    assert "one.ics:6" in oslo.run("kb", "query", "one", "when is the board call?", check=0).out


def test_a_calendar_is_only_read(oslo: World, tmp_path: Path) -> None:
    oslo.refusal("kb", "add", "cal", str(tmp_path), "--kind", "calendar", "--access", "read-write", check=2)


# -- strangers' rules ----------------------------------------------------------------------------------------

HOSTILE = (
    "FREQ=SECONDLY",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=MINUTELY;COUNT=99999999",
    "FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8,9,10;BYMINUTE=1,2,3,4,5,6,7,8,9;BYSECOND=1,2,3,4,5,6,7,8,9",
    "FREQ=YEARLY;BYSETPOS=366;BYDAY=MO",
    "FREQ=SECONDLY;INTERVAL=0",
)


@pytest.mark.sweep
def test_hostile_rules_cost_seconds_and_spare_the_rest(oslo: World, tmp_path: Path) -> None:
    events = [
        event(f"x{number}", f"trap {number}", datetime(1970, 1, 1), 1, ZONES[0], f"RRULE:{rule}")
        for number, rule in enumerate(HOSTILE * 10)
    ]
    (tmp_path / "cal").mkdir()
    (tmp_path / "cal" / "other.ics").write_text(
        calendar(event("w", "rounds", START, 60, ZONES[0], "RRULE:FREQ=WEEKLY"))
    )
    begun = time.monotonic()
    add(oslo, "cal", calendar(*events, event("good", "violin", datetime(2026, 10, 22, 10))), tmp_path / "cal")
    assert {("violin", "2026-10-22", "10:00"), ("rounds", "2026-10-22", "08:00")} <= appointments(oslo)
    assert time.monotonic() - begun < 40


def test_without_the_library_single_events_are_read(oslo: World, tmp_path: Path) -> None:
    oslo.plant(
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *more: None if name == 'recurring_ical_events' else find(name, *more)"
    )
    weekly = event("a", "rounds", START, 60, ZONES[0], "RRULE:FREQ=WEEKLY")
    add(oslo, "cal", calendar(weekly, event("b", "violin", datetime(2026, 10, 22, 10))), tmp_path / "cal")
    assert appointments(oslo) == {("violin", "2026-10-22", "10:00")}
    ran = oslo.run("kb", "info", "cal", check=0)
    assert ran.out.count("adjutant[calendar]") == 1


def test_until_when_somebody_is_away_is_no_deadline(oslo: World) -> None:
    oslo.now = "2026-11-23T09:00:00+01:00"
    oslo.knowledge("notes", {"notes.md": "# Notes\n\n- Berg is away until Friday\n- Offers are open until Friday\n"})
    assert [each["what"] for each in oslo.result("today", "--all")["matters"]] == [
        "Notes: Offers are open until Friday"
    ]


def test_a_colon_in_a_quoted_parameter_ends_no_name(oslo: World, tmp_path: Path) -> None:
    quoted = event("a", "violin", NOON).replace("SUMMARY:", 'SUMMARY;ALTREP="cid:1@x":')
    add(oslo, "cal", calendar(quoted), tmp_path / "cal")
    oslo.now = "2026-11-25T09:00:00+01:00"
    assert appointments(oslo) == {("violin", "2026-11-26", "10:00")}
