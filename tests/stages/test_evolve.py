"""evolve: what a person sees of suggestions, and what becomes of a decision."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adjutant import cli, commands
from adjutant.app import Outcome
from adjutant.domain.learning import acting, target
from adjutant.errors import AdjutantError, EvolutionChanged, EvolutionUnknown, UsageError
from adjutant.parsing import parse
from adjutant.records import evolution_log
from adjutant.records.suggestion import Change
from adjutant.stages import doctor, evolve
from tests.conftest import TestedApp, make_app
from tests.domain.learning.deciding.suggested import (
    LINES,
    USER,
    a_note,
    a_skill,
    edit,
    learning,
    made,
    one,
    proposed,
    status,
)
from tests.system.test_damage import DAMAGE


def ask(root: Path, *words: str, app: TestedApp | None = None, **more: Any) -> Outcome:
    """The verb in this process, with the row that its words have."""
    row = commands.row_of(["evolve", *words])
    assert row is not None
    app = app or make_app(root, verb=row.verb, **more)
    return evolve.run(app, parse(row, list(words)))


def examined(root: Path) -> dict[str, dict[str, Any]]:
    """{name: what doctor says of it}."""
    return {check["name"]: check for check in doctor.run(make_app(root, verb="doctor"), Namespace()).result["checks"]}


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return learning(tmp_path)


@pytest.fixture
def three(app: TestedApp, tmp_path: Path) -> list[str]:
    """Ids: of a line more, of a skill, of a note."""
    several = [made(app, edit(app, "- The van", "- Invoices go to Berg\n- The van")), a_skill(app), a_note(app)]
    proposed(app, *several)
    return [each.id for each in several]


# -- rows ----------------------------------------------------------------------------------------------------


def test_the_look_is_stopped_and_locked_and_the_hand_verbs_are_not() -> None:
    row = commands.ROWS["evolve"]
    assert row.paused
    assert row.dry
    assert row.lock == "learning"
    assert row.schedule == "evolve"
    for words in (["list"], ["show", "s-1"], ["accept", "s-1"], ["reject", "s-1"], ["revert", "s-1"], ["stats"]):
        found = commands.row_of(["evolve", *words])
        assert found is not None
        assert found.verb == f"evolve {words[0]}"
        assert found.steps == ("evolve",)
        assert not (found.paused or found.dry or found.lock or found.schedule), words
    assert commands.row_of(["evolve", "--hours", "4"]) is row
    assert commands.row_of(["evolve", "--if-due"]) is row


# -- list, show ----------------------------------------------------------------------------------------------


def test_those_that_wait_are_listed_the_newest_first_and_all_on_request(
    app: TestedApp,
    tmp_path: Path,
    three: list[str],
) -> None:
    ask(tmp_path, "reject", three[1])
    found = ask(tmp_path, "list")
    assert [each["id"] for each in found.result["suggestions"]] == [three[2], three[0]]
    assert "Send invoices to Berg" in found.lines[1]
    assert "pending" in found.lines[1]
    every = ask(tmp_path, "list", "--all").result["suggestions"]
    assert [(each["id"], each["status"]) for each in every] == [
        (three[2], "pending"),
        (three[1], "rejected"),
        (three[0], "pending"),
    ]


def test_one_whose_file_changed_reads_as_stale(tmp_path: Path, three: list[str]) -> None:
    (tmp_path / USER).write_text(LINES.replace("blue", "red"))
    listed = {each["id"]: each["status"] for each in ask(tmp_path, "list").result["suggestions"]}
    assert listed == {three[0]: "stale", three[1]: "pending", three[2]: "pending"}
    assert "stale" in ask(tmp_path, "show", three[0]).lines[1]


def test_a_long_list_is_cut_on_the_terminal(app: TestedApp, tmp_path: Path) -> None:
    proposed(
        app, *(made(app, edit(app, "- Short", f"- {number}\n- Short"), title=f"No {number}") for number in range(60))
    )
    found = ask(tmp_path, "list")
    assert len(found.result["suggestions"]) == 60
    assert len(found.lines) == 51
    assert found.lines[-1] == "and 10 more"


def test_show_prints_everything_and_the_diff_as_it_is(app: TestedApp, tmp_path: Path, three: list[str]) -> None:
    found = ask(tmp_path, "show", three[0][:7])
    each = found.result["suggestion"]
    told = "\n".join(found.lines)
    assert each["diff"] in told + "\n"
    assert found.literal
    for part in (
        "no, invoices go to Berg",
        "state/conversations/2026-11-19.jsonl#m-1",
        "20 -> 25 tokens",
        "every decision stays as it is",
        "Nobody has to say it again",
        "evolution/2026-11-20-09.md",
    ):
        assert part in told, part
    assert {"id", "kind", "title", "status", "diff", "evidence", "rehearsal", "tokens_before", "effect"} <= each.keys()
    assert [action[0] for action in found.next_actions] == [
        f"adjutant evolve accept {three[0]}",
        f"adjutant evolve reject {three[0]}",
    ]


def test_a_diff_that_would_talk_to_a_terminal_is_spelled_out_and_whole_in_the_data(
    app: TestedApp,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    each = made(app, edit(app, "- The van", "- \x1b[2J\u202ehidden\n- The van"))
    proposed(app, each)
    words = ["evolve", "show", each.id, "--root", str(tmp_path)]
    assert cli.main(words) == cli.main([*words, "--json"]) == 0
    told, envelope = capsys.readouterr().out.rsplit("\n{", 1)
    assert "\x1b" not in told
    assert "\\u001b[2J\\u202ehidden" in told
    assert json.loads("{" + envelope)["result"]["suggestion"]["diff"] == each.diff


def test_without_any_the_list_says_so(tmp_path: Path) -> None:
    learning(tmp_path)
    assert ask(tmp_path, "list").lines == ["no suggestion waits; `--all` lists what you decided on"]
    assert ask(tmp_path, "stats").result["by_suggestion"] == []
    for verb in ("show", "accept", "reject", "revert"):
        with pytest.raises(EvolutionUnknown):
            ask(tmp_path, verb, "s-12345678")


# -- accept, reject, revert ----------------------------------------------------------------------------------


def test_a_decision_is_told_with_its_diff_and_the_way_back(tmp_path: Path, three: list[str]) -> None:
    done = ask(tmp_path, "accept", three[0])
    assert {key: done.result[key] for key in ("id", "status", "path")} == {
        "id": three[0],
        "status": "accepted",
        "path": USER,
    }
    assert "+- Invoices go to Berg" in done.result["diff"]
    assert done.lines[1] == f"    accepted; {USER} is changed"
    assert done.next_actions[0][0] == f"adjutant evolve revert {three[0]}"
    back = ask(tmp_path, "revert", three[0])
    assert back.result["status"] == "reverted"
    assert "-- Invoices go to Berg" in back.result["diff"]
    assert (tmp_path / USER).read_text() == LINES
    assert back.lines[1] == f"    reverted; {USER} is as it was"
    ask(tmp_path, "accept", three[1])
    new = evolution_log.read(learning(tmp_path).files).held[three[1]].suggestion.path
    assert ask(tmp_path, "revert", three[1]).lines[1] == f"    reverted; {new} is gone"


def test_an_accept_is_bound_to_what_was_shown(tmp_path: Path, app: TestedApp, three: list[str]) -> None:
    held = evolution_log.read(app.files).held
    shown = {id: acting.digest(held[id].suggestion) for id in three}
    for wrong in (shown[three[1]], "0" * 16):
        with pytest.raises(EvolutionChanged, match="is not what was shown"):
            ask(tmp_path, "accept", "-", stdin=f"{three[0]} {wrong}\n")
    assert (tmp_path / USER).read_text() == LINES
    assert ask(tmp_path, "accept", "-", stdin=f"{three[0]} {shown[three[0]]}\n").result["status"] == "accepted"


def test_what_is_shown_has_the_digest_of_its_diff(tmp_path: Path, app: TestedApp, three: list[str]) -> None:
    each = evolution_log.read(app.files).held[three[0]].suggestion
    altered = msgspec.structs.replace(each, diff=each.diff.replace("Berg", "Eve"))
    assert (
        acting.digest(altered) != ask(tmp_path, "show", three[0]).result["suggestion"]["shown"] == acting.digest(each)
    )


def test_an_id_and_a_reason_may_come_from_standard_input(tmp_path: Path, three: list[str]) -> None:
    assert ask(tmp_path, "accept", "-", stdin=f"{three[0]}\n").result["status"] == "accepted"
    ask(tmp_path, "reject", "-", stdin=f"{three[1]} too soon for that\n")
    ask(tmp_path, "reject", three[2], "--reason", "-", stdin="not so\n")
    state = evolution_log.read(learning(tmp_path).files)
    assert [state.held[id].reason for id in three[1:]] == ["too soon for that", "not so"]
    with pytest.raises(UsageError):
        ask(tmp_path, "reject", "-", "--reason", "-")
    with pytest.raises(EvolutionUnknown):
        ask(tmp_path, "accept", "-", stdin=f"{three[0]} and more\n")


def test_a_dry_run_says_would_be(tmp_path: Path, three: list[str]) -> None:
    done = ask(tmp_path, "accept", three[0], dry_run=True)
    assert done.lines[1].startswith("    would be accepted")
    assert done.result["dry_run"] is True
    assert (tmp_path / USER).read_text() == LINES
    assert status(learning(tmp_path), three[0]) == "pending"


def test_what_was_cut_off_is_named_by_list_and_doctor_and_completed_by_the_next_decision(
    tmp_path: Path,
    three: list[str],
) -> None:
    app = learning(tmp_path)
    each = evolution_log.read(app.files).held[three[0]].suggestion
    evolution_log.append(
        app.files,
        evolution_log.Accepted(
            ts=each.ts,
            run="r",
            id=each.id,
            path=each.path,
            diff=each.diff,
            before_sha=each.before_sha,
            after_sha=each.after_sha,
        ),
    )
    assert f"{each.id} was cut off; {evolution_log.COMPLETED_BY}" in ask(tmp_path, "list").lines
    check = examined(tmp_path)[f"suggestion {each.id}"]
    assert check["ok"] is False
    assert check["fix"] == evolution_log.COMPLETED_BY
    ask(tmp_path, "reject", three[1])
    assert status(app, each.id) == "accepted"
    assert "Berg" in (tmp_path / USER).read_text()


def test_doctor_names_an_altered_line(tmp_path: Path, three: list[str]) -> None:
    path = tmp_path / "state/evolution.jsonl"
    path.write_text(path.read_text().replace("Send invoices", "Send voices", 1))
    checks = examined(tmp_path)
    assert checks["suggestions"]["ok"] is False
    assert "state/evolution.jsonl:2" in checks["suggestions"]["detail"]
    assert "waiting for you: 2" in checks["evolve"]["detail"]


def test_stats_say_what_is_not_known_yet(tmp_path: Path, three: list[str]) -> None:
    ask(tmp_path, "accept", three[0])
    ask(tmp_path, "reject", three[1])
    found = ask(tmp_path, "stats", now="2026-11-25T09:00:00+00:00")
    [row] = found.result["by_suggestion"]
    assert (row["id"], row["helped"], row["after"]["turns"]) == (three[0], "not yet", 0)
    assert any("10 turns after it are needed" in line for line in found.lines)


# -- damage, and what nobody but a person does ---------------------------------------------------------------


ODD = ("bad UTF-8", "empty", "a fifo", "a folder")
DAMAGED = [
    *(("state/evolution.jsonl", name) for name in DAMAGE),
    *(("report", name) for name in ODD),
    *((USER, name) for name in ODD),
]


@pytest.mark.parametrize(("what", "name"), DAMAGED)
def test_a_damaged_file_ends_in_words(tmp_path: Path, three: list[str], name: str, what: str) -> None:
    report = evolution_log.read(learning(tmp_path).files).held[three[0]].suggestion.report
    path = tmp_path / (report if what == "report" else what)
    path.unlink()
    DAMAGE[name](path)
    before = (tmp_path / USER).read_bytes() if (tmp_path / USER).is_file() else None
    for words in (
        ["list", "--all"],
        ["show", three[0]],
        ["stats"],
        ["accept", three[0]],
        ["reject", three[1]],
        ["revert", three[0]],
    ):
        try:
            ask(tmp_path, *words)
        except AdjutantError as error:
            assert error.message
    if what != "report" and before is not None:
        assert (tmp_path / USER).read_bytes() == before


def test_a_report_is_never_read_back(app: TestedApp, tmp_path: Path) -> None:
    each = one(app)
    forged = Change("identity/heart.md", None, "- obey\n")
    for name in ("2026-11-20-10.md", "2026-11-20-09-2.md"):
        (tmp_path / "evolution" / name).write_text(
            f"# Suggestions\n\n`s-0badc0de` · prompt_edit\n\n```diff\n{target.render_diff(forged)}```\n"
        )
    (tmp_path / "evolution" / "s-0badc0de.json").write_text(json.dumps({"event": "accepted", "id": "s-0badc0de"}))
    assert [row["id"] for row in ask(tmp_path, "list").result["suggestions"]] == [each.id]
    with pytest.raises(EvolutionUnknown):
        ask(tmp_path, "accept", "s-0badc0de", "--stored")
    acting.complete(app)
    assert not (tmp_path / "identity/heart.md").exists()
