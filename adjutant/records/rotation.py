"""RECORDS. Rotation: older lines of a log move to monthly archives; none is lost or doubled, whoever appends or dies.

Under the log's append lock, each step durable before the next:
1. the intent: how long each archive was, and which bytes are about to move;
2. the archives, with the lines added;
3. the log without them (atomic replace);
4. the intent goes.
A kill before 3 leaves lines in both places: the next rotation finds the intent and the log still as it was, cuts the
archives back to their old length and starts anew. A kill after 3 leaves only an intent that has come true.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import datetime, timedelta

from adjutant.errors import CheckFailed, FileDamaged, UsageError
from adjutant.records.notice_log import REMEMBERED_DAYS, SHOWN
from adjutant.store import jsonl
from adjutant.store.files import Files, sha256

TOLD = ("sent", "unknown")
TRUTH = ("wisdom", "evolution", "telegram", "layers", "slog", "marks", "matters")
NAMES = ("actions", "usage", "events", "notices", "interactions")


def rotate(files: Files, name: str, keep: int, now: datetime) -> dict[str, int]:
    """Moves all but the last `keep` lines of a log to state/archive/NAME-YYYY-MM.jsonl.gz; {archive: lines moved}.

    Of notices, only lines older than 30 days move, and none that last told of a matter: it would be told anew. In a
    dry run nothing moves and the numbers are what would. Raises CheckFailed (a log that is truth), UsageError (no such
    log), FileDamaged, IoFailed.
    """
    path = log_path(files, name)
    if not files.exists(path):
        return {}
    turn = _Turn(files, name, keep, now)
    if files.dry:
        turn.split(files.read(path))
    else:
        with files.lock("rotation"):
            files.rewrite(path, turn.change)
            files.remove(turn.intent)
    return {files.tree.relative(archive): len(lines) for archive, lines in turn.moved.items()}


def settle(files: Files) -> None:
    """Cuts back what a rotation that died has put into the archives while its log still holds it. Raises FileDamaged,
    IoFailed."""
    for name in () if files.dry else NAMES:
        turn = _Turn(files, name, 0, datetime.min)
        if files.exists(turn.intent):
            with files.lock("rotation"):
                files.rewrite(log_path(files, name), turn.undo)
                files.remove(turn.intent)


def log_path(files: Files, name: str) -> str:
    """The path of a log that may be rotated. Raises CheckFailed, UsageError."""
    name = name.removesuffix(".jsonl")
    if name in TRUTH:
        raise CheckFailed(
            f"{name}.jsonl is not rotated: its lines are the truth, not a log of it",
            f"what can be rotated: {' '.join(NAMES)}",
        )
    if name not in NAMES:
        raise UsageError(f"no log `{name}`", f"what can be rotated: {' '.join(NAMES)}")
    path: str = getattr(files.tree, name)
    return path


class _Turn:
    """One rotation of one log."""

    def __init__(self, files: Files, name: str, keep: int, now: datetime) -> None:
        self._files, self._name, self._keep, self._now = files, name.removesuffix(".jsonl"), keep, now
        self.intent = files.tree.archived(f"{self._name}.rotating.json")
        self.moved: dict[str, list[bytes]] = {}

    def change(self, data: bytes) -> tuple[bytes, Callable[[], None]]:
        """What `Files.rewrite` asks: the bytes that stay, and what has to be durable before they alone do."""
        return self.split(data), lambda: self._archive(data)

    def undo(self, data: bytes) -> tuple[bytes, Callable[[], None]]:
        """The same for a log that stays as it is."""
        return data, lambda: self._undo(data)

    def split(self, data: bytes) -> bytes:
        """What stays of a log; `moved` is what goes, whole lines from its start. A torn tail always stays."""
        lines = data.split(b"\n")
        whole, tail = lines[:-1], lines[-1]
        going = max(0, len(whole) - max(0, self._keep))
        if self._name == "notices":
            going = min(going, self._older(whole))
        kept = _last_told(whole) if self._name == "notices" else frozenset[int]()
        self.moved, still = {}, list[bytes]()
        for number, line in enumerate(whole[:going]):
            if number in kept:
                still.append(line)
                continue
            month = f"{_moment(line) or self._now:%Y-%m}"
            self.moved.setdefault(self._files.tree.archived(f"{self._name}-{month}.jsonl.gz"), []).append(line)
        return b"\n".join([*still, *whole[going:], tail])

    def _older(self, lines: list[bytes]) -> int:
        """How many lines from the start are older than deduplication remembers."""
        since = self._now - timedelta(days=REMEMBERED_DAYS)
        for number, line in enumerate(lines):
            moment = _moment(line)
            if moment is None or moment >= since:
                return number
        return len(lines)

    def _archive(self, data: bytes) -> None:
        self._undo(data)
        before = {archive: self._files.log(archive) for archive in self.moved}
        sizes = {archive.rpartition("/")[2]: len(packed) for archive, packed in before.items()}
        intent = {"log": len(data), "sha256": sha256(data), "archives": sizes}
        self._files.replace(self.intent, json.dumps(intent) + "\n")
        for archive, lines in self.moved.items():
            block = gzip.compress(b"\n".join(lines) + b"\n", mtime=0)
            self._files.replace(archive, before[archive] + block)

    def _undo(self, data: bytes) -> None:
        """Cuts the archives back where an earlier rotation died before the log was shortened."""
        intent = jsonl.read_object(self._files, self.intent)
        if intent is None:
            return
        try:
            size, digest = int(intent["log"]), str(intent["sha256"])
            sizes = {str(name): int(length) for name, length in intent["archives"].items()}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileDamaged(f"{self._files.tree.relative(self.intent)}:1: not a rotation's intent") from error
        if sha256(data[:size]) != digest:
            return
        for name, length in sizes.items():
            archive = self._files.tree.archived(name)
            packed = self._files.log(archive)
            if len(packed) > length:
                self._files.replace(archive, packed[:length])


def _last_told(lines: list[bytes]) -> frozenset[int]:
    """The numbers of the lines that last told of some matter."""
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        if b'"matters"' not in line:
            continue
        try:
            record = jsonl.loads(line)
            if record["event"] in TOLD and record.get("kind") != SHOWN:
                last.update((str(id), number) for id in record["matters"])
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(last.values())


def _moment(line: bytes) -> datetime | None:
    try:
        record = jsonl.loads(line)
        moment = datetime.fromisoformat(str(record["ts"]))
    except (ValueError, KeyError, TypeError):
        return None
    return moment if moment.tzinfo is not None else None
