"""JOBS. What a step is, what it is handed, and how one is worked wherever it was sent."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from adjutant.ports import Model, Transcriber

STEPS = {name: f"adjutant.jobs.steps.{name}" for name in ("copy", "fetch", "extract", "transcribe", "complete")}


WAITS = "waits"


class StepFailed(Exception):
    """A step came to no result. `again`: it may, later. `cause` is `unavailable` where something outside is missing,
    WAITS where nobody worked it, which is no try."""

    def __init__(self, reason: str, *, again: bool = False, cause: str = "") -> None:
        super().__init__(reason)
        self.reason, self.again, self.cause = reason, again, cause


class Outside(Protocol):
    """What a step may use of the machine it is worked on: no files of an instance. An App is one. `loopback`: whether
    the machine's own servers may be fetched from."""

    environment: Mapping[str, str]
    gate: Callable[[], None]
    model: Callable[..., Model | None]
    transcriber: Callable[[], Transcriber | None]

    @property
    def loopback(self) -> bool: ...


class StepCall(msgspec.Struct, frozen=True):
    """What is handed to whoever works it: the step's name, its input as JSON, and the hash of that, which is its id."""

    step: str
    input: bytes
    hash: str


class StepResult(msgspec.Struct, frozen=True):
    """What comes back under that hash: the output as JSON; or, with `output` empty, why not, as in StepFailed."""

    hash: str
    output: bytes = b""
    reason: str = ""
    again: bool = False
    cause: str = ""


class Engine(Protocol):
    """Who works steps. Each call is answered once, in any order; `calls` may be taken as slowly as they are worked."""

    def work(self, calls: Iterable[StepCall]) -> Iterator[StepResult]:
        """Raises Stopped."""
        ...


def load(name: str) -> Any:
    """The module of a step, in steps/. Raises KeyError for a name that is none.

    Its `Input` and `Output` are msgspec Structs; `work(given, outside)` makes one of the other and raises StepFailed,
    Stopped. LOOSE: fields of the input that do not change what comes of it, and so are no part of its hash. HERE: it is
    worked on the owner's machine alone.
    """
    return importlib.import_module(STEPS[name])


def hash_of(step: Any, given: Any) -> str:
    """sha256 of the step's name and of its input without what is loose in it."""
    kept = {key: value for key, value in msgspec.to_builtins(given).items() if key not in step.LOOSE}
    return hashlib.sha256(f"{step.NAME}\0".encode() + msgspec.json.encode(kept, order="sorted")).hexdigest()


def execute(call: StepCall, outside: Outside) -> StepResult:
    """Works one step on this machine. Raises Stopped."""
    try:
        step = load(call.step)
        made = step.work(msgspec.json.decode(call.input, type=step.Input), outside)
        return StepResult(call.hash, msgspec.json.encode(made))
    except StepFailed as failed:
        return StepResult(call.hash, b"", failed.reason, failed.again, failed.cause)


class Here:
    """The embedded engine: this process, one step after the other; PAUSED is looked at before each."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    def work(self, calls: Iterable[StepCall]) -> Iterator[StepResult]:
        """Raises Stopped."""
        for call in calls:
            self._outside.gate()
            yield execute(call, self._outside)
