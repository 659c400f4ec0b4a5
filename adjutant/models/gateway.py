"""OUTSIDE. A child's only way to its model: it asks here, without a key, and we ask the server."""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

from adjutant.children.walls import Door
from adjutant.models.http import CHARS_PER_TOKEN
from adjutant.models.transport import JSON, HttpAnswer, Transport
from adjutant.ports import ModelFailed, Prompt
from adjutant.store import jsonl

_KEPT = (
    "model messages system tools tool_choice parallel_tool_calls temperature top_p top_k stream stream_options stop "
    "stop_sequences max_tokens max_completion_tokens response_format reasoning_effort thinking"
)
KEPT = frozenset(_KEPT.split())
LENGTHS = ("max_tokens", "max_completion_tokens")
OWN_TOOLS = (None, "custom", "function")  # those that the agent runs itself; others run at the server
BLOCKS = ("text", "tool_use", "tool_result", "thinking", "redacted_thinking")  # others may name an address to fetch
QUERIES = ("", "beta=true")
MAX_REQUEST, MOST_REQUESTS = 8 * 1024 * 1024, 24
MOST_CONNECTIONS = 16  # at once: a child must not use up our memory and descriptors
PASSED_ON = ("anthropic-version", "anthropic-beta")
COUNTED = (  # by either API, each of the last three without the others
    *("completion_tokens", "output_tokens", "prompt_tokens"),
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
)
COUNT = re.compile(rb'"(%s)"\s*:\s*(\d{1,12})(?=[\s,}])' % "|".join(COUNTED).encode())
WROTE = re.compile(rb'"(?:content|text|thinking|reasoning_content|arguments|partial_json)"\s*:\s*"((?:[^"\\]|\\.)*+)"')
STREAM = re.compile(rb"(?:event|data|id|retry)?:")
END = re.compile(rb"^(?:data: ?\[DONE\]|event: ?message_stop)\s*$", re.MULTILINE)


class Gateway:
    """Listens for one child and hands its questions on. `asked`: the path a child may post to; `path`: where that goes
    upstream. A child shows `token` where a key belongs. `place`: where the socket file is made; None: loopback. The
    first trouble that is for good ends the talk: `watch` raises it from then on."""

    def __init__(self, line: Transport, asked: str, path: str, prompt: Prompt, until: float, place: str | None) -> None:
        self.token = secrets.token_hex(16)
        self.requests = self.tokens_in = self.tokens_out = self._asking = 0
        self._line, self._asked, self._path = line, asked, path
        self._prompt, self._deadline = prompt, until
        self.trouble: Exception | None = None
        self._guard = threading.Lock()
        where: Any = ("127.0.0.1", 0) if place is None else os.path.join(place, "door")
        self._listener = (_Tcp if place is None else _Unix)(where, self)
        self.door = Door("", self._listener.server_address[1]) if place is None else Door(where, 0)

    def __enter__(self) -> Gateway:
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True, name="gateway").start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    def watch(self) -> None:
        if self.trouble is not None:
            raise self.trouble

    def fail(self, error: Exception) -> None:
        with self._guard:
            self.trouble = self.trouble or error

    def hand_on(self, asked: str, body: bytes, headers: dict[str, str]) -> HttpAnswer | None:
        """The server's good answer; None when there is none and will be none."""
        path, _, query = asked.partition("?")
        if path != self._asked or query not in QUERIES:
            return HttpAnswer(404, {}, b'{"error": {"message": "no such door"}}')
        try:
            question = pass_on(body, self._prompt.model, self._prompt.max_tokens)
        except ValueError as refused:
            return HttpAnswer(400, {}, json.dumps({"error": {"message": str(refused)}}).encode())
        upstream = self._path + (f"?{query}" if query else "")
        expected = len(question) // CHARS_PER_TOKEN
        try:
            self._admit(expected)
            answer = self._line.keep_on(self._deadline, lambda: self._once(upstream, question, headers))
        except Exception as error:  # noqa: BLE001 - kept for the thread that waits for the child, which raises it
            self.fail(error)
            return None
        read, written = tokens_of(answer.body)
        with self._guard:
            self._asking -= expected
            self.tokens_in += expected if read is None else read
            self.tokens_out += written
        return answer

    def _admit(self, expected: int) -> None:
        self.watch()
        self._line.gate()
        with self._guard:
            self.requests += 1
            self._asking += expected
            if self.requests > MOST_REQUESTS:
                raise ModelFailed("limit", f"the agent asked its model more than {MOST_REQUESTS} times")
            limit = self._prompt.limit
            if limit is not None and self.tokens_in + self.tokens_out + self._asking > limit:
                raise ModelFailed("cap", f"the agent's questions came to more than the {limit} tokens left")

    def _once(self, path: str, body: bytes, headers: dict[str, str]) -> HttpAnswer:
        answer = self._line.ask(path, body, self._deadline, {**JSON, **headers, "Accept": "*/*"})
        if not 200 <= answer.status < 300:
            raise self._line.server.refuse(answer, self._prompt.model)
        if STREAM.match(answer.body.lstrip()):
            if not END.search(answer.body):
                raise self._line.server.broke_off()
        else:
            try:
                if not isinstance(jsonl.loads(answer.body), dict):
                    raise ValueError("no object")
            except ValueError:
                place = self._line.server.place
                raise ModelFailed("malformed", f"{place} answered, but with no JSON and no events") from None
        text = self._line.server.scrub(answer.body.decode("utf-8", "surrogateescape"))
        return answer._replace(body=text.encode("utf-8", "surrogateescape"))


def tokens_of(body: bytes) -> tuple[int | None, int]:
    """(in, out) as the server counted them, of a growing count the highest; else None, and an estimate."""
    found = dict.fromkeys(COUNTED, 0)
    for name, number in COUNT.findall(body):
        found[name.decode()] = max(found[name.decode()], int(number))
    completed, output, prompted, *inputs = found.values()
    return prompted or sum(inputs) or None, completed or output or sum(map(len, WROTE.findall(body))) // CHARS_PER_TOKEN


class _Tcp(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads, block_on_close, request_queue_size = True, False, MOST_CONNECTIONS

    def __init__(self, where: Any, gateway: Gateway) -> None:
        self._places, self.gateway = threading.BoundedSemaphore(MOST_CONNECTIONS), gateway
        super().__init__(where, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return self._places.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A child that goes away in the middle of an answer is no news; a bug of ours ends the talk."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.gateway.fail(error)


class _Unix(_Tcp):
    address_family = socket.AF_UNIX


class _Handler(BaseHTTPRequestHandler):
    server: _Tcp
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._say(200, b"")

    def do_POST(self) -> None:
        size = ",".join(self.headers.get_all("content-length", []))
        plain = size.isascii() and size.isdigit() and "transfer-encoding" not in self.headers
        if not plain or int(size[:12]) > MAX_REQUEST:
            self.close_connection = True  # where the next request would begin is in doubt
            return self._say(413 if plain else 400, b"{}")
        body = self.rfile.read(int(size))
        shown = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(shown.encode("utf-8", "replace"), self.server.gateway.token.encode()):
            return self._say(401, b'{"error": {"message": "not your door"}}')
        passed = {name: value for name in PASSED_ON if (value := self.headers.get(name)) and value.isprintable()}
        answer = self.server.gateway.hand_on(self.path, body, passed)
        if answer is None:
            self.close_connection = True
            return self._say(502, b'{"error": {"message": "no answer"}}')
        self._say(answer.status, answer.body, answer.headers.get("content-type", "application/json"))

    def _say(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


# -- what of a request reaches the server: the question, and nothing else that a server can do ------------------
# A hosted server fetches addresses, runs code and searches the web for whoever asks it to: each would be a way out.


def pass_on(body: bytes, model: str, most: int) -> bytes:
    """The request for this model with a reply of at most `most` tokens. What is not of the shape that both APIs give it
    is refused: a server may read more into it than we. Raises ValueError, which says why."""
    try:
        asked = jsonl.loads(body)
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        raise ValueError("no JSON object")
    kept = {name: value for name, value in asked.items() if name in KEPT} | {"model": model}
    for name in [name for name in LENGTHS if name in kept] or ["max_tokens"]:
        given = kept.get(name)
        kept[name] = min(given, most) if type(given) is int and given > 0 else most
    messages = _list(kept, "messages")
    if not all(isinstance(each, dict) and isinstance(each.get("content") or "", str | list) for each in messages):
        raise ValueError("messages holds one that is no message")
    kept["messages"] = [_inner(each) for each in messages]
    if isinstance(kept.get("system"), list):
        kept["system"] = [_block(each) for each in kept["system"]]
    elif not isinstance(kept.get("system", ""), str):
        raise ValueError("system is neither text nor a list")
    tools = _list(kept, "tools") if "tools" in kept else []
    if any(not isinstance(tool, dict) or tool.get("type") not in OWN_TOOLS for tool in tools):
        raise ValueError("tools holds one that the agent does not run itself")
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")


def _list(asked: dict[str, Any], name: str) -> list[Any]:
    found = asked.get(name)
    if not isinstance(found, list):
        raise ValueError(f"{name} is no list")
    return found


def _inner(holder: dict[str, Any]) -> dict[str, Any]:
    content = holder.get("content")
    return {**holder, "content": [_block(each) for each in content]} if isinstance(content, list) else holder


def _block(block: Any) -> Any:
    if not isinstance(block, dict) or block.get("type") not in BLOCKS:
        return {"type": "text", "text": "(left out)"}
    if not isinstance(block.get("content") or "", str | list):
        raise ValueError("content is neither text nor a list")
    return _inner(block)
