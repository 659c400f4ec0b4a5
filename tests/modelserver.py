"""A chat endpoint on loopback that does what its script says, well or badly, and keeps every request."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
MODES = (
    "well", "prose", "broken", "fenced", "429", "429-later", "429-date", "500", "501", "hang", "drip", "cut", "reset",
    "deep", "deep-body", "huge", "no-response-format", "no-max-tokens", "no-temperature", "content-type", "html",
    "empty-choices", "no-choices", "no-usage", "odd-usage", "parts", "null", "redirect", "400", "401", "404", "echo",
)


class Request(NamedTuple):
    """One request as it came: path, headers in lower case, decoded body, seconds since the server began."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


class ModelServer:
    """Answers each request by the next mode of `script`, the last one for ever after.

    `answer` maps the decoded request to the reply's text. Use as a context manager; `url` is the base to configure.
    """

    def __init__(self, script: Iterable[str] = ("well",), answer: Callable[[dict[str, Any]], str] | str = "{}") -> None:
        self.script = list(script)
        assert self.script and set(self.script) <= set(MODES), self.script
        self.answer = answer if callable(answer) else (lambda body: answer)
        self.requests: list[Request] = []
        self.done = threading.Event()
        self.began = time.monotonic()
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_mode(self, request: Request) -> str:
        with self._guard:
            self.requests.append(request)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def completion(text: Any, **more: Any) -> dict[str, Any]:
    """The body of a good answer."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    made = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}
    return made | more


def _handler(owner: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, json.loads(raw), time.monotonic() - owner.began)
            try:
                self._do(owner.next_mode(request), request)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _send(self, body: bytes, status: int = 200, kind: str = "application/json", **more: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in more.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

        def _json(self, value: Any, status: int = 200, **more: str) -> None:
            self._send(json.dumps(value).encode(), status, **more)

        def _error(self, status: int, message: str, **more: str) -> None:
            self._json({"error": {"message": message, "type": "scripted"}}, status, **more)

        def _do(self, mode: str, request: Request) -> None:
            body = request.body
            text = owner.answer(body)
            if mode in ("no-response-format", "no-max-tokens", "no-temperature"):
                option = mode.removeprefix("no-").replace("-", "_")
                other = " Use 'max_completion_tokens' instead." if option == "max_tokens" else ""
                if option in body:
                    return self._error(400, f"Unsupported parameter: '{option}'.{other}")
                return self._json(completion(text))
            if mode == "429-date":
                now, later = "Fri, 20 Nov 2026 09:00:00 GMT", "Fri, 20 Nov 2026 09:00:03 GMT"
                self.send_response_only(429)
                self.send_header("Date", now)
                self.send_header("Retry-After", later)
                self.send_header("Content-Length", "0")
                return self.end_headers()
            if mode in ("hang", "drip", "cut", "reset"):
                return self._break(mode, text)
            plain: dict[str, Callable[[], None]] = {
                "well": lambda: self._json(completion(text)),
                "prose": lambda: self._json(completion(f"Certainly! Here it is:\n\n{text}\n\nAnything else?")),
                "fenced": lambda: self._json(completion(f"```json\n{text}\n```")),
                "broken": lambda: self._json(completion(text[: len(text) // 2] or "{")),
                "429": lambda: self._error(429, "slow down", Retry_After="2"),
                "429-later": lambda: self._error(429, "slow down", Retry_After="3600"),
                "500": lambda: self._error(500, "something broke"),
                "501": lambda: self._error(501, "not built"),
                "400": lambda: self._error(400, "context length exceeded"),
                "401": lambda: self._error(401, f"bad key: {request.headers.get('authorization')}"),
                "404": lambda: self._error(404, "model not found"),
                "deep": lambda: self._json(completion('{"a":' * 100_000 + "1" + "}" * 100_000)),
                "deep-body": lambda: self._send(b"[" * 100_000 + b"]" * 100_000),
                "huge": lambda: self._json(completion(text + " " * 10_000_000)),
                "content-type": lambda: self._send(json.dumps(completion(text)).encode(), kind="text/plain"),
                "html": lambda: self._send(b"<html><body>Log in first</body></html>", kind="text/html"),
                "empty-choices": lambda: self._json({**completion(text), "choices": []}),
                "no-choices": lambda: self._json({"message": "hello"}),
                "no-usage": lambda: self._json(completion(text, usage=None)),
                "odd-usage": lambda: self._json(completion(text, usage={"prompt_tokens": -5})),
                "parts": lambda: self._json(completion([{"type": "text", "text": t} for t in (text[:2], text[2:])])),
                "null": lambda: self._json(completion(None)),
                "redirect": lambda: self._send(b"", 302, Location="http://127.0.0.1:9/v1/chat/completions"),
                "echo": lambda: self._json(completion(json.dumps(request.headers))),
            }
            plain[mode]()

        def _break(self, mode: str, text: str) -> None:
            self.close_connection = True
            data = json.dumps(completion(text)).encode()
            if mode == "hang":
                owner.done.wait(30)
                return
            if mode == "reset":
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if mode == "cut":
                self.wfile.write(data[: len(data) // 2])
                return
            for n in range(len(data)):
                self.wfile.write(data[n : n + 1])
                self.wfile.flush()
                if owner.done.wait(0.1):
                    return

    return Handler
