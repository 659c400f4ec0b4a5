"""Open things in plain prose, in three languages: who means to do what by when, and what only sounds like it."""

from __future__ import annotations

from datetime import date

import pytest

from tests.noticing import facts, open_facts

MONDAY, THURSDAY, FRIDAY, SATURDAY = (date(2026, 11, day) for day in (23, 26, 27, 28))

SAID = [
    # what I promised is mine to do, also where German says so at the end
    ("Ich habe Jana zugesagt, dass ich ihr bis Freitag die Liste schicke.", "task", FRIDAY, "Jana"),
    ("Habe Timo versprochen, ihm bis Samstag das Zelt zu leihen.", "task", SATURDAY, "Timo"),
    ("Wir haben Familie Roth zugesagt, bis Samstag den Anhänger zu bringen.", "task", SATURDAY, "Roth"),
    ("Ich habe versprochen, Herrn Kunz die Unterlagen bis Montag zu bringen.", "task", MONDAY, "Kunz"),
    ("Jeg lovet Siri å sende bildene innen lørdag.", "task", SATURDAY, "Siri"),
    ("I told Petra I'd send the seed list by Friday.", "deadline", FRIDAY, ""),
    ("Herr Lohse wollte, dass wir ihm bis Freitag die Maße nennen.", "deadline", FRIDAY, ""),
    # so is what another wants of me
    ("She would like the list by Friday.", "deadline", FRIDAY, ""),
    ("Frau Meier will die Liste bis Freitag.", "deadline", FRIDAY, ""),
    ("Kari vil ha listen innen fredag.", "deadline", FRIDAY, ""),
    ("Ola skulle hente bordet. Avtalen går ut 27. november.", "deadline", FRIDAY, ""),
    # what another means to do is waited for
    ("Frau Adler hat mir bis Freitag eine Antwort versprochen.", "waiting", FRIDAY, "Adler"),
    ("Orla will drop the keys off by Saturday.", "waiting", SATURDAY, "Orla"),
    ("Bo says she will fetch them by Saturday.", "waiting", SATURDAY, ""),
    ("He told me he'd get back to us by Thursday.", "waiting", THURSDAY, ""),
    ("My brother promised to bring the saw by Saturday.", "waiting", SATURDAY, ""),
    ("Er wollte sich bis Montag melden.", "waiting", MONDAY, ""),
    ("Hun skulle svare innen torsdag.", "waiting", THURSDAY, ""),
    ("Kari skulle gi beskjed innen fredag om båtplassen.", "waiting", FRIDAY, "Kari"),
    ("We were promised the keys by Friday.", "waiting", FRIDAY, ""),
    ("Das Gutachten wurde uns bis Freitag zugesagt.", "waiting", FRIDAY, ""),
    ("Vi ble lovet nøklene innen fredag.", "waiting", FRIDAY, ""),
    ("Promised Dad I'd ring by Saturday.", "task", SATURDAY, "Dad"),
    # silence
    ("Nothing heard from Ingrid since Friday.", "waiting", None, ""),
    ("Still nothing from the roofer.", "waiting", None, ""),
    ("Quinn hasn't come back to me about the gutter.", "waiting", None, ""),
    ("I have not heard from Odile.", "waiting", None, ""),
    ("Still chasing Viktor for his share.", "waiting", None, ""),
    ("Der Makler hat sich noch nicht gemeldet.", "waiting", None, ""),
    ("Noch immer nichts vom Dachdecker gehört.", "waiting", None, ""),
    ("Huseieren har ikke svart.", "waiting", None, ""),
    ("Har ikke hørt noe fra snekkeren.", "waiting", None, ""),
    # days and hours
    ("The invoice is to be paid by Friday.", "deadline", FRIDAY, ""),
    ("Tyres have to be changed this week.", "deadline", date(2026, 11, 29), ""),
    ("Strømregning, forfall 26.11", "deadline", THURSDAY, ""),
    ("Am Montag läuft die Parkkarte ab.", "deadline", MONDAY, ""),
    ("Der Vertrag muss am 27. raus.", "deadline", FRIDAY, ""),
    ("The boiler man comes Friday half past ten.", "appointment", FRIDAY, ""),
    ("Der Kaminkehrer kommt am Freitag um halb zehn.", "appointment", FRIDAY, ""),
    ("Feieren kommer fredag halv ti.", "appointment", FRIDAY, ""),
    ("Si ja eller nei til hytta innen lørdag.", "deadline", SATURDAY, ""),
]


@pytest.mark.parametrize(("line", "kind", "day", "who"), SAID, ids=[line for line, *_ in SAID])
def test_prose_says_who_does_what_when(line: str, kind: str, day: date | None, who: str) -> None:
    (found,) = open_facts(f"{line}\n")
    assert (found.kind, found.last, found.who, found.certain) == (kind, day, who, True)


NOTHING = [
    # how long a place is open
    "The farm shop is open until Friday 8 pm.",
    "Das Freibad ist noch bis Samstag geöffnet.",
    "Biblioteket er stengt til mandag.",
    # the name of a thing
    "They showed the play Deadline on Thursday.",
    "Missing Pieces is at the Odeon on Thursday.",
    "Så filmen Fristen på fredag.",
    # verse
    "cold kettle on the stove\nbefore Tuesday the frost comes\nnobody to tea",
    "Schnee auf dem leeren Steg\nvor dem Freitag schweigen die Möwen\nein Licht und kein Schiff",
    "snø på en tom kai\ninnen fredag tier måkene\net lys og ingen båt",
    "O moon above the mill,\nthe wheel is standing still,\nby Friday comes the thaw\nand takes the ice it saw.",
    "crumbs along the sill\na robin bows before Friday\nthe kettle ticks on",
    # code
    "The script greps for `TODO: fix before Friday` and prints it.",
    "Use `due:: 2026-11-27` to set a date.",
    "A page holds ``status: blocked`` or `due:: 2026-11-27` in its head.",
    # a story, and what was done about it
    "We rang on Monday, but by Friday nobody had come.",
    "Vi begynte mandag, og innen fredag var alt på plass.",
    "Am Montag angefangen, und bis Freitag war alles weg.",
    "The glaze had set by Friday.",
    "Limen hadde satt seg innen fredag.",
    "In 1987 the mill was to be rebuilt by 27 November.",
    "No training on Friday 27 Nov at 19:00",
    "Keine Probe am Freitag 27.11. um 19 Uhr",
    "Had to hand in the keys by Friday, just made it!",
    "Måtte levere nøklene innen fredag, rakk det.",
    "Musste die Schlüssel bis Freitag abgeben, hat geklappt.",
    "Thesis submitted 19 Nov (deadline 27 Nov).",
    "Antrag eingereicht am 12.11., Frist 27.11.",
    "Nothing lost, the crates arrive Friday.",
    # examples
    "For example, hand in the essay by Friday and you get it back on Monday.",
    "Zum Beispiel: Bitte die Liste bis Freitag schicken.",
    "F.eks. kan du levere innen fredag.",
    # a box without words or a day
    "- [ ] @bea",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_sounds_like_a_deadline_is_none(text: str) -> None:
    assert not [each.quote for each in open_facts(f"{text}\n") if each.certain or each.first]


ENTRIES = [
    "Registration is open until Friday 8 pm.",
    "Die Anmeldung ist bis Freitag offen.",
    "The shop must stay open until Friday.",
    "Veien er stengt til mandag, så lever innen fredag.",
    "The Deadline is Friday.",
    "Had to be signed by Friday, still is not.",
    "The permit was extended until Friday.",
    "He had asked for it by Friday.",
    "Not Thursday but by Friday.",
    "By Friday the keys were promised.",
    "Paid the deposit, the rest is due on the 27th.",
    "Første del er betalt, resten har frist 27. november.",
    "Die Anzahlung ist bezahlt, der Rest ist am 27. fällig.",
    "Submitted the form, their reply is due 27 Nov.",
    "Not submitted yet, due 27 Nov.",
    "The slides are due Friday, I made it in time last year.",
    "Die neue Deadline ist Freitag.",
    "Report is due `2026-11-27`.",
    "bread\nring gran by friday\nthe blue paint",
]


@pytest.mark.parametrize("text", ENTRIES)
def test_what_asks_for_something_stays_a_deadline(text: str) -> None:
    (found,) = open_facts(f"{text}\n")
    assert (found.kind, found.last, found.certain) == ("deadline", FRIDAY, True)


OWED = [
    ("I owe Farah a call.", "task", "Farah"),
    ("Owe Ravi twenty for the tickets.", "task", "Ravi"),
    ("Farah owes me the deposit.", "waiting", "Farah"),
    ("Ich schulde Jonas noch die Bohrmaschine.", "task", "Jonas"),
    ("Jeg skylder Ola hengeren.", "task", "Ola"),
]


@pytest.mark.parametrize(("line", "kind", "who"), OWED)
def test_what_is_owed_without_a_day_is_likely(line: str, kind: str, who: str) -> None:
    (found,) = open_facts(f"{line}\n")
    assert (found.kind, found.who, found.first, found.certain) == (kind, who, None, False)


POINTING = [
    ("The fair is on Sat 5 Dec. Stalls have to be up by 9am on the Saturday.", date(2026, 12, 5)),
    ("Open day is Sun 6 Dec. The marquee must be booked by the Saturday.", date(2026, 12, 5)),
    ("Das Fest ist am 5. Dezember. Der Kuchen muss am Tag vorher fertig sein.", date(2026, 12, 4)),
    ("Festen er 5. desember. Kaka må være ferdig dagen før.", date(2026, 12, 4)),
    ("# Bazaar on 5 December\n\n- All cakes have to be ready the day before.", date(2026, 12, 4)),
]


@pytest.mark.parametrize(("text", "day"), POINTING)
def test_a_day_points_back_to_one_before(text: str, day: date) -> None:
    assert {each.last for each in open_facts(f"{text}\n") if each.kind == "deadline"} == {day}


def test_a_day_points_back_to_one_that_is_over() -> None:
    assert not open_facts("Sold the boat on sat 21st. The cheque has to be in the bank on the Saturday.\n")


LETTERS = [
    (
        "Dear Vendor: your insurance certificate lapses soon, as our records here in the office say. Please send us "
        "the renewed certificate by Friday. Anything later cannot be accepted.\nKind regards: the office.",
        "Please send us the renewed certificate by Friday.",
    ),
    (
        "Dear Neighbours: the stairwell will be painted next week and\nthe doors stay open while it dries. Please\n"
        "move your bikes by Friday so that the painters can start.\nYours: the caretaker",
        "Please move your bikes by Friday so that the painters can start.",
    ),
]


@pytest.mark.parametrize(("text", "what"), LETTERS)
def test_a_greeting_is_nobody_who_speaks(text: str, what: str) -> None:
    assert what in [each.what for each in open_facts(f"{text}\n")]


BARE = [("# Car\n\n- [ ] 📅 2026-11-27", "Car"), ("- [ ] due:: 2026-11-27", "notes.md")]


@pytest.mark.parametrize(("text", "what"), BARE)
def test_a_box_with_only_a_day_is_named(text: str, what: str) -> None:
    (found,) = open_facts(f"{text}\n")
    assert (found.what, found.last) == (what, FRIDAY)


@pytest.mark.parametrize("text", ["Choir practice Fri 27th", "Fri 27th: Lena's recital", "Korøvelse fredag 27."])
def test_a_weekday_with_its_figure_is_an_appointment(text: str) -> None:
    (found,) = open_facts(f"{text}\n")
    assert (found.kind, found.last, found.certain) == ("appointment", FRIDAY, False)


@pytest.mark.parametrize("text", ["Fri 27th", "Sold out Friday", "We saw the choir Fri 27th", "Great day Sat 28th"])
def test_a_bare_day_is_no_appointment(text: str) -> None:
    assert not open_facts(f"{text}\n")


def test_a_line_closes_one_thing_and_opens_another() -> None:
    found = facts("Paid the deposit on Friday, the rest is due on the 27th.\n")
    assert [(each.state, each.what) for each in found][:1] == [("done", "Paid the deposit on Friday,")]


@pytest.mark.parametrize("text", ["The 1st.", "Council tax, the 27th", "Two feet of snow on the 27th"])
def test_a_figure_without_a_weekday_is_no_appointment(text: str) -> None:
    assert not open_facts(f"{text}\n")
