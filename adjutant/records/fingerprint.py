"""RECORDS. The fingerprint of an insight: the same matter keeps it while its dates, numbers and word forms change."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from typing import Any

from adjutant.store import snowball

_WORD = re.compile(r"[^\W\d_]{2,}")
# Words that say when, and words that say nothing, in the languages we ship: they change while the matter stays.
_WORDS = """
an the of to in on at by for and or is are was were be been it its this that with from as we our
og av til er en et ei som det den de der har var vi med fra om at på i
die das dem den des und ist im am zu ein eine einen einem mit von für auf wir
today tomorrow yesterday tonight due overdue until since week weeks day days month months year
idag morgen imorgen igår kveld frist uke uker dag dager måned måneder år
heute gestern fällig woche wochen tag tage tagen monat monate jahr
mon tue tues wed thu thur thurs fri sat sun
monday tuesday wednesday thursday friday saturday sunday
mandag tirsdag onsdag torsdag fredag lørdag søndag
montag dienstag mittwoch donnerstag freitag samstag sonntag
jan feb mar apr may jun jul aug sep sept oct nov dec mai juni juli okt des dez
january february march april june july august september october november december
januar februar mars mai oktober desember märz dezember
"""
_LEFT_OUT = frozenset(_WORDS.split())


def fingerprint(kb: str, path: str, quote: str) -> str:
    """16 hex digits of the sha256 over kb, path and the quote's stemmed content words (without dates and numbers).

    A quote without any such word is taken as it is written, blanks aside.
    """
    words = {word for word in _WORD.findall(quote.casefold()) if word not in _LEFT_OUT}
    stems = sorted({str(_stemmer().stemWord(word)) for word in words})
    matter = " ".join(stems) or "".join(quote.split())
    return hashlib.sha256(f"{kb}\0{path}\0{matter}".encode("utf-8", "replace")).hexdigest()[:16]


@cache
def _stemmer() -> Any:
    """One algorithm whatever the language: a fingerprint only has to stay the same."""
    return snowball.stemmer("english")
