"""How grave a matter is, by the one yardstick; what the heart adds, what its quiet zones take away."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from adjutant.domain.matters import wording
from adjutant.records.heart import Heart
from tests.noticing import extraction, signals

HEART = Heart(["Bakery opening: oven, permit and bakers ready"], ["Oven supplier Halvorsen, late before"], [])
YARDSTICK = [
    # critical: due within two days or late, and something in the way
    ("BLOCKED: fire permit at the council by 24 November", "critical"),
    ("Waiting on Halvorsen for the oven, due 25 Nov", "critical"),
    ("| part | due | status |\n|---|---|---|\n| oven door | 2026-11-17 | blocked: hinge broken |", "critical"),
    # high: late, due within three days, blocking a priority, failing
    ("- [ ] Pay the deposit of the oven, due 2026-11-20", "high"),
    ("- [ ] Hand in the fire plan for the permit by Tuesday", "high"),
    ("Permit inspection 26 Nov 9:00", "high"),
    ("Halvorsen brings the oven door on Tuesday", "high"),
    ("The permit expires on 26 November.", "high"),
    ("BLOCKED: second signature on the permit", "high"),
    ("URGENT: oven trips the fuse", "high"),
    # medium: the rest that touches the heart: due later, waiting, likely
    ("- [ ] Choose flour for the bakers by 30 Nov", "medium"),
    ("- [ ] Permit renewal by 6 December", "medium"),
    ("Waiting on Halvorsen for the oven door", "medium"),
    ("The oven is still broken and nobody comes.", "medium"),
    # low: without a day and without a state, far ahead, old news, not touched by the heart
    ("- [ ] Clean the oven", "low"),
    ("- [ ] Pay the deposit of the oven, due 2026-10-20", "low"),
    ("- [ ] Return the library books by Tuesday", "low"),
    ("BLOCKED: the garden gate by 24 November", "low"),
]


@pytest.mark.parametrize(("line", "severity"), YARDSTICK, ids=[line[:40] for line, _ in YARDSTICK])
def test_the_one_yardstick(line: str, severity: str) -> None:
    (found,) = signals({"notes.md": f"{line}\n"}, HEART)
    assert found.severity == severity


@pytest.mark.parametrize("line", ["- [ ] Return the library books by Tuesday", "Dentist Tues 24 Nov 10:30"])
def test_without_a_heart_everything_counts_as_touched(line: str) -> None:
    (found,) = signals({"notes.md": f"{line}\n"})
    assert (found.severity, found.concern) == ("high", None)


UNNAMED = [
    # a letter, a register, a calendar bind though no priority names the matter: soon, or late for a week at most
    ("The library wants its books back by Tuesday.", "high"),
    ("Tuesday 24 November 10:30 dentist", "high"),
    ("| book | due |\n|---|---|\n| Atlas | 2026-11-24 |", "high"),
    ("| book | due |\n|---|---|\n| Atlas | 2026-11-17 |", "high"),
    ("| book | due |\n|---|---|\n| Atlas | 2026-11-10 |", "low"),
    ("| book | due |\n|---|---|\n| Atlas | 2026-11-28 |", "medium"),
    ("| book | due |\n|---|---|\n| Atlas | 2026-12-02 |", "low"),
    # one's own box waits for a priority, and what shares a word with a quiet zone for its own
    ("- [ ] Take the books back by Tuesday", "low"),
    ("The choir wants its books back by Tuesday.", "low"),
]


@pytest.mark.parametrize(("line", "severity"), UNNAMED, ids=[line[:40] for line, _ in UNNAMED])
def test_what_binds_though_no_priority_names_it(line: str, severity: str) -> None:
    (found,) = signals({"notes.md": f"{line}\n"}, Heart(HEART.priorities, [], ["Choir of the parish"]))
    assert (found.severity, found.muted) == (severity, None)


@pytest.mark.parametrize("path", ["hagen.md", "notater.md"])
def test_an_item_of_the_heart_is_stemmed_as_the_file_is(path: str) -> None:
    text = "Notater om kontorflyttingen, som vi ikke skal glemme.\n\n- [ ] Bestille kontorflytting innen tirsdag\n"
    (found,) = signals({path: text}, Heart([], [], ["Kontorflytting"]))
    assert found.muted == "quiet zone: Kontorflytting"


@pytest.mark.parametrize(("day", "severity"), [("24 November", "high"), ("29 November", "medium")])
def test_a_likely_line_is_grave_when_its_day_is_near_and_never_told(day: str, severity: str) -> None:
    (found,) = extraction({"notes.md": f"The oven is broken, the permit late and Halvorsen ill, {day}.\n"}, HEART).opens
    assert (found.severity, found.tellable) == (severity, False)


def test_what_is_due_beyond_the_horizon_is_left_alone_unless_it_is_stuck() -> None:
    text = "- [ ] Order flour by 20 December\nBLOCKED: oven delivery, due 20 December\n"
    assert [each.kind for each in signals({"notes.md": text}, HEART)] == ["blocked"]


@pytest.mark.parametrize(("hour", "told"), [("09:00", True), ("10:30", True), ("10:31", False), ("17:00", False)])
def test_an_appointment_is_over_when_its_hour_is(hour: str, told: bool) -> None:
    assert bool(signals({"notes.md": "Permit inspection 23 Nov 10:30\n"}, HEART, now=hour)) is told


@pytest.mark.parametrize("hour", ["09:00", "23:59"])
def test_a_task_of_today_and_an_appointment_without_an_hour_last_the_day(hour: str) -> None:
    text = "- [ ] Sign the permit today\n\n## Calendar\n\n- 23 Nov permit inspection\n"
    assert len(signals({"notes.md": text}, HEART, now=hour)) == 2


def test_the_gravest_come_first_and_of_those_the_nearest_to_the_heart() -> None:
    lines = [line for line, _ in YARDSTICK if "|" not in line]
    found = signals({f"{number}.md": f"{line}\n" for number, line in enumerate(lines)}, HEART)
    severities = [each.severity for each in found]
    assert severities == sorted(severities, key=["critical", "high", "medium", "low"].index)
    high = [each.score for each in found if each.severity == "high"]
    assert high == sorted(high, reverse=True)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("notes.md", "- [ ] Sign the permit by Tuesday\n"),
        ("notes.md", "# Permit\n\n- [ ] Sign by Tuesday\n"),
        ("permit.md", "- [ ] Sign by Tuesday\n"),
        ("opening/permit/notes.md", "- [ ] Sign by Tuesday\n"),
        ("notes.md", "- [ ] Sign the firepermit by Tuesday\n"),
    ],
)
def test_the_heart_is_touched_by_the_line_its_heading_or_its_file(path: str, text: str) -> None:
    (found,) = signals({path: text}, HEART)
    assert found.concern == HEART.priorities[0]


def test_an_appointment_that_comes_again_and_again_is_not_told() -> None:
    week = "Choir practice 24 Nov 19:00\nChoir practice 1 Dec 19:00\n"
    for text, told in ((week, True), (f"{week}Choir practice 8 Dec 19:00\n", False)):
        tuesday = next(each for each in extraction({"notes.md": text}).opens if each.last == date(2026, 11, 24))
        assert (tuesday.tellable, tuesday.listed) == (told, True)


@pytest.mark.parametrize(("step", "told"), [(1, False), (7, True)])
def test_a_rota_is_known_by_heart(step: int, told: bool) -> None:
    days = [date(2026, 11, 24) + timedelta(days=step * at) for at in range(6)]
    rows = [f"{day},{name}" for day, name in zip(days, ("Bo", "Di", "Ed", "Fay", "Gil", "Hal"), strict=True)]
    found = extraction({"kiosk.csv": "\n".join(["date,kiosk", *rows, ""])}, Heart(["The kiosk"], [], [])).opens
    assert [each.tellable for each in found if each.last == days[0]] == [told]


def test_what_a_sentence_asked_for_is_listed_for_a_week_and_never_told_late() -> None:
    for day, found in ((23, [True]), (20, [False]), (15, [])):
        opens = extraction({"notes.md": f"# 2026-11-10\n\nThe form has to be in by {day} November.\n"}).opens
        assert [each.tellable for each in opens] == found


# -- quiet zones ---------------------------------------------------------------------------------------------

QUIET = [
    ("Garden", "- [ ] Plant the garden hedge by Tuesday", True),
    ("Garden", "- [ ] Kindergarten fee by Tuesday", False),
    ("Studio plants", "- [ ] Water the studio plants by Tuesday", True),
    ("Studio plants", "- [ ] Book the studio by Tuesday", False),
    ("Studio plants", "- [ ] Plants for the office by Tuesday", False),
    ("Choir (rehearsals, concerts)", "- [ ] Concert hall by Tuesday", True),
    ("The old things of the other people", "- [ ] Ring the people about other things by Tuesday", False),
]


@pytest.mark.parametrize(("zone", "line", "muted"), QUIET, ids=[f"{zone}: {line}" for zone, line, _ in QUIET])
def test_a_quiet_zone_mutes_by_a_whole_phrase_of_its_item(zone: str, line: str, muted: bool) -> None:
    (found,) = signals({"notes.md": f"{line}\n"}, Heart([], [], [zone]))
    assert found.muted == (f"quiet zone: {zone}" if muted else None)


def test_a_muted_line_silences_none_of_its_neighbours() -> None:
    text = "# Week\n\n- [ ] Plant the garden hedge by Tuesday\n- [ ] Pay the rent by Tuesday\n"
    assert {each.title[:4]: bool(each.muted) for each in signals({"week.md": text}, Heart([], [], ["Garden"]))} == {
        "Plan": True,
        "Pay ": False,
    }


# -- words and counts ----------------------------------------------------------------------------------------


def test_a_title_is_the_notes_own_sentence_ended_at_a_clause() -> None:
    long = "Return the signed contract for the oven to Halvorsen by Tuesday, with the drawings of the second floor"
    (found,) = signals({"notes.md": f"- [ ] {long}; {'and more of the same ' * 6}\n"}, HEART)
    assert found.title == f"{long}…"
    assert len(found.title) <= wording.TITLE


def test_the_reason_is_day_state_and_what_it_touches() -> None:
    (found,) = signals({"notes.md": "BLOCKED: fire permit by 24 November\n"}, HEART)
    assert found.why == "due tomorrow; blocked; touches priority 'Bakery opening'"


@pytest.mark.parametrize(
    "text",
    [
        "bill,due,state\n" + "".join(f"{n},2026-0{1 + n % 9}-11,entered\n" for n in range(42)),
        "".join(f"Dentist {day} Oct 2026 10:30\n\n" for day in range(1, 29)),
        "## Calendar\n\n" + "".join(f"- {day} Oct visit of inspector {day}\n" for day in range(1, 29)),
    ],
    ids=["rows of unknown state", "appointments of the past", "a calendar of the past"],
)
def test_nothing_is_overdue_that_is_not_open(text: str) -> None:
    found = extraction({"a.csv" if "," in text else "a.md": text})
    assert "overdue" not in wording.summary(found)


def test_no_more_is_overdue_than_is_open() -> None:
    text = "- [ ] Pay Bo, due 2026-11-20\n- [ ] Pay Ann, due 2026-11-21\nBLOCKED: roof by 22 Nov\nDentist 24 Nov 9:00\n"
    said = wording.summary(extraction({"a.md": text}))
    assert said.startswith("4 open, 3 overdue, 1 deadline within 14 days, 1 blocked or waiting; "), said


def test_what_was_done_yesterday_is_not_told_again_today() -> None:
    water = "Water the herbs 📅 2026-11-"
    (found,) = extraction({"a.md": f"- [ ] {water}23\n- [x] {water}22 ✅ 2026-11-22\n"}).opens
    assert not found.tellable


def test_a_holiday_of_a_calendar_binds_nobody() -> None:
    event = "BEGIN:VEVENT\nSUMMARY:King's Day\nDTSTART{}\nEND:VEVENT\n"
    for day, severity in ((";VALUE=DATE:20261124", "low"), (":20261124T100000", "high")):
        (found,) = extraction({"a.ics": event.format(day)}, HEART).opens
        assert found.severity == severity
