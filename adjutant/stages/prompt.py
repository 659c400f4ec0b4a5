"""STAGE. prompt: what a turn would send, and the layers it is made of."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from adjutant.app import Outcome, names, plural
from adjutant.domain.conversation.preparing import prepare
from adjutant.domain.learning.interactions import layer_items
from adjutant.domain.prompting import churn
from adjutant.domain.prompting.assembly import Assembly, Part
from adjutant.domain.telemetry import spans
from adjutant.records import interactions, layers
from adjutant.records.conversation import session_named
from adjutant.records.interactions import ANSWERED, CYCLE
from adjutant.store.tree import LAYERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from adjutant.app import App

READS = names(
    """
    config env identity roles contract conversations taxonomy index notes daily weekly monthly skills slog
    journal registry knowledge_bases pending notices marks matters last_heartbeat pulse actions layer_changes
    interactions
    """
)
WRITES = names("index locks config_cache cache")
USED_IN = 30  # days


def run(app: App, args: argparse.Namespace) -> Outcome:
    """show {text, parts[{name, tier, chars, tokens, sha256}], contract{version, hash}, retrieved[], tokens, prompt_sha,
    role, concept}; layers {layers[{name, tier, chars, max_chars, changed, churn, often, missing, problem, used, turns,
    items[{id, line, used}] with --items}]}: of `turns` answers of the last 30 days so many `used` an item of the layer.

    Raises ConfigInvalid, UsageError, TaxonomyInvalid, FileDamaged, IoFailed.
    """
    return _layers(app, args.items) if args.subverb == "layers" else _show(app, args)


def _show(app: App, args: argparse.Namespace) -> Outcome:
    message = app.stdin() if args.message == "-" else args.message
    prepared = prepare(app, message, session=session_named(args.session), role=args.role)
    spans.forget(app)
    made = prepared.assembly
    result = {
        "text": made.text,
        "parts": [_row(each) for each in made.parts],
        "contract": {"version": made.contract_version, "hash": made.contract_hash or None},
        "retrieved": list(made.retrieved),
        "tokens": made.tokens,
        "prompt_sha": made.sha,
        "role": prepared.owner.role,
        "concept": prepared.about.concept,
    }
    return Outcome(result, [*made.text.split("\n"), "", *_table(made)], literal=True)


def _row(each: Part) -> dict[str, Any]:
    tier, chars = each.tier or None, len(each.text)
    return {"name": each.name, "tier": tier, "chars": chars, "tokens": each.tokens, "sha256": each.sha256}


def _table(made: Assembly) -> list[str]:
    lines = [f"{'part':<10} {'tier':<10} {'tokens':>7}  sha256"]
    lines += [f"{each.name:<10} {each.tier or '-':<10} {each.tokens:>7}  {each.sha256[:12]}" for each in made.parts]
    kinds = zip(made.left_out, ("passages", "earlier messages"), strict=True)
    left = ", ".join(f"{count} {what}" for count, what in kinds if count)
    lines.append(f"{'together':<21} {made.tokens:>7}" + (f"  (no room for {left})" if left else ""))
    return lines


def _layers(app: App, with_items: bool) -> Outcome:
    tiers = {name: app.config.text(f"layers.{name}.tier") for name in LAYERS}
    seen = churn.of(app.files, tiers, app.clock.now())
    turns, by_layer, by_item = _uses(app)
    rows: list[dict[str, Any]] = []
    for name in LAYERS:
        layer, moves = layers.read(app.files, app.config, name), seen[name]
        rows.append(
            {
                "name": name,
                "tier": tiers[name],
                "chars": len(layer.text),
                "max_chars": layer.max_chars,
                "changed": moves.changed or None,
                "churn": moves.changes,
                "often": moves.often,
                "missing": layer.missing,
                "path": layer.path,
                "problem": layer.problem,
                "used": by_layer[name],
                "turns": turns,
            }
        )
        if with_items:
            rows[-1]["items"] = [
                {"id": item.id, "line": item.line, "used": by_item[item.id]}
                for item in layer_items.split_layers([layer])
            ]
    lines = [f"{'layer':<9} {'tier':<10} {'chars':>6} {'limit':>6}  {'last change':<17} changes    used"]
    for row in rows:
        lines += _lines(app, row)
    if turns:
        lines.append(f"used: in so many of {plural(turns, 'answer')} of the last {USED_IN} days")
    return Outcome({"layers": rows}, lines)


def _uses(app: App) -> tuple[int, Counter[str], Counter[str]]:
    """(how many answers a model gave lately, how many of them used each layer, each item)."""
    since, now = app.clock.now() - timedelta(days=USED_IN), app.clock.now()
    turns, by_layer, by_item = 0, Counter[str](), Counter[str]()
    for each in interactions.read(app.files):
        if each.kind != CYCLE and each.outcome == ANSWERED and since <= app.clock.parse(each.ts) <= now:
            turns += 1
            by_item.update(set(each.items))
            by_layer.update({item.partition("#")[0] for item in each.items})
    return turns, by_layer, by_item


def _lines(app: App, row: dict[str, Any]) -> list[str]:
    when = "missing" if row["missing"] else app.clock.tell(row["changed"] or "none seen")
    line = (
        f"{row['name']:<9} {row['tier']:<10} {row['chars']:>6} {row['max_chars']:>6}  {when:<17} {row['churn']:>7} "
        f"{row['used']:>7}"
    )
    said = ["over its limit: no turn is answered until it is shorter"] if row["problem"] else []
    if row["often"]:
        said.append(f"changes more often than {row['tier']} should: once in {churn.CADENCE[row['tier']]} days")
    items = [f"  {each['used']:>5}  {each['id']} (line {each['line']})" for each in row.get("items", ())]
    return [line, *(f"          {each}" for each in said), *items]
