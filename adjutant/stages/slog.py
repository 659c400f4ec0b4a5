"""STAGE. slog: the work log; add a line, list them."""

from __future__ import annotations

from functools import partial

from adjutant.app import App, Args, Outcome
from adjutant.clock import need_day
from adjutant.domain.memory import slog
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.domain.recall.sources.parts import string
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.errors import UsageError
from adjutant.judgements import filing
from adjutant.screening.fence import clean_line
from adjutant.store.own_secrets import own_secrets

READS = ("config", "env", "slog", "taxonomy", "prompts", "usage")
WRITES = ("slog", "quarantine", "runs", "usage")
LIMIT = 50
TEXT_CHARS = 300


def run(app: App, args: Args) -> Outcome:
    """add: the record; list {records[], damaged[], truncated, path}.

    Raises MemoryRefused, UsageError, TaxonomyInvalid, FileDamaged, IoFailed.
    """
    return _add(app, args) if args.subverb == "add" else _list(app, args)


def _add(app: App, args: Args) -> Outcome:
    text = app.stdin() if args.text == ["-"] else " ".join(args.text)
    made = slog.add(
        app.files,
        text,
        taxonomy.load(app.files),
        now=app.clock.now(),
        workload=args.workload,
        tags=slog.tags_of(args.tags),
        classified=partial(filing.file, app),
        own=own_secrets(app.files, app.secret, app.environment),
    )
    done = "written down" if made["concept"] == UNCATEGORISED else f"filed under {made['concept']}"
    line = f"{made['id']}: {'would be ' if app.dry_run else ''}{done}"
    return Outcome(made, [line], next_actions=[("adjutant slog list --tail 10", "the last lines")])


def _list(app: App, args: Args) -> Outcome:
    if args.tail is not None and args.tail < 0:
        raise UsageError(f"--tail {args.tail}: a number of lines, 0 or more")
    concepts = slog.filter_of(args.workload, taxonomy.load(app.files)) if args.workload is not None else None
    since = need_day("--since", args.since).isoformat() if args.since else None
    found, damaged = slog.read(app.files, since=since, concepts=concepts)
    if args.tail is not None:
        found = found[max(0, len(found) - args.tail) :]
    path = app.tree.relative(app.tree.slog)
    for number in damaged:
        app.say(f"{path}:{number}: not a line of the work log; skipped")
    bad, truncated = [f"{path}:{number}" for number in damaged], len(found) > LIMIT
    result = {"records": found[-LIMIT:], "damaged": bad, "truncated": truncated, "path": path}
    lines = []
    for record in found:
        concept = clean_line(string(record, "concept").removeprefix(PREFIX), 40)
        when = clean_line(app.clock.tell(string(record, "ts")), 20)
        lines.append(f"{when:<15}  {concept:<13} {clean_line(string(record, 'text'), TEXT_CHARS)}")
    return Outcome(result, lines or ["nothing in the log"])
