"""DOMAIN. The logs of an instance as documents: a line of the work log, a directive's event, a span, an interaction."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from adjutant.domain.behavior import grammar
from adjutant.domain.recall.sources.parts import Ids, day_words, fingerprint, flat, make, read_lines, records_of, string
from adjutant.index_ports import Document
from adjutant.records.conversation import AGENT, OPERATOR
from adjutant.records.interactions import SIGNAL, SIGNALS, friction_of, join, late_signals, signals_of
from adjutant.store import jsonl

SLOG, EVENTS, BEHAVIOR, INTERACTIONS = "slog", "otel_events", "behavior_history", "interaction_taxonomy"
OF_CANDIDATES = ("proposed", "rejected")
# Looked up by other means than words: times and ids of spans, figures of interactions.
UNSEARCHED = ("span_id", "trace_id", "parent", "start", "end", "parts", "confidence", "ms")


def slog(path: str, data: bytes) -> list[Document]:
    """state/slog.jsonl: one document a line with a text, in order, with the concept it was filed under."""
    found = []
    for _, anchor, record in read_lines(data):
        if record is None or not anchor:
            continue
        text, moment = string(record, "text").strip(), string(record, "ts")
        named = record.get("tags")
        tags = tuple(tag for tag in named if isinstance(tag, str)) if isinstance(named, list) else ()
        about = {"concepts": _concept(record), "tags": tags, "created_at": moment, "names": day_words(moment)}
        found.append(make(SLOG, path, anchor, f"slog {moment[:10]}".strip(), text, anchor=anchor, **about))
    return found


def events(path: str, data: bytes) -> list[Document]:
    """state/events.jsonl, spans in OpenTelemetry's data model: one document a span, its id the span's."""
    ids = Ids()
    return [_make(EVENTS, path, ids, each, string(each, "name") or "event") for _, each in records_of(data)]


def more_events(path: str, before: bytes, since: bytes) -> list[Document] | None:
    """The documents of the lines since; None where one of them is called as one before, or nothing."""
    ids = {_span(record) for _, record in records_of(since)}
    known = records_of(jsonl.holding(before, ids))
    return None if any(_span(record) in ids for _, record in known) else events(path, since)


def behavior(path: str, data: bytes) -> list[Document]:
    """state/behavior/history.jsonl: one document an event of the operator's directives, its kind, its directive's type
    and the candidate that it was about as tags. A directive has several: a second one of its id gets -2. What is only
    proposed may be a model's."""
    ids, found = Ids(), []
    for _, record in records_of(data):
        kind, type = string(record, "event"), string(record, "type")
        title, text = f"{kind} {type}".strip() or "directive", string(record, "text") or flat(record)
        made = _make(BEHAVIOR, path, ids, record, title, text=text)
        tags = tuple(word.lower() for word in (type, kind, _candidate(record, kind)) if word)
        found.append(made._replace(tags=tags, trust="agent" if kind in OF_CANDIDATES else "operator"))
    return found


def interactions(path: str, data: bytes) -> list[Document]:
    """state/interactions.jsonl: one document a turn or cycle, id as recorded, with what came later of it. A signal
    makes none: it changes that of its interaction."""
    ids, found = Ids(), []
    for record in _fold(data):
        title = f"{string(record, 'agent')} {string(record, 'outcome')}".strip()
        made = _make(INTERACTIONS, path, ids, record, title or "interaction")
        tags = tuple(name for name in signals_of(record) if name in SIGNALS)
        found.append(made._replace(concepts=_concept(record), tags=tags))
    return found


def more_interactions(path: str, before: bytes, since: bytes) -> list[Document] | None:
    """The documents of the lines since, and of those that they are signals of; None where one of them has no id."""
    ids = {record.get("of" if record.get("event") == SIGNAL else "id") for _, record in records_of(since)}
    names = {id for id in ids if isinstance(id, str) and id}
    if names != ids:
        return None
    earlier = jsonl.holding(before, names)
    return [each for each in interactions(path, earlier + b"\n" + since) if each.id in names]


def _make(collection: str, path: str, ids: Ids, record: dict[str, Any], title: str, text: str = "") -> Document:
    """A record as a document; without an id under one that is made of its bytes: lines move when a log rotates."""
    text = text or flat({key: value for key, value in record.items() if key not in UNSEARCHED})
    moment, sha = string(record, "ts") or _moment(record.get("start")), fingerprint(flat(record))
    id = ids.own((collection == EVENTS and string(record, "span_id")) or string(record, "id") or sha[:16])
    about = {"created_at": moment, "source_sha": sha, "names": day_words(moment)}
    return make(collection, path, id, title, text, anchor=id, trust="agent", **about)


def _concept(record: dict[str, Any]) -> tuple[str, ...]:
    concept = string(record, "concept")
    return (concept,) if ":" in concept else ()


def _candidate(record: dict[str, Any], kind: str) -> str:
    """The id of the candidate that was proposed, rejected or promoted, "" where it was about none."""
    directive = record.get("directive")
    if kind in OF_CANDIDATES:
        return string(record, "id")
    return string(record, "candidate") or (string(directive, "candidate") if isinstance(directive, dict) else "")


def _span(record: dict[str, Any]) -> str:
    return string(record, "span_id") or string(record, "id")


def _moment(nanoseconds: object) -> str:
    if isinstance(nanoseconds, int) and not isinstance(nanoseconds, bool):
        with suppress(ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat()
    return ""


def _fold(data: bytes) -> list[dict[str, Any]]:
    """The interactions in the order of their lines, the first of each id, with the signals that came later."""
    rows = [record for _, record in records_of(data)]
    known: dict[object, dict[str, Any]] = {}
    for number, record in enumerate(rows):
        if record.get("event") != SIGNAL:
            id = record.get("id")
            known.setdefault(id if isinstance(id, str) and id else number, record)
    for id, signals in late_signals(rows).items():
        if id in known:
            names = join(signals_of(known[id]), signals.values())
            known[id] |= {"friction_signals": list(names), "friction": friction_of(names)}
    return list(known.values())


# -- conversations: one document a message, found by its words, by who spoke when, and by what was near it ---------
CONVERSATIONS = "conversations"
NEAR = 2  # messages before and after
LINES = 8 * NEAR  # before new ones, among which their neighbours are looked for
UNTRUSTED = "untrusted"
TRUST_OF = {OPERATOR: "operator", AGENT: "agent"}  # whoever else spoke is a stranger


def conversations(path: str, data: bytes) -> list[Document]:
    """The messages of one session, in order; damaged lines are left out."""
    session = path.rpartition("/")[2].removesuffix(".jsonl")
    said = [(anchor, record) for _, anchor, record in read_lines(data) if anchor and record is not None]
    texts, found = [string(record, "text") for _, record in said], []
    for at, (anchor, record) in enumerate(said):
        role, moment = string(record, "role"), string(record, "ts")
        name = string(record, "name") or role
        around = "\n".join(texts[max(at - NEAR, 0) : at] + texts[at + 1 : at + 1 + NEAR])
        said_by = {"trust": trust(role, texts[at], string(record, "trust")), "created_at": moment, "group": path}
        near = {"context": around, "names": f"{name} {day_words(moment)}".strip()}
        title, id = f"{name} in {session}", f"{session}/{anchor}"
        found.append(make(CONVERSATIONS, path, id, title, texts[at], anchor=anchor, **said_by, **near))
    return found


def more_conversations(path: str, before: bytes, since: bytes) -> list[Document] | None:
    """The messages of the lines since, and those before that are near them; None where ids do not tell them apart."""
    lines = before.removesuffix(b"\n").split(b"\n")
    near, earlier = b"\n".join(lines[-LINES:]), b"\n".join(lines[:-LINES])
    ids = {string(record, "id") for _, anchor, record in read_lines(near + b"\n" + since) if anchor and record}
    known = any(string(record, "id") in ids for _, record in records_of(jsonl.holding(earlier, ids)))
    many = sum(anchor != "" for _, anchor, _ in read_lines(near))
    if known or many < 3 * NEAR or "" in ids:
        return None
    return conversations(path, near + b"\n" + since)[max(many - 2 * NEAR, NEAR) :]


def trust(role: str, text: str, marked: str = "") -> str:
    """A message that passes on somebody else's words is no better than these; an answer is `marked` for it."""
    forwarded = role == OPERATOR and grammar.parse(text.encode("utf-8", "replace")).forwarded
    return UNTRUSTED if forwarded or marked == UNTRUSTED else TRUST_OF.get(role, UNTRUSTED)
