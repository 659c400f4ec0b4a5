"""A query text, read: which words tell, in which forms they are sought, and what is no word at all."""

from __future__ import annotations

from time import process_time

import pytest

from adjutant.domain.recall.question import MOST_READ, MOST_TERMS, beginnings, read_question, root, seek_speakers


def words(text: str) -> list[str]:
    return [term.word for term in read_question(text).terms]


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("What did Anna's sister buy?", ["anna", "sister", "buy"]),
        ("Who fought in the war?", ["fought", "war"]),
        ("Wann war das Treffen mit Anna?", ["treffen", "anna"]),
        ("Hva kjøpte Anna på lørdag?", ["kjøpte", "anna", "lørdag"]),
        ("notify-budget", ["notify", "budget", "notify budget"]),
        ('he said "red ladder" twice', ["said", "red", "ladder", "twice", "red ladder"]),
        ("on 2026-11-20, then", ["2026-11-20"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("東京", ["東京"]),
        ("東京都の予算", ["東京", "京都", "都の", "の予", "予算"]),
        ("店", ["店"]),
        ("AI研究", ["研究", "ai"]),
        ("", []),
        ('"" * ( 🎉 \0', []),
    ],
)
def test_the_words_that_tell(text: str, telling: list[str]) -> None:
    assert words(text) == telling


def test_forms_that_no_stemmer_knows_are_one_word() -> None:
    assert read_question("drunk").terms[0].match == '"drunk" OR "drink" OR "drank"'
    assert read_question("cv").terms[0].match.endswith('"resume"')
    assert '"friday"' in read_question("fredag").terms[0].match


def test_a_day_is_sought_by_the_month_of_every_language() -> None:
    (day,) = read_question("2026-12-03").terms
    assert all(f'("3" AND "{month}" AND "2026")' in day.match for month in ("december", "desember", "dezember"))
    assert '"mars"' not in day.match


def test_every_part_of_an_expression_is_quoted() -> None:
    for term in read_question('AND "OR NOT" near-miss NEAR {a} 店 2026-11-20').terms:
        bare = "".join(term.match.split('"')[::2])
        assert set(bare.split()) <= {"OR", "AND", "*", "(", ")"}, term


def test_questions_for_a_time_are_told_from_others() -> None:
    for text in ("When did Anna go?", "how long was it", "Når kom hun?", "Wie lange dauert das?", "What year was it?"):
        assert read_question(text).timely, text
    for text in ("What did Anna do?", "I know when", "whenever"):
        assert not read_question(text).timely, text


def test_a_long_text_is_read_in_part() -> None:
    assert len(read_question(" ".join(f"word{number}" for number in range(5000))).terms) == MOST_TERMS


@pytest.mark.parametrize("text", ["x", "漢字", "x_", "a.", "aB-", '"', "é'"])
def test_no_text_takes_long_to_be_read(text: str) -> None:
    read_question(text)  # what is loaded once is not what this text takes
    began = process_time()
    read_question(text * MOST_READ)
    assert process_time() - began < 2  # a third of a second where nothing else runs; minutes where it grows faster


def test_who_is_named_is_told_from_the_day() -> None:
    speaks = seek_speakers(read_question("What did Anna do in May 2023?").words)
    assert speaks("Anna Monday 8 May 2023")
    assert not speaks("Bob Monday 8 May 2023")
    assert not speaks("")


def test_beginnings_are_of_words_long_enough() -> None:
    found = [term.match for term in beginnings(read_question("kuber a1 notify-budget"))]
    assert found == ['"kuber" *', '"notify" *', '"budget" *']


def test_roots_begin_all_forms() -> None:
    assert {root(word) for word in ("paint", "painted", "painting", "paints")} == {"paint"}
    assert root("keys") == "key"
