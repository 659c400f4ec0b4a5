"""OPINION. The calls of a run: each within what the run may spend - calls, seconds, tokens - its cost recorded."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from adjutant.app import App
from adjutant.domain.telemetry import spans
from adjutant.errors import AdjutantError
from adjutant.judgements import recording
from adjutant.judgements.hearing import NoAnswer
from adjutant.judgements.recording import KEPT_REPLY, Recorded
from adjutant.ports import Converser, Dialogue, Model, ModelFailed, Prompt, Reply, Said
from adjutant.records import usage
from adjutant.records.sections import tokens
from adjutant.store.config import Config
from adjutant.store.settings import AGENTS, MODEL_TIERS

SHORTEST_TIMEOUT = 0.05
BACKOFF_SECONDS = 10.0
T = TypeVar("T", Reply, Said)
Asked = Prompt | Dialogue
SHARED = "allowance"  # in app.shared
LEAST_REPLY = 256
CAUSES = ("cap", "timeout", "unreachable", "http", "malformed", "check", "layer", "limit")


class Allowance:
    """One run's calls, shared by its threads and steps. A token cap holds because a call is admitted with its worst
    case; the next waits for the true cost of those under way. `spent`: (model, tokens in, tokens out) of each call."""

    def __init__(self, app: App) -> None:
        self._files, self._config, self._clock, self.run = app.files, app.config, app.clock, app.run
        self._gate, self._spans = app.gate, spans.share(app)
        self._turn = threading.Condition()
        self._began = app.clock.monotonic()
        self._next: int | None = None
        self._held = self._calls = self._read = 0
        self._causes: set[str] = set()
        self.tokens = 0
        self.spent: list[tuple[str, int, int]] = []
        self.failure: str | None = None
        self.why = ""

    def call(self, model: Model, asked: Prompt, record: Recorded, until: float | None = None) -> Reply:
        """One call within the caps, before `until`, its cost recorded. Raises NoAnswer, Stopped."""
        size, clean = tokens(asked.system, asked.text), self._files.blotter.text
        asking = asked._replace(system=clean(asked.system), text=clean(asked.text))

        def put(granted: int) -> Reply:
            with self._turn:  # what this call may cost at most before the caps are reached
                room = self._room()
                most = None if room is None else max(0, room - self._held + size + granted)
            return model.complete(asking._replace(max_tokens=granted, limit=most, timeout=self._patience(until)))

        reply = self._within(asked, size, record, put)
        record.replies.append(reply.text[:KEPT_REPLY])
        return reply

    def converse(self, model: Converser, asked: Dialogue, record: Recorded) -> Said:
        """The next turn of the assistant, likewise; keeping it on record is the caller's. Raises NoAnswer, Stopped."""
        said = (text for each in asked.messages for text in (each.text, *(call.raw for call in each.calls)))
        size = tokens(asked.system, *said) + sum(tokens(str(tool)) for tool in asked.tools)
        clean = self._files.blotter.text
        cleaned = [each._replace(text=clean(each.text)) for each in asked.messages]
        asking = asked._replace(system=clean(asked.system), messages=cleaned)

        def put(granted: int) -> Said:
            return model.converse(asking._replace(max_tokens=granted, timeout=self._patience(None)))

        return self._within(asked, size, record, put)

    def keep(self, record: Recorded, inputs: Any, result: Any, began: float) -> None:
        record.ts, record.ms = self._clock.now().isoformat(), self._ms(began)
        record.inputs, record.result = msgspec.to_builtins(inputs), msgspec.to_builtins(result)
        recording.write(self._files, self.run, record)

    def _within(self, asked: Asked, size: int, record: Recorded, put: Callable[[int], T]) -> T:
        """What `put` gives to a question of `size` tokens: it is handed what the caps leave for the reply."""
        granted = self._admit(size, asked.max_tokens)
        cost, began = 0, self._clock.monotonic()
        try:
            self._gate()
            answer = self._put(asked, record, put, granted)
            cost = answer.tokens_in + answer.tokens_out
            record.tokens += cost
            self._note_use(asked, answer, began)
        finally:
            with self._turn:
                self._held -= size + granted
                self.tokens += cost
                self._turn.notify_all()
        if isinstance(answer, ModelFailed):
            raise NoAnswer(answer.cause, answer.detail)
        return answer

    def _put(self, asked: Asked, record: Recorded, put: Callable[[int], T], granted: int) -> T | ModelFailed:
        """The answer, or why there is none; a span tells which model it came from and what it cost."""
        provider, model = AGENTS.get(record.backend, record.backend), asked.model or None
        about = spans.gen_ai(operation__name="chat", provider__name=provider, request__model=model)
        with self._spans.span(f"chat {asked.model}".rstrip(), **about) as span:
            answer: T | ModelFailed
            try:
                answer = put(granted)
                span.set(**spans.gen_ai(response__model=answer.model or None))
            except ModelFailed as failed:
                answer = failed
                self.degrade(failed.cause, failed.detail, for_good=failed.for_good)
                span.fail(failed.cause)
            span.set(**spans.gen_ai(usage__input_tokens=answer.tokens_in, usage__output_tokens=answer.tokens_out))
        return answer

    def _patience(self, until: float | None) -> float:
        """Seconds this call may take, every try of transport and the pauses between them included. Raises NoAnswer."""
        tries = self._config.whole("llm.max_retries") + 1
        limits = [self._config.number("llm.timeout_seconds") * tries + BACKOFF_SECONDS, self._seconds_left()]
        if until is not None:
            limits.append(until - self._clock.monotonic())
            if limits[-1] < SHORTEST_TIMEOUT:
                raise NoAnswer("timeout", "no time was left to ask again")
        return max(SHORTEST_TIMEOUT, min(limits))

    def _note_use(self, asked: Asked, answer: Reply | Said | ModelFailed, began: float) -> None:
        self.spent.append((asked.model, answer.tokens_in, answer.tokens_out))
        used = {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out, "ms": self._ms(began)}
        record = {"ts": self._clock.now().isoformat(), "run": self.run, "judgement": asked.name, "model": asked.model}
        failed = {"failed": answer.cause} if isinstance(answer, ModelFailed) else {}
        self._files.append(self._files.tree.usage, {**record, **used, **failed})

    def _ms(self, began: float) -> int:
        return round((self._clock.monotonic() - began) * 1000)

    def reserve(self, count: int) -> int:
        """The first of `count` numbers in a row for records of this run; a fan-out takes all of its own before."""
        with self._turn:
            if self._next is None:
                known = recording.names(self._files, self.run)  # by their numbers
                self._next = int(known[-1].partition("-")[0]) + 1 if known else 1
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
        with self._turn:
            return ",".join(cause for cause in CAUSES if cause in self._causes) or None

    def _seconds_left(self) -> float:
        return self._config.number("limits.run_seconds") - (self._clock.monotonic() - self._began)

    def may_read(self, size: int) -> bool:
        """Takes `size` bytes out of limits.bytes_per_run; False when they or the time are used up. Raises Stopped."""
        self._gate()
        with self._turn:
            fits = self._read + size <= self._config.whole("limits.bytes_per_run") and self._seconds_left() > 0
            self._read += size if fits else 0
            return fits

    def _admit(self, prompt: int, reply: int) -> int:
        """Takes `prompt` + the returned tokens (at most `reply`) out of the caps. Raises NoAnswer."""
        with self._turn:
            while True:
                if self._calls >= self._config.whole("limits.model_calls_per_run"):
                    raise NoAnswer("limit", f"{self._calls} model calls, as many as limits.model_calls_per_run allows")
                if self._seconds_left() <= 0:
                    raise NoAnswer("limit", "limits.run_seconds are over")
                room = self._room()
                least = prompt + min(reply, LEAST_REPLY)
                if room is None or least <= room - self._held:
                    granted = reply if room is None else min(reply, room - self._held - prompt)
                    self._calls += 1
                    self._held += prompt + granted
                    return granted
                if not self._held or least > room:
                    raise NoAnswer("cap", f"llm.caps leave {max(0, room)} tokens, the question needs {least}")
                self._turn.wait(1.0)

    def _room(self) -> int | None:
        """Tokens the caps leave, calls under way not counted; None without caps."""
        run, day = (self._config.whole_or_none(f"llm.caps.tokens_per_{span}") for span in ("run", "day"))
        rooms = [run - self.tokens] if run is not None else []
        if day is not None:
            try:
                rooms.append(day - usage.today(self._files, self._clock, {}).tokens)
            except AdjutantError as error:
                raise NoAnswer("cap", f"llm.caps.tokens_per_day: {error.message}") from error  # unreadable is used up
        return min(rooms) if rooms else None


def share(app: App) -> Allowance:
    """The one of this run, which its steps share."""
    if SHARED not in app.shared:
        app.shared[SHARED] = Allowance(app)
    found: Allowance = app.shared[SHARED]
    return found


def model_name(config: Config, judgement: str, tier: str) -> str:
    """The model to ask: judgements.<name>.model (a tier or a name) before `tier`; an empty tier is the cheaper one."""
    wanted = config.judgements.get(judgement, {}).get("model") or tier
    if wanted not in MODEL_TIERS:
        return str(wanted)
    cheaper = reversed(MODEL_TIERS[: MODEL_TIERS.index(wanted) + 1])
    return next(filter(None, (config.text_or_none(f"llm.models.{each}") for each in cheaper)), "")
