"""DOMAIN. Hits for a person, in 80 columns: what it is, where it stands, and the best passage of its text."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import islice

from adjutant.domain.recall.places import TABLE
from adjutant.domain.recall.question import read_question, root
from adjutant.index_ports import Document, Hit
from adjutant.language.sentences import sentences
from adjutant.language.words import forms
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen
from adjutant.store.index_tables import UNSPACED

WIDTH, INDENT = 80, "   "
SNIPPET_LINES = 2
_NAMES = {each.key: each.name for each in TABLE}
LEFT_OUT = "[…]"
HEADING_CHARS = 100
MOST_PLACES = 20_000  # of words in one text
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S.*$", re.MULTILINE)


def lines(hits: list[Hit], query: str, *, explain: bool = False) -> list[str]:
    """Three or four lines a hit; the best first."""
    if not hits:
        return ["nothing found"]
    wrap = partial(textwrap.wrap, width=WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    found = []
    for number, hit in enumerate(hits, 1):
        document = hit.document
        facts = [_NAMES.get(document.collection, document.collection), document.created_at[:10]]
        facts += ["untrusted"] if document.trust == "untrusted" else []
        where = f"{clean_line(place(document), 400)}  ({', '.join(filter(None, facts))})"
        found.append(cut(f"{number}. {clean_line(document.title or document.id, WIDTH)}", WIDTH))
        found += wrap(where, break_on_hyphens=False)
        found += wrap(snippet(whole(document), query))[:SNIPPET_LINES]
        found += wrap(f"score {hit.score:.2f}: {json.dumps(hit.why, ensure_ascii=False)}") if explain else []
    return found


def line_of(anchor: object) -> int:
    """The first line that an anchor names ("7", "L7-9"); 0 for one that names none."""
    text = str(anchor or "").removeprefix("L").partition("-")[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def whole(document: Document) -> str:
    """What the file says: of a skill its description and what stands below it; a message has others around it."""
    return document.text if document.group or not document.context else f"{document.text}\n\n{document.context}"


def snippet(text: str, query: str, size: int = SNIPPET_LINES * (WIDTH - len(INDENT)) - 4) -> str:
    """The stretch of `text`, on one line, with the most words of `query` in it; all of it when it is short."""
    words = dict.fromkeys((term.word for term in read_question(query).terms), 1.0)
    passage = cut_passage(text, words, size, headed=False).replace(LEFT_OUT, "…")
    return cut(clean_line(passage, 2 * size), size)


def safe(document: Document) -> Document:
    """The document; of a stranger's text each line that reads like an instruction gives way to its place."""
    if document.trust == "operator":
        return document
    lines = document.text.split("\n")
    for hit in screen(document.text):
        lines[hit.line - 1] = f"[a line that reads like an instruction is left out; it stands in {place(document)}]"
    return document._replace(text="\n".join(lines))


def place(document: Document) -> str:
    """Where a document stands: its path, and the heading, line or record in it."""
    return document.path + (f"#{document.anchor}" if document.anchor else "")


def cut(text: str, size: int) -> str:
    """At most `size` characters of a text, the last an ellipsis where it was longer."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"


# -- the best passage of a text, however long that is ---------------------------------------------------------
def cut_passage(text: str, rare: Mapping[str, float], size: int, *, headed: bool = True) -> str:
    """At most `size` characters of `text`, where most of the words stand, the rarest counting most; what is left out is
    marked. `headed`: with the heading it stands under. Takes time in proportion to the length of `text`."""
    text = text.strip()
    if len(text) <= size:
        return text
    room = size - HEADING_CHARS * headed - 2 * len(LEFT_OUT) - 4
    first, last = _densest(text, rare, room)
    while 0 < last < len(text) and text[last].isalnum():
        last += 1  # what was found is the beginning of a word
    start, end = _stretch(text, first, last, room)
    above = _HEADING.findall(text, 0, start) if headed and not _HEADING.match(text, start) else []
    parts = [cut(above[-1].strip(), HEADING_CHARS)] if above else []
    parts += [LEFT_OUT] if start else []
    parts += [text[start:end].strip(), *([LEFT_OUT] if text[end:].strip() else [])]
    return "\n".join(parts)


def _densest(text: str, rare: Mapping[str, float], room: int) -> tuple[int, int]:
    """Where the stretch of at most `room` characters begins and ends that holds most; (0, 0) where nothing is found."""
    words = list(rare)
    found = "|".join(f"({_forms(word)})" for word in words) or "(?!)"  # any form of each, in a group of its own
    matches = (match for match in re.compile(found, re.IGNORECASE).finditer(text) if match.lastindex)
    places = [(*match.span(), words[(match.lastindex or 0) - 1]) for match in islice(matches, MOST_PLACES)]
    inside, oldest = Counter[str](), 0
    value, most, best = 0.0, 0.0, (0, 0)
    for _, end, word in places:
        value += rare[word] if not inside[word] else 0.0
        inside[word] += 1
        while inside[places[oldest][2]] > 1 or end - places[oldest][0] > room:
            gone = places[oldest][2]
            inside[gone] -= 1
            value -= rare[gone] if not inside[gone] else 0.0
            oldest += 1
        if value > most + 1e-9:
            most, best = value, (places[oldest][0], end)
    return best


def _stretch(text: str, first: int, last: int, room: int) -> tuple[int, int]:
    """Where `room` characters around what was found begin and end: with a line or a sentence, else with a word."""
    start = min(max(first - max(room - (last - first), 0) // 2, last - room, 0), len(text) - room)
    if start:
        start = next((at for each in _begin(text, start, start + room) for at in each if at <= first), first)
    end = start + room
    if end >= len(text):
        return start, len(text)
    lines, said, words = _begin(text, start, end)
    ends = [at for at in (*lines, *said) if at >= max(last, start + room // 2)]
    return start, max(ends or [at for at in words if at > last], default=end)


def _begin(text: str, start: int, end: int) -> tuple[list[int], list[int], list[int]]:
    finds = (re.compile(mark).finditer(text, max(start - 1, 0), end) for mark in "\n ")
    lines, words = ([match.end() for match in found] for found in finds)
    return lines, [start + each.start for each in sentences(text[start:end])[1:]], words


def _forms(word: str) -> str:
    if UNSPACED.search(word):
        return re.escape(word)
    roots = sorted({re.escape(root(form)) for form in (word, *forms(word))}, key=len, reverse=True)
    return rf"(?<![^\W_])(?:{'|'.join(roots)})"
