"""The certain forms: what a line, a heading, a page, an event says is open by its form, in three languages."""

from __future__ import annotations

from datetime import date

import pytest

from tests.noticing import TODAY, facts, open_facts, still_open

NOV = {number: date(2026, 11, number) for number in range(1, 31)}
DEC = {number: date(2026, 12, number) for number in range(1, 32)}
FORMS = [
    # an open box or a TODO item, with or without a date of its own
    ("- [ ] Order the cake", "task", None),
    ("- [ ] Send the deck by Tuesday", "task", NOV[24]),
    ("- [ ] Pay the gardener 24/11", "task", NOV[24]),
    ("- [ ] Stocktake w/c 23 Nov", "task", NOV[29]),
    ("* [ ] Ring the bank (due: 25/11)", "task", NOV[25]),
    ("1. [/] Half a fence, due Friday", "task", NOV[27]),
    ("☐ Sign for the parcel on 25 Nov", "task", NOV[25]),
    ("TODO: renew the lease before 1 Dec", "task", DEC[1]),
    ("- FIXME the gate squeaks", "task", None),
    ("- [ ] betale husleie innen fredag", "task", NOV[27]),
    ("- [ ] Miete überweisen bis Freitag", "task", NOV[27]),
    ("- [ ] Farbe bestellen am 25.", "task", NOV[25]),
    ("- [ ] vaske ovnen innen den 28.", "task", NOV[28]),
    ("- [ ] Upgrade Python in 3.11", "task", None),
    # an appointment: a day and a time of day
    ("Dentist Tues 24 Nov 10:30", "appointment", NOV[24]),
    ("Thursday 2pm: physio", "appointment", NOV[26]),
    ("Lunch with Priya next Friday at 12:30", "appointment", NOV[27]),
    ("2026-11-28 06:40 flight to Oslo", "appointment", NOV[28]),
    ("The viewing was moved to 27 November at 9:00", "appointment", NOV[27]),
    ("Tannlege tirsdag kl. 10", "appointment", NOV[24]),
    ("Zahnarzt Dienstag 10:30", "appointment", NOV[24]),
    ("Zahnarzt Di 24.11. 10:30", "appointment", NOV[24]),  # in no language that so few words could tell
    ("Chorprobe Do 26.11. 19.30 Uhr", "appointment", NOV[26]),
    ("Montag 30.11. 11–12 Uhr Besprechung mit Frau Wolf", "appointment", NOV[30]),
    ("Morgen 17:30 Friseur", "appointment", NOV[24]),
    ("EU-kontroll i dag kl 16", "appointment", NOV[23]),
    # a label, a tag, a mark of the Tasks plug-in
    ("BLOCKED: the permit", "blocked", None),
    ("Blocked by the firewall change", "blocked", None),
    ("Waiting on Berg", "waiting", None),
    ("Still waiting for the surveyor, asked 12 Nov", "waiting", None),
    ("Awaiting signature from Dr Malik", "waiting", None),
    ("- call the roofer @waiting", "waiting", None),
    ("- the scanner #blocked", "blocked", None),
    ("URGENT: boiler pressure is falling", "problem", None),
    ("Renew the passport due:: 2026-11-25", "deadline", NOV[25]),
    ("Renew the passport 📅 2026-11-25", "deadline", NOV[25]),
    ("- [ ] Order filters 🛫 2026-11-20 📅 2026-11-26", "task", NOV[26]),
    ("- [ ] Order filters ⏳ 2026-11-26", "task", NOV[26]),
    ("Venter på Berg", "waiting", None),
    ("Warten auf Berg", "waiting", None),
    # a deadline sentence
    ("Please return the slip by tomorrow.", "deadline", NOV[24]),
    ("Register no later than 26 Nov, 17:00.", "deadline", NOV[26]),
    ("The early rate ends Friday.", "deadline", NOV[27]),
    ("MOT expires 3/12/2026", "deadline", DEC[3]),
    ("Vehicle tax is due on the 1st of December.", "deadline", DEC[1]),
    ("The warranty lapses at the end of the month.", "deadline", NOV[30]),
    ("Give notice at the latest by 30.11.", "deadline", NOV[30]),
    ("Frist 27. november", "deadline", NOV[27]),
    ("Die Unterlagen sind bis Freitag einzureichen.", "deadline", NOV[27]),
    ("Der Bericht ist morgen fällig.", "deadline", NOV[24]),
    ("Die Miete ist am 30. fällig.", "deadline", NOV[30]),
    ("Das Angebot läuft am Mittwoch ab.", "deadline", NOV[25]),
    ("Bewerbungsschluss ist der 27. November.", "deadline", NOV[27]),
    ("Hand in the coursework 25th Nov at the latest", "deadline", NOV[25]),
    ("Søknadsfristen er 27. november.", "deadline", NOV[27]),
    ("Husleia forfaller den 30.", "deadline", NOV[30]),
    ("The trailer must be back signed by Thursday or we pay for it.", "deadline", NOV[26]),
    ("I have to have the guest list from you tomorrow by 5 or we guess.", "deadline", NOV[24]),
    ("The scaffold has to go back Wed 25 Nov, each day more costs 40.", "deadline", NOV[25]),
    ("Leieavtalen må være hos dem fredag 27. november.", "deadline", NOV[27]),
    ("Der Schlüssel muss am Donnerstag zurück sein.", "deadline", NOV[26]),
    ("Ich brauche die Liste bis Freitagmittag.", "deadline", NOV[27]),
    ("Die Zähler werden am Montag, 30.11., 8 bis 11 Uhr abgelesen.", "appointment", NOV[30]),
    # a promise with a date and a person
    ("I promised Sinead the list by Friday", "task", NOV[27]),
    ("Promised Greta the keys for Wednesday", "task", NOV[25]),
    ("We owe the Hendersons a reply by 25 November", "task", NOV[25]),
    ("Tom promised the drawings for Thursday", "waiting", NOV[26]),
    ("Berg sends the frames on the 14th", "waiting", DEC[14]),
    ("About the skip: he answers by Friday", "waiting", NOV[27]),
    ("Ravi will send the contract on Tuesday", "waiting", NOV[24]),
    ("Berg leverer karmene på fredag", "waiting", NOV[27]),
    ("Anna schickt den Entwurf bis Freitag", "waiting", NOV[27]),
]


@pytest.mark.parametrize(("line", "kind", "day"), FORMS, ids=[line for line, _, _ in FORMS])
def test_a_certain_form_is_found_with_its_day(line: str, kind: str, day: date | None) -> None:
    (found,) = open_facts(f"{line}\n")
    assert (found.kind, found.last, found.certain) == (kind, day, True)
    assert found.line == 1
    assert found.quote == line


NOTHING = [
    "She says no problem",
    "Zoom: cancelled the subscription",
    "Critical Role is on Thursday",
    "Application lodged 2 Nov",
    "Karim has the draft since the 12th",
    "Letter dated 19 November about the fence",
    "We met on Friday at 14:00 and agreed.",
    "Vi møttes tirsdag kl 15.",
    "I was waiting for the bus when it rained.",
    "The shop was open until 18 November.",
    "Sent the quote by email on 22 Nov",
    "Answered by a letter dated 24 November.",
    "They are packed here and sent by parcel post in one week.",
    "He promised all two hundred for Friday.",
    "Nothing due this week.",
    "We waited until Tuesday for the glazier.",
    "It cleared up by Friday.",
    "By Thursday it thawed.",
    "Due until Friday:",
    "No deadline on Friday.",
    "Extra costs due to fog on 24 November",
    "Did Bo promise it for Friday?",
    "Every Friday at 19:00 choir practice",
    "Happy birthday to Ana on 24 November",
    "2026-11-23 10:30 coffee with Dan",
    "[2026-11-23 09:14:55] INFO 24 requests",
    "Bake until golden, 25 minutes at 180 degrees",
    "- [x] Pay the gardener by Tuesday",
    "- [-] Pay the gardener by Tuesday",
    "- ~~Pay the gardener by Tuesday~~",
    "- [ ] ~~Pay the gardener by Tuesday~~",
    "- [ ] Pay the gardener 📅 2026-11-24 ✅ 2026-11-20",
    "The library will not be open until Wednesday.",
    "You do not have to be there on Friday.",
    "An old silent pond, a frog jumps in: the sound of water",
]


WISHES = ["He asked for the key by Friday", "They extended the offer until Friday", "We borrowed the van until Friday"]


@pytest.mark.parametrize("line", WISHES)
def test_a_wish_of_yesterday_sets_a_day(line: str) -> None:
    assert [(each.kind, each.last, each.certain) for each in open_facts(f"{line}\n")] == [("deadline", NOV[27], True)]


@pytest.mark.parametrize("state", ["---\nstatus: accepted\n---\n", "# Roof\n\n**Status:** Adopted (19 Nov)\n\n"])
def test_a_page_in_force_tells_how_it_came_to_be(state: str) -> None:
    text = f"{state}The tiles slipped before the frost, so slate goes up by Friday.\n- [ ] Order slate by Thursday\n"
    assert [each.what for each in open_facts(text)] == ["Order slate by Thursday"]


@pytest.mark.parametrize("line", NOTHING)
def test_a_line_without_a_form_or_done_is_no_matter(line: str) -> None:
    assert not [each.quote for each in open_facts(f"{line}\n") if each.certain or each.first]


def test_a_list_of_ones_own_has_no_owners() -> None:
    own = "- [ ] Passport: fetch it by Friday\n- [ ] call the roofer\n- [ ] oil for the gate\n"
    assert [each.who for each in open_facts(own)] == ["", "", ""]
    assert [each.who for each in open_facts("- [ ] Mira: order it\n- [ ] Tom: fetch it\n")] == ["Mira", "Tom"]


def test_an_offer_sets_nobody_a_deadline() -> None:
    text = "From: Paints & Co\nDate: 20 Nov 2026\n\nAll brushes 20 % with our discount. Order by Friday.\n"
    assert [each.certain for each in open_facts(text, "mail/a.md")] == [False]


@pytest.mark.parametrize(
    "head", ["From: Ida Holm, Town Hall\nDate: 20 Nov 2026", "From: Ida Holm\nNov 20, 2026 1:51 PM"]
)
@pytest.mark.parametrize("above", ["", "Notes of the week\n\n", "---- pasted 20 Nov\n"])
def test_a_letter_is_told_with_its_sender(head: str, above: str) -> None:
    (found,) = open_facts(f"{above}{head}\n\nWe need the plan by Friday.\n", "mail.txt")
    assert found.what == "Ida Holm: We need the plan by Friday."
    assert found.day == date(2026, 11, 20)


def test_a_pronoun_is_told_with_its_name() -> None:
    text = "Oskar wrote about the stove. Sweeping the chimney takes him the whole morning, as he says. "
    said = "The order book for tiled stoves and copper ones is nearly full, so he wants to hear before Wednesday."
    (found,) = open_facts(f"{text}{said}\n")
    assert found.what == f"Oskar: {said}"


def test_the_words_are_those_of_the_note_without_marks_tags_and_brackets() -> None:
    found = open_facts(
        "- [ ] Ask [[people/Karin|Karin]] for the **blue** folder 📅 2026-11-25 🔁 every week\n"
        "- call the `roofer` #waiting\n"
    )
    assert [each.what for each in found] == ["Ask Karin for the blue folder", "call the roofer"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("- [ ] Ask for it, due 25 Nov\n  The bank said yes. It is one form.\n", "Ask for it, due 25 Nov"),
        ("- [ ] Ask Karin for the\n  blue folder\n", "Ask Karin for the blue folder"),
        ("3. [ ] **Ask** for it\n   Nobody else can.\n", "Ask for it"),
    ],
)
def test_an_item_is_called_by_its_first_line_where_the_next_begins_a_sentence(text: str, what: str) -> None:
    (found,) = open_facts(text)
    assert (found.what, found.line) == (what, 1)


@pytest.mark.parametrize("heading", ["## By Friday 27 November", "## 27 Nov", "## This week (27.11.2026)"])
def test_a_box_takes_the_day_of_its_heading(heading: str) -> None:
    (found,) = open_facts(f"# List\n\n{heading}\n\n- [ ] Order cake\n")
    assert found.last == NOV[27]


def test_a_box_under_a_diary_day_is_not_due_that_day() -> None:
    (found,) = open_facts("# Log\n\n## 2026-11-18\n\n- [ ] Order cake\n")
    assert (found.last, found.day) == (None, NOV[18])


def test_what_stands_under_a_ticked_box_is_done_however_deep() -> None:
    text = "- [x] Move house\n  - [ ] call the van by Friday\n    - [ ] boxes by Thursday\n- [ ] paint\n"
    assert [each.what for each in open_facts(text)] == ["paint"]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("## Kitchen (blocked)", "blocked"),
        ("## Roof: waiting on Berg", "waiting"),
        ("## BLOCKED: permit", "blocked"),
        ("## Lift – on hold", "waiting"),
        ("## Kjøkken (venter)", "waiting"),
        ("## Dach - blockiert", "blocked"),
    ],
)
def test_a_heading_carries_a_state(heading: str, kind: str) -> None:
    (found,) = open_facts(f"# Site\n\n{heading}\n\nText.\n")
    assert (found.kind, found.line) == (kind, 3)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# Roof\n\n**Status:** Blocked · **Owner:** Sam\n\nText.\n", "blocked"),
        ("# Roof\n\nStatus: blocked on the permit\n\nText.\n", "blocked"),
        ("# Roof\n\n## Status\n\nWaiting\n\n## Context\n\nText.\n", "waiting"),
        ("---\nstatus: blocked (permit)\n---\n\n# Roof\n\nText.\n", "blocked"),
    ],
)
def test_a_page_is_in_the_state_that_it_gives_itself(text: str, kind: str) -> None:
    (found,) = open_facts(text)
    assert (found.kind, found.what.partition(":")[0]) == (kind, "Roof")


@pytest.mark.parametrize("heading", ["Calendar", "Upcoming", "Kalender", "Termine"])
def test_an_entry_under_a_calendar_heading_is_an_appointment(heading: str) -> None:
    text = f"# Family\n\n## {heading}\n\n- Thu 26 Nov parents' evening\n- School trip 3 Dec\n- 12 Oct was fun\n"
    assert [(each.kind, each.last) for each in open_facts(text) if each.last and each.last >= TODAY] == [
        ("appointment", NOV[26]),
        ("appointment", DEC[3]),
    ]


def test_an_item_under_a_day_of_a_calendar_is_an_appointment() -> None:
    (found,) = open_facts("# Calendar\n\n## Tue 24 Nov\n\n- school play\n")
    assert (found.kind, found.last) == ("appointment", NOV[24])


@pytest.mark.parametrize("head", ["## Ingredients", "Zutaten:", "**Ingredienser**"])
def test_a_recipe_sets_no_deadline(head: str) -> None:
    assert not facts(f"# Soup\n\n{head}\n\n- [ ] lentils\n\n## Method\n\n1. Soak until tomorrow morning at 8\n")


def test_a_date_within_a_sentence_under_a_calendar_heading_is_no_entry() -> None:
    text = "# Calendar\n\nWe thought about 3 December for the fair and dropped the thought again.\n"
    assert not open_facts(text)


def test_a_page_says_when_it_is_due_and_that_it_is_blocked() -> None:
    due, blocked = (
        open_facts(f"---\ntitle: Grant report\n{line}\n---\n\nText.\n")
        for line in ("due: 2026-11-26", "status: blocked")
    )
    assert [(each.kind, each.last, each.what, each.line) for each in due] == [("deadline", NOV[26], "Grant report", 3)]
    assert [(each.kind, each.what) for each in blocked] == [("blocked", "Grant report: blocked")]


CALENDAR = """\
BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Dentist
DTSTART;TZID=Europe/Oslo:20261124T103000
DTEND;TZID=Europe/Oslo:20261124T113000
END:VEVENT
BEGIN:VEVENT
SUMMARY:Choir
DTSTART;VALUE=DATE:20261125
STATUS:CANCELLED
END:VEVENT
BEGIN:VTODO
SUMMARY:Hand in the census form
DUE;VALUE=DATE:20261127
END:VTODO
BEGIN:VTODO
SUMMARY:Water meter
DUE;VALUE=DATE:20261127
STATUS:COMPLETED
END:VTODO
END:VCALENDAR
"""


def test_events_and_to_dos_of_a_calendar_are_found_unless_cancelled_or_completed() -> None:
    found = [(each.kind, each.what, each.last, each.time, each.state) for each in facts(CALENDAR, "family.ics")]
    assert found == [
        ("appointment", "Dentist", NOV[24], "10:30", "open"),
        ("appointment", "Choir", NOV[25], "", "dropped"),
        ("task", "Hand in the census form", NOV[27], "", "open"),
        ("task", "Water meter", NOV[27], "", "done"),
    ]


MAIL = """\
From: Bo <bo@example.org>
To: me@example.org
Date: Fri, 20 Nov 2026 10:00:00 +0000
Subject: The form

Hello,

please send the form back by Tuesday.

> On Monday you wrote: the tender closes by Thursday.
"""


def test_a_mail_speaks_from_its_own_day_and_what_it_quotes_is_not_taken() -> None:
    assert [(each.quote, each.last) for each in open_facts(MAIL, "form.eml")] == [
        ("please send the form back by Tuesday.", NOV[24])
    ]


NOWHERE = [
    ("notes.md", "```\n- [ ] {task}\n```\n"),
    ("notes.md", "Text.\n\n    Please {task}\n"),
    ("Templates/weekly.md", "- [ ] {task}\n"),
    ("99 Archive/2024/plan.md", "- [ ] {task}\n"),
    ("old/plan.md", "- [ ] {task}\n"),
    ("weekly.md", "- [ ] {{{{date}}}} {task}\n"),
    ("plan.md", "---\nstatus: done\n---\n\n- [ ] {task}\n"),
    ("plan.md", "---\nstatus: cancelled\n---\n\n- [ ] {task}\n"),
    ("offer.md", "---\nsource: https://example.org/offer\n---\n\nThe offer closes by Friday: {task}\n"),
    ("Clippings/offer.md", "The offer closes by Friday: {task}\n"),
    ("plan.md", "> - [ ] {task}\n"),
    ("plan.md", "> Please {task}\n"),
    ("plan.md", "## Archive\n\n- [ ] {task}\n"),
    ("plan.md", "## Done\n\n- [ ] {task}\n"),
    ("today.md", "<!-- adjutant 2026-11-23 -->\n- [ ] {task}\n"),
    ("setup.py", "# TODO: {task}\n"),
    ("plan.md", "> | what | due |\n> |---|---|\n> | {task} | 2026-11-27 |\n"),
]


@pytest.mark.parametrize(("path", "text"), NOWHERE)
def test_nothing_certain_is_taken_from_there(path: str, text: str) -> None:
    task = "return the form by Friday 27 November"
    plain = open_facts(f"- [ ] {task}\n")
    assert [each.last for each in plain] == [NOV[27]]  # the line is one that is found elsewhere
    assert not [each for each in open_facts(text.format(task=task), path) if each.certain]


def test_a_callout_with_boxes_is_the_operators_own() -> None:
    (found,) = open_facts("> [!todo] Bank\n> - [ ] call them by Friday\n")
    assert (found.kind, found.last, found.certain) == ("task", NOV[27], True)


LIKELY = [
    "The joiner is ill and has not said when she is back.",
    "Still no answer about the insurance of the shed.",
    "Two of the chairs are missing since the move.",
]


@pytest.mark.parametrize("line", LIKELY)
def test_a_plain_sentence_with_a_word_of_state_is_likely_and_no_more(line: str) -> None:
    (found,) = open_facts(f"{line}\n")
    assert (found.kind, found.certain) == ("problem", False)


def test_a_question_is_not_even_likely() -> None:
    assert not open_facts("Is the joiner ill?\n")


def test_a_quoted_sentence_is_likely_only_with_a_day_to_come() -> None:
    assert not open_facts("> Acme Castings, 50 feet, mould is broken, nobody knows more\n")
    (found,) = open_facts("> The plumber is ill and comes on 25 November at the earliest\n")
    assert not found.certain


def test_a_line_in_another_language_than_its_file_is_read_in_its_own() -> None:
    english = "The committee met and the minutes are with the secretary, who will file them.\n\n"
    found = open_facts(f"{english}- [ ] betale husleie på onsdag\n- [ ] Miete überweisen bis übermorgen\n")
    assert [each.last for each in found] == [NOV[25], NOV[25]]


# -- headings with days, headings with states ------------------------------------------------------------------


@pytest.mark.parametrize("path", ["2026-11-23.md", "log.md"])
def test_a_diary_dates_no_task(path: str) -> None:
    (found,) = open_facts("# 2026-11-23\n\n- [ ] Ring the fitter\n", path)
    assert found.last is None


def test_a_plan_dates_the_tasks_of_today() -> None:
    week = "## Monday 23 Nov\n- [ ] Glue the chairs\n\n## Tuesday 24 Nov\n- [ ] Cover the roses\n"
    assert [each.last for each in open_facts(week)] == [NOV[23], NOV[24]]


def test_an_hour_under_a_planned_day_is_an_appointment() -> None:
    (found,) = open_facts("## Tuesday 24 Nov\n- 10:30 customer Lund at the shop\n")
    assert (found.kind, found.last, found.time) == ("appointment", NOV[24], "10:30")


def test_an_hour_at_the_end_of_a_line_counts() -> None:
    (found,) = open_facts("Tue 24 Nov: roof inspection with Hahn, 14:30\n")
    assert (found.kind, found.time) == ("appointment", "14:30")


def test_who_comes_at_an_hour_is_met() -> None:
    (found,) = open_facts("Hahn comes to see the roof Tuesday 24 Nov 10:00.\n")
    assert found.kind == "appointment"


def test_items_under_waiting_are_waited_for() -> None:
    (found,) = open_facts("## Waiting\n- Roof tiles from Hahn\n")
    assert (found.kind, found.what) == ("waiting", "Roof tiles from Hahn")


def test_a_thin_sentence_follows_the_one_before() -> None:
    (found,) = still_open({"notes.md": "Hahn's cheque for the roof bounced. He wants it by Friday noon.\n"})
    assert found.first.what == "Hahn's cheque for the roof bounced. He wants it by Friday noon."


def test_a_month_is_no_day_near() -> None:
    assert not open_facts("The kitchen waits, blocked by leaves, all of November.\n")


def test_done_counts_within_its_clause() -> None:
    assert not open_facts("- Mar/Apr return - in by 29 Nov - done 21 Nov\n")


def test_the_losing_side_of_a_synchronisation_holds_nothing() -> None:
    assert not open_facts("- [ ] Pay the rent by 24 Nov\n", "bills (conflicted copy 2026-11-01).md")


@pytest.mark.parametrize("status", ["shipped", "resolved", "bezahlt", "levert"])
def test_a_page_that_is_over_holds_nothing(status: str) -> None:
    assert not open_facts(f"---\nstatus: {status}\n---\n- [ ] Pay the rent by 24 Nov\n")


@pytest.mark.parametrize("end", ["(done)", "✔", "- paid 20 Nov", ": paid 20 Nov"])
def test_an_end_that_closes(end: str) -> None:
    assert not open_facts(f"- Pay the garden rent by 24 Nov {end}\n")


def test_a_line_that_ends_with_a_comma_goes_on() -> None:
    letter = "Your visit of Friday 27 November was moved,\nnew: Thursday 26 November 2026, 8:20.\nRegards\nLund\n"
    (found,) = open_facts(letter)
    assert (found.first, found.was) == (NOV[26], (NOV[27],))


def test_a_noun_before_a_colon_owns_nothing_in_german() -> None:
    (found,) = open_facts("# Haus\n\n- [ ] Garten: das Laub muss bis Donnerstag weg\n")
    assert found.kind == "task"


def test_an_entry_speaks_from_the_day_with_which_it_begins() -> None:
    found = facts("18 Nov: Rosa rang. She sends the list by Friday.\n")
    assert [(each.day, each.last) for each in found] == [(NOV[18], NOV[20])]


def test_a_poem_is_no_matter() -> None:
    assert not open_facts("Late rain on the roof\nstill waiting for the ferry\nthe harbour is lost\n")


@pytest.mark.parametrize(
    ("text", "count"), [("Urgent: the pump has to go back on Thursday.", 1), ("Broken Arrows play on Thursday.", 0)]
)
def test_a_word_of_state_in_a_name_is_none(text: str, count: int) -> None:
    assert len(open_facts(f"{text}\n")) == count


def test_what_recurs_in_a_calendar_is_a_plan() -> None:
    event = "BEGIN:VEVENT\nSUMMARY:Choir\nDTSTART:20261124T190000\n{}END:VEVENT\n"
    assert [each.basis for each in open_facts(event.format("RRULE:FREQ=WEEKLY\n"), "a.ics")] == ["plan"]
    assert [each.basis for each in open_facts(event.format(""), "a.ics")] == ["event"]


def test_an_hour_ends_what_can_be_done_today() -> None:
    (found,) = open_facts("## Mon 23 Nov\n\nPete can come today if I ring before 12, else on Monday.\n")
    assert (found.kind, found.last, found.time) == ("deadline", date(2026, 11, 23), "12:00")


def test_the_hour_may_stand_before_its_day() -> None:
    (found,) = open_facts("They want the casks at the back door by 4 on Thurs 26/11, after that they send you home.\n")
    assert (found.kind, found.last) == ("deadline", date(2026, 11, 26))


def test_what_it_is_stands_in_the_sentence_before() -> None:
    text = "The ballot box of our end is in my boot. If they have it at the office by 25 November it counts.\n"
    (found,) = open_facts(text)
    assert found.what.startswith("The ballot box")


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("If it is not by Friday 27 November on our account, we go to court.", 1),
        ("Wenn Sie nicht bis zum 27. November zahlen, geht die Sache an das Gericht.", 1),
        ("Betales den ikke innen fredag 27. november, går saken til inkasso.", 1),
        ("The shed is not before 27 November.", 0),
        ("Nothing by 27 November.", 0),
    ],
)
def test_not_by_a_day_is_a_deadline_and_not_before_one_is_none(line: str, count: int) -> None:
    assert len([each for each in open_facts(f"{line}\n") if each.kind == "deadline"]) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## December\n\n- 3: dentist\n- 17: school play", [("dentist", DEC[3]), ("school play", DEC[17])]),
        ("## Desember\n\n- 3 tannlege\n- 17 avslutning", [("tannlege", DEC[3]), ("avslutning", DEC[17])]),
        ("## Dezember 2026\n\n- 5 – Zahnarzt", [("Zahnarzt", DEC[5])]),
        ("## Mai 2027\n\n- 4: Wandertag", [("Wandertag", date(2027, 5, 4))]),
        ("## October\n\n- 3: dentist\n- 17: school play", []),  # that is over
        ("## December\n\n- 1: ring Bo\n- 2: ring Ann\n- 3: sleep", []),  # they are counted
        ("## December\n\n- 3 candles\n- stars", []),
        ("## Baking in December\n\n- 3 eggs\n- 12 cups", []),
    ],
)
def test_an_item_under_a_month_falls_on_its_day(text: str, found: list[tuple[str, date]]) -> None:
    assert [(each.what, each.last) for each in open_facts(text)] == found
