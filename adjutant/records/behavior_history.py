"""RECORDS. The history of the contract: its events, what they amount to, and the candidates that wait in it.

state/behavior/history.jsonl, one event a line: `ts`, `event`, and by event:

- `added captured replaced promoted`: `directive` (its row) with its `id type text` beside it, `version` and `hash` of
  the contract from then on, `replaces` [ids] where others went; `captured` is added by a message
- `removed expired`: `id type text`, `version`, `hash`, `reason`
- `duplicate conflict`: `type text`, `with` [ids of what stands]
- `proposed`: `id` of a candidate, `type text confidence`, `evidence` [{"quote", "record"}], `expiresAt` (a time),
  `source` daily-review or evolve
- `rejected`: `id` of the candidate, `type text`
- `missed`: `line reason would_work`, a near miss

What a message led to has its id as `message`. `source` elsewhere: operator or daily-review.
"""

from __future__ import annotations

from collections import namedtuple

from adjutant.errors import FileDamaged
from adjutant.records import contract
from adjutant.records.contract import Contract, Directive
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


class Candidate(namedtuple("Candidate", "id type text confidence evidence created_at expires_at status")):
    """What the learning lane proposes. `status`: pending, promoted, rejected, expired. Times are ISO-8601."""

    def row(self) -> dict[str, Any]:
        """The candidate as results have it."""
        return {
            "id": self.id,
            "type": self.type,
            "text": self.text,
            "confidence": self.confidence,
            "evidence": list(self.evidence),
            "createdAt": self.created_at,
            "expiresAt": self.expires_at,
            "status": self.status,
        }


def read(files: Files) -> list[dict[str, Any]]:
    """All events, oldest first; lines that are none are left out. Raises FileDamaged, IoFailed."""
    return jsonl.read(files, files.tree.behavior_history)


def held(files: Files) -> Contract:
    """The contract that holds; where its file is gone, what the events lead to. Raises FileDamaged, IoFailed."""
    found = contract.read(files)
    return replay(read(files)) if found is contract.EMPTY else found


def changes(event: dict[str, Any]) -> bool:
    """Whether an event made another contract."""
    return event.get("event") in (*SETTING, *TAKING) and type(event.get("version")) is int


def told(event: dict[str, Any], clock: Clock) -> str:
    """An event as a line: when, what, which version it made."""
    said = f"{event['type']}: {event.get('text')}" if "type" in event else str(event.get("would_work", ""))
    made = f" -> version {event['version']}" if "version" in event else ""
    more = [str(event[key]) for key in ("reason", "message") if event.get(key)]
    more += [f"with {', '.join(map(str, event['with']))}"] if isinstance(event.get("with"), list) else []
    about = f" ({'; '.join(more)})" if more else ""
    about = " ".join(f"{said}{made}{about}".split())
    return f"{clock.told(event.get('ts', ''))}  {event.get('event', '?')!s:<9}  {about}"


def quote(evidence: Any) -> str:
    """A row of evidence as it is shown, "" for none."""
    said = evidence.get("quote") if isinstance(evidence, dict) else evidence
    return f'"{said}"' if isinstance(said, str) else ""


def replay(events: Iterable[dict[str, Any]], start: Contract = contract.EMPTY) -> Contract:
    """The contract that `events` make of `start`; those it holds already change nothing.

    Two machines that went on from one version each wrote the next one: then every change counts, the later of two that
    are about one directive, and each makes a version. Raises FileDamaged when an event is none, or they do not lead to
    the hash that the last one names.
    """
    changing = [event for event in events if changes(event)]
    if is_forked(changing):
        return _united(changing, start)
    directives, version, made, hash = list(start.directives), start.version, start.generated_at, start.hash
    for event in changing:
        if event["version"] <= version:
            continue
        directives = _changed(directives, event)
        version, made, hash = event["version"], str(event.get("ts", "")), str(event.get("hash", ""))
    found = Contract(version, made, tuple(directives))
    if found.hash != hash:
        raise _astray(version)
    return found


def is_forked(changing: Iterable[dict[str, Any]]) -> bool:
    """Whether a version was made twice, by two machines that knew nothing of each other."""
    versions = [event["version"] for event in changing]
    return len(set(versions)) < len(versions)


def _united(changing: list[dict[str, Any]], start: Contract) -> Contract:
    """What two machines' changes amount to, in the order of their moments."""
    told = {str(event.get("id")) for event in changing}
    directives, version, last = [each for each in start.directives if each.id not in told], 0, changing[-1]
    for event in changing:
        directives = _changed([each for each in directives if each.id != event.get("id")], event)
        version = max(version + 1, event["version"])
    found = Contract(version, str(last.get("ts", "")), tuple(directives))
    if last["version"] == version and found.hash != last.get("hash"):
        raise _astray(version)
    return found


def _changed(directives: list[Directive], event: dict[str, Any]) -> list[Directive]:
    gone = set(event["replaces"]) if isinstance(event.get("replaces"), list) else set()
    if event["event"] in TAKING:
        gone.add(event.get("id"))
    kept = [each for each in directives if each.id not in gone]
    return [*kept, _directive(event)] if event["event"] in SETTING else kept


def _astray(version: int) -> FileDamaged:
    return FileDamaged(
        f"state/behavior/history.jsonl does not lead to version {version} of the contract",
        "restore state/behavior/contract.json or history.jsonl as they were together",
    )


def _directive(event: dict[str, Any]) -> Directive:
    try:
        return contract.directive_of(event["directive"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileDamaged(
            f"state/behavior/history.jsonl: version {event['version']} sets no directive ({error})",
            "restore state/behavior/contract.json or history.jsonl as they were together",
        ) from None


def candidates(events: Iterable[dict[str, Any]], now: datetime, ttl_days: int) -> list[Candidate]:
    """Every candidate that was ever proposed, oldest first, with what became of it."""
    from datetime import timedelta  # beside `now`, it is loaded

    found: dict[str, Candidate] = {}
    settled: dict[str, str] = {}
    for event in events:
        name, id = event.get("event"), str(event.get("id"))
        if name == "proposed" and isinstance(event.get("id"), str):
            found[id] = _candidate(event)
            settled.pop(id, None)
        elif name == "promoted" and isinstance(event.get("directive"), dict):
            settled[str(event["directive"].get("candidate"))] = "promoted"
        elif name == "rejected":
            settled[id] = "rejected"
    rows = []
    for each in found.values():
        end = _moment(each.expires_at, now) or _plus(_moment(each.created_at, now), timedelta(days=ttl_days))
        open = "expired" if end is not None and now >= end else "pending"
        rows.append(each._replace(status=settled.get(each.id, open)))
    return rows


def _candidate(event: dict[str, Any]) -> Candidate:
    confidence, evidence = event.get("confidence"), event.get("evidence")
    return Candidate(
        id=str(event["id"]),
        type=str(event.get("type")),
        text=str(event.get("text")),
        confidence=confidence if isinstance(confidence, int | float) else None,
        evidence=tuple(evidence) if isinstance(evidence, list) else (),
        created_at=str(event.get("ts", "")),
        expires_at=str(event.get("expiresAt", "")),
        status="pending",
    )


def gone(events: Iterable[dict[str, Any]], now: datetime, days: int) -> list[tuple[str, str, str]]:
    """(type, text, what became of it) of what was rejected or left the contract in the last `days`, newest first.

    A time that cannot be read counts as one of these days.
    """
    from datetime import timedelta  # beside `now`, it is loaded

    found: list[tuple[str, str, str]] = []
    rows: dict[str, tuple[str, str]] = {}
    for event in events:
        name, told = event.get("event"), str(event.get("ts", ""))
        said = str(event.get("type", "")), str(event.get("text", ""))
        went = [(said, name)] if name in ("rejected", *TAKING) else []
        if name in SETTING:
            others = event["replaces"] if isinstance(event.get("replaces"), list) else []
            went = [(rows[id], "replaced") for id in others if id in rows]
            rows[str(event.get("id"))] = said
        moment = _moment(told, now)
        if moment is None or now - moment < timedelta(days=days):
            found += [(*words, f"it {'was ' * (what != 'expired')}{what} on {told[:10]}") for words, what in went]
    return found[::-1]


def _moment(text: str, now: datetime) -> datetime | None:
    try:
        moment = type(now).fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=now.tzinfo)


def _plus(moment: Any, span: Any) -> Any:
    return None if moment is None else moment + span
