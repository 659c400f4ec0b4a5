"""DOMAIN. The journal as documents: one an entry, id DATE#HH:MM; what stands above the first entry is one as well."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from adjutant.domain.recall.sources.parts import Ids, day_words, make, text_of
from adjutant.index_ports import Document
from adjutant.records.journal import DRY_RUN

COLLECTION = "journal"
NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.md")
# Entries that runs write, by their title. What these tell stood in a knowledge base, or was made of one; the fourth
# names files alone, the last one what a model may have worded. Everything else in a journal is the operator's.
MACHINES = {
    "Pulse": "untrusted",
    "Escalation": "untrusted",
    "Review": "untrusted",
    "Security": "agent",
    "Behaviour review": "agent",
}
_ENTRY = re.compile(r"## (\d\d:\d\d)(?:\s+[—–-]+)?\s*(.*)")


def documents(path: str, data: bytes, parse: Callable[[str], datetime]) -> list[Document]:
    """The entries of `path`; none when its name is no day. `parse`: the clock's, for the offset of local times.

    Raises FileDamaged.
    """
    named = NAME.fullmatch(path.rpartition("/")[2])
    if named is None:
        return []
    day, entries = named[1], _entries(text_of(path, data))
    texts = [f"{title}\n{body}" for _, title, body in entries]
    ids, found = Ids(), []
    for number, (hour, title, body) in enumerate(entries):
        if not (title or body):
            continue
        anchor = ids.own(hour) if hour else ""
        around = "\n".join(texts[max(number - 1, 0) : number] + texts[number + 1 : number + 2])
        about = {"anchor": anchor, "trust": _trust(title), "created_at": _moment(day, hour, parse), "group": path}
        id = f"{day}#{anchor}" if anchor else day
        near = {"context": around, "names": day_words(day)}
        found.append(make(COLLECTION, path, id, title or day, body or title, **about, **near))
    return found


def _entries(text: str) -> list[tuple[str, str, str]]:
    """(HH:MM, title, body), the hour "" for what stands above the first entry."""
    found: list[tuple[str, str, list[str]]] = [("", "", [])]
    for line in text.split("\n"):
        heading = _ENTRY.match(line)
        if heading:
            found.append((heading[1], heading[2].strip(), []))
        else:
            found[-1][2].append(line)
    return [(hour, title, "\n".join(body).strip()) for hour, title, body in found]


def _trust(title: str) -> str:
    return MACHINES.get(title.removesuffix(DRY_RUN), "operator")


def _moment(day: str, hour: str, parse: Callable[[str], datetime]) -> str:
    try:
        return parse(f"{day}T{hour or '00:00'}").isoformat()
    except ValueError:  # 25:61, written by hand
        return ""
