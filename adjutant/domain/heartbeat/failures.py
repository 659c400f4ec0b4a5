"""DOMAIN. A scheduled stage that keeps failing says so: one notice a day and stage, from the third failure on."""

from itertools import takewhile

from adjutant.app import App
from adjutant.clock import Clock, moment
from adjutant.domain.schedule import due
from adjutant.domain.telling import notices
from adjutant.store import jsonl
from adjutant.store.files import Files

IN_A_ROW = 3
ERROR_CHARS = 300
# Of these the ledger tells failures alone.
UNTOLD = frozenset(("behavior-review", "compact", "distill", "evolve", "index"))


def tell(app: App, stage: str, error: str) -> None:
    """Sends the notice when the stage is scheduled and failed at least three times. Raises as `send`."""
    if app.config.text_or_none(f"schedule.{stage}") is None:
        return
    count = in_a_row(app.files, app.clock, stage)
    if count < IN_A_ROW:
        return
    what = error if len(error) <= ERROR_CHARS else error[: ERROR_CHARS - 1] + "…"
    text = f"[adjutant] {stage} failed {count} times in a row: {what}; `adjutant doctor`"
    notices.Notices(app).send(text, f"failed-{stage}-{app.clock.now().date()}", "failure")


def in_a_row(files: Files, clock: Clock, stage: str) -> int:
    """How many of the stage's latest runs failed in any step, by the tail of the ledger; stopped and dry ones are left
    out. Where that tells failures alone, schedule.json knows the last good run. Raises FileDamaged, IoFailed."""
    since = None
    if stage in UNTOLD:  # a run dated ahead of the clock, which was wrong then, would hide failures for years
        runs, now = due.read(files, clock, [stage])[1][stage].runs, clock.now()
        since = max((run for run in runs if run <= now), default=None)
    failed: dict[str, bool] = {}
    mine: set[str] = set()
    for record in jsonl.tail(files, files.tree.actions, due.TAIL_BYTES):
        run, status = str(record.get("run")), record.get("status")
        if record.get("dry_run") or status == "stopped":
            continue
        if record.get("type") == stage:
            when = moment(record.get("ts"))  # None: a line that somebody edited
            if since is not None and (when is None or when <= since):
                continue
            mine.add(run)
        failed[run] = failed.get(run, False) or status == "failed"
    return sum(1 for _ in takewhile(failed.get, (run for run in reversed(failed) if run in mine)))
