"""DOMAIN. The work log, state/slog.jsonl: one line a thing done, filed under a workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from adjutant.domain.memory import gate
from adjutant.domain.recall.classify import UNCATEGORISED, Classified, classify
from adjutant.domain.recall.sources.parts import string
from adjutant.domain.recall.taxonomy import Scheme
from adjutant.errors import UsageError
from adjutant.ports import TRUST
from adjutant.records.note import new_id
from adjutant.store import jsonl
from adjutant.store.files import Files

MAX_TAGS, TAG_CHARS = 20, 60
RECENT_BYTES = 256 * 1024  # as far back as an id of this very second may stand


def add(
    files: Files,
    text: str,
    scheme: Scheme,
    *,
    now: datetime,
    workload: str | None = None,
    tags: Sequence[str] = (),
    classified: Callable[[str, Scheme], Classified] = classify,
    own: Mapping[str, str] = gate.NONE,
) -> dict[str, Any]:
    """The record as it was appended, durable when this returns.

    `workload` names a concept; without it the text is `classified`. `own`: {value: name} of secrets.
    Raises MemoryRefused for a text that is empty, too long or holds a secret, UsageError for a concept or tag that is
    none, FileDamaged, IoFailed.
    """
    kept = _admit(text, tags, own)
    if workload is not None:
        concept, confidence = scheme.resolve(workload), 1.0
    else:
        found = classified(kept, scheme)
        concept, confidence = found.concept, found.confidence
    taken = {string(each, "id") for each in jsonl.tail(files, files.tree.slog, RECENT_BYTES)}
    record = {
        "ts": now.isoformat(),
        "id": new_id(now, taken),
        "text": kept,
        "concept": concept,
        "confidence": confidence,
        "tags": list(tags),
    }
    files.append(files.tree.slog, record)
    return record


def read(
    files: Files, *, since: str | None = None, concepts: Sequence[str] | None = None
) -> tuple[list[dict[str, Any]], list[int]]:
    """(records oldest first, of local days from `since` (YYYY-MM-DD) on and under one of `concepts`; the numbers of the
    lines that are none or say nothing).

    Raises FileDamaged, IoFailed.
    """
    told = [
        (number, record if record is not None and string(record, "text").strip() else None)
        for number, record in jsonl.in_order(files.log(files.tree.slog))
    ]
    found = [
        record
        for _, record in told
        if record is not None
        and (since is None or str(record.get("ts", ""))[:10] >= since)
        and (concepts is None or record.get("concept") in concepts)
    ]
    return found, [number for number, record in told if record is None]


def filter_of(name: str, scheme: Scheme) -> tuple[str, ...]:
    """The ids that --workload NAME lets through: the concept with all below it. Raises UsageError."""
    return (UNCATEGORISED,) if name == UNCATEGORISED else scheme.expand(scheme.resolve(name))


def tags_of(text: str | None) -> list[str]:
    """The tags of a comma-joined list. Raises UsageError for too many or too long ones."""
    found = list(dict.fromkeys(" ".join(tag.split()) for tag in (text or "").split(",") if tag.strip()))
    if len(found) > MAX_TAGS or any(len(tag) > TAG_CHARS for tag in found):
        raise UsageError(f"at most {MAX_TAGS} tags of at most {TAG_CHARS} characters", "--tags shop,urgent")
    return found


def _admit(text: str, tags: Sequence[str], own: Mapping[str, str]) -> str:
    """The text without control and hidden characters. Raises MemoryRefused with the reason, never the secret."""
    guard = gate.Gate(own, ())
    guard.refuse_secrets(",".join(tags))
    return guard.admit(text, TRUST[0])
