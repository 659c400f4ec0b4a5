"""SHELL. The page as a web application: its door, its routes, and the one place where an error becomes a page."""

import asyncio
import signal
import socket
from collections.abc import Callable
from importlib.util import find_spec
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from adjutant.app import App
from adjutant.desk import Desk
from adjutant.errors import BUSY, CONFIG, DAMAGED, IO, UNAVAILABLE, USAGE, AdjutantError
from adjutant.page import acts, door, views
from adjutant.page.site import Changed, Site
from adjutant.records.page_keys import MCP, Keys

CONNECTIONS, MOST_SESSIONS, HEAD_SECONDS, IDLE_SECONDS, ENDING_SECONDS = 512, 16, 10.0, 30, 2
LONGEST_HEAD = 16 * 1024
STATUS = {USAGE: 400, BUSY: 503, IO: 507, UNAVAILABLE: 503, DAMAGED: 422, CONFIG: 422}


class _Patient(H11Protocol):
    """A connection that says nothing for long is closed: who holds it keeps nobody else out."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._asked = False
        self._early = self.loop.call_later(HEAD_SECONDS, self._close_early)

    def handle_events(self) -> None:
        super().handle_events()
        self._asked = self._asked or self.cycle is not None

    def connection_lost(self, exc: Exception | None) -> None:
        self._early.cancel()
        super().connection_lost(exc)

    def _close_early(self) -> None:
        if not self._asked and not self.transport.is_closing():
            self.transport.close()


class _AgentDoor:
    """`/mcp`, made when somebody first asks, as its library takes seconds. The page's door has looked at the rest."""

    def __init__(self, desk: Desk, report: Callable[[Exception], str]) -> None:
        self._desk, self._report = desk, report
        self._making = asyncio.Lock()
        self._held: tuple[Any, asyncio.Task[None]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._making:
            if self._held is None:
                manager, ready = await run_in_threadpool(self._make), asyncio.Event()
                self._held = manager, asyncio.create_task(_hold(manager, ready))
                await ready.wait()
        await self._held[0].handle_request(scope, receive, send)

    def _make(self) -> Any:
        from mcp.server.transport_security import TransportSecuritySettings

        from adjutant.mcp.tools import build

        server = build(self._desk, self._report)
        safe = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by the page's door
        server.streamable_http_app(transport_security=safe, max_sessions=MOST_SESSIONS)
        return server.session_manager


async def _hold(manager: Any, ready: asyncio.Event) -> None:
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()


def serve(app: App, listening: socket.socket, keys: Keys, hosts: frozenset[str], *, read_only: bool) -> None:
    """Serves until SIGTERM, or SIGINT, which raises KeyboardInterrupt."""
    site = Site(Desk(app.tree.root, read_only=read_only), app.clock, keys)
    site.day.begin()
    config = uvicorn.Config(
        _application(app, site, hosts),
        http=_Patient,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=ENDING_SECONDS,
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )
    server = uvicorn.Server(config)

    def end(number: int, frame: FrameType | None) -> None:
        if (
            not server.should_exit
        ):  # else uvicorn, which has ended, raises the signal again: the verb goes on to its end
            raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    server.run(sockets=[listening])


def _application(app: App, site: Site, hosts: frozenset[str]) -> ASGIApp:
    async def bug(request: Request, error: Exception) -> Response:
        """A bug becomes one line and a report under state/crash/; nothing of it reaches the browser."""
        path = app.report(error)
        fix = f"The report is {path}." if path else ""
        return site.refuse(500, "That is a bug in adjutant; nothing more was done.", fix)

    async def tell(request: Request, error: Exception) -> Response:
        assert isinstance(error, AdjutantError)
        if isinstance(error, Changed):
            both = {"before": error.before, "after": error.after, "back": acts.back_of(request)}
            return site.page(request, "changed.html", status=409, **both)
        status = STATUS.get(error.exit_code, 409)
        return site.page(request, "refused.html", status=status, what=error.message, fix=error.fix)

    async def deny(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        what = {404: "There is no such page.", 405: "That page is not asked for like this."}.get(error.status_code, "")
        return site.refuse(error.status_code, what or str(error.detail))

    routes = [*views.ROUTES, *acts.ROUTES]
    if find_spec("mcp") is not None:
        routes.append(Route(MCP, _AgentDoor(site.desk.without_model(), app.report)))
    handlers = {AdjutantError: tell, HTTPException: deny, Exception: bug}
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.state.site = site
    return door.Door(inner, site, hosts)
