"""What another line said already need not be told: the same thing in other words, a day or an hour in common."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.domain.matters.picture import Open
from adjutant.domain.matters.signal import Evidence
from adjutant.domain.telling.again import ToldLately

DAY = date(2026, 11, 28)


def matter(what: str, path: str, day: date = DAY, *, time: str = "", kb: str = "harbour") -> Open:
    quoted = [Evidence(path, 1, what)]
    made = Open(id=what, kb=kb, what=what, kind="deadline", evidence=quoted, severity="high", last=day, time=time)
    made.rests = ["row" if path.endswith(".csv") else "sentence"]
    return made


def line_2(each: Open) -> Open:
    each.evidence = [Evidence(each.evidence[0].path, 2, each.what)]
    return each


FERRY = matter("MV Tova, SE, Norrline, 2, timber: expected 2026-11-28", "calls.csv")
SAME = {
    "most of its words": matter("Timber for Norrline, MV Tova, expected", "mail.md"),
    "a name that no other day has": matter("The agent writes that Tova comes at dawn on Saturday", "mail.md"),
}
OTHER = {
    "another day": matter("The agent writes that Tova leaves on Sunday", "mail.md", date(2026, 11, 29)),
    "another name": matter("The agent writes that Siri comes at dawn on Saturday", "mail.md"),
    "another knowledge base": matter("The agent writes that Tova comes at dawn", "mail.md", kb="home"),
    "the same list": line_2(matter("MV Siri, SE, Norrline, 2, timber: expected 2026-11-28", "calls.csv")),
}


@pytest.mark.parametrize("each", SAME.values(), ids=SAME)
def test_a_line_on_the_same_thing_says_no_more(each: Open) -> None:
    assert ToldLately([FERRY, each], [FERRY]).holds(each)


@pytest.mark.parametrize("each", OTHER.values(), ids=OTHER)
def test_a_line_on_another_thing_does(each: Open) -> None:
    assert not ToldLately([FERRY, each], [FERRY]).holds(each)


def test_one_hour_and_a_word_that_begins_alike_are_one_thing() -> None:
    one = matter("Application closes at noon", "fund.md", time="12:00")
    assert ToldLately([], [one]).holds(matter("applications go off before lunch", "diary.md", time="12:00"))
    assert not ToldLately([], [one]).holds(matter("applications go off before lunch", "diary.md", time="10:00"))
    assert not ToldLately([], [one]).holds(matter("the roofer calls", "diary.md", time="12:00"))


def test_one_odd_minute_is_one_thing() -> None:
    one = matter("Freight to the hut", "calendar.ics", time="06:50")
    assert ToldLately([], [one]).holds(matter("We fly at ten to seven", "mail.md", time="06:50"))


def test_a_name_with_things_on_several_days_joins_none_of_them() -> None:
    one, two = matter("Send the contract to Karin", "a.md"), matter("Ask for the keys of Karin", "b.md")
    later = matter("Coffee with Karin", "c.md", date(2026, 12, 3))
    assert ToldLately([one, two], [one]).holds(two)
    assert not ToldLately([one, two, later], [one]).holds(two)


def test_what_was_told_is_no_other_line_of_itself() -> None:
    said = ToldLately([FERRY], [])
    said.add(FERRY)
    assert not said.holds(FERRY)


def test_words_that_few_lines_have_join_across_days() -> None:
    one = matter("Return the beamer of the chess club", "a.md", date(2026, 11, 27))
    two = matter("The chess club wants its beamer back", "b.md")
    assert ToldLately([one, two], [one]).holds(two)


@pytest.mark.parametrize(("path", "same"), [("Alma Reuss.md", True), ("diary.md", False)])
def test_a_page_of_one_thing_is_told_once(path: str, same: bool) -> None:
    one = matter("Comes Thursday at 9 for the meter", "Alma Reuss.md", date(2026, 11, 26), time="09:00")
    two = line_2(matter("The meter is sealed until Saturday", path))
    assert ToldLately([one, two], [one]).holds(two) is same


def test_words_that_many_lines_have_join_nothing() -> None:
    plain = [matter(f"Chess club {word}", f"{word}.md") for word in ("dinner", "keys", "flyer", "trophy", "minutes")]
    assert not ToldLately(plain, [plain[0]]).holds(plain[1])


def test_a_line_without_a_day_says_no_more() -> None:
    one = matter("Return the beamer of the chess club", "a.md")
    two = matter("Beamer of the chess club", "b.md")
    two.last = None
    assert ToldLately([one, two], [one]).holds(two)


def test_one_hour_and_the_name_of_a_file_are_one_thing() -> None:
    one = matter("New date: 14:00, room 3", "hearing.md", time="14:00")
    two = matter("I read about the hearing, 14 o'clock", "diary.md", time="14:00")
    assert ToldLately([one, two], [one]).holds(two)


def test_a_label_is_no_word_that_two_things_share() -> None:
    one = matter("BLOCKED: bakery permit lost", "8.md")
    assert not ToldLately([], [one]).holds(matter("BLOCKED: bakery flour burnt", "14.md"))
