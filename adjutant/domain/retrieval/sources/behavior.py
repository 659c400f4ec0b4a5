"""DOMAIN. state/behavior/history.jsonl as documents: every event of the operator's directives, one a line."""

from __future__ import annotations

from adjutant.domain.retrieval.sources.parts import Ids, day_words, fingerprint, flat, records_of, string
from adjutant.ports import Document

COLLECTION = "behavior_history"


def documents(path: str, data: bytes) -> list[Document]:
    """One document an event, its kind and its directive's type as tags.

    A directive has several, so its id alone names none of them: a second one gets -2.
    """
    ids, found = Ids(), []
    for _, record in records_of(data):
        all_of_it, moment = flat(record), string(record, "ts")
        name = ids.own(string(record, "id") or fingerprint(all_of_it)[:16])
        kind, type = string(record, "event"), string(record, "type")
        tags = tuple(word.lower() for word in (type, kind) if word)
        found.append(Document(
            id=name, collection=COLLECTION, title=f"{kind} {type}".strip() or "directive",
            text=string(record, "text") or all_of_it, path=path, anchor=name, tags=tags, created_at=moment,
            names=day_words(moment), source_sha=fingerprint(all_of_it),
        ))
    return found
