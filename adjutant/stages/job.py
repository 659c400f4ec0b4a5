"""STAGE. job: work in steps: filed, worked here one after the other, listed, accepted, retried, cancelled."""

from adjutant.app import App, Args, Outcome, Row, cut_list, plural
from adjutant.domain.telemetry import spans
from adjutant.errors import CheckFailed, JobFailed, JobWaits, LockBusy, UsageError, find_one
from adjutant.jobs import pipelines, working
from adjutant.judgements.answering import file_task
from adjutant.printable import to_line
from adjutant.records import queue

LISTED = 50
WORK = [("adjutant job work", "work what waits")]


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    verbs = {"run": _run, "work": _work, "list": _list}
    if args.subverb in verbs:
        return verbs[args.subverb](app, args)
    known = {each.id: each for each in _every(app)[0]}
    found = find_one(known, app.given([args.id]), "job", CheckFailed, "`adjutant job list --all` names them")
    return _show(app, found) if args.subverb == "show" else _change(app, found, args.subverb)


def _run(app: App, args: Args) -> Outcome:
    if args.name == queue.DELEGATE:  # a task in the queue of `delegate`, which `job work` works too
        task = file_task(app, args.words[0], args.words[1:])
        return Outcome(_row(task), [f"queued for {task.specialist}: {task.id}"], next_actions=WORK)
    if len(args.words) > 1:
        raise UsageError("one file or address is wanted", 'put it in quotation marks: "annual report.pdf"')
    source = pipelines.check_source(app.given(args.words))
    given = queue.make_input(source, app.config, args.kb or "", args.title, args.redact)
    steps = pipelines.plan(app, args.name, given)
    if app.dry_run:
        told = [{"step": step, "does": what} for step, what in steps]
        result = {"id": None, "name": args.name, "status": "planned", "steps": told}
        return Outcome(result, [f"{args.name}, not filed:", *(f"  {step:<11} {what}" for step, what in steps)])
    made, walk = queue.file_job(app.files, app.run, args.name, given, app.clock.now()), working.JobsRun(app)
    waits = Outcome(_row(made), [f"queued: {made.id}"], next_actions=WORK)
    if args.later or app.elsewhere:
        return waits
    try:
        with app.files.lock(working.LOCK, 0):
            walk.one(made)
    except LockBusy as busy:
        app.say(f"{busy.message}; this one waits for its turn")
        return waits
    if made.status == queue.DONE:
        return Outcome(_row(made), [*pipelines.PIPELINES[made.name].tell(made.outcome), f"  job {made.id}"])
    if made.status == queue.CANCELLED:
        return Outcome(_row(made), [f"{made.id}: cancelled"])
    kind = JobWaits if made.id in walk.unavailable else JobFailed
    when = f"; tried again after {app.clock.speak(made.not_before)}" if made.not_before else ""
    error = kind(f"{made.name}: {made.reason}{when}", kind.fix.replace("ID", made.id))
    return Outcome(_row(made), [error.message, f"  fix: {error.fix}"], error=error)


def _work(app: App, args: Args) -> Outcome:
    if app.elsewhere and not app.dry_run:
        line = f"job work: {app.elsewhere} works the jobs of this tree (instance.primary)"
        return Outcome({"status": "completed", "jobs": []}, [line])
    if app.dry_run:
        waits = _pick_queued(_every(app)[0])
        return Outcome({"status": "completed", "jobs": [*map(_brief, waits)]}, [*map(_line, waits)] or ["no jobs"])
    walk = working.JobsRun(app)
    walk.work(args.limit)
    done: list[queue.Queued] = [*walk.handled, *(walk.delegated.handled if walk.delegated is not None else [])]
    if not done:
        spans.forget(app)
    lines = [_line(each) for each in done]
    if walk.delegated is not None and walk.delegated.unreached:
        lines.append(f"  {walk.delegated.unreached}")
    left, waiting = len(_pick_queued(_every(app)[0])), len(_pick_queued(done))  # the second: tried, and put back
    lines.append(f"job work: {plural(len(done) - waiting, 'job')} worked, {left} left in the queue")
    return Outcome({"status": "completed", "run": app.run, "jobs": [*map(_brief, done)], "left": left}, lines)


def _every(app: App) -> tuple[list[queue.Queued], list[str]]:
    """Jobs and tasks, oldest first, and what is wrong with those that cannot be read."""
    found, damaged = queue.list_jobs(app.files)
    more, other = queue.list_tasks(app.files)
    both: list[queue.Queued] = [*found, *more]
    return sorted(both, key=lambda each: (each.created, each.id)), damaged + other


def _pick_queued(every: list[queue.Queued]) -> list[queue.Queued]:
    return [each for each in every if each.status == queue.QUEUED]


def _list(app: App, args: Args) -> Outcome:
    every, damaged = _every(app)
    shown = [each for each in every if args.all or each.status not in queue.OVER][::-1]
    lines = cut_list([*map(_line, shown)], LISTED) or ["no jobs are waiting; `adjutant job list --all` shows every one"]
    result = {"jobs": [*map(_brief, shown)], "damaged": damaged}
    return Outcome(result, lines + damaged, next_actions=WORK if _pick_queued(every) else [])


def _show(app: App, found: queue.Queued) -> Outcome:
    lines = [_line(found)]
    if isinstance(found, queue.Job):
        lines += [f"  {key}: {value}" for key, value in found.given.items() if value]
        lines += [f"  steps done: {queue.count_results(app.files, found.id)}"]
        lines += ["", *pipelines.PIPELINES[found.name].tell(found.outcome)] if found.outcome else []
    elif isinstance(found, queue.Task):
        lines += ["", *found.task.split("\n"), "", *found.answer.split("\n")]
    return Outcome(_row(found), lines)


def _change(app: App, found: queue.Queued, word: str) -> Outcome:
    if found.status not in queue.ACTS[word]:
        raise UsageError(f"{found.id} is {found.status}: there is nothing to {word}", f"adjutant job show {found.id}")
    cancels, fields = word == "cancel", dict[str, object](status=queue.CANCELLED)
    if not cancels:
        fields = {"status": queue.QUEUED, "tries": 0, **({"not_before": ""} if isinstance(found, queue.Job) else {})}
    if not app.dry_run:
        queue.change(app.files, found, app.clock.now(), **fields)
    return Outcome(_row(found), [f"{found.id}: {found.status}"], next_actions=[] if cancels else WORK)


def _row(each: queue.Queued) -> Row:
    row = {key: value for key, value in each.row().items() if key != "marker"}
    return {"id": each.id, "name": queue.DELEGATE, "status": each.status} | row


def _brief(each: queue.Queued) -> Row:
    row = each.row()
    given = f"{each.specialist}: {each.task}" if isinstance(each, queue.Task) else str(row["given"].get("source") or "")
    brief = {"id": each.id, "name": row.get("name", queue.DELEGATE), "status": each.status}
    brief |= {"input": to_line(given, queue.ONE_LINE), "steps_done": row.get("whole", 0), "created": each.created}
    return brief | {key: row.get(key) or None for key in ("step", "not_before", "reason")}


def _line(each: queue.Queued) -> str:
    row, why = _brief(each), f" ({each.reason})" if each.reason else ""
    return f"{each.id}  {each.status:<9}  {row['name']}: {row['input']}{why}"
