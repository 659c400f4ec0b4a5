"""RECORDS. state/marks.jsonl: what the operator said of matters, notices and insights."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from adjutant.store import jsonl
from adjutant.store.files import Files

STATES = ("done", "snooze", "useful", "useless")
SILENCING = ("done", "snooze")


class Marks(dict[str, dict[str, Any]]):
    """{id of a matter: the last mark that says how it stands}; `by_line`: {fingerprint: mark} of those that were made
    of an insight without a matter."""

    def __init__(self) -> None:
        super().__init__()
        self.by_line: dict[str, dict[str, Any]] = {}


def last(files: Files) -> Marks:
    """How the operator last marked each matter: `useful` takes `useless` back, and nothing else. Raises FileDamaged,
    IoFailed."""
    found = Marks()
    for record in jsonl.read(files, files.tree.marks):
        state, matter, known = record.get("state"), record.get("matter"), record.get("fingerprint")
        if state in STATES and isinstance(matter, str):
            if state != "useful" or found.get(matter, record)["state"] not in SILENCING:
                found[matter] = record
        elif state in SILENCING and isinstance(known, str):
            found.by_line[known] = record
    return found


def useless(files: Files) -> dict[str, str]:
    """{fingerprint: the insight's file name} of what was called useless, and not useful since. Raises FileDamaged,
    IoFailed."""
    found: dict[str, str] = {}
    for record in jsonl.read(files, files.tree.marks):
        known, state = record.get("fingerprint"), record.get("state")
        if state in ("useful", "useless") and isinstance(known, str):
            found.pop(known, None)
            if state == "useless":
                found[known] = str(record.get("insight") or "")
    return found


def mark(
    files: Files,
    state: str,
    now: datetime,
    *,
    until: str | None = None,
    fingerprint: str | None = None,
    insight: str | None = None,
    matter: str | None = None,
) -> None:
    """One line in state/marks.jsonl, durable when this returns. Raises IoFailed."""
    made = {"ts": now.isoformat(), "fingerprint": fingerprint, "state": state, "until": until, "insight": insight}
    files.append(files.tree.marks, made | ({"matter": matter} if matter else {}))
