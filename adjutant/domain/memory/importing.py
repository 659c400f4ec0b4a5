"""DOMAIN. A flat MEMORY.md in pieces: every line is in a piece, a heading, blank, or left out for a reason."""

import re
from collections.abc import Callable
from datetime import datetime
from itertools import accumulate, zip_longest
from typing import Any, NamedTuple

from adjutant.documents import frontmatter, markdown
from adjutant.documents.markdown import Element
from adjutant.domain.memory import notes
from adjutant.domain.memory.gate import MAX_CHARS, Gate
from adjutant.domain.memory.shelf import Shelf
from adjutant.errors import MemoryRefused
from adjutant.ports import TRUST
from adjutant.records import period_file
from adjutant.records.note import Note
from adjutant.records.period_file import lowest
from adjutant.screening.fence import clean_line

HEADING_CHARS = 60
MAX_PIECES = 5000
BATCH = 25  # pieces saved under one lock: others wait for no more than these
_BOLD = re.compile(r"(\*\*|__)[^*]+\1:?|[^\n]*:")
_NOTHING = re.compile(r"[!-/:-@\[-`{}~\s§•·–—]*")
LEAD = 7  # the level of a line that leads a list in as a heading would


class ImportedPiece(NamedTuple):
    """A stretch of the file, lines `first` to `last` (1-based): what it says, and the heading it stands under."""

    first: int
    last: int
    text: str
    under: str


class Taken(NamedTuple):
    """What became of a piece: the note it is in, or why it is in none; `outcome`: saved, reinforced, refused."""

    piece: ImportedPiece
    outcome: str
    note: Note | None = None
    reason: str = ""


def read_mark(text: str) -> str:
    """Whose word a file says that it is: a note that was written out bears it in its frontmatter."""
    said = {field.name: field.value for field in frontmatter.split(text)[0]}.get("trust", TRUST[0])
    return said if said in TRUST else TRUST[-1]


Tell = Callable[[int], Any]  # which piece is next


def take_in(
    shelf: Shelf, gate: Gate, pieces: list[ImportedPiece], *, trust: str, source: str, now: datetime, progress: Tell
) -> list[Taken]:
    """Saves each piece as a note, or reinforces the one that says the same. Raises MemoryRefused for too many pieces,
    else as `notes.save`, the refusal of a piece apart."""
    if len(pieces) > MAX_PIECES:
        fix = "import it in parts; a long text belongs in a knowledge base"
        raise MemoryRefused(f"refused: {len(pieces)} pieces in one file, {MAX_PIECES} are allowed", fix)
    found: list[Taken] = []
    for start in range(0, len(pieces), BATCH):
        progress(start + 1)
        asked = [(piece, _draft(shelf, gate, piece, trust, source)) for piece in pieces[start : start + BATCH]]
        with notes.hold(shelf, now) as held:
            found += [_take_one(held, *each) for each in asked]
    return found


def _draft(shelf: Shelf, gate: Gate, piece: ImportedPiece, trust: str, source: str) -> notes.NoteDraft | MemoryRefused:
    trust = lowest(trust, period_file.bullet_of("", piece.text).trust)
    try:
        text, under = gate.admit(piece.text, trust), gate.heading(piece.under, trust)
    except MemoryRefused as refusal:
        return refusal
    about = notes.type_of(text, under), notes.concepts_of(shelf.files, f"{under}\n{text}")
    place, obstacle = f"{source}:{piece.first}", gate.find_lifted(text)
    return notes.NoteDraft(text, *about, trust=trust, source=place, under=under, obstacle=obstacle)


def _take_one(held: notes.LockedNotes, piece: ImportedPiece, draft: notes.NoteDraft | MemoryRefused) -> Taken:
    try:
        if isinstance(draft, MemoryRefused):
            raise draft
        said = held.saying(draft.text)
        if said and all(note.superseded_by for note in said):
            raise MemoryRefused(f"{said[-1].id} said so, and {said[-1].superseded_by} has superseded it")
        return Taken(piece, *held.save(draft)[:2])
    except MemoryRefused as refusal:
        return Taken(piece, "refused", None, refusal.message.removeprefix("refused: "))


class Pieces:
    """A file in pieces. `headings`: {line: text}; `blank`: lines that say nothing; `left`: {line: why it is none}. The
    one heading of the highest level is the file's title and stands over nothing."""

    def __init__(self, text: str) -> None:
        """Of a Markdown text, by headings, top-level items and paragraphs. Lines end at `\\n` alone."""
        self._lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
        self.pieces, self.headings = list[ImportedPiece](), dict[int, str]()
        self._open: list[int] = []  # the lines of the piece under way
        self._heads: list[tuple[int, str]] = []
        self._tops: list[str] = []
        _, start = frontmatter.split("\n".join(self._lines))
        self.left = dict.fromkeys(range(1, start + 1), "frontmatter of the file")
        every = markdown.elements(self._lines, start, code=False)
        for each, below in zip_longest(every, every[1:]):
            self._take(each, below)
        self._close()
        said = {*self.headings, *(line for piece in self.pieces for line in range(piece.first, piece.last + 1))}
        rows = [(line, row) for line, row in enumerate(self._lines, start=1) if line not in self.left]
        self.blank = [line for line, row in rows if line not in said or _NOTHING.fullmatch(row)]
        if len(self._tops) == 1:
            self.pieces = [each._replace(under="") if each.under in self._tops else each for each in self.pieces]

    def _take(self, each: Element, below: Element | None) -> None:
        first = self._lines[each.line - 1]
        item = each.kind == "item" and each.parent < 0
        goes_on = bool(self._open) and not item and (each.parent >= 0 or each.line == self._open[-1] + 1)
        # a line by itself leads a list in: `**Tools**` or `At work:`
        leads = each.kind == "text" and not goes_on and below is not None and below.kind == "item"
        if each.kind == "comment":
            self._close()
            self.left[each.line] = "a comment"
        elif each.kind == "heading" and not each.quoted and _is_heading(each, self._lines):
            self._head(each.level, each)
        elif each.kind == "rule" or (_NOTHING.fullmatch(first) and each.line == each.end and each.kind != "table"):
            self._close()
        elif leads and len(each.text) <= HEADING_CHARS and _BOLD.fullmatch(each.text):
            self._head(LEAD, each)
        else:
            self._add(each, item, goes_on)

    def _add(self, each: Element, item: bool, goes_on: bool) -> None:
        if not goes_on:
            self._close()
            if not item and self._heads and self._heads[-1][0] == LEAD:
                self._heads.pop()  # what led a list in stands over that list alone
        for line in range(each.line, each.end + 1):
            if each.kind in ("text", "heading") and _NOTHING.fullmatch(self._lines[line - 1]):
                self._close()  # a row of signs between two paragraphs
            else:
                self._open.append(line)

    def _head(self, level: int, each: Element) -> None:
        self._close()
        while self._heads and self._heads[-1][0] >= level:
            self._heads.pop()
        text = each.text.strip("*_:") if level == LEAD else each.text
        self._heads.append((level, clean_line(text, HEADING_CHARS)))
        if level == 1:
            self._tops.append(self._heads[-1][1])
        for line in range(each.line, each.end + 1):
            self.headings[line] = self._lines[line - 1].strip()

    def _close(self) -> None:
        while self._open:
            lengths = accumulate(len(self._lines[number - 1]) + 1 for number in self._open)
            most = max(1, sum(length <= MAX_CHARS for length in lengths))
            self._piece(self._open[:most])
            self._open = self._open[most:]

    def _piece(self, numbers: list[int]) -> None:
        """Keeps lines without the mark of a top-level item; the box of a task stays."""
        first, *rows = (self._lines[number - 1] for number in numbers)
        item = markdown.ITEM.match(first.lstrip())
        cut = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
        said = [first.lstrip()[item.end() if item else 0 :].strip(), *(row[cut:].rstrip() for row in rows)]
        under = self._heads[-1][1] if self._heads else ""
        self.pieces.append(ImportedPiece(numbers[0], numbers[-1], "\n".join(said), under))


def _is_heading(each: Element, lines: list[str]) -> bool:
    """Whether a heading is meant: what stands above `---` or ends as a sentence is text, and the line below a rule."""
    if each.line == each.end:
        return True
    rule = lines[each.end - 1].strip()
    return len(each.text) <= HEADING_CHARS and each.text[-1:] not in tuple(".!?;,") and rule != "---"
