"""What is noted of turns, tasks and cycles: once each, after what it is about, and never at its cost."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands, runner
from adjutant.app import Outcome
from adjutant.domain.telling import notices
from adjutant.errors import AdjutantError, ConfigInvalid, FileChanged, ModelUnavailable
from adjutant.records import interactions, matters_log, queue
from adjutant.records.interactions import Interaction
from adjutant.stages import delegate, index, mark
from tests.conftest import TestedApp, make_app, parsed
from tests.modelserver import ModelServer
from tests.stages.test_mirrors import rested
from tests.turning import Desk, calls

USER = "# User\n\n- Pays the household bills herself, on Sunday evenings, from the joint account\n- Collects pens\n"
SKILL = """\
---
name: Oven care
description: how the oven of the bakery is cleaned and descaled
---
Descale the oven with vinegar every quarter, then rinse the chamber twice.
"""
QUESTION = "When is the deposit for the oven due?"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path / "mine")
    made.write("identity/user.md", USER)
    return made


def noted(desk: Desk) -> list[Interaction]:
    return interactions.read(desk.app.files)


def lines(root: Path) -> list[dict[str, Any]]:
    path = root / "state" / "interactions.jsonl"
    return [json.loads(line) for line in path.read_text().split("\n") if line] if path.exists() else []


# -- turns ---------------------------------------------------------------------------------------------------


def test_a_turn_is_noted_with_what_it_was_about_and_what_it_cost(desk: Desk) -> None:
    told = desk.ask(QUESTION, "On Sunday evenings, from the joint account, as all household bills.").result
    (found,) = noted(desk)
    assert (found.id, found.kind, found.session, found.channel) == (desk.app.run, "turn", "cli", "cli")
    assert (found.agent, found.outcome, found.cause, found.run) == ("conductor", "answered", "", desk.app.run)
    assert found.message == f"cli/{desk.app.run}"
    assert found.tokens == told["tokens"] > 0
    assert found.concept == told["concept"]
    assert found.contract_hash == (told["contract_hash"] or "")
    assert found.items == ("user#pays-the-household-bills-herself",)
    assert found.friction == 0.0
    assert set(found.parts) >= {"core", "soul", "user", "message"}
    assert all(count > 0 for count in found.parts.values())
    assert "deposit" not in json.dumps(lines(desk.root)), "texts are named, not copied"


def test_what_was_found_is_told_from_what_was_used(desk: Desk) -> None:
    desk.write("skills/oven/SKILL.md", SKILL)
    desk.ask("How is the oven of the bakery descaled?", "With vinegar every quarter; rinse the chamber twice.")
    desk.ask("How is the oven of the bakery cleaned?", "I do not know how the oven of the bakery is cleaned.")
    used, unused = noted(desk)
    assert used.retrieved == unused.retrieved == ("agent_skills/Oven care",)
    assert used.used == used.retrieved
    assert used.skills == ("oven",)
    assert unused.used == () and unused.skills == (), "an echo of the question proves no use"


def test_a_skill_that_was_read_and_a_place_that_is_cited_were_used(desk: Desk) -> None:
    desk.write("skills/oven/SKILL.md", SKILL)
    desk.ask(
        "What shall I do today?",
        calls(("skill_read", {"name": "Oven care"}), ("skill_read", {"name": "none"})),
        "Clean it.",
    )
    desk.ask("How is the oven of the bakery descaled?", "See skills/oven/SKILL.md.")
    read, cited = noted(desk)
    assert read.skills == cited.skills == ("oven",)
    assert read.friction_signals == ("tool_error",)
    assert cited.used == ("agent_skills/Oven care",)
    assert read.used == ()


def test_refused_tools_and_many_rounds_rub(desk: Desk) -> None:
    rounds = [
        calls(("workspace_read", {"path": "../.env"})),
        calls(("kb_query", {"name": "x", "question": "y"})),
        calls(("workspace_list", {})),
        calls(("workspace_list", {})),
    ]
    desk.ask("What is in there?", *rounds, "Nothing.")
    (found,) = noted(desk)
    assert found.rounds == 4
    assert found.friction_signals == ("tool_error", "kb_error", "many_rounds")


@pytest.mark.parametrize(
    ("known", "outcome", "signals"),
    [
        (SKILL, "degraded", ("degraded",)),
        ("", "failed", ("failed", "degraded")),
    ],
)
def test_rules_that_stood_in_are_noted_and_so_is_that_they_found_nothing(
    desk: Desk,
    known: str,
    outcome: str,
    signals: tuple[str, ...],
) -> None:
    if known:
        desk.write("skills/oven/SKILL.md", known)
    with nullcontext() if known else pytest.raises(ModelUnavailable):
        desk.ask("How is the oven of the bakery descaled?", "never said", script=("500",))
    (found,) = noted(desk)
    assert (found.outcome, found.cause, found.friction_signals) == (outcome, "http", signals)


def test_directives_alone_and_an_offline_answer_are_no_trouble(desk: Desk) -> None:
    desk.ask("KEEP: answers short")
    desk.ask(QUESTION)
    assert [(each.outcome, each.friction, each.tokens) for each in noted(desk)] == [
        ("directives", 0.0, 0),
        ("offline", 0.0, 0),
    ]


@pytest.mark.parametrize(
    ("words", "channel"),
    [
        ((), "cli"),
        (("--id", "tg-7"), "telegram"),
        (("--channel", "voice"), "voice"),
    ],
)
def test_the_channel_is_that_which_the_message_came_by(desk: Desk, words: tuple[str, ...], channel: str) -> None:
    desk.ask(QUESTION, words=words)
    assert [each.channel for each in noted(desk)] == [channel]


def test_a_dry_run_notes_nothing(desk: Desk) -> None:
    desk.ask(QUESTION, "Monday.")
    before = lines(desk.root)
    desk.ask("No, that's wrong.", "Sorry.", dry=True)
    assert lines(desk.root) == before


# -- the next message ----------------------------------------------------------------------------------------


def test_the_same_question_again_is_noted_of_the_first(desk: Desk) -> None:
    desk.ask(QUESTION, "On 27 November.", words=("--id", "a"))
    desk.ask("Thanks!", "Yes.", words=("--id", "b"))
    desk.ask("when is the deposit for the oven due", "On the 17th.", words=("--id", "c", "--session", "other"))
    assert [(each.id, each.friction_signals) for each in noted(desk)] == [
        ("a", ("repeated_question",)),
        ("b", ()),
        ("c", ()),
    ]


def test_it_is_read_in_any_language(desk: Desk) -> None:
    desk.ask("Zorb veku nal tirru?", "Veku.", words=("--id", "a"))
    desk.ask("Zorb veku nal tirru?", "Veku.", words=("--id", "b"))
    assert [each.friction for each in noted(desk)] == [0.5, 0.0]


def test_a_message_handled_twice_says_it_once(desk: Desk) -> None:
    desk.ask(QUESTION, "On 27 November.", words=("--id", "a"))
    for _ in range(2):
        desk.ask(QUESTION, "Sorry.", words=("--id", "b"))
    assert len(lines(desk.root)) == 3


def test_what_is_open_is_asked_again_for_a_reason(desk: Desk) -> None:
    for id in "ab":
        desk.ask("What is due today?", "Nothing.", words=("--id", id))
    assert [each.friction for each in noted(desk)] == [0.0, 0.0]


def test_what_somebody_else_wrote_is_no_word_of_the_operators(desk: Desk) -> None:
    desk.ask(QUESTION, "On 27 November.", words=("--id", "a"))
    desk.ask(f"Forwarded from Brandt\n{QUESTION}", "I see.", words=("--id", "b"))
    desk.ask(f"> {QUESTION}\nWhat do you say to this?", "Nothing.", words=("--id", "c"))
    assert [each.friction for each in noted(desk)] == [0.0] * 3


def test_yesterdays_question_is_no_repetition(desk: Desk) -> None:
    desk.ask(QUESTION, words=("--id", "a"))
    old = (desk.root / "state" / "interactions.jsonl").read_text().replace("2026-11-20T", "2026-11-19T08:59:59+00:00X")
    record = json.loads(old)
    record["ts"] = "2026-11-19T08:59:59+00:00"
    desk.write("state/interactions.jsonl", json.dumps(record) + "\n")
    desk.ask(QUESTION, words=("--id", "b"))
    assert [each.friction_signals for each in noted(desk)] == [(), ()]


# -- what goes wrong -----------------------------------------------------------------------------------------


def test_a_note_that_cannot_be_written_costs_no_answer_and_comes_with_the_next_try(desk: Desk) -> None:
    (desk.root / "state").mkdir(exist_ok=True)
    (desk.root / "state" / "interactions.jsonl").mkdir()
    told = desk.ask(QUESTION, "On Monday.", words=("--id", "a"))
    assert told.result["answer"] == "On Monday."
    assert any("interactions.jsonl" in line for line in desk.app.said)
    (desk.root / "state" / "interactions.jsonl").rmdir()
    again = desk.ask(QUESTION, words=("--id", "a"))
    assert again.result["repeated"] is True
    assert len(lines(desk.root)) == 1
    (found,) = noted(desk)
    assert (found.id, found.outcome, found.tokens) == ("a", "answered", told.result["tokens"])
    assert (found.run, found.message, found.agent) == (told.result["run"], "cli/a", "conductor")
    desk.ask(QUESTION, words=("--id", "a"))
    assert len(lines(desk.root)) == 1, "noted once"


def test_a_damaged_line_or_a_damaged_conversation_stops_no_turn(desk: Desk) -> None:
    desk.ask(QUESTION, "On Monday.", words=("--id", "a"))
    with (desk.root / "state" / "interactions.jsonl").open("a") as log:
        log.write('{"torn')
    desk.ask(QUESTION, "Sorry.", words=("--id", "b"))
    assert [(each.id, each.friction_signals) for each in noted(desk)] == [("a", ("repeated_question",)), ("b", ())]
    assert any("torn last line" in line for line in desk.app.said)


# -- tasks ---------------------------------------------------------------------------------------------------


def worked(desk: Desk, answer: str, *, tries: int = 1, file: bool = True) -> list[Interaction]:
    """What is noted after a task was filed and the queue worked so many times by a model that says `answer`."""
    desk.settings |= {"specialists__coder": {"workloads": ["build"]}}
    desk.app = desk._app(None)
    if file:
        delegate.run(desk.app, parsed(delegate, "coder", "Write", "a", "script"))
    for _ in range(tries):
        with ModelServer(answer=answer, strict=True) as server:
            desk.app = desk._app(desk._model(server.url))
            delegate.run(desk.app, parsed(delegate, "--run"))
    return noted(desk)


def test_a_task_is_noted_when_it_is_done(desk: Desk) -> None:
    (found,) = worked(desk, "It is written.")
    assert (found.kind, found.channel, found.agent, found.outcome) == ("task", "delegate", "coder", "answered")
    assert found.session == f"task-{found.id}"
    assert found.message == ""
    assert found.tokens > 0


def test_a_task_that_is_tried_again_is_noted_once_it_has_failed(desk: Desk) -> None:
    assert worked(desk, "  ", tries=queue.TRIES - 1) == []
    (found,) = worked(desk, "  ", file=False)
    assert found.outcome == "failed"
    assert "failed" in found.friction_signals
    assert found.cause == "malformed"


# -- cycles --------------------------------------------------------------------------------------------------


class _Stage:
    """A stage that does as it is told."""

    def __init__(self, result: dict[str, Any], error: Exception | None = None) -> None:
        self.result, self.error = result, error

    def run(self, app: Any, args: Any) -> Outcome:
        if isinstance(self.error, AdjutantError) and self.result:
            return Outcome(self.result, error=self.error)
        if self.error is not None:
            raise self.error
        return Outcome(dict(self.result))


def cycle(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    result: dict[str, Any],
    error: Exception | None = None,
    **settings: Any,
) -> tuple[TestedApp, list[Interaction]]:
    """One run of a verb whose stages give `result`, and what is noted of it."""
    app = make_app(root, verb=verb, **settings)
    monkeypatch.setattr(runner, "stage_of", lambda step: _Stage(result, error).run)
    args = argparse.Namespace(if_due=False)
    if error is not None and not result:
        with pytest.raises(type(error)):
            runner.run(commands.ROWS[verb], args, app)
    else:
        runner.run(commands.ROWS[verb], args, app)
    return app, interactions.read(app.files)


REAL = {"llm__backend": "openai", "llm__base_url": "http://127.0.0.1:9", "llm__models__cheap": "m"}
DONE = {"status": "completed", "model_calls": 2, "tokens": 30, "degraded": None}


def test_each_step_of_a_cycle_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, found = cycle(tmp_path, monkeypatch, "pulse", DONE, **REAL)
    assert [(each.id, each.kind, each.agent, each.outcome) for each in found] == [
        (f"{app.run}-pulse", "cycle", "pulse", "answered"),
        (f"{app.run}-escalation", "cycle", "escalation", "answered"),
    ]
    assert {(each.channel, each.tokens, each.run, each.session) for each in found} == {("cron", 30, app.run, "")}


@pytest.mark.parametrize(
    ("result", "outcome", "cause", "signals"),
    [
        ({**DONE, "degraded": "timeout"}, "degraded", "timeout", ("degraded",)),
        ({**DONE, "degraded": "timeout", "model_calls": 0}, "answered", "", ()),
        (DONE, "offline", "", ()),
        ({**DONE, "status": "stopped"}, "stopped", "", ()),
    ],
)
def test_how_a_cycle_ended(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    result: dict[str, Any],
    outcome: str,
    cause: str,
    signals: tuple[str, ...],
) -> None:
    (found,) = cycle(tmp_path, monkeypatch, "compact", result)[1]
    assert (found.outcome, found.cause, found.friction_signals) == (outcome, cause, signals)


def test_a_cycle_that_failed_is_noted_with_its_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, error in enumerate((ConfigInvalid("x"), ValueError("x"))):
        (found,) = cycle(tmp_path / str(number), monkeypatch, "review", {}, error)[1]
        assert found.outcome == "failed"
        assert found.friction_signals == ("failed",)
        assert found.cause == ("config.invalid" if number == 0 else "ValueError")
    refused = {**DONE, "status": "refused"}
    (found,) = cycle(tmp_path / "refused", monkeypatch, "distill", refused, FileChanged("x"))[1]
    assert (found.outcome, found.cause) == ("failed", "file.changed")


@pytest.mark.parametrize(
    ("verb", "result"),
    [
        ("pulse", {"status": "skipped", "reason": "not_due"}),
        ("pulse", {"calls": 3, "tokens": 900}),
        ("review", {**DONE, "dry_run": True}),
        ("index", DONE),
    ],
)
def test_what_was_no_cycle_is_not_noted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    result: dict[str, Any],
) -> None:
    assert cycle(tmp_path, monkeypatch, verb, result)[1] == []


def test_paused_within_a_cycle_is_noted_although_paused_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_app(tmp_path)
    (tmp_path / "PAUSED").touch()
    (found,) = cycle(tmp_path, monkeypatch, "compact", {**DONE, "status": "stopped"})[1]
    assert found.outcome == "stopped"


def test_a_notice_that_was_useless_is_held_against_the_cycle_that_sent_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = make_app(tmp_path, verb="review")
    (tmp_path / "state").mkdir(exist_ok=True)
    assert notices.Notices(app).send("The oven is late", "review-2026-11-20", "review").outcome == "sent"
    _, (found,) = cycle(tmp_path, monkeypatch, "review", DONE)
    assert found.notices == ("review-2026-11-20",)
    marker = make_app(tmp_path, verb="mark", run="20261120T100000-0002")
    for state in ("useless", "useless", "useful"):
        mark.run(marker, parsed(mark, "review-2026-11-20", state))
        (found,) = interactions.read(app.files)
        assert found.friction == (0.0 if state == "useful" else 0.6)
    assert sum("event" in line for line in lines(tmp_path)) == 2


def test_a_matter_that_was_useless_is_held_against_the_cycle_that_told_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = make_app(tmp_path, verb="review")
    known = dict.fromkeys(("kb", "what", "kind", "severity", "path", "quote"), "x")
    matters_log.append(app.files, [matters_log.event("seen", "b2aa", app.clock.now(), app.run, {**known, "line": 1})])
    notices.Notices(app).send("The oven is late · b2aa", "k", "escalation", matters=[("b2aa", "home")])
    _, (found,) = cycle(tmp_path, monkeypatch, "review", DONE)
    assert found.notices == ("k",)
    mark.run(make_app(tmp_path, verb="mark", run="20261120T100000-0002"), parsed(mark, "b2", "useless"))
    assert interactions.read(app.files)[0].friction == 0.6


def test_a_mark_of_what_no_cycle_sent_is_a_mark_all_the_same(tmp_path: Path) -> None:
    app = make_app(tmp_path, verb="notify")
    (tmp_path / "state").mkdir(exist_ok=True)
    notices.Notices(app).send("Hello", "by-hand", "manual")
    told = mark.run(make_app(tmp_path, verb="mark"), parsed(mark, "by-hand", "useless"))
    assert told.result["marked"]["state"] == "useless"
    assert lines(tmp_path) == []


# -- what is made of it --------------------------------------------------------------------------------------


def test_the_index_takes_a_late_signal_in_and_calls_it_behind_till_then(desk: Desk) -> None:
    desk.ask(QUESTION, "On 27 November.", words=("--id", "a"))
    app = rested(make_app(desk.root, verb="index"))

    def check() -> tuple[Any, ...]:
        found = index.run(app, parsed(index, "--check")).result
        return found["drift"], found["behind"].get("interaction_taxonomy", 0)

    index.run(app, parsed(index))
    assert check() == ([], 0)
    desk.ask(QUESTION, "Sorry.", words=("--id", "b"))
    drift, behind = check()
    assert [row for row in drift if row["collection"] == "interaction_taxonomy"] == []
    assert behind == 2
    counts = index.run(app, parsed(index)).result["collections"]["interactions"]
    assert counts == {"documents": 2, "upserted": 2, "deleted": 0, "unchanged": 0}
    assert check() == ([], 0)
