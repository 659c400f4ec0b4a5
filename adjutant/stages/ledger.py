"""STAGE. ledger: what was done, from state/actions.jsonl; rotate old lines of a log away."""

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.records import ledger

LIMIT = 50


def run(app: App, args: Args) -> Outcome:
    """{records[], truncated, path}, or for rotate {file, moved{archive: lines}}."""
    if args.subverb == "rotate":
        return _rotate(app, args.file, args.keep)
    found = ledger.read(app.files, since=args.since and args.since.isoformat(), type=args.type, tail=args.tail)
    path = app.tree.relative(app.tree.actions)
    result = {"records": found[-LIMIT:], "truncated": len(found) > LIMIT, "path": path}
    lines = []
    for record in found:
        dry, said = " [DRY RUN]" if record.get("dry_run") else "", " / ".join(_tell(record).splitlines())
        lines.append(f"{app.clock.tell(record.get('ts')):<15}  {record.get('type')}{dry}: {said}")
    return Outcome(result, lines or ["nothing in the ledger"])


def _tell(record: Row) -> str:
    if record.get("status") == "failed":
        return f"failed: {record.get('error')}"
    if record.get("type") == "notify":
        return str(record.get("detail"))
    if record.get("type") == "escalation":
        return f"{record.get('action')} {record.get('trigger')} ({record.get('project')})"
    if record.get("type") == "review":
        return f"{record.get('insights_sent')} insights, {_count(record, 'recommendations')} recommendations"
    looked, found = _count(record, "kbs_checked"), _count(record, "issues_found")
    return f"{plural(looked, 'knowledge base')}, {plural(found, 'issue')}"


def _count(record: Row, key: str) -> int:
    value = record.get(key)
    return len(value) if isinstance(value, list) else 0


def _rotate(app: App, name: str, keep: int) -> Outcome:
    from adjutant.records import rotation  # brings gzip; listing needs none of it

    moved = rotation.rotate(app.files, name, keep, app.clock.now())
    verb = "would move" if app.dry_run else "moved"
    lines = [f"{verb} {count} lines to {archive}" for archive, count in moved.items()] or [f"{name}: nothing to move"]
    return Outcome({"file": name, "moved": moved}, lines)
