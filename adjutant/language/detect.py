"""LANGUAGE. Which language a text is written in, by its small words, its letters and the endings of its words."""

import re
from collections import Counter
from collections.abc import Mapping

from adjutant.language.pack import cached, entry, listed, packs

MOST = 20_000  # characters that are looked at
LEAST = 2  # votes: a function word that no other language has gives two, a letter, an ending and a common word one
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str, fallback: str = "en") -> str:
    """The code of the language that most of a text's small words belong to; `fallback` where they do not tell."""
    counts: dict[str, int] = {}
    for word in _WORD.findall(text[:MOST].lower()):
        for code, votes in _votes_of(word):
            counts[code] = counts.get(code, 0) + votes
    most = max(counts.values(), default=0)
    best = [code for code, votes in counts.items() if votes == most]
    return best[0] if most >= LEAST and len(best) == 1 else fallback


@cached(65536)
def _votes_of(word: str) -> tuple[tuple[str, int], ...]:
    """(language, votes) that a lower-case word gives."""
    if (vote := _read_known().get(word)) is not None:
        return (vote,)
    found: Counter[str] = Counter()
    for code, pack in packs().items():
        found[code] += len(word) > 5 and word.endswith(tuple(entry(pack, "words", "endings")))
        found[code] += not frozenset(entry(pack, "words", "letters")).isdisjoint(word)
    return tuple((code, votes) for code, votes in found.items() if votes)


@cached(1)
def _read_known() -> Mapping[str, tuple[str, int]]:
    """{word: (its language, votes)} of the words that only one language lists."""
    every = packs()
    days = {code: listed("dates", "months", code) | listed("dates", "weekdays", code) for code in every}
    known = {code: pack.stop | pack.everyday | days[code] for code, pack in every.items()}
    said = Counter(word for words in known.values() for word in words)
    found: dict[str, tuple[str, int]] = {}
    for code, pack in every.items():
        for word in (word for word in known[code] if said[word] == 1):
            tells = word in pack.stop or (len(word) > 4 and word in days[code])
            found[word] = (code, 2 if tells and word not in listed("words", "looks_foreign") else 1)
    return found
