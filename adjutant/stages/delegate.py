"""STAGE. delegate: tasks for specialists: filed in the queue of jobs, worked one by one, answered in their files."""

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.errors import ModelUnavailable, UsageError
from adjutant.judgements.answering import DelegatedRun, file_task
from adjutant.records import queue


def run(app: App, args: Args) -> Outcome:
    """{id, status, answer} of one task; with --run of the last one, and tasks[], left."""
    if bool(args.name) == args.run:
        raise UsageError("give a task or --run", "`adjutant job list` shows the queue; `adjutant delegate --help`")
    if args.run:
        return _work(app, args.limit)
    made = file_task(app, args.name, args.words)
    lines = [f"queued for {args.name}: {made.id}"]
    first = {"id": made.id, "status": made.status, "answer": None}
    return Outcome(first | made.row() | first, lines, next_actions=[("adjutant delegate --run", "work the queue")])


def _work(app: App, limit: int) -> Outcome:
    walk = DelegatedRun(app)
    walk.work(limit)
    every, damaged = queue.list_tasks(app.files)
    left = sum(each.status == queue.QUEUED for each in every)
    last = walk.handled[-1].row() if walk.handled else {}
    result: Row = {"id": last.get("id"), "status": last.get("status"), "answer": last.get("answer") or None}
    result |= {"run": app.run, "dry_run": app.dry_run, "left": left, "damaged": damaged, "tokens": walk.tokens}
    result |= {"tasks": [{**each.brief(), "answer": each.answer or None} for each in walk.handled]}
    lines: list[str] = []
    for each in walk.handled:
        lines.append(f"{each.specialist} ({each.status}, {each.id}):")
        lines += [*(f"  {line}" for line in (each.answer or each.reason).split("\n")), ""]
    lines.append(f"delegate: {plural(len(walk.handled), 'task')} worked, {left} left in the queue")
    error = ModelUnavailable(f"delegate: {walk.unreached}", details={"left": left}) if walk.unreached else None
    return Outcome(result, lines + [f"  {walk.unreached}"] * bool(error), error=error)
