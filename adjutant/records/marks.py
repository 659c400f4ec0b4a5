"""RECORDS. state/marks.jsonl: what the operator said of insights, and which fingerprints that silences."""

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
    """How the operator last marked each matter: `useful` takes `useless` back. Raises FileDamaged, IoFailed."""
    found = Marks()
    for record in jsonl.read(files, files.tree.marks):
        state, matter, known = record.get("state"), record.get("matter"), record.get("fingerprint")
        if state in STATES and isinstance(matter, str):
            found[matter] = record
        elif state in SILENCING and isinstance(known, str):
            found.by_line[known] = record
    return found


def silenced(files: Files, now: datetime) -> set[str]:
    """Fingerprints marked `done` last, or `snooze` until a day that has not come. Raises FileDamaged, IoFailed."""
    today, last = now.date().isoformat(), _last(files)
    return {known for known, record in last.items() if record["state"] == "done" or str(record.get("until")) > today}


def ended(files: Files, now: datetime) -> dict[str, str]:
    """{fingerprint: the day it was to come up again} of snoozes that are over. Raises FileDamaged, IoFailed."""
    today, last = now.date().isoformat(), _last(files)
    over = {known: str(record.get("until")) for known, record in last.items() if record["state"] == "snooze"}
    return {known: day for known, day in sorted(over.items()) if day <= today}


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


def _last(files: Files) -> dict[str, dict[str, Any]]:
    """The last silencing mark of each fingerprint."""
    last: dict[str, dict[str, Any]] = {}
    for record in jsonl.read(files, files.tree.marks):
        if record.get("state") in SILENCING and isinstance(record.get("fingerprint"), str):
            last[record["fingerprint"]] = record
    return last


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
