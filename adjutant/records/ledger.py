"""RECORDS. The ledger, state/actions.jsonl: one record a step or notice, its keys in one order."""

from __future__ import annotations

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
    made: dict[str, Any] = {"ts": now.isoformat(), "type": type}
    if dry_run:
        made["dry_run"] = True
    made |= {key: fields[key] for key in FIRST.get(type, ()) if key in fields}
    made |= {key: value for key, value in fields.items() if key not in made}
    return {**made, "run": run, **{key: value for key, value in more.items() if value is not None}}


def append(files: Files, record: Mapping[str, Any]) -> None:
    """Durable when this returns; written in a dry run too. Raises FileDamaged, IoFailed."""
    files.append(files.tree.actions, record)


def read(
    files: Files, *, since: str | None = None, type: str | None = None, tail: int | None = None
) -> list[dict[str, Any]]:
    """Records oldest first: of `type`, of local days from `since` (YYYY-MM-DD) on, the last `tail` of these."""
    found = [
        entry
        for entry in jsonl.read(files, files.tree.actions)
        if (type is None or entry.get("type") == type) and (since is None or str(entry.get("ts", ""))[:10] >= since)
    ]
    return found if tail is None else found[max(0, len(found) - tail) :]
