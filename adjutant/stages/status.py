"""STAGE. status: switches, budget, last runs, what waits. Reads small files only and loads nothing heavy."""

from __future__ import annotations

from adjutant.app import Outcome, names, plural
from adjutant.domain.behavior import copies
from adjutant.domain.prompting import churn
from adjutant.domain.schedule import due
from adjutant.domain.telling import notices
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, day_page, jobs, layers, ledger, pending, queue, usage
from adjutant.records import mirror_state as mirrors
from adjutant.store import switches
from adjutant.store.tree import LAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from adjutant.app import App
    from adjutant.clock import Clock
    from adjutant.records.contract import Contract

READS = names(
    """
    config paused killed last_heartbeat notices notify_counts pending actions schedule_state contract
    contract_pushed behavior_history mirrors identity layer_changes tasks jobs usage today
    """
)
WRITES = ("config_cache",)
STAGES = ("pulse", "escalation", "review")
TIER = "llm.models."
JOBS = {"waiting": queue.QUEUED, "running": queue.RUNNING, "failed": queue.FAILED, "proposed": queue.PROPOSED}
MISSED_MOST, MISSED_LINES, TASK_LINES = 50, 5, 5


def run(app: App, args: argparse.Namespace) -> Outcome:
    """Result by spec/60, and problems[], summary, degraded[]. Raises ConfigInvalid, FileDamaged, IoFailed."""
    paused, killed = _switch(app, app.tree.paused), _switch(app, app.tree.killed)
    problems: list[str] = []
    told = _try(problems, {}, lambda: notices.status(app.files, app.config, app.clock))
    last = _try(problems, None, lambda: ledger.read_last(app.files)) or {}
    waiting = _try(problems, [], lambda: pending.names(app.files))
    problems += [*told.get("problems", []), *told.get("down", [])]
    found: list[str] = []
    standing = _try(problems, {}, lambda: due.standing(app.files, app.config, app.clock, found))
    problems += [problem for problem in found if problem not in problems]
    held: Contract | None = _try(problems, None, lambda: behavior_history.read_contract(app.files))
    page: tuple[str, dict[str, int]] | None = _try(problems, None, lambda: day_page.read(app.files))
    every, damaged = _try(problems, ([], []), lambda: queue.list_tasks(app.files, queue.SHOWN))
    problems += damaged
    work, damaged = _try(problems, ([], []), lambda: jobs.every(app.files, queue.SHOWN))
    problems += damaged
    times = {stage: last.get("last", {}).get(stage) for stage in STAGES}
    missed = sorted((slot.timestamp(), stage, slot) for stage, each in standing.items() for slot in each.missed)
    result: dict[str, Any] = {
        "root": app.tree.root,
        "now": app.clock.now().isoformat(),
        "paused": paused,
        "killed": killed,
        "dry_run": app.config.flag("debug.dry_run"),
        "open": {"written_at": page[0], "counts": page[1]} if page is not None else None,
        "budget": told.get("budget"),
        "quiet_hours": told.get("quiet_hours"),
        "last": times,
        "summary": last.get("summary"),
        "next": {stage: each.next.isoformat() if each.next else None for stage, each in standing.items()},
        "missed": [{"stage": stage, "slot": slot.isoformat()} for _, stage, slot in missed[-MISSED_MOST:]],
        "pending_insights": waiting,
        "notices_unsent": told.get("notices_unsent", []),
        "contract": {"version": held.version, "hash": held.hash, "directives": len(held.directives)} if held else None,
        "mirrors": _mirrors(app, held),
        "layers": _layers(app, problems),
        "tasks": [each.brief() for each in every if each.status not in queue.OVER],
        "jobs": _jobs([*work, *every]),
        "backend": app.config.text("llm.backend"),
        "model": _model(app, problems),
        "degraded": last.get("degraded"),
        "problems": problems,
    }
    if args.verbs:
        result["verbs"] = [
            {
                "verb": row.verb,
                "steps": list(row.steps),
                "paused_stops": row.paused,
                "killed_stops": row.killed,
                "dry_run_binds": row.dry,
                "lock": row.lock or None,
            }
            for row in app.table.TABLE
        ]
    return Outcome(result, _lines(result, app.clock), next_actions=_follow(result))


def _mirrors(app: App, held: Contract | None) -> dict[str, Any]:
    """What the last run knew of each; and whether Redis has the contract of the file, which a verb that was killed
    could not push."""
    told = mirrors.read(app.files, app.config)
    if held is not None and copies.NAME in told and copies.is_behind(app.files, held):
        told[copies.NAME]["pending"] = sorted({*told[copies.NAME]["pending"], copies.PENDING})
    return told


def _layers(app: App, problems: list[str]) -> list[dict[str, Any]]:
    """The layers that need a hand: over their limit, or changing more often than their tier should."""
    tiers = {name: app.config.text(f"layers.{name}.tier") for name in LAYERS}
    seen: dict[str, churn.Churn] = _try(problems, {}, lambda: churn.of(app.files, tiers, app.clock.now()))
    found = []
    for name in LAYERS:
        layer: layers.Layer | None = _try(problems, None, lambda name=name: layers.read(app.files, app.config, name))
        moves = seen.get(name)
        often = moves is not None and moves.often
        if layer is not None and (layer.over or often):
            found.append(
                {
                    "name": name,
                    "path": layer.path,
                    "chars": len(layer.text),
                    "max_chars": layer.max_chars,
                    "over": layer.over,
                    "tier": tiers[name],
                    "churn": moves.changes if moves else 0,
                    "often": often,
                }
            )
    return found


def _jobs(every: list[queue.Queued]) -> dict[str, Any]:
    """How many jobs, tasks among them, are in which state, and since when the oldest of them is."""
    held = {name: [each for each in every if each.status == status] for name, status in JOBS.items()}
    oldest = min((each.created for each in every if each.status not in queue.OVER), default=None)
    return {**{name: len(found) for name, found in held.items()}, "oldest": oldest}


def _jobs_line(found: dict[str, Any], clock: Clock) -> list[str]:
    told = ", ".join(f"{found[name]} {name}" for name in JOBS if found[name])
    return [f"jobs {told}; the oldest since {clock.speak(found['oldest'])} (`adjutant job list`)"] if told else []


def _model(app: App, problems: list[str]) -> dict[str, Any]:
    """What is asked, and what it took today in calls, tokens and money."""
    spent = _try(problems, usage.UsageTotals(), lambda: usage.today(app.files, app.clock, app.config.prices()))
    tiers = {name.removeprefix(TIER): each for name, each in app.config.values.items() if name.startswith(TIER)}
    return {
        "backend": app.config.text("llm.backend"),
        "base_url": app.config.text_or_none("llm.base_url"),
        "models": {tier: name for tier, name in tiers.items() if name is not None},
        "calls": spent.calls,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "money": {currency: round(cost, 6) for currency, cost in sorted(spent.money.items())},
        "unpriced_tokens": spent.unpriced,
        "told": spent.told,
    }


def _model_line(found: dict[str, Any]) -> str:
    """Which model answers, and what today took; without one, that rules do."""
    names = ", ".join(dict.fromkeys(found["models"].values()))
    line = "model none; rules answer" if found["backend"] == "offline" else f"model {names} over {found['backend']}"
    if not found["calls"]:
        return line if found["backend"] == "offline" else f"{line}; today 0 calls"
    line += f"; today {plural(found['calls'], 'call')}, {found['tokens_in'] + found['tokens_out']:,} tokens"
    if not found["told"]:
        return line
    return f"{line}, {found['told']}" + (" and calls without a price" if found["unpriced_tokens"] else "")


def _layer_lines(row: dict[str, Any]) -> list[str]:
    days = churn.CADENCE[row["tier"]]
    told = [f"{row['path']}: {row['chars']} characters, {row['max_chars']} are allowed"] if row["over"] else []
    if row["often"]:
        told.append(
            f"{row['path']}: changed {row['churn']} times in {days} day{'s' if days > 1 else ''}; "
            f"{row['tier']} should change once"
        )
    return [f"layer {each}" for each in told]


def _switch(app: App, path: str) -> dict[str, Any] | None:
    if not switches.is_on(path):
        return None
    moment = switches.since(path)
    return {
        "since": app.clock.local(moment).isoformat() if moment is not None else None,
        "reason": switches.reason(path),
    }


def _try(problems: list[str], instead: Any, read: Any) -> Any:
    """A damaged file is named, and the rest of status still stands."""
    try:
        return read()
    except AdjutantError as error:
        problems.append(f"{error.message} ({error.fix})")
        return instead


def _open_lines(found: dict[str, Any] | None, clock: Clock) -> list[str]:
    """The first thing a person wants to know: what is open."""
    if found is None:
        return ["open: not looked at yet; `adjutant pulse`"]
    counts = ", ".join(f"{number} {heading.lower()}" for heading, number in found["counts"].items())
    return [f"open: {counts or 'nothing late or due this week'} ({clock.speak(found['written_at'])}; `adjutant today`)"]


def _lines(result: dict[str, Any], clock: Clock) -> list[str]:
    lines = [*_open_lines(result["open"], clock), f"{result['root']}  {clock.parse(result['now']):%a %d %b %Y %H:%M}"]
    for name in ("paused", "killed"):
        on = result[name]
        if on is not None:
            since = clock.speak(on["since"]) if on["since"] else "unknown"
            lines.append(f"{name.upper()} since {since}" + (f": {on['reason']}" if on["reason"] else ""))
    if not (result["paused"] or result["killed"]):
        lines.append(
            "running; neither PAUSED nor KILLED is set" + (" (debug.dry_run is on)" if result["dry_run"] else "")
        )
    for stage, when in result["last"].items():
        lines.append(f"last {stage:<16} {clock.speak(when) if when else 'never'}")
    if result["summary"]:
        lines.append(f"  {result['summary']}")
    if result["degraded"]:
        lines.append(f"  degraded: {result['degraded']}")
    for stage, when in result["next"].items():
        lines.append(f"next {stage:<16} {clock.speak(when) if when else 'not scheduled'}")
    earlier = result["missed"][:-MISSED_LINES]
    if earlier:
        lines.append(f"missed  {len(earlier)} earlier, and:")
    for missed in result["missed"][-MISSED_LINES:]:
        lines.append(f"missed  {missed['stage']} {clock.speak(missed['slot'])}")
    if result["budget"] is not None:
        quiet = result["quiet_hours"]
        hours = "active now" if quiet["active"] else "on" if quiet["enabled"] else "off"
        lines.append(f"notices today {result['budget']['used']} of {result['budget']['max']}, quiet hours {hours}")
    lines.append(_model_line(result["model"]))
    if result["contract"] and result["contract"]["version"]:
        rules = result["contract"]
        lines.append(f"directives {rules['directives']}")
    lines += [line for row in result["layers"] for line in _layer_lines(row)]
    if result["tasks"]:
        held = {status: sum(row["status"] == status for row in result["tasks"]) for status in queue.STATUSES}
        lines.append("tasks " + ", ".join(f"{status} {number}" for status, number in held.items() if number))
        lines += [f"  {row['status']} {row['specialist']}: {row['task']}" for row in result["tasks"][:TASK_LINES]]
    lines += _jobs_line(result["jobs"], clock)
    count = len(result["pending_insights"])
    lines.append(f"pending insights {count}" + (f": {', '.join(result['pending_insights'][:3])}" if count else ""))
    lines += [f"not told ({held['outcome']}): {held['text']}" for held in result["notices_unsent"][:5]]
    lines += [mirrors.line(name, told) for name, told in result["mirrors"].items()]
    lines += [f"problem: {problem}" for problem in result["problems"]]
    if "verbs" in result:
        lines += ["", "verb             PAUSED  KILLED  dry_run  run lock"]
        lines += [
            f"{row['verb']:<16} {'stops' if row['paused_stops'] else '-':<7} "
            f"{'stops' if row['killed_stops'] else '-':<7} "
            f"{'binds' if row['dry_run_binds'] else 'own':<8} {row['lock'] or '-'}"
            for row in result["verbs"]
        ]
    return lines


def _follow(result: dict[str, Any]) -> list[tuple[Any, ...]]:
    if result["paused"] is not None:
        return [("adjutant resume", "lift PAUSED")]
    if result["problems"]:
        return [("adjutant doctor", "what is wrong, with its fix")]
    if not result["last"]["pulse"]:
        return [("adjutant pulse", "the first heartbeat")]
    return [("adjutant pulse", "look now")]
