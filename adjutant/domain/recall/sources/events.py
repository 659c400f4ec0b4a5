"""DOMAIN. state/events.jsonl as documents: spans in OpenTelemetry's data model, one a line."""

from __future__ import annotations

from datetime import UTC, datetime

from adjutant.domain.recall.sources.parts import Ids, day_words, flat, of_log, records_of, string
from adjutant.index_ports import Document
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLLECTION = "otel_events"
CLOCK = ("span_id", "trace_id", "parent", "start", "end")  # looked up by other means than words


def documents(path: str, data: bytes) -> list[Document]:
    """One document a span; its id is the span's, else made of the line's own bytes (lines move when a log rotates)."""
    ids, found = Ids(), []
    for _, record in records_of(data):
        text = flat({key: value for key, value in record.items() if key not in CLOCK})
        title, moment = string(record, "name") or "event", string(record, "ts") or _moment(record.get("start"))
        made = of_log(COLLECTION, path, record, ids, _id(record), title, text)
        found.append(made._replace(trust="agent", created_at=moment, names=day_words(moment)))
    return found


def more(path: str, before: bytes, since: bytes) -> list[Document] | None:
    """The documents of the lines since; None where one of them is called as one before, or nothing."""
    ids = {_id(record) for _, record in records_of(since)}
    known = records_of(jsonl.holding(before, ids))
    return None if any(_id(record) in ids for _, record in known) else documents(path, since)


def _id(record: dict[str, Any]) -> str:
    return string(record, "span_id") or string(record, "id")


def _moment(nanoseconds: object) -> str:
    """ISO-8601 of nanoseconds since the epoch, "" for anything else."""
    if not isinstance(nanoseconds, int) or isinstance(nanoseconds, bool):
        return ""
    try:
        return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
