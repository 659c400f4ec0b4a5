"""STAGE. notices: list what was sent, held back or failed; mark one."""

from __future__ import annotations

from adjutant.app import Outcome
from adjutant.domain.heartbeat import marking, notices
from adjutant.records import marks
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from adjutant.app import App

HELP = "What was sent, held back, failed or is unknown; the last word on each key."
READS = ("notices", "pending", "sent", "marks")
WRITES = ("marks", "notices")


def arguments(parser: argparse.ArgumentParser) -> None:
    """list [--all], mark KEY STATE."""
    verbs = parser.add_subparsers(dest="subverb", metavar="list|mark")
    listed = verbs.add_parser("list", help="newest first (the default)")
    listed.add_argument("--all", action="store_true", help="every event, not the last of each key")
    marked = verbs.add_parser("mark", help="the same as `adjutant mark`")
    marked.add_argument("name", metavar="INSIGHT-or-NOTICE", help="an insight's file name or a notice's key")
    marked.add_argument("state", choices=marks.STATES, help="snooze takes a date")
    marked.add_argument("until", nargs="?", metavar="DATE", help="snooze until this day, YYYY-MM-DD")
    parser.set_defaults(all=False)


def run(app: App, args: argparse.Namespace) -> Outcome:
    """list {notices[{key, kind, outcome, text, ts}]}, mark {marked}. Raises CheckFailed, FileDamaged, IoFailed."""
    if args.subverb == "mark":
        marked = marking.apply(app.files, args.name, args.state, args.until, now=app.clock.now(), run=app.run)
        return Outcome({"marked": marked}, [f"{args.name}: {args.state}" + (f" {args.until}" if args.until else "")])
    found = _all(app) if args.all else _last_of_each(app)
    rows = [notices.shown(record) for record in found]
    lines = [f"{str(row['ts'])[:16]}  {row['outcome']:<15} {row['text']}  ({row['key']})" for row in rows]
    return Outcome({"notices": rows}, lines or ["no notices yet"])


def _all(app: App) -> list[dict[str, Any]]:
    """Every event, newest first."""
    told = jsonl.read(app.files, app.tree.notices)
    return [{**record, "outcome": record.get("outcome") or record.get("event")} for record in reversed(told)]


def _last_of_each(app: App) -> list[dict[str, Any]]:
    """The last word on each key, newest first; a reservation that nobody settled is unknown."""
    last: dict[str, dict[str, Any]] = {}
    for record in jsonl.read(app.files, app.tree.notices):
        key, event = str(record.get("key")), record.get("event")
        if event in ("folded", "marked") or (record.get("outcome") == "duplicate" and key in last):
            continue
        last.pop(key, None)
        last[key] = {**record, "outcome": record.get("outcome") or "unknown"}
    return list(reversed(last.values()))
