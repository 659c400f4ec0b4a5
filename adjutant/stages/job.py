"""STAGE. job: work in steps: filed, worked here one after the other, listed, accepted, retried, cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjutant.app import App, Outcome, names, plural
from adjutant.domain.telemetry import spans
from adjutant.errors import JobFailed, JobWaits, LockBusy, UsageError
from adjutant.jobs import pipeline, source
from adjutant.jobs.working import LOCK, JobsRun
from adjutant.judgements.delegating import file_task
from adjutant.printable import to_line
from adjutant.records import jobs, queue
from adjutant.records.jobs import Job
from adjutant.records.queue import Queued, Task

if TYPE_CHECKING:
    import argparse

READS = names(
    """
    config env identity roles prompts contract taxonomy index notes daily weekly monthly skills slog journal
    registry knowledge_bases conversations pending notices marks matters last_heartbeat pulse actions
    layer_changes workspace usage tasks jobs words
    """
)
WRITES = names(
    """
    tasks jobs knowledge_bases registry layer_changes notes workspace runs usage events index locks config_cache
    quarantine conflicts interactions cache schedule_state
    """
)
LISTED = 50


def run(app: App, args: argparse.Namespace) -> Outcome:
    """One subverb. Raises UsageError, JobFailed, JobWaits, KbInvalid, KbUnknown, FileDamaged, IoFailed, Stopped."""
    if args.subverb == "run":
        return _run(app, args)
    if args.subverb == "work":
        return _work(app, args.limit)
    if args.subverb == "list":
        return _list(app, args.all)
    found = _found(app, app.given([args.id]))
    return _show(app, found) if args.subverb == "show" else _changed(app, found, args.subverb)


# -- run, work -----------------------------------------------------------------------------------------------


def _run(app: App, args: argparse.Namespace) -> Outcome:
    if args.name == jobs.DELEGATE:
        return _delegated(app, args.words)
    if len(args.words) > 1:
        raise UsageError("one file or address is wanted", 'put it in quotation marks: "annual report.pdf"')
    given = jobs.make_input(source.checked(app.given(args.words)), app.config, args.kb or "", args.title, args.redact)
    steps = pipeline.load(args.name).plan(app, given)
    if app.dry_run:
        told = [{"step": step, "does": what} for step, what in steps]
        result = {"id": None, "name": args.name, "status": "planned", "steps": told}
        return Outcome(result, [f"{args.name}, not filed:", *(f"  {step:<11} {what}" for step, what in steps)])
    made = jobs.file(app.files, app.run, args.name, given, app.clock.now())
    if args.later or app.elsewhere:
        return Outcome(_row(made), [f"queued: {made.id}"], next_actions=[("adjutant job work", "work what waits")])
    walk = JobsRun(app)
    try:
        with app.files.lock(LOCK, 0):
            walk.one(made)
    except LockBusy as busy:
        app.say(f"{busy.message}; this one waits for its turn")
        return Outcome(_row(made), [f"queued: {made.id}"])
    return _ended(made, walk)


def _ended(job: Job, walk: JobsRun) -> Outcome:
    """What became of a job that was worked by hand."""
    if job.status == queue.DONE:
        return Outcome(_row(job), [*pipeline.load(job.name).told(job.outcome), f"  job {job.id}"])
    if job.status == queue.CANCELLED:
        return Outcome(_row(job), [f"{job.id}: cancelled"])
    kind = JobWaits if job.id in walk.unavailable else JobFailed
    when = f"; tried again after {walk.app.clock.speak(job.not_before)}" if job.not_before else ""
    fix = kind.fix.replace("ID", job.id)
    why = f"{job.name}: {job.reason}{when}"
    return Outcome(_row(job), [why, f"  fix: {fix}"], error=kind(why, fix))


def _delegated(app: App, words: list[str]) -> Outcome:
    """A task in the queue of `delegate`, which `job work` works too."""
    made = file_task(app, words[0], words[1:])
    lines = [f"queued for {made.specialist}: {made.id}"]
    return Outcome(_row(made), lines, next_actions=[("adjutant job work", "work it")])


def _work(app: App, limit: int) -> Outcome:
    """The table of verbs holds the lock."""
    if limit < 1:
        raise UsageError("--limit: 1 or more")
    if app.dry_run:
        waits = [each for each in _every(app)[0] if each.status == queue.QUEUED]
        return Outcome(
            {"status": "completed", "jobs": [_brief(each) for each in waits]}, [*map(_line, waits)] or [NONE]
        )
    if app.elsewhere:
        line = f"job work: {app.elsewhere} works the jobs of this tree (instance.primary)"
        return Outcome({"status": "completed", "jobs": []}, [line])
    walk = JobsRun(app)
    walk.work(limit)
    done: list[Queued] = [*walk.handled, *(walk.delegated.handled if walk.delegated is not None else [])]
    if not done:
        spans.forget(app)
    left = sum(each.status == queue.QUEUED for each in _every(app)[0])
    waiting = sum(each.status == queue.QUEUED for each in done)  # tried, and put back
    lines = [_line(each) for each in done]
    if walk.delegated is not None and walk.delegated.unreached:
        lines.append(f"  {walk.delegated.unreached}")
    lines.append(f"job work: {plural(len(done) - waiting, 'job')} worked, {left} left in the queue")
    result = {"status": "completed", "run": app.run, "jobs": list(map(_brief, done)), "left": left}
    return Outcome(result, lines)


# -- list, show, accept, retry, cancel -----------------------------------------------------------------------

NONE = "no jobs"


def _every(app: App) -> tuple[list[Queued], list[str]]:
    """Jobs and tasks, oldest first, and what is wrong with those that cannot be read."""
    found, damaged = jobs.every(app.files)
    more, other = queue.list_tasks(app.files)
    both: list[Queued] = [*found, *more]
    return sorted(both, key=lambda each: (each.created, each.id)), damaged + other


def _list(app: App, everything: bool) -> Outcome:
    every, damaged = _every(app)
    shown = [each for each in every if everything or each.status not in queue.OVER][::-1]
    result: dict[str, Any] = {"jobs": [_brief(each) for each in shown[:LISTED]], "damaged": damaged}
    if len(shown) > LISTED:
        result |= {"truncated": True, "path": app.tree.relative(app.tree.jobs)}
    lines = [_line(each) for each in shown[:LISTED]] or [
        NONE if everything else "no jobs are waiting; `adjutant job list --all` shows every one"
    ]
    waits = any(each.status == queue.QUEUED for each in every)
    return Outcome(result, lines + damaged, next_actions=[("adjutant job work", "work what waits")] if waits else [])


def _found(app: App, wanted: str) -> Queued:
    every, _ = _every(app)
    ids = [each for each in every if each.id == wanted] or [each for each in every if each.id.startswith(wanted)]
    if len(ids) != 1:
        why = f"{len(ids)} jobs have an id that begins so" if ids else f"no job {wanted[:40]!r}"
        raise UsageError(why, "`adjutant job list --all` names them")
    return ids[0]


def _show(app: App, found: Queued) -> Outcome:
    lines = [_line(found)]
    if isinstance(found, Job):
        lines += [f"  {key}: {value}" for key, value in found.given.items() if value]
        lines += [f"  steps done: {jobs.results(app.files, found.id)}"]
        lines += ["", *pipeline.load(found.name).told(found.outcome)] if found.outcome else []
    elif isinstance(found, Task):
        lines += ["", *found.task.split("\n"), "", *found.answer.split("\n")]
    return Outcome(_row(found), lines)


def _changed(app: App, found: Queued, word: str) -> Outcome:
    """accept, retry, cancel. Raises UsageError for one that is not in that state."""
    if found.status not in queue.ACTS[word]:
        raise UsageError(f"{found.id} is {found.status}: there is nothing to {word}", f"adjutant job show {found.id}")
    if not app.dry_run:
        more = {"not_before": ""} if isinstance(found, Job) and word != "cancel" else {}
        status = queue.CANCELLED if word == "cancel" else queue.QUEUED
        tries = found.tries if word == "cancel" else 0
        queue.change(app.files, found, app.clock.now(), status=status, tries=tries, **more)
    actions = [] if word == "cancel" else [("adjutant job work", "work what waits")]
    return Outcome(_row(found), [f"{found.id}: {found.status}"], next_actions=actions)


def _row(each: Queued) -> dict[str, Any]:
    row = each.row()
    first = {"id": each.id, "name": row.get("name", jobs.DELEGATE), "status": each.status}
    return first | {key: value for key, value in row.items() if key != "marker"} | first


def _brief(each: Queued) -> dict[str, Any]:
    """A row of the list, the same keys for both."""
    row = each.row()
    source = f"{each.specialist}: {each.task}" if isinstance(each, Task) else str(row["given"].get("source") or "")
    return {
        "id": each.id,
        "name": row.get("name", jobs.DELEGATE),
        "status": each.status,
        "input": to_line(source, queue.ONE_LINE),
        "step": row.get("step") or None,
        "steps_done": row.get("whole", 0),
        "not_before": row.get("not_before") or None,
        "reason": each.reason or None,
        "created": each.created,
    }


def _line(each: Queued) -> str:
    row = _brief(each)
    why = f" ({each.reason})" if each.reason else ""
    return f"{each.id}  {each.status:<9}  {row['name']}: {row['input']}{why}"
