"""STAGE. evolve: what was asked and how it went becomes suggestions; a person accepts, rejects, takes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from adjutant.app import App, Args, Outcome, Row, cut_list, plural
from adjutant.clock import moment
from adjutant.domain.learning import acting, choosing
from adjutant.errors import UsageError
from adjutant.records import evolution_log
from adjutant.records.evolution_log import Held, Proposed, State
from adjutant.records.suggestion import PENDING, STALE, Analysis, Change, Rehearsal, Suggestion
from adjutant.screening.fence import clean_line
from adjutant.store.files import sha256

if TYPE_CHECKING:
    from adjutant.judgements.asking import Asker

WRITTEN, NOTHING, NOT_ENOUGH = "written", "nothing", "not_enough_data"
LIST = "adjutant evolve list"
LIMIT, SHOWN, TITLE = 50, 240, 100


def run(app: App, args: Args) -> Outcome:
    """One subverb, or a look."""
    return _VERBS[args.subverb](app, args) if args.subverb else _evolve(app, args)


def _read_state(app: App) -> State:
    state, name = evolution_log.read(app.files), app.tree.relative(app.tree.evolution_log)
    for line in state.damaged[:5]:
        app.say(f"left alone: {name}:{line}: not a record, or altered")
    return state


class _Look:
    analysis: Analysis | None = None
    outcome, path, offline = NOTHING, "", False

    def __init__(self, app: App, asker: Asker) -> None:
        self.app, self.asker = app, asker
        self.words: list[choosing.ReportWords] = []
        self.suggestions: list[Suggestion] = []
        self.refused: list[str] = []  # what a model suggested in vain, each with the reason

    def run(self, hours: int | None) -> None:
        from adjutant.domain.learning import analysis, placing  # `list` pays for none of these
        from adjutant.domain.learning.gathering import DAYS, Material, choose_window
        from adjutant.judgements import evolve
        from adjutant.replay import rehearsal

        app = self.app
        acting.complete(app)
        state, now = _read_state(app), app.clock.now()
        last = moment(state.runs[-1].until if state.runs else None) or now - DAYS  # the first look: the whole month
        least = hours or app.config.whole("evolution.window_hours")
        material = Material(app, *choose_window(None if hours else last, now, least))
        self.analysis = found = analysis.analyse(app, material)
        if not found.enough:
            self.outcome = NOT_ENOUGH
            return
        app.progress("evolve: what could be better")
        drafts = placing.draft_all(app.files, found)
        fresh = hours or any(datetime.fromisoformat(said.ts) > last for said in material.said)
        if fresh:  # else all of it was asked before
            suggested, self.offline, self.refused = evolve.suggest(app, self.asker, material, found, state)
            drafts += suggested

        def rehearse(change: Change) -> Rehearsal:
            app.gate()
            app.progress(f"evolve: rehearsing a change of {change.path}")
            return rehearsal.rehearse(app, change)

        chosen = choosing.choose(app, state, found, drafts, rehearse)
        app.progress("")
        self.words = chosen.words
        with app.files.lock(acting.LOCK):
            state = evolution_log.read(app.files)
            self._write(state, found, chosen, [each for each in chosen.fresh if choosing.is_new(app, state, each)])

    def _write(self, state: State, found: Analysis, chosen: choosing.Chosen, records: list[Proposed]) -> None:
        """Everything on record at one stroke, then the report. What somebody decided meanwhile is left out."""
        app, now = self.app, self.app.clock.now()
        run = evolution_log.Run(ts=now.isoformat(), run=app.run, since=found.since, until=found.until, read=found.read)
        self.suggestions = [each.suggestion for each in records]
        if self.suggestions or chosen.told:
            text = choosing.compose(app.clock, found, self.suggestions, chosen.words, self.offline)
            ids, sha = tuple(each.id for each in self.suggestions), sha256(text.encode("utf-8", "replace"))
            about = {"text": text, "report_sha": sha, "suggestions": ids, "told": tuple(chosen.told)}
            run = msgspec.structs.replace(run, report=chosen.report, **about)
        evolution_log.append(app.files, run, *records)
        if run.report:
            acting.write_report(app, run)
            self.outcome, self.path = WRITTEN, run.report


def _evolve(app: App, args: Args) -> Outcome:
    from adjutant.judgements import asking  # `list` does not pay for it

    look, status, reason = _Look(app, asking.Asker(app)), "completed", "evolution.enabled is false"
    if app.config.flag("evolution.enabled"):
        status, reason = asking.conduct(app, lambda: look.run(args.hours)), ""
    found, held = look.analysis, evolution_log.read(app.files).held.values()
    waiting = [_brief(each.suggestion) for each in held if each.status == PENDING]
    result: Row = {"outcome": look.outcome, "path": look.path or None, "suggestions": [*map(_brief, look.suggestions)]}
    result |= {"notice": None, "waiting": waiting}  # advice is a line of the digest
    result |= {name: getattr(found, name, None) for name in ("since", "until")} | {"read": found.read if found else 0}
    result |= {"needed": app.config.whole("evolution.min_interactions"), "refused": look.refused}
    result |= {"words": [{"title": each.title, "why": each.why or None} for each in look.words]}
    actions = [(LIST, "what waits for you")] if waiting else []
    if look.suggestions and not app.dry_run:
        actions.insert(0, (f"adjutant evolve show {look.suggestions[0].id}", "the first one, with its diff"))
    result = look.asker.report(status, reason, result)
    lines = [*_tell_lines(look, result), *look.asker.close("evolve", status)]
    return Outcome(result, lines, next_actions=actions)


def _brief(each: Suggestion) -> Row:
    return {"id": each.id, "kind": each.kind, "title": each.title, "status": PENDING}


def _tell_lines(look: _Look, result: Row) -> Iterator[str]:
    for each in look.suggestions:
        yield f"{each.id}  {clean_line(each.title, TITLE)}"
        yield f"    {clean_line(each.effect or each.path, SHOWN)}"
    for told in look.words if look.outcome == WRITTEN else ():  # else told before, or too light
        yield clean_line(f"in words: {told.title}" + (f" - {told.why}" if told.why else ""), SHOWN)
    yield from (clean_line(each, SHOWN) for each in look.refused)
    count, turns = plural(len(look.suggestions), "suggestion"), plural(result["read"], "turn")
    yield {
        WRITTEN: f"evolve: {count}, {look.app.would}written to {look.path}",
        NOT_ENOUGH: f"evolve: {turns}, {result['needed']} are needed before anything is suggested",
        NOTHING: f"evolve: {result['reason'] or 'nothing new to suggest'}",
    }[look.outcome]
    if len(result["waiting"]) > len(look.suggestions):
        yield f"{plural(len(result['waiting']), 'suggestion')} in all waiting for you: `{LIST}`"
    if look.offline:
        yield choosing.OFFLINE


def _list(app: App, args: Args) -> Outcome:
    state = _read_state(app)
    shown = (held for held in reversed(state.held.values()) if args.all or held.status == PENDING)
    rows = [_make_row(app, held, state) for held in shown]
    told = [f"{row['id']}  {row['status']:<8}  {row['kind']:<11}  {clean_line(row['title'], TITLE)}" for row in rows]
    lines = cut_list(told, LIMIT)
    lines += [f"{change.id} was cut off; {evolution_log.COMPLETED_BY}" for change in state.open.values()]
    if any(each["status"] == STALE for each in rows):
        lines.append("stale: its file has changed since; the next `adjutant evolve` looks anew")
    follow = ("adjutant evolve show <id>", "one whole, with its diff", {"id": "an id or its beginning"})
    none = "no suggestion waits; `--all` lists what you decided on"
    return Outcome({"suggestions": rows}, lines or [none], next_actions=[follow] if rows else [])


def _make_row(app: App, held: Held, state: State) -> Row:
    """A suggestion as results have it; one whose diff no longer fits reads as stale."""
    each, status = held.suggestion, held.status
    if status == PENDING and not acting.fits(app.files, state, each):
        status = STALE
    told = {name: getattr(each, name) for name in ("id", "kind", "title", "ts", "path", "report")}
    reason, shown = held.reason or None, acting.digest(each)
    return told | {"status": status, "since": held.since, "reason": reason, "shown": shown}


def _show(app: App, args: Args) -> Outcome:
    state = _read_state(app)
    held = state.find(app.given([args.id]))
    each, row, since = held.suggestion, _make_row(app, held, state), clean_line(app.clock.tell(held.since), 40)
    lines = [f"{each.id}  {clean_line(each.title, SHOWN)}"]
    lines += [f"{row['status']} since {since}; {each.kind} of {clean_line(each.path, SHOWN)}"]
    lines += [f"because: {held.reason}"] if held.reason and held.status != STALE else []
    told = ["", *choosing.tell_reasons(each), *choosing.tell_outcome(each), f"- Report: {each.report}"]
    lines += [*(line.replace("**", "") for line in told), "", each.diff.rstrip("\n")]
    lines += [f"  digest: {row['shown']}"] if row["status"] == PENDING else []  # what the chat accepts it by
    verbs = {PENDING: {"accept": "apply this diff", "reject": "set it aside"}, "accepted": {"revert": "take it back"}}
    follow = [(f"adjutant evolve {verb} {each.id}", why) for verb, why in verbs.get(row["status"], {}).items()]
    return Outcome({"suggestion": msgspec.to_builtins(each) | row}, lines, next_actions=follow, literal=True)


def _stats(app: App, args: Args) -> Outcome:
    from adjutant.records import interactions  # `list` pays for neither

    rows, lines = choosing.measure(_read_state(app), interactions.read(app.files), app.clock), list[str]()
    for row in rows:
        before, after = row["before"], row["after"]
        told = f", {choosing.LEAST} turns after it are needed"
        if row["helped"] not in (choosing.NOT_YET, choosing.UNKNOWN):
            told = ": " + ", ".join(f"{key} {before[key]} -> {after[key]}" for key in ("friction", "tokens"))
        lines += ["", f"{row['id']}  {clean_line(row['title'], TITLE)}  ({row['status']})"]
        lines += [f"    {row['about']}, {before['turns']} before and {after['turns']} after"]
        lines += [f"    {row['helped']}{told}"]
    return Outcome({"by_suggestion": rows}, lines or ["nothing was accepted yet"])


def _accept(app: App, args: Args) -> Outcome:
    given, bound = app.given([args.id]), None
    if args.id == "-":  # as the chat has it: the id, and the digest of what was shown
        bound = re.fullmatch(rf"(\S+) ([0-9a-f]{{{acting.DIGEST_CHARS}}})", given)
    id, shown = bound.groups() if bound else (given, "")
    done = acting.accept(app, id, shown=shown, stored=args.stored)
    each = done.suggestion
    became = "is new" if not each.before_sha else "is gone" if not each.after_sha else "is changed"
    follow = [(f"adjutant evolve revert {each.id}", "take it back"), ("adjutant evolve stats", "later: did it help?")]
    return _tell_decision(app, done, f"{each.path} {became}", follow)


def _reject(app: App, args: Args) -> Outcome:
    if args.id == args.reason == "-":
        raise UsageError("only one of ID and --reason is read from standard input", "name the ID")
    id, _, said = app.given([args.id]).partition(" ")
    reason = (app.given([args.reason]) if args.reason else "") or said.strip()
    done = acting.reject(app, id, reason)
    return _tell_decision(app, done, "the same is not suggested for 90 days", [(LIST, "the others")])


def _revert(app: App, args: Args) -> Outcome:
    done = acting.revert(app, app.given([args.id]))
    path = done.suggestion.path
    became = "is as it was" if app.files.exists(app.tree.inside(path)) else "is gone"
    return _tell_decision(app, done, f"{path} {became}", [(LIST, "what waits for you")])


def _tell_decision(app: App, done: acting.Answered, told: str, actions: list[tuple[str, str]]) -> Outcome:
    each = done.suggestion
    result = {name: getattr(each, name) for name in ("id", "path", "kind", "title")}
    result |= {"status": done.status, "diff": done.diff, "dry_run": app.dry_run}
    lines = [f"{each.id}  {clean_line(each.title, TITLE)}", f"    {app.would}{done.status}; {told}"]
    return Outcome(result, lines, next_actions=actions)


_VERBS = {each.__name__[1:]: each for each in (_list, _show, _accept, _reject, _revert, _stats)}
