"""STAGE. runs: what was asked and answered in each run, and whether today's code would still come to the same."""

import os
from typing import Any

import msgspec

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.errors import FileDamaged, UsageError
from adjutant.judgements import recording
from adjutant.printable import to_line
from adjutant.records.suggestion import Change
from adjutant.replay.replay import Difference, Unreplayable, compare

LISTED = 50
SHOWN_VALUE = 60
UNKNOWN = "unknown"


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    if args.subverb == "list":
        return _list(app)
    if args.subverb == "rehearse":
        return _rehearse(app, args.file, args.new)
    return _walk(app, recording.find(app.files, args.id), replay=args.subverb == "replay")


def _list(app: App) -> Outcome:
    kept, path = recording.runs(app.files), app.tree.relative(app.tree.runs)
    rows = [_row(app, run) for run in kept[:LISTED]]
    lines = [f"{row['run']}  {row['verb']:<12} {row['status']:<10} judgements: {row['judgements']}" for row in rows]
    lines += [f"... and {len(kept) - LISTED} older ones in {path}/"] if len(kept) > LISTED else []
    follow = ("adjutant runs show <id>", "what a run asked", {"id": {"default": "last"}})
    result: Row = {"runs": rows, **({"truncated": True, "path": path} if len(kept) > LISTED else {})}
    return Outcome(result, lines or ["no run has asked anything yet"], next_actions=[follow])


def _row(app: App, run: str) -> Row:
    asked, state = 0, "unfinished"  # a run under way, or one that was killed
    try:
        note = recording.note_of(app.files, run)
        asked = len(recording.names(app.files, run))
    except FileDamaged as error:
        app.say(error.message)
        note, state = None, "damaged"
    note = note or recording.RunNote(run, UNKNOWN, "", state)
    return {"run": run, "verb": note.verb, "ts": note.ts, "status": note.status, "judgements": asked}


def _walk(app: App, run: str, *, replay: bool) -> Outcome:
    """show and replay are one walk over the records; a damaged one is named, and the others are still told."""
    judgements, differences = list[Row](), list[Difference]()
    damaged, lines = list[dict[str, str]](), [f"run {run}"]
    for name in recording.names(app.files, run):
        path = app.tree.relative(app.tree.run_file(run, name))
        try:
            recorded = recording.read(app.files, run, name)
            different = compare(recorded) if replay else None
        except (FileDamaged, Unreplayable) as error:
            reason = str(error) if isinstance(error, FileDamaged) else f"{path}:1: {error}"
            damaged.append({"path": path, "reason": reason})
            lines.append(f"  damaged: {reason}")
            continue
        told = {key: getattr(recorded, key) for key in ("backend", "degraded", "number", "model", "tokens", "ms")}
        check, ok = msgspec.to_builtins(recorded.check), recorded.degraded is None
        judgements.append({"name": recorded.judgement, "ok": ok, **told, **check, "path": path})
        came = "ok" if ok else f"by rules ({recorded.degraded})"
        spent = f"  {recorded.tokens} tokens" if recorded.tokens else ""
        lines.append(f"  {recorded.number:02d} {recorded.judgement:<12} {recorded.backend:<8} {came}{spent}")
        if different is not None:
            differences.append(different)
            then, now = map(_show, (different.recorded, different.now))
            lines.append(f"     differs in {different.field}: {then} was recorded, now {now}")
    if replay:
        came = plural(len(differences), "difference") if differences else "no difference"
        lines.append(f"replayed {len(judgements)} judgements, nothing was asked: {came}")
    differ = [msgspec.to_builtins(entry) for entry in differences]
    result = {"run": run, "judgements": judgements, "differences": differ, "damaged": damaged}
    refused = FileDamaged(damaged[0]["reason"], "move the record away; nothing needs it") if damaged else None
    actions = [] if replay else [(f"adjutant runs replay {run}", "see whether today's code decides the same")]
    return Outcome(result, lines, actions, refused)


def _show(value: Any) -> str:
    return to_line(msgspec.json.encode(value).decode("utf-8", "replace"), SHOWN_VALUE)


def _rehearse(app: App, file: str, new: str) -> Outcome:
    """What would be decided otherwise today with another text of a file; nobody is asked."""
    from adjutant.domain.learning import choosing  # these two bring half the house; list and show do without
    from adjutant.replay import rehearsal

    path = app.tree.relative(app.tree.inside(file))
    before = app.files.text(app.tree.inside(path)) if app.files.exists(app.tree.inside(path)) else None
    try:
        change = Change(path, before, app.files.text(os.path.abspath(os.path.expanduser(new))))
    except FileNotFoundError:
        raise UsageError(f"{new}: there is no such file", "give the file that holds the new text") from None
    found = rehearsal.rehearse(app, change)
    lines = [f"{path}, rehearsed without asking anybody:", *(f"  {line}" for line in choosing.show_rehearsal(found))]
    return Outcome({"path": path, **msgspec.to_builtins(found)}, lines)
