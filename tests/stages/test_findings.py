"""What doctor, why and the ledger say when something needs a hand or has failed."""

from __future__ import annotations

import json
import socket
import subprocess
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from adjutant import commands, runner
from adjutant.domain.heartbeat import marking
from adjutant.domain.telemetry import outside
from adjutant.domain.telling import notices
from adjutant.errors import AdjutantError
from adjutant.records import insights
from adjutant.records.insights import Insight
from adjutant.stages import doctor, why
from tests.conftest import NOW, TestedApp, make_app

PULSE = Namespace(full=False, estimate=False)


def closed_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def checks(app: TestedApp) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in doctor.run(app, Namespace()).result["checks"]}


def test_doctor_looks_at_telegram_also_where_no_model_is_asked(tmp_path: Path) -> None:
    base = f"http://127.0.0.1:{closed_port()}"
    more: dict[str, Any] = {"notifications__channel": "telegram", "messaging__telegram__api_base": base}
    found = checks(make_app(tmp_path, secrets={"TELEGRAM_CHAT_ID": "7"}, **more))
    assert found["telegram"]["detail"] == "TELEGRAM_BOT_TOKEN not set"
    assert not found["telegram"]["ok"]
    assert not found["telegram server"]["ok"]
    assert base.removeprefix("http://") in found["telegram server"]["detail"]


def test_doctor_names_two_knowledge_bases_that_are_one_folder(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "again").symlink_to("home")
    registry = tmp_path / "knowledge_bases" / "registry.yaml"
    registry.parent.mkdir()
    entries = "- {name: home, path: home}\n- {name: again, path: again}\n"
    registry.write_text(entries)
    found = checks(make_app(tmp_path))
    assert found["kb home"]["ok"]
    assert not found["kb again"]["ok"]
    assert found["kb again"]["detail"].startswith("the same folder as home")
    assert found["kb again"]["fix"] == "adjutant kb remove again"
    registry.write_text(entries.replace("path: again", "path: again, enabled: false"))
    assert all(found["ok"] for name, found in checks(make_app(tmp_path)).items() if name.startswith("kb "))


def test_doctor_names_a_tracked_file_with_a_secret_of_another_program(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SHOP_LOGIN=x9!kitty\n")
    (tmp_path / "shop.sh").write_text("login x9!kitty\n")
    for words in (["init", "-q"], ["add", "shop.sh"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    assert checks(make_app(tmp_path))["tracked"]["detail"] == "a secret stands in shop.sh"


def test_doctor_names_an_address_that_is_none(tmp_path: Path) -> None:
    found = checks(make_app(tmp_path, llm__backend="openai", llm__models__cheap="m", llm__base_url="http://x:port/v1"))
    assert not found["model"]["ok"]
    assert found["model"]["detail"].startswith("no usable address")


@pytest.mark.parametrize("backend", ["anthropic", "claude"])
def test_doctor_asks_for_the_key_of_a_hosted_model_and_of_no_other(tmp_path: Path, backend: str) -> None:
    hosted: dict[str, Any] = {"llm__backend": backend, "llm__models__cheap": "m"}
    ((_, problem, _, fix),) = outside.key(make_app(tmp_path, **hosted))
    assert problem.startswith("ANTHROPIC_API_KEY is not set")
    assert ".env" in fix
    ((_, problem, good, _),) = outside.key(make_app(tmp_path, secrets={"ANTHROPIC_API_KEY": "k"}, **hosted))
    assert not problem
    assert good == "ANTHROPIC_API_KEY is set"
    assert not list(outside.key(make_app(tmp_path, llm__base_url="http://127.0.0.1:1/v1", **hosted)))
    assert not list(outside.key(make_app(tmp_path)))


@pytest.mark.parametrize(
    ("backend", "api"),
    [
        ("openai", "openai"),
        ("anthropic", "anthropic"),
        ("opencode", "openai"),
        ("claude", "anthropic"),
    ],
)
def test_doctor_looks_at_the_server_of_every_backend(tmp_path: Path, backend: str, api: str) -> None:
    settings: dict[str, Any] = {"llm__backend": backend, "llm__models__cheap": "m"}
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        assert checks(make_app(tmp_path, llm__base_url=base, **settings))["model"]["detail"] == f"{api} can be reached"
    assert not checks(make_app(tmp_path, llm__base_url=base, **settings))["model"]["ok"]


@pytest.mark.parametrize(("command", "ok"), [("cat", True), ("bin/tell me", True), ("no-such-program", False)])
def test_doctor_looks_for_the_program_that_takes_notices(tmp_path: Path, command: str, ok: bool) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tell").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "tell").chmod(0o755)
    app = make_app(tmp_path, notifications__channel="command", notifications__command=command)
    assert checks(app)["notifications.command"]["ok"] is ok


def test_doctor_names_a_damaged_insight_that_was_handled(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    app.files.create(app.tree.sent_insight("2026-11-19-0900.md"), "---\nseverity: [\n---\n\ntext\n")
    assert "insights/sent/2026-11-19-0900.md:" in checks(app)["insight 2026-11-19-0900.md"]["detail"]


def test_why_tells_what_came_of_a_notice_after_it_was_marked_and_tried_again(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    made = Insight(
        kb="home",
        title="The boiler leaks",
        why="wet",
        severity="high",
        fingerprint="f",
        created=app.clock.now().isoformat(),
    )
    name = insights.file(app.files, made, app.clock.now())
    for _ in range(2):
        notices.Notices(app).send("The boiler leaks · today · b2aa", "k", "escalation", insight=name)
    marking.apply(app.files, "k", "useful", None, now=app.clock.now(), run=app.run)
    chain = why.run(app, Namespace(what="k")).result["chain"]
    assert (chain[0]["text"], chain[1]["id"]) == ("sent: The boiler leaks · today · b2aa", name)


def failed(app: TestedApp, verb: str) -> list[dict[str, Any]]:
    """The ledger after a run of a verb that fails."""
    row = commands.ROWS[verb]
    with pytest.raises(AdjutantError):
        runner.run(row, Namespace(**vars(PULSE), **row.preset), app)
    return [json.loads(line) for line in Path(app.tree.actions).read_text().splitlines()]


@pytest.mark.parametrize(
    ("verb", "keys"),
    [
        ("pulse", ["ts", "type", "kbs_checked", "issues_found", "escalated", "run", "status", "error"]),
        ("review", ["ts", "type", "kbs_checked", "insights_sent", "recommendations", "run", "status", "error"]),
        (
            "reflect",
            ["ts", "type", "kbs_checked", "insights_sent", "recommendations", "tier", "run", "status", "error"],
        ),
    ],
)
def test_a_failed_step_has_the_keys_of_its_record_in_order(tmp_path: Path, verb: str, keys: list[str]) -> None:
    app = make_app(tmp_path, verb=verb)
    app.files.replace(app.tree.registry, "- name: [\n")
    (record,) = failed(app, verb)
    assert list(record) == keys
    assert (record["type"], record["status"]) == ("pulse" if verb == "pulse" else "review", "failed")
    assert record["error"].startswith("knowledge_bases/registry.yaml:")


def test_a_bug_in_a_step_leaves_its_line_in_the_ledger(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    row = commands.Verb("pulse", "a step that is not there", "lock:heartbeat steps:nowhere")
    with pytest.raises(ModuleNotFoundError):
        runner.run(row, PULSE, app)
    record = json.loads(Path(app.tree.actions).read_text())
    assert (record["status"], record["error"]) == ("failed", "a bug in adjutant (ModuleNotFoundError)")


def test_doctor_names_a_stage_that_keeps_failing_until_it_has_run_well(tmp_path: Path) -> None:
    app = make_app(tmp_path, verb="doctor")
    for number in range(2):
        app.files.append(app.tree.actions, {"ts": NOW, "type": "pulse", "status": "failed", "run": f"r{number}"})
    assert checks(app)["stage pulse"]["detail"] == "its last 2 runs failed"
    app.files.append(app.tree.actions, {"ts": NOW, "type": "pulse", "kbs_checked": [], "run": "r9"})
    assert "stage pulse" not in checks(app)
