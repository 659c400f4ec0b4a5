"""DOMAIN. Marking a matter, an insight or a notice: done, snoozed until a day, useful or useless."""

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Any

from adjutant.domain.telling import standing
from adjutant.errors import CheckFailed, FileDamaged, UsageError
from adjutant.language import dates
from adjutant.records import insights, matters_log, notice_log
from adjutant.records.matters_log import SILENCING, append_mark
from adjutant.store import jsonl
from adjutant.store.files import Files

See = Callable[[], Iterable[str]]  # the ids of what is open now, for a matter that no pulse has seen yet


def apply(
    files: Files, name: str, state: str, until: str | None, *, now: datetime, run: str, see: See = tuple
) -> dict[str, Any]:
    """Marks a matter (its id or the beginning of it, or `last`), an insight (its file name) or a notice (its key; of
    several matters the first one, and of a digest none). Gives {matter, insight, notice, fingerprint, state, until}.
    Raises UsageError (no such day), CheckFailed (nothing that can be marked so), FileDamaged, IoFailed."""
    day = _day(state, until, now)
    every = [each for each in jsonl.read(files, files.tree.notices) if each.get("event") not in ("folded", "marked")]
    keys = (name, name.removesuffix(".md"))
    notice = next((each for each in reversed(every) if name == "last" or each.get("key") in keys), None)
    matter, insight = matter_named(files, name, see) if notice is None and name != "last" else None, None
    if matter is None:
        insight = _insight(files, str((notice or {}).get("insight") or name).partition(",")[0])
        told = (notice or {}).get("matters") if (notice or {}).get("kind") != notice_log.SHOWN else None
        matter = (insight.matter if insight is not None else None) or (told[0] if told else None)
    if matter is None and insight is None and notice is None:
        fix = "`adjutant today --all` and `adjutant notices list` show them"
        raise CheckFailed(f"no matter, insight or notice `{name}`", fix)
    if insight is None and matter is None and state in SILENCING:
        fix = "name a matter by its id, or mark the notice useful or useless"
        raise CheckFailed(f"the notice `{name}` has no matter that can be marked {state}", fix)
    file, known = (insight.name, insight.fingerprint) if insight is not None else (None, None)
    if insight is not None or matter is not None:
        append_mark(files, state, now, until=day, fingerprint=known, insight=file, matter=matter)
    if notice is not None:
        standing.marked(files, notice, state, now=now, run=run)
    marked = {"matter": matter, "insight": file, "notice": (notice or {}).get("key"), "fingerprint": known}
    return {**marked, "state": state, "until": day}


def matter_named(files: Files, name: str, see: See = tuple) -> str | None:
    """The id that a name is or begins, None for none. Raises CheckFailed where several begin so."""
    every = matters_log.read(files)
    found = [id for id in every if name and id.startswith(name)] or [id for id in see() if id.startswith(name)]
    if len(found) > 1 and name not in found:
        several = ", ".join(found[:5])
        raise CheckFailed(f"`{name}` is the beginning of several ids: {several}", "give one more character")
    return name if name in found else next(iter(found), None)


def _day(state: str, until: str | None, now: datetime) -> str | None:
    """The day a snooze ends, YYYY-MM-DD, from how a person says it: "tomorrow", "friday", "in 2 weeks", 1 Dec."""
    if state != "snooze" and until is None:
        return None
    if state != "snooze":
        raise UsageError(f"`{state}` takes no date", "mark X done | snooze DAY | useful | useless")
    text, today = " ".join((until or "").split()), now.date()
    found = dates.find(text, today, anchor=today)
    if len(found) != 1:
        such = 'such as tomorrow, friday, "in 2 weeks" or 2026-12-01'
        raise UsageError(f"snooze needs a day{f', not `{text[:40]}`' if text else ''}", such)
    day: date = found[0].first
    if day == today and found[0].relative:
        later = dates.find(text, today + timedelta(days=1), anchor=today + timedelta(days=1))
        day = later[0].first if later and later[0].first == today + timedelta(days=7) else day  # "monday", on a Monday
    if day <= today:
        raise UsageError(f"snooze until {day}: that day is not in the future", "name a day after today")
    return day.isoformat()


def _insight(files: Files, name: str) -> insights.Insight | None:
    for candidate in (name, f"{name}.md"):
        try:
            return insights.load(files, candidate)
        except FileNotFoundError:
            continue
        except FileDamaged as error:
            raise CheckFailed(f"{error.message}; it cannot be marked") from error
    return None
