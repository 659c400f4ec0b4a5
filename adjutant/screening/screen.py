"""SCREENING. The screen: finds instruction-like text in data, and shows a place in its stead."""

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
from adjutant.screening.signs import Order, orders, speaks_to_a_model

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
    """Prepared text in one string, its line ends soft where a sentence may run on. `lines[i]` begins at `starts[i]`."""

    text: str
    starts: list[int]
    lines: list[int]

    def lines_of(self, start: int, end: int) -> range:
        first = self.lines[max(bisect_right(self.starts, start) - 1, 0)]
        return range(first, self.lines[max(bisect_right(self.starts, max(end - 1, start)) - 1, 0)] + 1)


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
    starts = _line_starts(text)
    for carried in find_unseen(text):
        if _addresses(carried.text, books):
            yield from _each(starts, carried.start, carried.end, "speaks to the assistant where a page shows nothing")
    for carried in find_encoded(text):
        if _addresses(carried.text, books) or _demands_at_once(carried.text, books):
            yield from _each(starts, carried.start, carried.end, "an encoded text that instructs")


def _each(starts: list[int], start: int, end: int, reason: str) -> Iterator[tuple[int, str]]:
    for number in range(bisect_right(starts, start), bisect_right(starts, max(end - 1, start)) + 1):
        yield number, reason


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _find_spoken(text: str, original: str, books: list[Phrases]) -> Iterator[tuple[int, str]]:
    stream = _stream(text, original, books)
    for order in _instructions(stream.text, books):
        yield from ((line, order.reason) for line in stream.lines_of(order.start, order.end))
    starts = _line_starts(text)
    for book in books:
        for match in book.abroad.finditer(text) if book.book.abroad else ():
            yield from _each(starts, match.start(), match.end(), "sets the rules aside")
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
    """Prepared `text` as a stream; the letters of `original` tell which line ends a sentence may run over."""
    left_open = frozenset(word for book in books for word in book.book.left_open)
    parts: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    at = 0
    before = ""
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


def _instructions(text: str, books: list[Phrases]) -> Iterator[Order]:
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
                    yield Order(*match.span(), family.reason)
        crowded = any(readings[family] > _CLOSE_READINGS for family in met)
        if crowded and any(book.find("too_much").search(window) for book in books):
            yield Order(start, start + len(window), "too much like instructions to read closely")
    for book in books:
        yield from orders(text, book)


def _addresses(text: str, books: list[Phrases]) -> bool:
    """Whether a text that somebody hid speaks to the assistant."""
    prepared = _stream(reading(text), text, books).text
    if any(True for _ in _instructions(prepared, books)):
        return True
    return any(speaks_to_a_model(prepared, book) for book in books)


def _demands_at_once(text: str, books: list[Phrases]) -> bool:
    start = reading(text[:300]).lstrip()
    return len(text) <= 300 and any(book.find("demanding").match(start) for book in books)
