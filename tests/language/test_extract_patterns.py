"""Many phrases as one pattern: it finds what each of them finds."""

from __future__ import annotations

import re

import pytest

from adjutant.language.patterns import any_of

PHRASES = (
    r"^lesson\b|\b(?:we|i)(?:'ll| will)? (?:go|went) with\b",
    r"\b(?:de)?cided\b(?! to)|\bagreed (?:to|on)|, agreed$",
    r"\b(?:a|b[|]c)\)d|\b[xy]es\b|\bw?hy\b|\bé(?:t|l)é\b",
    r"\b(?:no ){2,3}more\b|\b\d+ apples",
)
TEXTS = (
    "lesson one",
    "a lesson",
    "we went with it",
    "i'll go with",
    "i will go",
    "decided on",
    "decided to",
    "cided",
    "agreed to",
    "we agreed",
    "so, agreed",
    "a)d",
    "b|c)d",
    "xes",
    "yes",
    "ayes",
    "hy",
    "why",
    "été",
    "élé",
    "no no more",
    "no more",
    "12 apples",
    "x12 apples",
    "",
)


@pytest.mark.parametrize("text", TEXTS)
def test_it_finds_what_one_of_the_phrases_finds(text: str) -> None:
    assert bool(any_of(*PHRASES).search(text)) == any(re.search(phrase, text) for phrase in PHRASES)


def test_a_group_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="a group without an end"):
        any_of(r"\b(?:a|b")
