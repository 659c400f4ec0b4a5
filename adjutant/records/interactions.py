"""RECORDS. state/interactions.jsonl: turns, tasks and cycles, what was used, and by rules how much it rubbed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec

from adjutant.clock import moment
from adjutant.store import jsonl
from adjutant.store.files import Files

SILENCE = timedelta(hours=6)  # after which a talk is over
TAIL = 512 * 1024  # bytes in which a line that would be added twice is looked for
TURN, TASK, CYCLE = KINDS = ("turn", "task", "cycle")
ANSWERED, OFFLINE, DIRECTIVES = "answered", "offline", "directives"
DEGRADED, FAILED, STOPPED = "degraded", "failed", "stopped"
OUTCOMES = (ANSWERED, OFFLINE, DIRECTIVES, DEGRADED, FAILED, STOPPED)
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Late = dict[str, dict[tuple[str, str], str]]  # {id: {place: its late signal}}

# What each signal adds to the friction of an interaction: 1 - (1 - a)(1 - b)…, so that it stays below 1.
WEIGHTS: dict[str, float] = {
    "corrected": 0.6,  # what the operator said next was read as a correction
    "repeated_question": 0.5,  # the operator asks again what was answered
    "useless": 0.6,  # a notice of this cycle was marked useless
    "failed": 0.6,  # it came to no answer at all
    "tool_error": 0.3,  # a tool or knowledge base refused or failed
    "kb_error": 0.3,
    "degraded": 0.4,  # rules answered in a model's place
    "abandoned": 0.3,  # the session ended on it, with something wrong
    "many_rounds": 0.2,  # it took more than half of the rounds that are allowed
}
USEFUL = "useful"  # a notice marked useful takes the others' weight away
SIGNALS = (*WEIGHTS, USEFUL)
CORRECTED, REPEATED, USELESS = "corrected", "repeated_question", "useless"
WRONG = frozenset(("degraded", "failed", CORRECTED, REPEATED, "tool_error", "kb_error"))
SIGNAL = "signal"  # the event of a line that came later
LEAST_ROUNDS = 3
ASKS_KB = "kb_query"


class Interaction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """A turn, a task or a step of a cycle; formats.md tells its fields."""

    id: str
    ts: str
    kind: str
    session: str = ""
    channel: str = ""
    agent: str = ""
    concept: str = ""
    confidence: Share = 0.0
    friction: Share = 0.0
    friction_signals: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    tokens: Count = 0
    parts: dict[str, Count] = {}
    ms: Count = 0
    contract_hash: str = ""
    outcome: str = ANSWERED
    cause: str = ""
    message: str = ""
    notices: tuple[str, ...] = ()
    rounds: Count = 0
    run: str = ""


def append(files: Files, interaction: Interaction) -> None:
    """Adds an interaction."""
    if not files.dry:
        files.append(files.tree.interactions, msgspec.to_builtins(interaction))


def signal(files: Files, of: str, signal: str, source: str, now: datetime) -> None:
    """Adds what became known of the interaction `of` later, in `source`, unless that stands there and counts."""
    known = late_signals(jsonl.tail(files, files.tree.interactions, TAIL, of)).get(of, {})
    if not files.dry and known.get(place(signal, source)) != signal:
        line = {"ts": now.isoformat(), "event": SIGNAL, "of": of, "signal": signal, "source": source}
        files.append(files.tree.interactions, line)


def read(files: Files, now: datetime | None = None) -> list[Interaction]:
    """All interactions, oldest first, each with its late signals; with `now` those that were abandoned by then too.
    Left out are damaged lines, a second line of the same id and signals of what is not there."""
    return fold(files.log(files.tree.interactions), now)


def recent(files: Files) -> list[Interaction]:
    """Those whose lines stand in the last TAIL bytes, as `read`."""
    return fold(files.tail(files.tree.interactions, TAIL))


def fold(data: bytes, now: datetime | None = None) -> list[Interaction]:
    """What `read` makes of the bytes of the file."""
    rows = [record for _, record in jsonl.in_order(data) if record is not None]
    late, found = late_signals(rows), dict[str, tuple[datetime, Interaction]]()
    for row in rows:
        with suppress(msgspec.ValidationError):
            each = msgspec.convert(row, Interaction)
            if each.id and each.kind in KINDS and (when := moment(each.ts)) is not None:
                found.setdefault(each.id, (when, each))
    after, folded = dict[str, datetime](), list[Interaction]()
    for when, each in sorted(found.values(), key=lambda pair: pair[0])[::-1]:
        signals = join(each.friction_signals, late.get(each.id, {}).values())
        if now is not None and each.kind == TURN and when <= now:  # abandoned: nothing was said in its session after it
            wrong = not WRONG.isdisjoint(signals) and after.get(each.session, now) - when >= SILENCE
            signals = join(signals, ["abandoned"] if wrong else [])
            after[each.session] = when
        if signals != each.friction_signals:
            each = msgspec.structs.replace(each, friction_signals=signals, friction=friction_of(signals))
        folded.append(each)
    return folded[::-1]


def friction_of(signals: tuple[str, ...]) -> float:
    """0 to 1, rounded to two places."""
    if USEFUL in signals:
        return 0.0
    return round(1.0 - math.prod(1.0 - WEIGHTS.get(name, 0.0) for name in dict.fromkeys(signals)), 2)


def at_once(
    *, failed: bool, degraded: bool = False, calls: Sequence[tuple[str, bool]] = (), rounds: int = 0, most: int = 0
) -> tuple[str, ...]:
    """The signals that are known when an interaction ends, in the order of WEIGHTS. `calls`: (tool, whether it was
    refused) of each. `rounds` of tool calls were made, of at most `most`."""
    refused = {tool for tool, was_refused in calls if was_refused}
    known = {"failed": failed, "degraded": degraded, "many_rounds": rounds >= LEAST_ROUNDS and rounds > most / 2}
    known |= {"kb_error": ASKS_KB in refused, "tool_error": bool(refused - {ASKS_KB})}
    return tuple(name for name in WEIGHTS if known.get(name))


def join(signals: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """Both, each once, the later ones last."""
    return tuple(dict.fromkeys((*signals, *more)))


def late_signals(rows: Iterable[Mapping[str, Any]]) -> Late:
    """What became known later of the interactions of state/interactions.jsonl, by the place that each line takes."""
    late: Late = {}
    for row in rows:
        of, name = row.get("of"), row.get(SIGNAL)
        if row.get("event") == SIGNAL and isinstance(of, str) and isinstance(name, str) and name in SIGNALS:
            late.setdefault(of, {})[place(name, str(row.get("source", "")))] = name
    return late


def place(name: str, source: str) -> tuple[str, str]:
    """What a later line takes the place of: of the marks of one notice the last one counts."""
    return ("mark", source) if name in (USEFUL, USELESS) else (name, "")


def signals_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The signals that a line names."""
    listed = row.get("friction_signals")
    return tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()
