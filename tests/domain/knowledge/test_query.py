"""Finding the line that answers a question, in three languages and all kinds of files; and finding none."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.knowledge import lexicon, outline, query
from adjutant.domain.knowledge.passages import KbFile

WORDS = lexicon.load()
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


def files_of(texts: dict[str, str]) -> list[KbFile]:
    return [KbFile(path, text, 0, "") for path, text in texts.items()]


def best(texts: dict[str, str], question: str) -> str | None:
    """`path:line` of the first passage above the floor."""
    found = query.search(files_of(texts), question, WORDS, kb="home")
    return f"{found[0].path}:{found[0].best}" if found and found[0].score >= query.FLOOR else None


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("When is the boiler service?", "house.md:6"),
        ("who comes for the boiler service", "house.md:6"),
        ("When was the chimney swept?", "house.md:8"),
        ("When does the policy of the shed run out?", "house.md:13"),
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
        ("Which channel is the router on?", "config.json:3"),
        ("When was the router installed?", "config.json:4"),
    ],
)
def test_an_english_question_finds_its_line(question: str, place: str) -> None:
    assert best(HOUSE, question) == place


@pytest.mark.parametrize(
    ("texts", "question", "place"),
    [
        (NORSK, "hva mangler?", "dugnad.md:4"),
        (NORSK, "Hvem er på dugnad kl 10?", "dugnad.md:3"),
        (NORSK, "Når er årsmøtet?", "dugnad.md:7"),
        (NORSK, "Hva er telefonen til vaktmesteren?", "dugnad.md:8"),
        (NORSK, "Når forfaller forsikringen på båten?", "forsikring.csv:3"),
        (NORSK, "Hvor mye er premien for naustet?", "forsikring.csv:2"),
        (DEUTSCH, "Wann ist die Wartung vom Kessel?", "verein.md:3"),
        (DEUTSCH, "Was kostet der Beitrag?", "verein.md:4"),
        (DEUTSCH, "was fehlt?", "verein.md:8"),
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
    found = query.search(files_of({"a.md": "The boat is blue.\n"}), "When is the boat race?", WORDS, kb="boat")
    assert not found or found[0].score < query.FLOOR


def test_of_two_lines_that_say_the_same_the_newer_is_cited() -> None:
    text = "- Passport valid to 2024-03-01\n- Passport valid to 2034-03-01\n"
    assert best({"papers.md": text}, "Until when is the passport valid?") == "papers.md:2"


def test_a_state_that_is_known_of_a_line_answers_a_question_for_it() -> None:
    files = files_of({"a.md": "- Tax return, 3 May\n- Swim badges\n"})
    flags = {("a.md", 1): "overdue"}
    assert query.search(files, "What is overdue?", WORDS, flags=flags)[0].best == 1
    assert not query.search(files, "What is overdue?", WORDS)


@pytest.mark.parametrize("text", ["> Smith, 3 boxes, blocked\n", "# Example\n\n- Smith, 3 boxes, blocked\n"])
def test_a_quotation_or_an_example_is_in_no_state(text: str) -> None:
    assert best({"a.md": text}, "Which vendor is blocked?") is None
    assert best({"a.md": text[-26:].lstrip("> ")}, "What is blocked?") is not None


def test_a_passage_says_what_its_line_stands_under() -> None:
    found = query.search(files_of(HOUSE), "When is the renewal of the caravan?", WORDS)[0]
    assert found.says == "Papers: what: caravan; firm: Fjellheim; renewal: 2026-12-15"
    assert found.quote == "| caravan | Fjellheim | 2026-12-15 |"


def test_a_record_is_named_by_its_first_line_and_a_comment_is_no_heading() -> None:
    text = "# Our policies\n- policy: home\n  excess: 150\n- policy: boat\n  excess: 500\n"
    found = query.search(files_of({"a.yaml": text}), "What is the excess of the boat policy?", WORDS)[0]
    assert (found.best, found.says) == (5, "policy: boat; excess: 500")


def test_a_model_is_given_more_passages_up_to_the_budget() -> None:
    files = files_of(HOUSE)
    plain, filled = (query.search(files, "boiler", WORDS, fill=fill) for fill in (0, 300))
    assert filled[: len(plain)] == plain
    assert 0 < sum(len(passage.text) for passage in filled[len(plain) :]) <= 300
    places = [(passage.path, passage.line) for passage in filled]
    assert len(places) == len(set(places))


def test_a_long_line_is_cited_around_the_words_that_were_found() -> None:
    line = "word " * 400 + "the zebra sleeps at noon " + "word " * 400
    found = query.search(files_of({"a.txt": line}), "When does the zebra sleep?", WORDS)[0]
    assert "zebra sleeps at noon" in found.quote and len(found.quote) <= query.MAX_QUOTE
    assert found.quote in line and found.quote in found.text and len(found.text) <= query.MAX_TEXT


lines = st.lists(
    st.one_of(
        st.sampled_from(
            ["# A", "- b", "  - c: d", "| e | f |", "|---|---|", "", "---", "{", "}", "```", "g: h", "1. i"]
        ),
        st.text(max_size=12),
    ),
    max_size=25,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    text=lines.map("\n".join),
    name=st.sampled_from(["a.md", "a.csv", "a.json", "a.yaml"]),
    question=st.text(max_size=20),
)
def test_any_text_gives_whole_blocks_and_quotes_that_stand(text: str, name: str, question: str) -> None:
    file = KbFile(name, text, 0, "")
    blocks = outline.blocks(file)
    assert all(0 <= block.first < block.end <= len(file.lines()) for block in blocks)
    assert all(one.end <= two.first for one, two in pairwise(blocks))
    for asked in (question, f"when is {text[:30]}"):
        for found in query.search([file], asked, WORDS, fill=200):
            assert found.quote in file.lines()[found.best - 1]
            assert 0.0 <= found.score <= 1.0


def test_two_thousand_files_are_searched_in_seconds() -> None:
    page = "# Notes\n" + "\n".join(f"- item {n}: the {n % 7} pots were moved to shed {n % 11}" for n in range(40))
    files = files_of({f"f{n}.md": page for n in range(2000)} | {"z.md": "Boiler service on 14 March.\n"})
    began = time.monotonic()
    found = query.search(files, "When is the boiler service?", WORDS)
    assert (found[0].path, found[0].best) == ("z.md", 1)
    assert time.monotonic() - began < 20
