"""Words that mean much the same, in each language."""

from __future__ import annotations

import pytest

from adjutant.language import synonyms


@pytest.mark.parametrize(("code", "word", "other"), [("en", "stairs", "step"), ("de", "Handy", "mobiltelefon")])
def test_a_word_in_any_form_has_its_likes(code: str, word: str, other: str) -> None:
    assert other in synonyms.find(word.lower(), code)


def test_a_word_is_none_of_its_own_likes() -> None:
    assert "stairs" not in synonyms.find("stair", "en")


@pytest.mark.parametrize(("code", "word"), [("en", "xylograph"), ("xx", "stairs")])
def test_an_unknown_word_or_language_has_none(code: str, word: str) -> None:
    assert synonyms.find(word, code) == ()
