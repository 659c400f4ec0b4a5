"""DOCUMENTS. A paragraph as what it says: wrapped prose sentence by sentence, a log, chat or list line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from adjutant.documents.said import sentences

SHORT = 80  # characters: a line that long is prose
_COLUMNS = re.compile(r"\t+| {2,}")
_STAMP = re.compile(r"[\[(]?(?:\d{1,4}[-./:]\d{1,2}(?:[-./:]\d{1,4})*)")
_SPEAKER = re.compile(r"<?([^\W\d_][\w.'’-]{0,20}(?: [^\W\d_][\w.'’-]{0,20})?)>?:[ \t]+\S")
_STOPS = (".", "!", "?", ":", ";", "…")


def parts(text: str, code: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, words) of the parts of a paragraph; lines counted from 0."""
    lines = text.split("\n")
    if len(lines) > 1 and not _is_wrapped(lines):
        for number, line in enumerate(lines):
            if len(line) <= SHORT or _STAMP.match(line) or _SPEAKER.match(line):
                yield number, number, line
            else:
                for sentence in sentences(line, code):
                    yield number, number, sentence.text.strip()
        return
    if len(text) <= SHORT and len(lines) == 1 and not _has_stop(text):
        yield 0, 0, text
        return
    at = number = 0
    for sentence in sentences(text, code):
        number += text.count("\n", at, sentence.start)
        last = number + text.count("\n", sentence.start, sentence.start + len(sentence.text.rstrip()))
        yield number, last, " ".join(sentence.text.split())
        at = sentence.start


def _has_stop(text: str) -> bool:
    return any(stop in text[:-1] for stop in ".!?")


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines are prose broken at a margin: most run on without a full stop, into small letters or from a long
    line; no log and no chat."""
    begins = sum(1 for line in lines if _STAMP.match(line) or _SPEAKER.match(line))
    if begins * 2 >= len(lines) and begins > 1:
        return False
    runs = 0
    for above, below in pairwise(lines):
        runs += not above.endswith(_STOPS) and (below[:1].islower() or len(above) > 60)
    return runs >= 1 and runs * 2 >= len(lines) - 1


def columns(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of lines set in columns by blanks or tabs; [] unless each of at least three lines has as many."""
    if len(lines) < 3:
        return []
    rows = [tuple(_COLUMNS.split(line)) for line in lines]
    count = len(rows[0])
    if count < (2 if all("\t" in line for line in lines) else 3):
        return []
    return rows if all(len(row) == count for row in rows) else []
