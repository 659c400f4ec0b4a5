"""STAGE. mark: what the operator thinks of an insight or notice; done and snooze silence its matter."""

from __future__ import annotations

from adjutant.app import Outcome
from adjutant.domain.heartbeat import marking
from adjutant.domain.interactions import noting
from adjutant.errors import UsageError
from adjutant.records import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = ("pending", "sent", "notices", "marks", "interactions")
WRITES = ("marks", "notices", "interactions")


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {marked{insight, notice, fingerprint, state, until}}. Raises CheckFailed, UsageError, IoFailed."""
    name, until = _read(app) if args.name == "-" else (args.name, args.until)
    marked = marking.apply(app.files, name, args.state, args.until or until, now=app.clock.now(), run=app.run)
    noting.marked(app, marked)
    when = f" until {marked['until']}" if marked["until"] else ""
    quiet = "; its matter is not raised again" if args.state in marks.SILENCING else ""
    return Outcome({"marked": marked}, [f"{name}: {args.state}{when}{quiet}"])


def _read(app: App) -> tuple[str, str | None]:
    """Name and date as standard input has them. Raises UsageError."""
    name, *rest = app.stdin().split() or [""]
    if not name or len(rest) > 1:
        raise UsageError("standard input: one name, and for snooze a date", "`adjutant notices list` shows the names")
    return name, rest[0] if rest else None
