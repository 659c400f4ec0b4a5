"""DOMAIN. state/events.jsonl: one span a step, judgement, turn, retrieval and notice, in OpenTelemetry's data model.

Spans are kept while a verb runs and written in one append when it ends: no run waits for them, or fails by them.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from adjutant.app import App
    from adjutant.clock import Clock

    Value = str | int | float | bool | None

SHARED = "spans"
MAX_BYTES = 32 * 1024 * 1024  # of the log; then its older half goes
MOST = 2000  # spans of one run
NS = 1_000_000_000
OK, ERROR = "OK", "ERROR"


class OpenSpan:
    """Something under way. `set` adds attributes: strings, numbers and booleans; None is left out."""

    def __init__(self, name: str, parent: str | None, start: int) -> None:
        self.name, self.parent, self.start = name, parent, start
        self.id = os.urandom(8).hex()
        self.status, self.message = OK, ""
        self.attributes: dict[str, Any] = {}

    def set(self, **attributes: Value) -> None:
        self.attributes.update((name, value) for name, value in attributes.items() if value is not None)

    def fail(self, message: str) -> None:
        """It came to no good end; `message` in a few words, without what anybody wrote."""
        self.status, self.message = ERROR, message

    def record(self, trace: str, end: int, more: dict[str, Any]) -> dict[str, Any]:
        about = {"trace_id": trace, "span_id": self.id, "parent": self.parent, "name": self.name, "start": self.start}
        status = {"code": self.status} | ({"message": self.message} if self.message else {})
        return {**about, "end": end, "attributes": {**more, **self.attributes}, "status": status}


class Spans:
    """The spans of one run. Safe to share by threads: one of a worker thread hangs below the run's step."""

    def __init__(self, clock: Clock, run: str, *, dry_run: bool) -> None:
        import threading  # not on the way to `status`, which knows of notices and so of this module

        self._clock, self._run, self._dry_run = clock, run, dry_run
        self.trace = os.urandom(16).hex()
        self._zero = round(clock.now().timestamp() * NS), clock.monotonic()
        self._own = threading.local()
        self._guard = threading.Lock()
        self._step: str | None = None
        self._done: list[tuple[OpenSpan, int]] = []

    @contextmanager
    def span(self, name: str, *, step: bool = False, **attributes: Value) -> Iterator[OpenSpan]:
        """A span around what is done within; what is raised there ends it as an error, by the exception's kind."""
        stack: list[str] = self._own.__dict__.setdefault("stack", [])
        made = OpenSpan(name, stack[-1] if stack else self._step, self._now())
        made.set(**attributes)
        stack.append(made.id)
        if step:
            self._step = made.id
        try:
            yield made
        except BaseException as error:
            made.fail(getattr(error, "code", type(error).__name__))
            raise
        finally:
            stack.pop()
            if step:
                self._step = None
            with self._guard:
                if len(self._done) < MOST:
                    self._done.append((made, self._now()))

    def _now(self) -> int:
        wall, began = self._zero
        return wall + round((self._clock.monotonic() - began) * NS)

    def take(self, contract: tuple[int, str] | None) -> list[dict[str, Any]]:
        """The lines of all that ended since the last time. `contract`: version and hash, None for a damaged one."""
        more: dict[str, Any] = {"run": self._run, "behavior_contract_hash": contract[1] if contract else "damaged"}
        if contract:
            more["behavior_contract_version"] = contract[0]
        if self._dry_run:
            more["dry_run"] = True
        with self._guard:
            done, self._done = self._done, []
        return [span.record(self.trace, end, more) for span, end in done]


def gen_ai(**known: str | int | None) -> dict[str, Any]:
    """Attributes by OpenTelemetry's names for generative AI: `usage__input_tokens=3` is `gen_ai.usage.input_tokens`."""
    return {f"gen_ai.{name.replace('__', '.')}": value for name, value in known.items()}


def share(app: App) -> Spans:
    """The spans of this run."""
    if SHARED not in app.shared:
        app.shared[SHARED] = Spans(app.clock, app.run, dry_run=app.dry_run)
    found: Spans = app.shared[SHARED]
    return found


def forget(app: App) -> None:
    """Nothing of what this run did so far is written: it only showed something."""
    app.shared.pop(SHARED, None)


def flush(app: App, *, failed: bool = False) -> None:
    """Writes what has ended so far, and sends it to a collector where one is configured: not in a dry run, which
    contacts nobody but the model, nor once PAUSED has appeared. A disk or a server that refuses is said, but for a disk
    where the run has `failed`, which says what there is to say."""
    from adjutant.errors import AdjutantError, Stopped  # only where something is written
    from adjutant.records import behavior_history  # as above

    found: Spans | None = app.shared.get(SHARED)
    if found is None:
        return
    contract: tuple[int, str] | None = None
    with suppress(AdjutantError, OSError):
        held = behavior_history.read_contract(app.files)
        contract = held.version, held.hash
    if not (lines := found.take(contract)):
        return
    try:
        app.files.append_all(app.tree.events, lines)
        app.files.cap(app.tree.events, MAX_BYTES)
    except Stopped:
        return
    except (AdjutantError, OSError) as error:
        if not failed:
            app.say(f"events.jsonl: {error}")
    try:
        if not app.dry_run:
            app.gate()
            if (export := app.exporter()) is not None:
                export(lines)
    except Stopped:
        return
    except AdjutantError as error:
        app.say(f"{error.message} ({error.fix})")
