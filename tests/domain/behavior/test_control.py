"""The verbs that alone may change the contract: their outcomes, what is past its day, messages twice, the replay."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.behavior import control
from adjutant.errors import (
    AdjutantError,
    BehaviorConflict,
    BehaviorFull,
    BehaviorInvalid,
    BehaviorUnknown,
    FileDamaged,
    IoFailed,
)
from adjutant.records import behavior_history, contract
from adjutant.records.contract import Contract
from tests.conftest import TestedApp, make_app


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return make_app(tmp_path / "mine", verb="behavior")


def later(app: TestedApp, now: str, **settings: Any) -> TestedApp:
    return make_app(Path(app.tree.root), verb="behavior", now=f"{now}T09:00:00+00:00", **settings)


def held(app: TestedApp) -> Contract:
    """The contract, which its history replays to."""
    found = contract.read(app.files)
    assert behavior_history.replay(behavior_history.read(app.files)) == found
    return found


def events(app: TestedApp) -> list[str]:
    return [event["event"] for event in behavior_history.read(app.files)]


def lines(app: TestedApp) -> list[str]:
    return [each.line for each in held(app).directives]


def proposed(app: TestedApp, id: str, type: str, text: str, **more: Any) -> None:
    """A candidate, as the learning lane writes it."""
    app.files.append(
        app.tree.behavior_history,
        {
            "ts": app.clock.now().isoformat(),
            "event": "proposed",
            "id": id,
            "type": type,
            "text": text,
            "confidence": 0.8,
            "evidence": [{"quote": "as a table please", "record": "m1"}],
            "expiresAt": (app.clock.now() + timedelta(days=7)).isoformat(),
            **more,
        },
    )


# -- add, remove ---------------------------------------------------------------------------------------------


def test_a_directive_is_added_once_and_said_again_changes_nothing(app: TestedApp) -> None:
    done = control.add(app, "keep", " short   answers ")
    assert done.outcome == "added"
    assert done.directive is not None
    assert done.contract == held(app)
    assert done.directive.row() == {
        "id": done.directive.id,
        "type": "KEEP",
        "text": "short answers",
        "source": "operator",
        "createdAt": "2026-11-20T09:00:00+00:00",
    }
    before = Path(app.tree.contract).read_bytes()
    again = control.add(app, "KEEP", "Answers: short!")
    assert (again.outcome, again.directive) == ("duplicate", done.directive)
    assert Path(app.tree.contract).read_bytes() == before
    assert events(app) == ["added", "duplicate"]
    assert control.add(app, "more", "short answers").outcome == "added", "another type, the same side"
    assert held(app).version == 2


def test_the_opposite_is_refused_with_both_named_and_replaces_when_told_to(app: TestedApp) -> None:
    first = control.add(app, "keep", "short answers").directive
    second = control.add(app, "start", "answers, short").directive
    assert first is not None
    assert second is not None
    with pytest.raises(BehaviorConflict, match=rf"STOP: short answers.*{first.id}.*{second.id}") as caught:
        control.add(app, "stop", "short answers")
    assert caught.value.details["with"] == [first.id, second.id]
    assert held(app).version == 2
    done = control.add(app, "stop", "short answers", replace=True)
    assert done.outcome == "replaced"
    assert done.replaced == (first, second)
    assert lines(app) == ["STOP: short answers"]
    assert held(app).version == 3
    assert events(app) == ["added", "added", "conflict", "replaced"]
    assert control.add(app, "less", "coffee", replace=True).outcome == "added", "nothing to replace"


def test_a_full_contract_takes_no_more_and_names_the_oldest(app: TestedApp) -> None:
    app = later(app, "2026-11-20", behavior__max_directives=2)
    control.add(app, "keep", "first rule")
    control.add(later(app, "2026-11-21"), "keep", "second rule")
    app = later(app, "2026-11-22")
    with pytest.raises(BehaviorFull, match="2 of 2 directives; the oldest is `KEEP: first rule`"):
        control.add(app, "keep", "third rule")
    assert control.add(app, "keep", "rule second").outcome == "duplicate"
    assert control.add(app, "stop", "second rule", replace=True).outcome == "replaced", "one goes for it"
    assert len(held(app).directives) == 2
    assert "full" not in events(app)


@pytest.mark.parametrize(
    ("type", "text", "expires"),
    [
        ("hold", "abcd", ""),
        ("", "abcd", ""),
        ("keep", "abc", ""),
        ("keep", "x" * 321, ""),
        ("keep", "ab\ncd", ""),
        ("keep", "ab\u202ecd", ""),
        ("keep", "", ""),
        ("keep", "abcd", "tomorrow"),
        ("keep", "abcd", "2026-11-19"),
        ("keep", "abcd", "2026-13-01"),
    ],
)
def test_what_is_no_directive_is_refused(app: TestedApp, type: str, text: str, expires: str) -> None:
    with pytest.raises(BehaviorInvalid):
        control.add(app, type, text, expires=expires)
    assert not app.files.exists(app.tree.contract)


def test_one_is_taken_away_by_its_id_or_the_beginning_of_it(app: TestedApp) -> None:
    kept = control.add(app, "keep", "short answers").directive
    gone = control.add(app, "stop", "sending mails").directive
    assert kept is not None
    assert gone is not None
    control.add(app, "keep", "tables")
    assert control.remove(app, "stop-").directive == gone
    assert held(app).version == 4
    for id in ("stop-", "keep-", "", "x"):
        with pytest.raises(BehaviorUnknown):
            control.remove(app, id)
    with pytest.raises(BehaviorUnknown, match="no directive"):
        control.remove(app, gone.id)
    assert control.remove(app, kept.id).outcome == "removed"
    control.remove(app, "keep-")
    assert held(app).directives == ()
    assert held(app).version == 6
    assert held(app).hash == contract.EMPTY.hash


# -- days ----------------------------------------------------------------------------------------------------


def test_a_directive_holds_through_its_last_day_and_is_gone_the_next(app: TestedApp) -> None:
    control.add(app, "keep", "short answers", expires="2026-11-21")
    control.add(app, "keep", "tables")
    same_day = later(app, "2026-11-21")
    assert control.expire(same_day).expired == ()
    assert held(app).version == 2
    done = control.expire(later(app, "2026-11-22"))
    assert [each.text for each in done.expired] == ["short answers"]
    assert lines(app) == ["KEEP: tables"]
    assert held(app).version == 3
    assert events(app)[-1] == "expired"


def test_every_verb_that_writes_takes_it_away_first_even_one_that_is_refused(app: TestedApp) -> None:
    control.add(app, "keep", "short answers", expires="2026-11-21")
    control.add(app, "keep", "mails", expires="2026-11-25")
    with pytest.raises(BehaviorUnknown):
        control.remove(later(app, "2026-11-22"), "nothing")
    assert lines(app) == ["KEEP: mails"]
    assert control.add(later(app, "2026-11-26"), "stop", "mails").outcome == "added", "its opposite has expired"
    assert held(app).version == 5


# -- candidates ----------------------------------------------------------------------------------------------


def test_a_candidate_is_promoted_with_its_evidence_and_only_once(app: TestedApp) -> None:
    proposed(app, "c-1", "MORE", "tables in reports")
    done = control.promote(later(app, "2026-11-21"), "c-1")
    assert done.outcome == "promoted"
    assert done.directive is not None
    assert done.directive.row() == {
        "id": done.directive.id,
        "type": "MORE",
        "text": "tables in reports",
        "source": "daily-review",
        "createdAt": "2026-11-20T09:00:00+00:00",
        "confidence": 0.8,
        "evidence": [{"quote": "as a table please", "record": "m1"}],
        "candidate": "c-1",
        "promotedAt": "2026-11-21T09:00:00+00:00",
    }
    assert control.promote(app, "c-1").outcome == "duplicate"
    assert held(app).version == 1
    with pytest.raises(BehaviorInvalid, match="promoted already"):
        control.reject(app, "c-1")


def test_a_promotion_into_a_conflict_or_a_full_contract_leaves_the_candidate_pending(app: TestedApp) -> None:
    app = later(app, "2026-11-20", behavior__max_directives=1)
    control.add(app, "stop", "tables")
    proposed(app, "c-1", "MORE", "tables")
    proposed(app, "c-2", "KEEP", "short answers")
    with pytest.raises(BehaviorConflict):
        control.promote(app, "c-1")
    with pytest.raises(BehaviorFull):
        control.promote(app, "c-2")
    every = behavior_history.candidates(behavior_history.read(app.files), app.clock.now())
    assert [each.status for each in every] == ["pending", "pending"]
    assert control.promote(app, "c-1", replace=True).outcome == "promoted"
    assert lines(app) == ["MORE: tables"]


def test_a_candidate_expires_is_rejected_once_and_is_then_no_longer_promoted(app: TestedApp) -> None:
    proposed(app, "c-1", "MORE", "tables")
    proposed(app, "c-2", "MORE", "lists", expiresAt="2026-11-21T00:00:00+00:00")
    proposed(app, "c-3", "MORE", "say\nthis")
    assert control.reject(app, "c-1").outcome == control.reject(app, "c-1").outcome == "rejected"
    assert events(app).count("rejected") == 1
    assert not app.files.exists(app.tree.contract)
    for id, now in (("c-1", "2026-11-20"), ("c-2", "2026-11-21"), ("c-3", "2026-11-20")):
        with pytest.raises(BehaviorInvalid):
            control.promote(later(app, now), id)
    every = behavior_history.candidates(behavior_history.read(app.files), later(app, "2026-11-27").clock.now())
    assert [each.status for each in every] == ["rejected", "expired", "expired"]
    with pytest.raises(BehaviorUnknown):
        control.reject(app, "c-9")


# -- apply ---------------------------------------------------------------------------------------------------


def test_apply_drops_doubles_and_what_is_no_text_and_keeps_the_rest(app: TestedApp) -> None:
    control.add(app, "keep", "short answers")
    rows = [
        contract.Directive("a", "KEEP", "short answers"),
        contract.Directive("b", "KEEP", "answers short"),
        contract.Directive("c", "KEEP", "x" * 400),
        contract.Directive("d", "MORE", "tables"),
    ]
    made = Contract(2, "", tuple(rows))
    first = {"ts": "", "event": "replaced", "version": 1, "hash": "", "directive": rows[0].row()}
    told = [
        {**first, "version": n, "hash": Contract(n, "", tuple(rows[:n])).hash, "directive": row.row()}
        for n, row in enumerate(rows, 1)
    ]
    made = Contract(4, "", tuple(rows))
    Path(app.tree.contract).write_text(contract.text_of(made))
    Path(app.tree.behavior_history).write_text("".join(json.dumps(each) + "\n" for each in told))
    done = control.apply(app)
    assert [each.id for each in done.dropped] == ["b", "c"]
    assert held(app).version == 6
    assert [each.id for each in held(app).directives] == ["a", "d"]
    assert control.apply(app).outcome == "unchanged"
    assert held(app).version == 6


# -- messages ------------------------------------------------------------------------------------------------

MESSAGE = b"Good morning\nKEEP: short answers\nkeep: tables\nSTOP: short answers\nKEEP: answers, short\nThanks"


def test_a_message_sets_each_of_its_directives_and_tells_the_rest(app: TestedApp) -> None:
    found = control.capture(app, MESSAGE, "tg-1")
    outcomes = [(row["line"], row["outcome"]) for row in found.captured]
    assert outcomes == [(2, "added"), (4, "conflict"), (5, "duplicate")]
    id = held(app).directives[0].id
    assert [row["id"] for row in found.captured] == [id, None, id]
    assert found.captured[1]["with"] == [id]
    assert list(found.captured[0]) == ["type", "text", "line", "outcome", "id", "reason", "with"]
    assert found.missed == ({"line": 3, "reason": "`KEEP` has to be in capitals", "would_work": "KEEP: tables"},)
    assert found.remainder == "Good morning\nkeep: tables\nThanks"
    assert events(app) == ["captured", "conflict", "duplicate", "missed"]
    assert held(app).directives[0].message == "tg-1"


def test_a_message_that_is_handled_twice_sets_nothing_and_tells_the_same(app: TestedApp) -> None:
    first = control.capture(app, MESSAGE, "tg-1")
    control.remove(app, "keep-")
    before = Path(app.tree.behavior_history).read_bytes()
    again = control.capture(app, MESSAGE, "tg-1")
    assert [row["outcome"] for row in again.captured] == [row["outcome"] for row in first.captured]
    assert again.missed == first.missed
    assert held(app).directives == ()
    assert Path(app.tree.behavior_history).read_bytes() == before
    assert control.capture(app, MESSAGE, "tg-2").captured[0]["outcome"] == "added"


def test_a_message_of_near_misses_leaves_few_lines(app: TestedApp) -> None:
    found = control.capture(app, b"keep: tables\n" * 5000, "m1")
    assert len(found.missed) == control.MOST_MISSES == len(events(app))


def test_a_message_in_a_full_contract_is_told_so(app: TestedApp) -> None:
    app = later(app, "2026-11-20", behavior__max_directives=1)
    found = control.capture(app, b"KEEP: short answers\nMORE: tables", "m1")
    assert [row["outcome"] for row in found.captured] == ["added", "full"]
    assert "max" not in found.captured[1]
    assert len(held(app).directives) == 1


def test_a_message_of_many_lines_is_written_down_at_one_stroke(
    app: TestedApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strokes, append_all = [], app.files.append_all
    monkeypatch.setattr(app.files, "append", None)
    monkeypatch.setattr(app.files, "append_all", lambda path, rows: (strokes.append(len(rows)), append_all(path, rows)))
    control.capture(app, b"KEEP: short answers\n" * 3 + b"keep: tables\n" * 200, "m1")
    assert strokes == [23]
    assert len(events(app)) == 23
    assert lines(app) == ["KEEP: short answers"]


def test_an_ordinary_message_touches_no_file(app: TestedApp) -> None:
    found = control.capture(app, b"Hello\nhow are you?", "m1")
    assert found == control.Captured((), (), "Hello\nhow are you?", {})
    assert not app.files.exists(app.tree.behavior)
    assert not app.files.exists(app.tree.lock("behavior"))


def test_a_dry_run_tells_what_would_be_and_leaves_nothing(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine", verb="behavior", dry_run=True)
    found = control.capture(app, b"KEEP: short answers\nSTOP: short answers", "m1")
    assert [row["outcome"] for row in found.captured] == ["added", "conflict"]
    assert not Path(app.tree.behavior).exists()


# -- replay --------------------------------------------------------------------------------------------------


def test_after_any_sequence_of_verbs_the_history_replays_to_the_contract(app: TestedApp) -> None:
    draw = random.Random(20261120)
    texts = ("short answers", "answers short", "tables", "mails at night", "coffee", "3 points", "5 points")
    day = 1
    for step in range(300):
        day += draw.random() < 0.1
        now = later(app, f"2027-{1 + day // 28:02}-{1 + day % 28:02}", behavior__max_directives=5)
        verb, text, type = draw.random(), draw.choice(texts), draw.choice(("KEEP", "MORE", "LESS", "STOP", "START"))
        try:
            if verb < 0.4:
                soon = f"2027-{1 + (day + 3) // 28:02}-{1 + (day + 3) % 28:02}"
                control.add(now, type, text, replace=draw.random() < 0.5, expires=soon if draw.random() < 0.3 else "")
            elif verb < 0.6:
                control.capture(now, f"{type}: {text}\nMORE: {draw.choice(texts)}".encode(), f"m{step % 40}")
            elif verb < 0.8:
                control.remove(now, draw.choice(("keep-", "more-", "stop-", "less-", "start-")))
            elif verb < 0.9:
                proposed(now, f"c-{step}", type, text)
                control.promote(now, f"c-{step}", replace=draw.random() < 0.5)
            else:
                control.apply(now)
        except (BehaviorConflict, BehaviorFull, BehaviorUnknown, BehaviorInvalid):
            pass
        found = held(now)
        assert len(found.directives) <= 5
    assert held(app).version > 50
    assert {
        *behavior_history.SETTING,
        *behavior_history.TAKING,
        "duplicate",
        "conflict",
    } <= set(events(app))


def test_what_a_killed_verb_left_in_the_history_is_done_by_the_next(app: TestedApp) -> None:
    control.add(app, "keep", "short answers")
    before = Path(app.tree.contract).read_bytes()
    control.add(app, "more", "tables")
    whole = Path(app.tree.contract).read_bytes()
    Path(app.tree.contract).write_bytes(before)
    assert control.add(app, "more", "tables").outcome == "duplicate"
    assert Path(app.tree.contract).read_bytes() == whole
    Path(app.tree.contract).unlink()
    assert control.expire(app).contract.version == 2
    assert Path(app.tree.contract).read_bytes() == whole


def test_a_history_that_was_cut_short_stops_nothing_and_versions_go_on(app: TestedApp) -> None:
    control.add(app, "keep", "short answers")
    control.add(app, "more", "tables")
    Path(app.tree.behavior_history).unlink()
    assert control.add(app, "less", "coffee").contract.version == 3
    assert [each.line for each in contract.read(app.files).directives] == [
        "KEEP: short answers",
        "MORE: tables",
        "LESS: coffee",
    ]


def test_a_history_that_leads_elsewhere_is_damage(app: TestedApp) -> None:
    control.add(app, "keep", "short answers")
    event = behavior_history.read(app.files)[0]
    app.files.append(app.tree.behavior_history, {**event, "version": 2, "hash": "f" * 20})
    with pytest.raises(FileDamaged, match="does not lead to version 2"):
        control.add(app, "more", "tables")
    app.files.append(app.tree.behavior_history, {**event, "version": 3, "directive": {"id": "x"}})
    with pytest.raises(FileDamaged, match="version 3 sets no directive"):
        control.add(app, "more", "tables")


@pytest.mark.parametrize(
    "verb",
    [
        lambda app: control.add(app, "keep", "tables"),
        lambda app: control.remove(app, "keep-"),
        control.apply,
        control.expire,
        lambda app: control.capture(app, b"KEEP: tables"),
        lambda app: control.promote(app, "c-1"),
        lambda app: control.reject(app, "c-1"),
    ],
    ids=["add", "remove", "apply", "expire", "capture", "promote", "reject"],
)
def test_a_contract_that_cannot_be_read_stops_every_verb_and_stays_as_it_is(app: TestedApp, verb: Any) -> None:
    control.add(app, "keep", "short answers")
    Path(app.tree.contract).write_text(damage := Path(app.tree.contract).read_text().replace("short", "long"))
    with pytest.raises(FileDamaged, match="hash"):
        verb(app)
    assert Path(app.tree.contract).read_text() == damage


def test_a_disk_that_refuses_the_event_leaves_the_contract_alone(
    app: TestedApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control.add(app, "keep", "short answers")
    before = Path(app.tree.contract).read_bytes()

    def full(*given: Any) -> None:
        raise IoFailed("no space")

    monkeypatch.setattr(app.files, "append_all", full)
    with pytest.raises(AdjutantError):
        control.add(app, "more", "tables")
    assert Path(app.tree.contract).read_bytes() == before
