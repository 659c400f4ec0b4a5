"""DOMAIN. What a person decides on a suggestion, the only way from it into a file: accept, reject, revert.

A change is recorded first, then made, then settled; one that was cut in between is completed by whatever comes next.
"""

import os
from contextlib import suppress
from typing import NamedTuple

from adjutant.app import App
from adjutant.domain.learning import target
from adjutant.errors import AdjutantError, EvolutionChanged, FileChanged, FileDamaged
from adjutant.records import evolution_log
from adjutant.records.evolution_log import REFUSED, WRITTEN, Accepted, Held, Made, Rejected, Reverted, Settled, State
from adjutant.records.suggestion import ACCEPTED, PENDING, REJECTED, REVERTED, STALE, Change, Suggestion
from adjutant.store.files import Files, sha256, state_of

LOCK = "evolution"
REASON_CHARS, DIGEST_CHARS = 500, 16
WAIT = "`adjutant evolve list` names those that wait"


class Answered(NamedTuple):
    """What was decided. `diff`: as it went into the file or out of it."""

    suggestion: Suggestion
    status: str
    diff: str


def digest(each: Suggestion) -> str:
    """What an accept that names it is bound to: the file, and the diff as it was shown."""
    return sha256(f"{each.path}\n{each.diff}".encode("utf-8", "surrogatepass"))[:DIGEST_CHARS]


def accept(app: App, given: str, *, shown: str = "", stored: bool = False) -> Answered:
    """Applies the stored diff of a pending suggestion; `shown`: the digest of what the person saw; `stored`: although
    its report was altered. Raises EvolutionUnknown, EvolutionChanged, FileChanged, FileDamaged, LockBusy, IoFailed."""
    return _act(app, given, ACCEPTED, shown, stored)


def revert(app: App, given: str) -> Answered:
    """Takes an accepted suggestion back: its file has its bytes of before. Raises as `accept`."""
    return _act(app, given, REVERTED)


def _act(app: App, given: str, status: str, shown: str = "", stored: bool = False) -> Answered:
    completed, back = complete(app), status == REVERTED
    with app.files.lock(LOCK):
        state = evolution_log.read(app.files)
        held = state.find(given)
        each = held.suggestion
        if each.id in completed and held.status == status:
            return Answered(each, status, "" if back or held.accepted is None else held.accepted.diff)
        _refuse_unless(held, ACCEPTED if back else PENDING)
        if shown and shown != digest(each):
            raise EvolutionChanged(f"{each.id} is not what was shown as {shown}", "look at it again, then accept that")
        if not back and not stored:
            _check_report(app.files, held)
        plan = _plan(app, state, held, back=back)
        about = {"ts": app.clock.now().isoformat(), "run": app.run, "id": each.id, "path": each.path}
        about |= {"before_sha": state_of(plan.now), "after_sha": state_of(plan.after)}
        change = Reverted(**about) if back else Accepted(**about, diff=plan.diff, stored=stored)
        evolution_log.append(app.files, change)
        try:
            _put(app.files, plan)
        except FileChanged as error:  # an editor was faster: it counts for nothing
            _settle(app, change, error.message)
            raise
        _settle(app, change)
    return Answered(each, status, plan.diff)


def reject(app: App, given: str, reason: str = "") -> Answered:
    """Sets a suggestion aside. Raises EvolutionUnknown, EvolutionChanged, FileDamaged, LockBusy, IoFailed."""
    complete(app)
    with app.files.lock(LOCK):
        held = evolution_log.read(app.files).find(given)
        each = held.suggestion
        if held.status != REJECTED:
            _refuse_unless(held, PENDING)
            about = {"ts": app.clock.now().isoformat(), "run": app.run, "id": each.id}
            evolution_log.append(app.files, Rejected(**about, reason=reason[:REASON_CHARS]))
    return Answered(each, REJECTED, each.diff)


def _refuse_unless(held: Held, status: str) -> None:
    if held.status == status:
        return
    each, on = held.suggestion, held.since[:16].replace("T", " ")
    told = {PENDING: "was not accepted", STALE: f"has given way to {held.reason}"}.get(held.status)
    fix = f"`adjutant evolve revert {each.id}` takes it back" if held.status == ACCEPTED else WAIT
    raise EvolutionChanged(f"{each.id} {told or f'was {held.status} on {on}'}", fix)


def _check_report(files: Files, held: Held) -> None:
    each, sha = held.suggestion, ""
    with suppress(FileNotFoundError, FileDamaged):
        sha = sha256(files.read(files.tree.inside(each.report)))
    if not sha or sha != held.report_sha:
        why = f"{each.report} was altered or is gone since {each.id} was written into it"
        fix = f"`adjutant evolve show {each.id}` prints what is stored; `adjutant evolve accept {each.id} --stored`"
        raise EvolutionChanged(why, f"{fix} applies it")


class _Plan(NamedTuple):
    """A change about to be made: its absolute file, what that holds and shall hold (None: no file), the difference."""

    path: str
    now: bytes | None
    after: bytes | None
    diff: str
    moved: bool


def fits(files: Files, state: State, each: Suggestion) -> bool:
    """Whether its diff still fits: the file is as it was, or only accepted suggestions have changed it."""
    with suppress(AdjutantError):
        _apply(files, state, each, each)
        return True
    return False


def _plan(app: App, state: State, held: Held, *, back: bool) -> _Plan:
    each, kind, files = held.suggestion, held.suggestion.kind, app.files
    made = held.accepted if back and held.accepted is not None else each
    fix = f"`adjutant evolve show {each.id}` prints the diff"
    if not (why := target.why_refused(files, app.config, kind, each.path)):
        ends = ("" if sha else None for sha in (made.before_sha, made.after_sha))
        if not made.diff.startswith(target.head_diff(Change(each.path, *ends))):
            why = f"its diff names another file than {each.path}"
    if not why:
        plan = _apply(files, state, each, made, back)
        if not plan.moved and state_of(plan.after) != (made.before_sha if back else made.after_sha):
            why = "its diff does not lead to what was suggested"
        elif not back or (plan.now is not None and plan.after is not None):  # what was there before comes back unread
            fix = "take it back by hand" if back else "make room or mend it, then accept it again"
            after = None if plan.after is None else plan.after.decode()
            why = target.why_unfit(files, app.config, kind, each.path, after)
    if why:
        raise EvolutionChanged(f"{each.id} is not {'taken back' if back else 'applied'}: {why}", fix)
    return plan


def _apply(files: Files, state: State, each: Suggestion, made: Suggestion | Accepted, back: bool = False) -> _Plan:
    """What the diff of `made` makes of a file that only accepted suggestions have changed. Raises EvolutionChanged."""
    path, since = files.tree.inside(each.path), made.after_sha if back else made.before_sha
    now = files.find(path)
    moved = state_of(now) != since
    if moved and (now is None or not evolution_log.ours(state.made, each.path, since, state_of(now))):
        what = "is there by now" if not since else "is gone" if now is None else "was changed since"
        raise EvolutionChanged(
            f"{each.path} {what}: {each.id} does not fit it any more, nothing was written",
            f"`adjutant evolve show {each.id}` prints the diff; the next `adjutant evolve` looks anew",
        )
    try:
        before = None if now is None else now.decode()
        after = target.apply_diff(before, made.diff, back=back, moved=moved)
        data = None if after is None else after.encode()
    except (target.Mismatch, UnicodeError) as error:
        raise EvolutionChanged(f"{each.id}: its diff does not fit {each.path} ({error})") from None
    return _Plan(path, now, data, target.render_diff(Change(each.path, before, after)), moved)


def _put(files: Files, plan: _Plan) -> None:
    try:
        if plan.after is None:
            files.remove(plan.path)
        elif plan.now is not None:
            files.replace(plan.path, plan.after, expect=state_of(plan.now))
        else:
            files.create(plan.path, plan.after)
    except FileExistsError:
        raise FileChanged(f"{files.tree.relative(plan.path)} is there by now: nothing was written") from None
    _tidy(files, plan.path)


def _tidy(files: Files, path: str) -> None:
    folder = os.path.dirname(path)
    if os.path.dirname(folder) == files.tree.skills and files.exists(folder) and not files.names(folder):
        files.remove(folder)


def _settle(app: App, change: Made, refused: str = "") -> None:
    about = {"ts": app.clock.now().isoformat(), "run": change.run, "id": change.id, "reason": refused}
    evolution_log.append(app.files, Settled(**about, outcome=REFUSED if refused else WRITTEN))


def complete(app: App) -> frozenset[str]:
    """Ends what an earlier run has begun and not settled, and says so; their ids. Raises FileDamaged, LockBusy."""
    state = evolution_log.read(app.files)
    if not state.open and not state.unwritten:
        return frozenset()
    with app.files.lock(LOCK):
        state = evolution_log.read(app.files)
        for run in state.unwritten.values():
            write_report(app, run)
        for change in state.open.values():
            _finish(app, state, change)
    return frozenset(state.open)


def _finish(app: App, state: State, change: Made) -> None:
    path, back = app.tree.inside(change.path), isinstance(change, Reverted)
    cut = f"{change.id} was cut off while it was {'taken back' if back else 'accepted'}"
    try:
        app.files.sweep(os.path.dirname(path), app.clock.now().timestamp())
        if state_of(app.files.find(path)) != change.after_sha:
            plan = _plan(app, state, state.held[change.id], back=back)
            if state_of(plan.after) != change.after_sha:
                raise EvolutionChanged("its record does not say what the stored diff does")
            _put(app.files, plan)
        _tidy(app.files, path)
    except (EvolutionChanged, FileChanged, FileDamaged) as error:
        _settle(app, change, error.message)
        app.say(f"{cut}, and counts for nothing: {error.message}")
    else:
        _settle(app, change)
        app.say(f"{cut}; {change.path} is whole now")


def write_report(app: App, run: evolution_log.Run) -> None:
    """Writes the report of a run that is on record, and settles it. The caller holds LOCK. Raises IoFailed."""
    path, now = app.tree.inside(run.report), app.clock.now()
    app.files.sweep(os.path.dirname(path), now.timestamp())
    with suppress(FileExistsError):  # written before the run was cut; or a person's, which stays
        app.files.create(path, run.text.encode("utf-8", "replace"))
    evolution_log.append(app.files, Settled(ts=now.isoformat(), run=run.run, id="", outcome=WRITTEN))
