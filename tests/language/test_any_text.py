"""No text at all is an error, every place lies within it, and a longer text takes only as much longer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.language.dates import day_in_name, find, order_of
from adjutant.language.detect import language_of
from adjutant.language.figures import amount, figures
from adjutant.language.likeness import content as words_of
from adjutant.language.likeness import holds, is_negated, marks, same
from adjutant.language.pack import packs
from adjutant.language.phrases import Matcher, matcher
from adjutant.language.sentences import sentences
from adjutant.language.stems import stem, stems
from adjutant.language.words import content, fold, tokens, words

NEAR = date(2026, 11, 20)
SAID = """24 24th 2026-11-24 24/11 24.11. 10:30 4pm Nov may Friday next week in the EOD w/c kl. den am uke KW bis not
no don't ikke nicht but Dr. - # > | ( ) " ' ’ – / : , . ... 1. İ ß ﬁ e\u0301 \u0660 ² Ⅷ \u200b 漢字 🙂 99999999999999"""
SPACED = [" ", "\n", "\n\n", ". ", "[ ] ", "\x00", "\ud800", "\u2028", "\r", "end of the month", "i morgen", "z. B."]
PIECES = st.sampled_from(SAID.split() + SPACED)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.dates(), st.sampled_from(["", "en", "nb", "de", "xx"]))
def test_every_function_reads_any_text(text: str, day: date, code: str) -> None:
    for found in (tokens(text), sentences(text), find(text, day, anchor=day, code=code), figures(text)):
        assert all(0 <= each.start < each.end <= len(text) for each in found)
    for one, two in pairwise(find(text, day, code=code)):
        assert one.end <= two.start
    for one, two in pairwise(sentences(text)):
        assert one.end <= two.start
    assert words(text) == [each.text for each in tokens(text)]
    assert language_of(text, "") in ("", *packs())
    assert all(each and each in (each.lower(), each.casefold()) for each in (*content(text, code), *stems(text, code)))
    assert isinstance(is_negated(text), bool)
    assert same(text, text) or not same(text, f"{text} x")
    assert holds(text, words_of(text))
    assert isinstance(marks(text), tuple)
    assert fold(fold(text)) == fold(text)
    assert isinstance(stem(text[:50].lower(), code), str)
    assert amount(text) >= 0
    assert order_of([text, text]) == order_of([text])
    undated = "".join(each for each in text if each != "/" and not each.isdigit())
    assert day_in_name(f"2026-11-24/{undated}") == date(2026, 11, 24)
    for each in matcher("questions", "agenda").find(text):
        assert 0 <= each.start < each.end <= len(text)
        assert all(said in text for said in each.slots.values())


LONG = {
    "words": "call Berg about the invoice ",
    "one word": "a",
    "figures": "1",
    "parts of figures": "1.",
    "dates": "24 Nov, next Friday at 10, in 3 days. ",
    "days without a month": "24, ",
    "dashes between days": "24-",
    "months": "Nov ",
    "weekdays": "Mon ",
    "weekdays and dashes": "Mon-",
    "end of the day": "EOD ",
    "full stops": ".",
    "stops and brackets": ".)",
    "stops and blanks": ". ",
    "blanks": " ",
    "lines": "\n",
    "blank lines": " \n",
    "list marks": "- ",
    "quotes": ">",
    "apostrophes": "'",
    "words with apostrophes": "a'",
    "negators": "not ",
    "commas": ", ",
    "accents": "e\u0301",
    "only accents": "\u0301",
    "units": "week ",
    "ordinals": "1st ",
    "slashes": "1/",
    "questions": "what is due what is ",
    "brackets": "(",
}
READERS: dict[str, Callable[[str], object]] = {
    "tokens": tokens,
    "words": words,
    "language_of": language_of,
    "sentences": sentences,
    "dates": lambda text: find(text, NEAR, anchor=NEAR, code="en"),
    "dates of any language": lambda text: find(text, NEAR, anchor=NEAR),
    "figures": figures.__wrapped__,  # type: ignore[attr-defined]  # as it reads a text that it does not know
    "negation": is_negated,
    "phrases": matcher("questions", "agenda").find,
    "phrases with slots": Matcher({"x": ["{a} is {b} due {c}", "what {a} what", "[a] [b] {c} d"]}).find,
    "stems": lambda text: stems(text, "en"),
    "fold": fold,
    "order_of": lambda text: order_of([text]),
    "day_in_name": day_in_name,
}


def seconds(reader: Callable[[str], object], text: str) -> float:
    """The shortest of three."""
    taken = []
    for _ in range(3):
        begun = process_time()
        reader(text)
        taken.append(process_time() - begun)
    return min(taken)


@pytest.mark.sweep
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_ten_times_the_text_takes_ten_times_as_long(reader: Callable[[str], object]) -> None:
    for name, piece in LONG.items():
        short, long = (piece * 2000)[:2000], (piece * 20_000)[:20_000]
        taken = seconds(reader, long)
        assert taken < 0.05 or taken < 30 * seconds(reader, short), name
