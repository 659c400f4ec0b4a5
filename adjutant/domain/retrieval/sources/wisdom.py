"""DOMAIN. The standing rules of identity/wisdom.md as documents: one an entry, found by its title's words."""

from __future__ import annotations

import re

from adjutant.domain.retrieval.sources.parts import Ids, fingerprint, text_of
from adjutant.ports import Document

COLLECTION = "agent_memory"
_TITLE = re.compile(r"\*\*(.+?)\*\*\s*")
_CATEGORY = re.compile(r"##\s+(.*?)\s*")
_DAY = re.compile(r"(?m)^Last compacted:\s*(\d{4}-\d\d-\d\d)\s*$")
_PINNED = re.compile(r"\s*\(pinned\)\s*\Z")
_NOT_WORD = re.compile(r"[\W_]+")


def documents(path: str, data: bytes) -> list[Document]:
    """The entries `**title**` with the text below each, ids wisdom/TITLE. Raises FileDamaged."""
    text, ids, found = text_of(path, data), Ids(), list[Document]()
    day = _DAY.search(text)
    moment = f"{day[1]}T00:00:00+00:00" if day else ""
    for category, title, body in _entries(text):
        anchor = ids.own(_NOT_WORD.sub("-", title.lower()).strip("-")[:80] or "entry")
        found.append(Document(
            id=f"wisdom/{anchor}", collection=COLLECTION, title=title, text=body or title, path=path, anchor=anchor,
            tags=(category,) if category else (), created_at=moment, updated_at=moment,
            source_sha=fingerprint(category, title, body, moment),
        ))
    return found


def _entries(text: str) -> list[tuple[str, str, str]]:
    """(category, title, text) of each entry, in order."""
    category, found = "", list[tuple[str, str, list[str]]]()
    for line in text.split("\n"):
        if heading := _CATEGORY.fullmatch(line):
            category = heading[1]
        elif title := _TITLE.fullmatch(line):
            found.append((category, _PINNED.sub("", title[1]), []))
        elif found and found[-1][0] == category:
            found[-1][2].append(line)
    return [(category, title, "\n".join(lines).strip()) for category, title, lines in found]
