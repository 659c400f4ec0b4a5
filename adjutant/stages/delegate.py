"""STAGE. delegate: tasks for specialists: filed in a queue, worked one by one, answered in their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjutant.app import App, Outcome, names, plural
from adjutant.domain.conversation.blots import Blots
from adjutant.domain.conversation.preparing import Prepared, prepare
from adjutant.domain.learning.interactions import noting
from adjutant.domain.prompting import churn
from adjutant.domain.telemetry import spans
from adjutant.errors import FileChanged, FileDamaged, ModelUnavailable, UsageError
from adjutant.judgements import allowance, answering, recording
from adjutant.records import tasks
from adjutant.records.interactions import TASK
from adjutant.records.tasks import Task
from adjutant.screening.fence import clean_line

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
MAX_CHARS = 20_000
LISTED = 50
REASON = 200
OUTSIDE = ("unreachable", "cap", "limit")  # what no task is to blame for; nothing more is asked in this run


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
        return _told(app, _DelegatedRun(app), args.limit)
    if args.name:
        return _filed(app, args.name, args.words)
    outcome = _shown(app, args.show) if args.show else _listed(app)
    spans.forget(app)
    return outcome


def _filed(app: App, name: str, words: list[str]) -> Outcome:
    if name not in app.config.specialists:
        known = ", ".join(app.config.specialists) or "none yet"
        raise UsageError(f"no specialist {name[:40]!r}; there are {known}", "name one under `specialists:`")
    blots = Blots(app)
    given = app.stdin_bytes() if words == ["-"] else " ".join(words).encode("utf-8", "surrogateescape")
    text, taken = blots.message(given.decode("utf-8", "replace"))
    if not text.strip() or len(text) > MAX_CHARS:
        why = f"{len(text)} characters, at most {MAX_CHARS}" if text.strip() else "an empty task"
        raise UsageError(why, f'adjutant delegate {name} "Write a script that …"')
    for kind in taken:
        app.say(f"{kind} was taken out of the task: it is neither kept nor sent")
    made = tasks.file(app.files, app.run, name, text.strip(), app.clock.now())
    lines = [f"queued for {name}: {made.id}"]
    return Outcome(_one(made), lines, next_actions=[("adjutant delegate --run", "work the queue")])


def _shown(app: App, wanted: str) -> Outcome:
    ids = [each.id for each in tasks.every(app.files)[0] if each.id == wanted or each.id.startswith(wanted)]
    found = tasks.read(app.files, ids[0]) if len(ids) == 1 else None
    if found is None:
        why = f"{len(ids)} tasks have an id that begins so" if ids else f"no task {wanted[:40]!r}"
        raise UsageError(why, "`adjutant delegate` lists them")
    lines = [f"{found.id}  {found.specialist}  {found.status}", *found.task.split("\n")]
    lines += ["", *found.answer.split("\n")] if found.answer else []
    lines += [f"reason: {found.reason}"] if found.reason else []
    return Outcome(_one(found), lines)


def _listed(app: App) -> Outcome:
    every, damaged = tasks.every(app.files)
    newest = every[: -LISTED - 1 : -1]
    result: dict[str, Any] = {"tasks": [each.brief() for each in newest], "damaged": damaged}
    if len(newest) < len(every):
        result |= {"truncated": True, "path": app.tree.relative(app.tree.tasks)}
    lines = [_line(each) for each in newest] or ["delegate: no tasks"]
    waits = any(each.status == tasks.QUEUED for each in every)
    actions: list[tuple[Any, ...]] = [("adjutant delegate --run", "work the queue")] if waits else []
    return Outcome(result, lines + damaged, next_actions=actions)


class _DelegatedRun:
    """One walk through the queue: what became of each task."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.blots = Blots(app)
        self.handled: list[Task] = []
        self.unreached = ""
        self.over = False
        self.tokens = 0

    def work(self, limit: int) -> None:
        """Raises Stopped and what stops every task; the one under way is found running by the next run."""
        files, now = self.app.files, self.app.clock.now()

        def stopped(run: str) -> bool:
            try:
                note = recording.note_of(files, run)
            except FileDamaged:
                return False
            return note is not None and note.status == "stopped"

        for left in tasks.recover(files, now, stopped):
            self.app.say(f"{left.id}: {left.reason}; {left.status}")
        every, damaged = tasks.every(files)
        for problem in damaged:
            self.app.say(f"{problem}; left where it is")
        for task in tasks.queue(every)[:limit]:
            self.app.gate()
            try:
                self._one(task)
            except FileChanged as error:
                self.app.say(error.message)
            if self.over:
                break

    def _one(self, task: Task) -> None:
        app, files = self.app, self.app.files
        prepared = self._prepared(task)
        if prepared is None:
            return
        model = answering.route(app, prepared)
        if model is None:
            self.unreached = f"no model is configured for {task.specialist}, and rules cannot do a task"
            return
        tasks.claim(files, task, app.clock.now(), app.run)
        churn.note(files, prepared.layers, app.clock.now(), app.run)
        self.handled.append(task)
        began = app.clock.monotonic()
        try:
            said = answering.answer(
                app, prepared, session=f"task-{task.id}", source=f"task {task.id}", model=model, clean=self.blots.own
            )
        except FileDamaged as error:
            tasks.put_back(files, task, app.clock.now(), error.message)
            raise
        self.tokens += said.tokens
        if said.degraded is None:
            tasks.settle(files, task, app.clock.now(), answer=said.result.answer)
            noting.note_turn(app, self._about(task, began), prepared, said)
            return
        reason = clean_line(f"{said.degraded}: {said.why}", REASON)
        outside = said.degraded in OUTSIDE
        if outside or allowance.of_run(app).failure is not None:
            self.unreached, self.over = reason, True
        tasks.put_back(files, task, app.clock.now(), reason, counts=not outside)
        if task.status == tasks.FAILED:
            noting.note_turn(app, self._about(task, began), prepared, said)

    def _about(self, task: Task, began: float) -> noting.TurnRef:
        """The task as it is noted once it is done or has failed; the tries before that are no end of it."""
        clock = self.app.clock
        ms = round((clock.monotonic() - began) * 1000)
        return noting.TurnRef(task.id, TASK, f"task-{task.id}", noting.DELEGATE, clock.now().isoformat(), ms)

    def _prepared(self, task: Task) -> Prepared | None:
        """Its prompt; None where it has none and never will: then it has failed."""
        app = self.app
        if task.specialist not in app.config.specialists:
            reason = f"adjutant.yaml has no specialist {task.specialist}"
        else:
            try:
                return prepare(app, task.task, session=f"task-{task.id}", role=task.specialist)
            except UsageError as error:
                reason = error.message
        tasks.settle(app.files, task, app.clock.now(), reason=reason)
        noting.note_unanswered(app, self._about(task, app.clock.monotonic()), task.specialist, UsageError.code)
        self.handled.append(task)
        return None


def _told(app: App, walk: _DelegatedRun, limit: int) -> Outcome:
    walk.work(limit)
    every, damaged = tasks.every(app.files)
    left = sum(each.status == tasks.QUEUED for each in every)
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
