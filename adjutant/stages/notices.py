"""STAGE. notices: list what was sent, held back or failed; mark one."""

from adjutant.app import App, Args, Outcome
from adjutant.domain.heartbeat import marking
from adjutant.domain.telling import standing
from adjutant.records import notice_log
from adjutant.store import jsonl


def run(app: App, args: Args) -> Outcome:
    """list {notices[]}, mark {marked}."""
    if args.subverb == "mark":
        until = " ".join(args.until) or None
        marked = marking.apply(app.files, args.name, args.state, until, now=app.clock.now(), run=app.run)
        return Outcome({"marked": marked}, [f"{args.name}: {args.state} {marked['until'] or ''}".rstrip()])
    found = jsonl.read(app.files, app.tree.notices)
    if args.all:
        found = [{**record, "outcome": record.get("outcome") or record.get("event")} for record in found]
    else:
        found = notice_log.last_of_each(found)
    rows, lines = [standing.shown(record) for record in reversed(found)], list[str]()
    for row in rows:
        first, *more = str(row["text"]).split("\n")
        lines.append(f"{app.clock.tell(row['ts']):<15}  {row['outcome']:<15} {first}  ({row['key']})")
        lines += [f"  {each}" for each in more]
    return Outcome({"notices": rows}, lines or ["no notices yet"])
