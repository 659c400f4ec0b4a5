"""What a route over HTTP keeps to besides: how often it asks, how long it waits, what it makes of each answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, ClassVar

import pytest

from adjutant.errors import Stopped
from adjutant.models.http import HttpModel
from adjutant.ports import ModelFailed
from tests.modelserver import ModelServer
from tests.ports.model_suite import ANSWER, KEY, ModelTests, Waits, allowed, closed, prompt


class HttpModelTests(ModelTests):
    """A subclass names the `adapter`, its `address` below the base, the header that carries the key, and how.

    `schema` is the option that holds the reply to its form, and the mode of a server that does not know it.
    """

    adapter: ClassVar[type[HttpModel]]
    address = ""
    header: ClassVar[tuple[str, str]]
    schema: ClassVar[tuple[str, str]]

    def make(
        self,
        url: str,
        waits: Waits,
        gate: Callable[[], None] = allowed,
        request: float = 20.0,
        key: str | None = KEY,
    ) -> HttpModel:
        return self.adapter(
            url,
            key,
            sleep=waits.sleep,
            monotonic=waits.now,
            jitter=lambda: 1.0,
            gate=gate,
            timeout=request,
            max_retries=2,
        )

    def system(self, body: Mapping[str, Any]) -> str:
        """The system text of a request."""
        raise AssertionError("each API has a place for it")

    def user(self, body: Mapping[str, Any]) -> str:
        """The user's text of a request."""
        text: str = body["messages"][-1]["content"]
        return text

    # -- tries and time --------------------------------------------------------------------------------------

    def test_a_good_answer_takes_one_request_and_is_counted_to_the_token(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "well")
        assert (reply.text, reply.tokens_in, reply.tokens_out) == (ANSWER, 11, 7)
        assert [request.path for request in server.requests] == [self.address]
        name, value = self.header
        assert server.requests[0].headers[name] == value

    def test_retry_after_is_obeyed(self, waits: Waits) -> None:
        _, server = self.ask(waits, "429", "well")
        assert waits.slept == [2.0]
        assert len(server.requests) == 2

    def test_a_retry_after_date_is_taken_against_the_servers_own_date(self, waits: Waits) -> None:
        assert self.ask(waits, "429-date", "well")[0].text == ANSWER
        assert waits.slept == [3.0]

    def test_retry_after_beyond_the_deadline_is_not_waited_for(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "429-later")
        assert failed.cause == "http"
        assert "429" in failed.detail
        assert waits.slept == []
        assert len(server.requests) == 1

    @pytest.mark.parametrize("mode", ["500", "529"])
    def test_each_pause_before_another_try_is_longer(self, waits: Waits, mode: str) -> None:
        failed, server = self.fails(waits, mode)
        assert mode in failed.detail
        assert len(server.requests) == 3
        assert len(waits.slept) == 2
        assert waits.slept[1] > waits.slept[0]

    @pytest.mark.parametrize("mode", ["hang", "drip"])
    def test_what_is_left_at_the_deadline_is_not_asked_again(self, waits: Waits, mode: str) -> None:
        began = time.monotonic()
        failed, server = self.fails(waits, mode, timeout=0.5)
        assert failed.cause == "timeout"
        assert 0.4 < time.monotonic() - began < 1.5
        assert len(server.requests) == 1
        assert waits.slept == []

    def test_a_request_that_took_too_long_is_given_up_and_made_again(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "drip", "well", request=0.8)
        assert reply.text == ANSWER
        assert len(server.requests) == 2
        assert len(waits.slept) == 1

    def test_a_server_that_hangs_for_ever_is_given_up_after_the_retries(self, waits: Waits) -> None:
        began = time.monotonic()
        failed, server = self.fails(waits, "hang", request=0.3)
        assert failed.cause == "timeout"
        assert 3 * 0.3 <= time.monotonic() - began < 3 * 0.3 + 1.0
        assert len(waits.slept) == 2
        until = time.monotonic() + 5
        while len(server.requests) < 3 and time.monotonic() < until:
            time.sleep(0.01)  # a busy server reads the last request after it was given up
        assert len(server.requests) == 3

    def test_a_later_try_gets_no_more_than_what_is_left_of_the_whole(self, waits: Waits) -> None:
        began = waits.now()
        failed, server = self.fails(waits, "hang", timeout=1.2, request=0.7)
        assert failed.cause == "timeout"
        assert len(server.requests) == 2
        assert 1.1 < waits.now() - began < 1.2 + 0.5, "pauses counted; two whole requests would take 1.6"

    def test_no_request_is_made_when_the_pause_before_it_uses_up_the_time(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "hang", timeout=0.5, request=0.4)
        assert failed.cause == "timeout"
        assert len(server.requests) == 1
        assert waits.slept == []

    def test_what_fails_in_different_ways_counts_as_tries_alike(self, waits: Waits) -> None:
        failed, server = self.fails(waits, "hang", "500", "reset", "well", request=0.4)
        assert failed.cause == "unreachable"
        assert len(server.requests) == 3

    def test_a_connection_closed_without_a_word_is_tried_again(self, waits: Waits) -> None:
        assert self.ask(waits, "reset", "well")[0].text == ANSWER
        assert self.fails(waits, "reset")[0].cause == "unreachable"

    def test_the_pauses_where_nobody_listens_are_short(self, waits: Waits) -> None:
        with pytest.raises(ModelFailed) as failed:
            self.make(closed(), waits).complete(prompt())
        assert "nobody listens" in failed.value.detail
        assert len(waits.slept) == 2
        assert sum(waits.slept) < 1

    @pytest.mark.parametrize("mode", ["500", "hang"])
    def test_the_gate_is_asked_before_every_request(self, waits: Waits, mode: str) -> None:
        looks = count(1)

        def gate() -> None:
            if next(looks) == 2:
                raise Stopped("paused")

        with ModelServer([mode], ANSWER) as server, pytest.raises(Stopped):
            self.make(server.url, waits, gate, request=0.4).complete(prompt())
        assert len(server.requests) == 1

    # -- what comes back -------------------------------------------------------------------------------------

    def test_prose_and_fences_are_handed_on_for_the_parser_to_judge(self, waits: Waits) -> None:
        assert ANSWER in self.ask(waits, "prose")[0].text
        assert self.ask(waits, "fenced")[0].text.startswith("```json")

    def test_an_answer_cut_at_its_longest_is_handed_on_as_it_is(self, waits: Waits) -> None:
        reply, server = self.ask(waits, "length")
        assert reply.text == ANSWER[: len(ANSWER) // 2]
        assert len(server.requests) == 1

    @pytest.mark.parametrize("mode", ["html", "no-choices", "odd-body", "deep-body", "huge"])
    def test_what_is_no_answer_is_malformed_and_not_asked_again(self, waits: Waits, mode: str) -> None:
        failed, server = self.fails(waits, mode)
        assert failed.cause == "malformed"
        assert len(server.requests) == 1

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

    @pytest.mark.parametrize("mode", ["400", "404", "501", "redirect"])
    def test_a_refusal_is_final(self, waits: Waits, mode: str) -> None:
        failed, server = self.fails(waits, mode)
        assert failed.cause == "http"
        assert len(server.requests) == 1
        assert waits.slept == []

    def test_an_address_that_is_not_there_is_explained(self, waits: Waits) -> None:
        failed, _ = self.fails(waits, "404")
        assert "'small'" in failed.detail
        assert "llm.base_url" in failed.detail
        assert "model not found" in failed.detail

    # -- what goes out ---------------------------------------------------------------------------------------

    def test_a_server_that_cannot_be_held_to_the_schema_gets_it_in_words_and_is_asked_so_from_then_on(
        self,
        waits: Waits,
    ) -> None:
        option, mode = self.schema
        with ModelServer([mode], ANSWER) as server:
            model = self.make(server.url, waits)
            assert model.complete(prompt()).text == ANSWER
            assert model.complete(prompt()).text == ANSWER
        assert [option in request.body for request in server.requests] == [True, False, False]
        in_words = ["JSON Schema" in self.system(request.body) for request in server.requests]
        assert in_words == [False, True, True]
        assert waits.slept == []
        assert '"required": ["a"]' in self.system(server.requests[1].body)

    def test_a_temperature_that_is_not_known_is_left_out(self, waits: Waits) -> None:
        with ModelServer(["no-temperature"], ANSWER) as server:
            assert self.make(server.url, waits).complete(prompt()).text == ANSWER
        assert ["temperature" in request.body for request in server.requests] == [True, False]

    def test_without_a_key_no_authorization_is_sent_whatever_netrc_says(
        self,
        waits: Waits,
        tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        netrc = tmp_path_factory.mktemp("home") / "netrc"
        netrc.write_text("machine 127.0.0.1 login someone password hidden\n")
        monkeypatch.setenv("NETRC", str(netrc))
        with ModelServer(["well"], ANSWER) as server:
            self.make(server.url, waits, key=None).complete(prompt())
        assert not {"authorization", "x-api-key"} & server.requests[0].headers.keys()

    @pytest.mark.parametrize("key", ["sk-\u00e6\u00f8\u00e5-canary", "sk-canary\nX-Other: 1"])
    def test_a_key_that_is_no_header_is_refused_without_being_shown(self, waits: Waits, key: str) -> None:
        with ModelServer(["well"], ANSWER) as server, pytest.raises(ModelFailed) as failed:
            self.make(server.url, waits, key=key).complete(prompt())
        assert failed.value.cause == "http"
        assert "canary" not in str(failed.value)
        assert server.requests == []
        assert self.variable in failed.value.detail

    @pytest.mark.parametrize(
        "base",
        ["http://[::1", "http://", "http://user:canary-password@127.0.0.1:1/v1", "ftp://x/y"],
    )
    def test_an_address_that_does_not_work_is_unreachable_and_shows_no_password(self, waits: Waits, base: str) -> None:
        with pytest.raises(ModelFailed) as failed:
            self.make(base, waits).complete(prompt())
        assert failed.value.cause == "unreachable"
        assert "canary" not in str(failed.value)

    def test_half_a_surrogate_pair_in_the_prompt_is_sent_as_a_question_mark(self, waits: Waits) -> None:
        asked = prompt()
        asked = asked._replace(text="caf\ud800e")
        with ModelServer(["well"], ANSWER) as server:
            self.make(server.url, waits).complete(asked)
        assert self.user(server.requests[0].body) == "caf?e"

    def test_many_threads_may_ask_one_adapter_at_once(self, waits: Waits) -> None:
        texts: list[str] = []
        with ModelServer([self.schema[1]], ANSWER) as server:
            model = self.make(server.url, waits)
            threads = [threading.Thread(target=lambda: texts.append(model.complete(prompt()).text)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert texts == [ANSWER] * 8

    @pytest.fixture(autouse=True)
    def _no_request_thread_outlives_its_test(self) -> Iterator[None]:
        yield
        for thread in threading.enumerate():
            if thread.name == "model request":
                thread.join(3)
                assert not thread.is_alive()
