"""Conformance of the routes over HTTP, and what each says in its own API."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import requests

from adjutant.models.anthropic import Anthropic
from adjutant.models.openai import OpenAI
from adjutant.ports import ModelFailed, Prompt, Reply
from tests.modelserver import ModelServer
from tests.ports.http_suite import HttpModelTests
from tests.ports.model_suite import ANSWER, KEY, SCHEMA, ModelTests, Waits, allowed, prompt


class TestOpenAI(HttpModelTests):
    adapter = OpenAI
    variable = "OPENAI_API_KEY"
    address = "/v1/chat/completions"
    header = ("authorization", f"Bearer {KEY}")
    schema = ("response_format", "no-response-format")

    def system(self, body: Mapping[str, Any]) -> str:
        text: str = body["messages"][0]["content"]
        return text

    def test_the_request_carries_model_schema_and_limits(self, waits: Waits) -> None:
        _, server = self.ask(waits, "well")
        assert server.requests[0].body == {
            "model": "small", "stream": False, "temperature": 0.1, "max_tokens": 50,
            "response_format": {
                "type": "json_schema", "json_schema": {"name": "tiny", "strict": True, "schema": SCHEMA},
            },
            "messages": [{"role": "system", "content": "You answer."}, {"role": "user", "content": "What is a?"}],
        }

    def test_newer_names_are_learnt(self, waits: Waits) -> None:
        with ModelServer(["no-max-tokens", "no-temperature", "well"], ANSWER) as server:
            assert self.make(server.url, waits).complete(prompt()).text == ANSWER
        last = server.requests[-1].body
        assert last["max_completion_tokens"] == 50 and "max_tokens" not in last and "temperature" not in last


class TestAnthropic(HttpModelTests):
    adapter = Anthropic
    variable = "ANTHROPIC_API_KEY"
    address = "/v1/messages"
    header = ("x-api-key", KEY)
    schema = ("tools", "no-tools")

    def system(self, body: Mapping[str, Any]) -> str:
        text: str = body["system"]
        return text

    def test_the_request_carries_model_schema_and_limits(self, waits: Waits) -> None:
        _, server = self.ask(waits, "well")
        assert server.requests[0].headers["anthropic-version"] == "2023-06-01"
        assert server.requests[0].body == {
            "model": "small", "stream": False, "temperature": 0.1, "max_tokens": 50, "thinking": {"type": "disabled"},
            "tools": [{"name": "tiny", "input_schema": SCHEMA}], "tool_choice": {"type": "tool", "name": "tiny"},
            "system": "You answer.", "messages": [{"role": "user", "content": "What is a?"}],
        }

    @pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
    def test_a_base_with_or_without_its_version_is_understood(self, waits: Waits, ending: str) -> None:
        with ModelServer(["well"], ANSWER) as server:
            model = self.make(server.url.removesuffix("/v1") + ending, waits)
            assert model.complete(prompt()).text == ANSWER
        assert server.requests[0].path == "/v1/messages"

    def test_whatever_a_model_refuses_is_left_out_one_after_the_other(self, waits: Waits) -> None:
        with ModelServer(["no-temperature", "no-thinking", "no-tools"], ANSWER) as server:
            assert self.make(server.url, waits).complete(prompt()).text == ANSWER
        last = server.requests[-1].body
        assert len(server.requests) == 4 and waits.slept == []
        assert not {"temperature", "thinking", "tools", "tool_choice"} & last.keys()

    def test_no_temperature_is_higher_than_the_api_takes(self, waits: Waits) -> None:
        with ModelServer(["well"], ANSWER) as server:
            self.make(server.url, waits).complete(prompt(temperature=1.6))
        assert server.requests[0].body["temperature"] == 1.0

    def test_words_beside_the_tool_are_not_the_answer(self, waits: Waits) -> None:
        model = self.make("http://127.0.0.1:9", waits)
        used = {"type": "tool_use", "id": "t", "name": "tiny", "input": {"a": "\u00e6"}}
        found = {"content": [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": "So: {}"}, used, used]}
        assert model.read(found)[0] == json.dumps({"a": "\u00e6"}, ensure_ascii=False)

    def test_a_refusal_is_an_empty_reply_that_has_cost_tokens(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "refusal")
        assert (reply.text, reply.tokens_in, reply.tokens_out) == ("", 11, 7) and len(server.requests) == 1


class Careless:
    """A route that keeps to nothing: it asks unasked and once, waits too long, counts nothing and tells the key."""

    backend = "careless"

    def __init__(self, url: str) -> None:
        self.address = f"{url}/chat/completions"

    def complete(self, prompt: Prompt) -> Reply:
        try:
            answer = requests.post(self.address, json={}, headers={"Authorization": f"Bearer {KEY}"}, timeout=1.6)
            answer.raise_for_status()
        except requests.RequestException as error:
            raise ModelFailed("malformed", f"{error} for {KEY}") from error
        return Reply(answer.json()["choices"][0]["message"]["content"], 0, 0)


class CarelessTests(ModelTests):
    variable = "OPENAI_API_KEY"

    def make(
        self, url: str, waits: Waits, gate: Callable[[], None] = allowed, request: float = 20.0, key: str | None = KEY,
    ) -> Careless:
        return Careless(url)


@pytest.mark.parametrize("name", [name for name in vars(ModelTests) if name.startswith("test_")])
def test_every_test_of_the_contract_finds_a_careless_route(name: str, waits: Waits) -> None:
    test = getattr(CarelessTests(), name)
    more = {"mode": "500"} if "mode" in inspect.signature(test).parameters else {}
    with pytest.raises((AssertionError, ModelFailed, pytest.fail.Exception)):
        test(waits, **more)
