"""DOMAIN. What rules suggest by themselves: what was said word for word in several sessions becomes a note.

All else that an analysis finds is told in words; a model that reads them drafts the change. A draft's `target` says
what it is about to whoever places it:

- promote: the layer (`user`, `tools`)               demote: the item (`user#fountain-pens`)
- prompt_edit: `heart`, `skill NAME`, `role NAME`    memory: the id of a note that goes, or that the text replaces
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjutant.domain.learning.suggestions import words
from adjutant.domain.memory.shelf import Shelf
from adjutant.language import agreement
from adjutant.records.finding import CORRECTION, Analysis, Finding
from adjutant.records.suggestion import MEMORY, Draft

if TYPE_CHECKING:
    from adjutant.records.note import Note
    from adjutant.store.files import Files

BEDROCK, TOPSOIL = "user", "tools"
HEART, SKILL, ROLE = "heart", "skill", "role"


def draft_all(files: Files, analysis: Analysis) -> list[Draft]:
    """The drafts of an analysis, none of them placed, in the order of its findings. Raises FileDamaged, IoFailed."""
    drafts = (_draft_correction(files, each) for each in analysis.findings if each.cause == CORRECTION)
    return [each for each in drafts if each is not None]


def _draft_correction(files: Files, found: Finding) -> Draft | None:
    """What the operator said again, as a note of his; it takes the place of one that says otherwise."""
    text = words.flatten(found.text)
    if not words.is_verbatim(text, found.evidence):
        return None
    title, effect = words.make_title("Remember: ", text), f"You have said so in {_sessions(found)}; a turn about it"
    if (old := find_contradicted(files, text)) is None:
        return _make(found, title, text, f"{effect} finds it from now on.")
    effect += f' finds it from now on; it takes the place of the note "{words.shorten(old.title, 60)}".'
    note = f"the older note {old.path} is hidden from then on, and comes back when this is reverted"
    return _make(found, title, text, effect, target=old.id, note=note)


def find_contradicted(files: Files, text: str) -> Note | None:
    """The live note that says otherwise what a sentence says, the newest of several. Raises FileDamaged, IoFailed."""
    live = (note for note in Shelf(files).all() if not note.superseded_by)
    against = (note for note in live if agreement.contradicts(text, note.body))
    return max(against, key=lambda note: note.id, default=None)


def _make(found: Finding, title: str, text: str, effect: str, *, target: str = "", note: str = "") -> Draft:
    """A note because of a finding, with its evidence and figures."""
    because = {name: getattr(found, name) for name in ("cause", "subject", "evidence", "figures", "workload", "weight")}
    return Draft(kind=MEMORY, title=title, text=text, effect=effect, target=target, note=note, **because)


def _sessions(found: Finding) -> str:
    count = round(found.figures.get("sessions", 0)) or len({quote.interaction for quote in found.evidence})
    return f"{count} session{'' if count == 1 else 's'}"
