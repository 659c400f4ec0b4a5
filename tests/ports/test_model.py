"""Conformance of the routes over HTTP, and what each says in its own API."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest
import requests

from adjutant.models.apis import Anthropic, OpenAI
from adjutant.models.talking import Calls
from adjutant.ports import ModelFailed, Prompt, Reply
from tests.modelapis import Said
from tests.modelserver import ModelServer
from tests.ports.http_suite import HttpModelTests
from tests.ports.model_suite import ANSWER, KEY, SCHEMA, ModelTests, Waits, allowed, prompt
from tests.ports.talk_suite import ASKED, ConverserTests, Part, dialogue, result, spoke


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
            "model": "small",
            "stream": False,
            "temperature": 0.1,
            "max_tokens": 50,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "tiny", "strict": True, "schema": SCHEMA},
            },
            "messages": [{"role": "system", "content": "You answer."}, {"role": "user", "content": "What is a?"}],
        }

    def test_newer_names_are_learnt(self, waits: Waits) -> None:
        with ModelServer(["no-max-tokens", "no-temperature", "well"], ANSWER) as server:
            assert self.make(server.url, waits).complete(prompt()).text == ANSWER
        last = server.requests[-1].body
        assert last["max_completion_tokens"] == 50
        assert "max_tokens" not in last
        assert "temperature" not in last


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
            "model": "small",
            "stream": False,
            "temperature": 0.1,
            "max_tokens": 50,
            "thinking": {"type": "disabled"},
            "tools": [{"name": "tiny", "input_schema": SCHEMA}],
            "tool_choice": {"type": "tool", "name": "tiny"},
            "system": "You answer.",
            "messages": [{"role": "user", "content": "What is a?"}],
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
        assert len(server.requests) == 4
        assert waits.slept == []
        assert not {"temperature", "thinking", "tools", "tool_choice"} & last.keys()

    def test_no_temperature_is_higher_than_the_api_takes(self, waits: Waits) -> None:
        with ModelServer(["well"], ANSWER) as server:
            self.make(server.url, waits).complete(prompt(temperature=1.6))
        assert server.requests[0].body["temperature"] == 1.0

    def test_words_beside_the_tool_are_not_the_answer(self, waits: Waits) -> None:
        model = self.make("http://127.0.0.1:9", waits)
        used = {"type": "tool_use", "id": "t", "name": "tiny", "input": {"a": "\u00e6"}}
        found = {"content": [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": "So: {}"}, used, used]}
        calls = Calls((), str, Anthropic.ids)
        model.hear({**found, "stop_reason": "tool_use"}, calls)
        assert calls.found[0].raw == json.dumps({"a": "\u00e6"}, ensure_ascii=False), "which `complete` takes"

    def test_a_refusal_is_an_empty_reply_that_has_cost_tokens(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "refusal")
        assert (reply.text, reply.tokens_in, reply.tokens_out) == ("", 11, 7)
        assert len(server.requests) == 1


class TestOpenAITalking(ConverserTests):
    adapter = OpenAI
    none = "none"
    thoughts: ClassVar[Mapping[str, Any]] = {"reasoning_content": "He asks what is due."}
    cut = ("length", "refusal")

    def tools(self, body: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
        assert {tool["type"] for tool in body["tools"]} == {"function"}
        made = [tool["function"] for tool in body["tools"]]
        return [(tool["name"], tool["description"], tool["parameters"]) for tool in made]

    def parts(self, body: Mapping[str, Any]) -> list[Part]:
        found: list[Part] = []
        for message in body["messages"][1:]:
            if message["role"] == "tool":
                found.append(("tool", message["tool_call_id"], message["content"]))
                continue
            if message["content"] is not None:
                found.append((message["role"], "text", message["content"]))
            for call in message.get("tool_calls", ()):
                made = [call["function"]["name"], json.loads(call["function"]["arguments"])]
                found.append((message["role"], "call", json.dumps(made)))
        return found

    def system(self, body: Mapping[str, Any]) -> str:
        assert body["messages"][0]["role"] == "system"
        text: str = body["messages"][0]["content"]
        return text

    def test_what_a_server_signs_a_call_with_goes_back_in_that_call(self, waits: Waits) -> None:
        signed = {"google": {"thought_signature": "sig"}}
        call = {"id": "c1", "type": "function", "extra_content": signed, "function": {"name": "search"}}
        said, _ = self.hears(waits, Said("Well.", more={"tool_calls": [call, {**call, "id": "c2"}]}))
        assert [made.arguments for made in said.calls] == [{}, {}], "a tool without arguments may come without any"
        asked = dialogue(ASKED, spoke(said), *(result(made, "x") for made in said.calls))
        _, server = self.hears(waits, "Well.", asked=asked)
        sent = server.requests[0].body["messages"][2]["tool_calls"]
        assert [made["extra_content"] for made in sent] == [signed, signed]

    @pytest.mark.parametrize("given", ["", " \n"])
    def test_no_arguments_at_all_are_those_of_a_tool_without_any(self, waits: Waits, given: str) -> None:
        said, _ = self.hears(waits, [("save", given)])
        assert said.calls[0].arguments == {}
        assert said.calls[0].raw == given

    def test_newer_names_are_learnt_in_a_dialogue_too(self, waits: Waits) -> None:
        with ModelServer(["no-max-tokens", "well"], "Well.") as server:
            self.make(server.url, waits).converse(dialogue())
        assert server.requests[-1].body["max_completion_tokens"] == 50
        assert "tools" in server.requests[-1].body


class TestAnthropicTalking(ConverserTests):
    adapter = Anthropic
    none: ClassVar[Any] = {"type": "none"}
    thoughts: ClassVar[Mapping[str, Any]] = {
        "content": [{"type": "thinking", "thinking": "He asks.", "signature": "sig"}],
    }
    malformed = frozenset({"half", "twice", "constant", "deep", "long number"})

    def tools(self, body: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
        return [(tool["name"], tool["description"], tool["input_schema"]) for tool in body["tools"]]

    def parts(self, body: Mapping[str, Any]) -> list[Part]:
        found: list[Part] = []
        for message in body["messages"]:
            for block in message["content"]:
                if block["type"] == "tool_result":
                    found.append(("tool", block["tool_use_id"], block["content"]))
                elif block["type"] == "tool_use":
                    found.append((message["role"], "call", json.dumps([block["name"], block["input"]])))
                else:
                    found.append((message["role"], "text", block["text"]))
        return found

    def system(self, body: Mapping[str, Any]) -> str:
        text: str = body["system"]
        return text

    def test_nothing_is_thought_unless_the_model_cannot_help_it(self, waits: Waits) -> None:
        with ModelServer(["well", "no-thinking", "well"], "Well.") as server:
            model = self.make(server.url, waits)
            for _ in range(2):
                model.converse(dialogue())
        assert [request.body.get("thinking") for request in server.requests] == [
            {"type": "disabled"},
            {"type": "disabled"},
            None,
        ]

    def test_what_was_broken_off_for_a_refusal_is_neither_said_nor_called(self, waits: Waits) -> None:
        said, _ = self.hears(waits, Said("I would", [("search", {})], ended="refusal"))
        assert said[:2] == ("", ())

    def test_words_after_a_call_say_that_it_was_whole_when_the_reply_was_cut(self, waits: Waits) -> None:
        used = {"type": "tool_use", "id": "t", "name": "search", "input": {"query": "x"}}
        calls = Calls((), str, Anthropic.ids)
        found = {"content": [used, {"type": "text", "text": "And"}], "stop_reason": "max_tokens"}
        assert self.make("http://127.0.0.1:9", waits).hear(found, calls)[0] == "And"
        assert calls.found[0].arguments == {"query": "x"}


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
        self,
        url: str,
        waits: Waits,
        gate: Callable[[], None] = allowed,
        request: float = 20.0,
        key: str | None = KEY,
    ) -> Careless:
        return Careless(url)


@pytest.mark.parametrize("name", [name for name in vars(ModelTests) if name.startswith("test_")])
def test_every_test_of_the_contract_finds_a_careless_route(name: str, waits: Waits) -> None:
    test = getattr(CarelessTests(), name)
    more = {"mode": "500"} if "mode" in inspect.signature(test).parameters else {}
    with pytest.raises((AssertionError, ModelFailed, pytest.fail.Exception)):
        test(waits, **more)
