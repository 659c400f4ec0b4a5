"""DOMAIN. Knowledge bases as documents: one a passage, id KB:PATH#LINE; instruction-like lines are screened."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from adjutant.documents import document, folder, markdown
from adjutant.documents.document import Block
from adjutant.domain.recall.sources.parts import beyond, fingerprint, path_words
from adjutant.ports import Document
from adjutant.screening.screen import redact_hits, screen

COLLECTION = "kb"
TRAIL = " › "
MAX_LINES = 12  # of a passage of prose or code: words further apart do not belong together
PROSE = frozenset(("text", "quote", "callout", "code", "field"))
UNDATED = date(2000, 1, 1)  # no passage is found by the day it speaks from


def documents(path: str, data: bytes, *, kb: str, inside: str, changed: str = "") -> list[Document]:
    """The passages of one file of the knowledge base `kb`, `inside`: its path there. None of a file that is no text."""
    try:
        text = folder.decoded(data)
    except OSError:
        return []
    page = document.read(inside, redact_hits(text, screen(text), inside), near=UNDATED)
    return [_passage(page, block, line, end, path, kb, inside, changed) for block, line, end in _passages(page.blocks)]


def _passages(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, int, int]]:
    """(block that it begins with, first line, last line) of each passage; headings stand over those below them."""
    first = last = None
    for block in (*blocks, None):
        if first and last and not (block and _goes_on(first, last, block)):
            step = MAX_LINES if first.kind in PROSE else last.end
            for line in range(first.line, last.end + 1, step):
                yield first, line, min(line + step - 1, last.end)
            first = None
        first, last = first or (block if block and block.kind != "heading" else None), block


def _goes_on(first: Block, last: Block, block: Block) -> bool:
    """Whether a block of prose belongs to the passage of those right above it."""
    return (
        {first.kind, block.kind} <= PROSE
        and first.path == block.path
        and block.line <= last.end + 1
        and block.end - first.line < MAX_LINES
    )


def _passage(
    page: document.Document, block: Block, line: int, end: int, path: str, kb: str, inside: str, changed: str
) -> Document:
    above = markdown.plain(page.blocks[block.parent].text) if block.parent >= 0 else ""
    body = "\n".join(page.lines[line - 1 : end]).strip()
    if block.columns and block.kind not in PROSE:
        body = "; ".join(f"{field.name}: {field.value}" if field.name else field.value for field in block.columns)
    label = above or (block.path[-1] if block.path else path_words(inside.rpartition("/")[2]))
    title = TRAIL.join(part for part in (kb, label) if part)
    over = " ".join([path_words(inside), *(field.name for field in block.columns), above, *block.path])
    names = beyond(over.split(), title)
    return Document(
        id=f"{kb}:{inside}#{line}",
        collection=COLLECTION,
        title=title,
        text=body,
        path=path,
        anchor=str(line),
        trust="untrusted",
        created_at=changed,
        updated_at=changed,
        names=names,
        source_sha=fingerprint(title, names, body),
    )
