"""RECORDS. state/matters.jsonl, the register: when each matter was first seen, what changed of it, how it ended."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from adjutant.clock import moment as parse_moment
from adjutant.store import jsonl
from adjutant.store.files import Files

State = Literal["open", "done", "dropped", "gone"]
EVENTS = ("seen", "changed", "judged", "settled")


class Known(msgspec.Struct, kw_only=True):
    """A matter as the register knows it; formats.md tells its fields."""

    id: str
    kb: str
    what: str
    kind: str
    severity: str
    path: str
    line: int
    quote: str
    first: str | None = None
    last: str | None = None
    time: str = ""
    who: str = ""
    certainty: str = "certain"
    concern: str | None = None
    dated: bool = True
    quiet: str = ""
    heads: tuple[str, ...] = ()
    by: str = "rules"
    says: str = ""
    verdict: str = ""
    reason: str = ""
    graded: str = ""
    found: str = ""
    fresh: bool = True
    state: State = "open"
    first_seen: str = ""
    changed: str = ""
    past: list[tuple[str, str | None, str, str]] = []

    def at(self, moment: datetime) -> tuple[str | None, str, str]:
        """(last day, severity, line) as they were at a moment; the first known ones before that."""
        before = [said for said in self.past if (when := parse_moment(said[0])) is not None and when <= moment]
        said = (before[-1:] or self.past[:1] or [("", self.last, self.severity, "")])[0]
        return said[1:]


FIELDS = tuple(name for name in Known.__struct_fields__ if name not in ("id", "state", "first_seen", "changed", "past"))


def read(files: Files) -> dict[str, Known]:
    """{id: matter}, in the order in which they were first seen. Lines that are no event are passed over."""
    found: dict[str, Known] = {}
    for record in jsonl.read(files, files.tree.matters):
        try:
            _apply(found, record)
        except (msgspec.ValidationError, KeyError, TypeError, ValueError):
            continue  # a line that somebody edited; the next pulse sees the matter anew
    return found


def _apply(found: dict[str, Known], record: dict[str, Any]) -> None:
    ts, id, event = str(record["ts"]), str(record["id"]), record["event"]
    if parse_moment(ts) is None:
        return
    before, fields = found.get(id), {name: record[name] for name in (*FIELDS, "state") if name in record}
    if event == "seen":
        kept = (
            {"first_seen": ts, "past": []} if before is None else {"first_seen": before.first_seen, "past": before.past}
        )
    elif before is not None and event in EVENTS:
        kept = msgspec.structs.asdict(before)
    else:
        return
    made = found[id] = msgspec.convert({"id": id, **kept, **fields, "changed": ts}, Known, strict=False)
    made.past.append((ts, made.last, made.severity, made.quote))


def event(name: str, id: str, now: datetime, run: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the register, its keys in their order."""
    return {"ts": now.isoformat(), "id": id, "event": name, "run": run, **fields}


def append(files: Files, events: Collection[Mapping[str, Any]]) -> None:
    """Events at one stroke; nothing for none."""
    if events:
        files.append_all(files.tree.matters, events)


STATES = ("done", "snooze", "useful", "useless")
SILENCING = ("done", "snooze")


class Marks(dict[str, dict[str, Any]]):
    """{id of a matter: the last mark that counts}; `by_line` {fingerprint: mark} of insights without a matter."""

    def __init__(self) -> None:
        super().__init__()
        self.by_line: dict[str, dict[str, Any]] = {}


def last_marks(files: Files) -> Marks:
    """How the operator last marked each matter: `useful` takes `useless` back, and nothing else."""
    found = Marks()
    for record in jsonl.read(files, files.tree.marks):
        state, matter, known = record.get("state"), record.get("matter"), record.get("fingerprint")
        if state in STATES and isinstance(matter, str):
            if state != "useful" or found.get(matter, record)["state"] not in SILENCING:
                found[matter] = record
        elif state in SILENCING and isinstance(known, str):
            found.by_line[known] = record
    return found


def append_mark(files: Files, state: str, now: datetime, *, matter: str | None = None, **about: str | None) -> None:
    """One line in state/marks.jsonl; `about`: its `fingerprint`, `until` and `insight`."""
    made = {"ts": now.isoformat(), "fingerprint": None, "state": state, "until": None, "insight": None, **about}
    files.append(files.tree.marks, made | ({"matter": matter} if matter else {}))
