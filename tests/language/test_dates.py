"""Dates as people write them, and what only looks like one."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from adjutant.language.dates import Date, day_in_name, find, order_of

NEAR = date(2026, 11, 20)  # a Friday


def read(text: str, code: str = "", *, anchor: date | None = NEAR, order: str | None = None) -> list[Date]:
    """The dates of a text that speaks from NEAR."""
    found = find(text, NEAR, anchor=anchor, code=code, order=order)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(each.first <= each.last and 0 <= each.start < each.end <= len(text) for each in found)
    return found


def told(text: str, code: str = "", *, anchor: date | None = NEAR, order: str | None = None) -> list[str]:
    """What stands there and what it means: `24 Nov = 11-24`, `Friday at 4pm = 11-20 16:00`."""
    return [shown(text, each) for each in read(text, code, anchor=anchor, order=order)]


def shown(text: str, each: Date) -> str:
    """One date; a range as FIRST..LAST, the year only where it is another."""
    days = dict.fromkeys(day.isoformat().removeprefix("2026-") for day in (each.first, each.last))
    return f"{text[each.start : each.end]} = {'..'.join(days)}{each.time and ' ' + each.time}"


ENGLISH = {
    "due 2026-11-24": ["2026-11-24 = 11-24"],
    "2026-11-24T10:30Z and 2026-11-24 10:30": ["2026-11-24T10:30Z = 11-24 10:30", "2026-11-24 10:30 = 11-24 10:30"],
    "24 Nov, Nov 25th, the 26th of November": ["24 Nov = 11-24", "Nov 25th = 11-25", "26th of November = 11-26"],
    "2 Nov 2025 and January 3, 2027": ["2 Nov 2025 = 2025-11-02", "January 3, 2027 = 2027-01-03"],
    "the van comes back 05.12. at the latest; chapter 4.5. says how": ["05.12. = 12-05"],
    "4 January": ["4 January = 2027-01-04"],
    "Fri 27 Nov at 2, Sat 28 Nov 4.15": ["Fri 27 Nov at 2 = 11-27 14:00", "Sat 28 Nov 4.15 = 11-28 16:15"],
    "tomorrow morning at 6, 24 Nov 02:30, 25 Nov 2am": [
        "tomorrow morning at 6 = 11-21 06:00",
        "24 Nov 02:30 = 11-24 02:30",
        "25 Nov 2am = 11-25 02:00",
    ],
    "10/11 tue dad rang": ["10/11 tue = 11-10"],
    "bins out Wed night, rent (Fri)": ["Wed night = 11-25", "Fri = 11-20"],
    "he sat and the sun set": [],
    "24 Nov 2-3pm, 25 Nov 11-1pm, 26 Nov 2:00–3:00 pm": [
        "24 Nov 2-3pm = 11-24 14:00",
        "25 Nov 11-1pm = 11-25 11:00",
        "26 Nov 2:00–3:00 pm = 11-26 14:00",
    ],
    "copy by the 15th of the month before, rent by the 1st of every month": [],
    "by the 24th, since the 12th": ["the 24th = 11-24", "the 12th = 11-12"],
    "on the 3rd": ["the 3rd = 12-03"],
    "Tues 24 Nov 10:30": ["Tues 24 Nov 10:30 = 11-24 10:30"],
    "Tues 24 Nov 10.30 in Cappagh": ["Tues 24 Nov 10.30 = 11-24 10:30"],
    "24 Nov 10.30 paid": ["24 Nov = 11-24"],
    "off Thurs–Fri last week": ["Thurs–Fri last week = 11-12..11-13"],
    "off Thurs–Fri": ["Thurs–Fri = 11-26..11-27"],
    "24 Nov (Tue), 14:00–15:00": ["24 Nov (Tue), 14:00–15:00 = 11-24 14:00"],
    "Wed 25th": ["Wed 25th = 11-25"],
    "Sat 28": ["Sat 28 = 11-28"],
    "Dec 7-9": ["Dec 7-9 = 12-07..12-09"],
    "24–26 November": ["24–26 November = 11-24..11-26"],
    "28 Nov – 2 Dec": ["28 Nov – 2 Dec = 11-28..12-02"],
    "24, 26 and 28 Nov": ["24 = 11-24", "26 = 11-26", "28 Nov = 11-28"],
    "2026-11-24 – 2026-11-26": ["2026-11-24 – 2026-11-26 = 11-24..11-26"],
    "Monday through Wednesday": ["Monday through Wednesday = 11-23..11-25"],
    "24/11 or 24/11/2026": ["24/11 = 11-24", "24/11/2026 = 11-24"],
    "by 3/4, on 03/04": ["3/4 = 2027-04-03", "03/04 = 2027-04-03"],
    "11/24/2026": ["11/24/2026 = 11-24"],
    "by Friday at 4pm": ["Friday at 4pm = 11-20 16:00"],
    "Friday morning at 9": ["Friday morning at 9 = 11-20 09:00"],
    "Critical Role is on Thursday": ["Thursday = 11-26"],
    "Monday": ["Monday = 11-23"],
    "next Monday, last Monday": ["next Monday = 11-23", "last Monday = 11-16"],
    "since Monday": ["Monday = 11-16"],
    "Friday next week": ["Friday next week = 11-27"],
    "by Sat, on wed": ["Sat = 11-21", "wed = 11-25"],
    "today, tomorrow 9am, yesterday": ["today = 11-20", "tomorrow 9am = 11-21 09:00", "yesterday = 11-19"],
    "the day after tomorrow": ["day after tomorrow = 11-22"],
    "10:30 on Friday; noon on Monday": ["10:30 on Friday = 11-20 10:30", "noon on Monday = 11-23 12:00"],
    "5pm Tuesday": ["5pm Tuesday = 11-24 17:00"],
    "by EOD, EOD Tuesday, COB on 24 Nov": ["EOD = 11-20", "EOD Tuesday = 11-24", "COB on 24 Nov = 11-24"],
    "next week, this week": ["next week = 11-23..11-29", "this week = 11-16..11-22"],
    "this weekend, next weekend": ["this weekend = 11-21..11-22", "next weekend = 11-28..11-29"],
    "w/c 23 Nov, week of Nov 30": ["w/c 23 Nov = 11-23..11-29", "week of Nov 30 = 11-30..12-06"],
    "week 48, 2026-W49": ["week 48 = 11-23..11-29", "2026-W49 = 11-30..12-06"],
    "end of the month": ["end of the month = 11-28..11-30"],
    "end of December, mid-December": ["end of December = 12-29..12-31", "mid-December = 12-11..12-20"],
    "early next week, end of next week": ["early next week = 11-23..11-24", "end of next week = 11-27..11-29"],
    "in May, December 2026": ["May = 2027-05-01..2027-05-31", "December 2026 = 12-01..12-31"],
    "next month": ["next month = 12-01..12-31"],
    "in 3 days, two weeks ago, in a month": ["in 3 days = 11-23", "two weeks ago = 11-06", "in a month = 12-20"],
    "by the fifteenth, the fourth of May": ["the fifteenth = 12-15", "fourth of May = 2027-05-04"],
    "29 Feb": ["29 Feb = 2028-02-29"],
    "Friday half past ten, a quarter to four on Monday": [
        "Friday half past ten = 11-20 10:30",
        "a quarter to four on Monday = 11-23 15:45",
    ],
    "Monday half ten, Tuesday at half two, Wednesday morning at half past six": [
        "Monday half ten = 11-23 10:30",
        "Tuesday at half two = 11-24 14:30",
        "Wednesday morning at half past six = 11-25 06:30",
    ],
    "tomorrow between 8 and 12, 9 to 11am on Monday": [
        "tomorrow between 8 and 12 = 11-21 08:00",
        "9 to 11am on Monday = 11-23 09:00",
    ],
    "Friday evening at 8, tonight at 7, Monday at eleven": [
        "Friday evening at 8 = 11-20 20:00",
        "tonight at 7 = 11-20 19:00",
        "Monday at eleven = 11-23 11:00",
    ],
    "we need 3 h on Monday, at two sites on Tuesday": ["Monday = 11-23", "Tuesday = 11-24"],
    "27 November 2026, 14.00": ["27 November 2026, 14.00 = 11-27 14:00"],
    "a week on Monday; Monday week; a fortnight tomorrow": [
        "a week on Monday = 11-30",
        "Monday week = 11-30",
        "a fortnight tomorrow = 12-05",
    ],
    "twice a week on Monday": ["Monday = 11-23"],
    "next week Friday, the Monday after next": ["next week Friday = 11-27", "Monday after next = 11-30"],
    "the 3rd, 5th and 9th; the 28th of next month": [
        "the 3rd = 12-03",
        "5th = 12-05",
        "9th = 12-09",
        "the 28th of next month = 12-28",
    ],
    "first Monday in December, the last Friday of November": [
        "first Monday in December = 12-07",
        "last Friday of November = 11-27",
    ],
    "by end Feb, by year end, before Christmas": [
        "end Feb = 2027-02-26..2027-02-28",
        "year end = 12-29..12-31",
        "Christmas = 12-25",
    ],
    "dentist 3/12 at 10, 27-Nov-2026": ["3/12 at 10 = 12-03 10:00", "27-Nov-2026 = 11-27"],
    "ten days from now": ["ten days from now = 11-30"],
    "the fair is on Sat 5 Dec, and on the Saturday we sell": ["Sat 5 Dec = 12-05", "Saturday = 12-05"],
    "the fair is on Sat 5 Dec, tents up the day before": ["Sat 5 Dec = 12-05", "the day before = 12-04"],
    "the day before the 5th": ["the day before the 5th = 12-04"],
    "the day before": [],
    "by\u00a0Friday\u00a027 Nov": ["Friday\u00a027 Nov = 11-27"],
}
GERMAN = {
    "am 24. November um 10 Uhr": ["24. November um 10 Uhr = 11-24 10:00"],
    "24.11., 24.11.2026 und 24. 11. 2026": ["24.11. = 11-24", "24.11.2026 = 11-24", "24. 11. 2026 = 11-24"],
    "vom 24. bis 26. November, 24.-26.11.": ["24. bis 26. November = 11-24..11-26", "24.-26.11. = 11-24..11-26"],
    "Mittwoch, den 25.11. um 10:30": ["Mittwoch, den 25.11. um 10:30 = 11-25 10:30"],
    "bis Fr, Mi 25.11.": ["Fr = 11-20", "Mi 25.11. = 11-25"],
    "bis zum 24., am 3. Dezember": ["bis zum 24 = 11-24", "3. Dezember = 12-03"],
    "morgen früh, übermorgen, gestern": ["morgen früh = 11-21", "übermorgen = 11-22", "gestern = 11-19"],
    "in drei Tagen, vor zwei Wochen": ["in drei Tagen = 11-23", "vor zwei Wochen = 11-06"],
    "nächste Woche, Mitte nächster Woche": ["nächste Woche = 11-23..11-29", "Mitte nächster Woche = 11-25..11-26"],
    "Ende des Monats, Anfang Dezember": ["Ende des Monats = 11-28..11-30", "Anfang Dezember = 12-01..12-10"],
    "Woche vom 23.11., KW 49": ["Woche vom 23.11. = 11-23..11-29", "KW 49 = 11-30..12-06"],
    "nächsten Dienstag": ["nächsten Dienstag = 11-24"],
    "Montag um halb zehn, um Viertel vor vier am Dienstag": [
        "Montag um halb zehn = 11-23 09:30",
        "um Viertel vor vier am Dienstag = 11-24 15:45",
    ],
    "morgen zwischen 8 und 12 Uhr, Freitagabend um 8": [
        "morgen zwischen 8 und 12 Uhr = 11-21 08:00",
        "Freitagabend um 8 = 11-20 20:00",
    ],
    "übernächsten Montag, Freitag in einer Woche": [
        "übernächsten Montag = 11-30",
        "Freitag in einer Woche = 11-27",
    ],
    "nächste Woche Donnerstag, in der 49. KW": ["nächste Woche Donnerstag = 11-26", "49. KW = 11-30..12-06"],
    "nächsten Do; am 14. kommt er; zum Ersten": ["nächsten Do = 11-26", "am 14 = 12-14", "zum Ersten = 12-01"],
    "27.11 Zahnarzt": ["27.11 = 11-27"],
    "die Feier ist am 5. Dezember, der Kuchen am Tag vorher": ["5. Dezember = 12-05", "Tag vorher = 12-04"],
    "bis Ende Feb., bis Weihnachten": ["Ende Feb = 2027-02-26..2027-02-28", "Weihnachten = 12-24"],
}
NORWEGIAN = {
    "mandag halv ti, kvart på fire på tirsdag": [
        "mandag halv ti = 11-23 09:30",
        "kvart på fire på tirsdag = 11-24 15:45",
    ],
    "i morgen mellom kl. 8 og 12": ["i morgen mellom kl. 8 og 12 = 11-21 08:00"],
    "til uka; torsdag til uka; mandag om en uke": [
        "til uka = 11-23..11-29",
        "torsdag til uka = 11-26",
        "mandag om en uke = 11-30",
    ],
    "forfall 26.11, frist: 3.12": ["26.11 = 11-26", "3.12 = 12-03"],
    "siste fredag i november, før jul, ut året": [
        "siste fredag i november = 11-27",
        "jul = 12-24",
        "ut året = 12-29..12-31",
    ],
    "stevnet er lørdag 5. desember, og på lørdagen selger vi": ["lørdag 5. desember = 12-05", "lørdagen = 12-05"],
    "festen er 5. desember, kaka bakes dagen før": ["5. desember = 12-05", "dagen før = 12-04"],
    "innen fredag kl. 16": ["fredag kl. 16 = 11-20 16:00"],
    "onsdag 25. november kl 10.30": ["onsdag 25. november kl 10.30 = 11-25 10:30"],
    "fredag 10.30, fredag 10.12": ["fredag 10.30 = 11-20 10:30", "fredag = 11-20"],
    "24. nov., den 24., 24.11., 24/11": ["24. nov. = 11-24", "den 24 = 11-24", "24.11. = 11-24", "24/11 = 11-24"],
    "24.-26. november": ["24.-26. november = 11-24..11-26"],
    "om tre dager, for to uker siden": ["om tre dager = 11-23", "to uker siden = 11-06"],
    "i morgen kl. 9, i overmorgen, i går": ["i morgen kl. 9 = 11-21 09:00", "i overmorgen = 11-22", "i går = 11-19"],
    "neste uke, uke 49": ["neste uke = 11-23..11-29", "uke 49 = 11-30..12-06"],
    "slutten av måneden": ["slutten av måneden = 11-28..11-30"],
    "uka fra 23. november": ["uka fra 23. november = 11-23..11-29"],
    "siden den 12., siden mandag": ["den 12 = 11-12", "mandag = 11-16"],
}
NO_DATES = [
    ("", "We met. Die hard. So what? I sat down. Mar it. May I? March on! A second, please. She says no problem."),
    ("en", "Sat down with Berg in the sun, will wed in spring"),
    ("en", "Do 16 pushups, mi casa, di sole, so 24 people came"),
    ("", "Do 16 pushups"),
    ("en", "open 24/7, 1/2 cup, 3/4 done, 12/15 tests, 9/10 points"),
    ("en", "version 1.2.3 and 10.1.2026.3, section 3.2. Introduction, 192.168.1.1"),
    ("en", "call 555-1234, room 24, 24 Berg street, $24, #24, 24%, 1,200.50, 12:30"),
    ("en", "the 24th floor, the 2nd draft, on the second floor, 1st prize"),
    ("en", "every Monday, each Friday"),
    ("en", "Total 12\nMay be late"),
    ("en", "30 February, 2026-02-30, 32/13/2026, 25:99"),
    ("de", "So 24 Leute kamen. Die Mi-Fr-Regel. Guten Morgen! Jeden Montag. Am 3. Stock."),
    ("de", "12.50 Euro, 3.5 kg, 1.200.000"),
    ("nb", "man vet aldri, tor med hammeren, god morgen, hver mandag, i 2. etasje"),
]


@pytest.mark.parametrize(("text", "days"), ENGLISH.items())
def test_english_dates(text: str, days: list[str]) -> None:
    assert told(text, "en") == days


@pytest.mark.parametrize(("text", "days"), GERMAN.items())
def test_german_dates(text: str, days: list[str]) -> None:
    assert told(text, "de") == days


@pytest.mark.parametrize(("text", "days"), NORWEGIAN.items())
def test_norwegian_dates(text: str, days: list[str]) -> None:
    assert told(text, "nb") == days


@pytest.mark.parametrize(("code", "text"), NO_DATES)
def test_what_only_looks_like_a_date_is_none(code: str, text: str) -> None:
    assert told(text, code) == []


def test_the_language_of_the_text_is_found_out() -> None:
    assert told("Rechnung von Berg bis Freitag bezahlen") == ["Freitag = 11-20"]
    assert told("Betal regningen innen fredag") == ["fredag = 11-20"]
    assert told("24. november") == ["24. november = 11-24"]


def test_without_a_day_of_the_text_what_is_relative_is_no_date() -> None:
    assert told("tomorrow, Friday, in 3 days, next week, EOD, end of the month", "en", anchor=None) == []
    assert told("Wed 25th, by the 24th", "en", anchor=None) == ["Wed 25th = 11-25", "the 24th = 11-24"]
    assert told("24 Nov, w/c 23 Nov", "en", anchor=None) == ["24 Nov = 11-24", "w/c 23 Nov = 11-23..11-29"]


def test_dates_count_from_the_day_of_the_text() -> None:
    then = date(2024, 2, 5)
    found = find("tomorrow and 24 Nov and 2 Jan", NEAR, anchor=then, code="en")
    assert [each.first for each in found] == [date(2024, 2, 6), date(2023, 11, 24), date(2024, 1, 2)]
    assert [each.relative for each in found] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "exact", "relative"),
    [
        ("24 Nov", True, False),
        ("Friday", True, True),
        ("in 3 days", True, True),
        ("next week", False, True),
        ("w/c 23 Nov", False, False),
        ("December", False, False),
        ("end of the month", False, True),
        ("24-26 Nov", True, False),
    ],
)
def test_a_date_says_whether_it_is_exact_and_relative(text: str, exact: bool, relative: bool) -> None:
    (found,) = read(text, "en")
    assert (found.exact, found.relative) == (exact, relative)


def test_the_order_of_day_and_month_is_what_is_possible_then_what_is_said_then_the_custom() -> None:
    assert told("due 4/3/2026") == ["4/3/2026 = 03-04"]
    assert told("due 4/3/2026", order="mdy") == ["4/3/2026 = 04-03"]
    assert told("due 4/13/2026", order="dmy") == ["4/13/2026 = 04-13"]
    assert told("12/25 party", "en", order="mdy") == ["12/25 = 12-25"]
    assert told("3.4.2026", "de", order="mdy") == ["3.4.2026 = 04-03"]


def test_a_cell_may_be_a_date_that_a_sentence_would_not_hold() -> None:
    assert told("3/4") == ["3/4 = 2027-04-03"]
    assert told(" Sat ") == ["Sat = 11-21"]
    assert told("May") == ["May = 2027-05-01..2027-05-31"]
    assert told("3/4 of it") == []


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("journal/2026-10-18.md", date(2026, 10, 18)),
        ("20261018-minutes.txt", date(2026, 10, 18)),
        ("2026/10/18.md", date(2026, 10, 18)),
        ("2026-10-18/2025-01-02 notes.md", date(2025, 1, 2)),
        ("2026-10-18/notes.md", date(2026, 10, 18)),
        ("2026-13-18.md", None),
        ("invoice 202610185.pdf", None),
        ("notes.md", None),
    ],
)
def test_the_day_in_a_files_name(path: str, day: date | None) -> None:
    assert day_in_name(path) == day


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["3/4/2026", "24/11/2026"], "dmy"),
        (["3/4", "11/24"], "mdy"),
        (["3/4", "5/6", "rent", ""], None),
        (["24/11", "11/24"], None),
        (["24.11."], "dmy"),
    ],
)
def test_a_column_shows_its_own_order(values: list[str], order: str | None) -> None:
    assert order_of(values) == order


def test_the_end_of_the_calendar_is_no_error() -> None:
    for day in (date.min, date.max, date(1, 1, 3), date(9999, 12, 30)):
        for text in (
            "tomorrow, last Monday, 24 Nov, in 99 years, next month, week 1, this weekend",
            "29 Feb, the 31st",
        ):
            find(text, day, anchor=day, code="en")
