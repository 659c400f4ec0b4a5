"""DOMAIN. Words as a server without stems can match them, and which documents it says hold those of a question."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from adjutant.domain.recall.question import Term, beginnings, calendar, read_question
from adjutant.language.pack import cached, listed
from adjutant.language.stems import stem_by
from adjutant.store.index_tables import UNSPACED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.index_ports import Query, ServerIndex

LONGEST = 40
MOST_TOKENS = 32  # of one question
PORTER = "porter"
WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"([^"]+)"')


def find_holders(server: ServerIndex, query: Query) -> dict[str, set[str]]:
    """{collection: ids} of the documents that hold any word of a question; where none is held, of longer words that
    begin so. The words are asked one by one: such a server ranks only documents that hold all. Raises
    MirrorUnavailable."""
    read = read_question(query.text)
    for terms, begun in ((read.terms, False), (beginnings(read), True)):
        wanted = list(dict.fromkeys(token for term in terms for token in _tokens_of(term)))[:MOST_TOKENS]
        found = server.find_holders(query, wanted, beginnings=begun) if wanted and query.collections else {}
        if any(found.values()):
            return found
    return {}


def _tokens_of(term: Term) -> list[str]:
    """A term's `match` is an expression of FTS5: alternatives, each one word or several that must all be there."""
    every = (" ".join(map(stem, _QUOTED.findall(each))) for each in term.match.split(" OR "))
    return [token for token in every if token]


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


@cached(65536)
def _stem(word: str) -> str:
    (base,) = calendar().get(word, (word,))
    if base.isascii():
        found = stem_by(base[:LONGEST], PORTER)
        return _bases().get(found, found)
    return "z" + base.encode("utf-8", "replace").hex()[: 4 * LONGEST]


@cached(1)
def _bases() -> Mapping[str, str]:
    """{stem of a word: stem of the longest of its forms}: a beginning is looked for in that one."""
    groups = [group.split() for group in sorted(listed("words", "forms"))]
    longest = [max(group, key=lambda word: (len(word), word)) for group in groups]
    return {
        stem_by(word, PORTER): stem_by(most, PORTER)
        for group, most in zip(groups, longest, strict=True)
        for word in group
    }


def _plain(text: str) -> str:
    """Casefolded, without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(each for each in parts if not 0x300 <= ord(each) <= 0x36F))
