"""STAGE. status: switches, budget, last runs, what waits. Reads small files only and loads nothing heavy."""

from __future__ import annotations

from adjutant.app import App, Args, Outcome, Row, plural
from adjutant.domain.prompting import churn
from adjutant.domain.schedule import due
from adjutant.domain.telling import standing as notices
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, layers, ledger, pending, queue, usage
from adjutant.records import mirror_state as mirrors
from adjutant.store import switches
from adjutant.store.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from adjutant.clock import Clock
    from adjutant.records.contract import Contract

STAGES = ("pulse", "escalation", "review")
TIER = "llm.models."
JOBS = {"waiting": queue.QUEUED, "running": queue.RUNNING, "failed": queue.FAILED, "proposed": queue.PROPOSED}
MISSED_MOST, MISSED_LINES, TASK_LINES = 50, 5, 5
MARK = "<!-- adjutant: written "


def run(app: App, args: Args) -> Outcome:
    """Also problems[], summary, degraded[]."""
    problems: list[str] = []
    told = _try(problems, {}, lambda: notices.status(app.files, app.config, app.clock))
    last = _try(problems, None, lambda: ledger.read_last(app.files)) or {}
    waiting = _try(problems, [], lambda: pending.names(app.files))
    problems += [*told.get("problems", []), *told.get("down", [])]
    found: list[str] = []
    standing = _try(problems, {}, lambda: due.standing(app.files, app.config, app.clock, found))
    problems += [problem for problem in found if problem not in problems]
    held: Contract | None = _try(problems, None, lambda: behavior_history.read_contract(app.files))
    page: tuple[str, dict[str, int]] | None = _try(problems, None, lambda: read(app.files))
    tasks, damaged = _try(problems, ([], []), lambda: queue.list_tasks(app.files, queue.SHOWN))
    work, more = _try(problems, ([], []), lambda: queue.list_jobs(app.files, queue.SHOWN))
    problems += damaged + more
    # What the last run knew of each; and whether Redis has the contract of the file, which a verb that was killed could
    # not push.
    told_of = mirrors.read(app.files, app.config)
    redis = told_of.get(mirrors.REDIS)
    if held is not None and redis is not None and mirrors.is_behind(app.files, held):
        redis["pending"] = sorted({*redis["pending"], mirrors.CONTRACT})
    every: list[queue.Queued] = [*work, *tasks]  # jobs, tasks among them, and since when the oldest of them is
    states: Row = {name: sum(each.status == status for each in every) for name, status in JOBS.items()}
    states["oldest"] = min((each.created for each in every if each.status not in queue.OVER), default=None)
    missed = sorted((slot.timestamp(), stage, slot) for stage, each in standing.items() for slot in each.missed)
    contract = {"version": held.version, "hash": held.hash, "directives": len(held.directives)} if held else None
    result: Row = {"root": app.tree.root, "now": app.clock.now().isoformat()}
    result |= {name: _switch(app, getattr(app.tree, name)) for name in ("paused", "killed")}
    result["dry_run"] = app.config.flag("debug.dry_run")
    result["open"] = {"written_at": page[0], "counts": page[1]} if page is not None else None
    result |= {name: told.get(name) for name in ("budget", "quiet_hours")}
    result["last"] = {stage: last.get("last", {}).get(stage) for stage in STAGES}
    result |= {name: last.get(name) for name in ("summary", "degraded")}
    result["next"] = {stage: each.next.isoformat() if each.next else None for stage, each in standing.items()}
    result["missed"] = [{"stage": stage, "slot": slot.isoformat()} for _, stage, slot in missed[-MISSED_MOST:]]
    result |= {"pending_insights": waiting, "notices_unsent": told.get("notices_unsent", []), "contract": contract}
    result |= {"mirrors": told_of, "layers": list(_layers(app, problems))}
    result |= {"tasks": [each.brief() for each in tasks if each.status not in queue.OVER], "jobs": states}
    result |= {"backend": app.config.text("llm.backend"), "model": _model(app, problems), "problems": problems}
    follow = ("adjutant doctor", "what is wrong, with its fix") if problems else ("adjutant pulse", "look now")
    follow = ("adjutant resume", "lift PAUSED") if result["paused"] is not None else follow
    return Outcome(result, list(_lines(result, app.clock)), next_actions=[follow])


def _try(problems: list[str], instead: Any, read: Any) -> Any:
    """A damaged file is named, and the rest of status still stands."""
    try:
        return read()
    except AdjutantError as error:
        problems.append(f"{error.message} ({error.fix})")
        return instead


def _switch(app: App, path: str) -> Row | None:
    moment = switches.since(path)
    since = app.clock.local(moment).isoformat() if moment is not None else None
    return {"since": since, "reason": switches.reason(path)} if switches.is_on(path) else None


def _layers(app: App, problems: list[str]) -> Iterator[Row]:
    """The layers that need a hand: over their limit, or changing more often than their tier should."""
    seen: dict[str, churn.Churn] = _try(problems, {}, lambda: churn.measure(app.files, app.config, app.clock.now()))
    for name, moves in seen.items():
        layer: layers.Layer | None = _try(problems, None, lambda name=name: layers.read(app.files, app.config, name))
        if layer is not None and (layer.over or moves.often):
            sizes = {"chars": len(layer.text), "max_chars": layer.max_chars, "over": layer.over}
            changes = {"tier": moves.tier, "churn": moves.changes, "often": moves.often}
            yield {"name": name, "path": layer.path, **sizes, **changes}


def _model(app: App, problems: list[str]) -> Row:
    spent = _try(problems, usage.UsageTotals(), lambda: usage.today(app.files, app.clock, app.config.prices()))
    tiers = {name.removeprefix(TIER): each for name, each in app.config.values.items() if name.startswith(TIER)}
    row = {"backend": app.config.text("llm.backend"), "base_url": app.config.text_or_none("llm.base_url")}
    row |= {name: getattr(spent, name) for name in ("calls", "tokens_in", "tokens_out", "told")}
    models = {tier: name for tier, name in tiers.items() if name is not None}
    money = {currency: round(cost, 6) for currency, cost in sorted(spent.money.items())}
    return {**row, "models": models, "money": money, "unpriced_tokens": spent.unpriced}


def _lines(result: Row, clock: Clock) -> Iterator[str]:
    """What is open stands first: the first thing that a person wants to know."""
    if (page := result["open"]) is None:
        yield "open: not looked at yet; `adjutant pulse`"
    else:
        counts = ", ".join(f"{number} {heading.lower()}" for heading, number in page["counts"].items())
        told = counts or "nothing late or due this week"
        yield f"open: {told} ({clock.speak(page['written_at'])}; `adjutant today`)"
    yield f"{result['root']}  {clock.parse(result['now']):%a %d %b %Y %H:%M}"
    for name in ("paused", "killed"):
        if (on := result[name]) is not None:
            since = clock.speak(on["since"]) if on["since"] else "unknown"
            yield f"{name.upper()} since {since}" + (f": {on['reason']}" if on["reason"] else "")
    if not (result["paused"] or result["killed"]):
        yield "running; neither PAUSED nor KILLED is set" + (" (debug.dry_run is on)" if result["dry_run"] else "")
    yield from (f"last {stage:<16} {clock.speak(at) if at else 'never'}" for stage, at in result["last"].items())
    yield from [f"  {result['summary']}"] if result["summary"] else []
    yield from [f"  degraded: {result['degraded']}"] if result["degraded"] else []
    yield from (
        f"next {stage:<16} {clock.speak(at) if at else 'not scheduled'}" for stage, at in result["next"].items()
    )
    missed = result["missed"]
    yield from [f"missed  {len(missed) - MISSED_LINES} earlier, and:"] if len(missed) > MISSED_LINES else []
    yield from (f"missed  {each['stage']} {clock.speak(each['slot'])}" for each in missed[-MISSED_LINES:])
    if result["budget"] is not None:
        quiet = result["quiet_hours"]
        hours = "active now" if quiet["active"] else "on" if quiet["enabled"] else "off"
        yield f"notices today {result['budget']['used']} of {result['budget']['max']}, quiet hours {hours}"
    yield _tell_model(result["model"])
    if result["contract"] and result["contract"]["version"]:
        yield f"directives {result['contract']['directives']}"
    yield from _tell_work(result, clock)
    waiting = result["pending_insights"]
    yield f"pending insights {len(waiting)}" + (f": {', '.join(waiting[:3])}" if waiting else "")
    yield from (f"not told ({held['outcome']}): {held['text']}" for held in result["notices_unsent"][:5])
    yield from (mirrors.line(name, told) for name, told in result["mirrors"].items())
    yield from (f"problem: {problem}" for problem in result["problems"])


def _tell_model(found: Row) -> str:
    names, offline = ", ".join(dict.fromkeys(found["models"].values())), found["backend"] == "offline"
    line = "model none; rules answer" if offline else f"model {names} over {found['backend']}"
    if not found["calls"]:
        return line if offline else f"{line}; today 0 calls"
    line += f"; today {plural(found['calls'], 'call')}, {found['tokens_in'] + found['tokens_out']:,} tokens"
    unpriced = " and calls without a price" if found["unpriced_tokens"] else ""
    return f"{line}, {found['told']}{unpriced}" if found["told"] else line


def _tell_work(result: Row, clock: Clock) -> Iterator[str]:
    for row in result["layers"]:
        if row["over"]:
            yield f"layer {row['path']}: {row['chars']} characters, {row['max_chars']} are allowed"
        if row["often"]:
            days = plural(churn.CADENCE[row["tier"]], "day")
            yield f"layer {row['path']}: changed {row['churn']} times in {days}; {row['tier']} should change once"
    if result["tasks"]:
        held = {status: sum(row["status"] == status for row in result["tasks"]) for status in queue.STATUSES}
        yield "tasks " + ", ".join(f"{status} {number}" for status, number in held.items() if number)
        yield from (f"  {row['status']} {row['specialist']}: {row['task']}" for row in result["tasks"][:TASK_LINES])
    found = result["jobs"]
    if told := ", ".join(f"{found[name]} {name}" for name in JOBS if found[name]):
        yield f"jobs {told}; the oldest since {clock.speak(found['oldest'])} (`adjutant job list`)"


def read(files: Files) -> tuple[str, dict[str, int]] | None:
    """(ISO time of writing, {heading: matters}); None before the first pulse or where a person replaced the page."""
    first, *lines = files.log(files.tree.today).decode("utf-8", "replace").split("\n")
    if not first.startswith(MARK):
        return None
    counts, heading = dict[str, int](), ""
    for line in lines:
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif heading and line.startswith("- "):
            more = line.removeprefix("- and ").removesuffix(" more")
            counts[heading] = counts.get(heading, 0) + (int(more) if more.isdecimal() else 1)
    return first.removeprefix(MARK).split(maxsplit=1)[0], counts
