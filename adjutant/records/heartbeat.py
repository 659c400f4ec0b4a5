"""RECORDS. state/last_heartbeat.json: what the last step did and when each stage last ran."""

from __future__ import annotations

import json

from adjutant.errors import FileDamaged
from adjutant.printable import to_line
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from adjutant.store.files import Files

SUMMARY_CHARS = 200


def read_last(files: Files) -> dict[str, Any] | None:
    """{type, timestamp, summary, …, last: {stage: ts}}, None before the first run. Raises FileDamaged, IoFailed."""
    found = jsonl.read_object(files, files.tree.last_heartbeat)
    if found is not None and not isinstance(found.get("last"), dict):
        path = files.tree.relative(files.tree.last_heartbeat)
        raise FileDamaged(f"{path}:1: `last` is no mapping of stages to times")
    return found


def write_last(files: Files, record: Mapping[str, Any], summary: str, now: datetime) -> None:
    """Replaces it from a ledger record. Raises IoFailed.

    Call it under the run lock of the stage. A damaged file is set aside under state/quarantine/, never lost.
    """
    path = files.tree.last_heartbeat
    try:
        last = dict((read_last(files) or {"last": {}})["last"])
    except FileDamaged:
        last = {}
        if not files.dry:
            files.move(path, files.tree.quarantined(f"{path.rpartition('/')[2]}.{now:%Y%m%dT%H%M%S}"))
    last[str(record["type"])] = now.isoformat()
    fields = {key: value for key, value in record.items() if key not in ("ts", "type", "summary", "last")}
    told = {"type": record["type"], "timestamp": now.isoformat(), "summary": to_line(summary, SUMMARY_CHARS)}
    text = json.dumps({**told, **fields, "last": last}, indent=1, ensure_ascii=False) + "\n"
    files.replace(path, text.encode("utf-8", "replace"))
