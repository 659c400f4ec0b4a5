"""Proposals: what becomes a candidate, what is known already, and that none of it touches the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.behavior import control, reviewing
from adjutant.domain.behavior.reviewing import Proposal
from adjutant.errors import FileDamaged
from adjutant.records import behavior_history, contract
from adjutant.records.contract import TYPES
from tests.conftest import TestedApp, make_app

EVIDENCE = ({"quote": "short answers like this are perfect", "record": "cli/m1"},)


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return make_app(tmp_path / "mine", verb="behavior")


def on(app: TestedApp, day: str, **settings: Any) -> TestedApp:
    return make_app(Path(app.tree.root), verb="behavior", now=f"{day}T09:00:00+00:00", **settings)


def of(type: str, text: str, confidence: float = 0.8, evidence: tuple[dict[str, str], ...] = EVIDENCE) -> Proposal:
    return Proposal(type, text, confidence, evidence)


def outcomes(app: TestedApp, *given: Proposal) -> list[str]:
    return [each.outcome for each in reviewing.propose(app, given)]


def waiting(app: TestedApp) -> list[str]:
    found = behavior_history.candidates(behavior_history.read(app.files), app.clock.now())
    return [f"{each.type}: {each.text}" for each in found if each.status == "pending"]


def test_a_proposal_becomes_a_candidate_with_its_evidence_and_the_contract_is_left_alone(app: TestedApp) -> None:
    [made] = reviewing.propose(app, [of("KEEP", " short   answers ")])
    assert (made.outcome, made.text, made.reason) == ("proposed", "short answers", "")
    assert made.id.startswith("c-")
    assert len(made.id) == 10
    assert made.expires_at == "2026-11-27T09:00:00+00:00"
    [event] = behavior_history.read(app.files)
    assert event == {
        "ts": "2026-11-20T09:00:00+00:00",
        "event": "proposed",
        "id": made.id,
        "type": "KEEP",
        "text": "short answers",
        "confidence": 0.8,
        "evidence": list(EVIDENCE),
        "expiresAt": made.expires_at,
        "source": "daily-review",
    }
    assert not app.files.exists(app.tree.contract)
    assert waiting(app) == ["KEEP: short answers"]
    done = control.promote(app, made.id)
    assert done.directive is not None
    assert done.directive.evidence == EVIDENCE


def test_several_are_filed_at_one_stroke(app: TestedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    strokes, append_all = [], app.files.append_all
    monkeypatch.setattr(app.files, "append_all", lambda path, rows: (strokes.append(len(rows)), append_all(path, rows)))
    given = [of("KEEP", "short answers"), of("STOP", "emojis"), of("START", "answers, short"), of("MORE", "tables")]
    assert outcomes(app, *given) == ["proposed", "proposed", "pending", "proposed"]
    assert strokes == [3]
    assert len({event["id"] for event in behavior_history.read(app.files)}) == 3
    assert reviewing.propose(app, []) == []
    assert strokes == [3]


@pytest.mark.parametrize(
    ("type", "text", "new"),
    [
        ("KEEP", "short answers", ("KEEP", "START")),
        ("MORE", "Answers: short", ("KEEP", "MORE", "START")),
        ("LESS", "short answers", ("LESS",)),
        ("STOP", "answers, short", ("LESS", "STOP")),
    ],
)
def test_what_a_directive_says_is_not_proposed(app: TestedApp, type: str, text: str, new: tuple[str, ...]) -> None:
    control.add(app, type, text)
    found = {each: reviewing.propose(app, [of(each, "short answers")])[0] for each in TYPES}
    assert {each for each, made in found.items() if made.outcome == "standing"} == set(new)
    against = type in ("LESS", "STOP")
    for each, made in found.items():
        if made.outcome == "proposed":
            opposite = (each in ("LESS", "STOP")) != against
            assert ("it contradicts" in made.reason and type in made.reason) == opposite, made


def test_what_waits_is_not_proposed_again_until_it_has_expired(app: TestedApp) -> None:
    [first] = reviewing.propose(app, [of("KEEP", "short answers")])
    [again] = reviewing.propose(on(app, "2026-11-26"), [of("START", "answers, short")])
    assert (again.outcome, again.id, again.expires_at) == ("pending", first.id, first.expires_at)
    assert len(behavior_history.read(app.files)) == 1, "its evidence is not merged"
    [late] = reviewing.propose(on(app, "2026-11-27"), [of("KEEP", "short answers")])
    assert late.outcome == "proposed"
    assert late.id != first.id


def test_what_was_rejected_rests_for_thirty_days(app: TestedApp) -> None:
    [first] = reviewing.propose(app, [of("KEEP", "short answers")])
    control.reject(app, first.id)
    for type in ("KEEP", "MORE", "START"):
        [made] = reviewing.propose(on(app, "2026-12-19"), [of(type, "answers, short")])
        assert made.outcome == "rejected"
        assert "it was rejected on 2026-11-20" in made.reason
    assert outcomes(on(app, "2026-12-19"), of("LESS", "short answers")) == ["proposed"], "the other side is news"
    assert outcomes(on(app, "2026-12-20"), of("KEEP", "short answers")) == ["proposed"]


@pytest.mark.parametrize(
    ("take", "how"),
    [
        (control.remove, "removed"),
        (lambda app, id: control.add(app, "LESS", "short answers", replace=True), "replaced"),
    ],
)
def test_what_was_promoted_and_taken_away_rests_too(app: TestedApp, take: Any, how: str) -> None:
    [first] = reviewing.propose(app, [of("KEEP", "short answers")])
    promoted = control.promote(app, first.id).directive
    assert promoted is not None
    assert outcomes(app, of("KEEP", "short answers")) == ["standing"]
    take(app, promoted.id)
    [made] = reviewing.propose(on(app, "2026-12-01"), [of("KEEP", "short answers")])
    assert made.outcome == "rejected"
    assert f"it was {how} on 2026-11-20" in made.reason
    assert outcomes(on(app, "2026-12-21"), of("KEEP", "short answers")) == ["proposed"]


def test_what_came_to_its_last_day_rests_too(app: TestedApp) -> None:
    control.add(app, "KEEP", "short answers", expires="2026-11-21")
    late = on(app, "2026-11-22")
    [made] = reviewing.propose(late, [of("KEEP", "short answers")])
    assert made.outcome == "rejected"
    assert "it expired on 2026-11-22" in made.reason
    assert contract.read(late.files).directives == (), "what is past its day goes first, as with every verb"


def test_evidence_is_bounded(app: TestedApp) -> None:
    [made] = reviewing.propose(
        app,
        [
            of(
                "KEEP",
                "short answers",
                evidence=tuple(
                    {"quote": f"{number} " + "long " * 100, "record": f"cli/m{number}"} for number in range(40)
                ),
            )
        ],
    )
    assert len(made.evidence) == 8
    assert all(len(each["quote"]) == 240 for each in made.evidence)
    assert behavior_history.read(app.files)[0]["evidence"] == list(made.evidence)


def test_a_dry_run_decides_the_same_and_files_nothing(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="behavior", dry_run=True)
    assert outcomes(app, of("KEEP", "short answers"), of("KEEP", "short answers")) == ["proposed", "pending"]
    assert not Path(app.tree.behavior).exists()


def test_a_contract_that_cannot_be_read_stops_it(app: TestedApp) -> None:
    control.add(app, "keep", "tables")
    path = Path(app.tree.contract)
    path.write_text(path.read_text().replace("tables", "chairs"))
    with pytest.raises(FileDamaged):
        reviewing.propose(app, [of("KEEP", "short answers")])
    assert len(behavior_history.read(app.files)) == 1


@settings(derandomize=True, max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TYPES),
            st.sampled_from(("short answers", "answers short", "tables")),
            st.sampled_from(("", "reject", "promote", "remove")),
        ),
        max_size=12,
    )
)
def test_whatever_is_proposed_nothing_waits_twice_and_only_promote_changes_the_contract(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, str, str]],
) -> None:
    app = make_app(tmp_path_factory.mktemp("p") / "mine", verb="behavior")
    for type, text, then in steps:
        before = contract.read(app.files)
        [made] = reviewing.propose(app, [of(type, text)])
        assert contract.read(app.files) == before
        if made.outcome == "proposed" and then == "reject":
            control.reject(app, made.id)
        elif made.outcome == "proposed" and then and not made.reason:
            done = control.promote(app, made.id)
            if then == "remove" and done.directive is not None and done.outcome == "promoted":
                control.remove(app, done.directive.id)
    assert len(waiting(app)) == len({(line.partition(":")[0], "tables" in line) for line in waiting(app)})
