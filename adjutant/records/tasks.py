"""RECORDS. state/tasks/: what was delegated to a specialist, a file each. On the way to `status`, so nothing heavy.

Only the run that holds the run lock `delegation` takes tasks up.
"""

from __future__ import annotations

from adjutant.records import queue
from adjutant.records.queue import Queued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from adjutant.store.files import Files
    from adjutant.store.tree import Tree


class Task(Queued):
    """One task; `answer` "" until it is done."""

    __slots__ = ("answer", "specialist", "task")
    KEYS = ("id", "specialist", "task", "status", "created", "updated", "tries", "run", "answer", "reason")
    NOUN, VERB = "task", "delegate"
    specialist: str
    task: str
    answer: str

    @staticmethod
    def path(tree: Tree, id: str) -> str:
        """Its file."""
        return tree.task(id)

    def brief(self) -> dict[str, Any]:
        """The task in one row of a list."""
        return {
            "id": self.id,
            "specialist": self.specialist,
            "status": self.status,
            "task": queue.one_line(self.task),
            "reason": self.reason or None,
        }


def every(files: Files, most: int | None = None) -> tuple[list[Task], list[str]]:
    """(tasks oldest first, what is wrong with those that cannot be read); `most`: only the newest. Raises IoFailed."""
    ids = (name.removesuffix(".json") for name in files.names(files.tree.tasks) if name.endswith(".json"))
    return queue.every(files, Task, ids, most)
