"""Ways to make the gateway, the only door that is open, serve for something else."""

from __future__ import annotations

import json
import socket
from typing import Any

from tests.system.escape_files import Attempt

BODY = json.dumps({"model": "m", "messages": []}).encode()


def asked(t: Any, head: str, body: bytes = BODY, token: str | None = None) -> str:
    """What the door answers to a request whose first line and further headers are `head`."""
    shown = t.token if token is None else token
    first, _, rest = head.partition("\n")
    lines = [
        first,
        *filter(None, rest.split("\n")),
        f"Authorization: Bearer {shown}",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    with socket.create_connection(("127.0.0.1", t.door), 3) as talk:
        talk.settimeout(3)
        talk.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        said = b""
        while piece := talk.recv(65536):
            said += piece
    return said.decode("utf-8", "replace")


def refusal(answer: str, *statuses: str) -> str:
    """ "" for an answer with one of these statuses; else the answer."""
    status = answer.split(" ")[1] if " " in answer else answer
    return "" if status in statuses else answer


PATH = "/v1/chat/completions"


def smuggled(t: Any) -> str:
    """A second request in the body of the first, for whoever counts the other length."""
    inner = b"POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    lines = f"POST {PATH} HTTP/1.1\nHost: x\nContent-Length: {len(BODY)}"
    return refusal(asked(t, lines, BODY + inner), "400")


def chunked(t: Any) -> str:
    body = b"0\r\n\r\nPOST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    return refusal(asked(t, f"POST {PATH} HTTP/1.1\nHost: x\nTransfer-Encoding: chunked", body), "400")


def folded(t: Any) -> str:
    """A header that goes on in a second line, where another one could begin."""
    return _without_key(t, asked(t, f"POST {PATH} HTTP/1.1\nHost: x\nAnthropic-Beta: x\n Authorization: escaped"))


def crowd(t: Any) -> str:
    """More connections at once than an agent needs."""
    held = [socket.create_connection(("127.0.0.1", t.door), 3) for _ in range(24)]
    for talk in held:
        talk.settimeout(0.05)
    served = 0
    for talk in held:
        try:
            talk.sendall(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
            served += talk.recv(12) == b"HTTP/1.1 200"
        except OSError:
            continue
    return "" if 0 < served <= 16 else f"{served} connections at once"


def echoed(t: Any) -> str:
    """A server that tells the headers it got: is the key among them?"""
    return _without_key(t, asked(t, f"POST {PATH} HTTP/1.1\nHost: x\nX-Api-Key: {t.token}"))


def other_headers(t: Any) -> str:
    """Headers of our own, which the server would tell back."""
    answer = asked(
        t,
        f"POST {PATH} HTTP/1.1\nHost: evil.invalid\nX-Forwarded-Host: evil.invalid\nCookie: escaped\n"
        "Expect: 100-continue\nUpgrade: websocket\nProxy-Authorization: escaped",
    )
    return answer if "escaped" in answer or "evil.invalid" in answer else _without_key(t, answer)


def alone(length: str) -> Attempt:
    """A request with this length and no other."""

    def attempt(t: Any) -> str:
        head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", t.door), 3) as talk:
            talk.settimeout(3)
            talk.sendall(head.encode())
            return refusal(talk.recv(1000).decode("latin-1"), "400", "413")

    return attempt


def _without_key(t: Any, answer: str) -> str:
    return answer if t.key_part in answer else ""


ATTEMPTS: dict[str, Attempt] = {
    "gateway: another path": lambda t: refusal(asked(t, "POST /v1/files HTTP/1.1\nHost: x"), "404"),
    "gateway: dots in the path": lambda t: refusal(asked(t, f"POST {PATH}/../../files HTTP/1.1\nHost: x"), "404"),
    "gateway: a whole address": lambda t: refusal(
        asked(t, f"POST http://127.0.0.1:{t.tcp}{PATH} HTTP/1.1\nHost: x"), "404"
    ),
    "gateway: CONNECT": lambda t: refusal(asked(t, f"CONNECT 127.0.0.1:{t.tcp} HTTP/1.1\nHost: x"), "501"),
    "gateway: GET": lambda t: refusal(asked(t, f"GET {PATH} HTTP/1.1\nHost: x"), "501"),
    "gateway: a wrong token": lambda t: refusal(asked(t, f"POST {PATH} HTTP/1.1\nHost: x", token="0" * 32), "401"),
    "gateway: no token": lambda t: refusal(asked(t, f"POST {PATH} HTTP/1.1\nHost: x", token=""), "401"),
    "gateway: another host and other headers": other_headers,
    "gateway: the key, echoed by the server": echoed,
    "gateway: two lengths": smuggled,
    "gateway: chunks and a length": chunked,
    "gateway: a negative length": alone("-1"),
    "gateway: a huge length": alone("99999999999"),
    "gateway: a length of other digits": alone("\u00b2"),
    "gateway: a header in two lines": folded,
    "gateway: no JSON": lambda t: refusal(asked(t, f"POST {PATH} HTTP/1.1\nHost: x", b"<xml/>"), "400"),
    "gateway: a crowd": crowd,
}
