"""OPINION. Today's parse, check and rules on what a judgement was once asked and told; nothing is asked."""

import json
from typing import Any

import msgspec

from adjutant.judgements import turn
from adjutant.judgements.hearing import JUDGEMENTS, Hearing, Judgement, NoAnswer, load_judgement
from adjutant.judgements.recording import STOPPED, Recorded


class Unreplayable(Exception):
    """The record does not fit today's judgement: an unknown name, or inputs of another shape."""


class Difference(msgspec.Struct):
    """Where a replay comes out otherwise than the record; `field` is dotted, or several comma-joined."""

    number: int
    judgement: str
    field: str
    recorded: Any
    now: Any


def compare(recorded: Recorded) -> Difference | None:
    """None when today's code comes to what was recorded, else all that differs as one entry. Raises Unreplayable."""
    now = replay(recorded)
    then = {"degraded": recorded.degraded, "check": msgspec.to_builtins(recorded.check), "result": recorded.result}
    found = [each for name in then for each in _differing(name, then[name], now[name])]
    if not found:
        return None
    field, old, new = found[0]
    if len(found) > 1:
        field = ",".join(field for field, _, _ in found)
        old, new = {field: old for field, old, _ in found}, {field: new for field, _, new in found}
    return Difference(recorded.number, recorded.judgement, field, old, new)


def replay(recorded: Recorded) -> dict[str, Any]:
    """`degraded`, `check` and `result` in their JSON form, from the recorded inputs and replies alone. Of what came of
    it, only `ended` (and its wording) is taken from the record: no code can bring that about again. Raises
    Unreplayable."""
    is_turn = recorded.judgement == turn.NAME
    if not is_turn and recorded.judgement not in JUDGEMENTS:
        raise Unreplayable(f"no judgement is called {recorded.judgement[:40]!r}")
    judgement: Any = turn if is_turn else load_judgement(recorded.judgement)
    try:
        found = msgspec.convert(recorded.inputs, judgement.Inputs)
    except msgspec.ValidationError as wrong:
        raise Unreplayable(f"inputs: {wrong}") from wrong
    if is_turn and recorded.ended == STOPPED:
        return _form(None, [], recorded.check.error, None)
    if is_turn:
        was = recorded.replies, recorded.backend, recorded.ended, recorded.check.error
        result, degraded, error = turn.conclude(found, *was)
        return _form(degraded, [], error, result)
    try:
        return _replay(judgement, found, recorded)
    except Exception as error:  # inputs that were edited can be wrong in any way; the record is named, the walk goes on
        raise Unreplayable(f"{type(error).__name__} on the recorded inputs: {error}") from error


def _replay(judgement: Judgement[Any, Any], inputs: Any, recorded: Recorded) -> dict[str, Any]:
    degraded, error = None, None
    hearing: Hearing[Any, Any] = Hearing(judgement, inputs)
    for reply in recorded.replies:
        hearing.hear(reply)
    if recorded.ended == STOPPED:
        return _form(None, [], hearing.error, None)
    try:
        result, notes = hearing.finish()
        return _form(None, notes, hearing.error, result)
    except NoAnswer as none:
        if recorded.replies:
            degraded, error = none.cause, none.detail
    if recorded.ended is not None:
        degraded, error = recorded.ended, recorded.check.error
    return _form(degraded, [], error, judgement.rules(inputs))


def _form(degraded: str | None, notes: list[str], error: str | None, result: Any) -> dict[str, Any]:
    plain = json.loads(json.dumps(msgspec.to_builtins(result)))
    return {"degraded": degraded, "check": {"notes": notes, "error": error}, "result": plain}


def _differing(name: str, old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    if old == new:
        return []
    if not isinstance(old, dict) or not isinstance(new, dict):
        return [(name, old, new)]
    keys = [key for key in (*old, *(key for key in new if key not in old)) if old.get(key) != new.get(key)]
    return [(f"{name}.{key}", old.get(key), new.get(key)) for key in keys]
