"""LANGUAGE. Which language a text is written in, by its small words, its letters and the endings of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from adjutant.language.pack import cached, entry, packs

MOST = 20_000  # characters that are looked at
SHORT = 200
LEAST = 2  # votes that say more than the fallback
_WORD = re.compile(r"[^\W\d_]+")
_FUNCTION, _SHARED, _HINT = 2, 1, 1  # votes: a function word that no other language has; one that looks foreign; a hint


def language_of(text: str, fallback: str = "en") -> str:
    """The code of the language that most of a text's small words belong to; `fallback` where they do not tell."""
    return _known(text, fallback) if len(text) <= SHORT else _guess(text, fallback)


@cached(8192)
def _known(text: str, fallback: str) -> str:
    return _guess(text, fallback)


def _guess(text: str, fallback: str) -> str:
    votes, hints = _votes()
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text[:MOST].lower()):
        if (vote := votes.get(word)) is not None:
            counts[vote[0]] += vote[1]
        elif len(word) > 3 or not word.isascii():
            for code, pattern in hints:
                counts[code] += bool(pattern.search(word))
    best = max(counts, key=lambda code: counts[code], default=fallback)
    tied = list(counts.values()).count(counts[best]) > 1
    return best if counts[best] >= LEAST and not tied else fallback


@cached(1)
def _votes() -> tuple[Mapping[str, tuple[str, int]], list[tuple[str, re.Pattern[str]]]]:
    """({word: (code, votes)}, [(code, its letters and endings)])."""
    every = packs()
    said: Counter[str] = Counter()
    for pack in every.values():
        said.update(pack.stop | pack.everyday | _days(pack.code))
    misleading = frozenset().union(*(entry(pack, "words", "looks_foreign") for pack in every.values()))
    found: dict[str, tuple[str, int]] = {}
    for code, pack in every.items():
        for word in pack.stop | pack.everyday | _days(code):
            if said[word] == 1:
                strong = word not in misleading and (word in pack.stop or (len(word) > 4 and word in _days(code)))
                found[word] = (code, _FUNCTION if strong else _SHARED)
    hints = []
    for code, pack in every.items():
        ends = "|".join(map(re.escape, entry(pack, "words", "endings")))
        letters = "".join(map(re.escape, entry(pack, "words", "letters")))
        parts = [rf"..(?:{ends})\Z"] * bool(ends) + [f"[{letters}]"] * bool(letters)
        if parts:
            hints.append((code, re.compile("|".join(parts))))
    return found, hints


def _days(code: str) -> frozenset[str]:
    pack = packs()[code]
    return frozenset((*entry(pack, "dates", "months"), *entry(pack, "dates", "weekdays")))
