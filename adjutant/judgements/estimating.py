"""OPINION. What a verb would ask: a route that counts each question, answers none, and sends nothing anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from adjutant.judgements.asking import Asker
from adjutant.judgements.calling import tokens_of
from adjutant.judgements.judgement import Judgement

if TYPE_CHECKING:
    from adjutant.app import App


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
