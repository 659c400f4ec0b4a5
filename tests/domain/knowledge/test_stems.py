"""Stems are the same whoever asks: knowledge bases are read in several threads with one lexicon."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from adjutant.domain.knowledge import lexicon

HEADS = ("arrang", "deliver", "calibrat", "organis", "plan", "enclos", "certif", "hop", "general", "nation")
TAILS = ("ed", "ing", "ements", "ies", "ational", "fulness", "iveness", "ously", "ations", "ably", "s", "er")
WORDS = [f"{letter}{head}{tail}" for letter, head, tail in product("abcdefgh", HEADS, TAILS)]


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as the interpreter allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_threads_that_stem_at_once_get_what_one_alone_gets(tmp_path: Path) -> None:
    alone, shared = lexicon.load(tmp_path), lexicon.load(tmp_path)
    expected = [alone.stem(word, "en") for word in WORDS]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda shift: _stems(shared, shift), range(8)))
    for answer in answers:
        assert [answer[word] for word in WORDS] == expected


def _stems(shared: lexicon.Lexicon, shift: int) -> dict[str, str]:
    start = shift * 100
    return {word: shared.stem(word, "en") for word in WORDS[start:] + WORDS[:start]}
