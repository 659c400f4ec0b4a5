"""DOMAIN. Hits for a person, in 80 columns: what it is, where it stands, and the part of it that answers."""

from __future__ import annotations

import json
import re
import textwrap

from adjutant.domain.recall.collections import TABLE
from adjutant.screening.fence import clean_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.ports import Document, Hit

WIDTH, INDENT = 80, "   "
SNIPPET_LINES = 2
_NAMES = {each.key: each.name for each in TABLE}
_WORD = re.compile(r"\w+")
_STEM = 4  # letters that two forms of one word have in common, as a rule


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


def whole(document: Document) -> str:
    """What the file says: of a skill its description and what stands below it; a message has others around it."""
    return document.text if document.group or not document.context else f"{document.text}\n\n{document.context}"


def snippet(text: str, query: str, size: int = SNIPPET_LINES * (WIDTH - len(INDENT)) - 4) -> str:
    """The stretch of `text`, on one line, with the most words of `query` in it; all of it when it is short."""
    plain = clean_line(text, 100_000)
    if len(plain) <= size:
        return plain
    wanted = {word[:_STEM] for word in _WORD.findall(query.lower()) if len(word) >= _STEM}
    words = ((match.start(), match[0][:_STEM]) for match in _WORD.finditer(plain.lower()))
    places = [(at, word) for at, word in words if word in wanted]
    best, start = 0, 0
    for number, (at, _) in enumerate(places):
        inside = {word for place, word in places[number : number + 40] if place <= at + size - 30}
        if len(inside) > best:
            best, start = len(inside), at
    if start <= size // 2:
        return _cut(plain, size)
    start = plain.rfind(" ", 0, max(start - 30, 1)) + 1
    return _cut(f"…{plain[start:]}", size)


def _place(document: Document) -> str:
    where = document.path + (f"#{document.anchor}" if document.anchor else "")
    facts = [_NAMES.get(document.collection, document.collection), document.created_at[:10]]
    if document.trust == "untrusted":
        facts.append("untrusted")
    return f"{clean_line(where, 400)}  ({', '.join(fact for fact in facts if fact)})"


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"
