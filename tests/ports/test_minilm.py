"""The model of meanings: word pieces as it was trained on them, and vectors as its makers' program gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.errors import MirrorUnavailable
from adjutant.models.wordpiece import FIRST, LAST, UNKNOWN, WordPiece
from tests.meanings import folder, minilm

PIECES = [FIRST, LAST, UNKNOWN, "un", "##aff", "##able", "play", "##ing", "cafe", "!", "$", "東", "ss", "a"]
# Cosines as sentence-transformers computes them with torch, in 32 bits.
KNOWN = (
    ("A man is eating food.", "A man is eating a piece of bread.", 0.7553),
    ("A man is eating food.", "A monkey is playing drums.", 0.0476),
    ("When do I service the engine?", "Change the oil in May; filter 4711.", 0.3096),
)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("unaffable", ["un", "##aff", "##able"]),
        ("Playing!", ["play", "##ing", "!"]),
        ("CAFÉ", ["cafe"]),
        ("unknown a", [UNKNOWN, "a"]),
        ("東東", ["東", "東"]),
        ("a$\ta\x00", ["a", "$", "a"]),
        ("x" * 101, [UNKNOWN]),
        ("", []),
        ("a\u00ada", [UNKNOWN]),
        ("\ud800", []),
        ("éa", [UNKNOWN]),
    ],
    ids=ascii,
)
def test_words_are_cut_into_the_longest_pieces(text: str, pieces: list[str]) -> None:
    found = WordPiece(PIECES).numbers(text, 99)
    assert [PIECES[number] for number in found] == [FIRST, *pieces, LAST]


def test_a_long_text_is_cut_and_keeps_its_end_mark() -> None:
    found = WordPiece(PIECES).numbers("a " * 50, 8)
    assert len(found) == 8 and found[-1] == PIECES.index(LAST) and found.count(PIECES.index("a")) == 6


def test_vectors_are_as_alike_as_the_makers_program_has_them() -> None:
    model = minilm()
    for one, other, known in KNOWN:
        first, second = model.embed([one, other])
        assert model.likeness(first, [second])[0] == pytest.approx(known, abs=0.005)


def test_a_text_has_the_same_vector_whatever_it_is_computed_with() -> None:
    minilm()
    from adjutant.models.minilm import MiniLM  # brings numpy

    model = MiniLM(folder())
    texts = ["the key", "", "a much longer text about the key of the boat " * 30, "the lock", "🎉", "\ud800\0"]
    assert model.embed(texts) == [model.embed([text])[0] for text in texts]


@pytest.mark.parametrize("broken", ["config.json", "vocab.txt", "model.safetensors"])
def test_a_model_with_a_file_amiss_is_named(tmp_path: Path, broken: str) -> None:
    minilm()
    from adjutant.models.minilm import MiniLM  # brings numpy

    for each in folder().glob("*.*"):
        if each.name != broken:
            (tmp_path / each.name).symlink_to(each)
    with pytest.raises(MirrorUnavailable, match=str(tmp_path)):
        MiniLM(tmp_path)
    (tmp_path / broken).write_text("{}")
    with pytest.raises(MirrorUnavailable, match=str(tmp_path)):
        MiniLM(tmp_path)
