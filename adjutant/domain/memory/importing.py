"""DOMAIN. A flat MEMORY.md in pieces: every line is in a piece, a heading, blank, or left out for a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from adjutant.domain.memory import guessing, notes
from adjutant.domain.memory.gate import MAX_CHARS, Gate
from adjutant.domain.memory.shelf import Shelf
from adjutant.errors import MemoryRefused
from adjutant.records.note import Note
from adjutant.screening.fence import clean_line

HEADING_CHARS = 60
MAX_PIECES = 5000
BATCH = 25  # pieces saved under one lock: others wait for no more than these
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*")
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{4,})\s*")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,4}[.)])(?:\s+|$)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BOLD = re.compile(r"(\*\*|__)[^*]+\1:?|[^\n]*:")
_NOTHING = re.compile(r"[!-/:-@\[-`{}~\s§•·–—]*")
LEAD = 7  # the level of a line that leads a list in as a heading would


class Piece(NamedTuple):
    """A stretch of the file, lines `first` to `last` (1-based): what it says, and the heading it stands under."""

    first: int
    last: int
    text: str
    under: str


class Pieces(NamedTuple):
    """A file in pieces. `headings`: {line: text}; `blank`: lines that say nothing; `left`: {line: why it is none}."""

    pieces: list[Piece]
    headings: dict[int, str]
    blank: list[int]
    left: dict[int, str]


def split(text: str) -> Pieces:
    """The pieces of a Markdown text by headings, top-level items and paragraphs. Lines end at `\\n` alone."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return _Splitter(lines).split()


class Taken(NamedTuple):
    """What became of a piece: the note it is in, or why it is in none; `outcome`: saved, reinforced, refused."""

    piece: Piece
    outcome: str
    note: Note | None = None
    reason: str = ""


def take_in(
    shelf: Shelf,
    gate: Gate,
    pieces: list[Piece],
    *,
    trust: str,
    source: str,
    now: datetime,
    progress: Callable[[int], Any],
) -> list[Taken]:
    """Saves each piece as a note, or reinforces the one that says the same.

    Raises MemoryRefused for more than 5,000 pieces, else as `notes.save`, the refusal of a piece apart.
    """
    if len(pieces) > MAX_PIECES:
        raise MemoryRefused(
            f"refused: {len(pieces)} pieces in one file, {MAX_PIECES} are allowed",
            "import it in parts; what is long belongs into a knowledge base",
        )
    found: list[Taken] = []
    for start in range(0, len(pieces), BATCH):
        progress(start + 1)
        asked = [_drafted(shelf, gate, piece, trust, source) for piece in pieces[start : start + BATCH]]
        with notes.held(shelf, now) as held:
            found += [each if isinstance(each, Taken) else _taken(held, *each) for each in asked]
    return found


def _drafted(shelf: Shelf, gate: Gate, piece: Piece, trust: str, source: str) -> Taken | tuple[Piece, notes.Draft]:
    """A piece with what is to be saved of it; what became of it where the gate has refused it."""
    try:
        text, under = gate.admit(piece.text, trust), gate.heading(piece.under, trust)
    except MemoryRefused as refusal:
        return _refused(piece, refusal)
    concepts = guessing.concepts_of(shelf.files, f"{under}\n{text}")
    return piece, notes.Draft(
        text=text,
        type=guessing.type_of(text, under),
        concepts=concepts,
        trust=trust,
        source=f"{source}:{piece.first}",
        under=under,
        obstacle=gate.lifted(text),
    )


def _taken(held: notes.Held, piece: Piece, draft: notes.Draft) -> Taken:
    said = held.saying(draft.text)
    try:
        if said and all(note.superseded_by for note in said):
            raise MemoryRefused(f"refused: {said[-1].id} said so, and {said[-1].superseded_by} has superseded it")
        saved = held.save(draft)
    except MemoryRefused as refusal:
        return _refused(piece, refusal)
    return Taken(piece, saved.outcome, saved.note)


def _refused(piece: Piece, refusal: MemoryRefused) -> Taken:
    return Taken(piece, "refused", None, refusal.message.removeprefix("refused: "))


class _Splitter:
    """Goes through the lines once; `_open` are the numbers of the lines of the piece under way."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.found = Pieces([], {}, [], {})
        self._after = [""] * (len(lines) + 1)  # the next line that is not blank, by the number of the line before
        for number in range(len(lines) - 1, -1, -1):
            self._after[number] = lines[number] if lines[number].strip() else self._after[number + 1]
        self._open: list[int] = []
        self._heads: list[tuple[int, str]] = []
        self._tops: list[str] = []
        self._fence, self._comment = "", False

    def split(self) -> Pieces:
        """All of it; the one heading of the highest level is the file's title and stands over nothing."""
        for number in range(self._front() + 1, len(self.lines) + 1):
            self._take(number, self.lines[number - 1])
        self._close()
        if len(self._tops) == 1:
            title, pieces = self._tops[0], self.found.pieces
            return self.found._replace(
                pieces=[piece._replace(under="") if piece.under == title else piece for piece in pieces]
            )
        return self.found

    def _front(self) -> int:
        """Leaves the frontmatter out; the number of its last line."""
        if not self.lines or self.lines[0].rstrip() != "---":
            return 0
        end = next((n for n, line in enumerate(self.lines[1:], start=2) if line.rstrip() == "---"), 0)
        self.found.left.update(dict.fromkeys(range(1, end + 1), "frontmatter of the file"))
        return end

    def _take(self, number: int, line: str) -> None:
        if self._fence or _FENCE.match(line):
            self._code(number, line)
        elif self._comment or line.lstrip().startswith("<!--"):
            self._close()
            self.found.left[number] = "a comment"
            self._comment = "-->" not in line
        elif not line.strip():
            self._blank(number)
        elif heading := _HEADING.fullmatch(line):
            self._head(number, len(heading[1]), heading[2] or "")
        elif self._underlines(number, line):
            self._head(number - 1, 1 if line.strip()[0] == "=" else 2, self.lines[number - 2], number)
        elif _NOTHING.fullmatch(line) and not (self._open and line.lstrip().startswith("|")):
            self._close()
            self.found.blank.append(number)
        elif self._leads(number, line):
            self._head(number, LEAD, line.strip().strip("*_:"))
        else:
            self._words(number, line)

    def _code(self, number: int, line: str) -> None:
        """A code block belongs to what stands right above it."""
        mark = _FENCE.match(line)
        if not self._fence and mark:
            self._fence = mark[1]
        elif mark and mark[1].startswith(self._fence) and not line.strip().strip(self._fence[0]):
            self._fence = ""
        self._open.append(number)

    def _blank(self, number: int) -> None:
        """Ends a paragraph; an item goes on where the next line is indented below it."""
        self.found.blank.append(number)
        after = self._after[number]
        item = self._open and _ITEM.match(self.lines[self._open[0] - 1])
        if not (item and after.startswith((" ", "\t")) and _indent(after) > _indent(self.lines[self._open[0] - 1])):
            self._close()

    def _head(self, number: int, level: int, text: str, last: int = 0) -> None:
        self._open = [open for open in self._open if open != number]
        self._close()
        while self._heads and self._heads[-1][0] >= level:
            self._heads.pop()
        self._heads.append((level, clean_line(text, HEADING_CHARS)))
        if level == 1:
            self._tops.append(self._heads[-1][1])
        for each in range(number, (last or number) + 1):
            self.found.headings[each] = self.lines[each - 1].strip()

    def _underlines(self, number: int, line: str) -> bool:
        """Whether this makes a heading of the line above: a short one that is no sentence and stands alone.

        `---` does not: between memories it is a rule, and no line must be taken for less than it is.
        """
        above = self.lines[number - 2].strip() if number > 1 else ""
        return bool(
            _UNDERLINE.fullmatch(line)
            and self._open == [number - 1]
            and not _ITEM.match(above)
            and len(above) <= HEADING_CHARS
            and above[-1:] not in tuple(".!?;,")
        )

    def _leads(self, number: int, line: str) -> bool:
        """Whether this line by itself leads a list in: `**Tools**` or `At work:`, with items after it."""
        after = self._after[number]
        return bool(
            not self._open
            and not _ITEM.match(line)
            and len(line.strip()) <= HEADING_CHARS
            and _BOLD.fullmatch(line.strip())
            and _ITEM.match(after)
            and not _NOTHING.fullmatch(after)
        )

    def _words(self, number: int, line: str) -> None:
        item = _ITEM.match(line)
        first = self.lines[self._open[0] - 1] if self._open else ""
        if item and not (_ITEM.match(first) and _indent(line) > _indent(first)):
            self._close()
        if not item and not self._open and self._heads and self._heads[-1][0] == LEAD:
            self._heads.pop()  # what led a list in stands over that list alone
        self._open.append(number)

    def _close(self) -> None:
        """The piece under way is whole. One that is too long for a note is cut between its lines."""
        stretch, length = list[int](), 0
        for number in self._open:
            size = len(self.lines[number - 1]) + 1
            if stretch and length + size > MAX_CHARS:
                self._piece(stretch)
                stretch, length = [], 0
            stretch.append(number)
            length += size
        if stretch:
            self._piece(stretch)
        self._open, self._fence = [], ""

    def _piece(self, numbers: list[int]) -> None:
        under = self._heads[-1][1] if self._heads else ""
        self.found.pieces.append(Piece(numbers[0], numbers[-1], self._text(numbers), under))

    def _text(self, numbers: list[int]) -> str:
        """The lines without the mark of a top-level item; the box of a task stays."""
        first = self.lines[numbers[0] - 1]
        item = _ITEM.match(first)
        rows = [first[item.end() :] if item else first, *(self.lines[number - 1] for number in numbers[1:])]
        cut = min((_indent(row) for row in rows[1:] if row.strip()), default=0)
        return "\n".join([rows[0].strip(), *(row[_leading(row, cut) :].rstrip() for row in rows[1:])])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _leading(line: str, cut: int) -> int:
    return min(cut, _indent(line))
