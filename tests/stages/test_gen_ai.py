"""Spans by OpenTelemetry's names for generative AI: who was asked, what it cost, which tools; and nobody's words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.recall.sources import logs
from adjutant.domain.telemetry import spans
from adjutant.models.talking import NO_NAME, Calls, ChatStream, MessageStream
from tests.conftest import adjutant
from tests.turning import APIS, Desk, calls

WORD = "marzipan"


def written(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / "state" / "events.jsonl").read_text().splitlines()]


@pytest.fixture(params=APIS)
def told(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """{name: attributes} of the spans of one turn with tools, over either API."""
    desk = Desk(tmp_path, request.param)
    desk.ask(
        f"Where is the {WORD}?",
        calls(
            ("memory_save", {"content": f"The {WORD} is in the cellar."}),
            ("memory_search", {"query": WORD}),
            (f"eat_{WORD}", {"what": WORD}),
        ),
        f"The {WORD} is in the cellar.",
        words=("--session", "kitchen"),
    )
    spans.flush(desk.app)
    found = {line["name"]: line["attributes"] | {"api": request.param} for line in written(tmp_path)}
    assert WORD not in json.dumps(written(tmp_path)), "no span holds what anybody said"
    return found


def test_a_call_of_a_model_names_provider_model_and_cost(told: dict[str, dict[str, Any]]) -> None:
    call = told["chat m"]
    assert call["gen_ai.operation.name"] == "chat"
    assert call["gen_ai.provider.name"] == call["api"]
    assert call["gen_ai.request.model"] == call["gen_ai.response.model"] == "m"
    assert (call["gen_ai.usage.input_tokens"], call["gen_ai.usage.output_tokens"]) == (11, 7)


def test_a_turn_names_agent_and_conversation(told: dict[str, dict[str, Any]]) -> None:
    turn = told["turn conductor"]
    assert turn["gen_ai.operation.name"] == "invoke_agent"
    assert (turn["gen_ai.agent.name"], turn["gen_ai.conversation.id"]) == ("conductor", "kitchen")
    assert "session" not in turn and "model" not in turn, "one name for one thing"


def test_tools_are_named_and_one_that_a_model_made_up_is_not(told: dict[str, dict[str, Any]]) -> None:
    tools = {name for name in told if name.startswith("execute_tool ")}
    assert tools == {"execute_tool memory_save", "execute_tool memory_search", "execute_tool unknown"}
    assert told["execute_tool memory_save"]["gen_ai.tool.name"] == "memory_save"
    assert told["create_memory"]["gen_ai.operation.name"] == "create_memory"


def test_a_look_into_the_notes_alone_is_a_search_of_memory(tmp_path: Path) -> None:
    adjutant("init", str(tmp_path / "mine"), check=0)
    adjutant("memory", "save", "Tea is at four.", cwd=tmp_path / "mine", check=0)
    adjutant("memory", "search", "tea", cwd=tmp_path / "mine", check=0)
    adjutant("search", "tea", cwd=tmp_path / "mine", check=0)
    found = [line["attributes"]["gen_ai.operation.name"] for line in written(tmp_path / "mine")]
    assert found[0] == "create_memory"
    assert found[-2:] == ["search_memory", "retrieval"]


@pytest.mark.parametrize("model", [None, 7, ["m"], "m\n\u202e" + "x" * 200])
def test_a_model_s_name_is_no_more_than_a_name(model: Any) -> None:
    made = Calls((), str, NO_NAME)
    made.came_from(model)
    assert made.model.isascii()
    assert made.model.isprintable()
    assert len(made.model) <= 64


def test_a_streamed_answer_names_its_model_too() -> None:
    chat, message = ChatStream(), MessageStream()
    chat.feed(b'data: {"model": "m-1", "choices": [{"delta": {"content": "x"}}]}\n\ndata: {"choices": []}\n\n')
    message.feed(b'data: {"type": "message_start", "message": {"model": "m-2"}}\n\n')
    assert chat.whole()["model"] == "m-1"
    assert message.whole()["model"] == "m-2"


def test_a_line_of_an_older_release_is_still_read() -> None:
    old = {"span_id": "ab12", "name": "turn conductor", "start": 1, "attributes": {"session": "cli", "model": "m"}}
    [made] = logs.events("state/events.jsonl", json.dumps(old).encode() + b"\n")
    assert made.title == "turn conductor"
    assert "cli" in made.text
