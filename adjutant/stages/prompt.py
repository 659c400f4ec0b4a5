"""STAGE. prompt: what a turn would send, and the layers it is made of."""

from adjutant.app import App, Args, Outcome, Row
from adjutant.domain.conversation import preparing
from adjutant.domain.prompting import assembly, churn
from adjutant.domain.telemetry import spans
from adjutant.records import conversation, layers
from adjutant.store.tree import LAYERS


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    return _layers(app) if args.subverb == "layers" else _show(app, args)


def _show(app: App, args: Args) -> Outcome:
    message = app.stdin() if args.message == "-" else args.message
    prepared = preparing.prepare(app, message, session=conversation.session_named(args.session), role=args.role)
    spans.forget(app)
    made = prepared.assembly
    rows = list[Row]()
    for each in made.parts:
        row = {"name": each.name, "tier": each.tier or None, "chars": len(each.text)}
        rows.append(row | {"tokens": each.tokens, "sha256": each.sha256})
    result = {"text": made.text, "parts": rows, "retrieved": list(made.retrieved), "tokens": made.tokens}
    result |= {"contract": {"version": made.contract_version, "hash": made.contract_hash or None}}
    result |= {"prompt_sha": made.sha, "role": prepared.owner.role, "concept": prepared.about.concept}
    return Outcome(result, [*made.text.split("\n"), "", *_table(made)], literal=True)


def _table(made: assembly.Assembly) -> list[str]:
    lines = [f"{'part':<10} {'tier':<10} {'tokens':>7}  sha256"]
    lines += [f"{each.name:<10} {each.tier or '-':<10} {each.tokens:>7}  {each.sha256[:12]}" for each in made.parts]
    kinds = zip(made.left_out, ("passages", "earlier messages"), strict=True)
    left = ", ".join(f"{count} {what}" for count, what in kinds if count)
    lines.append(f"{'together':<21} {made.tokens:>7}" + (f"  (no room for {left})" if left else ""))
    return lines


def _layers(app: App) -> Outcome:
    seen = churn.measure(app.files, app.config, app.clock.now())
    rows: list[Row] = []
    for name in LAYERS:
        layer, moves = layers.read(app.files, app.config, name), seen[name]
        row = {"name": name, "tier": moves.tier, "chars": len(layer.text), "max_chars": layer.max_chars}
        row |= {"changed": moves.changed or None, "churn": moves.changes, "often": moves.often}
        rows.append(row | {"missing": layer.missing, "path": layer.path, "problem": layer.problem})
    head = f"{'layer':<9} {'tier':<10} {'chars':>6} {'limit':>6}  {'last change':<17} changes"
    return Outcome({"layers": rows}, [head, *(line for row in rows for line in _lines(app, row))])


def _lines(app: App, row: Row) -> list[str]:
    when = "missing" if row["missing"] else app.clock.tell(row["changed"] or "none seen")
    line = f"{row['name']:<9} {row['tier']:<10} {row['chars']:>6} {row['max_chars']:>6}  {when:<17} {row['churn']:>7}"
    said = ["over its limit: no turn is answered until it is shorter"] if row["problem"] else []
    if row["often"]:
        said.append(f"changes more often than {row['tier']} should: once in {churn.CADENCE[row['tier']]} days")
    return [line, *(f"          {each}" for each in said)]
