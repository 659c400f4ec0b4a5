"""DOMAIN. Marking an insight or a notice: done, snoozed until a day, useful or useless."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from adjutant.domain.heartbeat import notices
from adjutant.errors import CheckFailed, FileDamaged, UsageError
from adjutant.records import insights
from adjutant.records.marks import SILENCING, mark
from adjutant.store import jsonl
from adjutant.store.files import Files


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
        for record in jsonl.read(files, files.tree.notices)
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
