"""JOBS. What a job's pipeline is, and where each stands."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

from adjutant.records.jobs import Job

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.jobs.walk import Walk

PIPELINES = {
    "ingest": "adjutant.jobs.ingest",
    "transcribe": "adjutant.jobs.transcribe",
    "summarise": "adjutant.jobs.reading",
    "content-review": "adjutant.jobs.reading",
}


class Pipeline(Protocol):
    """A module: `plan` tells the steps, `make` walks them, and `apply`, the last, alone writes the tree.

    The same input must walk the same steps: `make` decides nothing by the clock, by chance or by the tree. `apply` may
    be done twice. `told`: a finished job for people.
    """

    def plan(self, app: App, given: dict[str, Any]) -> list[tuple[str, str]]:
        """(step, what it would do). Raises UsageError, AdjutantError for an input that is none."""
        ...

    def make(self, walk: Walk, given: dict[str, Any]) -> Any:
        """What there is to apply. Raises StepFailed, Stopped, AdjutantError."""
        ...

    def apply(self, app: App, job: Job, made: Any) -> dict[str, Any]:
        """The job's outcome, as JSON has it. Raises AdjutantError."""
        ...

    def told(self, outcome: dict[str, Any]) -> list[str]:
        """Lines."""
        ...


def load(name: str) -> Pipeline:
    """The module of a pipeline. Raises KeyError for a name that is none."""
    module: Any = importlib.import_module(PIPELINES[name])
    pipeline: Pipeline = module
    return pipeline
