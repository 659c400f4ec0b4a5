"""OPINION. One call of a model: within the run's allowance, in time, its cost recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjutant.clock import Clock
from adjutant.judgements import recording
from adjutant.judgements.allowance import Allowance, Spent
from adjutant.ports import Folder, Model, ModelFailed, Prompt, Reply
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.settings import AGENTS, MODEL_TIERS

CHARS_PER_TOKEN = 4
SHORTEST_TIMEOUT = 0.05
BACKOFF_SECONDS = 10.0


class NoAnswer(Exception):
    """The model gives none: rules stand in, for this `cause`. `by_reply`: it did reply, but with nothing usable."""

    def __init__(self, cause: str, detail: str, *, by_reply: bool = False) -> None:
        super().__init__(detail)
        self.cause, self.detail, self.by_reply = cause, detail, by_reply


class Case:
    """One question under way: what goes into its record."""

    def __init__(
        self, number: int, model_name: str | None, backend: str, until: float | None, reads: Folder | None = None,
    ) -> None:
        """`reads` counts for agents alone: other routes have no eyes."""
        self.number, self.model, self.backend, self.until = number, model_name, backend, until
        self.reads = reads if backend in AGENTS else None
        self.prompt: Prompt | None = None
        self.replies: list[str] = []
        self.notes: list[str] = []
        self.error: str | None = None
        self.degraded: str | None = None
        self.ended: str | None = None
        self.tokens = 0


class Caller:
    """Calls models for the questions of a run."""

    def __init__(
        self, files: Files, config: Config, clock: Clock, gate: Callable[[], None], allowance: Allowance,
    ) -> None:
        self._files, self._config, self._clock, self._gate = files, config, clock, gate
        self._allowance = allowance

    def call(self, model: Model, asked: Prompt, case: Case) -> Reply:
        """One call within the caps, its cost recorded. Raises NoAnswer, Stopped."""
        size = tokens_of(asked.system, asked.text)
        try:
            granted = self._allowance.admit(size, asked.max_tokens)
        except Spent as spent:
            raise NoAnswer(spent.cause, spent.detail) from None
        cost, began = 0, self._clock.monotonic()
        try:
            prompt = Prompt(
                asked.name, asked.system, asked.text, schema=asked.schema, model=asked.model,
                temperature=asked.temperature, max_tokens=granted, timeout=self._patience(case), reads=asked.reads,
                limit=self._allowance.most(size + granted),
            )
            self._gate()
            try:
                reply = model.complete(prompt)
            except ModelFailed as failed:
                self._allowance.degrade(failed.cause, failed.detail, for_good=failed.for_good)
                cost = failed.tokens_in + failed.tokens_out
                case.tokens += cost
                self._used(prompt, failed.tokens_in, failed.tokens_out, began, failed=failed.cause)
                raise NoAnswer(failed.cause, failed.detail) from None
            case.replies.append(reply.text[: recording.KEPT_REPLY])
            cost = reply.tokens_in + reply.tokens_out
            case.tokens += cost
            self._used(prompt, reply.tokens_in, reply.tokens_out, began)
            return reply
        finally:
            self._allowance.settle(size + granted, cost)

    def _patience(self, case: Case) -> float:
        """Seconds this call may take, every try of transport and the pauses between them included.

        Raises NoAnswer when the question's own time is used up.
        """
        tries = self._config.whole("llm.max_retries") + 1
        limits = [self._config.number("llm.timeout_seconds") * tries + BACKOFF_SECONDS, self._allowance.seconds_left()]
        if case.until is not None:
            limits.append(case.until - self._clock.monotonic())
            if limits[-1] < SHORTEST_TIMEOUT:
                raise NoAnswer("timeout", "no time was left to ask again")
        return max(SHORTEST_TIMEOUT, min(limits))

    def _used(self, prompt: Prompt, tokens_in: int, tokens_out: int, began: float, failed: str | None = None) -> None:
        record: dict[str, Any] = {
            "ts": self._clock.now().isoformat(), "run": self._allowance.run, "judgement": prompt.name,
            "model": prompt.model, "tokens_in": tokens_in, "tokens_out": tokens_out, "ms": self._ms(began),
        }
        self._files.append(self._files.tree.usage, record if failed is None else {**record, "failed": failed})

    def _ms(self, began: float) -> int:
        return round((self._clock.monotonic() - began) * 1000)


def tokens_of(*texts: str) -> int:
    """An estimate: four characters a token, rounded up."""
    return -(-sum(map(len, texts)) // CHARS_PER_TOKEN)


def model_name(config: Config, judgement: str, tier: str) -> str:
    """The model to ask: judgements.<name>.model (a tier or a name) before `tier`; an empty tier is the cheaper one."""
    wanted = config.judgements.get(judgement, {}).get("model") or tier
    if wanted not in MODEL_TIERS:
        return str(wanted)
    for cheaper in reversed(MODEL_TIERS[: MODEL_TIERS.index(wanted) + 1]):
        name = config.text_or_none(f"llm.models.{cheaper}")
        if name is not None:
            return name
    return ""
