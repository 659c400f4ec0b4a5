"""DOMAIN. What an analysis leads to: a draft for each finding that asks for a change, the weightiest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjutant.domain.proposing import drafting
from adjutant.records.finding import Analysis
from adjutant.records.suggestion import Draft

if TYPE_CHECKING:
    from adjutant.app import App


def drafts(app: App, analysis: Analysis) -> list[Draft]:
    """The drafts of an analysis, none of them placed, in the order of its findings; of two that ask for the same, one.

    A finding without a draft is told in words: nothing that a file could hold follows from it. Raises TaxonomyInvalid,
    FileDamaged, IoFailed.
    """
    desk = drafting.Desk(app, analysis)
    found: dict[tuple[str, str, str], Draft] = {}
    for each in analysis.findings:
        draft = drafting.draft(desk, each)
        if draft is not None:
            found.setdefault((draft.kind, draft.target or draft.text, draft.subject), draft)
    return list(found.values())
