"""RECORDS. Friction: what rubbed in an interaction, by rules from its record alone, and how much that weighs.

On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

Late = dict[str, dict[tuple[str, str], str]]  # {id: {place: its late signal}}

# What each signal adds to the friction of an interaction: 1 - (1 - a)(1 - b)…, so that it stays below 1.
WEIGHTS: dict[str, float] = {
    "corrected": 0.6,  # in older records: what the operator said next was read as a correction
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
CORRECTED, REPEATED, USELESS, ABANDONED = "corrected", "repeated_question", "useless", "abandoned"
WRONG = frozenset(("degraded", "failed", CORRECTED, REPEATED, "tool_error", "kb_error"))
SIGNAL = "signal"  # the event of a line that came later
LEAST_ROUNDS = 3
ASKS_KB = "kb_query"


def friction_of(signals: tuple[str, ...]) -> float:
    """0 to 1, rounded to two places."""
    if USEFUL in signals:
        return 0.0
    smooth = 1.0
    for name in dict.fromkeys(signals):
        smooth *= 1.0 - WEIGHTS.get(name, 0.0)
    return round(1.0 - smooth, 2)


def at_once(
    *, degraded: bool, failed: bool, calls: Sequence[tuple[str, bool]] = (), rounds: int = 0, most: int = 0
) -> tuple[str, ...]:
    """The signals that are known when an interaction ends, in the order of WEIGHTS.

    `calls`: (tool, whether it was refused) of each. `rounds` of tool calls were made, of at most `most`.
    """
    refused = {tool for tool, was_refused in calls if was_refused}
    many = rounds >= LEAST_ROUNDS and rounds > most / 2
    known = {"failed": failed, "degraded": degraded, "kb_error": ASKS_KB in refused, "many_rounds": many}
    known["tool_error"] = bool(refused - {ASKS_KB})
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
