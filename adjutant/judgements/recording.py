"""OPINION. Every judgement asked is kept under state/runs/<run>/, so that it can be shown, replayed and traced."""

import os
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

import msgspec

from adjutant.errors import CheckFailed, FileDamaged, find_one
from adjutant.store import jsonl
from adjutant.store.files import Files

T = TypeVar("T")
RUN = re.compile(r"(\d{8}T\d{6})-[0-9a-f]{4}")
RECORD = re.compile(r"(\d{2,6})-([a-z][a-z-]{0,40})\.json")
NOTE, LAST = "run.json", "last"
COMPLETED, STOPPED = "completed", "stopped"
KEPT_REPLY = 256 * 1024 + 1  # one more than is ever parsed: a reply that was too long stays too long
PRUNED_RUNS = 100


class SentPrompt(msgspec.Struct):
    """A prompt as it was sent."""

    system: str
    text: str


class Checked(msgspec.Struct):
    """What the check said: what it dropped, and why a reply was refused (the last reason; null when none was)."""

    notes: list[str] = []
    error: str | None = None


class Recorded(msgspec.Struct):
    """One judgement asked, in JSON form. `ended` is what broke the conversation off from outside (a failure, a cap, a
    limit, `stopped`): the one thing a replay cannot bring about again."""

    judgement: str
    number: int
    ts: str = ""
    backend: str = ""
    model: str | None = None
    inputs: dict[str, Any] = {}
    prompt: SentPrompt | None = None
    replies: list[str] = []
    result: Any = None
    check: Checked = msgspec.field(default_factory=Checked)
    degraded: str | None = None
    tokens: int = 0
    ms: int = 0
    ended: str | None = None


class RunNote(msgspec.Struct):
    """Which verb a run was, and how it ended."""

    run: str
    verb: str
    ts: str
    status: str


def kb_of(inputs: Mapping[str, Any]) -> str:
    """The knowledge base that a recorded question was about, "" for several or none."""
    bases = inputs.get("bases")
    base = bases[0] if isinstance(bases, list) and len(bases) == 1 else None
    named = inputs.get("kb") or (base.get("kb") if isinstance(base, dict) else "")
    return named if isinstance(named, str) else ""


def about(inputs: Mapping[str, Any]) -> str:
    """What a recorded question was about: a knowledge base, a message, a text; "" where nothing says."""
    keys = ("message", "question", "text", "title", "name")
    return kb_of(inputs) or next((inputs[key] for key in keys if isinstance(inputs.get(key), str)), "")


def write(files: Files, run: str, recorded: Recorded) -> None:
    """Keeps one judgement as NN-<judgement>.json. Raises FileDamaged, IoFailed."""
    name = f"{recorded.number:02d}-{recorded.judgement}.json"
    files.replace(files.tree.run_file(run, name), jsonl.dump(msgspec.to_builtins(recorded)))


def note_run(files: Files, run: str, verb: str, ts: datetime, status: str) -> None:
    """Says which verb `run` was and how it ended, in run.json. Raises FileDamaged, IoFailed."""
    note = RunNote(run, verb, ts.isoformat(), status)
    files.replace(files.tree.run_file(run, NOTE), jsonl.dump(msgspec.to_builtins(note)))


def runs(files: Files) -> list[str]:
    """The ids of all runs kept, newest first. Raises FileDamaged, IoFailed."""
    return sorted((name for name in files.names(files.tree.runs) if RUN.fullmatch(name)), reverse=True)


def find(files: Files, wanted: str) -> str:
    """The run meant by its id, by a unique beginning of it, or by `last`. Raises CheckFailed, FileDamaged, IoFailed."""
    kept = {run: run for run in runs(files)}
    wanted = next(iter(kept), LAST) if wanted == LAST else wanted
    return find_one(kept, wanted, "run", CheckFailed, "`adjutant runs list` shows the ids")


def note_of(files: Files, run: str) -> RunNote | None:
    """What run.json says, None when there is none. Raises FileDamaged, IoFailed."""
    return _read(files, files.tree.run_file(run, NOTE), RunNote)


def names(files: Files, run: str) -> list[str]:
    """File names of a run's judgements in the order of their numbers. Raises FileDamaged, IoFailed."""
    found = [match for name in files.names(files.tree.run(run)) if (match := RECORD.fullmatch(name))]
    return [match[0] for match in sorted(found, key=lambda match: (int(match[1]), match[2]))]


def read(files: Files, run: str, name: str) -> Recorded:
    """One judgement as it was recorded. Raises FileDamaged (also when it vanished), IoFailed."""
    path = files.tree.run_file(run, name)
    if (found := _read(files, path, Recorded)) is None:
        raise FileDamaged(f"{files.tree.relative(path)}: gone")
    return found


def prune(files: Files, now: datetime, keep_days: int) -> int:
    """Removes runs older than `keep_days`, at most PRUNED_RUNS a call, and says how many. Only files of ours go, from
    real folders, never in a dry run. Raises FileDamaged, IoFailed."""
    if files.dry:
        return 0
    oldest, removed = f"{now - timedelta(days=keep_days):%Y%m%dT%H%M%S}", 0
    for run in reversed(runs(files)):
        if run[: len(oldest)] >= oldest or removed >= PRUNED_RUNS:
            break
        folder = files.tree.run(run)
        if os.path.islink(folder) or not os.path.isdir(folder):
            continue
        files.sweep(folder, now.timestamp())
        for name in (each for each in files.names(folder) if each == NOTE or RECORD.fullmatch(each)):
            files.remove(files.tree.run_file(run, name))
        if not os.listdir(folder):
            files.remove(folder)
            removed += 1
    return removed


def _read(files: Files, path: str, kind: type[T]) -> T | None:
    found = jsonl.read_object(files, path)
    try:
        return None if found is None else msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise FileDamaged(f"{files.tree.relative(path)}:1: not a record of ours ({error})") from error
