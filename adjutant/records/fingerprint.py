"""RECORDS. The fingerprint of an insight: the same matter keeps it while its dates, numbers and word forms change."""

from __future__ import annotations

import hashlib
import re

from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.stems import stem_by

_WORD = re.compile(r"[^\W\d_]{2,}")


def fingerprint(kb: str, path: str, quote: str) -> str:
    """16 hex digits of the sha256 over kb, path and the quote's stemmed content words (without dates and numbers).

    A quote without any such word is taken as it is written, blanks aside.
    """
    matter = " ".join(sorted(stems_of(quote))) or "".join(quote.split())
    return hashlib.sha256(f"{kb}\0{path}\0{matter}".encode("utf-8", "replace")).hexdigest()[:16]


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's content words, without dates and numbers."""
    words = {word for word in _WORD.findall(text.casefold()) if word not in _passing()}
    return frozenset(stem_by(word, "english") for word in words)  # whatever the language: it has to stay the same


@cached(1)
def _passing() -> frozenset[str]:
    """Words that say when, how late or nothing, in any language: they change while the matter stays."""
    phrases = [*listed("words", "stop"), *listed("matters", "deadline")]
    for pack in packs().values():
        dates = pack.lists.get("dates", {})
        phrases += [phrase for key in dates for phrase in entry(pack, "dates", key) if not isinstance(dates[key], str)]
    return frozenset(word for phrase in phrases for word in _WORD.findall(phrase.casefold()))
