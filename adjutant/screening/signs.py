"""SCREENING. The structure of an order to a model: who is addressed, in whose name, about what, and that it demands.

Each sentence is read for kinds of sign: a reader that is a model, its rules, its answer, the markup of a conversation
... None of them is an order. Several kinds in one sentence or two neighbours, one of them strong, and a demand, are.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from adjutant.screening.phrases import SOFT, Phrases

# Kinds that hardly occur but in a talk with a model count double; an address to a model that reads this text, and the
# markup of a conversation, are enough with a demand alone.
_DOUBLE = "called speaker rules inside unbound output behind frame"
STRONG = {"address": 3, "markup": 3, **dict.fromkeys(_DOUBLE.split(), 2)}
_ENOUGH = 3
_LONGEST = 400  # characters of a sentence; a longer one is read in pieces
_END = re.compile(rf"(?:[\n{SOFT}]|[.!?;]+(?=[ {SOFT}\n]|\Z))[ {SOFT}]*")
_WORD = re.compile(r"\w")
_REASONS = {
    "markup": "forges the markup of a conversation",
    "conceal": "goes behind the operator's back",
    "rules": "speaks to a model about its rules",
    "output": "dictates the answer",
    "speaker": "speaks to a model in somebody's name",
}
_ADDRESSED = "addresses a model that reads this"


class Order(NamedTuple):
    """A stretch of a prepared text, by offsets, and why it reads like an order."""

    start: int
    end: int
    reason: str


class _Sign(NamedTuple):
    weight: int
    start: int
    end: int
    kind: str


def orders(text: str, book: Phrases) -> Iterator[Order]:
    """The sentences of prepared `text`, alone or by twos, that order a model about. Linear in its length."""
    kinds = book.kinds(text)
    found = [(match, STRONG[kind]) for kind in kinds if kind in STRONG for match in book.sign(kind).finditer(text)]
    sentences = list(_sentences(text)) if found else []
    starts = [start for start, _ in sentences]
    strong: dict[int, bool] = {}  # sentence: whether its demand may stand in the next item of a list
    for match, weight in found:
        at = bisect_right(starts, match.start()) - 1
        alone = weight >= _ENOUGH and not _WORD.search(text, match.end(), max(sentences[at][1], match.end()))
        strong[at] = strong.get(at, False) or alone
    for at, alone in sorted(strong.items()):
        for first, last in ((at, at), (at, at + 1), (at - 1, at)):
            if first < 0 or last >= len(sentences):
                continue
            start, end = sentences[first][0], sentences[last][1]
            if "\n" in text[start:end] and (first < at or not alone):
                continue
            signs = _signs(text, start, end, kinds, book)
            if sum(sign.weight for sign in signs) >= _ENOUGH and _is_demanded(text, start, end, signs[0], book):
                seen = {sign.kind for sign in signs}
                yield Order(start, end, next((_REASONS[kind] for kind in _REASONS if kind in seen), _ADDRESSED))
                break


def speaks_to_a_model(text: str, book: Phrases) -> bool:
    """Whether prepared `text`, which somebody hid, calls a model and demands: there a single kind of sign is enough."""
    return any(book.sign(kind).search(text) for kind in STRONG) and book.find("demanding").search(text) is not None


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for match in (*_END.finditer(text), None):
        end = match.start() if match else len(text)
        yield from ((at, min(at + _LONGEST, end)) for at in range(begin, end, _LONGEST))
        begin = match.end() if match else end


def _signs(text: str, start: int, end: int, kinds: list[str], book: Phrases) -> list[_Sign]:
    """A sign of each kind there, the strongest first. No word is a sign of two kinds; the strong ones choose first."""
    every = ((kind, match.span()) for kind in kinds for match in book.sign(kind).finditer(text, start, end))
    found = (_Sign(STRONG.get(kind, 1), *span, kind) for kind, span in every)
    taken: list[_Sign] = []
    for sign in sorted(found, key=lambda sign: (-sign.weight, sign.start))[:_LONGEST]:
        if all(sign.kind != other.kind and (sign.end <= other.start or sign.start >= other.end) for other in taken):
            taken.append(sign)
    return taken


def _is_demanded(text: str, start: int, end: int, address: _Sign, book: Phrases) -> bool:
    """Whether something is demanded in other words than the address itself."""
    demands = (match.span() for match in book.find("demanding").finditer(text, start, end))
    return any(begin >= address.end or stop <= address.start for begin, stop in demands)
