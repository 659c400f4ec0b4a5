"""DOMAIN. Marks: what the operator said of an insight or a notice, and which fingerprints that silences."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from adjutant.domain.heartbeat import insights, notices
from adjutant.errors import CheckFailed, FileDamaged, UsageError
from adjutant.store import records
from adjutant.store.files import Files

STATES = ("done", "snooze", "useful", "useless")
SILENCING = ("done", "snooze")


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
    for record in records.read(files, files.tree.marks):
        known, state = record.get("fingerprint"), record.get("state")
        if state in ("useful", "useless") and isinstance(known, str):
            found.pop(known, None)
            if state == "useless":
                found[known] = str(record.get("insight") or "")
    return found


def _last(files: Files) -> dict[str, dict[str, Any]]:
    """The last silencing mark of each fingerprint."""
    last: dict[str, dict[str, Any]] = {}
    for record in records.read(files, files.tree.marks):
        if record.get("state") in SILENCING and isinstance(record.get("fingerprint"), str):
            last[record["fingerprint"]] = record
    return last


def mark(files: Files, fingerprint: str, state: str, until: str | None, insight: str | None, now: datetime) -> None:
    """One line in state/marks.jsonl, durable when this returns. Raises IoFailed."""
    made = {"ts": now.isoformat(), "fingerprint": fingerprint, "state": state, "until": until, "insight": insight}
    files.append(files.tree.marks, made)


def apply(files: Files, name: str, state: str, until: str | None, *, now: datetime, run: str) -> dict[str, Any]:
    """Marks an insight (its file name, with .md or without) or a notice (its key; of several insights that shared
    it, the one it named).

    Gives {insight, notice, fingerprint, state, until}. Raises UsageError (no such day), CheckFailed (no such insight
    or notice, or a notice without insight that is to be silenced), FileDamaged, IoFailed.
    """
    until = _day(state, until, now)
    notice = _notice(files, name)
    insight = _insight(files, str((notice or {}).get("insight") or name).partition(",")[0])
    if insight is None and notice is None:
        raise CheckFailed(f"no insight or notice `{name}`", "`adjutant status` and `adjutant notices list` show them")
    if insight is None and state in SILENCING:
        raise CheckFailed(
            f"the notice `{name}` belongs to no insight that could be marked {state}",
            "it can be marked useful or useless",
        )
    if insight is not None:
        mark(files, insight.fingerprint, state, until, insight.name, now)
    if notice is not None:
        notices.marked(files, notice, state, now=now, run=run)
    return {
        "insight": insight.name if insight else None,
        "notice": notice.get("key") if notice else None,
        "fingerprint": insight.fingerprint if insight else None,
        "state": state,
        "until": until,
    }


def _day(state: str, until: str | None, now: datetime) -> str | None:
    """The day a snooze ends, YYYY-MM-DD."""
    if state != "snooze":
        if until is not None:
            raise UsageError(f"`{state}` takes no date", "mark X done | snooze DATE | useful | useless")
        return None
    try:
        day = date.fromisoformat(until or "")
    except ValueError:
        raise UsageError(f"snooze needs a date, YYYY-MM-DD, not `{(until or '')[:40]}`") from None
    if day <= now.date():
        raise UsageError(f"snooze until {day} ends before it begins", "name a day after today")
    return day.isoformat()


def _notice(files: Files, key: str) -> dict[str, Any] | None:
    """The last record of a notice that says something of its sending."""
    wanted = {key, key.removesuffix(".md")}
    found = [
        record
        for record in records.read(files, files.tree.notices)
        if record.get("key") in wanted and record.get("event") not in ("folded", "marked")
    ]
    return found[-1] if found else None


def _insight(files: Files, name: str) -> insights.Insight | None:
    for candidate in (name, f"{name}.md"):
        try:
            return insights.load(files, candidate)
        except FileNotFoundError:
            continue
        except FileDamaged as error:
            raise CheckFailed(f"{error.message}; it cannot be marked") from error
    return None
