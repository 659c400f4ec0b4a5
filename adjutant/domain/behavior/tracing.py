"""DOMAIN. From a directive back to the message that set it, and on to the replies that were given under it."""

from __future__ import annotations

from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, contract
from adjutant.records.behavior_history import SETTING
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from adjutant.clock import Clock
    from adjutant.store.files import Files

    Link = tuple[str, str, str | None, str]  # kind, id, path, text

HASH_KEYS = ("behavior_contract_hash", "contract_hash")  # in a span's attributes, and in an agent's message
TAIL = 4 * 1024 * 1024  # bytes looked at of each log, the newest
REPLIES = 20
FIX = "`adjutant behavior history` names all"


def explain(files: Files, clock: Clock, events: list[dict[str, Any]], id: str) -> tuple[list[Link], int]:
    """(what a directive comes from and the last replies given under it, how many of these there are).

    `id`: of one that is or was, or its beginning. Raises BehaviorUnknown.
    """
    changes = [event for event in events if behavior_history.is_change(event)]
    id = contract.find_one({str(each.get("id")): str(each.get("id")) for each in changes}, id, "directive", FIX)
    mine: list[dict[str, Any]] = []
    under, holds = set[str](), False  # the hashes of the contracts that held it
    for event in changes:
        replaced = id in behavior_history.list_replaced(event)
        mine += [event] if replaced or event.get("id") == id else []
        holds = not replaced and (event["event"] in SETTING if event.get("id") == id else holds)
        under |= {str(event.get("hash"))} if holds else set()
    wanted = {str(event["message"]) for event in mine if event.get("message")}
    said: dict[str, tuple[str, str]] = {}
    replies: list[tuple[str, Link]] = []
    for place, record in _messages(files):
        name, role = str(record.get("id", "")), record.get("role")
        if name in wanted and role == "operator":
            said[name] = place, record["text"]
        elif role == "agent" and _hash(record) in under:
            replies.append((str(record.get("ts", "")), ("reply", name, place, record["text"])))
    chain = [link for event in mine for link in _link_event(files, clock, event, id, said)]
    replies.sort(key=lambda each: each[0])
    return [*chain, *(link for _, link in replies[-REPLIES:])], len(replies)


def count_turns(files: Files) -> dict[str, int]:
    """{hash: turns} as the spans of turns tell, newest last."""
    found: dict[str, int] = {}
    for span in jsonl.tail(files, files.tree.events, TAIL):
        attributes = span.get("attributes")
        if str(span.get("name", "")).partition(" ")[0] != "turn" or not isinstance(attributes, dict):
            continue
        if hash := _hash(attributes):
            found[hash] = found.pop(hash, 0) + 1
    return found


def _link_event(
    files: Files, clock: Clock, event: dict[str, Any], id: str, said: dict[str, tuple[str, str]]
) -> Iterator[Link]:
    """An event with the message it comes from and the evidence that it names."""
    yield "event", id, files.tree.relative(files.tree.behavior_history), behavior_history.tell(event, clock)
    name = str(event.get("message") or "")
    if name and event["event"] in SETTING:
        yield "message", name, *said.get(name, (None, "the message itself is not on record"))
    directive = event.get("directive")
    for each in directive.get("evidence", []) if isinstance(directive, dict) else []:
        record = str(each.get("record", "")) if isinstance(each, dict) else ""
        yield "evidence", record, None, behavior_history.quote(each)


def _messages(files: Files) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file and line, message) of all conversations; what is none, or cannot be read, is left out."""
    for name in files.names(files.tree.conversations):
        path = files.tree.conversation(name.removesuffix(".jsonl"))
        try:
            data = files.tail(path, TAIL) if name.endswith(".jsonl") else b""
        except (AdjutantError, OSError):
            continue  # `doctor` names it; the others still answer
        for number, record in jsonl.parse(data):
            if record is not None and isinstance(record.get("text"), str):
                shown = files.tree.relative(path)
                yield f"{shown}:{number}" if len(data) < TAIL else shown, record


def _hash(record: dict[str, Any]) -> str:
    return next((value for key in HASH_KEYS if isinstance(value := record.get(key), str)), "")
