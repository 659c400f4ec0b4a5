"""SHELL. Switches -> run lock -> the steps of a verb -> ledger -> one merged result."""

from __future__ import annotations

import importlib
import os

from adjutant import commands
from adjutant.app import REFUSED, App, Args, Outcome, Row, names
from adjutant.errors import AdjutantError, IoFailed, LockBusy, Stopped, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from adjutant.commands import Verb

CRON_LOG_BYTES = 1024 * 1024
FAILED, STOPPED = "failed", "stopped"
SPANS = "spans"
ADDED = ("model_calls", "tokens")
JOINED = ("damaged",)
# A step that runs verbs itself stands beside the runner, not among the stages.
ROOMS = {"serve": "adjutant.page", "mcp": "adjutant.mcp"}
DEGRADED = ("cap", "timeout", "unreachable", "http", "malformed", "check", "layer", "limit")
SWEPT = names(
    "root state pending sent cache identity knowledge_bases quarantine conflicts archive memory daily weekly monthly"
)

# The keys of a ledger record that scripts rely on, for a step that failed before it had anything to say.
NOTHING: dict[str, Row] = {
    "pulse": {"kbs_checked": [], "issues_found": [], "escalated": False},
    "escalation": {"trigger": None, "action": None, "project": None, "notice": None},
    "review": {"kbs_checked": [], "insights_sent": 0, "recommendations": []},
}


def stage_of(name: str) -> Callable[[App, Args], Outcome]:
    """What runs a step; only the stage that runs is ever loaded."""
    module = importlib.import_module(f"{ROOMS.get(name, 'adjutant.stages')}.{name.replace('-', '_')}")
    run: Callable[[App, Args], Outcome] = module.run
    return run


def run(row: Verb, args: Args, app: App) -> Outcome:
    """Grants what the row declares and walks its steps. Raises AdjutantError."""
    failed = True
    try:
        outcome = _grant(row, args, app)
        failed = False
        return outcome
    finally:
        if SPANS in app.shared:
            from adjutant.domain.telemetry import spans  # what has spans has loaded it already

            spans.flush(app, failed=failed)


def _grant(row: Verb, args: Args, app: App) -> Outcome:
    if not row.lock:
        return _walk(row, args, app)
    if_due = getattr(args, "if_due", False)
    if if_due and (nothing := not_due(row, app)) is not None:
        return nothing  # before the lock: fires that have nothing to do must not collide with one that has
    try:
        with app.files.lock(row.lock, 0):
            if if_due and (nothing := not_due(row, app)) is not None:
                return nothing
            for name in SWEPT:  # what a crash left half-made where this run writes
                app.files.sweep(getattr(app.tree, name), app.clock.now().timestamp())
            return _keep(row, args, app)
    except LockBusy as busy:
        if busy.details.get("lock") != row.lock:
            raise
        raise LockBusy(f"{row.verb}: {busy.message}; nothing was done") from None


def not_due(row: Verb, app: App) -> Outcome | None:
    """The outcome of --if-due where nothing is due; None, and `app.slot` set, where the verb is to run."""
    try:  # what cron's runs print is kept within bounds, by whatever it is that cron starts
        app.files.cap(app.tree.cron_log, CRON_LOG_BYTES)
    except (AdjutantError, OSError) as error:
        app.say(f"the log of cron could not be cut: {error}")  # no reason to leave the work undone
    from adjutant.domain.schedule import due  # only where the schedule decides

    found = due.check(app.files, app.config, app.clock, row.schedule)
    if found.slot is not None:
        app.slot = found.slot
        return None
    coming = found.next.isoformat() if found.next is not None else None
    line = f"{row.verb}: not due; next {coming}" if coming else f"{row.verb}: not scheduled"
    if found.given_up is not None:
        line += f" (the slot of {found.given_up.isoformat()} was tried {due.TRIES} times)"
    return Outcome({"status": "skipped", "reason": found.reason, "next": coming}, [line])


def _keep(row: Verb, args: Args, app: App) -> Outcome:
    """The run, and that it was: what tells the next --if-due and `status` that its slot is covered."""
    schedule = commands.schedule_of(row)
    if not schedule or app.dry_run:
        return _walk(row, args, app)
    from adjutant.domain.schedule import due  # only for what can be scheduled

    runs = due.beginning(app.files, app.clock, schedule)
    outcome = _walk(row, args, app)
    if outcome.result.get("status") == "completed":
        try:
            due.settle(app.files, app.clock, schedule, runs)
        except Stopped:
            pass  # the run is complete, and last_heartbeat.json knows it
    return outcome


def _walk(row: Verb, args: Args, app: App) -> Outcome:
    merged: Outcome | None = None
    for step in row.steps:
        if merged is not None and merged.result.get("status") != "completed":
            break
        if merged is not None:
            try:
                app.gate()  # PAUSED may have come between two steps
            except Stopped:
                merged.result.update(status=STOPPED, reason="paused")
                merged.lines.append(f"{row.verb}: stopped, paused before {row.steps[-1]}")
                break
        try:
            if merged is None and app.slot is not None:
                from adjutant.domain.schedule import due  # only where the schedule decides

                due.begin(app.files, app.clock, row.schedule, app.slot)
            outcome = _step(row, step, app, args)
        except Stopped:
            _note(row, app, STOPPED)
            raise
        except UsageError:  # a word mistyped by hand is no run that failed
            raise
        except AdjutantError as error:
            _note_failed(row, step, app, error)
            _note(row, app, FAILED)
            raise
        except OSError as error:
            failed = IoFailed(f"{error.filename or step}: {error.strerror or error}")
            _note_failed(row, step, app, failed)
            raise failed from error
        except Exception as error:
            _note_failed(row, step, app, AdjutantError(f"a bug in adjutant ({type(error).__name__})"))
            raise
        merged = outcome if merged is None else _merge(merged, outcome, row.renames)
    assert merged is not None
    _note(row, app, str(merged.result.get("status", "completed")))
    return merged


def _step(row: Verb, step: str, app: App, args: Args) -> Outcome:
    """The stage's run; one that works (rather than tells or switches something) leaves a span."""
    run_stage = stage_of(step)
    if not (row.lock or row.paused):
        return run_stage(app, args)
    from adjutant.domain.learning import noting  # only for what works
    from adjutant.domain.telemetry import spans

    with spans.share(app).span(f"step {step}", step=True, verb=row.verb) as span:
        began = app.clock.monotonic()
        try:
            outcome = run_stage(app, args)
        except Exception as error:
            if row.lock and not isinstance(error, Stopped | UsageError):
                noting.note_failed_step(app, step, error, round((app.clock.monotonic() - began) * 1000))
            raise
        if row.lock:  # a cycle that ran is an interaction, however it ended
            noting.note_step(app, step, outcome, round((app.clock.monotonic() - began) * 1000))
        told = outcome.result
        span.set(outcome=told.get("status"), tokens=told.get("tokens"), degraded=told.get("degraded"))
        if outcome.error is not None:
            span.fail(outcome.error.code)
        return outcome


def _merge(first: Outcome, second: Outcome, renames: dict[str, str]) -> Outcome:
    """By key: totals add up, lists of damage join, `degraded` unites, everything else is the later step's to fill."""
    result = dict(first.result)
    for key, value in second.result.items():
        key = renames.get(key, key)
        if key in ADDED:
            result[key] = int(result.get(key, 0)) + value
        elif key in JOINED:
            result[key] = [*result.get(key, []), *(entry for entry in value if entry not in result.get(key, []))]
        elif key == "degraded":
            found = {word for text in (result.get(key), value) if text for word in text.split(",")}
            result[key] = ",".join(word for word in DEGRADED if word in found) or None
        elif key in renames.values() or key not in result:
            result[key] = value
        elif key in ("status", "reason") and value not in (None, "completed"):
            result[key] = value  # a later step that did not complete speaks for the whole
    actions, error = second.next_actions or first.next_actions, first.error or second.error
    return Outcome(result, first.lines + second.lines, actions, error)


def _note_failed(row: Verb, step: str, app: App, error: AdjutantError) -> None:
    if not row.ledger:
        return
    from adjutant.records import ledger  # only where something failed

    fields = NOTHING.get(step, {}) | ({"tier": "medium"} if row.preset.get("tier") == "medium" else {})
    more = {"status": FAILED, "error": error.message, "slot": app.slot_text}
    record = ledger.record(app.clock.now(), step, fields, run=app.run, dry_run=app.dry_run, **more)
    try:
        ledger.append(app.files, record)
        if (schedule := commands.schedule_of(row)) and not app.dry_run:
            from adjutant.domain.heartbeat import failures  # only where something failed

            failures.tell(app, schedule, error.message)
    except Exception as second:  # noqa: BLE001 - whatever a notice meets, the error above is the one to report
        app.say(f"nobody was told of {row.verb}'s failure: {second}")


def _note(row: Verb, app: App, status: str) -> None:
    """Says in the run's own folder which verb it was; only runs that asked something have a folder."""
    if not os.path.isdir(app.tree.run(app.run)):
        return
    from adjutant.judgements import recording  # only runs that asked have loaded it already

    try:
        recording.note_run(app.files, app.run, row.verb, app.clock.now(), status)
    except (AdjutantError, OSError) as error:
        if status != FAILED and REFUSED not in app.shared:  # else what is being, or was, reported is what matters
            app.say(f"run record: {error}")
