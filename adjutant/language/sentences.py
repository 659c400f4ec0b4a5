"""LANGUAGE. The one sentence splitter."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from adjutant.language.pack import listed

WRAPPED, LIKELY = 60, 40  # letters of a line that was broken for its length; of one that goes on in small letters
SHORT_DAY = 4  # letters of a short weekday
# Where a sentence may end: behind a full stop with the quotes and brackets that close, or at a line's end.
_END = re.compile(r"(?<![.!?…])([.!?…]++)[\"'”’»)\]*_]*+(?=\s)|\n")
_LINE = re.compile(r"[ \t>]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]+(?:\[.\][ \t]+)?|\||>|$)", re.MULTILINE)
_BEFORE = re.compile(r"[^\s(\"'„“”‘«\[]*\Z")
_NEXT = re.compile(r"\s*[\"'„“”‘«(\[*_]*")
_DAY = re.compile(r"\d{1,2}\.\d{1,2}")
_DOTTED = re.compile(r"\s\d{1,2}\.\d{1,2}\.")
_ORDINAL = re.compile(r"\s+(?:(?P<word>[^\W\d_]+)|\d{1,2}\.)")
_TAIL = re.compile(r"[^\S\n]+(?:[\d_]|[^\w\s])(?:[\d_]|[^\w\n]){0,20}(?:\n|\Z)")  # the rest of a line, without a word
_SPACE = str.maketrans("\n\r\t\v\f\u2028\u2029", " " * 7)


def cut_text(text: str, most: int, *marks: str) -> Iterator[str]:
    """A text in pieces of at most so many characters, cut at the first mark that its second half has."""
    while len(text) > most:
        places = (text.rfind(mark, most // 2, most) for mark in marks)
        cut = next((place for place in places if place > 0), most)
        yield text[:cut].rstrip()
        text = text[cut:].lstrip("\n")
    yield text


class Sentence(NamedTuple):
    """A sentence, its line breaks blanks, and its place: character for character what stands there."""

    text: str
    start: int
    end: int


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order, by the abbreviations of every language: one page holds lines of several. A
    blank line, a list mark, a heading and a short line end one; a line that was broken for its length does not. What
    stands at a line's end without a word, a day or a sign, belongs to the sentence before it."""
    return list(_split(text))


def by_line(text: str) -> Iterator[str]:
    """The sentences of a text whose lines each stand for themselves, as they are written."""
    return (line[each.start : each.end] for line in text.splitlines() for each in sentences(line))


def _split(text: str) -> Iterator[Sentence]:
    begin, line = _after_mark(text, 0), 0  # where the current sentence and the current line begin
    for match in _END.finditer(text):
        at, end = match.start(), match.end()
        if at < begin:
            continue
        if match[1] is None:
            if not _goes_on(text, line, at):
                yield from _sentence(text, begin, at)
                begin = _after_mark(text, end)
            line = end
        elif _ends(text, match):
            yield from _sentence(text, begin, end)
            begin = end
    yield from _sentence(text, begin, len(text))


def _sentence(text: str, begin: int, end: int) -> Iterator[Sentence]:
    if core := text[begin:end].strip():
        begin = text.index(core, begin)
        yield Sentence(core.translate(_SPACE), begin, begin + len(core))


def _after_mark(text: str, at: int) -> int:
    found = _LINE.match(text, at)
    return found.end() if found else at


def _goes_on(text: str, line: int, at: int) -> bool:
    if _LINE.match(text, at + 1) or at + 1 >= len(text):
        return False
    length = at - line
    return length >= WRAPPED or (length >= LIKELY and text[at + 1 : at + 80].lstrip(" \t")[:1].islower())


def _ends(text: str, match: re.Match[str]) -> bool:
    at, end = match.start(), match.end()
    after = _NEXT.match(text, end)
    following = text[after.end() : after.end() + 1] if after else ""
    if _TAIL.match(text, end):
        return False
    if match[1] != ".":
        return not (following.islower() and (end > match.end(1) or match[1][0] in ".…"))
    if end > match.end(1) and following.islower():
        return False  # "(the first.) and so on"
    found = _BEFORE.search(text[max(0, at - 30) : at])
    word = found[0].lower() if found else ""
    if not word:
        return True
    if word in listed("words", "titles") or (word in listed("words", "numbering") and following.isdigit()):
        return False
    if word in listed("words", "abbreviations") or (len(word) <= SHORT_DAY and word in listed("dates", "weekdays")):
        return not (following.islower() or following.isdigit())
    if len(word) <= SHORT_DAY and _DOTTED.match(text, end):
        return False  # "ti. 4.5."
    if len(word) == 1 and word.isalpha():
        initial = found is not None and found[0].isupper() and word != "i"  # "341 S. Bellefield"
        return word in listed("words", "stop") and not initial and text[after.end() + 1 : after.end() + 2] != "."  # type: ignore[union-attr]  # the pattern matches anywhere
    if (following.islower() or following.isdigit()) and _DAY.fullmatch(word):
        return False  # "am Freitag 27.11. um 14 Uhr", "Do 26.11. 19.30 Uhr"
    if word.isdigit() and len(word) < 3:
        nth, nouns = _ORDINAL.match(text, end), (listed("words", "after_ordinal"), listed("dates", "months"))
        noun = nth["word"] if nth else ""
        return noun == "" or not (noun is None or noun[0].islower() or any(noun.lower() in each for each in nouns))
    return True
