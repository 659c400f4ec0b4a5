"""DOMAIN. What a person decides on a suggestion: accept, reject, revert. The only way from a suggestion into a file.

A change is recorded first, then made, then settled. One that was cut in between is completed by whatever comes next:
the sha256 of its file tells whether it was made. What is applied is the stored diff and nothing else; where other
accepted suggestions have moved its lines, it is applied to where they are, and a person's edit since then wins.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from adjutant.domain.evolution import moving
from adjutant.domain.proposing import diffs, target
from adjutant.errors import AdjutantError, EvolutionChanged, FileChanged, FileDamaged
from adjutant.records import evolution_log
from adjutant.records.evolution_log import REFUSED, WRITTEN, Accepted, Held, Made, Rejected, Reverted, Settled, State
from adjutant.records.suggestion import ACCEPTED, DIRECTIVE, PENDING, REJECTED, REVERTED, STALE, Change, Suggestion
from adjutant.store.files import Files, sha256

if TYPE_CHECKING:
    from adjutant.app import App

LOCK = "evolution"
SOURCE = "evolve"
FILED = ("proposed", "pending")  # what control.propose may say of a directive that waits from now on
REASON_CHARS = 500

Reads = Callable[["App", str, str], str]  # why a text could not be used at a path, beyond what rules tell; "" if it can


class Done(NamedTuple):
    """What was decided. `diff`: as it went into the file or out of it. `candidate`: of a directive."""

    suggestion: Suggestion
    status: str
    diff: str
    candidate: str = ""


class _Now(NamedTuple):
    """A file as it is: `data` None where there is none."""

    path: str
    data: bytes | None

    @property
    def sha(self) -> str:
        return "" if self.data is None else sha256(self.data)

    def text(self, shown: str) -> str | None:
        try:
            return None if self.data is None else self.data.decode()
        except UnicodeDecodeError:
            raise EvolutionChanged(f"{shown} is not UTF-8", "mend the file first") from None


class _Made(NamedTuple):
    """A change that is about to be made: what the file holds now, what it shall hold, and the difference."""

    now: _Now
    after: str | None
    diff: str

    @property
    def after_sha(self) -> str:
        return "" if self.after is None else sha256(self.after.encode())


# -- the three verbs -----------------------------------------------------------------------------------------


def accept(app: App, given: str, *, stored: bool = False, reads: Reads = lambda app, path, text: "") -> Done:
    """Applies the stored diff of a pending suggestion; a directive becomes a candidate and changes nothing else.

    `stored`: although its report was altered since. One whose accept was cut off is completed, which is what was
    wished. Raises EvolutionUnknown, EvolutionChanged, FileChanged, FileDamaged, LockBusy, IoFailed.
    """
    completed = complete(app, reads)
    with app.files.lock(LOCK):
        state = evolution_log.read(app.files)
        held = state.named(given)
        each, ts = held.suggestion, app.clock.now().isoformat()
        if each.id in completed and held.status == ACCEPTED:
            return Done(each, ACCEPTED, _of(held).diff, held.candidate)
        _refuse_unless(held, PENDING)
        if not stored:
            _report_stands(app.files, held)
        if each.kind != DIRECTIVE:
            made = _applied(app, state, each, reads)
            change = Accepted(
                ts=ts,
                run=app.run,
                id=each.id,
                path=each.path,
                diff=made.diff,
                before_sha=made.now.sha,
                after_sha=made.after_sha,
                stored=stored,
            )
            evolution_log.append(app.files, change)
            _carry_out(app, change, made)
            return Done(each, ACCEPTED, made.diff)
        change = Accepted(
            ts=ts, run=app.run, id=each.id, path=each.path, diff=each.diff, before_sha="", after_sha="", stored=stored
        )
        evolution_log.append(app.files, change)
    return Done(each, ACCEPTED, each.diff, _file(app, change, held))


def revert(app: App, given: str) -> Done:
    """Takes an accepted suggestion back: its file has its bytes of before, a directive's candidate is rejected.

    Raises EvolutionUnknown, EvolutionChanged where the file was edited since, BehaviorInvalid where the candidate was
    promoted, and as `accept`.
    """
    completed = complete(app)
    with app.files.lock(LOCK):
        state = evolution_log.read(app.files)
        held = state.named(given)
        each, ts = held.suggestion, app.clock.now().isoformat()
        if each.id in completed and held.status == REVERTED:
            return Done(each, REVERTED, diffs.reverse(_of(held).diff))
        _refuse_unless(held, ACCEPTED)
        assert held.accepted is not None
        if each.kind != DIRECTIVE:
            made = _undone(app, state, each, held.accepted)
            change = Reverted(
                ts=ts, run=app.run, id=each.id, path=each.path, before_sha=made.now.sha, after_sha=made.after_sha
            )
            evolution_log.append(app.files, change)
            _carry_out(app, change, made)
            return Done(each, REVERTED, made.diff)
    _withdraw(app, held.candidate)  # first: a candidate that was promoted is not taken back like this
    with app.files.lock(LOCK):
        change = Reverted(ts=ts, run=app.run, id=each.id, path=each.path, before_sha="", after_sha="")
        evolution_log.append(app.files, change, _settled(app, change, WRITTEN))
    return Done(each, REVERTED, each.diff, held.candidate)


def reject(app: App, given: str, reason: str = "") -> Done:
    """Sets a suggestion aside; the same is not made again for a while. One that was rejected stays so.

    Raises EvolutionUnknown, EvolutionChanged where it was accepted, FileDamaged, LockBusy, IoFailed.
    """
    complete(app)
    with app.files.lock(LOCK):
        held = evolution_log.read(app.files).named(given)
        each = held.suggestion
        if held.status != REJECTED:
            _refuse_unless(held, PENDING)
            evolution_log.append(
                app.files,
                Rejected(ts=app.clock.now().isoformat(), run=app.run, id=each.id, reason=reason[:REASON_CHARS]),
            )
    return Done(each, REJECTED, each.diff)


def _refuse_unless(held: Held, status: str) -> None:
    if held.status == status:
        return
    each, on = held.suggestion, held.since[:16].replace("T", " ")
    told = {
        PENDING: f"{each.id} was not accepted",
        ACCEPTED: f"{each.id} was accepted on {on}",
        REJECTED: f"{each.id} was rejected on {on}",
        REVERTED: f"{each.id} was taken back on {on}",
        STALE: f"{each.id} has given way to {held.reason}, since its file had changed",
    }[held.status]
    fix = {
        ACCEPTED: f"`adjutant evolve revert {each.id}` takes it back",
        STALE: f"`adjutant evolve show {held.reason}`",
    }.get(held.status, "`adjutant evolve list` names those that wait")
    raise EvolutionChanged(told, fix)


def _report_stands(files: Files, held: Held) -> None:
    """Raises EvolutionChanged where the report says something else than it did: what was read may be another diff."""
    each, shown = held.suggestion, held.suggestion.report
    fix = (
        f"`adjutant evolve show {each.id}` prints what is stored; `adjutant evolve accept {each.id} --stored` "
        "applies it"
    )
    try:
        data = files.read(files.tree.inside(shown)) if held.report_sha else None
    except FileNotFoundError:
        raise EvolutionChanged(f"{shown}, the report of {each.id}, is gone", fix) from None
    except FileDamaged as error:
        raise EvolutionChanged(error.message, fix) from None
    if data is None or sha256(data) != held.report_sha:
        raise EvolutionChanged(f"{shown} was altered since {each.id} was written into it", fix)


# -- what a change makes of its file -------------------------------------------------------------------------


def stands(files: Files, state: State, each: Suggestion) -> bool:
    """Whether its diff still fits: the file is as it was, or only accepted suggestions have changed it."""
    if each.kind == DIRECTIVE:
        return True
    try:
        now = _look(files, each.path)
        return now.sha == each.before_sha or (
            evolution_log.ours(state.made, each.path, each.before_sha, now.sha)
            and moving.moved(now.text(each.path) or "", each.diff) is not None
        )
    except AdjutantError:
        return False


def _applied(app: App, state: State, each: Suggestion, reads: Reads) -> _Made:
    """Raises EvolutionChanged where the stored diff is not to be applied to the file as it is."""
    if why := target.refused(app.files, app.config, each.kind, each.path):
        raise EvolutionChanged(f"{each.id} is not applied: {why}", f"`adjutant evolve reject {each.id}` sets it aside")
    if _named(each.diff) - {each.path}:
        raise EvolutionChanged(f"{each.id} is not applied: its diff names another file than {each.path}")
    now = _look(app.files, each.path)
    before = now.text(each.path)
    if now.sha == each.before_sha:
        after = _patched(each, before, each.diff)
        if ("" if after is None else sha256(_bytes(each, after))) != each.after_sha:
            raise EvolutionChanged(f"{each.id} is not applied: its diff does not lead to what was suggested")
    else:
        after = _moved(state, each, now, each.before_sha, each.diff)
    why = target.unfit(app.files, app.config, each.kind, each.path, before, after)
    if why := why or (reads(app, each.path, after) if after is not None else ""):
        raise EvolutionChanged(f"{each.id} is not applied: {why}", "make room or mend it, then accept it again")
    return _Made(now, after, diffs.unified(Change(each.path, before, after)))


def _undone(app: App, state: State, each: Suggestion, accepted: Accepted) -> _Made:
    """Raises EvolutionChanged where the file is another than the change left it."""
    if why := target.refused(app.files, app.config, each.kind, each.path):
        raise EvolutionChanged(f"{each.id} is not taken back: {why}", "take it back by hand")
    now, back = _look(app.files, each.path), diffs.reverse(accepted.diff)
    before = now.text(each.path)
    if now.sha == accepted.after_sha:
        after = _patched(each, before, back)
        if ("" if after is None else sha256(_bytes(each, after))) != accepted.before_sha:
            raise EvolutionChanged(f"{each.id} is not taken back: its record does not lead to what was there before")
    else:
        after = _moved(state, each, now, accepted.after_sha, back)
    if after is not None and (why := target.unfit(app.files, app.config, each.kind, each.path, before, after)):
        raise EvolutionChanged(f"{each.id} is not taken back: {why}", "take it back by hand")
    return _Made(now, after, diffs.unified(Change(each.path, before, after)))


def _patched(each: Suggestion, before: str | None, diff: str) -> str | None:
    try:
        return diffs.apply(before, diff)
    except diffs.Mismatch as error:
        raise EvolutionChanged(f"{each.id}: its diff does not fit {each.path} ({error})") from None


def _moved(state: State, each: Suggestion, now: _Now, since: str, diff: str) -> str:
    """What the diff makes of a file that accepted suggestions changed. Raises EvolutionChanged where a person did."""
    found = None
    if now.data is not None and evolution_log.ours(state.made, each.path, since, now.sha):
        found = moving.moved(now.text(each.path) or "", diff)
    if found is None:
        what = "is there by now" if not since else "is gone" if now.data is None else "was changed since"
        raise EvolutionChanged(
            f"{each.path} {what}: {each.id} does not fit it any more, nothing was written",
            f"`adjutant evolve show {each.id}` prints the diff; the next `adjutant evolve` looks anew",
        )
    return found


def _bytes(each: Suggestion, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise EvolutionChanged(f"{each.id} is not applied: its diff is not UTF-8") from None


def _named(diff: str) -> set[str]:
    """The files that the head of a diff names."""
    head = diff.partition("\n@@")[0].split("\n")
    names = {line[4:].rstrip("\t") for line in head if line.startswith(("--- ", "+++ "))}
    return {name.partition("/")[2] for name in names if name != "/dev/null"}


def _look(files: Files, path: str) -> _Now:
    """Raises FileDamaged, IoFailed."""
    absolute = files.tree.inside(path)
    try:
        return _Now(absolute, files.read(absolute))
    except FileNotFoundError:
        return _Now(absolute, None)


# -- record, file, settled -----------------------------------------------------------------------------------


def _carry_out(app: App, change: Made, made: _Made) -> None:
    """Makes a change that is on record. Raises FileChanged when an editor was faster; then it counts for nothing."""
    try:
        _put(app.files, made)
    except (FileChanged, FileExistsError) as error:
        evolution_log.append(app.files, _settled(app, change, REFUSED, reason="an editor was faster"))
        if isinstance(error, FileChanged):
            raise
        raise EvolutionChanged(f"{change.path} is there by now: nothing was written") from None
    evolution_log.append(app.files, _settled(app, change, WRITTEN))


def _put(files: Files, made: _Made) -> None:
    path = made.now.path
    if made.after is None:
        files.remove(path)
        _tidy(files, path)
    elif made.now.data is None:
        files.create(path, made.after.encode())
    else:
        files.replace(path, made.after.encode(), expect=made.now.sha)


def _tidy(files: Files, path: str) -> None:
    """The folder of a skill goes with its only file."""
    folder = os.path.dirname(path)
    if os.path.dirname(folder) == files.tree.skills and files.exists(folder) and not files.names(folder):
        files.remove(folder)


def _settled(app: App, change: Made, outcome: str, *, reason: str = "", candidate: str = "") -> Settled:
    return Settled(
        ts=app.clock.now().isoformat(),
        run=change.run,
        id=change.id,
        outcome=outcome,
        reason=reason,
        candidate=candidate,
    )


# -- what was cut off ----------------------------------------------------------------------------------------


def complete(app: App, reads: Reads = lambda app, path, text: "") -> frozenset[str]:
    """Ends what an earlier run has begun and not settled, and says so; the ids of these.

    Raises FileDamaged, LockBusy, IoFailed.
    """
    if not _unfinished(evolution_log.read(app.files)):
        return frozenset()
    with app.files.lock(LOCK):
        state = evolution_log.read(app.files)
        for run in state.unwritten:
            write_report(app.files, run, app.clock.now())
        changes = [each for each in state.open if state.held[each.id].suggestion.kind != DIRECTIVE]
        for change in changes:
            _finish(app, state, change, reads)
        filing = [each for each in state.open if each not in changes]
    for change in filing:
        held = state.held[change.id]
        if isinstance(change, Accepted):
            app.say(f"{change.id} was cut off while it was accepted; it is filed now")
            _file(app, change, held)
    return frozenset(each.id for each in state.open)


def _unfinished(state: State) -> bool:
    return bool(state.open or state.unwritten)


def _finish(app: App, state: State, change: Made, reads: Reads) -> None:
    held, what = state.held[change.id], "accepted" if isinstance(change, Accepted) else "taken back"
    try:
        now = _look(app.files, change.path)
        app.files.sweep(os.path.dirname(now.path), app.clock.now().timestamp())
        if now.sha != change.after_sha:
            if now.sha != change.before_sha:
                raise EvolutionChanged(f"{change.path} was changed meanwhile")
            made = (
                _applied(app, state, held.suggestion, reads)
                if isinstance(change, Accepted)
                else _undone(app, state, held.suggestion, _of(held))
            )
            if made.after_sha != change.after_sha:
                raise EvolutionChanged("its record does not say what the stored diff does")
            _put(app.files, made)
        elif now.data is None:
            _tidy(app.files, now.path)
    except (EvolutionChanged, FileChanged, FileDamaged, FileExistsError) as error:
        why = error.message if isinstance(error, AdjutantError) else f"{change.path} is there by now"
        evolution_log.append(app.files, _settled(app, change, REFUSED, reason=why))
        app.say(f"{change.id} was cut off while it was {what}, and counts for nothing: {why}")
        return
    evolution_log.append(app.files, _settled(app, change, WRITTEN))
    app.say(f"{change.id} was cut off while it was {what}; {change.path} is whole now")


def _of(held: Held) -> Accepted:
    assert held.accepted is not None  # an open `reverted` follows an accepted one
    return held.accepted


def write_report(files: Files, run: evolution_log.Run, now: datetime) -> None:
    """Writes the report of a run that is on record, and settles it. The caller holds LOCK. Raises IoFailed."""
    path = files.tree.inside(run.report)
    files.sweep(os.path.dirname(path), now.timestamp())
    try:
        files.create(path, run.text.encode("utf-8", "replace"))
    except FileExistsError:
        pass  # written before the run was cut; or a person's, which stays
    evolution_log.append(files, Settled(ts=now.isoformat(), run=run.run, id="", outcome=WRITTEN))


# -- directives ----------------------------------------------------------------------------------------------


def _file(app: App, change: Accepted, held: Held) -> str:
    """Files the candidate of a directive, and settles. Doing it again finds the same one. Raises EvolutionChanged."""
    from adjutant.domain.behavior import control  # stems: only where a directive is filed

    each = held.suggestion
    type, _, text = each.diff.removeprefix("+").strip().partition(": ")
    evidence = tuple({"quote": quote.text, "record": quote.ref} for quote in each.evidence if quote.text)
    sure = max(app.config.number("behavior.min_confidence"), min(each.weight, 1.0))  # a person has just said so
    proposal = control.Proposal(type, text, sure, evidence, SOURCE)
    [proposed] = control.propose(app, [proposal])
    filed = proposed.outcome in FILED and bool(proposed.id)
    reason = "" if filed else proposed.reason or proposed.outcome
    with app.files.lock(LOCK):
        evolution_log.append(
            app.files,
            _settled(app, change, WRITTEN if filed else REFUSED, reason=reason, candidate=proposed.id if filed else ""),
        )
    if not filed:
        raise EvolutionChanged(f"{each.id} is not filed: {reason}", f"`adjutant evolve reject {each.id}` sets it aside")
    return proposed.id


def _withdraw(app: App, candidate: str) -> None:
    from adjutant.domain.behavior import control  # stems: only where a directive is withdrawn

    control.reject(app, candidate)
