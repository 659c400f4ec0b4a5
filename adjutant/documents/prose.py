"""DOCUMENTS. A paragraph as what it says: wrapped prose sentence by sentence, a log, chat or list line by line."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from adjutant.language.pack import listed
from adjutant.language.sentences import sentences
from adjutant.language.words import day_names, words

NARROW, VERSE = 30, 44  # characters: a shorter line was not broken for its length; of a line of verse
HAIKU = 3  # lines
SHORT, LONG, WIDE = 80, 40, 120  # characters: a longer line is prose; may have been broken; was not, for its length
_COLUMNS = re.compile(r"\t+| {2,}")
_STAMP = re.compile(r"[\[(]?\d{1,4}[-./:]\d{1,2}(?:[-./:]\d{1,4})*")
_SPEAKER = re.compile(r"<?[^\W\d_][\w.'’-]{0,20}(?: [^\W\d_][\w.'’-]{0,20})?>?:[ \t]+\S")
_STOPS = (".", "!", "?", ":", ";", "…")


def parts(text: str) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, words) of the parts of a paragraph; lines counted from 0."""
    lines = text.split("\n")
    if (len(lines) == 1 and not _STAMP.match(text)) or _is_wrapped(lines):
        yield from _sentences(text)
        return
    for number, last, line in _going_on(lines):
        if len(line) <= SHORT or _begins_entry(line):
            yield number, last, line
        else:
            for _, _, words in _sentences(line):
                yield number, last, words


def _going_on(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, words) of lines, one that ends with a comma together with those that it goes on in."""
    first, said = 0, ""
    for number, line in enumerate(lines):
        said = f"{said} {line}" if said else line
        if not line.endswith(",") or number + 1 == len(lines):
            yield first, number, said
            first, said = number + 1, ""


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """As `parts`: a line's end is a blank, and a figure that begins it no list mark."""
    flat = text.replace("\n", " ")
    if len(flat) <= SHORT and not any(stop in flat[:-1] for stop in ".!?"):
        yield 0, text.count("\n"), flat
        return
    at = line = 0
    for number, sentence in enumerate(sentences(flat)):
        start = sentence.start if number else 0
        line += text.count("\n", at, start)
        at = start
        yield line, line + text.count("\n", start, sentence.end), flat[start : sentence.end]


def _begins_entry(line: str) -> bool:
    greets = line.lower().startswith(tuple(listed("pages", "greetings")))
    return bool(_STAMP.match(line) or (_SPEAKER.match(line) and not greets))


def is_verse(lines: Sequence[str]) -> bool:
    """Whether short lines are a poem and no list: none has a figure, a colon or "I" in it, lines begin with small words
    as one that goes on does, and one that names a day begins with it: "before Tuesday the river rises". A haiku may
    name it anywhere."""
    said, text = [words(line) for line in lines], " ".join(lines).lower()
    if len(lines) < 3 or max(map(len, lines)) > VERSE or not all(said) or ":" in text or any(map(str.isdigit, text)):
        return False
    days = day_names() | listed("dates", "relative")
    dated = {each[0] for each in said if not days.isdisjoint(each)}
    small = sum(each[0] in listed("words", "stop") for each in said)
    verse = small > (not all(line[0].islower() for line in lines[1:]))
    begins = {phrase.split()[0] for phrase in listed("matters", "deadline")}
    haiku = len(lines) == HAIKU and small > 1 and not any(line.rstrip()[-1:] in _STOPS for line in lines)
    return verse and (haiku or dated <= begins) and listed("matters", "own").isdisjoint(text.split())


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines are prose broken at a margin: most run on without a full stop, into a small word or because the
    next word would not have fitted; no log and no chat."""
    begins = sum(map(_begins_entry, lines))
    margin, runs = max(map(len, lines)), 0
    if not NARROW <= margin <= WIDE or (begins > 1 and begins * 2 >= len(lines)):
        return False
    capitals = any(next(filter(str.isalpha, line), "").isupper() for line in lines)  # else a small word says nothing
    for above, below in pairwise(lines):
        word = below.split(None, 1)[0]
        small = capitals and word[0].islower() and word.rstrip(",;:)!?'’").isalpha()
        runs += not above.endswith(_STOPS) and (small or (len(above) > LONG and len(above) + len(word) >= margin))
    return runs >= 1 and runs * 2 >= len(lines) - 1


def columns(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of lines set in columns by blanks or tabs; [] unless each line has as many."""
    rows = [tuple(_COLUMNS.split(line)) for line in lines]
    count = len(rows[0])
    if count < (2 if all("\t" in line for line in lines) else 3):
        return []
    return rows if all(len(row) == count for row in rows) else []
