"""adjutant model: what is there is found, chosen, written down with comments kept, tried; and a day is lived by it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjutant.judgements import trial
from adjutant.store import package
from tests.modelapis import Said
from tests.modelserver import ModelServer
from tests.system.world import World, mannered

Body = dict[str, Any]
RIGHT = [
    ("workshop/inspection.md", 8, "The inspector comes on Thursday 11 March at 10:00."),
    ("club/regatta.md", 7, "Send the entry list to the federation"),
    ("club/regatta.md", 3, "Held on Saturday 20 March"),
    ("club/regatta.md", 8, "Fetch the medals from the engraver by 18 March"),
    ("home/list.md", 4, "Parents' evening on Tuesday 16 March"),
]


def cited(*wrong: tuple[str, int, str]) -> str:
    lines = [{"path": path, "line": line, "quote": quote} for path, line, quote in (*wrong, *RIGHT)]
    return json.dumps({"known": True, "answer": "Five things.", "citations": lines})


def port_of(server: ModelServer) -> str:
    found = re.search(r":(\d+)/", server.url)
    assert found
    return found[1]


def use(world: World, server: ModelServer, *words: str) -> tuple[str, ...]:
    return ("model", "--ports", f"ollama={port_of(server)}", *words)


def test_nothing_there_is_said_with_what_was_looked_for_and_what_to_do(empty: World) -> None:
    before = empty.text("adjutant.yaml")
    envelope = empty.refusal("model", "--ports", "9", check=69)
    assert envelope["error"]["code"] == "model.unavailable"
    assert "port 9" in envelope["error"]["message"]
    assert "Ollama" in envelope["fix"]
    assert "OPENAI_API_KEY" in envelope["fix"]
    assert empty.text("adjutant.yaml") == before


def test_what_is_there_is_listed_and_nothing_is_written_where_nobody_chooses(empty: World) -> None:
    before = empty.text("adjutant.yaml")
    with ModelServer() as server:
        found = empty.result(*use(empty, server))
        assert server.requests == []
    (way,) = found["found"]
    assert (way["name"], way["backend"], way["base_url"], way["models"]) == ("ollama", "openai", server.url, ["small"])
    assert found["chosen"] is None
    assert empty.text("adjutant.yaml") == before


def test_the_chosen_one_is_written_with_every_other_byte_kept_and_is_tried(empty: World) -> None:
    before = empty.text("adjutant.yaml")
    with ModelServer(answer=lambda body: cited()) as server:
        ran = empty.run(*use(empty, server, "--use", "ollama"), check=0)
        told = empty.result(*use(empty, server, "--use", "ollama/small"))
    mannered(ran)
    assert re.search(r"^ollama small: answered in \d+ s, JSON kept, evidence stood 5 of 5$", ran.out, re.MULTILINE)
    assert told["chosen"] == {"name": "ollama", "backend": "openai", "base_url": server.url, "model": "small"}
    assert (told["tried"]["json"], told["tried"]["evidence"]) == (True, "5 of 5")
    changed = {
        "  backend: offline": "  backend: openai",
        "  base_url: null": f'  base_url: "{server.url}"',
        "    cheap: null": "    cheap: small",
    }
    assert empty.text("adjutant.yaml").split("\n") == [changed.get(line, line) for line in before.split("\n")]
    assert "model small over openai; today 2 calls, 36 tokens" in empty.run("status").out


def test_a_byte_order_mark_of_the_settings_stays(empty: World) -> None:
    empty.write("adjutant.yaml", f"\ufeff{empty.text('adjutant.yaml')}")
    with ModelServer(answer=lambda body: cited()) as server:
        empty.result(*use(empty, server, "--use", "small"))
    assert empty.text("adjutant.yaml").startswith("\ufeff")
    assert empty.result("config", "show")["settings"]["llm.models.cheap"] == "small"


def test_a_model_that_keeps_no_form_or_cites_what_does_not_stand_is_told_so(empty: World) -> None:
    with ModelServer(["broken", "well"], answer=lambda body: cited(("a.md", 1, "Nobody wrote this"))) as server:
        told = empty.result(*use(empty, server, "--use", "small"))["tried"]
    assert (told["json"], told["stood"], told["cited"]) == (False, 5, 6)


@pytest.mark.parametrize("mode", ["401", "reset", "html"])
def test_one_that_does_not_answer_is_told_with_the_reason(empty: World, mode: str) -> None:
    with ModelServer([mode]) as server:
        empty.settings(llm__max_retries=0, llm__timeout_seconds=3)
        envelope = empty.refusal(*use(empty, server, "--use", "small"), check=69)
    assert "ollama small: no answer: " in envelope["error"]["message"]
    assert "settings are written" in envelope["fix"]
    assert envelope["error"]["details"]["tried"]["why"]


def test_dearer_models_of_another_server_are_taken_out_and_named(empty: World) -> None:
    empty.settings(
        llm__backend="openai",
        llm__base_url="http://127.0.0.1:9/v1",
        llm__models={"cheap": "a", "medium": "b", "expensive": "small"},
    )
    with ModelServer(answer=lambda body: cited()) as server:
        ran = empty.run(*use(empty, server, "--use", "small"), check=0)
    assert "llm.models.medium was b" in ran.out
    models = empty.result("config", "show")["settings"]
    assert [models[f"llm.models.{tier}"] for tier in ("cheap", "medium", "expensive")] == ["small", None, "small"]


def test_a_name_that_is_not_there_and_a_port_that_is_none_are_usage_errors(empty: World) -> None:
    with ModelServer() as server:
        envelope = empty.refusal(*use(empty, server, "--use", "large"), check=2)
    assert "ollama/small" in envelope["error"]["message"]
    assert "no port" in empty.refusal("model", "--ports", "80x", check=2)["error"]["message"]


def test_the_key_in_env_goes_to_the_server_of_the_settings_and_to_none_that_was_only_found(empty: World) -> None:
    empty.secrets(OPENAI_API_KEY="canary-key-1")
    with ModelServer(answer=lambda body: cited()) as server:
        empty.settings(llm__backend="openai", llm__base_url=server.url, llm__models__cheap="small")
        with ModelServer() as other:
            found = empty.result(*use(empty, other))["found"]
            assert "authorization" not in other.asked[-1]
            assert server.asked[-1]["authorization"] == "Bearer canary-key-1"
    assert {each["name"]: each["models"] for each in found} == {"ollama": ["small"], "configured": ["small"]}


def test_dry_run_and_offline(empty: World) -> None:
    before = empty.text("adjutant.yaml")
    with ModelServer() as server:
        ran = empty.run(*use(empty, server, "--use", "small"), "--dry-run", check=0)
        assert server.requests == []
        assert empty.text("adjutant.yaml") == before
        assert "nothing is written" in ran.out
    empty.result("model", "--use", "offline")
    assert "model none; rules answer" in empty.run("status").out


def test_at_a_terminal_one_question_is_asked(empty: World) -> None:
    with ModelServer(answer=lambda body: cited()) as server:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        child = subprocess.Popen(
            empty.argv(*use(empty, server)),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "ADJUTANT_NOW": empty.now},
        )
        os.close(slave)
        told = b""
        until = time.monotonic() + 30
        while b"Which one?" not in told and time.monotonic() < until:
            told += os.read(master, 4096)
        os.write(master, b"1\n")
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            told += piece
            if not piece:
                break
        assert child.wait(30) == 0, told
        os.close(master)
    assert told.decode().count("Which one?") == 1
    assert "evidence stood 5 of 5" in told.decode()
    assert "cheap: small" in empty.text("adjutant.yaml")


# -- a day of an invented life -------------------------------------------------------------------------------


def test_without_a_model_the_day_is_lived_by_rules(empty: World) -> None:
    ran = empty.run("model", "test", check=0)
    head, line, hint = ran.out.strip().split("\n")
    assert head.split() == ["told", "P", "told", "R", "severity", "calls", "tokens", "seconds", "money"]
    assert line.startswith("rules alone")
    assert "adjutant model" in hint
    (day,) = empty.result("model", "test")["days"]
    assert day["musts"] == 5
    assert day["calls"] == 0
    assert day["told"] >= 1
    assert 0 <= day["precision"] <= 1


def test_the_day_is_lived_with_the_model_in_an_instance_of_its_own(empty: World) -> None:
    empty.secrets(OPENAI_API_KEY="canary-key-1")
    tree = sorted(path for path in empty.root.rglob("*") if "state" not in path.parts)
    seen: list[str] = []

    def answer(body: Body) -> Said | str:
        seen.append(json.dumps(body))
        return "{}"

    with ModelServer(answer=answer) as server:
        empty.settings(
            llm__backend="openai",
            llm__base_url=server.url,
            llm__models__cheap="small",
            llm__prices={"small": {"in": 100, "out": 100}},
        )
        ran = empty.run("model", "test", timeout=120)
        assert {request.headers["authorization"] for request in server.requests} == {"Bearer canary-key-1"}
    _, line, rules, *more = ran.out.strip().split("\n")
    assert line.startswith("small over openai")
    assert line.endswith(" USD")
    assert rules.startswith("rules alone")
    assert "rules answered in its place" in more[0], "what it said was no answer, and that is told"
    assert sorted(path for path in empty.root.rglob("*") if "state" not in path.parts) == tree
    assert "Bakery" not in "".join(seen)
    assert "foam extinguisher" in "".join(seen)
    assert f"today {len(server.requests)} calls" in empty.run("status").out


def issue(number: int, label: dict[str, Any], severity: str | None = None) -> dict[str, Any]:
    evidence = [{"path": label["path"], "line": label["lines"][-1], "quote": "x"}]
    return {
        "id": f"i{number}",
        "kb": label["kb"],
        "severity": severity or label.get("severity", "high"),
        "evidence": evidence,
    }


@pytest.mark.parametrize(
    ("chosen", "told", "row"),
    [
        (lambda labels: labels["musts"], range(5), (1.0, 1.0, "5 of 5")),
        (lambda labels: labels["musts"], range(2), (1.0, 0.4, "5 of 5")),
        (lambda labels: [*labels["musts"], *labels["mays"]], range(8), (1.0, 1.0, "5 of 5")),
        (lambda labels: [*labels["musts"][:3], labels["silent"][0]], range(4), (0.75, 0.6, "3 of 3")),
        (lambda labels: [], range(0), (None, 0.0, "0 of 0")),
    ],
)
def test_a_day_is_scored_by_what_reached_the_person(
    chosen: Callable[[dict[str, Any]], list[dict[str, Any]]], told: range, row: tuple[float | None, float, str]
) -> None:
    text = package.text("instance", "trial", "labels.json")
    issues = [issue(number, label) for number, label in enumerate(chosen(json.loads(text)))]
    labels = json.loads(text)
    day = trial._score(labels, {"issues": issues}, {f"i{n}" for n in told}, {})
    assert (day["precision"], day["recall"], f"{day['grave']} of {day['graded']}") == row


def test_a_program_that_is_there_is_offered_over_a_server_that_it_can_ask(empty: World, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("opencode", "claude"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    with ModelServer() as server:
        found = empty.result(*use(empty, server), PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")["found"]
    ways = {each["name"]: each for each in found}
    assert ways["opencode"]["base_url"] == server.url
    assert ways["opencode"]["models"] == ["small"]
    assert ways["claude"]["models"] == []
    assert "ANTHROPIC_API_KEY" in ways["claude"]["why"]


def test_every_label_of_the_day_names_a_line_that_is_there() -> None:
    labels = json.loads(package.text("instance", "trial", "labels.json"))
    places = [
        (label["kb"], label["path"], line)
        for kind in ("musts", "mays", "silent")
        for label in labels[kind]
        for line in label["lines"]
    ]
    assert len(places) == len(set(places))
    assert {kb for kb, _, _ in places} == set(labels["bases"])
    for kb, path, line in places:
        text = package.text("instance", "trial", kb, *path.split("/")).split("\n")
        assert text[line - 1].strip(), (kb, path, line)
