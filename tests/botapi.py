"""A Bot API server on loopback that counts what reaches it, from whichever process, and answers well or badly."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

TOKEN, CHAT = "123456:canary-token-AbCdEf", "4711"
MODES = ("ok", "400", "401", "404", "429", "500", "302", "not-ok", "no-json", "hang", "reset", "cut", "drip")
REFUSALS = ("400", "401", "404", "429")


class Message(NamedTuple):
    """One whole request, and how it was answered."""

    path: str
    body: dict[str, Any]
    mode: str


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


class BotApi:
    """`messages` is every request whose body arrived whole. `mode` may be changed at any time, or be a function of the
    number of requests so far. `arrived(n)` waits for the n-th. A context manager; `url` is the api_base."""

    def __init__(self, mode: str | Callable[[int], str] = "ok") -> None:
        self.mode = mode
        self.messages: list[Message] = []
        self.closing = threading.Event()
        self._news = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> BotApi:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def possible(self) -> list[Message]:
        """Messages that were delivered, or of which the sender cannot know."""
        return [message for message in self.messages if message.mode not in REFUSALS]

    def arrived(self, count: int, seconds: float = 10.0) -> bool:
        with self._news:
            return self._news.wait_for(lambda: len(self.messages) >= count, seconds)

    def take(self, path: str, body: dict[str, Any]) -> str:
        with self._news:
            mode = self.mode if isinstance(self.mode, str) else self.mode(len(self.messages))
            assert mode in MODES, mode
            self.messages.append(Message(path, body, mode))
            self._news.notify_all()
        return mode


def _handler(owner: BotApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(size)
            if len(raw) < size:
                return  # the sender died in the middle of it
            mode = owner.take(self.path, json.loads(raw))
            try:
                self._answer(mode)
            except OSError:
                pass  # the sender did not wait
            self.close_connection = True

        def _answer(self, mode: str) -> None:
            if mode == "hang":
                owner.closing.wait(30)
            elif mode == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            elif mode == "ok":
                self._reply(200, {"ok": True, "result": {"message_id": len(owner.messages)}})
            elif mode == "not-ok":
                self._reply(200, {"ok": False, "description": "odd"})
            elif mode == "no-json":
                self._send(200, b"<html>proxy</html>", 18)
            elif mode == "302":
                self._reply(302, {"ok": False}, ("Location", f"{owner.url}/elsewhere"))
            elif mode == "cut":
                self._send(200, b'{"ok": tr', 500)
            elif mode == "drip":
                self._send(200, b"", 500)
                while not owner.closing.wait(0.05):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            else:
                said = {"ok": False, "error_code": int(mode), "description": f"as told: {mode} {self.path}"}
                self._reply(int(mode), said, ("Retry-After", "1"))

        def _reply(self, status: int, body: dict[str, Any], *headers: tuple[str, str]) -> None:
            data = json.dumps(body).encode()
            self._send(status, data, len(data), *headers)

        def _send(self, status: int, data: bytes, length: int, *headers: tuple[str, str]) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()

    return Handler
