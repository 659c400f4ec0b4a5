"""DOMAIN. How notices stand: what waits for a review, what `status` says, quiet hours, and the lines of the record."""

from __future__ import annotations

from adjutant.domain.telling import budget
from adjutant.records import notice_log
from adjutant.records.notice_log import History

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from adjutant.clock import Clock
    from adjutant.domain.telling.budget import Slots
    from adjutant.store.config import Config
    from adjutant.store.files import Files


def held_back(files: Files, clock: Clock) -> list[dict[str, Any]]:
    """Notices held back, failed or unknown that no review has carried yet, oldest first, as recorded ({ts, key,
    kind, text, insight, outcome, ...}); the outcome is always filled in. Raises FileDamaged, IoFailed."""
    now = clock.now()
    return list(History(notice_log.read(files, now), clock, now).unsent.values())


def fold(files: Files, held: Iterable[dict[str, Any]], *, now: datetime, run: str) -> None:
    """Notes that a review has carried these (as `held_back` gave them). Nothing in a dry run: they still wait."""
    for notice in held if not files.dry else ():
        files.append(files.tree.notices, event("folded", None, now, run, notice))


def marked(files: Files, notice: dict[str, Any], state: str, *, now: datetime, run: str) -> None:
    """Notes what the operator said of a notice (a record of it, as read). Nothing in a dry run."""
    if not files.dry:
        files.append(files.tree.notices, {**event("marked", None, now, run, notice), "state": state})


def status(files: Files, config: Config, clock: Clock) -> dict[str, Any]:
    """{budget {used, max, left}, quiet_hours {enabled, active}, notices_unsent [{key, kind, outcome, text, ts}],
    down [], problems []} for `status`; nothing heavy is imported on the way. Raises FileDamaged, IoFailed."""
    now, maximum = clock.now(), config.whole("notifications.max_per_day")
    records = notice_log.read(files, now)
    history = History(records, clock, now)
    slots = budget.read(files, now, maximum, history.used)
    return {
        "budget": {"used": slots.used, "max": maximum, "left": slots.left},
        "quiet_hours": {
            "enabled": config.flag("notifications.quiet_hours.enabled"),
            "active": is_quiet(config, now),
        },
        "notices_unsent": [shown(record) for record in history.unsent.values()],
        "down": down(config, records),
        "problems": problems(slots),
    }


def down(config: Config, records: Sequence[dict[str, Any]]) -> list[str]:
    """The channels in use that took no notice the last time, a line each."""
    used = (config.text("notifications.channel"), *config.paths("notifications.fallback"))
    return [
        f"{name} has been down since {each['since'][:16].replace('T', ' ')} ({each['why']}); notices go to the next"
        for name, each in (down_now(records) if len(used) > 1 else {}).items()
        if name in used
    ]


def shown(record: dict[str, Any]) -> dict[str, Any]:
    """What `status` and `notices list` show of a record."""
    return {name: record.get(name) for name in ("key", "kind", "outcome", "text", "ts")}


def problems(slots: Slots) -> list[str]:
    """What is wrong with the count files, one line each."""
    found = [slots.problem] if slots.problem else []
    return found + [f"{path}: dated too far ahead, ignored" for path in slots.ignored]


def event(name: str, outcome: str | None, now: datetime, run: str, notice: Mapping[str, Any]) -> dict[str, Any]:
    """One line of state/notices.jsonl on a notice (key, kind, text, insight, channel), its keys in their order."""
    said = {field: notice.get(field) for field in ("kind", "text", "insight")}
    head = {"ts": now.isoformat(), "key": str(notice.get("key")), "event": name, "outcome": outcome}
    return {**head, **said, "run": run, "channel": notice.get("channel")}


def down_now(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """{channel: {since, why}} of those that refused, were told of, and took nothing since."""
    found: dict[str, dict[str, str]] = {}
    for record in records:
        if record.get("event") == "sent":
            found.pop(str(record.get("channel")), None)
        if record.get("event") in ("sent", "unknown") and isinstance(down := record.get("down"), dict):
            for name, why in down.items():
                found.setdefault(name, {"since": str(record.get("ts"))})["why"] = str(why)
    return found


def is_quiet(config: Config, now: datetime) -> bool:
    """True inside `notifications.quiet_hours`, across midnight too; equal start and end are no hours at all."""
    hours = (config.text("notifications.quiet_hours.start"), config.text("notifications.quiet_hours.end"))
    return config.flag("notifications.quiet_hours.enabled") and within(*hours, now)


def within(start: str, end: str, now: datetime) -> bool:
    """True from `start` (included) until `end` (excluded), both "HH:MM" wall-clock time."""
    first, last, minute = _minutes(start), _minutes(end), now.hour * 60 + now.minute
    if first <= last:
        return first <= minute < last
    return minute >= first or minute < last


def _minutes(text: str) -> int:
    hour, _, minute = text.partition(":")
    return int(hour) * 60 + int(minute)
