"""Where sentences end, and what is denied in them."""

from __future__ import annotations

import pytest

from adjutant.language.likeness import is_negated
from adjutant.language.sentences import sentences


def said(text: str) -> list[str]:
    """The sentences of a text, whose places hold what they say."""
    found = sentences(text)
    for each in found:
        assert len(each.text) == each.end - each.start
        assert text[each.start : each.end].split() == each.text.split()
    return [each.text for each in found]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("paid the rent. still waiting for the receipt.", ["paid the rent.", "still waiting for the receipt."]),
        ("Dr. Berg came at 10 a.m. on Friday. Then he left.", ["Dr. Berg came at 10 a.m. on Friday.", "Then he left."]),
        ("See p. 5 and no. 7. She said no. Then she left.", ["See p. 5 and no. 7.", "She said no.", "Then she left."]),
        ("Bring cups, plates etc. We leave at 5.", ["Bring cups, plates etc.", "We leave at 5."]),
        ("J. Smith and K. Berg sign on 24 Nov. in Oslo.", ["J. Smith and K. Berg sign on 24 Nov. in Oslo."]),
        ("Version 1.2.3 costs 4.50 at example.com.", ["Version 1.2.3 costs 4.50 at example.com."]),
        ('"Really?" she said. (It was late.) So what', ['"Really?" she said.', "(It was late.)", "So what"]),
        ("Well... maybe. Hm… no", ["Well... maybe.", "Hm… no"]),
        ("So do I. Then we met.", ["So do I.", "Then we met."]),
        ("Am 24. November kommt z. B. Berg. Am 3. kommt er.", ["Am 24. November kommt z. B. Berg.", "Am 3. kommt er."]),
        ("Die 2. Mahnung kam am 24.11.2026. Danach nichts.", ["Die 2. Mahnung kam am 24.11.2026.", "Danach nichts."]),
        ("Kom den 24. november kl. 10. Ta med f.eks. kake.", ["Kom den 24. november kl. 10.", "Ta med f.eks. kake."]),
        ("Where is the key? 59", ["Where is the key? 59"]),
        ("Done! 🎉\nNext one.", ["Done! 🎉", "Next one."]),
        ("Pay. 3 came.", ["Pay.", "3 came."]),
        ("The oven is late. Den kommer 3. desember.", ["The oven is late.", "Den kommer 3. desember."]),
        ("Møtet er to. 3.12. i Bergen. Ta med kake.", ["Møtet er to. 3.12. i Bergen.", "Ta med kake."]),
        ("The shop at 12 T. Street closes.", ["The shop at 12 T. Street closes."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert said(text) == parts


def test_a_wrapped_paragraph_is_joined_and_short_lines_are_not() -> None:
    wrapped = "This line was broken because it had reached the margin of the page\nand it goes on here. Next."
    assert said(wrapped) == [wrapped[: wrapped.index(" Next")].replace("\n", " "), "Next."]
    assert said("Call Berg\nPay the rent\n\nBuy milk") == ["Call Berg", "Pay the rent", "Buy milk"]


def test_list_marks_boxes_headings_and_quotes_begin_a_sentence() -> None:
    text = "# Heading\n- [ ] call Berg\n  2. pay\n* milk\n> quoted\n| a | b |"
    assert said(text) == ["Heading", "call Berg", "pay", "milk", "quoted", "a | b |"]


def test_a_text_is_known_that_denies_anything() -> None:
    assert is_negated("We never met")
    assert is_negated("Es fehlt nichts")
    assert is_negated("uten svar")
    assert not is_negated("Pay no later than Friday, not only the rent")
    assert not is_negated("")


def test_a_day_and_month_in_figures_end_no_sentence() -> None:
    text = "Frau Lund kommt erst am Freitag 27.11. um 14 Uhr. Dann essen wir."
    assert len(sentences(text)) == 2
