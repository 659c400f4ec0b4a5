"""Where Apprise delivers, on loopback: a server that takes notices as ntfy does, and one that takes mail."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class _Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True


class _Place:
    """A server in a thread, until its `with` ends."""

    def __init__(self, server: socketserver.TCPServer) -> None:
        self.closing = threading.Event()
        self._server, self.port = server, int(server.server_address[1])
        self._thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Ntfy(_Place):
    """`mode`: `ok`, a status, `hang` or `reset`. `notices`: {message, title, topic, actions} of what was taken;
    `asked`: how many requests came. A context manager."""

    def __init__(self, mode: str = "ok") -> None:
        self.mode, self.asked = mode, 0
        self.notices: list[dict[str, Any]] = []
        self.authorised: list[str | None] = []
        super().__init__(ThreadingHTTPServer(("127.0.0.1", 0), _ntfy(self)))

    def url(self, user: str = "", query: str = "") -> str:
        return f"ntfy://{user}{'@' if user else ''}127.0.0.1:{self.port}/notices{query}"


def _ntfy(owner: Ntfy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["content-length"])))
            owner.asked += 1
            owner.authorised.append(self.headers.get("authorization"))
            if owner.mode == "hang":
                owner.closing.wait(30)
                return
            if owner.mode == "reset":
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if owner.mode == "ok":
                actions = json.loads(self.headers.get("x-actions") or "[]")
                owner.notices.append({**told, "actions": actions, "icon": self.headers.get("x-icon")})
            self.send_response(200 if owner.mode == "ok" else int(owner.mode))
            self.end_headers()
            self.wfile.write(b"{}")

    return Handler


class Smtp(_Place):
    """`mode`: `ok`, `550` (no recipient is known), `554` (the text is refused), `hang` after the text.

    `mails`: what was taken. A context manager.
    """

    def __init__(self, mode: str = "ok") -> None:
        self.mode = mode
        self.mails: list[Any] = []
        super().__init__(_Threads(("127.0.0.1", 0), _smtp(self)))

    def url(self, user: str = "", query: str = "") -> str:
        at = f"{user}@" if user else ""
        return f"mailto://{at}127.0.0.1:{self.port}/?from=adjutant@example.com&to=ina@example.com{query}"

    @property
    def texts(self) -> list[str]:
        return [str(mail.get_body(("plain",)).get_content()).rstrip("\r\n") for mail in self.mails]


def _smtp(owner: Smtp) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            while line := self.rfile.readline():
                verb = line.split()[0].upper() if line.split() else b""
                if verb == b"EHLO":
                    self._say("250-here\r\n250 AUTH PLAIN LOGIN")
                elif verb == b"AUTH":
                    self._say("235 welcome")
                elif verb == b"RCPT" and owner.mode == "550":
                    self._say("550 nobody of that name")
                elif verb == b"DATA":
                    self._say("354 go on")
                    self._take()
                elif verb == b"QUIT":
                    self._say("221 bye")
                    return
                else:
                    self._say("250 fine")

        def _take(self) -> None:
            lines = []
            while (line := self.rfile.readline()) not in (b".\r\n", b""):
                lines.append(line.removeprefix(b"."))
            if owner.mode == "hang":
                owner.closing.wait(30)
            elif owner.mode == "554":
                self._say("554 not here")
            else:
                owner.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
                self._say("250 taken")

        def _say(self, words: str) -> None:
            self.wfile.write(f"{words}\r\n".encode())

    return Handler
