"""RECORDS. Older lines of a log move to monthly archives; none is lost or doubled, whoever appends or dies."""

import gzip
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from adjutant.clock import moment
from adjutant.errors import CheckFailed, FileDamaged, UsageError
from adjutant.records.notice_log import REMEMBERED_DAYS, SHOWN
from adjutant.store import jsonl
from adjutant.store.files import Files, sha256

TOLD = ("sent", "unknown")
TRUTH = ("wisdom", "evolution", "telegram", "layers", "slog", "marks", "matters")
NAMES = ("actions", "usage", "events", "notices", "interactions")


def rotate(files: Files, name: str, keep: int, now: datetime) -> dict[str, int]:
    """Moves all but the last `keep` lines of a log to state/archive/NAME-YYYY-MM.jsonl.gz; {archive: lines moved}, in a
    dry run those that would. Of notices, only lines older than 30 days move, and none that last told of a matter: it
    would be told anew. Raises CheckFailed (a log that is truth), UsageError (no such log)."""
    name = name.removesuffix(".jsonl")
    path, moved = log_path(files, name), dict[str, list[bytes]]()

    def change(data: bytes) -> bytes:
        stays = _split(files, name, data, keep, now, moved)
        if files.dry:
            return stays
        _undo(files, name, data)
        before = {archive: files.log(archive) for archive in moved}
        sizes = {archive.rpartition("/")[2]: len(packed) for archive, packed in before.items()}
        intent = {"log": len(data), "sha256": sha256(data), "archives": sizes}
        files.replace(_find_intent(files, name), json.dumps(intent) + "\n")
        for archive, lines in moved.items():
            files.replace(archive, before[archive] + gzip.compress(b"\n".join(lines) + b"\n", mtime=0))
        return stays

    if files.exists(path):
        change(files.read(path)) if files.dry else _rewrite(files, name, change)
    return {files.tree.relative(archive): len(lines) for archive, lines in moved.items()}


def settle(files: Files) -> None:
    """Cuts back what a rotation that died has put into the archives while its log still holds it."""
    for name in () if files.dry else NAMES:
        if files.exists(_find_intent(files, name)):
            _rewrite(files, name, partial(_undo, files, name))


def _rewrite(files: Files, name: str, change: Callable[[bytes], bytes]) -> None:
    with files.lock("rotation"):
        files.rewrite(log_path(files, name), change)
        files.remove(_find_intent(files, name))


def _find_intent(files: Files, name: str) -> str:
    return files.tree.archived(f"{name}.rotating.json")


def log_path(files: Files, name: str) -> str:
    """The path of a log that may be rotated. Raises CheckFailed, UsageError."""
    fix = f"what can be rotated: {' '.join(NAMES)}"
    if name in TRUTH:
        raise CheckFailed(f"{name}.jsonl is not rotated: its lines are the truth, not a log of it", fix)
    if name not in NAMES:
        raise UsageError(f"no log `{name}`", fix)
    return str(getattr(files.tree, name))


def _split(files: Files, name: str, data: bytes, keep: int, now: datetime, moved: dict[str, list[bytes]]) -> bytes:
    """What stays of a log; whole lines from its start go to `moved`, by archive. A torn tail always stays."""
    *whole, tail = data.split(b"\n")
    going = max(0, len(whole) - max(0, keep))
    lines = whole if name == "notices" else whole[:going]
    records = [next((record for _, record in jsonl.parse(line) if record is not None), {}) for line in lines]
    last: dict[str, int] = {}  # the line that last told of a matter
    if name == "notices":
        since = now - timedelta(days=REMEMBERED_DAYS)
        times = (moment(record.get("ts")) for record in records)
        going = min(going, next((at for at, when in enumerate(times) if when is None or when >= since), going))
        for number, record in enumerate(records):
            if record.get("event") in TOLD and record.get("kind") != SHOWN and isinstance(record.get("matters"), list):
                last.update((str(id), number) for id in record["matters"])
    kept = {number for number in last.values() if number < going}
    for number in sorted({*range(going)} - kept):
        month = f"{moment(records[number].get('ts')) or now:%Y-%m}"
        moved.setdefault(files.tree.archived(f"{name}-{month}.jsonl.gz"), []).append(whole[number])
    return b"\n".join([*(whole[number] for number in sorted(kept)), *whole[going:], tail])


def _undo(files: Files, name: str, data: bytes) -> bytes:
    """Cuts the archives back where an earlier rotation died before the log, whose `data` stay, was shortened."""
    path = _find_intent(files, name)
    intent = jsonl.read_object(files, path)
    if intent is None:
        return data
    try:
        size, digest = int(intent["log"]), str(intent["sha256"])
        sizes = {files.tree.archived(name): int(length) for name, length in intent["archives"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileDamaged(f"{files.tree.relative(path)}:1: not a rotation's intent") from error
    for archive, length in sizes.items() if sha256(data[:size]) == digest else ():
        packed = files.log(archive)
        if len(packed) > length:
            files.replace(archive, packed[:length])
    return data
