"""SHELL. `/mcp` of the page: the server over HTTP, made when somebody first asks, as its library takes seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from adjutant.desk import Desk

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

MOST_SESSIONS = 16


class AgentDoor:
    """An ASGI application. The page's own door has looked at Host, Origin, key and size."""

    def __init__(self, desk: Desk, report: Callable[[Exception], str]) -> None:
        self._desk, self._report = desk, report
        self._making = asyncio.Lock()
        self._held: tuple[StreamableHTTPSessionManager, asyncio.Task[None]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._making:
            if self._held is None:
                manager, ready = await run_in_threadpool(self._make), asyncio.Event()
                self._held = manager, asyncio.create_task(_hold(manager, ready))
                await ready.wait()
        await self._held[0].handle_request(scope, receive, send)

    def _make(self) -> StreamableHTTPSessionManager:
        from mcp.server.transport_security import TransportSecuritySettings

        from adjutant.mcp.tools import build

        server = build(self._desk, self._report)
        safe = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by the page's door
        server.streamable_http_app(transport_security=safe, max_sessions=MOST_SESSIONS)
        return server.session_manager


async def _hold(manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()
