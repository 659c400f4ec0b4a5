"""DOMAIN. state/interactions.jsonl as documents: one a turn or cycle, with what came later of it, under its concept."""

from __future__ import annotations

from adjutant.domain.recall.sources.parts import Ids, flat, of_log, records_of, string
from adjutant.index_ports import Document
from adjutant.records.friction import SIGNAL, SIGNALS, friction_of, join, late_signals, signals_of
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLLECTION = "interaction_taxonomy"
COUNTED = ("parts", "confidence", "ms")  # figures that nobody looks for by words


def documents(path: str, data: bytes) -> list[Document]:
    """One document an interaction, id as recorded. A signal makes none: it changes that of its interaction."""
    ids, found = Ids(), []
    for record in _folded(data):
        text = flat({key: value for key, value in record.items() if key not in COUNTED})
        title = " ".join(word for word in (string(record, "agent"), string(record, "outcome")) if word)
        made = of_log(COLLECTION, path, record, ids, string(record, "id"), title or "interaction", text)
        concept, tags = string(record, "concept"), tuple(name for name in signals_of(record) if name in SIGNALS)
        found.append(made._replace(concepts=(concept,) if ":" in concept else (), tags=tags, trust="agent"))
    return found


def more(path: str, before: bytes, since: bytes) -> list[Document] | None:
    """The documents of the lines since, and of those that they are signals of; None where one of them has no id."""
    ids = {record.get("of" if record.get("event") == SIGNAL else "id") for _, record in records_of(since)}
    names = {id for id in ids if isinstance(id, str) and id}
    if names != ids:
        return None
    earlier = jsonl.holding(before, names)
    return [each for each in documents(path, earlier + b"\n" + since) if each.id in names]


def _folded(data: bytes) -> list[dict[str, Any]]:
    """The interactions in the order of their lines, the first of each id, with the signals that came later."""
    rows = [record for _, record in records_of(data)]
    late = late_signals(rows)
    known: dict[object, dict[str, Any]] = {}
    for number, record in enumerate(rows):
        if record.get("event") != SIGNAL:
            id = record.get("id")
            known.setdefault(id if isinstance(id, str) and id else number, record)
    for id, signals in late.items():
        if id in known:
            names = join(signals_of(known[id]), signals.values())
            known[id] |= {"friction_signals": list(names), "friction": friction_of(names)}
    return list(known.values())
