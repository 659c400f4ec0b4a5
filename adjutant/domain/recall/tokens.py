"""DOMAIN. Words as a server without stems can match them, made the same of documents and of questions."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from adjutant.store import snowball
from adjutant.store.index_tables import UNSPACED
from adjutant.store.index_words import FORMS

LONGEST = 40
WORD = re.compile(r"[^\W_]+")
_porter = snowball.stemmer("porter")
_STEMS: dict[str, str] = {word: _porter.stemWord(word) for word in FORMS}
# {stem: stem of the longest of its forms}: a beginning is looked for in that one
_BASES = {
    _STEMS[word]: _STEMS[max((word, *forms), key=lambda form: (len(form), form))]
    for word, forms in FORMS.items()
    if all(word in FORMS.get(form, ()) for form in forms)
}


def tokens(text: str) -> list[str]:
    """Every word of `text` in order, stemmed, in a-z and 0-9 alone.

    What is written without blanks gives its single characters and their overlapping pairs.
    """
    found: list[str] = []
    for word in WORD.findall(_plain(text)):
        if word.isascii():
            found.append(stem(word))
            continue
        for run in UNSPACED.findall(word):
            found += [stem(part) for at in range(len(run)) for part in (run[at], run[at : at + 2])]
        found += [stem(part) for part in UNSPACED.sub(" ", word).split()]
    return found


def stem(word: str) -> str:
    """One token for all forms of a plain word: Porter's stem; hexadecimal where it has other letters than a-z.

    No server takes such a token apart, folds it, or finds it in another.
    """
    return _stem(_plain(word))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    base = next((form for form in FORMS.get(word, ()) if word not in FORMS.get(form, ())), word)
    if base.isascii():
        found = str(_porter.stemWord(base[:LONGEST]))
        return _BASES.get(found, found)
    return "z" + base.encode("utf-8", "replace").hex()[: 4 * LONGEST]


def _plain(text: str) -> str:
    """Casefolded, without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(each for each in parts if not 0x300 <= ord(each) <= 0x36F))
