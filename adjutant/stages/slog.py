"""STAGE. slog: the work log, state/slog.jsonl: a line a thing done, filed under a workload; added, listed."""

from adjutant.app import App, Args, Outcome, Row
from adjutant.domain.memory import gate
from adjutant.domain.recall import classify, taxonomy
from adjutant.domain.recall.sources.parts import string
from adjutant.errors import UsageError
from adjutant.judgements import filing
from adjutant.ports import TRUST
from adjutant.records.note import new_id
from adjutant.screening.fence import clean_line
from adjutant.store import jsonl
from adjutant.store.own_secrets import own_secrets

LIMIT = 50
TEXT_CHARS = 300
MAX_TAGS, TAG_CHARS = 20, 60
RECENT_BYTES = 256 * 1024  # as far back as an id of this very second may stand


def run(app: App, args: Args) -> Outcome:
    """add: the record; list {records[], damaged[], truncated, path}."""
    return _add(app, args) if args.subverb == "add" else _list(app, args)


def _add(app: App, args: Args) -> Outcome:
    """Durable when this returns; --workload names a concept, without it the text is classified."""
    guard = gate.Gate(own_secrets(app.files, app.secret, app.environment), ())
    tags = list(dict.fromkeys(" ".join(tag.split()) for tag in (args.tags or "").split(",") if tag.strip()))
    if len(tags) > MAX_TAGS or any(len(tag) > TAG_CHARS for tag in tags):
        raise UsageError(f"at most {MAX_TAGS} tags of at most {TAG_CHARS} characters", "--tags shop,urgent")
    scheme, now = taxonomy.load(app.files), app.clock.now()
    guard.refuse_secrets(",".join(tags))
    text = guard.admit(app.given(args.text), TRUST[0])
    concept, confidence = scheme.resolve(args.workload) if args.workload is not None else "", 1.0
    if not concept:
        found = filing.file(app, text, scheme)
        concept, confidence = found.concept, found.confidence
    taken = {string(each, "id") for each in jsonl.tail(app.files, app.tree.slog, RECENT_BYTES)}
    made: Row = {"ts": now.isoformat(), "id": new_id(now, taken), "text": text}
    made |= {"concept": concept, "confidence": confidence, "tags": tags}
    app.files.append(app.tree.slog, made)
    done = "written down" if concept == classify.UNCATEGORISED else f"filed under {concept}"
    line = f"{made['id']}: {app.would}{done}"
    return Outcome(made, [line], next_actions=[("adjutant slog list --tail 10", "the last lines")])


def _list(app: App, args: Args) -> Outcome:
    since = str(args.since or "")
    concepts: tuple[str, ...] | None = None if args.workload is None else (classify.UNCATEGORISED,)
    if args.workload not in (None, classify.UNCATEGORISED):
        scheme = taxonomy.load(app.files)
        concepts = scheme.expand(scheme.resolve(args.workload))
    found, damaged = list[Row](), list[int]()
    for number, record in jsonl.in_order(app.files.log(app.tree.slog)):
        if record is None or not string(record, "text").strip():
            damaged.append(number)
        elif str(record.get("ts", ""))[:10] >= since and (concepts is None or record.get("concept") in concepts):
            found.append(record)
    found = found[max(0, len(found) - args.tail) :] if args.tail is not None else found
    path = app.tree.relative(app.tree.slog)
    bad = [f"{path}:{number}" for number in damaged]
    for each in bad:
        app.say(f"{each}: not a line of the work log; skipped")
    result = {"records": found[-LIMIT:], "damaged": bad, "truncated": len(found) > LIMIT, "path": path}
    lines = []
    for record in found:
        concept = clean_line(string(record, "concept").removeprefix(taxonomy.PREFIX), 40)
        when = clean_line(app.clock.tell(string(record, "ts")), 20)
        lines.append(f"{when:<15}  {concept:<13} {clean_line(string(record, 'text'), TEXT_CHARS)}")
    return Outcome(result, lines or ["nothing in the log"])
