"""JOBS. complete: one question to the model, and its answer."""

from __future__ import annotations

from typing import Any

import msgspec

from adjutant.jobs.step import Outside, StepFailed
from adjutant.ports import ModelFailed, Prompt

NAME, LOOSE, HERE = "complete", ("max_tokens", "timeout"), False


class Input(msgspec.Struct, frozen=True):
    """As in ports.Prompt; `backend` is the route's name."""

    backend: str
    name: str
    system: str
    text: str
    schema: dict[str, Any] | None
    model: str
    temperature: float
    max_tokens: int
    timeout: float


class Output(msgspec.Struct, frozen=True):
    """As in ports.Reply."""

    text: str
    tokens_in: int
    tokens_out: int


def given(backend: str, prompt: Prompt) -> Input:
    """A question as the input of this step."""
    asked = (prompt.name, prompt.system, prompt.text, prompt.schema, prompt.model, prompt.temperature)
    return Input(backend, *asked, prompt.max_tokens, prompt.timeout)


def work(given: Input, outside: Outside) -> Output:
    """Raises StepFailed with the cause of ports.ModelFailed."""
    model = outside.model()
    if model is None or model.backend != given.backend:
        own = "none" if model is None else model.backend
        raise StepFailed(f"the question is for {given.backend}, and llm.backend is {own} here", cause="unreachable")
    fields = (given.name, given.system, given.text, given.schema, given.model, given.temperature)
    try:
        reply = model.complete(Prompt(*fields, given.max_tokens, given.timeout))
    except ModelFailed as failed:
        raise StepFailed(str(failed), again=True, cause=failed.cause) from None
    return Output(reply.text, reply.tokens_in, reply.tokens_out)
