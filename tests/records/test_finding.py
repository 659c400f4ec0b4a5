"""The words that show a finding."""

from __future__ import annotations

from adjutant.records.suggestion import EXCERPT_CHARS, excerpt


def test_a_quote_is_cut_where_a_word_ends() -> None:
    long = "word " * 100
    assert long.startswith(excerpt(long))
    assert len(excerpt(long)) <= EXCERPT_CHARS
    assert excerpt(long).endswith("word")
    assert excerpt("x" * 500) == "x" * EXCERPT_CHARS
