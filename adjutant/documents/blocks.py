"""DOCUMENTS. The types: a document, the blocks it is made of, the named values of a block."""

from datetime import date
from typing import NamedTuple


class Field(NamedTuple):
    """A named value: a frontmatter key, a cell, a record's entry, a line of a mail's head. `line` is 1-based."""

    name: str
    value: str
    line: int


ENDS = (".", "!", "…", ")", ":")  # of a sentence that runs over several lines


class Block(NamedTuple):
    """One thing that a file says; `line` to `end` (1-based, inclusive) is where, `text` its words without markers."""

    kind: str  # heading item task text row record event quote callout code field mail
    line: int
    end: int
    text: str
    path: tuple[str, ...] = ()  # headings above, outermost first
    columns: tuple[Field, ...] = ()  # of row, record, event, field, mail
    box: str = ""  # open, done, dropped
    depth: int = 0  # of an item
    parent: int = -1  # index in Document.blocks of the item above
    table: int = -1  # number of the table or list of records within the file
    day: date | None = None  # the day the block speaks from
    zone: str = ""  # quote code template archive clipping example closed own
    sender: str = ""  # whose letter it stands in, by the name that its head gives

    @property
    def quoted(self) -> bool:
        return "quote" in (self.zone, self.kind)

    @property
    def is_verse(self) -> bool:
        """Whether its lines end as no sentence does: a poem, or a list without marks."""
        return self.end > self.line and not self.text.endswith(ENDS)


class ParsedFile(NamedTuple):
    """One file, read."""

    path: str
    kind: str  # markdown text csv yaml json ics eml
    language: str
    title: str
    meta: tuple[Field, ...]
    day: date | None
    zone: str
    blocks: tuple[Block, ...]
    lines: tuple[str, ...]
