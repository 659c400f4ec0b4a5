"""DOMAIN. Knowledge bases as documents: one a passage, id KB:PATH#LINE; instruction-like lines are screened."""

from __future__ import annotations

from adjutant.domain.knowledge import outline
from adjutant.domain.knowledge.passages import KbFile
from adjutant.domain.recall.sources.parts import beyond, fingerprint, path_words
from adjutant.ports import Document
from adjutant.screening.screen import redact_hits, screen

COLLECTION = "kb"
TRAIL = " › "


def documents(path: str, data: bytes, *, kb: str, inside: str, changed: str = "") -> list[Document]:
    """The passages of one file of the knowledge base `kb`, `inside`: its path there. None of a file that is no text."""
    text = _text(data)
    if text is None:
        return []
    safe = redact_hits(text, screen(text), inside)
    file = KbFile(inside, safe, 0, "")
    lines, found = file.lines(), []
    for block in outline.blocks(file):
        body = _body(lines, block)
        if not body:
            continue
        anchor = str(block.first + 1)
        title = TRAIL.join(part for part in (kb, block.label or path_words(inside.rpartition("/")[2])) if part)
        names = beyond(f"{path_words(inside)} {block.over} {block.above}".split(), title)
        found.append(
            Document(
                id=f"{kb}:{inside}#{anchor}",
                collection=COLLECTION,
                title=title,
                text=body,
                path=path,
                anchor=anchor,
                trust="untrusted",
                created_at=changed,
                updated_at=changed,
                names=names,
                source_sha=fingerprint(title, names, body),
            )
        )
    return found


def _text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _body(lines: list[str], block: outline.Block) -> str:
    """What a passage says; the rows of a table with the names of their columns. "" for a heading: its words are
    over every passage below it."""
    if block.heading:
        return ""
    said = lines[block.first : block.end]
    return "\n".join(outline.says(line, block.columns) if block.columns else line for line in said).strip()
