"""DOMAIN. What a quiet zone may promise: nothing, where its rehearsal shows that all is raised as before."""

from __future__ import annotations

from adjutant.records.finding import USELESS_NOTICES
from adjutant.records.suggestion import UNKNOWN, Change, Draft, Rehearsal


def effect(draft: Draft, change: Change | None, rehearsal: Rehearsal) -> str:
    """What should come of a draft: as it says, but for a zone that by its rehearsal changes nothing today."""
    if draft.cause != USELESS_NOTICES or change is None or rehearsal.method == UNKNOWN or rehearsal.total:
        return draft.effect
    return "Today it changes nothing: what is open now is raised, or not, as before."
