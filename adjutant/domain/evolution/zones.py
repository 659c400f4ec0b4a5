"""DOMAIN. What a quiet zone may promise: nothing, where its rehearsal shows that all is raised as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjutant.domain.matters.relevance import Relevance
from adjutant.language.stems import stems
from adjutant.records import heart
from adjutant.records.finding import USELESS_NOTICES
from adjutant.records.suggestion import UNKNOWN, Change, Draft, Rehearsal
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    from adjutant.app import App

SHOWN = 80  # characters of an item of the heart


def effect(app: App, draft: Draft, change: Change | None, rehearsal: Rehearsal) -> str:
    """What should come of a draft: as it says, but for a zone that by its rehearsal changes nothing today."""
    if draft.cause != USELESS_NOTICES or change is None or rehearsal.method == UNKNOWN or rehearsal.total:
        return draft.effect
    named = named_by(change.after or "", draft.text)
    if not named:
        return "Today it changes nothing: what is open now is raised, or not, as before."
    part, text = named
    return (
        f'Today it changes nothing: the {part} "{clean_line(text, SHOWN)}" names it too, and what that asks for is '
        "still raised; change or take out one of the two."
    )


def named_by(text: str, zone: str) -> tuple[str, str] | None:
    """(part, text) of the first priority or concern of a heart that holds a word of the zone; None for none."""
    touch = Relevance(heart.parse(text), "").touched(stems(zone), frozenset())
    return (touch.part, touch.text) if touch is not None else None
