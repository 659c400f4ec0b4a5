"""SCREENING. The screen: finds instruction-like text in data, and shows a place in its stead.

An order to a model has a structure: who is addressed, in whose name, about what, and that it demands. Each sentence is
read for kinds of sign: a reader that is a model, its rules, its answer, the markup of a conversation ... None of them
is an order. Several kinds in one sentence or two neighbours, one of them strong, and a demand, are.
"""

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from adjutant.language.pack import packs
from adjutant.screening.characters import reading
from adjutant.screening.fence import clean_line
from adjutant.screening.hidden import find_encoded, find_hidden, find_unseen
from adjutant.screening.phrases import SOFT, Family, Phrases, phrases

SET_ASIDE = "instruction-like text in"  # how a line begins that stands for one that is not shown
_EXCERPT = 80
_SHORTEST = 11  # letters of an order
_STEP = 240  # characters; every construction we look for is shorter
_CLOSE_READINGS = 250  # windows a family reads closely in one text; beyond it, its stems alone decide
_NEW_ITEM = re.compile(r"\s*(?:[-*+•>|#]|\d{1,3}[.)]\s|\[[ x]\])")
_KEY = re.compile(r"[\w-]{1,24}: \S")  # `key: value`, a record of its own
_CAPITAL = re.compile(r"[A-ZÆØÅÄÖÜ][a-zæøåäöüß ]")
_WORD = re.compile(r"\w+")
_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][\s.·•*|/\\~-]{1,3}){5,}[^\W\d_](?![^\W_])")
_BROKEN = re.compile(r"(?<=[^\W\d_])[.·•*|/\\~-](?=[^\W\d_])")
_NOT_LETTERS = re.compile(r"[\W\d_]+")


class ScreenHit(msgspec.Struct, frozen=True):
    """A line (1-based, as `\\n` counts them) that reads like an instruction to a model, and why we think so."""

    line: int
    reason: str
    excerpt: str


class _Stream(NamedTuple):
    """Text as it is, or prepared: its line ends soft where a sentence may run on. `lines[i]` begins at `starts[i]`."""

    text: str
    starts: Sequence[int]
    lines: Sequence[int]

    def tell(self, start: int, end: int, reason: str) -> Iterator[tuple[int, str]]:
        """(line, reason) of each line of a stretch."""
        first, last = (self.lines[max(bisect_right(self.starts, at) - 1, 0)] for at in (start, max(end - 1, start)))
        return ((line, reason) for line in range(first, last + 1))


class _Order(NamedTuple):
    """A stretch of a prepared text, by offsets, and why it reads like an order."""

    start: int
    end: int
    reason: str


def screen(text: str) -> list[ScreenHit]:
    """The instruction-like lines of `text`, in order, at most one hit a line: hidden text, or an address to the
    assistant or its rules together with a demand; never an imperative by itself. Linear in the length of `text`."""
    books = [phrases(language) for language in packs()]
    lines = text.split("\n")
    reasons: dict[int, str] = {}
    for number, reason in _all_reasons(text, lines, books):
        if number not in reasons and lines[number - 1].strip():
            reasons[number] = reason
    return [ScreenHit(number, reasons[number], clean_line(lines[number - 1], _EXCERPT)) for number in sorted(reasons)]


def redact_hits(text: str, hits: Sequence[ScreenHit], path: str) -> str:
    """`text` with each line of `hits` replaced by the place where the original stands; no line is added or lost."""
    lines = text.split("\n")
    for hit in hits:
        if 1 <= hit.line <= len(lines):
            lines[hit.line - 1] = f"{SET_ASIDE} {clean_line(path, 200)}:{hit.line}"
    return "\n".join(lines)


def _all_reasons(text: str, lines: list[str], books: list[Phrases]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            reason = find_hidden(line)
            if reason:
                yield number, reason
    yield from _find_spoken(reading(text), text, books)
    raw = _as_it_is(text)
    for carried in find_unseen(text):
        if _addresses(carried.text, books):
            yield from raw.tell(carried.start, carried.end, "speaks to the assistant where a page shows nothing")
    for carried in find_encoded(text):
        if _addresses(carried.text, books) or _demands_at_once(carried.text, books):
            yield from raw.tell(carried.start, carried.end, "an encoded text that instructs")


def _as_it_is(text: str) -> _Stream:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return _Stream(text, starts, range(1, len(starts) + 1))


def _find_spoken(text: str, original: str, books: list[Phrases]) -> Iterator[tuple[int, str]]:
    stream, plain = _stream(text, original, books), _as_it_is(text)
    for order in _instructions(stream.text, books):
        yield from stream.tell(*order)
    for book in books:
        for match in book.find("abroad").finditer(text) if book.book.abroad else ():
            yield from plain.tell(*match.span(), "sets the rules aside")
        yield from _in_other_letters(text, book)


def _in_other_letters(text: str, book: Phrases) -> Iterator[tuple[int, str]]:
    """Lines that give an order in letters set apart (`i g n o r e`), mirrored, or shifted by thirteen."""
    turned = any(mark in text for word in book.book.turned for mark in _turn(word))
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) < _SHORTEST:
            continue
        if (_APART.search(line) or len(_BROKEN.findall(line)) >= 3) and _runs_together(line, book):
            yield number, "an order in letters set apart"
        elif turned and any(_runs_together(each, book) for each in _turn(line)):
            yield number, "an order in turned letters"


def _turn(text: str) -> tuple[str, str]:
    return text[::-1], codecs.encode(text, "rot13")


def _runs_together(line: str, book: Phrases) -> bool:
    return book.find("run_together").search(_NOT_LETTERS.sub("", line)) is not None


def _stream(text: str, original: str, books: list[Phrases]) -> _Stream:
    """Prepared `text`; the letters of `original` tell which line ends a sentence may run over."""
    left_open = frozenset(word for book in books for word in book.book.left_open)
    parts, starts, numbers = list[str](), list[int](), list[int]()
    at, before = 0, ""
    for number, (line, seen) in enumerate(zip(text.split("\n"), original.split("\n"), strict=False), 1):
        line = " ".join(line.split())
        if not line:
            if parts and parts[-1] == SOFT:
                parts[-1] = "\n"
            continue
        if parts and _begins_anew(line, before, seen, left_open):
            parts[-1] = "\n"
        elif parts and before.endswith("-") and before[-2:-1].isalpha() and line[0].isalpha():
            parts[-2], parts[-1] = parts[-2][:-1], ""
            at -= 2
        starts.append(at)
        numbers.append(number)
        parts += [line, SOFT]
        at += len(line) + 1
        before = line
    return _Stream("".join(parts), starts, numbers)


def _begins_anew(line: str, before: str, seen: str, left_open: frozenset[str]) -> bool:
    """Whether `line` (`seen` before its letters were made plain) cannot go on with the sentence of the line before: as
    an item of a list, a record, or with a capital, but after a few words or a word that leaves the sentence open."""
    if _KEY.match(line) and _KEY.match(before):
        return True
    if before.count(" ") < 3 or before.endswith((",", ":", "-")):
        return False
    if before.rpartition(" ")[2] in left_open:
        return False
    return bool(_NEW_ITEM.match(line) or _CAPITAL.match(seen.lstrip()))


def _instructions(text: str, books: list[Phrases]) -> Iterator[_Order]:
    plain = text.replace(SOFT, " ")
    vocabulary = frozenset(_WORD.findall(plain))
    families = [each for book in books for each in book.families if each.may_stand_in(plain, vocabulary)]
    readings: Counter[Family] = Counter()
    for start in range(0, max(len(text) - _STEP, 1) if families else 0, _STEP):
        window = plain[start : start + 2 * _STEP]
        words = frozenset(_WORD.findall(window))
        met = [family for family in families if family.may_stand_in(window, words)]
        readings.update(met)
        for family in met:
            if readings[family] <= _CLOSE_READINGS:
                for match in family.pattern.finditer(text, start, start + 2 * _STEP):
                    yield _Order(*match.span(), family.reason)
        crowded = any(readings[family] > _CLOSE_READINGS for family in met)
        if crowded and any(book.find("too_much").search(window) for book in books):
            yield _Order(start, start + len(window), "too much like instructions to read closely")
    for book in books:
        yield from _orders(text, book)


def _addresses(text: str, books: list[Phrases]) -> bool:
    """Whether a text that somebody hid speaks to the assistant."""
    prepared = _stream(reading(text), text, books).text
    return any(True for _ in _instructions(prepared, books)) or any(_calls(prepared, book) for book in books)


def _calls(text: str, book: Phrases) -> bool:
    """Whether hidden text calls a model and demands: there a single kind of sign is enough."""
    return any(book.sign(kind).search(text) for kind in STRONG) and book.find("demanding").search(text) is not None


def _demands_at_once(text: str, books: list[Phrases]) -> bool:
    start = reading(text[:300]).lstrip()
    return len(text) <= 300 and any(book.find("demanding").match(start) for book in books)


# -- the signs of an order -----------------------------------------------------------------------------------
# Kinds that hardly occur but in a talk with a model count double; an address to a model that reads this text, and the
# markup of a conversation, are enough with a demand alone.
_DOUBLE = "called speaker rules inside unbound output behind frame"
STRONG = {"address": 3, "markup": 3, **dict.fromkeys(_DOUBLE.split(), 2)}
_ENOUGH = 3
_LONGEST = 400  # characters of a sentence; a longer one is read in pieces
_END = re.compile(rf"(?:[\n{SOFT}]|[.!?;]+(?=[ {SOFT}\n]|\Z))[ {SOFT}]*")
_REASONS = {
    "markup": "forges the markup of a conversation",
    "conceal": "goes behind the operator's back",
    "rules": "speaks to a model about its rules",
    "output": "dictates the answer",
    "speaker": "speaks to a model in somebody's name",
}
_ADDRESSED = "addresses a model that reads this"


class _Sign(NamedTuple):
    weight: int
    start: int
    end: int
    kind: str


def _orders(text: str, book: Phrases) -> Iterator[_Order]:
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
                yield _Order(start, end, next((_REASONS[kind] for kind in _REASONS if kind in seen), _ADDRESSED))
                break


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
