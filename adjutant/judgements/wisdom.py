"""OPINION. wisdom: which standing rules follow from what months and notes say, and which of the old ones go?"""

from typing import Any

from adjutant.domain.wisdom import deciding
from adjutant.domain.wisdom.book import DistillMatter, WisdomReply, handles
from adjutant.domain.wisdom.items import show
from adjutant.screening.fence import Fence

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "wisdom", "wisdom.md", "medium", 0.3, 4096
SHOWN_CHARS = 120_000
# What an answer costs: an item decided, of every third entry that goes; the frame. A batch of few items is decided
# without what speaks for them, a long one carelessly.
ITEM_TOKENS, ENTRY_TOKENS, FRAME_TOKENS = 70, 10, 200
FEWEST, MOST = 4, 24

Inputs, Result = DistillMatter, WisdomReply
check, rules = deciding.check, deciding.rules


def variables(inputs: DistillMatter, fence: Fence) -> dict[str, Any]:
    """For prompts/wisdom.md."""
    material = "\n---\n".join(show(item, handle).strip() for handle, item in handles(inputs.items, "i").items())
    entries = list[str]()
    for handle, each in handles(inputs.current, "e").items():
        marks = ", ".join(filter(None, (each.category, "stale" * each.stale)))
        title = f"{each.title}{' (pinned)' if each.pinned else ''}"
        entries.append(f"{handle}: **{title}**{f'  [{marks}]' if marks else ''}\n{each.text}")
    return {
        **{name: getattr(inputs, name) for name in ("day", "max_entries", "max_chars")},
        "categories": list(inputs.categories),
        "wisdom": fence.wrap("\n\n".join(entries) or "none yet", "identity/wisdom.md", limit=SHOWN_CHARS),
        "material": fence.wrap(material, "months and notes", limit=SHOWN_CHARS),
    }


def fitting(entries: int, longest: int) -> int:
    """How many items an answer of `longest` tokens can decide on beside so many entries."""
    return max(FEWEST, min(MOST, (longest - FRAME_TOKENS - ENTRY_TOKENS * entries) // ITEM_TOKENS))
