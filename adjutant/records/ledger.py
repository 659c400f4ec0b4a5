"""RECORDS. What steps did: the ledger, state/actions.jsonl, and state/last_heartbeat.json, when each stage last ran."""

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

FIRST = {
    "pulse": ("kbs_checked", "issues_found", "escalated"),
    "review": ("kbs_checked", "insights_sent", "recommendations"),
    "escalation": ("trigger", "action", "project", "notice"),
    "notify": ("detail",),
}


def record(
    now: datetime, type: str, fields: Mapping[str, Any], *, run: str, dry_run: bool = False, **more: Any
) -> dict[str, Any]:
    """A ledger record: `ts`, `type`, in a dry run `dry_run` right after them, the type's `fields` in the order of
    FIRST, `run`, then `more` (whatever of it is None is left out)."""
    made = {"ts": now.isoformat(), "type": type} | ({"dry_run": True} if dry_run else {})
    made |= {key: fields[key] for key in FIRST.get(type, ()) if key in fields}
    more = {key: value for key, value in more.items() if value is not None}
    return {**made, **{key: value for key, value in fields.items() if key not in made}, "run": run, **more}


def append(files: Files, record: Mapping[str, Any]) -> None:
    """Adds a record, in a dry run too."""
    files.append(files.tree.actions, record)


def read(
    files: Files, *, since: str | None = None, type: str | None = None, tail: int | None = None
) -> list[dict[str, Any]]:
    """Records oldest first: of `type`, of local days from `since` (YYYY-MM-DD) on, the last `tail` of these."""
    every = (each for each in jsonl.read(files, files.tree.actions) if type in (None, each.get("type")))
    found = [each for each in every if str(each.get("ts", ""))[:10] >= (since or "")]
    return found if tail is None else found[len(found) - min(tail, len(found)) :]


SUMMARY_CHARS = 200


def read_last(files: Files) -> dict[str, Any] | None:
    """{type, timestamp, summary, …, last: {stage: ts}}, None before the first run."""
    found = jsonl.read_object(files, files.tree.last_heartbeat)
    if found is not None and not isinstance(found.get("last"), dict):
        path = files.tree.relative(files.tree.last_heartbeat)
        raise FileDamaged(f"{path}:1: `last` is no mapping of stages to times")
    return found


def write_last(files: Files, record: Mapping[str, Any], summary: str, now: datetime) -> None:
    """Replaces it, under the run lock of the stage. A damaged one is set aside in state/quarantine/."""
    path, last = files.tree.last_heartbeat, dict[str, str]()
    try:
        last |= (read_last(files) or {"last": {}})["last"]
    except FileDamaged:
        if not files.dry:
            files.move(path, files.tree.quarantined(f"{path.rpartition('/')[2]}.{now:%Y%m%dT%H%M%S}"))
    last[str(record["type"])] = now.isoformat()
    fields = {key: value for key, value in record.items() if key not in ("ts", "type", "summary", "last")}
    told = {"type": record["type"], "timestamp": now.isoformat(), "summary": to_line(summary, SUMMARY_CHARS)}
    text = json.dumps({**told, **fields, "last": last}, indent=1, ensure_ascii=False) + "\n"
    files.replace(path, text.encode("utf-8", "replace"))
