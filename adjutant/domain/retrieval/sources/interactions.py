"""DOMAIN. state/interactions.jsonl as documents: one a turn or cycle, under the concept it was about."""

from __future__ import annotations

from adjutant.domain.retrieval.sources.parts import Ids, day_words, fingerprint, flat, records_of, string
from adjutant.ports import Document

COLLECTION = "interaction_taxonomy"


def documents(path: str, data: bytes) -> list[Document]:
    """One document an interaction, id as recorded."""
    ids, found = Ids(), []
    for _, record in records_of(data):
        all_of_it, moment, concept = flat(record), string(record, "ts"), string(record, "concept")
        name = ids.own(string(record, "id") or fingerprint(all_of_it)[:16])
        title = " ".join(word for word in (string(record, "agent"), string(record, "outcome")) if word)
        found.append(Document(
            id=name, collection=COLLECTION, title=title or "interaction", text=all_of_it, path=path, anchor=name,
            concepts=(concept,) if concept else (), trust="agent", created_at=moment, names=day_words(moment),
            source_sha=fingerprint(all_of_it),
        ))
    return found
