"""DOMAIN. The work log, state/slog.jsonl: one line a thing done, filed under a workload."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from adjutant.domain.memory import gate
from adjutant.domain.retrieval.classify import UNCATEGORISED, classify
from adjutant.domain.retrieval.taxonomy import Scheme
from adjutant.errors import MemoryRefused, UsageError
from adjutant.store import records
from adjutant.store.files import Files

MAX_CHARS = 2000
MAX_TAGS, TAG_CHARS = 20, 60
RECENT_BYTES = 256 * 1024  # as far back as an id of this very second may stand


class Listed(NamedTuple):
    """Records oldest first, and the numbers of the lines that are none."""

    records: list[dict[str, Any]]
    damaged: list[int]


def add(
    files: Files, text: str, scheme: Scheme, *, now: datetime, workload: str | None = None, tags: Sequence[str] = (),
    secret: Callable[[str], str | None],
) -> dict[str, Any]:
    """The record as it was appended, durable when this returns.

    `workload` names a concept; without it the text is classified. Raises MemoryRefused for a text that is empty, too
    long or holds a secret, UsageError for a concept or tag that is none, FileDamaged, IoFailed.
    """
    kept = _admitted(text, tags, secret)
    if workload is not None:
        concept, confidence = scheme.named(workload), 1.0
    else:
        found = classify(kept, scheme)
        concept, confidence = found.concept, found.confidence
    record = {"ts": now.isoformat(), "id": _new_id(files, now), "text": kept, "concept": concept,
              "confidence": confidence, "tags": list(tags)}
    files.append(files.tree.slog, record)
    return record


def read(files: Files, *, since: str | None = None, concepts: Sequence[str] | None = None) -> Listed:
    """Records of local days from `since` (YYYY-MM-DD) on that are filed under one of `concepts`.

    Raises FileDamaged, IoFailed.
    """
    try:
        lines = list(records.parse(files.read(files.tree.slog)))
    except FileNotFoundError:
        return Listed([], [])
    found = [
        record for _, record in lines
        if record is not None and (since is None or str(record.get("ts", ""))[:10] >= since)
        and (concepts is None or record.get("concept") in concepts)
    ]
    return Listed(found, [number for number, record in lines if record is None])


def filter_of(name: str, scheme: Scheme) -> tuple[str, ...]:
    """The ids that --workload NAME lets through: the concept with all below it. Raises UsageError."""
    return (UNCATEGORISED,) if name == UNCATEGORISED else scheme.expand(scheme.named(name))


def tags_of(text: str | None) -> list[str]:
    """The tags of a comma-joined list. Raises UsageError for too many or too long ones."""
    found = list(dict.fromkeys(" ".join(tag.split()) for tag in (text or "").split(",") if tag.strip()))
    if len(found) > MAX_TAGS or any(len(tag) > TAG_CHARS for tag in found):
        raise UsageError(f"at most {MAX_TAGS} tags of at most {TAG_CHARS} characters", "--tags shop,urgent")
    return found


def _admitted(text: str, tags: Sequence[str], secret: Callable[[str], str | None]) -> str:
    """The text without control and hidden characters. Raises MemoryRefused with the reason, never the secret."""
    kept = gate.cleaned(text)
    if not any(char.isalnum() for char in kept):
        raise MemoryRefused("refused: an empty line", "say what was done, in a sentence")
    if len(kept) > MAX_CHARS:
        raise MemoryRefused(f"refused: {len(kept)} characters, {MAX_CHARS} are allowed",
                            "say it in a sentence or two; a long text belongs into a knowledge base")
    own = gate.own_secrets(secret)
    kind = gate.secret_in(text, own) or gate.secret_in(",".join(tags), own)
    if kind:
        raise MemoryRefused(f"refused: it holds {kind}", "models read the log; keep secrets in .env")
    return kept


def _new_id(files: Files, now: datetime) -> str:
    """YYYYMMDDTHHMMSS-xxxx in UTC, sortable by time; four random hex digits that no other line of this second has."""
    taken = {record.get("id") for record in records.tail(files, files.tree.slog, RECENT_BYTES)}
    while True:
        made = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{os.urandom(2).hex()}"
        if made not in taken:
            return made
