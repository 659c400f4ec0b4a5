"""STAGE. mark: what the operator thinks of a matter or a notice; done, snooze and useless silence it."""

from __future__ import annotations

from adjutant.app import Outcome, names
from adjutant.domain.heartbeat import marking
from adjutant.domain.learning.interactions import cycles
from adjutant.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = names("config heart user registry knowledge_bases pending sent notices marks matters interactions")
WRITES = names("marks notices interactions matters cache")
QUIET = {
    "done": "; it is not raised again",
    "useless": "; it is not raised again, and its like a little less (`useful` takes that back)",
}


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result {marked{matter, insight, notice, fingerprint, state, until}}. Raises CheckFailed, UsageError, IoFailed."""
    name, until = _read(app) if args.name == "-" else (args.name, " ".join(args.until) or None)
    marked = marking.apply(
        app.files, name, args.state, until, now=app.clock.now(), run=app.run, see=lambda: _see(app, name)
    )
    cycles.note_mark(app, marked)
    when = f" until {marked['until']}" if marked["until"] else ""
    said = "snoozed" if when else args.state
    return Outcome({"marked": marked}, [f"{marked['matter'] or name}: {said}{when}{QUIET.get(args.state, '')}"])


def _see(app: App, name: str) -> list[str]:
    """The ids of what is open now and no pulse has seen; the one that is meant is written into the register."""
    from adjutant.domain.matters import drawing  # only for an id that the register does not know
    from adjutant.records import heart, layers, matters_log

    picture = drawing.draw(app, heart.parse(layers.read(app.files, app.config, "heart").text))
    named = [each.id for each in picture.named(name)]
    if len(named) == 1:
        matters_log.append(app.files, [each for each in picture.events if each["id"] == named[0]])
    return named


def _read(app: App) -> tuple[str, str | None]:
    """Name and day as standard input has them. Raises UsageError."""
    name, *rest = app.stdin().split() or [""]
    if not name or len(rest) > 5:
        raise UsageError("standard input: one name, and for snooze a day", "`adjutant today --all` shows the ids")
    return name, " ".join(rest) or None
