"""A cycle and a question through the Messages API, from the command line to the files it leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.modelserver import ModelServer
from tests.system.test_model import CANARY, competent, holders, prompt
from tests.system.world import World, mannered, readable

KEY = f"sk-ant-{CANARY}"
LINE = "- [ ] Pay the deposit for the oven to Halvorsen, Ina, due 2026-11-17"


def tool(body: dict[str, Any]) -> str:
    """Which judgement a request is."""
    name: str = body["tool_choice"]["name"]
    assert [name] == [held["name"] for held in body["tools"]]
    return name


def answer(body: dict[str, Any]) -> str:
    """To the point: the line that is asked for, or whatever a competent model says."""
    if tool(body) != "answer":
        return competent({**body, "response_format": {"json_schema": {"name": tool(body)}}})
    assert LINE in prompt(body)
    cited = {"path": "tasks.md", "line": 3, "quote": LINE}
    return json.dumps({"known": True, "answer": "Ina pays it.", "citations": [cited]})


def use(world: World, server: ModelServer) -> None:
    world.settings(
        llm__backend="anthropic",
        llm__base_url=server.url.removesuffix("/v1"),
        llm__models__cheap="m",
        llm__timeout_seconds=3,
        llm__max_retries=1,
    )


def test_a_cycle_and_a_question_are_answered_by_the_model_and_the_key_stays_where_it_is(world: World) -> None:
    world.secrets(ANTHROPIC_API_KEY=KEY)
    with ModelServer(answer=answer) as server:
        use(world, server)
        pulse = world.result("pulse")
        told = world.result("kb", "query", "bakery", "who pays the deposit for the oven?")
        checks = {check["name"]: check for check in world.result("doctor")["checks"]}
        shown = world.run("runs", "show", "last")
    assert pulse["degraded"] is None
    assert pulse["issues"][0]["title"] == "Matter of L2"
    assert pulse["tokens"] == 18
    assert told["backend"] == "anthropic"
    assert told["answer"] == "Ina pays it."
    assert told["citations"][0]["quote"] == LINE
    assert [tool(request.body) for request in server.requests] == ["pulse", "answer"]
    assert {request.path for request in server.requests} == {"/v1/messages"}
    assert {request.headers["x-api-key"] for request in server.requests} == {KEY}
    assert all("authorization" not in request.headers for request in server.requests)
    usage = world.records("usage")
    assert [(record["tokens_in"], record["tokens_out"]) for record in usage] == [(11, 7)] * 2
    assert checks["model"] == {
        "name": "model",
        "ok": True,
        "detail": "anthropic can be reached",
        "fix": "check llm.base_url, the key and the server",
    }
    mannered(shown)
    readable(world)
    assert CANARY not in shown.out + shown.err
    assert holders(world.root) == []


@pytest.mark.parametrize("mode", ["401", "echo"])
def test_a_server_that_recites_the_key_gets_it_into_no_file_and_no_output(world: World, mode: str) -> None:
    world.secrets(ANTHROPIC_API_KEY=KEY)
    with ModelServer([mode], answer=answer) as server:
        use(world, server)
        said = [world.run(*words) for words in (("pulse", "--json"), ("runs", "show", "last", "--json"))]
    assert said[0].json["result"]["degraded"] == ("http" if mode == "401" else "malformed")
    assert said[0].json["result"]["issues"]
    assert server.requests
    for ran in said:
        mannered(ran)
        assert CANARY not in ran.out + ran.err
    assert holders(world.root) == []
    kept = "".join(path.read_text() for path in Path(world.root, "state", "runs").rglob("*.json"))
    assert mode != "401" or "ANTHROPIC_API_KEY" in kept, "why it failed is told by the name of the secret"


def test_a_model_that_refuses_what_newer_ones_refuse_is_still_heard(world: World) -> None:
    with ModelServer(["no-temperature", "no-thinking", "well"], answer=answer) as server:
        use(world, server)
        assert world.result("pulse")["degraded"] is None
    assert not {"temperature", "thinking"} & server.requests[-1].body.keys()
