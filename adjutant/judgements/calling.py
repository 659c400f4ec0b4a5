"""OPINION. One call of a model: within the run's allowance, in time, its cost recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from adjutant.app import App
from adjutant.domain.telemetry import spans
from adjutant.judgements import recording
from adjutant.judgements.allowance import Allowance, AllowanceSpent
from adjutant.judgements.hearing import NoAnswer
from adjutant.judgements.recording import Recorded
from adjutant.ports import Converser, Dialogue, Model, ModelFailed, Prompt, Reply, Said
from adjutant.store.config import Config
from adjutant.store.settings import AGENTS, MODEL_TIERS

CHARS_PER_TOKEN = 4
SHORTEST_TIMEOUT = 0.05
BACKOFF_SECONDS = 10.0
T = TypeVar("T", Reply, Said)


class Caller:
    """Calls models for the questions of a run, and keeps their records."""

    def __init__(self, app: App, config: Config, allowance: Allowance) -> None:
        self._files, self._clock, self._gate = app.files, app.clock, app.gate
        self._config, self._allowance, self._spans = config, allowance, spans.share(app)

    def call(self, model: Model, asked: Prompt, record: Recorded, until: float | None = None) -> Reply:
        """One call within the caps, before `until`, its cost recorded. Raises NoAnswer, Stopped."""

        def put(granted: int, most: int | None) -> Reply:
            return model.complete(
                asked._replace(
                    system=self._files.blotter.text(asked.system),
                    text=self._files.blotter.text(asked.text),
                    max_tokens=granted,
                    timeout=self._patience(until),
                    limit=most,
                )
            )

        reply = self._within(asked, tokens_of(asked.system, asked.text), record, put)
        record.replies.append(reply.text[: recording.KEPT_REPLY])
        return reply

    def converse(self, model: Converser, asked: Dialogue, record: Recorded) -> Said:
        """The next turn of the assistant, likewise; keeping it on record is the caller's. Raises NoAnswer, Stopped."""

        def put(granted: int, most: int | None) -> Said:
            return model.converse(
                asked._replace(
                    system=self._files.blotter.text(asked.system),
                    messages=[each._replace(text=self._files.blotter.text(each.text)) for each in asked.messages],
                    max_tokens=granted,
                    timeout=self._patience(None),
                )
            )

        return self._within(asked, size_of(asked), record, put)

    def keep(self, record: Recorded, inputs: Any, result: Any, began: float) -> None:
        """Writes the record of a question that was asked at `began`. Raises FileDamaged, IoFailed."""
        record.ts, record.ms = self._clock.now().isoformat(), self._ms(began)
        record.inputs, record.result = msgspec.to_builtins(inputs), msgspec.to_builtins(result)
        recording.write(self._files, self._allowance.run, record)

    def _within(self, asked: Prompt | Dialogue, size: int, record: Recorded, put: Callable[[int, int | None], T]) -> T:
        """What `put` gives to a question of `size` tokens: it is handed what the caps leave for the reply, and for all
        that an agent may spend."""
        try:
            granted = self._allowance.admit(size, asked.max_tokens)
        except AllowanceSpent as spent:
            raise NoAnswer(spent.cause, spent.detail) from None
        cost, began = 0, self._clock.monotonic()
        try:
            self._gate()
            answer = self._put(asked, record, lambda: put(granted, self._allowance.most(size + granted)))
            cost = answer.tokens_in + answer.tokens_out
            record.tokens += cost
            self._note_use(asked, answer, began)
        finally:
            self._allowance.settle(size + granted, cost)
        if isinstance(answer, ModelFailed):
            raise NoAnswer(answer.cause, answer.detail)
        return answer

    def _put(self, asked: Prompt | Dialogue, record: Recorded, put: Callable[[], T]) -> T | ModelFailed:
        """The answer, or why there is none; a span tells which model it came from and what it cost."""
        about = spans.gen_ai(
            operation__name="chat",
            provider__name=AGENTS.get(record.backend, record.backend),
            request__model=asked.model or None,
        )
        with self._spans.span(f"chat {asked.model}".rstrip(), **about) as span:
            answer: T | ModelFailed
            try:
                answer = put()
                span.set(**spans.gen_ai(response__model=answer.model or None))
            except ModelFailed as failed:
                answer = failed
                self._allowance.degrade(failed.cause, failed.detail, for_good=failed.for_good)
                span.fail(failed.cause)
            span.set(**spans.gen_ai(usage__input_tokens=answer.tokens_in, usage__output_tokens=answer.tokens_out))
        return answer

    def _patience(self, until: float | None) -> float:
        """Seconds this call may take, every try of transport and the pauses between them included.

        Raises NoAnswer when the question's own time is used up.
        """
        tries = self._config.whole("llm.max_retries") + 1
        limits = [self._config.number("llm.timeout_seconds") * tries + BACKOFF_SECONDS, self._allowance.seconds_left()]
        if until is not None:
            limits.append(until - self._clock.monotonic())
            if limits[-1] < SHORTEST_TIMEOUT:
                raise NoAnswer("timeout", "no time was left to ask again")
        return max(SHORTEST_TIMEOUT, min(limits))

    def _note_use(self, asked: Prompt | Dialogue, answer: Reply | Said | ModelFailed, began: float) -> None:
        record: dict[str, Any] = {
            "ts": self._clock.now().isoformat(),
            "run": self._allowance.run,
            "judgement": asked.name,
            "model": asked.model,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "ms": self._ms(began),
        }
        if isinstance(answer, ModelFailed):
            record["failed"] = answer.cause
        self._allowance.spent.append((asked.model, answer.tokens_in, answer.tokens_out))
        self._files.append(self._files.tree.usage, record)

    def _ms(self, began: float) -> int:
        return round((self._clock.monotonic() - began) * 1000)


def tokens_of(*texts: str) -> int:
    """An estimate: four characters a token, rounded up."""
    return -(-sum(map(len, texts)) // CHARS_PER_TOKEN)


def size_of(asked: Dialogue) -> int:
    """The same of a talk, its calls and its tools."""
    said = (text for each in asked.messages for text in (each.text, *(call.raw for call in each.calls)))
    return tokens_of(asked.system, *said) + sum(tokens_of(str(tool)) for tool in asked.tools)


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
