"""OUTSIDE. The APIs of models: chat completions (OpenAI's, Ollama, vLLM …), Anthropic's messages, transcriptions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import requests
from urllib3 import encode_multipart_formdata

from adjutant.children.waiting import Late, within
from adjutant.models.http import VERSION, HttpModel, count, in_words
from adjutant.models.talking import THOUGHTS, Calls, ChatStream, MessageStream, turns
from adjutant.models.transport import Server, Transport
from adjutant.ports import Dialogue, ModelFailed, Offer, Place, Prompt
from adjutant.store import jsonl
from adjutant.store.settings import KEYS

SIGNED = "extra_content"  # of a call: Gemini wants it again


class OpenAI(HttpModel):
    """POST {base}/chat/completions, the reply held to the prompt's JSON Schema where the server can."""

    backend, variable, hint = "openai", KEYS["openai"], "llm.base_url usually ends in /v1"
    path, answers, growing = "/chat/completions", "chat completion", ChatStream
    streaming: ClassVar[dict[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "response_format": ("response_format", "json_schema", "schema", "structured", "guided", "grammar"),
        "max_tokens": ("max_completion_tokens",),
        **{name: (name,) for name in ("temperature", "tool_choice")},
        "tools": ("tool", "function"),
    }
    ids = re.compile(r"[!-~]+")

    @classmethod
    def credentials(cls, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, asked: Prompt | Dialogue) -> dict[str, Any]:
        payload: dict[str, Any] = {"model": asked.model, "stream": False, "temperature": asked.temperature}
        payload["max_completion_tokens" if "max_tokens" in self._left_out else "max_tokens"] = asked.max_tokens
        system = asked.system
        if isinstance(asked, Dialogue):
            messages = list(_chat_messages(asked))
            told = [{"name": name, "description": about, "parameters": schema} for name, about, schema in asked.tools]
            payload |= {"tools": [{"type": "function", "function": each} for each in told]} if told else {}
            payload |= {"tool_choice": "none"} if told and asked.closing else {}
        else:
            messages = [{"role": "user", "content": asked.text}]
            if asked.schema is not None and "response_format" in self._left_out:
                system += in_words(asked.schema)
            elif asked.schema is not None:
                held = {"name": asked.name, "strict": True, "schema": asked.schema}
                payload["response_format"] = {"type": "json_schema", "json_schema": held}
        return {**payload, "messages": [{"role": "system", "content": system}, *messages]}

    def hear(self, found: Any, calls: Calls) -> tuple[str, int | None, int | None]:
        """The text of the first choice, its calls, and what they cost; nothing where there is no choice."""
        if not isinstance(found["choices"], list):
            raise TypeError("choices")
        choice = found["choices"][0] if found["choices"] else {"message": {}}
        message = choice["message"]
        text = message.get("content")
        if isinstance(text, list):  # some servers answer in parts
            text = "".join(part["text"] for part in text if isinstance(part.get("text"), str))
        if not isinstance(text, str | None):
            raise TypeError("content")
        kept = {name: message[name] for name in THOUGHTS if message.get(name) is not None}
        for call in message.get("tool_calls") or ():
            made = call["function"]
            signed = {SIGNED: call[SIGNED]} if SIGNED in call else {}
            calls.add(call.get("id"), made.get("name"), made.get("arguments"), {**kept, **signed})
            kept = {}
        calls.short = choice.get("finish_reason") == "length"
        if choice.get("finish_reason") in ("length", "content_filter"):
            calls.cut()
        usage = found.get("usage")
        return text or "", count(usage, "prompt_tokens"), count(usage, "completion_tokens")


def _chat_messages(dialogue: Dialogue) -> Iterator[dict[str, Any]]:
    """Each turn, an assistant's followed by the result of each of its calls. Broken arguments go back as none."""
    for turn in turns(dialogue.messages):
        message: dict[str, Any] = {"role": turn.role, "content": turn.text or None}
        for call in turn.calls:
            kept = call.kept or {}
            made = {"name": call.name, "arguments": json.dumps(call.arguments or {}, ensure_ascii=False)}
            signed = {name: kept[name] for name in (SIGNED,) if name in kept}
            message.setdefault("tool_calls", []).append({"id": call.id, "type": "function", "function": made, **signed})
            message |= {name: each for name, each in kept.items() if name in THOUGHTS}
        yield message
        for call, result in turn.results:
            yield {"role": "tool", "tool_call_id": call.id, "content": result}


HOTTEST = 1.0  # the highest temperature of Anthropic; others go to 2
THINKING = ("thinking", "redacted_thinking")  # of a message with calls: wanted again, at its beginning
INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")  # each without the others


class Anthropic(HttpModel):
    """POST {base}/v1/messages, its reply held to the schema by a tool; without thinking where that can be."""

    backend, variable, hint = "anthropic", KEYS["anthropic"], "/v1/messages is added to llm.base_url"
    path, models, answers, growing = "/v1/messages", "/v1/models", "message", MessageStream
    streaming: ClassVar[dict[str, Any]] = {"stream": True}
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **{name: (name,) for name in ("temperature", "thinking", "tool_choice")},
        "tools": ("tool", "input_schema"),
    }
    ids = re.compile(r"[A-Za-z0-9_-]+")

    @classmethod
    def server(cls, base_url: str, key: str | None, proxies: Mapping[str, str] | None = None) -> Server:
        return super().server(base_url.rstrip("/").removesuffix("/v1"), key, proxies)

    @classmethod
    def credentials(cls, key: str) -> dict[str, str]:
        return {**VERSION, "x-api-key": key} if key else dict(VERSION)

    def body(self, asked: Prompt | Dialogue) -> dict[str, Any]:
        payload: dict[str, Any] = {"model": asked.model, "max_tokens": asked.max_tokens, "stream": False}
        payload |= {"temperature": min(asked.temperature, HOTTEST), "thinking": {"type": "disabled"}}
        system = asked.system
        if isinstance(asked, Dialogue):
            messages = _alternate(asked)
            told = [{"name": name, "description": about, "input_schema": schema} for name, about, schema in asked.tools]
            payload |= {"tools": told} if told else {}
            payload |= {"tool_choice": {"type": "none"}} if told and asked.closing else {}
        else:
            messages = [{"role": "user", "content": asked.text}]
            if asked.schema is not None and {"tools", "tool_choice"} & self._left_out:
                system += in_words(asked.schema)
            elif asked.schema is not None:
                payload["tools"] = [{"name": asked.name, "input_schema": asked.schema}]
                payload["tool_choice"] = {"type": "tool", "name": asked.name}
        return {**payload, "system": system, "messages": messages}

    def hear(self, found: Any, calls: Calls) -> tuple[str, int | None, int | None]:
        """The text, the tools used, and what they cost; nothing of what was broken off for a refusal."""
        content, ended, usage = found["content"], found.get("stop_reason"), found.get("usage")
        if not isinstance(content, list):
            raise TypeError("content")
        text = "".join(block["text"] for block in content if block["type"] == "text")
        asked = None if count(usage, INPUTS[0]) is None else sum(count(usage, name) or 0 for name in INPUTS)
        cost = asked, count(usage, "output_tokens")
        if ended == "refusal":
            return "", *cost
        kept = [block for block in content if block["type"] in THINKING]
        for block in content:
            if block["type"] == "tool_use":
                calls.add(block.get("id"), block.get("name"), block.get("input"), {"thoughts": kept} if kept else None)
                kept = []
        calls.short = ended in ("max_tokens", "model_context_window_exceeded")
        if calls.short and content and content[-1]["type"] == "tool_use":
            calls.cut()
        return text, *cost


def _alternate(dialogue: Dialogue) -> list[dict[str, Any]]:
    """Messages that alternate: results and what the user says then are one. Broken arguments go back as none."""
    messages: list[dict[str, Any]] = []
    for turn in turns(dialogue.messages):
        said = [thought for call in turn.calls for thought in (call.kept or {}).get("thoughts", ())]
        said += [{"type": "text", "text": turn.text}] if turn.text else []
        for call in turn.calls:
            said.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments or {}})
        if messages and messages[-1]["role"] == turn.role:
            messages[-1]["content"] += said
        else:
            messages.append({"role": turn.role, "content": said})
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": text} for call, text in turn.results]
        if results:
            messages.append({"role": "user", "content": results})
    return messages


PATIENCE = 3  # times what one request for a transcription may take, for all tries together


class OpenAITranscriber:
    """POST {base}/audio/transcriptions, a form with the sound in it."""

    def __init__(self, line: Transport, seconds: float) -> None:
        self._line, self._seconds = line, seconds

    def transcribe(self, audio: bytes, name: str, model: str, language: str, key: str) -> str:
        fields: dict[str, Any] = {"file": (name, audio), "model": model, "response_format": "json"}
        form, kind = encode_multipart_formdata(fields | ({"language": language} if language else {}))
        headers = {"Content-Type": kind, "Accept": "application/json", "Accept-Encoding": "identity"}
        headers["Idempotency-Key"] = key
        deadline, server = self._line.monotonic() + self._seconds * PATIENCE, self._line.server

        def once() -> str:
            answer = self._line.ask("/audio/transcriptions", form, deadline, headers)
            if not 200 <= answer.status < 300:
                raise server.refuse(answer, model)
            try:
                return server.scrub(str(jsonl.loads(answer.body)["text"]))
            except (ValueError, KeyError, TypeError):
                raise ModelFailed("malformed", f"{server.place} answered, but with no transcription") from None

        return self._line.keep_on(deadline, once)


ROUTES: dict[str, type[HttpModel]] = {"openai": OpenAI, "anthropic": Anthropic}


# -- which models a server offers, asked of several at once and waited for a short time

LISTING = {"Accept": "application/json", "Accept-Encoding": "identity"}
MOST_LISTED, LONGEST_NAME = 200, 200  # models of one server, characters of a name


def look(places: Sequence[Place], seconds: float, proxies: Mapping[str, str] | None = None) -> list[Offer]:
    """What each place answers, in their order. Nothing is sent there but its key. Raises nothing of the network."""

    def ask(place: Place) -> Offer:
        try:
            return within(seconds * 2, lambda tell: _ask(place, seconds, proxies or {}))
        except Late:
            return Offer(place, (), "no answer in time", False)

    with ThreadPoolExecutor(len(places) or 1) as pool:
        return list(pool.map(ask, places))


def _ask(place: Place, seconds: float, proxies: Mapping[str, str]) -> Offer:
    route = ROUTES[place.api]
    try:
        server = route.server(place.base_url, place.key, proxies)
        with server.open(route.models, None, seconds, LISTING) as response:
            status = response.status_code
            body = server.read(response).body if status == 200 else b""
    except (ModelFailed, requests.RequestException, OSError, ValueError):  # its text may quote a header
        return Offer(place, (), "nobody answers there", False)
    if status != 200:
        wants = "it asks for another key" if place.key else "it asks for a key"
        return Offer(place, (), wants if status in (401, 403) else f"it answers with {status}", True)
    try:
        names = [each["id"] for each in jsonl.loads(body)["data"]]
    except (ValueError, KeyError, TypeError):
        return Offer(place, (), "something else answers there: no list of models", False)
    plain = [name for name in names if isinstance(name, str) and name.isprintable() and 0 < len(name) <= LONGEST_NAME]
    models = tuple(dict.fromkeys(plain))[:MOST_LISTED]
    return Offer(place, models, "" if models else "it has no model yet", True)
