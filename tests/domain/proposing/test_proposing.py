"""An analysis becomes drafts: one a matter, the weightiest first, none of what a file could not hold."""

from __future__ import annotations

from pathlib import Path

from adjutant.domain.proposing import placing, proposing
from adjutant.records import finding
from adjutant.records.suggestion import Change
from tests.domain.proposing import planted
from tests.domain.proposing.planted import house, of
from tests.system.world import changed, snapshot


def test_each_finding_that_asks_for_a_change_gets_one_draft_in_the_same_order(tmp_path: Path) -> None:
    app = house(tmp_path)
    before = snapshot(tmp_path)
    findings = [of(cause) for cause in finding.CAUSES]
    made = proposing.drafts(app, planted.analysis(*findings))
    assert [each.cause for each in made] == [
        each.cause for each in findings if each.cause not in (finding.UNUSED_SKILL, finding.CHURN, finding.SHIFT)
    ]
    assert not changed(before, snapshot(tmp_path)), "drafting writes nothing"


def test_the_same_twice_is_one_draft_and_two_matters_are_two(tmp_path: Path) -> None:
    app = house(tmp_path)
    again = of(finding.CORRECTION)
    other = of(finding.CORRECTION, subject="tea", text="", evidence=planted.said("tea is at four, not at five"))
    assert len(proposing.drafts(app, planted.analysis(again, again, other))) == 2


def test_nothing_found_is_nothing_proposed(tmp_path: Path) -> None:
    assert proposing.drafts(house(tmp_path), planted.analysis()) == []


def test_an_instance_with_nothing_in_it_gets_drafts_and_reasons_and_no_traceback(tmp_path: Path) -> None:
    app = house(tmp_path)
    for name in ("memory", "skills", "identity", "state"):
        for path in sorted((tmp_path / name).rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
    for draft in proposing.drafts(app, planted.analysis(*(of(cause) for cause in finding.CAUSES))):
        placed = placing.place(app, draft)
        assert isinstance(placed, Change) or (placed and placed[-1] != "\n")


def test_titles_are_short_whatever_was_said(tmp_path: Path) -> None:
    app = house(tmp_path)
    long = "invoices " + "and more of the same " * 9 + "go to Berg, not Hansen"
    for cause in (finding.CORRECTION, finding.SKILL_CORRECTED, finding.ROLE_CORRECTED, finding.QUESTION):
        for made in proposing.drafts(app, planted.analysis(of(cause, text=long, evidence=planted.said(long)))):
            assert len(made.title) <= 80 and "…" in made.title and made.text.startswith("invoices")
