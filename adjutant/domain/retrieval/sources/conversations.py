"""DOMAIN. Conversations as documents: one a message, found by its words, by who spoke when, and by what was near it."""

from __future__ import annotations

from adjutant.domain.behavior import grammar
from adjutant.domain.retrieval.sources.parts import Ids, day_words, fingerprint, records_of, string
from adjutant.ports import Document

COLLECTION = "conversations"
NEAR = 2  # messages before and after
TRUST = {"operator": "operator", "agent": "agent"}  # whoever else spoke is a stranger


def documents(path: str, data: bytes) -> list[Document]:
    """The messages of one session, in order; damaged lines are left out."""
    session = path.rpartition("/")[2].removesuffix(".jsonl")
    told = [(number, record) for number, record in records_of(data) if string(record, "text").strip()]
    texts = [string(record, "text") for _, record in told]
    ids, found = Ids(), []
    for at, (number, record) in enumerate(told):
        anchor = ids.own(string(record, "id") or f"L{number}")
        role, moment = string(record, "role"), string(record, "ts")
        name = string(record, "name") or role
        around = "\n".join(texts[max(at - NEAR, 0) : at] + texts[at + 1 : at + 1 + NEAR])
        found.append(Document(
            id=f"{session}/{anchor}", collection=COLLECTION, title=f"{name} in {session}", text=texts[at], path=path,
            anchor=anchor, trust=_trust(role, texts[at]), created_at=moment, context=around,
            source_sha=fingerprint(role, name, moment, texts[at], around),
            names=f"{name} {day_words(moment)}".strip(), group=path,
        ))
    return found


def _trust(role: str, text: str) -> str:
    """A message that passes on somebody else's words is no better than these."""
    if role == "operator" and grammar.parse(text.encode("utf-8", "replace")).forwarded:
        return "untrusted"
    return TRUST.get(role, "untrusted")
