"""DOMAIN. The best passage of a text, however long that is: whole lines and sentences around what was asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from adjutant.domain.recall.question import root
from adjutant.language.sentences import sentences
from adjutant.language.words import forms
from adjutant.store.index_tables import UNSPACED

LEFT_OUT = "[…]"
HEADING_CHARS = 100
MOST_PLACES = 20_000  # of words in one text
_LINE = re.compile(r"^", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S.*$", re.MULTILINE)


def best(text: str, rare: Mapping[str, float], size: int, *, headed: bool = True) -> str:
    """At most `size` characters of `text`: those where most of the words stand, the rarest counting most.

    What is left out is marked, and with `headed` the heading that the passage stands under comes along. Takes time in
    proportion to the length of `text`.
    """
    text = text.strip()
    if len(text) <= size:
        return text
    room = size - HEADING_CHARS * headed - 2 * len(LEFT_OUT) - 4
    first, last = _densest(text, rare, room)
    while 0 < last < len(text) and text[last].isalnum():
        last += 1  # what was found is the beginning of a word
    start = _start(text, first, last, room)
    end = _end(text, start, last, room)
    heading = _heading(text, start) if headed else ""
    before = f"{heading}\n" if heading else ""
    return (
        (f"{before}{LEFT_OUT}\n" if start else "")
        + text[start:end].strip()
        + (f"\n{LEFT_OUT}" if text[end:].strip() else "")
    )


def _densest(text: str, rare: Mapping[str, float], room: int) -> tuple[int, int]:
    """Where the stretch of at most `room` characters begins and ends that holds most, no longer than that takes;
    (0, 0) where nothing is found."""
    words = list(rare)
    places: list[tuple[int, int, str]] = []
    for match in pattern(words).finditer(text):
        if match.lastindex:
            places.append((match.start(), match.end(), words[match.lastindex - 1]))
        if len(places) == MOST_PLACES:
            break
    inside, oldest = Counter[str](), 0
    value, most, found = 0.0, 0.0, (0, 0)
    for _, end, word in places:
        value += rare[word] if not inside[word] else 0.0
        inside[word] += 1
        while inside[places[oldest][2]] > 1 or end - places[oldest][0] > room:
            gone = places[oldest][2]
            inside[gone] -= 1
            value -= rare[gone] if not inside[gone] else 0.0
            oldest += 1
        if value > most + 1e-9:
            most, found = value, (places[oldest][0], end)
    return found


def _start(text: str, first: int, last: int, room: int) -> int:
    """The beginning of a line or a sentence that leaves room on both sides of what was found; else of a word."""
    spare = max(room - (last - first), 0)
    least = max(first - spare // 2, last - room, 0)
    if len(text) - least < room:
        least = max(min(least, len(text) - room), 0)
    if not least:
        return 0
    if (line := _LINE.search(text, least, first + 1)) and line.end() <= first:
        return line.end()
    begins = [least + each.start for each in sentences(text[least : max(last, least + room)])]
    if len(begins) > 1 and begins[1] <= first:
        return begins[1]
    blank = text.find(" ", least, first)
    return blank + 1 if blank >= 0 else first


def _end(text: str, start: int, last: int, room: int) -> int:
    """The end of a line or a sentence after what was found; else of a word."""
    most = start + room
    if most >= len(text):
        return len(text)
    least = max(last, start + room // 2)
    ends = [least + each.end for each in sentences(text[least:most])]
    end = max(text.rfind("\n", least, most), *ends[:-1], -1)
    if end < 0:
        end = text.rfind(" ", last, most)
    return end if end > start else most


def _heading(text: str, start: int) -> str:
    """The last heading above `start`; "" where none is, or where one stands there."""
    if _HEADING.match(text, start):
        return ""
    line = ""
    for match in _HEADING.finditer(text, 0, start):
        line = match.group().strip()
    return line if len(line) <= HEADING_CHARS else line[: HEADING_CHARS - 1] + "…"


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any form of these words, each in a group of its own, in their order."""
    return re.compile("|".join(f"({_forms(word)})" for word in words) or "(?!)", re.IGNORECASE)


def _forms(word: str) -> str:
    """What the forms of a word begin with."""
    if UNSPACED.search(word):
        return re.escape(word)
    roots = sorted({re.escape(root(form)) for form in (word, *forms(word))}, key=len, reverse=True)
    return rf"(?<![^\W_])(?:{'|'.join(roots)})"
