"""STAGE. notices: list what was sent, held back or failed; mark one."""

from __future__ import annotations

from adjutant.app import App, Args, Outcome, Row
from adjutant.domain.heartbeat import marking
from adjutant.domain.telling import notices
from adjutant.store import jsonl

READS = ("notices", "pending", "sent", "marks")
WRITES = ("marks", "notices")


def run(app: App, args: Args) -> Outcome:
    """list {notices[{key, kind, outcome, text, ts}]}, mark {marked}. Raises CheckFailed, FileDamaged, IoFailed."""
    if args.subverb == "mark":
        until = " ".join(args.until) or None
        marked = marking.apply(app.files, args.name, args.state, until, now=app.clock.now(), run=app.run)
        return Outcome({"marked": marked}, [f"{args.name}: {args.state} {marked['until'] or ''}".rstrip()])
    every = jsonl.read(app.files, app.tree.notices)
    if args.all:
        found = [{**record, "outcome": record.get("outcome") or record.get("event")} for record in reversed(every)]
    else:
        found = _last_of_each(every)
    rows = [notices.shown(record) for record in found]
    lines = []
    for row in rows:
        first, *more = str(row["text"]).split("\n")
        lines.append(f"{app.clock.tell(row['ts']):<15}  {row['outcome']:<15} {first}  ({row['key']})")
        lines += [f"  {each}" for each in more]
    return Outcome({"notices": rows}, lines or ["no notices yet"])


def _last_of_each(every: list[Row]) -> list[Row]:
    """The last word on each key, newest first; a reservation that nobody settled is unknown."""
    last: dict[str, Row] = {}
    for record in every:
        key, event = str(record.get("key")), record.get("event")
        if event in ("folded", "marked") or (record.get("outcome") == "duplicate" and key in last):
            continue
        last.pop(key, None)
        last[key] = {**record, "outcome": record.get("outcome") or "unknown"}
    return list(reversed(last.values()))
