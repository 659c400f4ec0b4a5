"""RECORDS. What state/notices.jsonl says, read once: keys that are spent, slots that were used, notices nobody got.

Each of many verbs needs all of it, and most of it came to rest long ago: what the older lines amount to is kept in
state/cache/notices.json, and counts as long as the log begins with the very bytes it was made of.
"""

from __future__ import annotations

import json
from binascii import crc32
from collections import Counter
from contextlib import suppress
from datetime import timedelta

from adjutant.clock import moment
from adjutant.errors import AdjutantError
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from adjutant.clock import Clock
    from adjutant.store.files import Files

REMEMBERED_DAYS = 30
LATELY = 32 * 1024  # bytes of later lines that are read one by one
HELD = ("paused", "budget_exceeded", "quiet_hours", "not_primary")
_SPENT = ("reserved", "sent", "unknown")
_STANDING = ("ts", "key", "event", "outcome", "kind", "run", "matters")
SHOWN = "review"  # the kind whose lines are shown, not told


def read(files: Files, now: datetime) -> list[dict[str, Any]]:
    """The records, oldest first, or fewer that amount to the same."""
    return _read(files, now)[0]


def find_told(files: Files, now: datetime) -> dict[str, str]:
    """{id of a matter: when a notice last named it}: of what left or may have left."""
    found: dict[str, str] = {}
    state: dict[str, dict[str, Any]] = {}
    for record in read(files, now):
        _note_state(state, record)
    for record in state.values():
        if record["event"] in _SPENT and record.get("kind") != SHOWN:
            for id in record.get("matters") or ():
                found[str(id)] = max(found.get(str(id), ""), str(record.get("ts")))
    return found


def _note_state(state: dict[str, dict[str, Any]], record: dict[str, Any]) -> bool:
    """Whether a record says how its key stands; then it is kept as `state` of that."""
    key, event = str(record.get("key")), record.get("event")
    says = event in (*_SPENT, "failed") or _holds(record, state.get(key))
    state |= {key: record} if says else {}
    return says


def lately(files: Files, now: datetime) -> list[tuple[str, str]]:
    """(when, text) of what left since yesterday, oldest first, digests aside."""
    since = (now - timedelta(days=1)).date().isoformat()
    told = ((str(each.get("ts")), each.get("text")) for each in _list_left(files, now, digests=False))
    return [(ts, str(text)) for ts, text in told if text and ts[:10] >= since]


def line_of(files: Files, id: str, now: datetime) -> str:
    """How a notice last told a matter, "" for never or not known any more."""
    told = (str(record.get("text")).split("\n") for record in read(files, now) if id in (record.get("matters") or ()))
    found = [line for lines in told for line in lines if line.endswith(f" · {id}")]
    return found[-1] if found else ""


def last_digest(files: Files, now: datetime) -> str:
    """When the last digest left, "" for never."""
    return max((str(each.get("ts")) for each in _list_left(files, now, digests=True)), default="")


def _list_left(files: Files, now: datetime, *, digests: bool) -> list[dict[str, Any]]:
    left = (each for each in read(files, now) if each.get("event") in ("sent", "unknown"))
    return [each for each in left if (each.get("kind") == SHOWN) is digests]


def last_of_each(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last word on each key, newest last; a reservation that nobody settled is unknown. A mark, a review that
    carried it and a second try of a spent key say nothing of a sending."""
    last: dict[str, dict[str, Any]] = {}
    for record in records:
        key, event = str(record.get("key")), record.get("event")
        if event not in ("folded", "marked") and not (record.get("outcome") == "duplicate" and key in last):
            last.pop(key, None)
            last[key] = {**record, "outcome": record.get("outcome") or "unknown"}
    return list(last.values())


def keep(files: Files, clock: Clock) -> None:
    """Keeps what the lines amount to, where many have come since that was done."""
    now = clock.now()
    records, data, new = _read(files, now)
    if new > LATELY and data.endswith(b"\n"):
        kept = _amount(records, clock, now)
        last = max((_moment(record, 0.0) for record in records), default=0.0)
        made = {"size": len(data), "crc": crc32(data), "now": now.timestamp(), "last": last, "records": kept}
        files.replace(files.tree.notices_cache, json.dumps(made) + "\n")


def _read(files: Files, now: datetime) -> tuple[list[dict[str, Any]], bytes, int]:
    """(the records or what they amount to, the bytes of the log, how many of these were read one by one)."""
    known: list[dict[str, Any]] = []
    data, size = files.log(files.tree.notices), 0
    with suppress(AdjutantError, OSError, ValueError, KeyError, TypeError):  # a cache: else all is read
        kept = json.loads(files.read(files.tree.notices_cache))
        if crc32(data[: kept["size"]]) == kept["crc"] and kept["now"] <= now.timestamp():
            since = jsonl.parse(data[kept["size"] :])
            if all(_moment(record, kept["last"]) >= kept["last"] for _, record in since if record is not None):
                size, known = min(kept["size"], len(data)), kept["records"]
    later = (record for _, record in jsonl.in_order(data[size:]) if record is not None)
    return [*known, *later], data, len(data) - size


def _moment(record: dict[str, Any], otherwise: float) -> float:
    found = moment(record.get("ts"))
    return found.timestamp() if found is not None else otherwise


def _amount(records: list[dict[str, Any]], clock: Clock, now: datetime) -> list[dict[str, Any]]:
    """What the records amount to at any later moment: all of a key that waits or is remembered, the state of others."""
    found: list[dict[str, Any]] = []
    history = History(records, clock, now)
    keys: dict[str, list[dict[str, Any]]] = {key: [] for key in history.state}  # in the order in which they stand there
    for record in records:
        keys.setdefault(str(record.get("key")), []).append(record)
    for key, told in keys.items():
        if key in history.unsent or any(_is_recent(each, clock, now) for each in told):
            found += told
        elif key in history.state:
            found.append({name: history.state[key][name] for name in _STANDING if name in history.state[key]})
            found += [{"key": key, "event": "folded"}] * (key in history.folded)
    return found


class History:
    """One pass over the records, oldest first.

    `spent`: keys sent or unknown in the last 30 days, a `reserved` line without a settling one among them. `used`:
    slots reserved on the local day of `now` and not given back. `failures`, `advice`: definite failures and advice
    notices of that day; `kbs`: how many of them were about a knowledge base, "" for none. `unsent`: {key: record} of
    what was held back, failed or is unknown, and was folded into no review since; the record's `outcome` is filled in.
    `state`: the last record of each key that says how it stands; `folded`: the keys that a review has carried since.
    """

    def __init__(self, records: Iterable[dict[str, Any]], clock: Clock, now: datetime) -> None:
        state: dict[str, dict[str, Any]] = {}
        reserved: dict[tuple[str, str], dict[str, Any]] = {}
        folded: set[str] = set()
        failed: list[dict[str, Any]] = []
        for record in records:
            key, run, event = str(record.get("key")), str(record.get("run")), record.get("event")
            if event == "folded":
                folded.add(key)
                continue
            if event == "failed":
                failed.append(record)
            if event == "reserved":
                reserved[key, run] = record
            elif event == "failed" or (event == "suppressed" and _gives_back(record, state.get(key))):
                reserved.pop((key, run), None)
            if _note_state(state, record):
                folded.discard(key)
        self.state, self.folded = state, folded
        today = [each for each in reserved.values() if _find_time(each, clock, now).date() == now.date()]
        self.used = len(today)
        self.advice = sum(record.get("kind") == "advice" for record in today)
        self.kbs = Counter(str(kb) for record in today for kb in record.get("kbs") or [""])
        self.failures = sum(_find_time(each, clock, now).date() == now.date() for each in failed)
        spent = {key for key, record in state.items() if record["event"] in _SPENT}
        self.spent = {key for key in spent if _is_recent(state[key], clock, now)}
        left = {key: record for key, record in state.items() if record["event"] != "sent" and key not in folded}
        # what was never settled is unknown
        self.unsent = {key: {**each, "outcome": each.get("outcome") or "unknown"} for key, each in left.items()}


def _gives_back(record: dict[str, Any], before: dict[str, Any] | None) -> bool:
    """A notice stopped between its reservation and its sending says `returned`: it frees its own slot and key."""
    stood = before is not None and before["event"] == "reserved" and before.get("run") == record.get("run")
    return stood and record.get("returned") is True


def _holds(record: dict[str, Any], before: dict[str, Any] | None) -> bool:
    """A notice held back says something new about its key unless the key was spent before."""
    if record.get("event") != "suppressed" or record.get("outcome") not in HELD:
        return False
    return before is None or before["event"] not in _SPENT or _gives_back(record, before)


def _find_time(record: dict[str, Any], clock: Clock, now: datetime) -> datetime:
    """When it was, in the zone of `now`. A time that cannot be read counts against us: today, and recent."""
    try:
        return clock.parse(str(record.get("ts")))
    except (ValueError, OverflowError):
        return now


def _is_recent(record: dict[str, Any], clock: Clock, now: datetime) -> bool:
    return _find_time(record, clock, now) >= now - timedelta(days=REMEMBERED_DAYS)
