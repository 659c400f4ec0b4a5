"""STAGE. delegate: tasks for specialists: filed in a queue, worked one by one, answered in their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjutant.app import App, Outcome, names, plural
from adjutant.domain.telemetry import spans
from adjutant.errors import ModelUnavailable, UsageError
from adjutant.judgements.delegating import DelegatedRun, file_task
from adjutant.records import queue
from adjutant.records.queue import Task

if TYPE_CHECKING:
    import argparse

READS = names(
    """
    config env identity roles prompts contract taxonomy index notes daily weekly monthly skills slog journal
    registry knowledge_bases conversations pending notices marks matters last_heartbeat pulse actions
    layer_changes workspace usage tasks words
    """
)
WRITES = names(
    """
    tasks layer_changes notes workspace runs usage events index locks config_cache quarantine conflicts
    interactions cache
    """
)
LISTED = 50


def run(app: App, args: argparse.Namespace) -> Outcome:
    """{id, status, answer} of one task; with --run of the last one, and tasks[], left; without anything tasks[].

    The table of verbs has --run hold its lock. Raises UsageError, ConfigInvalid (a layer), FileDamaged, IoFailed,
    Stopped.
    """
    if (bool(args.name) + args.run + bool(args.show)) > 1:
        raise UsageError("give a task, --run or --show: only one", "`adjutant delegate --help`")
    if args.run:
        if args.limit < 1:
            raise UsageError("--limit: 1 or more")
        return _told(app, DelegatedRun(app), args.limit)
    if args.name:
        return _filed(app, args.name, args.words)
    outcome = _shown(app, args.show) if args.show else _listed(app)
    spans.forget(app)
    return outcome


def _filed(app: App, name: str, words: list[str]) -> Outcome:
    made = file_task(app, name, words)
    lines = [f"queued for {name}: {made.id}"]
    return Outcome(_one(made), lines, next_actions=[("adjutant delegate --run", "work the queue")])


def _shown(app: App, wanted: str) -> Outcome:
    ids = [each.id for each in queue.list_tasks(app.files)[0] if each.id == wanted or each.id.startswith(wanted)]
    found = queue.read(app.files, Task, ids[0]) if len(ids) == 1 else None
    if found is None:
        why = f"{len(ids)} tasks have an id that begins so" if ids else f"no task {wanted[:40]!r}"
        raise UsageError(why, "`adjutant delegate` lists them")
    lines = [f"{found.id}  {found.specialist}  {found.status}", *found.task.split("\n")]
    lines += ["", *found.answer.split("\n")] if found.answer else []
    lines += [f"reason: {found.reason}"] if found.reason else []
    return Outcome(_one(found), lines)


def _listed(app: App) -> Outcome:
    every, damaged = queue.list_tasks(app.files)
    newest = every[: -LISTED - 1 : -1]
    result: dict[str, Any] = {"tasks": [each.brief() for each in newest], "damaged": damaged}
    if len(newest) < len(every):
        result |= {"truncated": True, "path": app.tree.relative(app.tree.tasks)}
    lines = [_line(each) for each in newest] or ["delegate: no tasks"]
    waits = any(each.status == queue.QUEUED for each in every)
    actions: list[tuple[Any, ...]] = [("adjutant delegate --run", "work the queue")] if waits else []
    return Outcome(result, lines + damaged, next_actions=actions)


def _told(app: App, walk: DelegatedRun, limit: int) -> Outcome:
    walk.work(limit)
    every, damaged = queue.list_tasks(app.files)
    left = sum(each.status == queue.QUEUED for each in every)
    last = walk.handled[-1] if walk.handled else None
    result: dict[str, Any] = {
        "id": last.id if last else None,
        "status": last.status if last else None,
        "answer": (last.answer or None) if last else None,
        "run": app.run,
        "dry_run": app.dry_run,
        "tasks": [{**each.brief(), "answer": each.answer or None} for each in walk.handled],
        "left": left,
        "damaged": damaged,
        "tokens": walk.tokens,
    }
    lines: list[str] = []
    for each in walk.handled:
        lines.append(f"{each.specialist} ({each.status}, {each.id}):")
        lines += [*(f"  {line}" for line in (each.answer or each.reason).split("\n")), ""]
    lines.append(f"delegate: {plural(len(walk.handled), 'task')} worked, {left} left in the queue")
    if not walk.unreached:
        return Outcome(result, lines)
    lines.append(f"  {walk.unreached}")
    error = ModelUnavailable(f"delegate: {walk.unreached}", details={"left": left})
    return Outcome(result, lines, error=error)


def _one(task: Task) -> dict[str, Any]:
    first = {"id": task.id, "status": task.status, "answer": task.answer or None}
    return first | task.row() | first


def _line(task: Task) -> str:
    why = f" ({task.reason})" if task.reason else ""
    return f"{task.id}  {task.status:<7}  {task.specialist}: {task.brief()['task']}{why}"
