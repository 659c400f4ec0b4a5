"""The scripted model itself: what it streams is what it says whole, in both APIs, as clients read them."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from tests.modelapis import APIS, Call, Chat, Messages
from tests.modelserver import Answer, ModelServer

CALLS: list[Call] = [("read", {"path": "tasks.md"}), ("grep", {"pattern": "due \u00e6", "limit": 3})]
FORCED = {"tools": [{"name": "tiny", "input_schema": {}}], "tool_choice": {"type": "tool", "name": "tiny"}}
ENDS = {Chat: ("stop", "tool_calls"), Messages: ("end_turn", "tool_use")}


class Heard:
    """What a client makes of an answer: its text, its tool calls, why it ended, tokens in and out."""

    def __init__(self) -> None:
        self.text, self.ended, self.tokens = "", "", (0, 0)
        self.calls: list[list[str]] = []  # name and arguments, as far as they have come

    @property
    def used(self) -> list[Call]:
        return [(name, json.loads(words)) for name, words in self.calls]


def whole(api: type[Chat] | type[Messages], body: dict[str, Any]) -> Heard:
    heard, usage = Heard(), body["usage"]
    if api is Chat:
        (choice,) = body["choices"]
        heard.text, heard.ended = choice["message"]["content"] or "", choice["finish_reason"]
        made = [call["function"] for call in choice["message"].get("tool_calls", [])]
        heard.calls = [[each["name"], each["arguments"]] for each in made]
        heard.tokens = usage["prompt_tokens"], usage["completion_tokens"]
        return heard
    heard.text = "".join(block["text"] for block in body["content"] if block["type"] == "text")
    used = [block for block in body["content"] if block["type"] == "tool_use"]
    heard.calls = [[block["name"], json.dumps(block["input"])] for block in used]
    heard.ended, heard.tokens = body["stop_reason"], (asked(usage), usage["output_tokens"])
    return heard


def asked(usage: dict[str, int]) -> int:
    return sum(count for name, count in usage.items() if name != "output_tokens")


def streamed(api: type[Chat] | type[Messages], text: str) -> Heard:
    heard = Heard()
    data = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    if api is Chat:
        assert data.pop() == "[DONE]"
    for event in map(json.loads, data):
        (chunk if api is Chat else message)(heard, event)
    return heard


def chunk(heard: Heard, event: dict[str, Any]) -> None:
    if not event["choices"]:
        heard.tokens = event["usage"]["prompt_tokens"], event["usage"]["completion_tokens"]
        return
    delta = event["choices"][0]["delta"]
    heard.text += delta.get("content") or ""
    heard.ended = event["choices"][0]["finish_reason"] or heard.ended
    for call in delta.get("tool_calls", []):
        if call["index"] == len(heard.calls):
            heard.calls.append([call["function"]["name"], ""])
        heard.calls[call["index"]][1] += call["function"]["arguments"]


def message(heard: Heard, event: dict[str, Any]) -> None:
    kind, delta = event["type"], event.get("delta", {})
    if kind == "message_start":
        heard.tokens = asked(event["message"]["usage"]), 0
    elif kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
        heard.calls.append([event["content_block"]["name"], ""])
    elif kind == "content_block_delta":
        heard.text += delta.get("text", "")
        if "partial_json" in delta:
            heard.calls[event["index"]][1] += delta["partial_json"]
    elif kind == "message_delta":
        heard.ended, heard.tokens = delta["stop_reason"], (heard.tokens[0], event["usage"]["output_tokens"])


def post(server: ModelServer, api: type[Chat] | type[Messages], **body: Any) -> requests.Response:
    address = server.url.removesuffix("/v1") + api.path
    return requests.post(f"{address}?beta=true", json={"model": "small", **body}, timeout=5)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("answer", ["hello, \u00e6", '{"a": 1}', CALLS])
def test_what_is_streamed_is_what_is_said_whole(api: type[Chat] | type[Messages], answer: Answer) -> None:
    with ModelServer(answer=answer) as server:
        once = whole(api, post(server, api).json())
        said = post(server, api, stream=True)
        again = streamed(api, said.content.decode())
    assert said.headers["content-type"] == "text/event-stream"
    for heard in (once, again):
        assert heard.text == (answer if isinstance(answer, str) else "")
        assert heard.used == (answer if isinstance(answer, list) else [])
        assert heard.ended == ENDS[api][isinstance(answer, list)]
        assert heard.tokens == (11, 7)


def test_a_tool_that_must_be_used_is_called_with_the_answer() -> None:
    with ModelServer(answer='{"a": 1}') as server:
        once = whole(Messages, post(server, Messages, **FORCED).json())
        again = streamed(Messages, post(server, Messages, stream=True, **FORCED).content.decode())
    assert once.used == again.used == [("tiny", {"a": 1})]
    assert once.text == again.text == ""


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_is_cut_is_no_whole_one(api: type[Chat] | type[Messages]) -> None:
    with ModelServer(["cut"], answer="hello") as server, pytest.raises(requests.RequestException):
        post(server, api, stream=True)


@pytest.mark.parametrize("api", APIS)
def test_a_server_that_fails_says_so_the_same_way_to_whom_it_would_stream(api: type[Chat] | type[Messages]) -> None:
    with ModelServer(["429", "500"]) as server:
        answers = [post(server, api, stream=True) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [429, 500]
    assert answers[0].headers["retry-after"] == "2"
    assert answers[1].json()["error"]["message"] == "something broke"


def test_it_is_there_knows_its_models_and_nothing_else() -> None:
    with ModelServer() as server:
        base = server.url.removesuffix("/v1")
        assert requests.head(base, timeout=5).status_code == 200
        assert requests.get(f"{server.url}/models", timeout=5).json()["data"][0]["id"] == "small"
        assert requests.get(f"{base}/else", timeout=5).status_code == 404
        assert requests.post(f"{base}/v1/else", json={}, timeout=5).status_code == 404
        assert server.requests == []
