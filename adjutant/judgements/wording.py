"""OPINION. Drafts in better words where a model has some; what they change, and on what grounds, stays the rules'."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from adjutant.domain.conversation.blots import Blots
from adjutant.domain.memory.gate import secret_in
from adjutant.judgements import evolve
from adjutant.judgements.asking import Asker
from adjutant.judgements.evolve import Drafted, Inputs, Wording
from adjutant.ports import TRUST
from adjutant.records.suggestion import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adjutant.app import App

MOST = 16  # drafts a model is shown, the first ones
QUOTES = 4  # of the operator's, a draft


def worded(app: App, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts in their order, some with another title, text or effect; nothing else of a draft ever differs.

    Asked once; without a model, or with one whose words do not hold, the drafts come back as they are, and
    `Asker.for_app(app)` tells why. A draft that holds a secret is shown to nobody. Raises Stopped, ConfigInvalid (a
    broken template of the instance), FileDamaged, IoFailed.
    """
    blots = Blots(app)
    shown = {f"d{number}": draft for number, draft in enumerate(drafts[:MOST]) if _clean(draft, blots)}
    if not shown:
        return list(drafts)
    inputs = Inputs([_drafted(key, draft, blots) for key, draft in shown.items()])
    words = {each.key: each for each in Asker.for_app(app).ask(evolve, inputs).result.wordings}
    return [_in(draft, words.get(f"d{number}")) for number, draft in enumerate(drafts)]


def _in(draft: Draft, words: Wording | None) -> Draft:
    if words is None:
        return draft
    return msgspec.structs.replace(
        draft, title=words.title or draft.title, text=words.text or draft.text, effect=words.effect or draft.effect
    )


def _drafted(key: str, draft: Draft, blots: Blots) -> Drafted:
    """The draft as a model may see it: of the quotes only the operator's own."""
    quotes = [
        quote.text for quote in draft.evidence if quote.trust == TRUST[0] and quote.text and _safe(quote.text, blots)
    ]
    return Drafted(
        key, draft.kind, draft.cause, draft.title, draft.text, draft.effect, list(dict.fromkeys(quotes))[:QUOTES]
    )


def _clean(draft: Draft, blots: Blots) -> bool:
    return all(_safe(text, blots) for text in (draft.title, draft.text, draft.effect))


def _safe(text: str, blots: Blots) -> bool:
    return blots.message(text)[0] == text and not secret_in(text)
