"""JOBS. Which module is the pipeline of a job. Each has four functions:

- `plan(app, given) -> [(step, what it would do)]`; raises UsageError, AdjutantError for an input that is none;
- `make(walk, given)`, what there is to apply; raises StepFailed, Stopped, AdjutantError. The same input must walk the
  same steps: it decides nothing by the clock, by chance or by the tree;
- `apply(app, job, made) -> outcome`, as JSON has it: the last, which alone writes the tree and may be done twice;
- `told(outcome) -> lines` of a finished job, for people.
"""

from __future__ import annotations

import importlib
from typing import Any

PIPELINES = {
    "ingest": "adjutant.jobs.ingest",
    "transcribe": "adjutant.jobs.transcribe",
    "summarise": "adjutant.jobs.reading",
    "content-review": "adjutant.jobs.reading",
}


def load(name: str) -> Any:
    """The module of a pipeline. Raises KeyError for a name that is none."""
    return importlib.import_module(PIPELINES[name])
