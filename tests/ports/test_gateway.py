"""A child's door to its model: who may ask, how often, what that has cost, and what counts as an answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import requests
from pytest_httpserver import HTTPServer

from adjutant.errors import Stopped
from adjutant.models.apis import Anthropic, OpenAI
from adjutant.models.gateway import MAX_REQUEST, MOST_REQUESTS, Gateway, tokens_of
from adjutant.models.http import HttpModel
from adjutant.models.transport import Transport
from adjutant.ports import ModelFailed, Prompt
from tests.modelapis import Chat, Messages, Said
from tests.modelserver import ModelServer
from tests.ports.model_suite import ANSWER, KEY, Waits, allowed

MODEL, MOST = "small", 50
ASKED: dict[str, Any] = {"model": MODEL, "max_tokens": MOST, "messages": [{"role": "user", "content": "What is a?"}]}


class Door:
    """What a child sees of a gateway on loopback."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway, self.base = gateway, f"http://127.0.0.1:{gateway.door.port}"

    def ask(self, path: str = "/v1/chat/completions", token: str | None = None, **more: Any) -> requests.Response:
        shown = {"Authorization": f"Bearer {self.gateway.token if token is None else token}"}
        return requests.post(f"{self.base}{path}", json={**ASKED, **more}, headers=shown, timeout=10)


@contextmanager
def door(
    url: str,
    waits: Waits,
    limit: int | None = None,
    gate: Callable[[], None] = allowed,
    route: type[HttpModel] = OpenAI,
) -> Iterator[Door]:
    line = Transport(
        route.server(url, KEY),
        sleep=waits.sleep,
        monotonic=waits.now,
        jitter=lambda: 1.0,
        gate=gate,
        timeout=5,
        max_retries=2,
    )
    prompt = Prompt("", "", "", None, MODEL, 0.0, MOST, 60.0, limit=limit)
    with Gateway(line, "/v1/chat/completions", route.path, prompt, time.monotonic() + 60, None) as gateway:
        yield Door(gateway)


def test_what_a_child_asks_is_handed_on_with_the_key_and_without_its_token(waits: Waits) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        answer = at.ask()
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["content"] == ANSWER
        assert (at.gateway.tokens_in, at.gateway.tokens_out) == (11, 7)
    assert server.requests[0].body == ASKED
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert at.gateway.token not in str(server.requests[0])


def test_a_child_gets_its_model_and_its_length_and_nothing_that_the_server_could_do_for_it(waits: Waits) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://elsewhere.invalid/?what=was-read"}}
    result = {"type": "tool_result", "content": [{"type": "document", "source": {"type": "url"}}, {"type": "text"}]}
    own = {"type": "function", "function": {"name": "read"}}
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        assert (
            at.ask(
                model="dear",
                max_tokens=100_000,
                n=50,
                tools=[own],
                web_search_options={},
                container="c",
                mcp_servers=[{"url": "https://elsewhere.invalid"}],
                messages=[{"role": "user", "content": [picture, result]}],
            ).status_code
            == 200
        )
        assert at.ask(max_completion_tokens=True).status_code == 200
        assert at.ask(path="/v1/chat/completions?tools=web").status_code == 404
    left_out = {"type": "text", "text": "(left out)"}
    content = [left_out, {"type": "tool_result", "content": [left_out, {"type": "text"}]}]
    assert server.requests[0].body == {
        "model": MODEL,
        "max_tokens": MOST,
        "tools": [own],
        "messages": [{"role": "user", "content": content}],
    }
    assert server.requests[1].body == {**ASKED, "max_completion_tokens": MOST}


FETCH = {"type": "web_fetch_20250910", "name": "web_fetch"}
PICTURE = {"type": "image_url", "image_url": {"url": "https://elsewhere.invalid/?what=was-read"}}


@pytest.mark.parametrize(
    "more",
    [
        {"messages": {"0": {"role": "user", "content": [PICTURE]}}},
        {"messages": "well"},
        {"messages": None},
        {"messages": [[{"role": "user", "content": [PICTURE]}]]},
        {"messages": [{"role": "user", "content": PICTURE}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": PICTURE}]}]},
        {"system": {"content": [PICTURE]}},
        {"tools": FETCH},
        {"tools": {"0": FETCH}},
        {"tools": None},
        {"tools": [FETCH]},
        {"tools": [{"type": "function", "function": {"name": "read"}}, "web_fetch"]},
        {"tools": [{"type": ["function"]}]},
    ],
    ids=lambda more: json.dumps(more)[:40],
)
def test_what_has_another_shape_is_refused(waits: Waits, more: dict[str, Any]) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        assert at.ask(**more).status_code == 400
    assert server.requests == []


def test_a_system_block_dressed_as_message_is_emptied(waits: Waits) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        at.ask(system=[{"role": "user", **PICTURE}])
    assert server.requests[0].body["system"] == [{"type": "text", "text": "(left out)"}]


def test_nobody_else_may_ask_and_nothing_else_may_be_asked_for(waits: Waits) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        assert at.ask(token="").status_code == at.ask(token="x" * 32).status_code == 401
        assert at.ask("/v1/files").status_code == at.ask("/v1/chat/completions/../../admin").status_code == 404
        assert requests.get(f"{at.base}/v1/models", timeout=5).status_code == 501
        assert requests.head(f"{at.base}/", timeout=5).status_code == 200
        huge = {"Content-Length": str(MAX_REQUEST + 1)}
        assert requests.post(f"{at.base}/v1/chat/completions", data=b"", headers=huge, timeout=5).status_code == 413
        at.gateway.watch()
    assert server.requests == []


def test_it_answers_so_often_and_then_never_again(waits: Waits) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        assert [at.ask().status_code for _ in range(MOST_REQUESTS + 2)] == [200] * MOST_REQUESTS + [502] * 2
        with pytest.raises(ModelFailed, match="limit"):
            at.gateway.watch()
    assert len(server.requests) == MOST_REQUESTS


def test_tokens_are_limited_by_what_the_server_counted(waits: Waits) -> None:
    expected = len(json.dumps(ASKED)) // 4
    with ModelServer(["well"], "x" * 4000) as server, door(server.url, waits, limit=3 * 18 + expected) as at:
        assert [at.ask().status_code for _ in range(6)] == [200] * 4 + [502] * 2
        with pytest.raises(ModelFailed, match="cap"):
            at.gateway.watch()
    assert len(server.requests) == 4


def test_a_gate_that_closes_ends_the_talk(waits: Waits) -> None:
    shut: list[bool] = []

    def gate() -> None:
        if shut:
            raise Stopped("paused")

    with ModelServer(["well"], ANSWER) as server, door(server.url, waits, gate=gate) as at:
        assert at.ask().status_code == 200
        shut.append(True)
        assert at.ask().status_code == 502
        with pytest.raises(Stopped):
            at.gateway.watch()
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "cause", "tries"),
    [
        (b"<html>", "no JSON", 1),
        (b"[1]", "no JSON", 1),
        (b"", "no JSON", 1),
        (b'{"a": 1', "no JSON", 1),
        (b'data: {"choices": []}\n\n', "broke off", 3),
        (b": wait\n\ndata: x\n\n", "broke off", 3),
        (b'event: message_start\ndata: {"type": "message_start"}\n\n', "broke off", 3),
    ],
)
def test_what_is_no_answer_is_not_handed_back_and_a_stream_without_an_end_is_asked_for_again(
    waits: Waits,
    httpserver: HTTPServer,
    body: bytes,
    cause: str,
    tries: int,
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data(body)
    with door(httpserver.url_for("/v1"), waits) as at:
        assert at.ask().status_code == 502
        with pytest.raises(ModelFailed, match=cause):
            at.gateway.watch()
    assert len(httpserver.log) == tries


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b"data:[DONE]\r\n\r\n", b"event:message_stop\ndata: {}\n\n"])
def test_a_stream_with_an_end_is_an_answer(waits: Waits, httpserver: HTTPServer, end: bytes) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data(b": hello\n\ndata: {}\n\n" + end)
    with door(httpserver.url_for("/v1"), waits) as at:
        assert at.ask().status_code == 200


def test_a_bug_of_ours_is_raised_and_prints_nothing(waits: Waits, capfd: pytest.CaptureFixture[str]) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits) as at:
        at.gateway.hand_on = None  # type: ignore[method-assign, assignment]  # calling it is the bug
        with pytest.raises(requests.ConnectionError):
            at.ask()
        with pytest.raises(TypeError):
            at.gateway.watch()
    assert capfd.readouterr() == ("", "")


USAGES: list[tuple[str, int | None, int]] = [("right", 11, 7), ("odd", None, 2), ("none", None, 2)]


@pytest.mark.parametrize("api", [Chat, Messages])
@pytest.mark.parametrize(("usage", "read", "written"), USAGES)
def test_tokens_stand_in_a_whole_answer_and_in_a_stream_alike(
    api: type[Chat] | type[Messages],
    usage: str,
    read: int | None,
    written: int,
) -> None:
    said = Said("eight ch", usage=usage)
    whole = json.dumps(api.body(said, ASKED), indent=1).encode()
    streamed = b"".join(api.events(said, ASKED))
    for body in (whole, streamed, streamed.replace(b"\n", b"\r\n")):
        found = tokens_of(body)
        assert found[0] == read
        assert found[1] == written if usage == "right" else written <= found[1] <= 30


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"5",
        b"data: 5\n\ndata: [DONE]\n\n",
        b'{"usage": 5}',
        b'{"usage": {"prompt_tokens": true}}',
        b'{"message": "x", "choices": {"a": [1, null]}}',
        b"[" * 100_000,
        b'{"delta":' * 3000 + b"1" + b"}" * 3000,
        b"\xff",
    ],
)
def test_whatever_an_answer_holds_it_is_counted_as_something(body: bytes) -> None:
    assert tokens_of(body) == (None, 0)


def test_a_server_that_speaks_the_messages_api_is_asked_in_its_own_way(waits: Waits) -> None:
    with ModelServer(["well"], ANSWER) as server, door(server.url, waits, route=Anthropic) as at:
        assert at.ask("/v1/chat/completions?beta=true").status_code == 200
        assert (at.gateway.tokens_in, at.gateway.tokens_out) == (11, 7)
    assert server.requests[0].path == "/v1/messages?beta=true"
    assert server.requests[0].headers["x-api-key"] == KEY
