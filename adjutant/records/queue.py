"""RECORDS. What waits to be worked, a file each: taken up by one run at a time, put back, settled. Tasks and jobs are.

What a run finds running under its run lock was left so by a run that is dead, and is queued again. On the way to
`status`: nothing heavy is loaded here.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod

from adjutant.errors import FileChanged, FileDamaged
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from typing import Any, TypeVar

    from adjutant.store.files import Files
    from adjutant.store.tree import Tree

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


class Queued(ABC):
    """One of them. `created`, `updated`: ISO-8601. `tries`: how often it was taken up; `run`: by which run last, "" for
    none. `reason`: why it is queued again or failed, "" for neither.

    KEYS: what its file holds, in order; OTHER: the kinds of those that are no text; NOUN and VERB: how people call it.
    """

    __slots__ = ("created", "id", "reason", "run", "status", "tries", "updated")
    KEYS: tuple[str, ...] = ()
    OTHER: dict[str, type] = {"tries": int}  # noqa: RUF012 - a constant; ClassVar would load typing
    NOUN = VERB = ""
    id: str
    status: str
    created: str
    updated: str
    tries: int
    run: str
    reason: str

    def __init__(self, **values: Any) -> None:
        for key in self.KEYS:
            setattr(self, key, values.get(key, self.OTHER.get(key, str)()))

    @staticmethod
    @abstractmethod
    def path(tree: Tree, id: str) -> str:
        """Its file."""

    def row(self) -> dict[str, Any]:
        """What its file holds."""
        return {key: getattr(self, key) for key in self.KEYS}


def one_line(text: str) -> str:
    """A text's beginning, for a list."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= ONE_LINE else f"{line[: ONE_LINE - 1]}…"


def file(files: Files, made: E, now: datetime) -> E:
    """A new one, queued unless it has a status; durable when this returns. Raises IoFailed, Stopped."""
    made.status, made.created, made.updated = made.status or QUEUED, now.isoformat(), now.isoformat()
    files.create(made.path(files.tree, made.id), _text(made))
    return made


def read(files: Files, kind: type[E], id: str) -> E | None:
    """One by its id, None where there is none. Raises FileDamaged, IoFailed."""
    path = kind.path(files.tree, id)
    found = jsonl.read_object(files, path)
    if found is None:
        return None
    if (
        set(found) != set(kind.KEYS)
        or not all(type(value) is kind.OTHER.get(key, str) for key, value in found.items())
        or found["id"] != id
        or found["status"] not in STATUSES
    ):
        raise FileDamaged(f"{files.tree.relative(path)}:1: not a {kind.NOUN}", "restore it, or move it away")
    return kind(**found)


def every(files: Files, kind: type[E], ids: Iterable[str], most: int | None = None) -> tuple[list[E], list[str]]:
    """(oldest first, what is wrong with those that cannot be read); `most`: only the newest. Raises IoFailed."""
    good: list[E] = []
    damaged = []
    ids = sorted(ids)
    for id in ids[-most:] if most else ids:
        try:
            found = read(files, kind, id)
        except FileDamaged as error:
            damaged.append(error.message)
            continue
        if found is not None:
            good.append(found)
    return good, damaged


def recover(
    files: Files, every: Iterable[E], now: datetime, stopped: Callable[[str], bool], most: int = TRIES
) -> list[E]:
    """Puts back what dead runs have left running, or fails it after `most` tries; those. Under the run lock.

    `stopped` says of a run whether the operator ended it (PAUSED): that is no fault of the task, and no try.
    """
    left = [each for each in every if each.status == RUNNING]
    for each in left:
        by_hand = bool(each.run) and stopped(each.run)
        reason = f"the run {each.run} {'was stopped' if by_hand else 'ended'} before the {each.NOUN} did"
        put_back(files, each, now, reason, counts=not by_hand, most=most)
    return left


def waiting(every: Iterable[E]) -> list[E]:
    """Those that wait, in their order: one that was put back stands behind the others."""
    return sorted((each for each in every if each.status == QUEUED), key=lambda each: (each.updated, each.id))


def put_back(
    files: Files, each: Queued, now: datetime, reason: str, *, counts: bool = True, most: int = TRIES, **more: Any
) -> None:
    """Queued again, or failed after `most` tries, with the reason; this try `counts` unless what failed was no fault of
    its own. Raises FileChanged, IoFailed, Stopped."""
    tries = each.tries if counts else max(0, each.tries - 1)
    change(files, each, now, status=QUEUED if tries < most else FAILED, tries=tries, reason=reason, **more)


def claim(files: Files, each: Queued, now: datetime, run: str, **more: Any) -> None:
    """Taken up by this run. Raises FileChanged, IoFailed, Stopped."""
    change(files, each, now, **{"status": RUNNING, "tries": each.tries + 1, "run": run, "reason": "", **more})


def change(files: Files, each: Queued, now: datetime, **changed: Any) -> None:
    """Only of what the file still holds: an edit by hand stands. Raises FileChanged, IoFailed, Stopped."""
    stands = read(files, type(each), each.id)
    path = each.path(files.tree, each.id)
    if stands is None or stands.row() != each.row():
        raise FileChanged(
            f"{files.tree.relative(path)} was changed or taken away meanwhile",
            f"that stands; `adjutant {each.VERB}` shows it",
        )
    for key, value in {**changed, "updated": now.isoformat()}.items():
        setattr(each, key, value)
    files.replace(path, _text(each))


def _text(each: Queued) -> str:
    text = json.dumps(each.row(), ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:  # half surrogates are escaped, so that it is always valid UTF-8
        text = json.dumps(each.row(), indent=1)
    return text + "\n"
