"""LANGUAGE. Which language a text is written in, by its small words, its letters and the endings of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from adjutant.language.pack import cached, entry, packs

MOST = 20_000  # characters that are looked at
SHORT = 200
LEAST = 2  # votes: a function word that no other language has gives two, a letter, an ending and a common word one
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str, fallback: str = "en") -> str:
    """The code of the language that most of a text's small words belong to; `fallback` where they do not tell."""
    return _known(text, fallback) if len(text) <= SHORT else _guess(text, fallback)


@cached(8192)
def _known(text: str, fallback: str) -> str:
    return _guess(text, fallback)


def _guess(text: str, fallback: str) -> str:
    votes, letters, endings, every = _votes()
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text[:MOST].lower()):
        vote = votes.get(word)
        if vote is not None:
            counts[vote[0]] += vote[1]
        elif len(word) > 5 and word.endswith(every):
            counts.update(code for code, ends in endings.items() if word.endswith(ends))
        if vote is None and not word.isascii():
            counts.update(code for code, own in letters.items() if not own.isdisjoint(word))
    best = max(counts, key=lambda code: counts[code], default=fallback)
    tied = list(counts.values()).count(counts[best]) > 1
    return best if counts[best] >= LEAST and not tied else fallback


class _Votes(NamedTuple):
    words: Mapping[str, tuple[str, int]]  # {word: (code, votes)}
    letters: Mapping[str, frozenset[str]]
    endings: Mapping[str, tuple[str, ...]]
    every: tuple[str, ...]  # ending


@cached(1)
def _votes() -> _Votes:
    every = packs()
    known = {code: pack.stop | pack.everyday | _days(code) for code, pack in every.items()}
    said = Counter(word for words in known.values() for word in words)
    misleading = frozenset().union(*(entry(pack, "words", "looks_foreign") for pack in every.values()))
    votes: dict[str, tuple[str, int]] = {}
    for code, pack in every.items():
        for word in known[code]:
            tells = word in pack.stop or (len(word) > 4 and word in _days(code))
            if said[word] == 1:
                votes[word] = (code, 2 if tells and word not in misleading else 1)
    endings = {code: tuple(entry(pack, "words", "endings")) for code, pack in every.items()}
    letters = {code: frozenset(entry(pack, "words", "letters")) for code, pack in every.items()}
    return _Votes(votes, letters, endings, tuple({end for ends in endings.values() for end in ends}))


def _days(code: str) -> frozenset[str]:
    pack = packs()[code]
    return frozenset((*entry(pack, "dates", "months"), *entry(pack, "dates", "weekdays")))
