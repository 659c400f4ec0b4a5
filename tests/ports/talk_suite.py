"""What a route keeps to in a dialogue with tools, whatever its API: on a scripted server that refuses as APIs do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from adjutant.errors import Stopped
from adjutant.models.http import HttpModel
from adjutant.models.talking import MOST_CALLS
from adjutant.ports import Converser, Dialogue, Message, ModelFailed, Said, Tool, ToolCall
from tests.modelapis import Call, steps
from tests.modelapis import Said as Answered
from tests.modelserver import ModelServer
from tests.ports.model_suite import ANSWER, KEY, Waits, allowed, prompt

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOLS = (Tool("search", "Finds notes.", SCHEMA), Tool("save", "Keeps a note.", {"type": "object", "properties": {}}))
ASKED = Message("user", "What is due?")
FIND: Call = ("search", {"query": "due \u00e6"})
Part = tuple[str, str, str]  # role; text, call or result; what of it

BROKEN = {  # what a model writes where arguments belong, and is none
    "half": '{"query": "du',
    "text": '"due"',
    "list": '["due"]',
    "number": "7",
    "twice": '{"query": "a", "query": "b"}',
    "constant": '{"query": NaN}',
    "infinite": '{"query": 1e999}',
    "deep": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "nested": '{"a":' * 80 + "1" + "}" * 80,
    "long number": '{"a": ' + "9" * 5000 + "}",
}


def dialogue(
    *messages: Message,
    tools: Sequence[Tool] = TOOLS,
    closing: bool = False,
    timeout: float = 20.0,
) -> Dialogue:
    return Dialogue(
        "turn",
        "You advise.",
        messages or (ASKED,),
        tools,
        model="small",
        temperature=0.1,
        max_tokens=50,
        timeout=timeout,
        closing=closing,
    )


def spoke(said: Said) -> Message:
    return Message("assistant", said.text, said.calls)


def result(call: ToolCall, text: str) -> Message:
    return Message("tool", text, call_id=call.id)


def made(id: str, name: str = "search", query: str = "x") -> ToolCall:
    return ToolCall(id, name, {"query": query}, json.dumps({"query": query}))


class ConverserTests:
    """The contract of a route with tools. A subclass names the `adapter`, and what stands in its requests."""

    adapter: ClassVar[type[HttpModel]]
    none: ClassVar[Any]  # tool_choice for no tool
    thoughts: ClassVar[Mapping[str, Any]]  # what comes beside calls and must go back with them
    cut: ClassVar[tuple[str, ...]] = ("length",)
    malformed: ClassVar[frozenset[str]] = frozenset()  # broken arguments that break the whole answer

    def make(self, url: str, waits: Waits, gate: Callable[[], None] = allowed) -> HttpModel:
        return self.adapter(
            url,
            KEY,
            sleep=waits.sleep,
            monotonic=waits.now,
            jitter=lambda: 1.0,
            gate=gate,
            timeout=20.0,
            max_retries=2,
        )

    def tools(self, body: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
        """(name, description, schema) of the tools in a request."""
        raise AssertionError("each API has its words for it")

    def parts(self, body: Mapping[str, Any]) -> list[Part]:
        """All that was said in a request, in its order, without the system text."""
        raise AssertionError("each API has its words for it")

    def system(self, body: Mapping[str, Any]) -> str:
        raise AssertionError("each API has a place for it")

    def hears(self, waits: Waits, *answers: Any, asked: Dialogue | None = None) -> tuple[Said, ModelServer]:
        with ModelServer(["well"], steps(*answers), strict=True) as server:
            return self.make(server.url, waits).converse(asked or dialogue()), server

    def sends(self, waits: Waits, *messages: Message) -> list[Part]:
        """What is sent of these messages, to a server that refuses what the API would."""
        _, server = self.hears(waits, "well", asked=dialogue(*messages))
        assert len(server.requests) == 1
        return self.parts(server.requests[0].body)

    # -- a round ---------------------------------------------------------------------------------------------

    def test_a_route_with_tools_is_known_by_its_port(self, waits: Waits) -> None:
        assert isinstance(self.make("http://127.0.0.1:9", waits), Converser)

    def test_words_are_answered_in_words_and_the_request_carries_tools_and_limits(self, waits: Waits) -> None:
        said, server = self.hears(waits, "Nothing is due.")
        assert said == Said("Nothing is due.", (), 11, 7, model="small")
        body = server.requests[0].body
        assert self.tools(body) == [tuple(tool) for tool in TOOLS]
        assert self.system(body) == "You advise."
        assert self.parts(body) == [("user", "text", "What is due?")]
        assert (body["model"], body["max_tokens"], body["temperature"], body["stream"]) == ("small", 50, 0.1, False)
        assert "tool_choice" not in body

    def test_a_call_comes_back_decoded_and_its_result_goes_where_it_belongs(self, waits: Waits) -> None:
        with ModelServer(["well"], steps([FIND], "The tax return."), strict=True) as server:
            model = self.make(server.url, waits)
            said = model.converse(dialogue())
            (call,) = said.calls
            assert (call.name, call.arguments, json.loads(call.raw)) == ("search", FIND[1], FIND[1])
            assert (said.text, said.tokens_in, said.tokens_out, said.offered) == ("", 11, 7, True)
            last = model.converse(dialogue(ASKED, spoke(said), result(call, "- the tax return")))
        assert last.text == "The tax return."
        assert last.calls == ()
        assert self.parts(server.requests[1].body) == [
            ("user", "text", "What is due?"),
            ("assistant", "call", json.dumps(["search", FIND[1]])),
            ("tool", call.id, "- the tax return"),
        ]

    def test_words_beside_calls_are_kept_and_sent_before_them(self, waits: Waits) -> None:
        said, _ = self.hears(waits, Answered("I look.", [FIND]))
        assert said.text == "I look."
        assert len(said.calls) == 1
        sent = self.sends(waits, ASKED, spoke(said), result(said.calls[0], "found"))
        assert [part[1] for part in sent] == ["text", "text", "call", said.calls[0].id]

    def test_results_stand_in_the_order_of_their_calls_whatever_order_they_came_in(self, waits: Waits) -> None:
        said, _ = self.hears(waits, [FIND, ("save", {}), FIND])
        one, two, three = said.calls
        assert [call.name for call in said.calls] == ["search", "save", "search"]
        sent = self.sends(waits, ASKED, spoke(said), result(three, "3"), result(one, "1"), result(two, "2"))
        assert [part[1:] for part in sent[-3:]] == [(one.id, "1"), (two.id, "2"), (three.id, "3")]

    def test_rounds_follow_each_other_each_with_its_results(self, waits: Waits) -> None:
        a, b = made("a1"), made("b1", "save")
        sent = self.sends(
            waits,
            ASKED,
            Message("assistant", "", (a,)),
            result(a, "of a"),
            Message("assistant", "", (b,)),
            result(b, "of b"),
            Message("assistant", "That is all."),
            Message("user", "Thanks."),
        )
        assert [part[:2] for part in sent] == [
            ("user", "text"),
            ("assistant", "call"),
            ("tool", "a1"),
            ("assistant", "call"),
            ("tool", "b1"),
            ("assistant", "text"),
            ("user", "text"),
        ]

    def test_closing_forbids_calls_and_keeps_the_tools_that_were_called(self, waits: Waits) -> None:
        call = made("a1")
        asked = dialogue(ASKED, Message("assistant", "", (call,)), result(call, "x"), closing=True)
        _, server = self.hears(waits, "All of it.", asked=asked)
        body = server.requests[0].body
        assert body["tool_choice"] == self.none
        assert len(self.tools(body)) == 2

    def test_a_dialogue_without_tools_offers_none_and_forbids_none(self, waits: Waits) -> None:
        said, server = self.hears(waits, "Nothing.", asked=dialogue(tools=(), closing=True))
        assert said.text == "Nothing."
        assert not {"tools", "tool_choice"} & server.requests[0].body.keys()

    def test_what_the_server_wants_to_see_again_beside_a_call_goes_back_with_it(self, waits: Waits) -> None:
        said, _ = self.hears(waits, Answered("I look.", [FIND, FIND], more=dict(self.thoughts)))
        assert [bool(call.kept) for call in said.calls] == [True, False]
        answers = [result(call, "found") for call in said.calls]
        _, server = self.hears(waits, "Well.", asked=dialogue(ASKED, spoke(said), *answers))
        (sent,) = [message for message in server.requests[0].body["messages"] if message["role"] == "assistant"]
        for name, value in self.thoughts.items():
            assert sent[name][: len(value)] == value

    # -- what is sent of odd messages ------------------------------------------------------------------------

    def test_messages_of_one_side_are_one(self, waits: Waits) -> None:
        sent = self.sends(
            waits,
            ASKED,
            Message("user", "Today."),
            Message("assistant", "One."),
            Message("assistant", "Two."),
            Message("user", "And?"),
        )
        assert sent == [
            ("user", "text", "What is due?\n\nToday."),
            ("assistant", "text", "One.\n\nTwo."),
            ("user", "text", "And?"),
        ]

    def test_what_says_nothing_is_not_sent_and_parts_no_sides(self, waits: Waits) -> None:
        sent = self.sends(
            waits,
            Message("user", " \n"),
            ASKED,
            Message("assistant", ""),
            Message("assistant", " \t"),
            Message("user", "Today."),
            Message("user", ""),
        )
        assert sent == [("user", "text", "What is due?\n\nToday.")]

    def test_a_history_that_begins_in_the_middle_begins_with_the_user(self, waits: Waits) -> None:
        call = made("a1")
        for first in (Message("assistant", "Milk."), Message("assistant", "", (call,))):
            sent = self.sends(waits, first, result(call, "x"), Message("user", "And?"))
            assert sent[0][0] == "user"
            assert "left out" in sent[0][2]
            assert sent[-1] == ("user", "text", "And?")

    def test_a_result_without_its_call_is_not_sent_and_a_call_without_its_result_gets_one(self, waits: Waits) -> None:
        a, b = made("a1"), made("b1")
        sent = self.sends(
            waits,
            result(a, "too early"),
            ASKED,
            Message("assistant", "", (a, b)),
            Message("tool", "of nobody"),
            result(b, " "),
            result(b, "again"),
            Message("user", "Well?"),
        )
        assert [part[1:] for part in sent if part[0] == "tool"] == [("a1", "(no result)"), ("b1", "(empty)")]
        assert sent[-1] == ("user", "text", "Well?")
        assert len(sent) == 6

    def test_half_a_surrogate_pair_is_sent_as_a_question_mark(self, waits: Waits) -> None:
        assert self.sends(waits, Message("user", "caf\ud800e")) == [("user", "text", "caf?e")]

    # -- what a model makes of its calls ---------------------------------------------------------------------

    @pytest.mark.parametrize("kind", BROKEN)
    def test_broken_arguments_are_none_unless_they_break_the_whole_answer(self, waits: Waits, kind: str) -> None:
        if kind in self.malformed:
            with pytest.raises(ModelFailed, match="malformed"):
                self.hears(waits, [("search", BROKEN[kind]), FIND])
            return
        said, _ = self.hears(waits, [("search", BROKEN[kind]), FIND])
        assert [call.arguments for call in said.calls] == [None, FIND[1]]
        assert said.calls[0].raw.strip('"') == BROKEN[kind].strip('"') or json.loads(said.calls[0].raw)
        answers = [result(call, "broken") for call in said.calls]
        self.sends(waits, ASKED, spoke(said), *answers)

    @pytest.mark.parametrize("given", ['{"query": "' + "x" * 1_000_000 + '"}', '{"query": "\\ud800"}', "{}", "null"])
    def test_arguments_that_may_go_back_do(self, waits: Waits, given: str) -> None:
        said, _ = self.hears(waits, [("search", given)])
        arguments = said.calls[0].arguments
        assert arguments is not None
        assert len(arguments.get("query", "")) in (0, 1, 1_000_000)
        sent = self.sends(waits, ASKED, spoke(said), result(said.calls[0], "found"))
        assert json.loads(sent[1][2])[1] == arguments

    def test_a_call_at_which_the_reply_was_cut_has_broken_arguments(self, waits: Waits) -> None:
        for ended in self.cut:
            said, _ = self.hears(waits, Answered(None, [FIND, ("save", {})], ended=ended))
            assert [call.arguments for call in said.calls] == [FIND[1], None]

    def test_calls_of_a_reply_are_so_many_and_no_more(self, waits: Waits) -> None:
        said, _ = self.hears(waits, [FIND] * 3000)
        assert len(said.calls) == MOST_CALLS
        self.sends(waits, ASKED, spoke(said), *(result(call, "found") for call in said.calls))

    def test_ids_that_are_missing_odd_or_repeated_are_replaced(self, waits: Waits) -> None:
        odd = [None, "", "same", "same", 7, ["x"], "two words", "n\u00e4", "taken", "call00000"]
        ours = made("call00002")
        before = (Message("assistant", "", (made("taken"), ours)), Message("tool", "x", call_id="taken"))
        asked = dialogue(ASKED, *before)
        said, _ = self.hears(waits, Answered(None, [FIND] * len(odd), ids=odd), asked=asked)
        ids = [call.id for call in said.calls]
        assert ids[2] == "same"
        assert len({*ids, "taken", ours.id}) == len(odd) + 2
        answers = [result(call, str(n)) for n, call in enumerate(said.calls)]
        sent = self.sends(waits, ASKED, *before, spoke(said), *answers)
        assert [part[2] for part in sent[-len(odd) :]] == [str(n) for n in range(len(odd))]

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("", "unnamed"),
            ("two words!", "two_words_"),
            ("s\u00f8k", "s_k"),
            ("x" * 900, "x" * 64),
            ("other", "other"),
        ],
    )
    def test_a_name_that_may_not_go_back_is_made_one_that_may(self, waits: Waits, name: str, shown: str) -> None:
        said, _ = self.hears(waits, [(name, {})])
        assert said.calls[0].name == shown
        self.sends(waits, ASKED, spoke(said), result(said.calls[0], "no such tool"))

    def test_a_refusal_says_and_calls_nothing_and_has_cost_tokens(self, waits: Waits) -> None:
        said, _ = self.hears(waits, Answered(None, ended="refusal"))
        assert said == Said("", (), 11, 7, model="small")

    def test_the_key_is_in_nothing_that_comes_back(self, waits: Waits) -> None:
        leak = Answered(f"It is {KEY}", [(f"s-{KEY}", {KEY: [KEY, 1]}), ("save", f'{{"half": "{KEY}')], ids=[KEY, KEY])
        try:
            said, _ = self.hears(waits, leak)
        except ModelFailed:  # half a call is no JSON in the other API
            said, _ = self.hears(waits, leak._replace(calls=leak.calls[:1]))
        assert KEY not in repr(said)
        assert "***" in said.text
        assert said.calls[0].arguments == {"***": ["***", 1]}

    @pytest.mark.parametrize("usage", ["none", "odd"])
    def test_tokens_are_estimated_where_the_server_does_not_count(self, waits: Waits, usage: str) -> None:
        said, server = self.hears(waits, Answered(None, [FIND], usage=usage))
        sent = len(json.dumps(server.requests[0].body, ensure_ascii=False))
        assert said.tokens_in == sent // 4
        assert said.tokens_out == len("search" + said.calls[0].raw) // 4 > 0

    # -- servers that know less ------------------------------------------------------------------------------

    def test_a_server_that_knows_no_tools_is_asked_without_from_then_on_and_the_caller_is_told(
        self,
        waits: Waits,
    ) -> None:
        with ModelServer(["no-tools"], "In words.") as server:
            model = self.make(server.url, waits)
            for _ in range(2):
                assert model.converse(dialogue()) == Said("In words.", (), 11, 7, offered=False, model="small")
        assert ["tools" in request.body for request in server.requests] == [True, False, False]
        assert waits.slept == []

    def test_tools_that_were_called_are_not_left_out_whatever_the_complaint(self, waits: Waits) -> None:
        call = made("a1")
        asked = dialogue(ASKED, Message("assistant", "", (call,)), result(call, "x"))
        with ModelServer(["no-tools"]) as server, pytest.raises(ModelFailed) as failed:
            self.make(server.url, waits).converse(asked)
        assert failed.value.cause == "http"
        assert len(server.requests) == 1

    def test_an_option_that_is_not_known_is_left_out_and_the_tools_stay(self, waits: Waits) -> None:
        with ModelServer(["no-temperature", "no-choice", "well"], "Well.") as server:
            said = self.make(server.url, waits).converse(dialogue(closing=True))
        last = server.requests[-1].body
        assert said.offered
        assert last.keys() >= {"tools"}
        assert not {"temperature", "tool_choice"} & last.keys()

    def test_a_question_that_went_without_tools_takes_none_from_a_dialogue(self, waits: Waits) -> None:
        with ModelServer(["no-tools"], ANSWER) as server:
            model = self.make(server.url, waits)
            assert model.complete(prompt()).text == ANSWER
            server.script = ["well"]
            assert model.converse(dialogue()).offered
        assert "tools" in server.requests[-1].body

    # -- an answer that grows --------------------------------------------------------------------------------

    def grows(self, waits: Waits, script: Sequence[str], *said: Any) -> tuple[Said, list[str], ModelServer]:
        """What is heard of an answer that is told as it comes, and what was told."""
        told: list[str] = []
        asked = dialogue()
        asked = asked._replace(told=told.append)
        with ModelServer(script, steps(*said)) as server:
            return self.make(server.url, waits).converse(asked), told, server

    @pytest.mark.parametrize(
        "answer",
        [
            "The boiler service is on 3 December, \u00e6 too.",
            Answered("Let me look.", [FIND, ("save", {})]),
            Answered(None, [FIND]),
            Answered("It is", ended="length"),
            Answered(None, ended="refusal"),
            Answered("Half", [("search", '{"query": "du')]),
        ],
    )
    def test_what_comes_in_pieces_is_what_comes_whole(self, waits: Waits, answer: Any) -> None:
        try:
            whole, _ = self.hears(waits, answer)
        except ModelFailed:
            return  # the scripted server can only stream it
        said, told, server = self.grows(waits, ["well"], answer)
        same = [call._replace(raw="") for call in said.calls] == [call._replace(raw="") for call in whole.calls]
        assert same
        assert said._replace(calls=()) == whole._replace(calls=())
        assert server.requests[0].body["stream"] is True
        assert told[0] == ""
        assert all(b.startswith(a) for a, b in pairwise(told))
        assert told[-1] == whole.text
        assert len(told) > 2 or not whole.text

    def test_a_stream_that_breaks_off_is_asked_for_again_from_its_beginning(self, waits: Waits) -> None:
        said, told, server = self.grows(waits, ["cut", "well"], "The boiler service is on 3 December.")
        assert said.text == told[-1]
        assert told.count("") >= 2
        assert len(server.requests) == 2
        with pytest.raises(ModelFailed, match="broke off"):
            self.grows(waits, ["cut"], "The boiler service is on 3 December.")

    def test_a_server_that_cannot_stream_is_heard_whole(self, waits: Waits) -> None:
        for mode in ("no-stream", "no-stream-options", "whole"):
            said, _, server = self.grows(waits, [mode], "In words.")
            assert said.text == "In words." and said.tokens_in == 11, mode
            assert server.requests[-1].body["stream"] is (mode != "no-stream"), mode

    @pytest.mark.parametrize(("mode", "cause"), [("401", "http"), ("html", "malformed"), ("hang", "timeout")])
    def test_what_is_no_stream_fails_by_its_name(self, waits: Waits, mode: str, cause: str) -> None:
        asked = dialogue(timeout=0.6 if mode == "hang" else 20.0)
        asked = asked._replace(told=lambda text: None)
        with ModelServer([mode], "Well.") as server, pytest.raises(ModelFailed) as failed:
            self.make(server.url, waits).converse(asked)
        assert failed.value.cause == cause
        assert KEY not in repr(failed.value)

    def test_a_key_that_comes_in_pieces_is_never_told(self, waits: Waits) -> None:
        said, told, _ = self.grows(waits, ["well"], f"It is {KEY}, it is.")
        assert said.text == told[-1] == "It is ***, it is."
        assert not any(KEY[:4] in text for text in told)

    # -- the patience of every question ----------------------------------------------------------------------

    def test_a_server_that_is_busy_is_asked_again(self, waits: Waits) -> None:
        with ModelServer(["429", "reset", "well"], [FIND]) as server:
            assert len(self.make(server.url, waits).converse(dialogue()).calls) == 1
        assert len(server.requests) == 3
        assert waits.slept[0] == 2.0

    def test_the_gate_is_asked_before_anything_goes_out(self, waits: Waits) -> None:
        def gate() -> None:
            raise Stopped("paused")

        with ModelServer(["well"], "Well.") as server, pytest.raises(Stopped):
            self.make(server.url, waits, gate).converse(dialogue())
        assert server.requests == []

    @pytest.mark.parametrize(
        ("mode", "cause"),
        [
            ("hang", "timeout"),
            ("400", "http"),
            ("401", "http"),
            ("html", "malformed"),
            ("odd-body", "malformed"),
            ("deep-body", "malformed"),
            ("no-choices", "malformed"),
            ("huge", "malformed"),
            ("cut", "malformed"),
        ],
    )
    def test_what_is_no_turn_fails_by_its_name_and_without_the_key(self, waits: Waits, mode: str, cause: str) -> None:
        with ModelServer([mode], "Well.") as server, pytest.raises(ModelFailed) as failed:
            self.make(server.url, waits).converse(dialogue(timeout=0.6 if mode == "hang" else 20.0))
        assert failed.value.cause == cause
        assert KEY not in repr(failed.value)

    @pytest.mark.parametrize("odd", [5, "text", {"a": 1}, [5], [None], [{"type": "tool_use"}], [{}], [[]]])
    def test_calls_that_are_none_are_malformed_or_no_calls(self, waits: Waits, odd: Any) -> None:
        for name in ("tool_calls", "content"):
            try:
                said, _ = self.hears(waits, Answered("Well.", more={name: odd}))
            except ModelFailed as failed:
                assert failed.cause == "malformed"
            else:
                assert all(call.arguments == {} for call in said.calls)
