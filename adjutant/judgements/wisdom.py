"""OPINION. wisdom: which standing rules follow from what months and notes say, and which of the old ones go?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjutant.domain.wisdom import deciding, merging
from adjutant.domain.wisdom.deciding import Matter, Refused, Standing
from adjutant.domain.wisdom.items import shown
from adjutant.judgements.calling import tokens_of
from adjutant.judgements.hearing import CheckFailed
from adjutant.screening.fence import Fence

NAME = "wisdom"
TEMPLATE = "wisdom.md"
TIER = "medium"
TEMPERATURE = 0.3
MAX_TOKENS = 4096
SHOWN_CHARS = 120_000
# What an answer costs: an item decided (its id, an entry's title, a reason) and, of every third, a new entry; an entry
# that stays; the frame. A batch of few items is decided without what speaks for them, a long one carelessly.
ITEM_TOKENS, ENTRY_TOKENS, FRAME_TOKENS = 110, 25, 200
FEWEST, MOST = 4, 24

Inputs: type[Matter] = Matter
Result: type[deciding.Result] = deciding.Result


def variables(inputs: Matter, fence: Fence) -> dict[str, Any]:
    """For prompts/wisdom.md."""
    material = "\n---\n".join(shown(item).strip() for item in inputs.items)
    entries = "\n\n".join(map(_entry, inputs.current)) or "none yet"
    return {
        "day": inputs.day,
        "max_entries": inputs.max_entries,
        "max_chars": inputs.max_chars,
        "categories": list(inputs.categories),
        "wisdom": fence.wrap(entries, "identity/wisdom.md", limit=SHOWN_CHARS),
        "material": fence.wrap(material, "months and notes", limit=SHOWN_CHARS),
    }


def check(inputs: Matter, result: deciding.Result) -> tuple[deciding.Result, list[str]]:
    """As `deciding.check`. Raises CheckFailed."""
    try:
        return deciding.check(inputs, result)
    except Refused as refused:
        raise CheckFailed(refused.reason) from None


def rules(inputs: Matter) -> deciding.Result:
    """What the rules decide."""
    return merging.rules(inputs)


def fitting(current: Sequence[Standing], longest: int) -> int:
    """How many items an answer of `longest` tokens can decide on beside these entries."""
    stand = sum(ENTRY_TOKENS + tokens_of(each.title) for each in current)
    return max(FEWEST, min(MOST, (longest - FRAME_TOKENS - stand) // ITEM_TOKENS))


def _entry(each: Standing) -> str:
    marks = [each.category] if each.category else []
    marks += ["stale"] if each.stale else []
    told = f"  [{', '.join(marks)}]" if marks else ""
    return f"**{each.title}{' (pinned)' if each.pinned else ''}**{told}\n{each.text}"
