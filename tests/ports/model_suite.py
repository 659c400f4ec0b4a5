"""What every route to a model keeps to, whatever carries it: run on a scripted server over loopback."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from adjutant.errors import Stopped
from adjutant.ports import Model, ModelFailed, Prompt, Reply
from tests.modelserver import ModelServer

KEY = "sk-test-canary-0123456789"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
ANSWER = '{"a": 1}'


class Waits:
    """A clock that only sleeping moves, so that pauses between tries cost no time."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def now(self) -> float:
        return time.monotonic() + sum(self.slept)


def prompt(
    timeout: float = 20.0,
    max_tokens: int = 50,
    temperature: float = 0.1,
    schema: dict[str, Any] | None = SCHEMA,
) -> Prompt:
    return Prompt(
        "tiny",
        "You answer.",
        "What is a?",
        schema=schema,
        model="small",
        temperature=temperature,
        max_tokens=max_tokens,
        timeout=timeout,
    )


def closed() -> str:
    """A base where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def allowed() -> None:
    """A gate that is open."""


class ModelTests:
    """The contract of a route. `make` builds it, with two retries, for the scripted server at `url`.

    `request`: seconds one request may take. `variable` names the secret that holds the key. `patience`: seconds that
    are given where a question is meant to fail for want of time; `slack`: how much later it may be noticed.
    `most`: requests that one question may make where each fails.
    """

    variable = ""
    patience = 0.5
    slack = 1.0
    most = 3

    def make(
        self,
        url: str,
        waits: Waits,
        gate: Callable[[], None] = allowed,
        request: float = 20.0,
        key: str | None = KEY,
    ) -> Model:
        raise AssertionError("each route says how it is built")

    def ask(
        self,
        waits: Waits,
        *script: str,
        timeout: float = 20.0,
        request: float = 20.0,
    ) -> tuple[Reply, ModelServer]:
        with ModelServer(script, ANSWER) as server:
            return self.make(server.url, waits, request=request).complete(prompt(timeout)), server

    def fails(
        self,
        waits: Waits,
        *script: str,
        timeout: float = 20.0,
        request: float = 20.0,
    ) -> tuple[ModelFailed, ModelServer]:
        with ModelServer(script, ANSWER) as server, pytest.raises(ModelFailed) as failed:
            self.make(server.url, waits, request=request).complete(prompt(timeout))
        shown = f"{failed.value} {failed.value.detail} {failed.value.__cause__!r} {failed.value.__context__!r}"
        assert KEY not in shown, "the key stands in an exception"
        return failed.value, server

    def test_a_good_answer_comes_back_as_it_was_written_and_counted(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "well")
        assert reply.text == ANSWER
        assert server.requests
        assert reply.tokens_in > 0
        assert reply.tokens_out > 0

    def test_without_a_schema_words_are_asked_for_and_come_back_as_they_are(self, waits: Waits) -> None:
        said = "Two things are due:\n\n- the {tax} return\n- **milk** \u00e6"
        with ModelServer(["well"], said) as server:
            assert self.make(server.url, waits).complete(prompt(60.0, schema=None)).text.strip() == said
        body = json.dumps(server.requests[0].body)
        assert "What is a?" in body
        assert "You answer." in body
        assert "JSON Schema" not in body
        assert "json_schema" not in body
        assert '"tiny"' not in body

    def test_the_gate_is_asked_before_anything_goes_out(self, waits: Waits) -> None:
        def gate() -> None:
            raise Stopped("paused")

        with ModelServer(["well"], ANSWER) as server, pytest.raises(Stopped):
            self.make(server.url, waits, gate).complete(prompt())
        assert server.requests == []

    @pytest.mark.parametrize("mode", ["429", "500"])
    def test_a_server_that_is_busy_or_breaks_once_is_asked_again(self, waits: Waits, mode: str) -> None:
        reply, server = self.ask(waits, mode, "well")
        assert reply.text == ANSWER
        assert len(server.requests) >= 2

    def test_a_server_that_breaks_for_ever_is_left_after_a_few_tries(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "500")
        assert failed.cause == "http"
        assert 1 <= len(server.requests) <= self.most

    def test_a_server_that_hangs_is_left_at_the_deadline(self, waits: Waits) -> None:
        began = time.monotonic()
        failed, server = self.fails(waits, "hang", timeout=self.patience)
        assert failed.cause == "timeout"
        assert server.requests
        assert 0.8 * self.patience < time.monotonic() - began < self.patience + self.slack

    def test_nobody_listening_is_said_soon(self, waits: Waits) -> None:
        began = time.monotonic()
        with pytest.raises(ModelFailed) as failed:
            self.make(closed(), waits).complete(prompt())
        assert failed.value.cause == "unreachable"
        assert time.monotonic() - began < self.patience + self.slack

    def test_a_key_that_is_not_accepted_is_named_by_its_variable(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "401")
        assert failed.cause == "http"
        assert self.variable in failed.detail
        assert "401" in failed.detail
        assert len(server.requests) == 1

    def test_a_server_that_recites_the_key_does_not_get_it_into_the_reply(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "echo")
        assert KEY in str(server.requests[0].headers)
        assert KEY not in reply.text
        assert "***" in reply.text

    def test_an_answer_cut_in_the_middle_is_no_answer(self, waits: Waits) -> None:
        assert self.ask(waits, "cut", "well")[0].text == ANSWER
        failed, server = self.fails(waits, "cut")
        assert failed.cause == "malformed"
        assert 1 <= len(server.requests) <= self.most
