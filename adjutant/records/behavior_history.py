"""RECORDS. The history of the contract: its events, what they amount to, and the candidates that wait in it."""

from __future__ import annotations

from collections import namedtuple
from datetime import timedelta

from adjutant.clock import moment
from adjutant.errors import FileDamaged
from adjutant.records import contract
from adjutant.records.contract import Contract
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from adjutant.clock import Clock
    from adjutant.store.files import Files

SETTING = ("added", "captured", "replaced", "promoted")
TAKING = ("removed", "expired")
TOGETHER = "restore state/behavior/contract.json or history.jsonl as they were together"

DECIDE = (  # what a person may do with candidates
    ("adjutant behavior promote <id>", "make it a directive", {"id": "a candidate"}),
    ("adjutant behavior reject <id>", "set it aside", {"id": "a candidate"}),
)


class Candidate(namedtuple("Candidate", "id type text confidence evidence created_at expires_at status")):
    """What the learning lane proposes. `status`: pending, promoted, rejected, expired. Times are ISO-8601."""

    def row(self) -> dict[str, Any]:
        keys = ("id", "type", "text", "confidence", "evidence", "createdAt", "expiresAt", "status")
        return dict(zip(keys, self, strict=True)) | {"evidence": list(self.evidence)}


def read(files: Files) -> list[dict[str, Any]]:
    """All events, oldest first; lines that are none are left out."""
    return jsonl.read(files, files.tree.behavior_history)


def read_contract(files: Files) -> Contract:
    """The contract that holds; where its file is gone, what the events lead to."""
    found = contract.read(files)
    return replay(read(files)) if found is contract.EMPTY else found


def is_change(event: dict[str, Any]) -> bool:
    """Whether an event made another contract."""
    return event.get("event") in (*SETTING, *TAKING) and type(event.get("version")) is int


def list_replaced(event: dict[str, Any]) -> list[Any]:
    """The ids of the directives that went for the one that an event sets."""
    return event["replaces"] if isinstance(event.get("replaces"), list) else []


def tell(event: dict[str, Any], clock: Clock) -> str:
    """An event as a line: when, what, which version it made."""
    said = [f"{event['type']}: {event.get('text')}" if "type" in event else str(event.get("would_work", ""))]
    said += [f"-> version {event['version']}"] if "version" in event else []
    more = [str(event[key]) for key in ("reason", "message") if event.get(key)]
    more += [f"with {', '.join(map(str, event['with']))}"] if isinstance(event.get("with"), list) else []
    said += [f"({'; '.join(more)})"] if more else []
    return f"{clock.tell(event.get('ts', ''))}  {event.get('event', '?')!s:<9}  {' '.join(' '.join(said).split())}"


def quote(evidence: Any) -> str:
    """A row of evidence as it is shown, "" for none."""
    said = evidence.get("quote") if isinstance(evidence, dict) else evidence
    return f'"{said}"' if isinstance(said, str) else ""


def replay(events: Iterable[dict[str, Any]], start: Contract = contract.EMPTY) -> Contract:
    """The contract that `events` make of `start`; those it holds already change nothing. Where two machines went on
    from one version, every change counts, the later of two about one directive, and each makes a version. Raises
    FileDamaged when an event is none, or they do not lead to the hash that the last one names."""
    changing = [event for event in events if is_change(event)]
    forked = len({event["version"] for event in changing}) < len(changing)
    fresh = changing if forked else [event for event in changing if event["version"] > start.version]
    again = {event.get("id") for event in fresh} if forked else set()
    directives, version = [each for each in start.directives if each.id not in again], 0 if forked else start.version
    for event in fresh:
        directives = [each for each in directives if each.id not in (event.get("id"), *list_replaced(event))]
        try:
            directives += [contract.directive_of(event["directive"])] if event["event"] in SETTING else []
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"state/behavior/history.jsonl: version {event['version']} sets no directive ({error})"
            raise FileDamaged(what, TOGETHER) from None
        version = max(version + 1, event["version"])
    last = fresh[-1] if fresh else {"ts": start.generated_at, "version": version, "hash": start.hash}
    found = Contract(version, str(last.get("ts", "")), tuple(directives))
    if last["version"] == version and found.hash != last.get("hash"):
        raise FileDamaged(f"state/behavior/history.jsonl does not lead to version {version} of the contract", TOGETHER)
    return found


def candidates(events: Iterable[dict[str, Any]], now: datetime) -> list[Candidate]:
    """Every candidate that was ever proposed, oldest first, with what became of it."""
    found: dict[str, Candidate] = {}
    for event in events:
        name, id, directive = event.get("event"), event.get("id"), event.get("directive")
        if name == "promoted" and isinstance(directive, dict):
            id = directive.get("candidate")
        if name == "proposed" and isinstance(id, str):
            confidence, evidence = event.get("confidence"), event.get("evidence")
            sure = confidence if isinstance(confidence, int | float) else None
            proofs = tuple(evidence) if isinstance(evidence, list) else ()
            type, text, made, end = (str(event.get(key, "")) for key in ("type", "text", "ts", "expiresAt"))
            status = "expired" if now >= (moment(end) or now + timedelta(1)) else "pending"
            found[id] = Candidate(id, type, text, sure, proofs, made, end, status)
        elif name in ("promoted", "rejected") and id in found:
            found[id] = found[id]._replace(status=name)
    return list(found.values())


def list_gone(events: Iterable[dict[str, Any]], now: datetime, days: int) -> list[tuple[str, str, str]]:
    """(type, text, what became of it) of what was rejected or left in the last `days`, or nobody knows when."""
    found: list[tuple[str, str, str]] = []
    set_by: dict[str, tuple[str, str]] = {}
    for event in events:
        name, when = event.get("event"), moment(event.get("ts"))
        said = str(event.get("type", "")), str(event.get("text", ""))
        went = [(said, f"was {name}" if name != "expired" else "expired")] if name in ("rejected", *TAKING) else []
        if name in SETTING:
            went = [(set_by[id], "was replaced") for id in list_replaced(event) if id in set_by]
            set_by[str(event.get("id"))] = said
        if when is None or now - when < timedelta(days=days):
            found += [(*words, f"it {how} on {str(event.get('ts', ''))[:10]}") for words, how in went]
    return found[::-1]
