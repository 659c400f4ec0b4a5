"""DOMAIN. Conversations as documents: one a message, found by its words, by who spoke when, and by what was near it."""

from __future__ import annotations

from adjutant.domain.behavior import grammar
from adjutant.domain.recall.sources.parts import day_words, make, read_lines, records_of, string
from adjutant.index_ports import Document
from adjutant.records.conversation import AGENT, OPERATOR
from adjutant.store import jsonl

COLLECTION = "conversations"
NEAR = 2  # messages before and after
LINES = 8 * NEAR  # before new ones, among which their neighbours are looked for
UNTRUSTED = "untrusted"
TRUST = {OPERATOR: "operator", AGENT: "agent"}  # whoever else spoke is a stranger


def documents(path: str, data: bytes) -> list[Document]:
    """The messages of one session, in order; damaged lines are left out."""
    session = path.rpartition("/")[2].removesuffix(".jsonl")
    said = [(anchor, record) for _, anchor, record in read_lines(data) if anchor and record is not None]
    texts, found = [string(record, "text") for _, record in said], []
    for at, (anchor, record) in enumerate(said):
        role, moment = string(record, "role"), string(record, "ts")
        name = string(record, "name") or role
        around = "\n".join(texts[max(at - NEAR, 0) : at] + texts[at + 1 : at + 1 + NEAR])
        said_by = {"trust": trust(role, texts[at], string(record, "trust")), "created_at": moment, "group": path}
        near = {"context": around, "names": f"{name} {day_words(moment)}".strip()}
        title, id = f"{name} in {session}", f"{session}/{anchor}"
        found.append(make(COLLECTION, path, id, title, texts[at], anchor=anchor, **said_by, **near))
    return found


def more(path: str, before: bytes, since: bytes) -> list[Document] | None:
    """The messages of the lines since, and those before that are near them; None where ids do not tell them apart."""
    lines = before.removesuffix(b"\n").split(b"\n")
    near, earlier = b"\n".join(lines[-LINES:]), b"\n".join(lines[:-LINES])
    ids = {string(record, "id") for _, anchor, record in read_lines(near + b"\n" + since) if anchor and record}
    known = any(string(record, "id") in ids for _, record in records_of(jsonl.holding(earlier, ids)))
    many = sum(anchor != "" for _, anchor, _ in read_lines(near))
    if known or many < 3 * NEAR or "" in ids:
        return None
    return documents(path, near + b"\n" + since)[max(many - 2 * NEAR, NEAR) :]


def trust(role: str, text: str, marked: str = "") -> str:
    """A message that passes on somebody else's words is no better than these; an answer is `marked` for it."""
    if marked == UNTRUSTED:
        return UNTRUSTED
    if role == OPERATOR and grammar.parse(text.encode("utf-8", "replace")).forwarded:
        return UNTRUSTED
    return TRUST.get(role, UNTRUSTED)
