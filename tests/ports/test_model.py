"""Conformance of every route to a model, run on a scripted server over loopback."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from adjutant.errors import Stopped
from adjutant.models.openai import OpenAI
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


def prompt(timeout: float = 20.0, max_tokens: int = 50) -> Prompt:
    return Prompt(
        "tiny", "You answer.", "What is a?", schema=SCHEMA, model="small", temperature=0.1, max_tokens=max_tokens,
        timeout=timeout,
    )


def openai(
    url: str, waits: Waits, key: str | None = KEY, gate: Callable[[], None] = lambda: None,
    request: float = 20.0,
) -> OpenAI:
    return OpenAI(
        url, key, sleep=waits.sleep, monotonic=waits.now, jitter=lambda: 1.0, gate=gate, timeout=request, max_retries=2,
    )


@pytest.fixture
def waits() -> Waits:
    return Waits()


class ModelTests:
    """What every adapter keeps to. `make` builds it, with two retries, for the scripted server.

    `request`: seconds one request may take; `timeout`: seconds for all of them together.
    """

    def make(
        self, url: str, waits: Waits, gate: Callable[[], None] = lambda: None, request: float = 20.0,
    ) -> Model:
        raise AssertionError("each adapter says how it is built")

    def ask(
        self, waits: Waits, *script: str, timeout: float = 20.0, request: float = 20.0,
    ) -> tuple[Reply, ModelServer]:
        with ModelServer(script, ANSWER) as server:
            return self.make(server.url, waits, request=request).complete(prompt(timeout)), server

    def fails(
        self, waits: Waits, *script: str, timeout: float = 20.0, request: float = 20.0,
    ) -> tuple[ModelFailed, ModelServer]:
        with ModelServer(script, ANSWER) as server, pytest.raises(ModelFailed) as failed:
            self.make(server.url, waits, request=request).complete(prompt(timeout))
        assert KEY not in str(failed.value) + repr(failed.value.__cause__) + failed.value.detail
        return failed.value, server

    def test_a_good_answer_comes_back_as_it_was_written_and_counted(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "well")
        assert (reply.text, reply.tokens_in, reply.tokens_out) == (ANSWER, 11, 7)
        assert len(server.requests) == 1

    def test_prose_and_fences_are_handed_on_for_the_parser_to_judge(self, waits: Waits) -> None:
        assert ANSWER in self.ask(waits, "prose")[0].text
        assert self.ask(waits, "fenced")[0].text.startswith("```json")

    def test_retry_after_is_obeyed_and_then_it_goes_well(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "429", "well")
        assert reply.text == ANSWER and waits.slept == [2.0] and len(server.requests) == 2

    def test_retry_after_beyond_the_deadline_is_not_waited_for(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "429-later")
        assert failed.cause == "http" and "429" in failed.detail and waits.slept == [] and len(server.requests) == 1

    def test_500_for_ever_ends_after_the_retries(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "500")
        assert failed.cause == "http" and len(server.requests) == 3 and len(waits.slept) == 2
        assert waits.slept[1] > waits.slept[0]

    def test_500_once_is_overcome(self, waits: Waits) -> None:
        assert self.ask(waits, "500", "well")[0].text == ANSWER

    @pytest.mark.parametrize("mode", ["hang", "drip"])
    def test_a_server_that_hangs_or_drips_is_left_at_the_deadline(self, waits: Waits, mode: str) -> None:
        began = time.monotonic()
        failed, server = self.fails(waits, mode, timeout=0.5)
        assert failed.cause == "timeout" and 0.4 < time.monotonic() - began < 1.5
        assert len(server.requests) == 1 and waits.slept == []

    @pytest.mark.parametrize("mode", ["hang", "drip"])
    def test_a_request_that_took_too_long_is_given_up_and_made_again(self, waits: Waits, mode: str) -> None:
        reply, server = self.ask(waits, mode, "well", request=1.0)
        assert reply.text == ANSWER and len(server.requests) == 2 and len(waits.slept) == 1

    @pytest.mark.parametrize("mode", ["hang", "drip"])
    def test_a_server_that_hangs_for_ever_is_given_up_after_the_retries(self, waits: Waits, mode: str) -> None:
        began = time.monotonic()
        failed, server = self.fails(waits, mode, request=0.4)
        assert failed.cause == "timeout" and len(server.requests) == 3 and len(waits.slept) == 2
        assert 3 * 0.4 <= time.monotonic() - began < 3 * 0.4 + 1.0

    def test_a_later_try_gets_no_more_than_what_is_left_of_the_whole(self, waits: Waits) -> None:
        began = waits.now()
        failed, server = self.fails(waits, "hang", timeout=1.2, request=0.7)
        assert failed.cause == "timeout" and len(server.requests) == 2
        assert 1.1 < waits.now() - began < 1.2 + 0.5, "pauses counted; two whole requests would take 1.6"

    def test_no_request_is_made_when_the_pause_before_it_uses_up_the_time(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "hang", timeout=0.5, request=0.4)
        assert failed.cause == "timeout" and len(server.requests) == 1 and waits.slept == []

    def test_what_fails_in_different_ways_counts_as_tries_alike(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "hang", "500", "reset", "well", request=0.4)
        assert failed.cause == "unreachable" and len(server.requests) == 3

    def test_an_answer_cut_in_the_middle_is_asked_for_again(self, waits: Waits) -> None:
        assert self.ask(waits, "cut", "well")[0].text == ANSWER
        assert self.fails(waits, "cut")[0].cause == "malformed"

    def test_a_connection_closed_without_a_word_is_tried_again(self, waits: Waits) -> None:
        assert self.ask(waits, "reset", "well")[0].text == ANSWER
        assert self.fails(waits, "reset")[0].cause == "unreachable"

    def test_nobody_listening_is_unreachable_after_short_tries(self, waits: Waits) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
            with pytest.raises(ModelFailed) as failed:
                self.make(url, waits).complete(prompt())
        assert failed.value.cause == "unreachable" and len(waits.slept) == 2 and sum(waits.slept) < 1

    @pytest.mark.parametrize("mode", ["html", "no-choices", "deep-body", "huge"])
    def test_what_is_no_completion_is_malformed_and_not_asked_again(self, waits: Waits, mode: str) -> None:
        failed, server = self.fails(waits, mode)
        assert failed.cause == "malformed" and len(server.requests) == 1

    def test_a_deeply_nested_text_is_only_a_text_to_the_adapter(self, waits: Waits) -> None:
        assert self.ask(waits, "deep")[0].text.startswith('{"a":{"a":')

    @pytest.mark.parametrize("mode", ["empty-choices", "null"])
    def test_an_answer_without_words_is_an_empty_reply_that_has_cost_tokens(self, waits: Waits, mode: str) -> None:
        reply, _ = self.ask(waits, mode)
        assert (reply.text, reply.tokens_in, reply.tokens_out) == ("", 11, 7)

    def test_the_declared_content_type_does_not_matter(self, waits: Waits) -> None:
        assert self.ask(waits, "content-type")[0].text == ANSWER

    def test_parts_are_joined(self, waits: Waits) -> None:
        assert self.ask(waits, "parts")[0].text == ANSWER

    @pytest.mark.parametrize("mode", ["no-usage", "odd-usage"])
    def test_tokens_are_estimated_where_the_server_does_not_count(self, waits: Waits, mode: str) -> None:
        reply, _ = self.ask(waits, mode)
        assert (reply.tokens_in, reply.tokens_out) == (len("You answer." + "What is a?") // 4, len(ANSWER) // 4)

    @pytest.mark.parametrize("mode", ["400", "401", "404", "501", "redirect"])
    def test_a_refusal_is_final(self, waits: Waits, mode: str) -> None:
        failed, server = self.fails(waits, mode)
        assert failed.cause == "http" and len(server.requests) == 1 and waits.slept == []

    @pytest.mark.parametrize("mode", ["500", "hang"])
    def test_the_gate_is_asked_before_every_request(self, waits: Waits, mode: str) -> None:
        looks = count(1)

        def gate() -> None:
            if next(looks) == 2:
                raise Stopped("paused")

        with ModelServer([mode], ANSWER) as server, pytest.raises(Stopped):
            self.make(server.url, waits, gate, request=0.4).complete(prompt())
        assert len(server.requests) == 1


class TestOpenAI(ModelTests):
    def make(
        self, url: str, waits: Waits, gate: Callable[[], None] = lambda: None, request: float = 20.0,
    ) -> OpenAI:
        return openai(url, waits, gate=gate, request=request)

    def test_the_request_carries_model_schema_limits_and_key(self, waits: Waits) -> None:
        _, server = self.ask(waits, "well")
        request = server.requests[0]
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.body == {
            "model": "small", "stream": False, "temperature": 0.1, "max_tokens": 50,
            "response_format": {
                "type": "json_schema", "json_schema": {"name": "tiny", "strict": True, "schema": SCHEMA},
            },
            "messages": [{"role": "system", "content": "You answer."}, {"role": "user", "content": "What is a?"}],
        }

    def test_without_a_key_no_authorization_is_sent_whatever_netrc_says(
        self, waits: Waits, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        netrc = tmp_path_factory.mktemp("home") / "netrc"
        netrc.write_text("machine 127.0.0.1 login someone password hidden\n")
        monkeypatch.setenv("NETRC", str(netrc))
        with ModelServer(["well"], ANSWER) as server:
            openai(server.url, waits, key=None).complete(prompt())
        assert "authorization" not in server.requests[0].headers

    def test_a_server_that_knows_no_response_format_gets_the_schema_in_words_and_is_asked_so_from_then_on(
        self, waits: Waits,
    ) -> None:
        with ModelServer(["no-response-format"], ANSWER) as server:
            model = openai(server.url, waits)
            assert model.complete(prompt()).text == ANSWER
            assert model.complete(prompt()).text == ANSWER
        assert ["response_format" in request.body for request in server.requests] == [True, False, False]
        assert json.dumps(SCHEMA) in server.requests[1].body["messages"][0]["content"]
        assert waits.slept == []

    def test_newer_names_and_fixed_temperatures_are_learnt(self, waits: Waits) -> None:
        with ModelServer(["no-max-tokens", "no-temperature", "well"], ANSWER) as server:
            assert openai(server.url, waits).complete(prompt()).text == ANSWER
        last = server.requests[-1].body
        assert last["max_completion_tokens"] == 50 and "max_tokens" not in last and "temperature" not in last

    def test_a_retry_after_date_is_taken_against_the_servers_own_date(self, waits: Waits) -> None:
        assert self.ask(waits, "429-date", "well")[0].text == ANSWER
        assert waits.slept == [3.0]

    def test_a_server_that_recites_the_key_does_not_get_it_into_the_reply(self, waits: Waits) -> None:
        reply, _ = self.ask(waits, "echo")
        assert "Bearer ***" in reply.text and KEY not in reply.text

    @pytest.mark.parametrize("key", ["sk-\u00e6\u00f8\u00e5-canary", "sk-canary\nX-Other: 1"])
    def test_a_key_that_is_no_header_is_refused_without_being_shown(self, waits: Waits, key: str) -> None:
        with ModelServer(["well"], ANSWER) as server, pytest.raises(ModelFailed) as failed:
            openai(server.url, waits, key=key).complete(prompt())
        assert failed.value.cause == "http" and "canary" not in str(failed.value) and server.requests == []

    @pytest.mark.parametrize("base", ["http://[::1", "http://", "http://user:canary-password@127.0.0.1:1/v1", "ftp://x/y"])
    def test_an_address_that_does_not_work_is_unreachable_and_shows_no_password(self, waits: Waits, base: str) -> None:
        with pytest.raises(ModelFailed) as failed:
            openai(base, waits).complete(prompt())
        assert failed.value.cause == "unreachable" and "canary" not in str(failed.value)

    def test_half_a_surrogate_pair_in_the_prompt_is_sent_as_a_question_mark(self, waits: Waits) -> None:
        asked = prompt()
        asked.text = "caf\ud800e"
        with ModelServer(["well"], ANSWER) as server:
            openai(server.url, waits).complete(asked)
        assert server.requests[0].body["messages"][1]["content"] == "caf?e"

    def test_many_threads_may_ask_one_adapter_at_once(self, waits: Waits) -> None:
        with ModelServer(["no-response-format"], ANSWER) as server:
            model, texts = openai(server.url, waits), []
            threads = [threading.Thread(target=lambda: texts.append(model.complete(prompt()).text)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert texts == [ANSWER] * 8


@pytest.fixture(autouse=True)
def _no_request_thread_outlives_its_test() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name == "model request":
            thread.join(3)
            assert not thread.is_alive()
