"""What settles a matter, what moves it, what tells it twice; and what one knowledge base cannot do to another."""

from __future__ import annotations

from datetime import date

import pytest

from adjutant.records.heart import Heart
from tests.noticing import signals, still_open

OPEN = "- [ ] Send the insurance form to Karin by 24 Nov\n"
BEFORE, LATER = "## 2026-11-18\n\n", "\n## 2026-11-20\n\n"


def whats(files: dict[str, str]) -> list[str]:
    return [each.first.what for each in still_open(files)]


SETTLED = {
    "a later line": {"a.md": f"{BEFORE}{OPEN}{LATER}- Sent the insurance form to Karin.\n"},
    "a later line of a diary that runs backwards": {
        "a.md": f"## 2026-11-20\n\nThe insurance form was sent to Karin.\n\n{BEFORE}{OPEN}"
    },
    "a dated line of another file": {"a.md": OPEN, "log/2026-11-20.md": "Insurance form sent to Karin.\n"},
    "a ticked box further down": {"a.md": f"{OPEN}- [x] Send the insurance form to Karin\n"},
    "a line struck through further down": {"a.md": f"{OPEN}- ~~Send the insurance form to Karin~~\n"},
    "a mark of the Tasks plug-in": {"a.md": OPEN.replace("\n", " ✅ 2026-11-20\n")},
    "a label": {"a.md": f"{OPEN}- DONE: insurance form to Karin\n"},
    "the word that ends its section": {"a.md": f"## Car\n\n{OPEN}\nClosed.\n"},
    "a later line that names less of it": {
        "a.md": "- [ ] Send the signed insurance form with all its annexes to Karin at the bank by 24 Nov\n",
        "log/2026-11-20.md": "Insurance form sent to Karin.\n",
    },
    "the page of that name": {"a.md": OPEN, "form.md": "---\ntitle: Insurance form, Karin\nstatus: done\n---\nText.\n"},
    "a later line in Norwegian": {
        "a.md": f"{BEFORE}- [ ] Sende skjemaet til forsikringen innen 24. nov\n"
        f"{LATER}- Skjemaet til forsikringen er sendt.\n"
    },
    "a later line in German": {
        "a.md": f"{BEFORE}- [ ] Formular der Versicherung an Karin bis 24.11.\n"
        f"{LATER}- Formular der Versicherung an Karin geschickt, erledigt.\n"
    },
}


@pytest.mark.parametrize("files", SETTLED.values(), ids=SETTLED)
def test_a_matter_is_settled(files: dict[str, str]) -> None:
    assert not whats(files)


NOT_SETTLED = {
    "still to come": f"{BEFORE}{OPEN}{LATER}The insurance form will be sent to Karin.\n",
    "denied": f"{BEFORE}{OPEN}{LATER}Insurance form to Karin still not sent.\n",
    "asked": f"{BEFORE}{OPEN}{LATER}Insurance form sent to Karin?\n",
    "another thing of that name": f"{BEFORE}{OPEN}{LATER}- Sent the tax form to Karin.\n",
    "an earlier line": f"## 2026-11-10\n\nSent the insurance form to Karin.\n\n{BEFORE}{OPEN}",
    "one word": f"{BEFORE}{OPEN}{LATER}Form signed.\n",
    "the end of another section": f"## Car\n\n{OPEN}\n## House\n\nClosed.\n",
}


@pytest.mark.parametrize("text", NOT_SETTLED.values(), ids=NOT_SETTLED)
def test_a_matter_stays_open(text: str) -> None:
    assert whats({"a.md": text}) == ["Send the insurance form to Karin by 24 Nov"]


def test_a_line_dated_ahead_settles_nothing_today() -> None:
    assert len(whats({"a.md": OPEN, "log/2026-11-24.md": "Insurance form sent to Karin.\n"})) == 1
    assert not whats({"a.md": OPEN, "log/2026-11-23.md": "Insurance form sent to Karin.\n"})


def test_what_was_done_a_month_before_a_thing_is_due_was_done_another_time() -> None:
    tasks = "- [ ] Pay the rent of the workshop by 1 Dec\n"
    assert whats({"tasks.md": tasks, "log/2026-11-01.md": "Rent of the workshop paid.\n"})
    assert not whats({"tasks.md": tasks, "log/2026-11-22.md": "Rent of the workshop paid.\n"})


def test_a_paid_row_closes_no_other_row() -> None:
    files = {"bills.csv": "bill,due,status\nrent workshop,2026-12-01,open\nrent workshop,2026-11-01,paid\n"}
    assert len(whats(files)) == 1


def test_a_cancelled_event_closes_no_other_event() -> None:
    events = "".join(
        f"BEGIN:VEVENT\nSUMMARY:Choir practice\nDTSTART:202611{day}T190000\nSTATUS:{status}\nEND:VEVENT\n"
        for day, status in ((24, "CONFIRMED"), (25, "CANCELLED"), (26, "CONFIRMED"))
    )
    found = still_open({"a.ics": f"BEGIN:VCALENDAR\n{events}END:VCALENDAR\n"})
    assert [each.first.last for each in found] == [date(2026, 11, 24), date(2026, 11, 26)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The tender closes on 25 November.", "The tender now closes on 14 December."),
        ("Berg delivers the oak frames on 25 November.", "Berg delivers the oak frames on 14 December."),
        ("Handover of the flat 25 November 10:00", "Handover of the flat was moved to 14 December 10:00"),
        ("- [ ] Hand in the census form by 25 Nov", "- [ ] Hand in the census form by 14 Dec"),
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_the_later_line_about_a_thing_wins(before: str, after: str, apart: bool) -> None:
    one, two = f"# 2026-11-10\n\n{before}\n", f"# 2026-11-20\n\n{after}\n"
    (found,) = still_open({"a.md": one, "b.md": two} if apart else {"a.md": f"{one}\n{two}"})
    assert found.first.last == date(2026, 12, 14)
    assert len(found.facts) == 2


def test_two_appointments_of_one_name_are_two_and_two_lines_about_one_are_one() -> None:
    found = still_open({"a.md": "Choir 24 Nov 19:00\nChoir 1 Dec 19:00\n", "b.md": "24 Nov 19:00 choir\n"})
    assert [(each.first.last, len(each.facts)) for each in found] == [
        (date(2026, 11, 24), 2),
        (date(2026, 12, 1), 1),
    ]


def test_the_same_task_in_two_files_is_told_once_with_both_places() -> None:
    files = {"a.md": "- [ ] Send the plan to Bo by Friday\n", "b.md": "- [ ] Send plan to Bo, due 27 Nov\n"}
    (found,) = signals(files)
    assert [(each.path, each.line) for each in found.evidence] == [("a.md", 1), ("b.md", 1)]


# -- pages ---------------------------------------------------------------------------------------------------

PAGE = "---\ntitle: Visa renewal\ndue: 2026-11-26\n{}---\n\n{}"


def test_two_boxes_of_one_list_are_two_matters_unless_one_repeats_the_other() -> None:
    tasks = "- [ ] Oak gate rebuild: answer the solicitor\n- [ ] Oak gate rebuild: ring the ironmonger\n"
    assert len(still_open({"a.md": tasks})) == 2
    assert len(still_open({"a.md": f"{tasks}\n## Tuesday\n- [ ] Oak gate: answer the solicitor\n"})) == 2


def test_a_page_and_the_line_of_its_day_are_one_matter() -> None:
    lines = "- [ ] Book a photo by 24 Nov\n- [ ] Send the form to the consulate by 26 Nov\n"
    found = still_open({"visa.md": PAGE.format("", lines)})
    assert sorted((each.first.what, len(each.facts)) for each in found) == [
        ("Book a photo by 24 Nov", 1),
        ("Visa renewal: Send the form to the consulate by 26 Nov", 2),
    ]


def test_a_pages_day_and_state_are_one_matter() -> None:
    (found,) = still_open({"visa.md": PAGE.format("status: blocked\n", "Text.\n")})
    assert (found.first.kind, found.first.what, found.first.last) == (
        "blocked", "Visa renewal: blocked", date(2026, 11, 26),
    )  # fmt: skip


# -- two knowledge bases -------------------------------------------------------------------------------------

HEART = Heart(["Launch of the Kestrel boat in December"], [], [])
ALARM = {"launch.md": "BLOCKED: the Kestrel launch permit, harbour office by 24 November\n"}


def test_nothing_in_one_knowledge_base_settles_mutes_or_absorbs_a_matter_of_another() -> None:
    alone = signals(ALARM, HEART, name="boats")
    assert [each.severity for each in alone] == ["critical"]
    words = "Kestrel launch permit, harbour office"
    hostile = {
        "a.md": f"# 2026-11-23\n\nDone: {words}. The {words} closed, resolved, paid.\n",
        "b.md": f"- [x] {words}\n" * 200,
        "c.md": "".join(f"BLOCKED: the {words} by 24 November, number {number}\n" for number in range(200)),
        "log/2027-11-23.md": f"{words}: done\n",
    }
    signals(hostile, HEART, name="strange")  # judged by itself: it has no way to the other's facts
    assert signals(ALARM, HEART, name="boats") == alone


def test_a_flood_of_like_lines_in_one_file_hides_no_other_line() -> None:
    flood = "".join(f"- [ ] Kestrel launch, paint plank {number} by 24 Nov\n" for number in range(300))
    found = signals({"planks.md": flood, **ALARM}, HEART, name="boats")
    assert (found[0].path, found[0].severity) == ("launch.md", "critical")


# -- what looks like one thing and is several, and the other way round -----------------------------------------


def test_numbers_tell_items_of_one_list_apart() -> None:
    assert len(whats({"a.md": "".join(f"- [ ] Pay bill {n}, due 2026-11-25\n" for n in range(1, 31))})) == 30


def test_a_ticked_number_leaves_the_others_open() -> None:
    items = "- [ ] Read chapter 3 by 25 Nov\n- [x] Read chapter 4 by 26 Nov\n"
    assert whats({"a.md": items}) == ["Read chapter 3 by 25 Nov"]


def test_the_last_time_does_not_tick_the_next() -> None:
    water = "Water the herbs 🔁 every day 📅 2026-11-"
    assert len(whats({"a.md": f"- [ ] {water}24\n- [x] {water}23 ✅ 2026-11-23\n"})) == 1


def test_a_remark_behind_a_ticked_item_tells_nothing() -> None:
    slip = "- [ ] Field trip slip signed, due at school Tuesday 24 Nov\n"
    assert not whats({"a.md": slip, "2026-11-23.md": "- [x] field trip slip, on the bonnet of the car\n"})


@pytest.mark.parametrize(
    ("later", "hours"),
    [
        ("20 Nov: the clinic wants us at 6:15 now on Friday 27 November, not 7.", ["06:15"]),
        ("20 Nov: the clinic shows its garden on Friday 27 November at 16:00.", ["07:00", "16:00"]),
    ],
)
def test_a_later_hour_that_names_the_old_one_takes_its_place(later: str, hours: list[str]) -> None:
    found = still_open({"log.md": f"12 Nov: check in at the clinic is Friday 27 November, 7:00.\n\n{later}\n"})
    assert [each.first.time for each in found] == hours


@pytest.mark.parametrize(
    ("before", "moved"),
    [
        (
            "Carrier picks up the crates on Thursday 26 Nov, 9:00.",
            "Carrier comes Friday 27 Nov 7:00 instead of Thursday.",
        ),
        (
            "Die Spedition Krause kommt am Donnerstag 26. November um 9:00.",
            "Krause kommt am Freitag 27. November um 7:00 statt am Donnerstag.",
        ),
    ],
)
def test_a_line_that_names_the_old_day_moves_it(before: str, moved: str) -> None:
    (found,) = still_open({"plan.md": f"{before}\n", "2026-11-23.md": f"{moved}\n"})
    assert found.first.last == date(2026, 11, 27)


VAULT = "---\nstatus: active\ndue: 2026-11-25\n---\n# Vault\n\n- [ ] Upload the plan 📅 2026-11-25\n\n"
MOVED = {
    "a dated entry": "20 Nov: it is postponed to 14 December at 7:00.\n",
    "an entry under its day": "## 2026-11-20\n\nThey want it by 14 December.\n",
}


@pytest.mark.parametrize("entry", MOVED.values(), ids=MOVED)
def test_a_later_entry_moves_the_day_of_its_page(entry: str) -> None:
    days = {each.first.last for each in still_open({"vault.md": VAULT + entry})}
    assert days == {date(2026, 12, 14)}


def test_an_entry_on_an_earlier_day_moves_no_page() -> None:
    found = still_open({"vault.md": f"{VAULT}## 2026-11-20\n\nThe draft is due by 24 November.\n"})
    assert date(2026, 11, 25) in {each.first.last for each in found}


def test_a_newer_line_on_another_day_makes_a_matter_doubtful() -> None:
    files = {
        "gas.md": "Caduff checks the stove on 25 November at 10:00.\n",
        "2026-11-20 Caduff gas.md": "I come to the stove on 26 November at 13:00.\n",
    }
    assert {each.first.last: each.doubtful for each in still_open(files)} == {
        date(2026, 11, 25): True,
        date(2026, 11, 26): False,
    }


ACTED = {
    "what was ordered": "For the garden I have ordered the new cherry trees, at last, from the nursery by the river.",
    "what was done in passing": "Long day. After lunch the cherry trees were collected by van, so that is that now.",
}
UNTOUCHED = {
    "what is still to come": "For the garden the new cherry trees have to be ordered, somebody must ring.",
    "another thing": "For the garden I have ordered a bench, at last, from the joiner by the river.",
}


@pytest.mark.parametrize("line", [*ACTED.values(), *UNTOUCHED.values()], ids=[*ACTED, *UNTOUCHED])
def test_what_somebody_acted_on_is_doubtful(line: str) -> None:
    files = {"garden.md": "- [ ] New cherry trees by 26 Nov\n", "2026-11-21.md": f"{line}\n"}
    found = [each.doubtful for each in still_open(files) if each.first.what == "New cherry trees by 26 Nov"]
    assert found == [line in ACTED.values()]


def test_an_earlier_act_makes_nothing_doubtful() -> None:
    files = {"garden.md": f"## 2026-11-21\n\n{OPEN}", "2026-11-20.md": ACTED["what was ordered"]}
    assert [each.doubtful for each in still_open(files)] == [False]


def test_a_line_that_moves_a_day_speaks() -> None:
    text = "Eye operation, day ward, Thursday 26 November, be there 07:30.\n\n"
    text += "Fri 20 Nov: they rang. It is Wednesday 25 now instead of Thursday, same ward.\n"
    (found,) = still_open({"mum.md": text})
    assert (found.first.last, found.first.time, found.first.certain) == (date(2026, 11, 25), "07:30", True)


def test_a_call_that_moves_a_meeting_makes_it_doubtful() -> None:
    files = {
        "letter.md": "I propose a site meeting on Wednesday 25 November at 10.30 at the stile.\n",
        "diary.md": "**Fri 20 Nov.** Mr Haines rang, it's Thursday 26th at 2 now, still at the stile.\n",
    }
    found = {each.first.last: (each.doubtful, each.first.time) for each in still_open(files)}
    assert found == {date(2026, 11, 25): (True, "10:30"), date(2026, 11, 26): (False, "14:00")}


@pytest.mark.parametrize(("box", "count"), [("x", 0), (" ", 2)])
def test_a_page_whose_boxes_are_ticked_is_done(box: str, count: int) -> None:
    text = f"---\ndeadline: 2026-11-25\n---\n# Licence\n\n- [x] Hours\n- [{box}] Form sent\n"
    assert len(whats({"licence.md": text})) == count


@pytest.mark.parametrize(
    ("rest", "count"), [("Paid.", 0), ("The rent for Bo is paid.", 0), ("The line has dropped off the label.", 1)]
)
def test_a_sentence_beside_an_open_one_ends_it(rest: str, count: int) -> None:
    assert len(whats({"a.md": f"The rent has to be with Bo by 25 November. {rest}\n"})) == count


def test_a_title_is_no_word_that_two_lines_share() -> None:
    files = {"a.md": "- [ ] New ampoules for the box of Mr Dunn by 27 Nov\n", "2026-11-20.md": "- [x] Check Mr Dunn\n"}
    assert len(whats(files)) == 1


def test_days_and_deadline_words_make_nothing_doubtful() -> None:
    text = "Rapporten må være hos oss innen fredag 27. november.\n"
    files = {"a.md": text, "2026-11-20.md": "Regningen betales innen tirsdag 24. november, ellers er det inkasso.\n"}
    assert [each.doubtful for each in still_open(files)] == [False, False]


def test_what_stands_before_a_sentence_does_not_end_it() -> None:
    assert len(whats({"a.md": "Deposit received. Balance of the deposit is to be paid by 25 November.\n"})) == 1


def test_a_call_to_somebody_and_their_bill_are_two_things() -> None:
    files = {"n.md": "- [ ] w/c 23 Nov call roofer\n", "b.csv": "status,due,sum,who\nunpaid,2026-11-24,80,Roofer\n"}
    assert len(whats(files)) == 2
