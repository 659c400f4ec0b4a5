"""RECORDS. What waits to be worked, a file each: taken up by one run at a time, put back, settled; no heavy import."""

from __future__ import annotations

import os
from contextlib import suppress

from adjutant.clock import moment
from adjutant.errors import FileChanged, FileDamaged
from adjutant.printable import to_line
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any, TypeVar

    from adjutant.store.config import Config
    from adjutant.store.files import Files

    E = TypeVar("E", bound="Queued")

STATUSES = ("proposed", "queued", "running", "done", "failed", "cancelled")
PROPOSED, QUEUED, RUNNING, DONE, FAILED, CANCELLED = STATUSES
OVER = (DONE, CANCELLED)
ACTS = {  # what a person may do with one, and in which states
    "accept": (PROPOSED,),
    "retry": (FAILED, QUEUED, CANCELLED),
    "cancel": (PROPOSED, QUEUED, RUNNING, FAILED),
}
TRIES = 3  # runs that take one up and come to no end of it
SHOWN = 100  # the newest, for `status`: what waits is never older than what is done
ONE_LINE = 60
DELEGATE = "delegate"  # its tasks stand in a folder of their own
NAMES = ("ingest", "transcribe", "summarise", "content-review", DELEGATE)  # what is shipped
RESULT = ".result"
MOST_RESULT = 256 * 1024 * 1024
KINDS = {"str": str, "int": int, "dict[str, Any]": dict}
BACKOFF = (60, 600)  # seconds before a job is tried again: after its first failure, after later ones


class Queued:
    """One of them. `tries`: how often it was taken up; `run`: by which run last; `reason`: why it is queued again or
    failed. What is annotated stands in its file. NOUN: how people and the tree call it."""

    NOUN = ""
    id: str
    status: str
    created: str
    updated: str
    tries: int
    run: str
    reason: str

    def __init__(self, **values: Any) -> None:
        for key, kind in self.kinds().items():
            setattr(self, key, values.get(key, kind()))

    @classmethod
    def kinds(cls) -> dict[str, type]:
        return {key: KINDS[kind] for key, kind in {**Queued.__annotations__, **cls.__annotations__}.items()}

    def row(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in self.kinds()}


class Task(Queued):
    """One task; `answer` "" until it is done."""

    NOUN = "task"
    specialist: str
    task: str
    answer: str

    def brief(self) -> dict[str, Any]:
        told = {"id": self.id, "specialist": self.specialist, "status": self.status}
        return {**told, "task": to_line(self.task, ONE_LINE), "reason": self.reason or None}


class Job(Queued):
    """One job. `given`: its input and options, by name. `step`: the one under way, or that failed. `whole`: how many
    results it had when it was taken up last. `not_before`: ISO-8601, "" for at once. `marker`: of the fence around what
    a model is shown, the same in each run of the job. `outcome`: what its last step made, {} until it is done.
    """

    NOUN = "job"
    name: str
    given: dict[str, Any]
    step: str
    whole: int
    not_before: str
    marker: str
    outcome: dict[str, Any]


def list_tasks(files: Files, most: int | None = None) -> tuple[list[Task], list[str]]:
    """As `every`, of all tasks."""
    ids = (name.removesuffix(".json") for name in files.names(files.tree.tasks) if name.endswith(".json"))
    return every(files, Task, ids, most)


def file(files: Files, made: E, now: datetime) -> E:
    """A new one, queued unless it has a status. Raises Stopped."""
    made.status, made.created, made.updated = made.status or QUEUED, now.isoformat(), now.isoformat()
    files.create(getattr(files.tree, made.NOUN)(made.id), jsonl.dump(made.row()))
    return made


def read(files: Files, kind: type[E], id: str) -> E | None:
    """One by its id, None where there is none."""
    path = getattr(files.tree, kind.NOUN)(id)
    found = jsonl.read_object(files, path)
    if found is None:
        return None
    kinds = {key: type(value) for key, value in found.items()}
    if kinds != kind.kinds() or found["id"] != id or found["status"] not in STATUSES:
        raise FileDamaged(f"{files.tree.relative(path)}:1: not a {kind.NOUN}", "restore it, or move it away")
    return kind(**found)


def every(files: Files, kind: type[E], ids: Iterable[str], most: int | None = None) -> tuple[list[E], list[str]]:
    """(oldest first, what is wrong with those that cannot be read); `most`: only the newest."""
    good, damaged = list["E"](), list[str]()
    for id in sorted(ids)[-(most or 0) :]:
        try:
            good += [found] if (found := read(files, kind, id)) else []
        except FileDamaged as error:
            damaged.append(error.message)
    return good, damaged


def recover(files: Files, every: Iterable[E], now: datetime, most: int = TRIES) -> list[E]:
    """Puts back what dead runs have left running, or fails it after `most` tries; those. Under the run lock. Where the
    operator ended the run (PAUSED), that is no fault of the task, and no try."""
    left = [each for each in every if each.status == RUNNING]
    for each in left:
        note: dict[str, Any] = {}
        with suppress(FileDamaged):
            note = (jsonl.read_object(files, files.tree.run_file(each.run, "run.json")) if each.run else None) or {}
        by_hand = note.get("status") == "stopped"
        reason = f"the run {each.run} {'was stopped' if by_hand else 'ended'} before the {each.NOUN} did"
        put_back(files, each, now, reason, counts=not by_hand, most=most)
    return left


def waiting(every: Iterable[E]) -> list[E]:
    """Those that wait, in their order: one that was put back stands behind the others."""
    return sorted((each for each in every if each.status == QUEUED), key=lambda each: (each.updated, each.id))


def put_back(
    files: Files, each: Queued, now: datetime, reason: str, *, counts: bool = True, most: int = TRIES, **more: Any
) -> None:
    """Queued again, or failed after `most` tries; this try `counts` unless what failed was no fault of its own."""
    tries = each.tries if counts else max(0, each.tries - 1)
    change(files, each, now, status=QUEUED if tries < most else FAILED, tries=tries, reason=reason, **more)


def claim(files: Files, each: Queued, now: datetime, run: str, **more: Any) -> None:
    """Taken up by this run."""
    change(files, each, now, **{"status": RUNNING, "tries": each.tries + 1, "run": run, "reason": "", **more})


def change(files: Files, each: Queued, now: datetime, **changed: Any) -> None:
    """Only of what the file still holds: an edit by hand stands. Raises FileChanged, Stopped."""
    stands, path = read(files, type(each), each.id), getattr(files.tree, each.NOUN)(each.id)
    if stands is None or stands.row() != each.row():
        what = f"{files.tree.relative(path)} was changed or taken away meanwhile"
        raise FileChanged(what, "that stands; `adjutant job list` shows it")
    for key, value in {**changed, "updated": now.isoformat()}.items():
        setattr(each, key, value)
    files.replace(path, jsonl.dump(each.row()))


def make_input(source: str, config: Config, kb: str = "", title: str = "", redact: bool = False) -> dict[str, Any]:
    """The input of a job: a file or an address, and for notes where they go and what they are called."""
    return {"source": source, "kb": kb or config.text("jobs.kb"), "title": title, "redact": redact}


def file_job(files: Files, id: str, name: str, given: dict[str, Any], now: datetime, status: str = QUEUED) -> Job:
    """A new job; kept nowhere in a dry run."""
    made = Job(id=id, name=name, given=given, status=status, marker=os.urandom(8).hex())
    return made if files.dry else file(files, made, now)


def list_jobs(files: Files, most: int | None = None) -> tuple[list[Job], list[str]]:
    """As `every`, of all jobs."""
    return every(files, Job, files.names(files.tree.jobs), most)


def is_due(job: Job, now: datetime) -> bool:
    """Whether its pause after a failure is over."""
    return (moment(job.not_before) or now) <= now


def prune_results(files: Files, every: Iterable[Job], before: datetime) -> None:
    """Takes away the results of jobs that were over by then; the jobs themselves stay."""
    for job in every:
        if job.status in OVER and (moment(job.updated) or before) < before:
            for hash in list_results(files, job.id):
                files.remove(files.tree.job_result(job.id, hash))


def list_results(files: Files, id: str) -> list[str]:
    """The hashes of the inputs of a job's steps that are done."""
    names = files.names(files.tree.job_folder(id))
    return [name.removesuffix(RESULT) for name in names if name.endswith(RESULT)]


def count_results(files: Files, id: str) -> int:
    """How many steps of a job are done."""
    return len(list_results(files, id))


def read_result(files: Files, id: str, hash: str) -> bytes | None:
    """What a step came to with the input of this hash, None for not yet."""
    return files.find(files.tree.job_result(id, hash), MOST_RESULT)


def keep_result(files: Files, id: str, hash: str, data: bytes) -> None:
    """Keeps a step's result; the first one stands."""
    with suppress(FileExistsError):
        files.create(files.tree.job_result(id, hash), data)
