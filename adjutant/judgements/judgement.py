"""OPINION. What a judgement is, and where each of them stands."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, TypeVar

from adjutant.screening.fence import Fence

# By string, MODULE:OBJECT or MODULE: for the module itself: a run loads the judgements it asks, no others.
_MODULES = "escalation synthesis answer classify compaction wisdom evolve behavior-review summarise"
JUDGEMENTS: dict[str, str] = {
    **{name: f"adjutant.judgements.{name.replace('-', '_')}:" for name in _MODULES.split(" ")},
    "pulse": "adjutant.judgements.seeing:PULSE",
    "brief": "adjutant.judgements.seeing:BRIEF",
    "content-review": "adjutant.judgements.summarise:ContentReview",
}

I = TypeVar("I", contravariant=True)  # noqa: E741 - the inputs; R is the result
R = TypeVar("R")


class Judgement(Protocol[I, R]):
    """What puts one question: its template (prompts/TEMPLATE), its types, its check and its own answer.

    `Inputs` and `Result` are msgspec Structs; all that check and rules need is in the inputs, so that a run can be
    replayed. `variables` passes every untrusted text through the fence. `check` gives the result without what does not
    hold, and notes of what was dropped; it raises ReplyRefused. `rules` is the answer without any model.
    """

    NAME: str
    TEMPLATE: str
    TIER: str
    TEMPERATURE: float
    MAX_TOKENS: int

    @property
    def Inputs(self) -> type[Any]: ...

    @property
    def Result(self) -> type[R]: ...

    def variables(self, inputs: I, fence: Fence) -> dict[str, Any]: ...

    def check(self, inputs: I, result: R) -> tuple[R, list[str]]: ...

    def rules(self, inputs: I) -> R: ...


def load(name: str) -> Judgement[Any, Any]:
    """A judgement by its name. Raises KeyError for a name that is none."""
    path, _, held = JUDGEMENTS[name].partition(":")
    module: Any = importlib.import_module(path)
    judgement: Judgement[Any, Any] = getattr(module, held) if held else module
    return judgement
