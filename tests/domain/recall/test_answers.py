"""Finding the line that answers a question, in three languages and all kinds of files; and finding none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.recall import answers, ranking
from adjutant.domain.recall.answer_lines import FoundAnswer
from adjutant.domain.recall.sources import pages
from adjutant.domain.recall.sources.parts import base_tag
from adjutant.domain.recall.wanted import Wanted
from adjutant.index_ports import Document, Query
from adjutant.store.index import IN_MEMORY
from tests.store.putting import PutIndex

NOW = "2026-11-20T09:00:00+00:00"
HOUSE = {
    "house.md": """\
# House

## Heating

- Boiler
  - service: 14 March, Anders comes at nine
  - last filled on 2 November
- Chimney: swept in October

## Papers

The roof was insured again in May. The policy of
the shed runs out on 30 June, the one of the house
two years later.

| what | firm | renewal |
|---|---|---|
| car | Fjellheim | 2027-02-01 |
| caravan | Fjellheim | 2026-12-15 |
""",
    "office/payroll.txt": """\
Mon: Payslips for October are printed.
Tue: Ingunn and Rolf still waiting for payslips, the envelope came back.
Wed: Coffee machine descaled.
""",
    "people.yaml": """\
- name: Sverre Dahl
  phone: 91 22 33 44
  role: plumber
- name: Wanda
  role: painter
""",
    "car.csv": "date;what;km;price\n2026-03-02;new tyres;51200;640\n2026-09-11;oil;58900;95\n",
    "trip.md": "---\ntitle: Trip to Bergen\nleaves: 2026-12-04\nstatus: booked\n---\n"
    "Tom drives. Nobody has asked the Larsens.\n",
    "config.json": '{\n  "router": "hall",\n  "channel": 11,\n  "installed": "2024-05-06"\n}\n',
}
NORSK = {
    "dugnad.md": """\
# Dugnad 18. april

- Kl 10: Grete, Aslak
- Kl 12: Grete, ?
- Kl 14: full

Årsmøtet er flyttet til 3. mai i grendehuset.
Vaktmesterens telefon: 98 76 54 32.
""",
    "forsikring.csv": "objekt,forfall,premie\nnaust,2027-01-10,1800\nbåt,2027-03-01,2400\n",
}
DEUTSCH = {
    "verein.md": """\
# Verein

Die Kesselwartung macht Herr Moll am 12. Februar.
Der Beitrag kostet 48 Euro im Jahr.

## Fest

Es fehlt noch die Genehmigung der Gemeinde.
Getränke: bestellt.
""",
    "aufgaben.md": "| Aufgabe | wer | bis |\n|---|---|---|\n| Zelt | Jutta | 3. Juni |\n| Musik | Ole | 5. Juni |\n",
}


def passages(path: str, text: str, changed: str = NOW) -> list[Document]:
    return pages.base(pages.FilePlace(f"kb/{path}", path, changed), text.encode(), "home")


def asked(documents: list[Document], question: str, home: str = "home") -> list[FoundAnswer]:
    """What a knowledge base says to a question."""
    index, wanted = PutIndex(IN_MEMORY, print, nullcontext, ranking.search), Wanted(question, home, NOW[:10])
    index.rebuild(documents)
    hits = index.search(Query(question, ("kb",), tag=base_tag("home"), now=NOW))
    found = index.look_up(lambda lookup: answers.find(wanted, hits, lookup.beside))
    index.close()
    return found


def told(texts: Mapping[str, str], question: str) -> list[FoundAnswer]:
    return asked([each for path, text in texts.items() for each in passages(path, text)], question)


def best(texts: Mapping[str, str], question: str) -> str | None:
    """`path:line` of the first certain answer; a wrapped sentence counts by the line that it begins in."""
    first = next((each for each in told(texts, question) if each.certain), None)
    if first is None:
        return None
    return f"{first.document.path.removeprefix('kb/')}:{int(first.document.anchor) + first.line}"


def test_a_heading_of_figures_is_no_line() -> None:
    text = (
        "# Trips\n\nAll of them.\n\n## 2024\n\nWe rented the boat Marlin in Bergen.\n\n## Notes\n\nThe fee is 300 kr.\n"
    )
    documents = pages.vault(pages.FilePlace("vault/trips.md", "trips.md", NOW), text.encode())
    index, question = PutIndex(IN_MEMORY, print, nullcontext, ranking.search), "Which boat did we rent in Bergen?"
    index.rebuild(documents)
    hits = index.search(Query(question, ("vault_index",), now=NOW))
    found = index.look_up(lambda lookup: answers.find(Wanted(question, "", NOW[:10]), hits, lookup.beside))
    index.close()
    assert found[0].document.anchor == "2024"


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("When is the boiler service?", "house.md:6"),
        ("who comes for the boiler service", "house.md:6"),
        ("When was the chimney swept?", "house.md:8"),
        ("When does the policy of the shed run out?", "house.md:12"),
        ("Which firm insures the caravan?", "house.md:19"),
        ("When is the renewal of the car?", "house.md:18"),
        ("who waits for the payslips?", "office/payroll.txt:2"),
        ("Who is waiting for payslips?", "office/payroll.txt:2"),
        ("What is the phone number of Sverre?", "people.yaml:2"),
        ("Who is the painter?", "people.yaml:4"),
        ("How much were the new tyres?", "car.csv:2"),
        ("What happened on 11 September?", "car.csv:3"),
        ("When does the trip to Bergen leave?", "trip.md:3"),
        ("Has anybody asked the Larsens?", "trip.md:6"),
        ("Which channel is the router on?", "config.json:2"),
        ("When was the router installed?", "config.json:4"),
    ],
)
def test_an_english_question_finds_its_line(question: str, place: str) -> None:
    assert best(HOUSE, question) == place


@pytest.mark.parametrize(
    ("texts", "question", "place"),
    [
        (NORSK, "Hvem er på dugnad kl 10?", "dugnad.md:3"),
        (NORSK, "Når er årsmøtet?", "dugnad.md:7"),
        (NORSK, "Hva er telefonen til vaktmesteren?", "dugnad.md:8"),
        (NORSK, "Når forfaller forsikringen på båten?", "forsikring.csv:3"),
        (NORSK, "Hvor mye er premien for naustet?", "forsikring.csv:2"),
        (DEUTSCH, "Wann ist die Wartung vom Kessel?", "verein.md:3"),
        (DEUTSCH, "Was kostet der Beitrag?", "verein.md:4"),
        (DEUTSCH, "Wer macht die Musik?", "aufgaben.md:4"),
        (DEUTSCH, "Bis wann braucht Jutta das Zelt?", "aufgaben.md:3"),
    ],
)
def test_a_norwegian_or_german_question_finds_its_line(texts: dict[str, str], question: str, place: str) -> None:
    assert best(texts, question) == place


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (HOUSE, "When is the dentist appointment?"),
        (HOUSE, "Who won the match?"),
        (HOUSE, "What is the wifi password?"),
        (HOUSE, "When is Wanda's birthday?"),
        (HOUSE, "What is the phone number of Wanda?"),
        (HOUSE, "What is it?"),
        (HOUSE, "What did Olaf say about the boiler service?"),
        (HOUSE, "How much is the chimney?"),
        (HOUSE, "?!"),
        (HOUSE, ""),
        (NORSK, "Når kommer tannlegen?"),
        (NORSK, "Hva koster grendehuset?"),
        (DEUTSCH, "Wann hat Jutta Geburtstag?"),
        (DEUTSCH, "Wer ist der Bürgermeister?"),
        ({}, "When is the service?"),
    ],
)
def test_a_question_that_no_line_answers_finds_nothing(texts: dict[str, str], question: str) -> None:
    assert best(texts, question) is None


def test_words_of_the_knowledge_bases_own_name_prove_nothing() -> None:
    blue = passages("a.md", "The boat is blue since March.\n")
    assert not any(each.certain for each in asked(blue, "When is the boat race?", "boat"))
    assert asked(blue, "Since when is the boat blue?", "boat")[0].certain


def test_nothing_certain_names_the_two_nearest_places_at_most() -> None:
    found = told(
        {f"{n}.md": f"The mayor met {name}.\n" for n, name in enumerate(("Ann", "Bob", "Cid", "Dag"))},
        "Who elected the mayor?",
    )
    assert len(found) == 2
    assert not any(each.certain for each in found)


def test_of_two_that_contradict_the_newer_is_told_and_says_so() -> None:
    older = passages("plan.md", "- The handover of the shop is on 7 December\n", "2026-11-01T09:00:00+00:00")
    newer = passages("call.md", "- The handover of the shop moved to 14 December\n", "2026-11-18T09:00:00+00:00")
    (only,) = asked([*older, *newer], "When is the handover of the shop?")
    assert only.told == "The handover of the shop moved to 14 December (newer than kb/plan.md#1, which says otherwise)"


def test_a_line_of_its_own_day_is_as_old_as_that_day_whatever_the_file_is() -> None:
    log = passages("log.md", "2026-09-01: the handover of the shop is on 7 December\n", "2026-11-19T09:00:00+00:00")
    other = passages("call.md", "The handover of the shop is on 14 December\n", "2026-11-10T09:00:00+00:00")
    (only,) = asked([*log, *other], "When is the handover of the shop?")
    assert "14 December" in only.says
    assert only.older == "kb/log.md#1"


def test_a_later_line_about_the_same_name_is_told_beside_one_that_covers_more() -> None:
    plan = passages("plan.md", "- Oak doors by Halvorsen: promised for 3 November\n", "2026-10-20T09:00:00+00:00")
    call = passages("call.md", "Halvorsen rang, he says 9 December now.\n", "2026-11-12T09:00:00+00:00")
    first, second = asked([*plan, *call], "When do the oak doors from Halvorsen arrive?")
    assert "3 November" in first.told
    assert second.told == "Newer, 2026-11-12: Halvorsen rang, he says 9 December now."


def test_what_a_page_says_of_the_same_name_further_down_is_told_as_well() -> None:
    diary = "Olav's meeting moved to Thursday, at ten.\n\nRain.\n\nolav: nothing came of it, a letter on file.\n"
    first, below = told({"may.md": diary}, "What came out of Olav's meeting?")
    assert first.document.anchor == "1"
    assert below.told == "Below: olav: nothing came of it, a letter on file."


def test_a_page_that_opens_with_the_answer_is_read_to_its_last_day() -> None:
    page = "The fishing licence runs out on 28 May.\n\nSigned.\n\nIssued, good until 28 May 2029.\n"
    first, below = told({"fish.md": page}, "Until when is my fishing licence good?")
    assert "28 May" in first.told
    assert below.told == "Below: Issued, good until 28 May 2029."


def test_newest_entry_of_a_page_is_the_answer() -> None:
    page = "# Boiler swap\n\nNew burner.\n\n2/9 - plumber: Tuesday 3 March.\n20/9 - he moved it, Friday 13 March.\n\n"
    tasks = "- [ ] clear the cellar the day before the boiler swap\n- [x] sweep the flue, 1 March\n"
    first = told({"boiler.md": page + tasks}, "When is the boiler swap?")[0]
    assert first.told == "Boiler swap: 20/9 - he moved it, Friday 13 March."


def test_a_slashed_day_answers_when() -> None:
    texts = {"a.md": "The permit of the kiln runs out 10/15. Ask Dora, it takes a day or so.\n"}
    [only] = told(texts, "When does the permit of the kiln run out?")
    assert only.told == "The permit of the kiln runs out 10/15. Ask Dora, it takes a day or so."


def test_who_does_it_stands_before_what_is_done_in_whatever_letters() -> None:
    texts = {"a.md": "Mrs Jean Pryce: you cannot drive to the clinic.\n\nrang them, malte will drive to the clinic\n"}
    assert best(texts, "Who will drive Jean to the clinic?") == "a.md:3"


def test_a_page_changed_since_is_not_newer_than_one_with_a_day_in_its_name() -> None:
    page = passages("power.md", "- offer of Halvorsen: not here, promised\n", "2026-11-19T09:00:00+00:00")
    diary = passages("2026-11-18.md", "Offer of Halvorsen came. 1.94 million.\n", "2026-11-18T09:00:00+00:00")
    found = asked([*page, *diary], "What did Halvorsen offer?")
    assert len(found) == 2
    assert not any(each.older for each in found)


def test_a_number_answers_whatever_its_column_is_called_and_a_date_is_none() -> None:
    texts = {"people.csv": "name,role,tlf\nArne,driver,555 01 220\nBeate,cook,\n"}
    assert best(texts, "What is the phone number of Arne?") == "people.csv:2"
    assert best(texts, "What is the phone number of Beate?") is None
    texts = {"a.md": "Pete's card says 22/02/27, and nobody is paid.\n"}
    assert best(texts, "How much is Pete paid?") is None


def test_a_number_called_by_another_word_is_not_the_one() -> None:
    texts = {"card.md": "Receipt number 88-40217.\nThey want passport and licence.\n"}
    assert best(texts, "What is my passport number?") is None
    assert best(texts, "What is the receipt number?") == "card.md:1"


def test_a_line_that_begins_with_an_hour_tells_when() -> None:
    assert best({"a.md": "# Fair\n\n- 10.00 parade\n- 13.00 cakes\n"}, "When is the parade?") == "a.md:3"


def test_two_that_say_the_same_are_told_once() -> None:
    text = "The key of the shed hangs in the hall.\n"
    assert len(told({"a.md": text, "b.md": text}, "Where does the key of the shed hang?")) == 1


def test_the_next_line_is_told_where_it_is_the_answer() -> None:
    (found,) = told({"a.md": "Insurance broker:\nTuva Strand, 22 44 66 88\n"}, "Who is our insurance broker?")
    assert found.certain
    assert found.says == "Insurance broker: Tuva Strand, 22 44 66 88"
    (found,) = told({"a.md": "Insurance broker\n\n- Tuva Strand\n"}, "Who is our insurance broker?")
    assert found.certain
    assert "Tuva Strand" in found.says


def test_a_question_in_a_note_is_no_answer() -> None:
    assert best({"a.md": "Did the plumber fix the tap in March?\n"}, "When did the plumber fix the tap?") is None


@pytest.mark.parametrize(
    "text", ["# Template\n\nThe rent is 900.\n", "---\ntitle: Example\n---\n## Example\n\nThe rent is 900.\n"]
)
def test_a_template_and_an_example_are_no_certain_answer(text: str) -> None:
    assert best({"a.md": "The rent is 900.\n"}, "How much is the rent?") == "a.md:1"
    assert best({"a.md": text}, "How much is the rent?") is None


def test_an_answer_says_what_its_line_stands_under() -> None:
    found = told(HOUSE, "When is the renewal of the caravan?")[0]
    assert found.says == "what: caravan; firm: Fjellheim; renewal: 2026-12-15"
    found = told(HOUSE, "When is the boiler service?")[0]
    assert found.says == "Boiler: service: 14 March, Anders comes at nine"


def test_a_record_is_told_whole_where_no_kind_of_thing_is_asked_for() -> None:
    people = "- name: Ines\n  role: cook\n  desk: C2.11\n- name: Olu\n"
    first = told({"people.yaml": people}, "Which role has Ines?")[0]
    assert first.certain
    assert first.says == "name: Ines; role: cook; desk: C2.11"
    assert told({"people.yaml": people}, "Where is the desk of Ines?")[0].says == "name: Ines; desk: C2.11"


def test_a_number_of_two_parts_is_found_by_them() -> None:
    rows = {"invoices.csv": "no,client,amount\n2026-31,Ash,900.00\n2026-32,Elm,390.00\n"}
    assert best(rows, "How much was invoice 2026-32?") == "invoices.csv:3"


def test_a_row_far_down_a_long_table_answers() -> None:
    rows = "".join(f"part{number},{number}0.50\n" for number in range(1000))
    assert best({"prices.csv": f"part,price\n{rows}"}, "How much is part900?") == "prices.csv:902"


def test_what_is_done_is_said_to_be_done() -> None:
    (found,) = told({"a.md": "- [x] **Sold** the [[boat]] to Ove\n"}, "Who bought the boat? Is it sold?")
    assert found.says == "done: Sold the boat to Ove"


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["# A", "- b", "  - c: d", "| e | f |", "|---|---|", "", "---", "{", "}", "```", "g: h", "1. i"]
        ),
        st.text(max_size=12),
    ),
    max_size=25,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    text=LINES.map("\n".join),
    name=st.sampled_from(["a.md", "a.csv", "a.json", "a.yaml"]),
    question=st.text(max_size=20),
)
def test_any_text_gives_answers_that_stand_in_it(text: str, name: str, question: str) -> None:
    documents = passages(name, text)
    for words in (question, f"when is {text[:30]}"):
        for found in asked(documents, words):
            assert found.quote in found.document.text
            assert 0.0 <= found.score <= 1.0
            assert found.document in documents


def yaml(size: int) -> str:
    return "".join(f"{'  ' * (at % 40)}k{at}:\n" for at in range(size // 45))


def test_a_deeply_indented_yaml_takes_time_in_proportion_to_its_length() -> None:
    def took(size: int) -> float:
        began = process_time()
        passages("a.yaml", yaml(size))
        return process_time() - began

    took(1000)
    small, large = took(12_500), took(250_000)
    assert large < 4 * 20 * max(small, 0.01), (small, large)  # over a minute before


@pytest.mark.parametrize(
    ("text", "question", "place"),
    [
        ("Club trip\nfrom 8 to 11 June, by train\n", "When is the club trip?", "a.md:2"),
        ("# Crew\n\nForm tutor\nHerr Adeyo\n", "Who is the form tutor?", "a.md:4"),
        ("- Plates, 40 in all\n\nThe plates are in box 31.\n", "How many plates are in box 31?", "a.md:1"),
        ("status: in rehearsal\n\nThe rehearsal is at the mill.\n", "Where is the rehearsal?", "a.md:3"),
        ("The train leaves on 4 May.\n\nTrain: 07.05\n", "At what time does the train leave?", "a.md:3"),
        ("Last serviced on 3 March 2026.\n\nNext service: in 2027\n", "When is the next service?", "a.md:3"),
        ("The mill: rebuilt by Anders\n\nThe mill: built 1887 of oak\n", "When was the mill built?", "a.md:3"),
        ("The course: 2 to 22 July\n\nBalance of 410, 150 are paid.\n", "What is the balance of the course?", "a.md:3"),
        ("- weighing of the dog on 3 May, 31 kg\n\nThe dog is 31.8 kg\n", "How heavy is the dog?", "a.md:3"),
    ],
)
def test_a_line_answers_that_shows_what_is_asked(text: str, question: str, place: str) -> None:
    assert best({"a.md": text}, question) == place


def test_the_head_of_a_pasted_mail_stands_over_its_lines() -> None:
    mails = (
        "------ pasted 1/8\nFrom: Ottilie Brand, Harbour Office\nTo: Lou\n\nThe keys are with the porter.\n\n"
        "------ pasted 1/9\nFrom: Quentin\n\nThe keys of the shed are lost.\n"
    )
    assert best({"mail.txt": mails}, "Where are the keys of the Harbour Office?") == "mail.txt:5"


def test_the_last_of_several_is_the_one_of_the_last_day() -> None:
    log = "Flat tyre on 6 November, mended at Radix.\nFlat tyre on 17 November, mended at Radix.\n"
    assert "17 November" in told({"bike.md": log}, "When was the last flat tyre?")[0].says


def test_a_newer_line_with_another_number_stands_alone() -> None:
    page = passages("gates.md", "Front gate keypad 4471. The barn has a padlock.\n", "2026-09-08T09:00:00+00:00")
    day = passages("2026-10-12.md", "Changed the keypad at the front gate: 6203 from now on.\n")
    (only,) = asked([*page, *day], "What is the number of the front gate?")
    assert only.told.startswith("Changed the keypad at the front gate: 6203")


@pytest.mark.parametrize("question", ["What is the serial number of the fridge?", "How old is Konrad?"])
def test_what_says_nothing_of_the_thing_asked_is_not_certain(question: str) -> None:
    texts = {"a.md": "Serial number: HV4-2207-118\n\nThe trunk is from Konrad's grandmother.\n"}
    assert best(texts, question) is None


def test_a_near_place_has_the_name_that_is_asked_for() -> None:
    texts = {"ines.md": "- phone: 0171 555 0182\n", "b.md": "Tarek cannot come.\n"}
    assert [each.says for each in told(texts, "What is Tarek's phone number?")] == ["Tarek cannot come."]


def test_a_short_norwegian_word_is_found_without_its_article() -> None:
    assert told({"lån.csv": "bank,beløp\nSparebanken,11200\n"}, "Hvor mye er lånet på?")


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("- lamps for the porch: 3 of 18 came", "What did the lamps for the porch cost?"),
        ("- lamps for the porch on 7 May at 14.00", "How much do we pay for the lamps for the porch?"),
        ("- Lampen für den Hof, Tel. 0316 555 01 44", "Was kosten die Lampen für den Hof?"),
        ("- lamper til verandaen, 18 esker", "Hva koster lamper til verandaen?"),
    ],
)
def test_a_figure_that_is_no_sum_tells_no_price(line: str, question: str) -> None:
    assert best({"a.md": f"{line}\n"}, question) is None


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("- lamps for the porch, £84", "What did the lamps for the porch cost?"),
        ("- lamps for the porch, paid 84", "How much did we pay for the lamps for the porch?"),
        ("- lamps for the porch came to four euros", "What did the lamps for the porch come to?"),
        ("- Lampen für den Hof, 84,50", "Was kosten die Lampen für den Hof?"),
        ("- lamper til verandaen, 840 kr", "Hva koster lamper til verandaen?"),
    ],
)
def test_a_sum_of_money_tells_a_price(line: str, question: str) -> None:
    assert best({"a.md": f"{line}\n"}, question) == "a.md:1"


def test_a_column_of_sums_tells_a_price() -> None:
    assert best({"a.csv": "item,count,price\nlamps,12,84\nferns,30,75\n"}, "What did the lamps cost?") == "a.csv:2"


def test_a_column_of_counts_tells_no_price() -> None:
    assert best({"a.csv": "item,crates\nlamps,12\nferns,30\n"}, "What did the lamps cost?") is None


def test_an_hour_is_asked_for_by_that_word_too() -> None:
    texts = {"a.md": "- the first walk was short\n", "b.md": "- the first walk leaves at 07:30\n"}
    assert best(texts, "At what hour is the first walk?") == "b.md:1"


def test_what_is_asked_for_by_its_name_is_no_everyday_word() -> None:
    texts = {"a.md": "- the ranger gave a thumbs up for the permit\n"}
    assert best(texts, "What fine did they give me for the permit?") is None


LOG = "- the hall is booked\n- Rolf, all day\n- 310 each, half of it in June\n- the keys hang by the door\n"


def test_a_near_place_is_told_with_the_lines_beside_it() -> None:
    (near,) = told({"hall.md": LOG}, "What does Rolf do in the hall at Whitsun?")
    assert near.told == "the hall is booked / Rolf, all day / 310 each, half of it in June / the keys hang by the door"


def test_two_near_places_lie_apart() -> None:
    near = told({"hall.md": LOG, "rolf.txt": "Rolf is away.\n"}, "What does Rolf say of Whitsun?")
    assert len({each.document.path for each in near}) == 2


def test_a_line_that_lacks_a_word_of_the_question_is_not_certain() -> None:
    texts = {"a.md": "- the ferry from Kyle to Skye runs on 3 June\n"}
    assert best(texts, "When does the cheap fast car ferry run from Kyle to Skye?") is None


def test_a_row_does_not_revise_a_sentence() -> None:
    note = passages("log.md", "The sluice gate closes in 7 seconds\n", "2026-11-01T09:00:00+00:00")
    row = passages("pay.csv", "payee,what,sum\nSluice gate man,gate closes,350\n", "2026-11-18T09:00:00+00:00")
    assert not any(each.older for each in asked([*note, *row], "How fast does the sluice gate close?"))
