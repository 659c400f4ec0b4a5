"""DOMAIN. Hits for a person, in 80 columns: what it is, where it stands, and the part of it that answers."""

from __future__ import annotations

import json
import textwrap

from adjutant.domain.recall import excerpt
from adjutant.domain.recall.collections import TABLE
from adjutant.domain.recall.question import read_question
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.index_ports import Document, Hit

WIDTH, INDENT = 80, "   "
SNIPPET_LINES = 2
_NAMES = {each.key: each.name for each in TABLE}


def lines(hits: list[Hit], query: str, *, explain: bool = False) -> list[str]:
    """Three or four lines a hit; the best first."""
    if not hits:
        return ["nothing found"]
    found = []
    for number, hit in enumerate(hits, 1):
        document = hit.document
        found.append(_cut(f"{number}. {clean_line(document.title or document.id, WIDTH)}", WIDTH))
        found += textwrap.wrap(
            _place(document), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False
        )
        wrapped = textwrap.wrap(snippet(whole(document), query), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
        found += wrapped[:SNIPPET_LINES]
        if explain:
            why = json.dumps(hit.why, ensure_ascii=False)
            found += textwrap.wrap(
                f"score {hit.score:.2f}: {why}", WIDTH, initial_indent=INDENT, subsequent_indent=INDENT
            )
    return found


def line_of(anchor: object) -> int:
    """The first line that an anchor names ("7", "L7-9"); 0 for one that names none."""
    text = str(anchor or "").removeprefix("L").partition("-")[0]
    return int(text) if text.isascii() and text.isdigit() else 0


def whole(document: Document) -> str:
    """What the file says: of a skill its description and what stands below it; a message has others around it."""
    return document.text if document.group or not document.context else f"{document.text}\n\n{document.context}"


def snippet(text: str, query: str, size: int = SNIPPET_LINES * (WIDTH - len(INDENT)) - 4) -> str:
    """The stretch of `text`, on one line, with the most words of `query` in it; all of it when it is short."""
    words = dict.fromkeys((term.word for term in read_question(query).terms), 1.0)
    passage = excerpt.best(text, words, size, headed=False).replace(excerpt.LEFT_OUT, "…")
    return _cut(clean_line(passage, 2 * size), size)


def safe(document: Document) -> Document:
    """A document of whose text, where it is not the operator's own word, each line that reads like an instruction gives
    way to its place."""
    if document.trust == "operator":
        return document
    lines = document.text.split("\n")
    for hit in screen(document.text):
        lines[hit.line - 1] = f"[a line that reads like an instruction is left out; it stands in {place(document)}]"
    return document._replace(text="\n".join(lines))


def place(document: Document) -> str:
    """Where a document stands: its path, and the heading, line or record in it."""
    return document.path + (f"#{document.anchor}" if document.anchor else "")


def _place(document: Document) -> str:
    where = place(document)
    facts = [_NAMES.get(document.collection, document.collection), document.created_at[:10]]
    if document.trust == "untrusted":
        facts.append("untrusted")
    return f"{clean_line(where, 400)}  ({', '.join(fact for fact in facts if fact)})"


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"
