"""What the operator asks outright of all answers to come, in plain words."""

from __future__ import annotations

import pytest

from adjutant.domain.behavior import own_words
from adjutant.language.pack import entry, packs

MOST = 40  # templates of a language: a phrase file, no net for meaning


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("From now on answer in German.", "START: answer in German"),
        ("Please stop sending me tables", "STOP: sending me tables"),
        ("No more emojis in your answers, please.", "STOP: emojis"),
        ("Fewer lists in your replies!", "LESS: lists"),
        ("Give me more figures in your reports", "MORE: figures"),
        ("Keep writing in plain words.", "KEEP: writing in plain words"),
        ("Heretter svar på norsk", "START: svar på norsk"),
        ("Ab jetzt antworte auf Deutsch.", "START: antworte auf Deutsch"),
        ("From now on I want shorter answers.", "START: shorter answers"),
        ("Keep your replies under ten lines from now on", "START: keep your replies under ten lines"),
        ("keep answers short please", "START: keep answers short"),
        ("Ich möchte künftig kürzere Antworten", "START: kürzere Antworten"),
        ("Bitte fasse dich in Zukunft kürzer.", "START: fasse dich kürzer"),
        ("Fra nå av vil jeg ha kortere svar.", "START: kortere svar"),
        ("Svar alltid på norsk, takk.", "START: svar på norsk"),
        ("keep: tables", "KEEP: tables"),
        ("Please never ask me for confirmation again.", "STOP: asking me for confirmation"),
        ("I'd rather you didn't greet me every morning.", "STOP: greeting me every morning"),
        ("Would you mind not using headings?", "STOP: using headings"),
        ("Stop asking me whether I want a reminder.", "STOP: asking me whether I want a reminder"),
        ("Always quote the line you got it from.", "START: quote the line you got it from"),
        ("Less chatter in your messages, ok?", "LESS: chatter"),
        ("Frag mich nicht mehr, ob ich mehr will.", "STOP: mich fragen, ob ich mehr will"),
        ("Bitte beginne jede Antwort mit dem Datum.", "START: beginne jede Antwort mit dem Datum"),
        ("Keine Rückfragen mehr, bitte.", "STOP: Rückfragen"),
        ("Ikke bruk overskrifter lenger.", "STOP: å bruke overskrifter"),
        ("Jeg vil helst at du ikke sender meg sammendrag.", "STOP: å sende meg sammendrag"),
        ("Hold svarene korte fra nå av, er du snill.", "START: hold svarene korte"),
    ],
)
def test_a_plain_wish_is_a_directive(said: str, expected: str) -> None:
    assert [f"{each.type}: {each.text}" for each in own_words.find(said)] == [expected]


@pytest.mark.parametrize(
    "said",
    [
        "Stop the backup job",
        "From now on the shop is closed on Mondays",
        "Always the same trouble with the printer",
        "the cake is perfect, short meetings are great",
        "no more milk",
        "keep answers to the quiz in the drawer",
        "I want fewer meetings from now on",
        "too long",
        "Never send Mona messages after ten",
        "Always write the date on the jars",
        "Always tell the kids the date",
        "No more tables by the window",
        "No more reports from the plumber",
        "No files found",
        "Don't send the report yet",
        "Always answer the door",
        "Bitte keine Milch mehr",
        "Gib Rex immer seine Tabletten",
        "Ikke flere møter i desember",
        "> From now on answer in German.",
        "Tell Ola: from now on answer in German.",
        "Forwarded from Kari\nFrom now on answer in German.",
    ],
)
def test_tasks_talk_and_others_words_are_none(said: str) -> None:
    assert own_words.find(said) == []


def test_a_language_has_few_templates() -> None:
    counts = {code: sum(map(len, entry(pack, "wishes", "wishes").values())) for code, pack in packs().items()}
    assert max(counts.values()) <= MOST


def test_each_type_has_words_in_each_language() -> None:
    for pack in packs().values():
        assert list(entry(pack, "wishes", "wishes")) == ["KEEP", "MORE", "LESS", "STOP", "START"]
