"""What a quiet zone may promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.domain.learning.deciding import choosing
from adjutant.records.finding import CORRECTION, USELESS_NOTICES
from adjutant.records.suggestion import PROMPT_EDIT, Change, Draft, Rehearsal
from tests.rehearsal import Record

HEART = "# Heart\n\n## Current Priorities\n\n- Home: bills paid\n\n## Standing Concerns\n\n- {}\n\n## Quiet Zones\n\n"
PROMISE = "You called 3 notices of it useless; it raises none any more."
LATE = "- [ ] The press kit is late, send it to the printer, due 2026-11-18\n"


def promised(root: Path, concern: str, *, zone: str = "kit", cause: str = USELESS_NOTICES) -> tuple[str, Rehearsal]:
    """What a zone promises, and its rehearsal, in a house whose heart has a concern."""
    record, before = Record(root), HEART.format(concern)
    record.write("identity/heart.md", before)
    record.write("home/tasks.md", f"# Home\n\n{LATE}")
    record.pulse()
    change = Change("identity/heart.md", before, f"{before}- {zone}\n")
    rehearsal = record.change(change)
    draft = Draft(PROMPT_EDIT, cause, zone, f"Leave {zone} alone", zone, PROMISE, ())
    return choosing.expect_effect(draft, rehearsal), rehearsal


def test_a_zone_that_mutes_something_today_promises_it(tmp_path: Path) -> None:
    said, rehearsal = promised(tmp_path, "The roof")
    assert rehearsal.total
    assert said == PROMISE


def test_a_zone_mutes_what_a_concern_names_too(tmp_path: Path) -> None:
    said, rehearsal = promised(tmp_path, "Press kit at the printer")
    assert rehearsal.total
    assert said == PROMISE


def test_a_zone_of_which_nothing_is_open_says_so(tmp_path: Path) -> None:
    said, rehearsal = promised(tmp_path, "The roof", zone="greenhouse")
    assert not rehearsal.total
    assert said == "Today it changes nothing: what is open now is raised, or not, as before."


@pytest.mark.parametrize(
    ("rehearsal", "cause"), [(Rehearsal("unknown"), USELESS_NOTICES), (Rehearsal("rules", 1, 1), CORRECTION)]
)
def test_what_nobody_knows_or_is_no_zone_keeps_its_words(rehearsal: Rehearsal, cause: str) -> None:
    draft = Draft(PROMPT_EDIT, cause, "kit", "Leave kit alone", "kit", PROMISE, ())
    assert choosing.expect_effect(draft, rehearsal) == PROMISE
