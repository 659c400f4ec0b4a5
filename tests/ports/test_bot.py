"""The bot over a Bot API server on loopback: polls, answers, and what each failure is called."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjutant.channels.tappable import code_entities
from adjutant.channels.telegram import Telegram, TelegramBot
from adjutant.domain.listening.desk import split
from adjutant.ports import BotFailed
from adjutant.printable import escape
from tests.botapi import CHAT, HOSTILE, TOKEN, BotApi, tapped
from tests.ports.test_notifier import TEXT
from tests.servers import free_port


@pytest.fixture
def api() -> Iterator[BotApi]:
    with BotApi() as made:
        yield made


def build(api: BotApi, seconds: float = 5.0) -> TelegramBot:
    return TelegramBot(api.url, TOKEN, CHAT, seconds)


def test_an_offset_confirms_what_is_before_it(api: BotApi) -> None:
    one, two = api.say("one"), api.say("two")
    bot = build(api)
    assert [each["update_id"] for each in bot.updates(0, 0)] == [one, two]
    assert [each["update_id"] for each in bot.updates(0, 0)] == [one, two]
    assert [each["message"]["text"] for each in bot.updates(two, 0)] == ["two"]
    assert bot.updates(two + 1, 0) == []
    assert api.polls[0] == {"timeout": 0, "limit": 50, "allowed_updates": ["message", "callback_query"]}


def test_the_newest_alone(api: BotApi) -> None:
    api.say("one")
    two = api.say("two")
    assert [each["update_id"] for each in build(api).updates(-1, 0)] == [two]


def test_a_long_poll_ends_as_soon_as_something_comes(api: BotApi) -> None:
    threading.Timer(0.3, api.say, ["hello"]).start()
    began = time.monotonic()
    assert [each["message"]["text"] for each in build(api).updates(0, 20)] == ["hello"]
    assert 0.2 < time.monotonic() - began < 5


def test_many_long_messages_come_whole(api: BotApi) -> None:
    for number in range(60):
        api.say(f"{number} " + "ø😀" * 2000)
    began = time.monotonic()
    found = build(api).updates(0, 0)
    assert len(found) == 50
    assert all(len(each["message"]["text"]) > 4000 for each in found)
    assert time.monotonic() - began < 3


def test_it_answers_in_one_chat(api: BotApi) -> None:
    build(api).say("hello\nthere")
    [message] = api.messages
    assert message.path == f"/bot{TOKEN}/sendMessage"
    assert message.body == {"chat_id": CHAT, "text": "hello\nthere", "disable_web_page_preview": True}


def test_a_message_can_be_put_in_place_of_one_that_was_begun(api: BotApi) -> None:
    bot = build(api)
    number = bot.begin("The boi …")
    bot.edit(number, "The boiler", " /help")
    first, second = api.messages
    assert first.path.endswith("/sendMessage")
    assert second.path.endswith("/editMessageText")
    assert second.body["message_id"] == number == 1
    assert second.body["text"] == "The boiler /help"


@pytest.mark.parametrize("mode", ["400", "429", "500", "reset"])
def test_an_edit_that_fails_is_named_by_its_cause(api: BotApi, mode: str) -> None:
    api.mode = mode
    causes = {"400": "refused", "429": "flood", "500": "uncertain", "reset": "uncertain"}
    with pytest.raises(BotFailed) as failed:
        build(api).edit(1, "The boiler")
    assert failed.value.cause == causes[mode]
    assert TOKEN not in repr(failed.value)


@pytest.fixture(params=["answer", "edit", "notice"])
def said(api: BotApi, request: pytest.FixtureRequest) -> Callable[[str], list[str]]:
    """What can be tapped in a text that was said, in the chat or as a notice."""

    def say(text: str) -> list[str]:
        if request.param == "answer":
            build(api).say(text)
        elif request.param == "edit":
            build(api).edit(1, text)
        else:
            Telegram(api.url, TOKEN, CHAT).send(text, "key")
        return tapped(api.messages[-1].body)

    return say


@pytest.mark.parametrize("around", ["{}", "😀😀 say {} now", "(see «{}», or not)", "one,{}", "1\n{}\n2"])
def test_nothing_in_a_text_can_be_tapped(said: Callable[[str], list[str]], around: str) -> None:
    for line in HOSTILE:
        text = around.format(line)
        assert tapped({"text": text}), f"the server would make something of {line}"
        assert said(text) == [], line


@given(st.lists(st.sampled_from([*HOSTILE, *"/@#$.:-_ a1é😀\u0333\u030a", "kill", "com"]), max_size=9))
def test_nothing_can_be_tapped_whatever_stands_beside_it(parts: list[str]) -> None:
    text = escape("".join(parts))
    assert tapped({"text": text, "entities": code_entities(text)}) == []


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "Pay $4,200 by 2026-11-20 09:00, or on 24/11, w/c 23 Nov; 12.11.2026 at 10:30, and/or not. Done.",
        "Ring Ås & Søn, e.g. at 4 p.m. #",
    ],
)
def test_what_nobody_can_tap_is_left_as_it_is(api: BotApi, text: str) -> None:
    build(api).say(text)
    assert "entities" not in api.messages[-1].body


def test_more_than_telegram_takes_is_covered_as_one(said: Callable[[str], list[str]]) -> None:
    assert said("😀 " + " ".join(f"/a{number} and" for number in range(150))) == []


def test_pieces_of_a_long_text_are_covered_each(api: BotApi) -> None:
    for piece in split("😀 example.com " * 300 + "x" * 4090 + "/kill" + "y" * 4090 + " /kill"):
        build(api).say(piece)
    assert api.tapped == []
    assert len(api.messages) > 3


def test_our_own_commands_can_be_tapped_and_those_we_quote_cannot(api: BotApi) -> None:
    build(api).say("You said “/resume”.", " Send /resume.")
    assert api.messages[-1].body["text"] == "You said “/resume”. Send /resume."
    assert api.tapped == ["/resume"]


def test_what_turns_or_hides_text_is_spelled_out(said: Callable[[str], list[str]], api: BotApi) -> None:
    assert said("a\u202eb /\u202ekill /\u200bkill \x1b[31m") == []
    assert api.messages[-1].body["text"] == "a\\u202eb /\\u202ekill /\\u200bkill \\u001b[31m"


CAUSES = {
    "400": "refused",
    "403": "refused",
    "401": "token",
    "404": "token",
    "409": "conflict",
    "429": "flood",
    "500": "uncertain",
    "302": "uncertain",
    "not-ok": "uncertain",
    "no-json": "uncertain",
    "reset": "uncertain",
    "cut": "uncertain",
    "hang": "uncertain",
    "drip": "uncertain",
    "flooding": "uncertain",
}


@pytest.mark.parametrize("mode", CAUSES)
def test_each_failure_has_its_name(api: BotApi, mode: str) -> None:
    api.mode = api.poll_mode = mode
    api.retry_after = 7
    bot = build(api, 0.4)
    for ask in (lambda: bot.say("x"), lambda: bot.updates(0, 0)):
        with pytest.raises(BotFailed) as failed:
            ask()
        assert (failed.value.cause, failed.value.wait) == (CAUSES[mode], 7 if mode == "429" else 0)
    assert len(api.messages) == len(api.polls) == 1, "trying again is the listener's affair"


def test_the_first_of_two_pollers_is_told(api: BotApi) -> None:
    failures: list[BotFailed] = []

    def first() -> None:
        try:
            build(api).updates(0, 20)
        except BotFailed as failed:
            failures.append(failed)

    thread = threading.Thread(target=first)
    thread.start()
    api.polled(1)
    build(api).updates(0, 0)
    thread.join(10)
    assert [failed.cause for failed in failures] == ["conflict"]
    assert "other getUpdates" in failures[0].detail


def test_where_nobody_listens_nothing_was_sent() -> None:
    with pytest.raises(BotFailed) as failed:
        TelegramBot(f"http://127.0.0.1:{free_port()}", TOKEN, CHAT).say("x")
    assert failed.value.cause == "unreachable"


@pytest.mark.parametrize("mode", ["401", "409", "500", "reset", "hang", "ok"])
def test_the_token_is_in_no_message_traceback_or_log(
    api: BotApi,
    mode: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    api.poll_mode, told = mode, ""
    try:
        build(api, 0.4).updates(0, 0)
    except BotFailed as failed:
        told = "".join(traceback.format_exception(failed)) + repr(failed) + repr(failed.__context__)
    logged = "\n".join(record.getMessage() + repr(record.args) for record in caplog.records)
    assert "canary-token" not in told + logged
    assert "connectionpool" in " ".join(record.name for record in caplog.records), "the log was looked at"


@pytest.mark.parametrize("asked", [None, "7", -3, True, 10**9])
def test_an_odd_wait_is_a_second_at_least_and_an_hour_at_most(api: BotApi, asked: object) -> None:
    api.mode, api.retry_after = "429", asked  # type: ignore[assignment]  # what a server may send
    with pytest.raises(BotFailed) as failed:
        build(api).say("x")
    assert 1 <= failed.value.wait <= 3600
