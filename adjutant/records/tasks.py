"""RECORDS. state/tasks/: what was delegated to a specialist, a file each: queued, running, done or failed.

Only the run that holds the run lock `delegation` takes tasks up. A task that it finds running was left so by a run that
is dead, and is queued again. On the way to `status`: nothing heavy is loaded here.
"""

from __future__ import annotations

import json

from adjutant.errors import FileChanged, FileDamaged
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from typing import Any

    from adjutant.store.files import Files

QUEUED, RUNNING, DONE, FAILED = STATUSES = ("queued", "running", "done", "failed")
TRIES = 3  # runs that take a task up and come to no answer
SHOWN = 100  # the newest, for `status`: what waits is never older than what is done
ONE_LINE = 60
_KEYS = ("id", "specialist", "task", "status", "created", "updated", "tries", "run", "answer", "reason")


class Task:
    """One task. `created`, `updated`: ISO-8601. `tries`: how often it was taken up; `run`: by which run last, "" for
    none. `answer` "" until it is done; `reason`: why it is queued again or failed, "" for neither.
    """

    __slots__ = _KEYS

    def __init__(
        self,
        id: str,
        specialist: str,
        task: str,
        status: str,
        created: str,
        updated: str,
        tries: int = 0,
        run: str = "",
        answer: str = "",
        reason: str = "",
    ) -> None:
        self.id, self.specialist, self.task, self.status = id, specialist, task, status
        self.created, self.updated, self.tries, self.run = created, updated, tries, run
        self.answer, self.reason = answer, reason

    def row(self) -> dict[str, Any]:
        """The task as its file has it."""
        return {key: getattr(self, key) for key in _KEYS}

    def brief(self) -> dict[str, Any]:
        """The task in one row of a list."""
        line = " ".join("".join(char if char.isprintable() else " " for char in self.task).split())
        return {
            "id": self.id,
            "specialist": self.specialist,
            "status": self.status,
            "task": line if len(line) <= ONE_LINE else f"{line[: ONE_LINE - 1]}…",
            "reason": self.reason or None,
        }


def file(files: Files, id: str, specialist: str, task: str, now: datetime) -> Task:
    """A new task in the queue; durable when this returns. Raises IoFailed, Stopped."""
    made = Task(id, specialist, task, QUEUED, now.isoformat(), now.isoformat())
    files.create(files.tree.task(id), _text(made))
    return made


def read(files: Files, id: str) -> Task | None:
    """A task by its id, None where there is none. Raises FileDamaged, IoFailed."""
    found = jsonl.read_object(files, files.tree.task(id))
    if found is None:
        return None
    texts = (value for key, value in found.items() if key != "tries")
    if (
        set(found) != set(_KEYS)
        or type(found["tries"]) is not int
        or not all(isinstance(each, str) for each in texts)
        or found["id"] != id
        or found["status"] not in STATUSES
    ):
        raise FileDamaged(f"{files.tree.relative(files.tree.task(id))}:1: not a task", "restore it, or move it away")
    return Task(**found)


def every(files: Files, most: int | None = None) -> tuple[list[Task], list[str]]:
    """(tasks oldest first, what is wrong with those that cannot be read); `most`: only the newest. Raises IoFailed."""
    ids = sorted(name.removesuffix(".json") for name in files.names(files.tree.tasks) if name.endswith(".json"))
    good, damaged = [], []
    for id in ids[-most:] if most else ids:
        try:
            found = read(files, id)
        except FileDamaged as error:
            damaged.append(error.message)
            continue
        if found is not None:
            good.append(found)
    return good, damaged


def recover(files: Files, now: datetime, stopped: Callable[[str], bool]) -> list[Task]:
    """Puts back what dead runs have left running, or fails it after TRIES; those tasks. Under the lock.

    `stopped` says of a run whether the operator ended it (PAUSED): that is no fault of the task, and no try.
    """
    files.sweep(files.tree.tasks, now.timestamp())
    left = [each for each in every(files)[0] if each.status == RUNNING]
    for each in left:
        by_hand = bool(each.run) and stopped(each.run)
        reason = f"the run {each.run} {'was stopped' if by_hand else 'ended'} before the task did"
        put_back(files, each, now, reason, counts=not by_hand)
    return left


def queue(every: Iterable[Task]) -> list[Task]:
    """Those that wait, in their order: one that was put back stands behind the others."""
    return sorted((each for each in every if each.status == QUEUED), key=lambda each: (each.updated, each.id))


def put_back(files: Files, task: Task, now: datetime, reason: str, *, counts: bool = True) -> None:
    """Queued again, or failed after TRIES, with the reason; this try `counts` unless what failed was no fault of the
    task. Raises FileChanged, IoFailed, Stopped."""
    tries = task.tries if counts else task.tries - 1
    _change(files, task, now, status=QUEUED if tries < TRIES else FAILED, tries=tries, reason=reason)


def claim(files: Files, task: Task, now: datetime, run: str) -> None:
    """Taken up by this run. Raises FileChanged, IoFailed, Stopped."""
    _change(files, task, now, status=RUNNING, tries=task.tries + 1, run=run, reason="")


def settle(files: Files, task: Task, now: datetime, *, answer: str = "", reason: str = "") -> None:
    """Done with its answer, or failed for good with a reason. Raises FileChanged, IoFailed, Stopped."""
    _change(files, task, now, status=FAILED if reason else DONE, answer=answer, reason=reason)


def _change(files: Files, task: Task, now: datetime, **changed: Any) -> None:
    """Only of what the file still holds: an edit by hand stands."""
    stands = read(files, task.id)
    if stands is None or stands.row() != task.row():
        raise FileChanged(
            f"{files.tree.relative(files.tree.task(task.id))} was changed or taken away meanwhile",
            "that stands; `adjutant delegate` shows it",
        )
    for key, value in {**changed, "updated": now.isoformat()}.items():
        setattr(task, key, value)
    files.replace(files.tree.task(task.id), _text(task))


def _text(task: Task) -> str:
    text = json.dumps(task.row(), ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:  # half surrogates are escaped, so that it is always valid UTF-8
        text = json.dumps(task.row(), indent=1)
    return text + "\n"
