"""SHELL. The door of the page: what a request has to be before anything looks at it, and what every answer carries.

Plain ASGI around the rest: the Host is ours, the method is one of three, a decision comes from our own page, a body is
small and comes soon, a cookie is known. What is refused here runs no verb and reads no file.
"""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from adjutant.page.site import TOO_MANY, Site, slow_down
from adjutant.records.page_keys import MCP

SAFE, METHODS = ("GET", "HEAD"), ("GET", "HEAD", "POST")
BODY_BYTES, BODY_SECONDS = 64 * 1024, 5.0
STATIC, ENTER, PRESS = "/static/", "/enter", "/press"  # what may be asked for without a cookie
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Door:
    """`names`: the Hosts that are ours, with their ports."""

    def __init__(self, inner: ASGIApp, site: Site, names: frozenset[str]) -> None:
        self._inner, self._site, self._keys, self._names = inner, site, site.keys, names
        self._origins = {f"{scheme}://{name}" for scheme in ("http", "https") for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def answer(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in _HEADERS}
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in ours]
                message = {**message, "headers": [*kept, *_HEADERS]}
            await send(message)

        refused = self._look(scope)
        if refused is not None and refused[0] == 401 and scope["path"] == MCP and not await slow_down():
            refused = TOO_MANY
        if refused is None and scope["method"] == "POST":
            body = await _take_body(receive)
            if isinstance(body, bytes):
                receive = _hand_again(body, receive)
            else:
                refused = body
        await (self._inner if refused is None else self._site.refuse(*refused))(scope, receive, answer)

    def _look(self, scope: Scope) -> tuple[int, str, str] | None:
        """(status, what is wrong, what to do) of a request that is refused."""
        method, path, headers = scope["method"], scope["path"], Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return 421, "This page has another name.", "Open the link that `adjutant serve --link` prints."
        by_browser = "origin" in headers or "sec-fetch-site" in headers
        if path == MCP:  # what no browser asks: it brings its own key, so that no cookie opens it, and names no site
            if method not in (*METHODS, "DELETE"):
                return 405, "This address answers GET, POST and DELETE.", ""
            if by_browser and not self._is_ours(headers):
                return 403, "That call came from a web site; nothing was done.", ""
            given = headers.getlist("authorization")
            if len(given) != 1 or not self._keys.holds("programs", given[0].removeprefix("Bearer ")):
                fix = "`adjutant serve --key` prints one, for an Authorization header."
                return 401, "This program has no key.", fix
            return None
        if method not in METHODS:
            return 405, "This page answers GET and POST.", ""
        app = path == PRESS and not by_browser  # its key does what it is for, alone
        if method not in SAFE and not self._is_ours(headers) and not app:
            return 403, "That press came from another site; nothing was done.", "Open the page itself and press there."
        cookies = cookie_parser("; ".join(headers.getlist("cookie")))
        scope["session"] = session = cookies.get(self._site.cookie, "")
        if path not in (ENTER, PRESS) and not path.startswith(STATIC) and not self._keys.holds("sessions", session):
            return 401, "This browser has no key to the page.", "`adjutant serve --link` prints a link that works once."
        return None

    def _is_ours(self, headers: Headers) -> bool:
        """Whether a browser says that our own page sent it; who says neither is no browser with a cookie of ours."""
        site, origin = headers.getlist("sec-fetch-site"), [each.lower() for each in headers.getlist("origin")]
        known = len(origin) == 1 and origin[0] in self._origins
        if site:  # beside no-referrer, a form of ours has the Origin `null`
            return site == ["same-origin"] and (known or origin in ([], ["null"]))
        return known


async def _take_body(receive: Receive) -> bytes | tuple[int, str, str]:
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return 400, "The request broke off; nothing was done.", ""
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > BODY_BYTES:
                    return 413, f"More than {BODY_BYTES // 1024} kB; nothing was done.", "Use the shell for long texts."
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        return 408, "The request came too slowly; nothing was done.", "Press again."


def _hand_again(body: bytes, receive: Receive) -> Receive:
    """What hands the body over once more, then waits for what else comes."""
    left = [body]

    async def hand() -> MutableMapping[str, Any]:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return hand
