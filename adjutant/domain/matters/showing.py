"""DOMAIN. Which lines of a knowledge base a model is shown: what is certain first, then every file in turn.

A model can only judge what it sees, and rules that choose what it sees decide in its place. So each file gives its best
lines before any file gives many: a file's lines count less the more of it is shown.
"""

import heapq
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from adjutant.documents import document
from adjutant.documents.document import Block, ParsedFile
from adjutant.documents.folder import Entry
from adjutant.domain.matters.extract import NOWHERE
from adjutant.domain.matters.opened import Offered, Opened, checksum
from adjutant.domain.matters.relevance import Relevance
from adjutant.language.dates import find
from adjutant.language.stems import stems

MAX_LINE = 400  # characters of one line
MOST_BYTES = 4 * 1024 * 1024  # of the files looked through for lines, the newest first
HANDLE = 6  # characters that a line's handle takes
CITED, BESIDE = 1000.0, 12.0  # worth of a line that a matter rests on, and of its neighbours
NEAR_DAYS, FRESH_DAYS = 14, 3
SHARE = 700  # characters of one file: then its lines count half
SMALL = 1200  # characters of a file that is shown whole where there is room
EDGE = 6  # lines at the head and the end of a file
OFTEN = 4  # lines that say the same but for their figures
_FIGURES = re.compile(r"\d+")
_SPENT = re.compile(r"[\s|:=+*_-]*")
_DATED = re.compile(r"\d|day\b|tag\b|dag\b|morrow|morgen|week|woche|uke", re.IGNORECASE)


class ShownPiece(NamedTuple):
    """Lines of a file that are shown together: their numbers, what else has to stand over them, their worth."""

    lines: tuple[int, ...]
    over: tuple[int, ...]
    worth: float


Chosen = dict[str, set[int]]  # path: numbers of the lines that are shown


def choose(
    base: Opened,
    cited: Mapping[str, Collection[int]],
    heart: Relevance,
    today: date,
    budget: int,
    before: Mapping[str, Offered] | None = None,
) -> tuple[Chosen, int]:
    """(the lines to show, how many more there were), at most `budget` characters.

    `cited`: lines that open matters rest on. `before`: what a model was last offered of each file: then only what is
    new since is shown, with the lines around it.
    """
    files: list[tuple[str, Sequence[str], list[ShownPiece]]] = []
    room, shas = MOST_BYTES, {each.path: each.sha for each in base.found.readings}
    for entry in sorted(base.entries, key=lambda each: (-each.mtime_ns, each.path)):
        old = before.get(entry.path) if before is not None else None
        if room <= 0 or (old is not None and old.sha == shas.get(entry.path)):
            continue
        lines = base.lines(entry.path)
        room -= entry.size
        pieces = list(_pieces(base, entry, lines, cited.get(entry.path, ()), heart, today))
        if old is not None:
            pieces = _pick_new(pieces, lines, frozenset(old.lines))
        if pieces:
            files.append((entry.path, lines, sorted(pieces, key=lambda each: -each.worth)))
    return _take(files, budget)


def _take(files: Sequence[tuple[str, Sequence[str], list[ShownPiece]]], budget: int) -> tuple[Chosen, int]:
    """The best piece of all files, again and again; what was taken of a file lowers the rest of it."""
    chosen: Chosen = {}
    spent = [0] * len(files)
    heap = [(-pieces[0].worth, number, 0) for number, (_, _, pieces) in enumerate(files)]
    heapq.heapify(heap)
    left = 0
    while heap:
        _, number, at = heapq.heappop(heap)
        path, lines, pieces = files[number]
        have = chosen.get(path, set())
        new = [line for line in (*pieces[at].over, *pieces[at].lines) if line not in have]
        size = sum(min(len(lines[line - 1]), MAX_LINE) + HANDLE for line in new) + (0 if have else len(path) + 3)
        if size <= budget:
            chosen.setdefault(path, set()).update(new)
            budget -= size
            spent[number] += size
        else:
            left += len(new)
        if at + 1 < len(pieces):
            following = pieces[at + 1]
            worth = following.worth if following.worth >= CITED else following.worth / (1 + spent[number] / SHARE)
            heapq.heappush(heap, (-worth, number, at + 1))
    return chosen, left


def _pick_new(pieces: Sequence[ShownPiece], lines: Sequence[str], known: frozenset[int]) -> list[ShownPiece]:
    """The pieces with a line that was not there before, and their neighbours."""
    new = {line for each in pieces for line in each.lines if checksum(lines[line - 1]) not in known}
    beside = {line + step for line in new for step in (-1, 1)}
    raised = [each._replace(worth=each.worth + CITED) if new.intersection(each.lines) else each for each in pieces]
    return [each for each in raised if not (new | beside).isdisjoint(each.lines)]


def _pieces(
    base: Opened, entry: Entry, lines: Sequence[str], cited: Collection[int], heart: Relevance, today: date
) -> Iterator[ShownPiece]:
    doc = document.read(entry.path, "\n".join(lines), near=today, order=base.order)
    if doc.zone in NOWHERE:
        return
    around = stems(re.sub(r"[/_.-]+", " ", entry.path.rsplit(".", 1)[0]), doc.language)
    same = Counter(_FIGURES.sub("", block.text) for block in doc.blocks)
    fresh = 0.0 <= today.toordinal() - date.fromtimestamp(entry.mtime_ns / 1e9).toordinal() <= FRESH_DAYS
    small = entry.size <= SMALL
    tables, count = _tables(doc), len(doc.blocks)
    for number, (block, over) in enumerate(_with_heads(doc)):
        if block.zone in NOWHERE or _SPENT.fullmatch(block.text):
            continue
        shown = tuple(n for n in range(block.line, block.end + 1) if 1 <= n <= len(lines) and lines[n - 1].strip())
        if not shown:
            continue
        worth = _worth(block, doc, around, heart, today) + fresh + small
        worth += 1.5 * (number < EDGE) + 1.0 * (number >= count - EDGE)
        if block.kind == "heading":
            worth *= 0.3  # it comes with what stands under it
        if same[_FIGURES.sub("", block.text)] >= OFTEN and not _is_near(block.day, today):
            worth *= 0.2
        if any(line in cited for line in shown):
            worth += CITED
        elif any(line + step in cited for line in (shown[0], shown[-1]) for step in (-2, -1, 1, 2)):
            worth += BESIDE
        yield ShownPiece(shown[:12], (*over, *tables.get(block.table, ())), worth)


def _worth(block: Block, doc: ParsedFile, around: frozenset[str], heart: Relevance, today: date) -> float:
    """How much a block promises by its form, its days and what of the heart it touches; no word of anybody's trade."""
    if block.box in ("done", "dropped"):
        return 0.3
    worth = 1.0 + 3.0 * (block.box == "open")
    touch = heart.touched(stems(block.text, doc.language), around | stems(" ".join(block.path), doc.language))
    worth += 3.0 * touch.share if touch is not None else 0.0
    if _is_near(block.day, today):
        worth += 3.0
    if _DATED.search(block.text):
        days = find(block.text, today, anchor=block.day or doc.day or today, code=doc.language)
        worth += 3.0 * any(_is_near(each.first, today) or _is_near(each.last, today) for each in days)
    return worth


def _is_near(day: date | None, today: date) -> bool:
    return day is not None and abs((day - today).days) <= NEAR_DAYS


def _with_heads(doc: ParsedFile) -> Iterator[tuple[Block, tuple[int, ...]]]:
    above: list[tuple[int, int]] = []
    for block in doc.blocks:
        if block.kind == "heading":
            while above and above[-1][0] >= block.depth:
                above.pop()
            yield block, tuple(line for _, line in above)
            above.append((block.depth, block.line))
        else:
            yield block, tuple(line for _, line in above[-2:])


def _tables(doc: ParsedFile) -> Mapping[int, tuple[int, ...]]:
    """{table: the lines of its head}: what names the columns stands over its first row."""
    found: dict[int, tuple[int, ...]] = {}
    for block in doc.blocks:
        if block.kind == "row" and block.table not in found:
            above = (n for n in range(block.line - 1, max(block.line - 3, 0), -1) if n <= len(doc.lines))
            head = next((n for n in above if doc.lines[n - 1].strip() and not _SPENT.fullmatch(doc.lines[n - 1])), 0)
            found[block.table] = (head,) if head else ()
    return found
