"""OPINION. What a run may still spend - calls, seconds, tokens - and what its threads and steps know in common."""

from __future__ import annotations

import threading

from adjutant.app import App
from adjutant.clock import Clock
from adjutant.errors import AdjutantError
from adjutant.judgements import recording
from adjutant.records import usage
from adjutant.store.config import Config
from adjutant.store.files import Files

SHARED = "allowance"  # in app.shared
LEAST_REPLY = 256
CAUSES = ("cap", "timeout", "unreachable", "http", "malformed", "check", "layer", "limit")


class AllowanceSpent(Exception):
    """Nothing may be asked any more; `cause` is `cap` or `limit`."""

    def __init__(self, cause: str, detail: str) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail


class Allowance:
    """One run's state, shared by its threads and by the steps of its verb.

    A token cap holds because a call is admitted with its worst case: the prompt as estimated and the longest reply,
    which is shortened to what the cap leaves. Where calls under way hold the rest, the next waits for their true cost.
    Only calls of other processes that are under way in the same moment are not seen; their lines in usage.jsonl are.
    `spent`: (model, tokens in, tokens out) of each call; money is counted from it.
    """

    def __init__(self, files: Files, config: Config, clock: Clock, run: str) -> None:
        self._files, self._config, self._clock, self.run = files, config, clock, run
        self._turn = threading.Condition()
        self._began = clock.monotonic()
        self._next: int | None = None
        self._held = self._calls = self._read = 0
        self._causes: set[str] = set()
        self.tokens = 0
        self.spent: list[tuple[str, int, int]] = []
        self.failure: str | None = None
        self.why = ""

    def reserve(self, count: int) -> int:
        """The first of `count` numbers in a row for records of this run."""
        with self._turn:
            if self._next is None:
                self._next = recording.last_number(self._files, self.run) + 1
            first, self._next = self._next, self._next + count
            return first

    def degrade(self, cause: str, why: str = "", *, for_good: bool = False) -> None:
        """Notes that rules stood in, with `for_good` for the rest of the run too; the first `why` is the one kept."""
        assert cause in CAUSES, cause
        with self._turn:
            self._causes.add(cause)
            self.why = self.why or why
            if for_good and self.failure is None:
                self.failure = cause

    @property
    def degraded(self) -> str | None:
        """The causes so far in their fixed order, comma-joined; None when no rule-based answer stood in."""
        with self._turn:
            return ",".join(cause for cause in CAUSES if cause in self._causes) or None

    def seconds_left(self) -> float:
        """Of limits.run_seconds."""
        return self._config.number("limits.run_seconds") - (self._clock.monotonic() - self._began)

    def admit_bytes(self, size: int) -> bool:
        """Takes `size` bytes out of limits.bytes_per_run; False when they, or limits.run_seconds, are used up."""
        with self._turn:
            fits = self._read + size <= self._config.whole("limits.bytes_per_run") and self.seconds_left() > 0
            self._read += size if fits else 0
            return fits

    def admit(self, prompt: int, reply: int) -> int:
        """Takes `prompt` + the returned tokens (at most `reply`) out of the caps until `settle`. Raises Spent."""
        with self._turn:
            while True:
                if self._calls >= self._config.whole("limits.model_calls_per_run"):
                    raise AllowanceSpent(
                        "limit", f"{self._calls} model calls, as many as limits.model_calls_per_run allows"
                    )
                if self.seconds_left() <= 0:
                    raise AllowanceSpent("limit", "limits.run_seconds are over")
                room = self._room()
                least = prompt + min(reply, LEAST_REPLY)
                if room is None or least <= room - self._held:
                    granted = reply if room is None else min(reply, room - self._held - prompt)
                    self._calls += 1
                    self._held += prompt + granted
                    return granted
                if not self._held or least > room:
                    raise AllowanceSpent("cap", f"llm.caps leave {max(0, room)} tokens, the question needs {least}")
                self._turn.wait(1.0)

    def most(self, held: int) -> int | None:
        """What a call that holds `held` tokens may cost at most before the caps are reached; None without caps."""
        with self._turn:
            room = self._room()
            return None if room is None else max(0, room - self._held + held)

    def settle(self, held: int, spent: int) -> None:
        """Gives back what `admit` held, and counts what the call did cost."""
        with self._turn:
            self._held -= held
            self.tokens += spent
            self._turn.notify_all()

    def _room(self) -> int | None:
        """Tokens the caps leave, calls under way not counted; None without caps."""
        rooms = []
        run = self._config.whole_or_none("llm.caps.tokens_per_run")
        day = self._config.whole_or_none("llm.caps.tokens_per_day")
        if run is not None:
            rooms.append(run - self.tokens)
        if day is not None:
            try:
                rooms.append(day - usage.today(self._files, self._clock, {}).tokens)
            except AdjutantError as error:
                raise AllowanceSpent(
                    "cap", f"llm.caps.tokens_per_day: {error.message}"
                ) from error  # unreadable is used up
        return min(rooms) if rooms else None


def share(app: App) -> Allowance:
    """The one of this run, which its steps share."""
    if SHARED not in app.shared:
        app.shared[SHARED] = Allowance(app.files, app.config, app.clock, app.run)
    found: Allowance = app.shared[SHARED]
    return found
