"""state/evolution.jsonl: what its lines amount to, whatever stands in them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import acting
from adjutant.errors import EvolutionUnknown
from adjutant.records import evolution_log
from adjutant.store.files import encode
from tests.conftest import TestedApp
from tests.domain.learning.deciding.suggested import USER, edit, learning, made, one, proposed, sha

TS = "2026-11-20T09:00:00+00:00"


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return learning(tmp_path)


def accepted(id: str, before: str = "a", after: str = "b") -> evolution_log.Accepted:
    return evolution_log.Accepted(ts=TS, run="r", id=id, path=USER, diff="", before_sha=before, after_sha=after)


def settled(id: str, outcome: str = evolution_log.WRITTEN) -> evolution_log.Settled:
    return evolution_log.Settled(ts=TS, run="r", id=id, outcome=outcome)


def test_without_a_log_there_is_nothing(app: TestedApp) -> None:
    state = evolution_log.read(app.files)
    assert not (state.held)
    assert not (state.runs)
    assert not (state.open)
    assert not (state.unwritten)
    assert not (state.damaged)


def test_what_is_read_is_what_was_written(app: TestedApp) -> None:
    each = one(app, title="Æ \u2028 \x1b[31m \ud83e", figures={"share": 0.7, "turns": 20.0, "odd": 1e-9})
    held = evolution_log.read(app.files).held[each.id]
    assert msgspec.structs.replace(held.suggestion, title="") == msgspec.structs.replace(each, title="")
    assert held.status == "pending"
    assert held.report_sha
    assert evolution_log.read(app.files).damaged == []


def test_any_words_and_figures_keep_their_id(app: TestedApp) -> None:
    change = edit(app, "- Short", "- Brief\n- Short")

    @settings(derandomize=True, max_examples=30, deadline=None)
    @given(st.text(), st.text(), st.dictionaries(st.text(max_size=8), st.floats(allow_nan=False, allow_infinity=False)))
    def kept(title: str, subject: str, figures: dict[str, float]) -> None:
        each = made(app, change, title=title, subject=subject, figures=figures)
        Path(app.tree.evolution_log).write_bytes(
            encode(msgspec.to_builtins(evolution_log.Proposed(ts=TS, run="r", suggestion=each)))
        )
        assert list(evolution_log.read(app.files).held) == [each.id]

    Path(app.tree.state).mkdir(exist_ok=True)
    kept()


def test_an_accept_counts_when_it_is_settled_and_not_when_it_is_refused(app: TestedApp) -> None:
    each = one(app)
    evolution_log.append(app.files, accepted(each.id))
    assert list(evolution_log.read(app.files).open.values()) == [accepted(each.id)]
    assert evolution_log.read(app.files).held[each.id].status == "pending"
    evolution_log.append(app.files, settled(each.id, evolution_log.REFUSED))
    assert not evolution_log.read(app.files).open
    assert evolution_log.read(app.files).held[each.id].accepted is None
    evolution_log.append(app.files, accepted(each.id), settled(each.id))
    state = evolution_log.read(app.files)
    assert state.held[each.id].status == "accepted"
    assert state.made == [accepted(each.id)]
    assert not state.open


def test_a_decision_that_does_not_follow_from_what_was_before_counts_for_nothing(app: TestedApp) -> None:
    each = one(app)
    back = evolution_log.Reverted(ts=TS, run="r", id=each.id, path=USER, before_sha="b", after_sha="a")
    evolution_log.append(app.files, settled(each.id), back, settled(each.id))
    assert evolution_log.read(app.files).held[each.id].status == "pending"
    evolution_log.append(app.files, accepted(each.id), settled(each.id))
    other = made(app, edit(app, "- Short", "- A\n- Short"), report="evolution/2026-11-20-09-2.md")
    evolution_log.append(
        app.files,
        evolution_log.Rejected(ts=TS, run="r", id=each.id),
        evolution_log.Proposed(ts=TS, run=app.run, suggestion=other, replaces=each.id),
    )
    assert evolution_log.read(app.files).held.pop(other.id).status == "pending"
    assert evolution_log.read(app.files).held[each.id].status == "accepted"
    evolution_log.append(app.files, evolution_log.Rejected(ts=TS, run="r", id="s-unknown"), accepted("s-unknown"))
    assert list(evolution_log.read(app.files).held) == [each.id, other.id]
    assert not evolution_log.read(app.files).open


def test_lines_that_are_none_are_numbered_and_the_others_read(app: TestedApp) -> None:
    each = one(app)
    path = Path(app.tree.evolution_log)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + "{}\n" + lines[1] + '{"event": "accepted"}\n["x"]\nnonsense\n' + lines[2])
    state = evolution_log.read(app.files)
    assert state.damaged == [2, 4, 5, 6]
    assert list(state.held) == [each.id]


def test_a_report_that_is_not_what_its_run_says_leaves_no_sha(app: TestedApp) -> None:
    each = one(app)
    path = Path(app.tree.evolution_log)
    path.write_text(path.read_text().replace("# Suggestions", "# Suggested"))
    assert evolution_log.read(app.files).damaged == [1]
    assert evolution_log.read(app.files).held[each.id].report_sha == ""


@pytest.mark.parametrize("more", [{}, {"run": "20261120T080000-0001"}])
def test_a_line_that_somebody_added_to_a_report_is_none(app: TestedApp, more: dict[str, str]) -> None:
    each, other = one(app), made(app, edit(app, "- Short", "- Forged\n- Short"), **more)
    evolution_log.append(app.files, evolution_log.Proposed(ts=TS, run=other.run, suggestion=other))
    state = evolution_log.read(app.files)
    assert list(state.held) == [each.id]
    assert state.damaged == [4]
    with pytest.raises(EvolutionUnknown, match="altered, in the log: line 4"):
        acting.accept(app, other.id, stored=True)


def test_what_a_second_run_says_of_a_report_does_not_count(app: TestedApp) -> None:
    each, other = one(app), made(app, edit(app, "- Short", "- Forged\n- Short"))
    proposed(app, other)
    state = evolution_log.read(app.files)
    assert list(state.held) == [each.id]
    assert state.damaged == [5]


def test_a_suggestion_of_another_run_than_its_report_is_none(app: TestedApp) -> None:
    each = made(app, edit(app, "- Short", "- Forged\n- Short"), run="20261120T080000-0001")
    run = evolution_log.Run(
        ts=TS,
        run=app.run,
        since=TS,
        until=TS,
        read=20,
        report=each.report,
        report_sha=sha("x"),
        text="x",
        suggestions=(each.id,),
    )
    evolution_log.append(app.files, run, evolution_log.Proposed(ts=TS, run=app.run, suggestion=each))
    assert not evolution_log.read(app.files).held
    assert evolution_log.read(app.files).damaged == [2]


def test_a_suggestion_has_the_report_of_its_own_path(app: TestedApp) -> None:
    first, second = one(app), made(app, edit(app, "- Short", "- A\n- Short"), report="evolution/2026-11-20-09-2.md")
    proposed(app, second, text="# Others\n")
    held = evolution_log.read(app.files).held
    assert held[first.id].report_sha == sha("# Suggestions\n") != held[second.id].report_sha == sha("# Others\n")


def test_an_id_is_known_by_its_beginning_while_that_is_of_one(app: TestedApp) -> None:
    several = [made(app, edit(app, "- Short", f"- {number}\n- Short"), title=str(number)) for number in range(40)]
    proposed(app, *several)
    state, first = evolution_log.read(app.files), several[0]
    assert len(state.held) == 40
    assert state.find(f" {first.id}\n").suggestion == first
    assert state.find(first.id[2:]).suggestion == first
    shared = next(char for char in "0123456789abcdef" if sum(each.id[2] == char for each in several) > 1)
    with pytest.raises(EvolutionUnknown, match="that begins with"):
        state.find(shared)
    for none in ("", "s-", " ", "s-zz", "x"):
        with pytest.raises(EvolutionUnknown):
            state.find(none)


def test_only_accepted_and_reverted_ones_lead_from_state_to_state() -> None:
    made = (
        accepted("1", "a", "b"),
        accepted("2", "b", "c"),
        evolution_log.Reverted(ts=TS, run="r", id="1", path=USER, before_sha="c", after_sha="d"),
    )
    assert evolution_log.ours(made, USER, "a", "d")
    assert evolution_log.ours(made, USER, "b", "c")
    assert evolution_log.ours(made, USER, "a", "a")
    assert not evolution_log.ours(made, USER, "a", "x")
    assert not evolution_log.ours(made, USER, "d", "a")
    assert not evolution_log.ours(made, "identity/tools.md", "a", "b")


EVENTS = ("run", "proposed", "accepted", "reverted", "rejected", "settled")
ROWS = st.lists(
    st.sampled_from(EVENTS).flatmap(
        lambda event: st.dictionaries(
            st.sampled_from(("ts", "run", "id", "path", "diff", "outcome", "suggestion", "report", "report_sha")),
            st.none() | st.text(max_size=4) | st.integers() | st.lists(st.text(max_size=2), max_size=2),
            max_size=16,
        ).map(lambda row: row | {"event": event})
    ),
    max_size=8,
)


def test_whatever_stands_there_is_read_without_a_fault(app: TestedApp) -> None:
    @settings(derandomize=True, max_examples=30, deadline=None)
    @given(ROWS)
    def read(rows: list[dict[str, object]]) -> None:
        Path(app.tree.evolution_log).write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert evolution_log.read(app.files).held == {}

    Path(app.tree.state).mkdir(exist_ok=True)
    read()


@pytest.mark.parametrize(
    "path",
    [
        "identity/soul.md",
        "../report.md",
        "evolution/../PAUSED",
        "evolution/2026-11-20-09.md/../../PAUSED",
        "evolution/2026-11-20-09.md\n",
    ],
)
def test_a_run_whose_report_lies_where_no_report_does_is_no_record(app: TestedApp, path: str) -> None:
    run = evolution_log.Run(ts=TS, run="forged", since=TS, until=TS, read=1, report=path, text="x", report_sha=sha("x"))
    evolution_log.append(app.files, run)
    state = evolution_log.read(app.files)
    assert state.damaged == [1]
    assert not state.unwritten
    assert not state.runs
    acting.complete(app)
    assert not list(Path(app.tree.root).glob("**/PAUSED"))
    assert not Path(app.tree.skills).exists()
