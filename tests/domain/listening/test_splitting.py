"""Long answers as messages of Telegram's size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjutant.domain.listening.desk import LIMIT, count_units, split

TEXTS = st.text(st.sampled_from("aä \n\t😀👍‍"), max_size=300)


@given(TEXTS, st.integers(min_value=4, max_value=60))
def test_nothing_is_lost_and_no_piece_is_too_long(text: str, limit: int) -> None:
    pieces = split(text, limit)
    assert all(0 < len(piece.encode("utf-16-le")) // 2 <= limit and piece.strip() for piece in pieces)
    assert [char for char in "".join(pieces) if not char.isspace()] == [char for char in text if not char.isspace()]


def test_5000_characters_are_two_pieces_cut_after_a_line() -> None:
    text = "\n".join(f"{number:04} " + "x" * 44 for number in range(100))
    first, second = split(text)
    assert len(text) == 4999
    assert first + second == text
    assert first.endswith("\n")
    assert count_units(first) <= LIMIT


def test_a_line_that_is_too_long_is_cut_after_a_word_else_between_characters() -> None:
    assert split("one two three", 9) == ["one two ", "three"]
    assert split("abcdefgh", 3) == ["abc", "def", "gh"]


def test_characters_beyond_16_bits_count_twice_and_stay_whole() -> None:
    pieces = split("😀" * 4097)
    assert [len(piece) for piece in pieces] == [2048, 2048, 1]


def test_blanks_alone_are_no_message() -> None:
    assert split(" \n\n ") == []
