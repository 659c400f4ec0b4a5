"""OPINION. What a judgement is, and where each of them stands."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, TypeVar

from adjutant.screening.fence import Fence

# By string: a run loads the judgements it asks, no others.
JUDGEMENTS: dict[str, str] = {
    name: f"adjutant.judgements.{name.replace('-', '_')}"
    for name in (
        "pulse",
        "brief",
        "triage",
        "escalation",
        "synthesis",
        "answer",
        "classify",
        "compaction",
        "wisdom",
        "evolve",
        "behavior-review",
    )
}

I = TypeVar("I", contravariant=True)  # noqa: E741 - the inputs; R is the result
R = TypeVar("R")


class Judgement(Protocol[I, R]):
    """A module that puts one question: its template (prompts/TEMPLATE), its types, its check and its own answer.

    `Inputs` and `Result` are msgspec Structs; all that check and rules need is in the inputs, so that a run can be
    replayed. `variables` passes every untrusted text through the fence.
    """

    @property
    def NAME(self) -> str:
        """As in config, records and usage."""
        ...

    @property
    def TEMPLATE(self) -> str:
        """File name of the prompt template."""
        ...

    @property
    def TIER(self) -> str:
        """cheap, medium or expensive."""
        ...

    @property
    def TEMPERATURE(self) -> float:
        """0 to 2."""
        ...

    @property
    def MAX_TOKENS(self) -> int:
        """Of the reply."""
        ...

    @property
    def Inputs(self) -> type[Any]:
        """The type of the inputs."""
        ...

    @property
    def Result(self) -> type[R]:
        """The type of the result."""
        ...

    def variables(self, inputs: I, fence: Fence) -> dict[str, Any]:
        """What the template gets."""
        ...

    def check(self, inputs: I, result: R) -> tuple[R, list[str]]:
        """The result without what does not hold, and notes of what was dropped. Raises CheckFailed."""
        ...

    def rules(self, inputs: I) -> R:
        """The answer without any model."""
        ...


def load(name: str) -> Judgement[Any, Any]:
    """The module of a judgement. Raises KeyError for a name that is none."""
    module: Any = importlib.import_module(JUDGEMENTS[name])
    judgement: Judgement[Any, Any] = module
    return judgement
