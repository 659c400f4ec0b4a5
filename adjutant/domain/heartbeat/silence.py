"""Zero-token silence: what the last pulse saw, so that nothing new costs nothing."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import msgspec

from adjutant.errors import FileDamaged
from adjutant.store import jsonl
from adjutant.store.files import Files

NEAR_DAYS = (2, 7)


class RememberedBase(msgspec.Struct, frozen=True):
    """What stands of one knowledge base: fingerprint of its files, its deadlines and their buckets, its last brief."""

    fingerprint: str
    deadlines: list[str]
    buckets: list[tuple[str, str]]
    brief: dict[str, Any]


class Memory(msgspec.Struct, frozen=True):
    """state/pulse.json: `basis` hashes heart.md, prompts and settings; `kbs` is {name: Seen}."""

    basis: str = ""
    kbs: dict[str, RememberedBase] = {}


def load(files: Files) -> Memory:
    """The last pulse's memory, empty when there was none. Raises FileDamaged, IoFailed."""
    found = jsonl.read_object(files, files.tree.pulse)
    if found is None:
        return Memory()
    try:
        return msgspec.convert(found, Memory)
    except msgspec.ValidationError as error:
        path = files.tree.relative(files.tree.pulse)
        raise FileDamaged(f"{path}:1: {error}", "delete it: the next pulse looks at everything anew") from error


def save(files: Files, memory: Memory) -> None:
    """Written last by a pulse that was neither degraded nor dry. Raises IoFailed."""
    files.replace(files.tree.pulse, json.dumps(msgspec.to_builtins(memory), ensure_ascii=False) + "\n")


def basis_of(parts: Iterable[str]) -> str:
    """One hash over what every answer depends on beside the knowledge bases."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def buckets(deadlines: Sequence[str], today: date, horizon: int) -> list[tuple[str, str]]:
    """(deadline, overdue|today|2|7|`horizon`) of every deadline that has come near; a change wakes the pulse."""
    steps = {-1: "overdue", 0: "today"} | {days: str(days) for days in (*NEAR_DAYS, horizon) if days <= horizon}
    left = {day: (date.fromisoformat(day) - today).days for day in sorted(set(deadlines))}
    near = ((day, next((days for days in steps if days >= many), None)) for day, many in left.items())
    return [(day, steps[days]) for day, days in near if days is not None]


def is_unchanged(seen: RememberedBase | None, fingerprint: str, today: date, horizon: int) -> bool:
    """True when neither the files nor the nearness of a deadline changed."""
    same = seen if seen is not None and seen.fingerprint == fingerprint else None
    return same is not None and same.buckets == buckets(same.deadlines, today, horizon)
