"""STAGE. wisdom: the standing rules shown, checked, their history, and the last distill undone."""

from collections import Counter
from functools import partial

import msgspec

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.errors import CheckFailed, WisdomInvalid, find_one
from adjutant.records import wisdom_file, wisdom_log
from adjutant.screening.fence import clean_line

VERSIONS, SHOWN = 50, 200
LAST = "last"
_plain = partial(clean_line, limit=SHOWN)  # what files hold, on a line of the terminal


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    return {"show": _show, "lint": _lint, "history": _history, "undo": _undo}[args.subverb](app, args)


def _state(app: App) -> wisdom_log.WisdomState:
    state, name = wisdom_log.read(app.files), app.tree.relative(app.tree.wisdom_log)
    for line in state.damaged:
        app.say(f"left alone: {name}:{line}: not a record")
    return state


def _show(app: App, args: Args) -> Outcome:
    held, today = wisdom_file.read_file(app.files, app.config), app.clock.now().date()
    wisdom = wisdom_file.parse(held.data, held.shown, app.config.text("conductor.name"))
    state, days = _state(app), app.config.whole("memory.wisdom.stale_after_days")
    rows = list[Row]()
    lines = [f"{held.shown}: {plural(len(wisdom.entries), 'entry')}, last compacted {wisdom.compacted}"]
    for each, seen, stale in wisdom_log.review(state, wisdom.entries, today, days):
        borne = [support.date for support in seen.reinforced]
        row = {"title": each.title, "text": each.text, "category": each.category or None, "first_seen": seen.first}
        row |= {"last_reinforced": max(borne, default=None)}
        rows.append({**row, "pinned": each.pinned, "reinforced": len(borne), "stale": stale})
        marks = [each.category, "pinned" * each.pinned, f"since {seen.first}"]
        marks += [f"confirmed on {plural(len(borne), 'day')}, last {max(borne)}"] if borne else []
        told = ", ".join(filter(None, [*marks, "stale" * stale]))
        lines += ["", f"{each.title}  ({told})", *(f"  {line}" for line in each.text.split("\n"))]
    result = {"path": held.shown, "compacted": wisdom.compacted, "entries": rows}
    return Outcome(result, lines, next_actions=[("adjutant wisdom history", "which runs made them")])


def _lint(app: App, args: Args) -> Outcome:
    held = wisdom_file.read_file(app.files, app.config)
    shown, data = held.shown, held.data
    found = wisdom_file.problems(data, *wisdom_file.limits(app.config)) if data is not None else []
    rows = [{"line": each.line, "message": each.message, "hard": each.hard} for each in found]
    result = {"path": shown, "problems": rows}
    if not found:
        return Outcome(result, [f"{shown}: {'no problems' if data is not None else 'no such file, no entries'}"])
    lines = [f"{shown}:{each.line}: {each.message}" for each in found]
    hard = [each for each in found if each.hard]
    kept = f"distill {'leaves the file alone until it is mended' if hard else 'works with the file as it is'}"
    why = f"{shown}: {plural(len(found), 'problem')}, {len(hard)} of them hard; {kept}"
    return Outcome(result, lines, error=WisdomInvalid(why, f"mend line {(hard or found)[0].line} first"))


def _history(app: App, args: Args) -> Outcome:
    state = _state(app)
    if args.run:
        known = {each.change.run: each for each in state.versions}
        run = next(reversed(known), LAST) if args.run == LAST else args.run
        return _show_run(app, find_one(known, run, "run", CheckFailed, "`adjutant wisdom history` names them"))
    rows, path = [_row(each) for each in state.versions], app.tree.relative(app.tree.wisdom_log)
    if state.unfinished is not None:
        app.say(f"run {state.unfinished.run} was cut; the next distill or undo completes it")
    follow = [("adjutant wisdom history --run <run>", "what a run decided", {"run": f"a run, or {LAST}"})]
    lines = [_line(app, row) for row in rows[-VERSIONS:]] or ["no run has changed it yet"]
    cut = {"truncated": True, "path": path} if len(rows) > VERSIONS else {}
    result: Row = {"versions": rows[-VERSIONS:], **cut}
    return Outcome(result, lines, next_actions=follow if rows else [])


def _row(version: wisdom_log.Version) -> Row:
    change = version.change
    row: Row = {"run": change.run, "ts": change.ts, "event": "undone", "outcome": version.outcome}
    if isinstance(change, wisdom_log.Distilled):
        made = Counter(each.decision for each in change.decisions)
        row |= {"event": "distilled", "decisions": {name: made[name] for name in wisdom_log.DECISIONS}}
        row |= {"dropped": [each.title for each in change.dropped]}
    else:
        row["undoes"] = change.undoes
    return row | {"changed": change.before != change.after}


def _line(app: App, row: Row) -> str:
    what = ", ".join(f"{count} {name}" for name, count in row.get("decisions", {}).items() if count)
    what = f"undid run {row['undoes']}" if "undoes" in row else what or "nothing to decide"
    told = [f"{plural(len(row['dropped']), 'entry')} dropped"] if row.get("dropped") else []
    told += [] if row["changed"] else ["the file stayed as it was"]
    told += [] if row["outcome"] == wisdom_log.STANDS else [row["outcome"]]
    about = f"{what} ({'; '.join(told)})" if told else what
    return f"{app.clock.tell(row['ts'])}  {_plain(row['run'])}  {_plain(about)}"


def _show_run(app: App, version: wisdom_log.Version) -> Outcome:
    change = version.change
    result = _row(version) | {"before": change.before, "after": change.after}
    lines = [_line(app, _row(version))]
    if isinstance(change, wisdom_log.Distilled):
        lists = ("decisions", "dropped", "entries")
        result |= {name: list(msgspec.to_builtins(getattr(change, name))) for name in lists}
        for each in change.decisions:
            into = f" -> {_plain(each.entry)}" if each.entry else ""
            why = f": {_plain(each.reason)}" if each.reason else ""
            lines.append(f"  {_plain(each.decision):<7}  {_plain(each.item)}{into}{why}")
        lines += [f"  dropped  {_plain(each.title)}: {_plain(each.reason)}" for each in change.dropped]
    return Outcome(result, lines)


def _undo(app: App, args: Args) -> Outcome:
    with app.files.lock(wisdom_log.LOCK):
        change, completed = wisdom_log.undo(app.files, app.config, app.run, app.clock.now())
    if completed:
        app.say(completed)
    shown, would = wisdom_file.read_file(app.files, app.config).shown, app.would
    changed = change.before != change.after
    became = "as it was before" if changed else "left as it was, the run had not changed it"
    lines = [f"{shown}: {would}{became}"]
    lines.append(f"run {change.run}: {would}undone, its {plural(len(change.decisions), 'item')} undecided again")
    result = {"path": shown, "run": change.run, "changed": changed, "items": [each.item for each in change.decisions]}
    return Outcome(result, lines, next_actions=[("adjutant wisdom history", "what the next undo would take back")])
