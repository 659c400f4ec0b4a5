"""OPINION. What a verb would ask: a route that counts each question, answers none, and sends nothing anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from adjutant.judgements.asking import Asker
from adjutant.judgements.calling import size_of, tokens_of
from adjutant.judgements.judgement import Judgement
from adjutant.ports import Dialogue, Model, ModelFailed, Prompt, Reply, Said
from adjutant.records import usage
from adjutant.records.usage import UsageTotals
from adjutant.store.settings import AGENTS

if TYPE_CHECKING:
    from adjutant.app import App

NOBODY = "openai"  # as which a route counts where no model is configured yet


class Tally:
    """The questions that were counted. Safe to share by threads."""

    def __init__(self, prices: dict[str, dict[str, Any]]) -> None:
        self._prices = prices
        self._asked: list[tuple[Prompt | Dialogue, int]] = []

    def route(self, backend: str) -> Model:
        """What stands in for the route to a model."""
        return (Once if backend in AGENTS else Talker)(self, NOBODY if backend == "offline" else backend)

    def count(self, asked: Prompt | Dialogue, tokens: int) -> ModelFailed:
        """Notes a question; what its asker is to raise: the rules go on in the model's place."""
        self._asked.append((asked, tokens))
        return ModelFailed("limit", "an estimate: nobody was asked", for_good=False)

    @property
    def result(self) -> dict[str, Any]:
        """{calls, tokens (of the prompts), reply_tokens_max, by_judgement{name: {calls, tokens}}, money_max{}}."""
        by: dict[str, dict[str, int]] = {}
        for asked, tokens in self._asked:
            row = by.setdefault(asked.name, {"calls": 0, "tokens": 0})
            row["calls"] += 1
            row["tokens"] += tokens
        spent = self._spent()
        return {
            "calls": spent.calls,
            "tokens": spent.tokens_in,
            "reply_tokens_max": spent.tokens_out,
            "by_judgement": by,
            "money_max": {currency: round(cost, 6) for currency, cost in spent.money.items()},
        }

    @property
    def told(self) -> str:
        """The money, "" where no price is known."""
        return self._spent().told

    def _spent(self) -> UsageTotals:
        return usage.count(((asked.model, tokens, asked.max_tokens) for asked, tokens in self._asked), self._prices)


class Once:
    """A route that can be asked once."""

    def __init__(self, tally: Tally, backend: str) -> None:
        self._tally, self.backend = tally, backend

    def complete(self, prompt: Prompt) -> Reply:
        """Counts it. Raises ModelFailed."""
        raise self._tally.count(prompt, tokens_of(prompt.system, prompt.text))


class Talker(Once):
    """A route with tools."""

    def converse(self, dialogue: Dialogue) -> Said:
        """Counts it. Raises ModelFailed."""
        raise self._tally.count(dialogue, size_of(dialogue))


def estimate(
    app: App,
    planned: Iterable[tuple[str | None, Judgement[Any, Any], Any]],
    layers: Mapping[str, str],
) -> dict[str, Any]:
    """{calls, tokens, by_kb, by_layer, reply_tokens_max} of questions (KB or None, judgement, inputs); asks nothing.

    `tokens` are those of the prompts at four characters each; replies add at most `reply_tokens_max`. `by_kb` is each
    KB's share, `by_layer` what the lines of the operator's `layers` take up in all prompts. Raises as `prompt`.
    """
    asker = Asker(app)
    by_kb: dict[str, int] = {}
    by_layer = dict.fromkeys(layers, 0)
    calls = tokens = longest = 0
    for kb, judgement, inputs in planned:
        system, text = asker.prompt(judgement, inputs)
        cost = tokens_of(system, text)
        calls, tokens = calls + 1, tokens + cost
        longest += asker.settings(judgement)[1]
        if kb is not None:
            by_kb[kb] = by_kb.get(kb, 0) + cost
        for name, layer in layers.items():
            by_layer[name] += tokens_of(*(line for line in layer.split("\n") if line.strip() and line.strip() in text))
    return {"calls": calls, "tokens": tokens, "by_kb": by_kb, "by_layer": by_layer, "reply_tokens_max": longest}
