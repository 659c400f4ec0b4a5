"""RECORDS. state/jobs/ID/: a job, and the result of each of its steps under the hash of the step's input.

A result is durable before the next step begins and is never written twice, so a job that was cut repeats no whole step.
On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

import os
from contextlib import suppress

from adjutant.clock import moment
from adjutant.records import queue
from adjutant.records.queue import Queued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from adjutant.store.config import Config
    from adjutant.store.files import Files

DELEGATE = "delegate"  # its tasks stand in a folder of their own
NAMES = ("ingest", "transcribe", "summarise", "content-review", DELEGATE)  # what is shipped
RESULT = ".result"
MOST_RESULT = 256 * 1024 * 1024
BACKOFF = (60, 600)  # seconds before a job is tried again: after its first failure, after later ones


class Job(Queued):
    """One job. `given`: its input and options, by name. `step`: the one under way, or that failed. `whole`: how many
    results it had when it was taken up last. `not_before`: ISO-8601, "" for at once. `marker`: of the fence around what
    a model is shown, the same in each run of the job. `outcome`: what its last step made, {} until it is done.
    """

    __slots__ = ("given", "marker", "name", "not_before", "outcome", "step", "whole")
    KEYS = (
        *("id", "name", "given", "status", "created", "updated", "tries", "run", "reason"),
        *("step", "whole", "not_before", "marker", "outcome"),
    )
    OTHER = {"tries": int, "whole": int, "given": dict, "outcome": dict}  # noqa: RUF012 - as in Queued
    NOUN = "job"
    name: str
    given: dict[str, Any]
    step: str
    whole: int
    not_before: str
    marker: str
    outcome: dict[str, Any]


def make_input(source: str, config: Config, kb: str = "", title: str = "", redact: bool = False) -> dict[str, Any]:
    """The input of a job: a file or an address, and for notes where they go and what they are called."""
    return {"source": source, "kb": kb or config.text("jobs.kb"), "title": title, "redact": redact}


def file(files: Files, id: str, name: str, given: dict[str, Any], now: datetime, status: str = queue.QUEUED) -> Job:
    """A new job; durable when this returns, but in a dry run. Raises IoFailed."""
    made = Job(id=id, name=name, given=given, status=status, marker=os.urandom(8).hex())
    return made if files.dry else queue.file(files, made, now)


def every(files: Files, most: int | None = None) -> tuple[list[Job], list[str]]:
    """(jobs oldest first, what is wrong with those that cannot be read); `most`: only the newest. Raises IoFailed."""
    return queue.every(files, Job, files.names(files.tree.jobs), most)


def is_due(job: Job, now: datetime) -> bool:
    """Whether its pause after a failure is over."""
    return (moment(job.not_before) or now) <= now


def prune(files: Files, every: Iterable[Job], before: datetime) -> None:
    """Takes away the results of jobs that were over by then; the jobs themselves stay. Raises IoFailed."""
    for job in every:
        if job.status in queue.OVER and (moment(job.updated) or before) < before:
            folder = files.tree.job_folder(job.id)
            for hash in (name.removesuffix(RESULT) for name in files.names(folder) if name.endswith(RESULT)):
                files.remove(files.tree.job_result(job.id, hash))


def results(files: Files, id: str) -> int:
    """How many steps of a job are done."""
    return sum(name.endswith(RESULT) for name in files.names(files.tree.job_folder(id)))


def result(files: Files, id: str, hash: str) -> bytes | None:
    """What a step came to with the input of this hash, None for not yet. Raises FileDamaged, IoFailed."""
    return files.find(files.tree.job_result(id, hash), MOST_RESULT)


def keep(files: Files, id: str, hash: str, data: bytes) -> None:
    """A step's result, durable when this returns; the first one stands. Raises IoFailed."""
    with suppress(FileExistsError):
        files.create(files.tree.job_result(id, hash), data)
