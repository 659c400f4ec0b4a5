"""A Bot API server on loopback that counts what reaches it, from whichever process, and answers well or badly."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

TOKEN, CHAT = "123456:canary-token-AbCdEf", "4711"
REFUSALS = ("400", "401", "403", "404", "409", "429")
MODES = ("ok", *REFUSALS, "500", "302", "not-ok", "no-json", "hang", "reset", "cut", "drip", "flooding")
CONFLICT = "Conflict: terminated by other getUpdates request"

# What Telegram's server and clients make of plain text, each as their sources look for it; not how we look for it.
TAPPED = tuple(
    map(
        re.compile,
        (
            r"(?<![0-9A-Za-z_])@[A-Za-z0-9_]{2,32}",
            r"(?<![\w/<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/<>])",
            r"(?<!\w)#\w*[^\W\d]\w*",
            r"(?<!\w)\$(?:[A-Z]{1,8}|1INCH)(?![\w$])",
            r"(?i)(?:https?|ftp|tg|ton|tonsite)://\S+",
            r"(?<![\w@-])(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d+)?(?:[/?#]\S*)?",
            r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
            r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
            r"\+\d(?:[ ()-]{0,2}\d){6,14}",
            r"(?<!\d)\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?!\d)",
        ),
    )
)
HOSTILE = (
    "/kill",
    "/kill@my_bot",
    "/resume now",
    "/confirm 1234",
    "/confirm_1234",
    "-/kill",
    "*/kill*",
    "…/kill",
    "@somebody",
    "mail@example.com",
    "a.b+c@mail.example.org",
    "#tag",
    "#2026_plan",
    "$USD",
    "$1INCH",
    "https://example.com/a?b=c#d",
    "HTTP://EXAMPLE.COM",
    "ftp://files.example.net",
    "http://localhost/x",
    "tg://resolve?domain=somebody",
    "t.me/somebody",
    "example.com",
    "sub.example.co.uk:8080/path",
    "kessler.md",
    "пример.рф",
    "xn--e1afmkfd.xn--p1ai.com",
    "127.0.0.1",
    "+47 22 33 44 55",
    "+1 (212) 555-0123",
    "4111 1111 1111 1111",
    "4111111111111111",
    "/\u0333kill",
    "example.\u030acom",
    "\u202e/kill",
)
DROPPED = re.compile("[\u0333\u033f\u030a\u2028-\u202e]")  # by the server, before it looks


def tapped(body: dict[str, Any]) -> list[str]:
    """What a person can tap in a message, outside of its code entities; their offsets are looked at too."""
    units = body["text"].encode("utf-16-le")
    code: set[int] = set()
    for entity in body.get("entities", []):
        first, end = 2 * entity["offset"], 2 * (entity["offset"] + entity["length"])
        assert entity["type"] == "code" and first < end <= len(units), entity
        before = len(units[:first].decode("utf-16-le"))  # raises in the middle of a character
        code |= set(range(before, before + len(units[first:end].decode("utf-16-le"))))
    assert len(body.get("entities", [])) <= 100, "the server would drop the rest"
    places = [at for at, char in enumerate(body["text"]) if not DROPPED.match(char)]
    bare = "".join(body["text"][at] for at in places)
    found = [each for pattern in TAPPED for each in pattern.finditer(bare)]
    return [each[0] for each in found if not {places[at] for at in range(each.start(), each.end())} <= code]


LONG_REPLY = 9 * 1024 * 1024  # bytes


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
    number of requests so far. `arrived(n)` waits for the n-th. A context manager; `url` is the api_base.

    `say` puts a message of the operator's among the updates, `post` any update. They are handed to whoever polls, until
    an offset beyond them has come. `polls` is every getUpdates, `poll_mode` as `mode`; of two that poll at once the
    first is told of the conflict. `retry_after` is what a 429 asks for. `press` presses a button, `answered` is what
    presses were answered with.
    """

    def __init__(self, mode: str | Callable[[int], str] = "ok") -> None:
        self.mode = mode
        self.poll_mode: str | Callable[[int], str] = "ok"
        self.retry_after = 1
        self.messages: list[Message] = []
        self.answered: list[dict[str, Any]] = []
        self.polls: list[dict[str, Any]] = []
        self.updates: list[dict[str, Any]] = []
        self.now, self._number, self._poller = 0, 1000, 0
        self.closing = threading.Event()
        self._news = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> BotApi:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.closing.set()
        with self._news:
            self._news.notify_all()
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

    @property
    def tapped(self) -> list[str]:
        """What can be tapped in any message."""
        return [each for message in list(self.messages) for each in tapped(message.body)]

    # -- updates -----------------------------------------------------------------------------------------------

    def say(self, text: str | None, *, ago: int = 0, **more: Any) -> int:
        """A message of the operator's, sent `ago` seconds before `now`; its update id."""
        message = {
            "message_id": self._number,
            "date": self.now - ago,
            "chat": {"id": int(CHAT), "type": "private"},
            "from": {"id": int(CHAT), "is_bot": False, "first_name": "Ina"},
            **more,
        }
        return self.post({"message": message if text is None else {"text": text, **message}})

    def press(self, button: str, message: int = 0, sender: str = CHAT, **more: Any) -> int:
        """Somebody presses a button, by its words or its data, of the n-th message; its update id."""
        told = self.messages[message].body
        keyboard = told.get("reply_markup", {}).get("inline_keyboard", [])
        data = {each["text"]: each["callback_data"] for row in keyboard for each in row}
        about = {
            "message_id": message + 1,
            "date": self.now,
            "chat": {"id": int(CHAT), "type": "private"},
            "text": told["text"],
            "reply_markup": {"inline_keyboard": keyboard},
        }
        query = {
            "id": f"q{self._number}",
            "from": {"id": int(sender)},
            "data": data.get(button, button),
            "message": about,
        }
        return self.post({"callback_query": {**query, **more}})

    def post(self, update: dict[str, Any]) -> int:
        with self._news:
            self._number += 1
            self.updates.append({"update_id": self._number, **update})
            self._news.notify_all()
            return self._number

    @property
    def texts(self) -> list[str]:
        """What was said to the operator, as far as it arrived."""
        return [each.body["text"] for each in list(self.messages) if each.mode == "ok"]

    def said(self, words: str, seconds: float = 30.0, after: int = 0) -> str:
        """The first text with these words, waited for, `after` so many texts."""
        with self._news:
            assert self._news.wait_for(lambda: any(words in text for text in self.texts[after:]), seconds), (
                f"{words!r} was not said; {self.texts}"
            )
        return next(text for text in self.texts[after:] if words in text)

    def polled(self, count: int, seconds: float = 30.0) -> None:
        """Waits for the n-th poll."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.polls) >= count, seconds), f"{len(self.polls)} polls"

    def poll(self, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """(mode, answer) of a getUpdates, after at most its timeout."""
        with self._news:
            mode = self.poll_mode if isinstance(self.poll_mode, str) else self.poll_mode(len(self.polls))
            self.polls.append(body)
            self._poller += 1
            self._news.notify_all()
            if mode != "ok":
                return mode, {}
            mine, offset = self._poller, int(body.get("offset", 0))
            if offset > 0:
                self.updates = [each for each in self.updates if each["update_id"] >= offset]
            elif offset < 0:
                self.updates = self.updates[offset:]
            self._news.wait_for(
                lambda: self.updates or self._poller != mine or self.closing.is_set(), body.get("timeout", 0)
            )
            if self._poller != mine:
                return "409", {"ok": False, "error_code": 409, "description": CONFLICT}
            return "ok", {"ok": True, "result": self.updates[: body.get("limit", 100)]}

    def take(self, path: str, body: dict[str, Any]) -> str:
        with self._news:
            mode = self.mode if isinstance(self.mode, str) else self.mode(len(self.messages))
            assert mode in MODES, mode
            if path.endswith("/answerCallbackQuery"):
                self.answered.append(body)
            else:
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
            polls = self.path.endswith("/getUpdates")
            mode, told = owner.poll(json.loads(raw)) if polls else (owner.take(self.path, json.loads(raw)), {})
            try:
                if told:
                    self._reply(200 if told["ok"] else 409, told)
                else:
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
            elif mode == "flooding":  # a reply that says yes, and is far too long for one
                self._send(200, b'{"ok": true, "result": []}' + b" " * LONG_REPLY, 26 + LONG_REPLY)
            elif mode == "drip":
                self._send(200, b"", 500)
                while not owner.closing.wait(0.05):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            else:
                said = {"ok": False, "error_code": int(mode), "description": f"as told: {mode} {self.path}"}
                if mode == "429":
                    said["parameters"] = {"retry_after": owner.retry_after}
                self._reply(int(mode), said, ("Retry-After", str(owner.retry_after)))

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
