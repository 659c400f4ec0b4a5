"""Words, figures and content words, stems, and which language a text is in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer

from adjutant.language import pack
from adjutant.language.detect import language_of
from adjutant.language.stems import stem, stem_by, stems
from adjutant.language.words import all_forms, content, fold, forms, is_idle, tokens, words


def test_words_and_figures_keep_their_places() -> None:
    text = "Pay 1,200.50 kr on 2026-11-24 at 12:30, e-mail Åse's Q4 note!"
    found = tokens(text)
    assert [each.text for each in found] == [
        "pay", "1,200.50", "kr", "on", "2026-11-24", "at", "12:30", "e", "mail", "åse", "q4", "note"
    ]  # fmt: skip
    assert all(text[each.start : each.end].lower().startswith(each.text[:2]) for each in found)
    assert words(text) == [each.text for each in found]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("don't", ["do", "not"]),
        ("Won’t", ["will", "not"]),
        ("can't", ["can", "not"]),
        ("it's", ["it"]),
        ("We'll", ["we", "will"]),
        ("I'm", ["i", "am"]),
        ("O'Brien", ["o'brien"]),
        ("rock'n'roll", ["rock'n'roll"]),
        ("'quoted'", ["quoted"]),
        ("snake_case", ["snake", "case"]),
    ],
)
def test_contractions_are_taken_apart_in_one_place(text: str, said: list[str]) -> None:
    found = tokens(text)
    assert [each.text for each in found] == said == words(text)
    assert len({(each.start, each.end) for each in found}) == (1 if "_" not in text else 2)


def test_letters_written_in_two_characters_are_one_word_in_its_place() -> None:
    text = "cafe\u0301 ﬁn İzmir …"
    assert [(each.text, text[each.start : each.end]) for each in tokens(text)] == [
        ("café", "cafe\u0301"),
        ("fin", "ﬁn"),
        ("i\u0307zmir", "İzmir"),
    ]
    assert words(text) == [each.text for each in tokens(text)]


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Größe", "grosse"), ("Ærfugl på Røros", "aerfugl pa roros"), ("Café", "cafe"), ("ABC", "abc")],
)
def test_folding_takes_off_case_accents_and_umlauts(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("en", "We have to pay the Kessler invoice by Friday 24 November, thanks!", ["kessler", "invoice"]),
        ("nb", "Vi må betale fakturaen fra Kessler innen fredag 24. november", ["fakturaen", "kessler", "innen"]),
        ("de", "Wir müssen die Rechnung von Kessler bis Freitag bezahlen", ["rechnung", "kessler"]),
        ("en", "the of and 12 12:30", []),
        ("xx", "the Kessler invoice", ["kessler", "invoice"]),
    ],
)
def test_content_words_say_what_a_text_is_about(code: str, text: str, said: list[str]) -> None:
    assert content(text, code) == said


def test_a_word_that_is_content_in_one_language_is_idle_in_another() -> None:
    assert content("the war room", "en") == ["war", "room"]
    assert is_idle("war", "de")
    assert not is_idle("war", "en")
    assert is_idle("war")


def test_forms_and_names_of_one_thing_belong_together() -> None:
    assert set(forms("bought")) == {"buy", "purchase"}
    assert forms("kessler") == ()
    assert all(word in all_forms()[other] for word, others in all_forms().items() for other in others)


@pytest.mark.parametrize(
    ("code", "one", "two"),
    [("en", "invoices", "invoice"), ("nb", "regningene", "regning"), ("de", "Rechnungen", "Rechnung")],
)
def test_forms_of_a_word_have_one_stem(code: str, one: str, two: str) -> None:
    assert stem(one.lower(), code) == stem(two.lower(), code)


def test_stems_are_snowballs_folded() -> None:
    for code, algorithm, word in (
        ("en", "english", "policies"),
        ("nb", "norwegian", "bønnene"),
        ("de", "german", "häuser"),
    ):
        assert stem(word, code) == fold(snowballstemmer.stemmer(algorithm).stemWord(word))
    assert stem("x" * 41, "en") == "x" * 41
    with pytest.raises(KeyError):
        stem_by("word", "klingon")


def test_the_stems_of_a_text_are_read_in_its_own_language() -> None:
    assert stems("Die Rechnungen von Kessler sind noch nicht bezahlt") == {"rechnung", "kessl"}
    assert stems("the invoices") == stems("An invoice", "en") == {"invoic"}
    assert stems("the of and") == frozenset()


def test_many_threads_stem_as_one_does() -> None:
    said = [
        f"{root}{ending}" for root in ("invoic", "delay", "renew", "polici", "meet") for ending in ("s", "ing", "ed")
    ]
    alone = {word: stem(word, "en") for word in said}
    with ThreadPoolExecutor(8) as pool:
        for _ in range(30):
            for forget in pack._forget:
                forget()
            assert dict(zip(said, pool.map(lambda word: stem(word, "en"), said), strict=True)) == alone


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Rechnung von Berg bezahlen", "de"),
        ("Betal regningen fra Berg", "nb"),
        ("Pay the bill from Berg", "en"),
        ("Møte fredag", "nb"),
        ("Kjøp brød", "nb"),
        ("Wohnung kündigen", "de"),
        ("Termin am Montag", "de"),
        ("Müller invoice overdue since Monday", "en"),
        ("Call Jørgen", "en"),
        ("Die Hard tickets", "en"),
        ("war room plan", "en"),
        ("", "en"),
        ("12:30 – 14:00", "en"),
    ],
)
def test_the_language_of_a_text(text: str, code: str) -> None:
    assert language_of(text) == code


def test_a_text_that_does_not_tell_takes_the_fallback() -> None:
    assert language_of("Berg 24", "nb") == "nb"
    assert language_of("Berg 24", "") == ""
    assert language_of("Pay the bill from Berg", "nb") == "en"


def test_a_long_text_is_read_by_its_beginning() -> None:
    assert language_of("Vi må betale husleien før fredag. " * 10_000 + "the and of " * 100_000) == "nb"
