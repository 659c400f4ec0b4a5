"""DOMAIN. state/behavior/history.jsonl as documents: every event of the operator's directives, one a line."""

from __future__ import annotations

from adjutant.domain.recall.sources.parts import Ids, flat, of_log, records_of, string
from adjutant.index_ports import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLLECTION = "behavior_history"
OF_CANDIDATES = ("proposed", "rejected")


def documents(path: str, data: bytes) -> list[Document]:
    """One document an event, its kind, its directive's type and the candidate that it was about as tags.

    A directive has several, so its id alone names none of them: a second one gets -2. What is only proposed may be a
    model's words.
    """
    ids, found = Ids(), []
    for _, record in records_of(data):
        kind, type = string(record, "event"), string(record, "type")
        title, text = f"{kind} {type}".strip() or "directive", string(record, "text") or flat(record)
        made = of_log(COLLECTION, path, record, ids, string(record, "id"), title, text)
        tags = tuple(word.lower() for word in (type, kind, _candidate(record, kind)) if word)
        found.append(made._replace(tags=tags, trust="agent" if kind in OF_CANDIDATES else "operator"))
    return found


def _candidate(record: dict[str, Any], kind: str) -> str:
    """The id of the candidate that was proposed, rejected or promoted, "" where it was about none."""
    directive = record.get("directive")
    if kind in OF_CANDIDATES:
        return string(record, "id")
    return string(record, "candidate") or (string(directive, "candidate") if isinstance(directive, dict) else "")
