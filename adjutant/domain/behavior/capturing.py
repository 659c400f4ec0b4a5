"""DOMAIN. What a message of the operator's sets: each directive by itself, near misses told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from adjutant.domain.behavior import grammar
from adjutant.domain.behavior.control import ContractChange, ContractEdit, make_wished, put, under_lock
from adjutant.errors import BehaviorConflict, BehaviorFull
from adjutant.records import behavior_history

if TYPE_CHECKING:
    from adjutant.app import App

MOST_MISSES = 20  # told and recorded by themselves, of one message


class Captured(NamedTuple):
    """What a message told to keep.

    `captured`: {type, text, line, outcome, id, reason, with} of each directive, outcome added, duplicate, conflict or
    full; `missed`: {line, reason, would_work}; `remainder`: the message without directives; `mirrors` as in
    ContractChange.
    """

    captured: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]
    remainder: str
    mirrors: dict[str, str]


def capture(app: App, message: bytes, source: str = "") -> Captured:
    """Sets what a message of the operator's tells to keep, each directive by itself, and tells near misses.

    `source`: the message's id. A message that was handled under this id already is told as it was, and sets nothing.
    Raises FileDamaged, LockBusy, IoFailed.
    """
    parsed = grammar.parse(message)
    if not parsed.directives and not parsed.misses:
        return Captured((), (), parsed.remainder, {})
    rows: list[dict[str, Any]] = []
    misses = [
        {"line": each.line, "reason": each.reason, "would_work": each.would_work}
        for each in parsed.misses[: MOST_MISSES + 1]
    ]
    if len(parsed.misses) > MOST_MISSES:
        misses[-1]["reason"] = f"{len(parsed.misses) - MOST_MISSES} more lines are nearly directives"

    def work(edit: ContractEdit) -> ContractChange:
        before = edit.find_of_message(source)
        rows.extend(_capture_one(edit, said, source, before) for said in parsed.directives)
        told = {event.get("line") for event in before if event.get("event") == "missed"}
        for miss in misses:
            if miss["line"] not in told:
                edit.tell("missed", message=source, **miss)
        return edit.end("applied" if edit.changed else "unchanged")

    done = under_lock(app, work)
    return Captured(tuple(rows), tuple(misses), parsed.remainder, done.mirrors)


def _capture_one(
    edit: ContractEdit, said: grammar.DirectiveLine, source: str, before: list[dict[str, Any]]
) -> dict[str, Any]:
    row: dict[str, Any] = {"type": said.type, "text": said.text, "line": said.line}
    row |= {"outcome": "added", "id": None, "reason": "", "with": []}
    earlier = next((each for each in before if (each.get("type"), each.get("text")) == (said.type, said.text)), None)
    if earlier is not None:
        outcome = "added" if earlier["event"] in behavior_history.SETTING else earlier["event"]
        told = {"outcome": outcome, "id": earlier.get("id"), "with": earlier.get("with", [])}
        return row | told | {"reason": "this message was handled before"}
    try:
        done = put(edit, make_wished(edit, said.type, said.text, message=source), captured=True)
    except (BehaviorConflict, BehaviorFull) as error:
        outcome = error.code.rpartition(".")[2]
        return row | {"outcome": outcome, "reason": error.message, "with": error.details.get("with", [])}
    assert done.directive is not None
    row["id"] = done.directive.id
    if done.outcome == "duplicate":
        row |= {"outcome": "duplicate", "reason": f"it stands already: {done.directive.line}", "with": [row["id"]]}
    return row
