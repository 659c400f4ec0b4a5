"""STAGE. mark: what the operator thinks of a matter or a notice; done, snooze and useless silence it."""

from adjutant.app import App, Args, Outcome, Row
from adjutant.domain.heartbeat import marking
from adjutant.domain.learning import noting
from adjutant.domain.matters import drawing
from adjutant.domain.telling import message
from adjutant.errors import CheckFailed, UsageError
from adjutant.records import matters_log, notice_log

QUIET = {
    "done": "; it is not raised again",
    "useless": "; it is not raised again, and its like a little less (`useful` takes that back)",
}


def run(app: App, args: Args) -> Outcome:
    """{marked{matter, insight, notice, fingerprint, state, until}}."""
    name, until = args.name, " ".join(args.until) or None
    if name == "-":
        name, *rest = app.stdin().split() or [""]
        until = " ".join(rest) or None
        if not name or len(rest) > 5:
            raise UsageError("standard input: one name, and for snooze a day", "`adjutant today --all` shows the ids")
    if args.seal is None:
        marked = _mark(app, name, args.state, until)
    else:
        with app.files.lock("marks"):  # of two presses at once, the second sees what the first did
            _check(app, name, args.seal)
            marked = _mark(app, name, args.state, until)
    noting.note_mark(app, marked)
    when = f" until {marked['until']}" if marked["until"] else ""
    said = "snoozed" if when else args.state
    return Outcome({"marked": marked}, [f"{marked['matter'] or name}: {said}{when}{QUIET.get(args.state, '')}"])


def _mark(app: App, name: str, state: str, until: str | None) -> Row:
    now, run = app.clock.now(), app.run
    return marking.apply(app.files, name, state, until, now=now, run=run, see=lambda: _see(app, name))


def _check(app: App, id: str, seal: str) -> None:
    each = drawing.draw(app).by_id(id)
    if matters_log.last_marks(app.files).get(id, {}).get("state") == "done":
        raise CheckFailed(f"{id} was marked done before; nothing more was done")
    if each is None:
        raise CheckFailed(f"{id} is no longer open; nothing was done", f"`adjutant why {id}` says how it ended")
    if message.seal(each) != seal:
        told = notice_log.line_of(app.files, id, app.clock.now())
        then = f"\ntold: {told}" if told else ""
        now = f"\nnow: {message.line(each, app.clock.now().date())}"
        raise CheckFailed(f"{id} changed since you were told; nothing was done{then}{now}", "look, then mark it")


def _see(app: App, name: str) -> list[str]:
    """The ids of what is open now and no pulse has seen; the one that is meant is written into the register."""
    picture = drawing.draw(app)
    named = [each.id for each in picture.named(name)]
    if len(named) == 1:
        matters_log.append(app.files, [each for each in picture.events if each["id"] == named[0]])
    return named
