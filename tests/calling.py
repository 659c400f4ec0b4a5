"""An agent that calls tools, by the SDK's own client, with a person who answers what it is asked: for tests."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.serving import NOW, Served

OLD, NEW = "2025-11-25", "2026-07-28"
YES: dict[str, Any] = {"action": "accept", "content": {"agreed": True}}


class Called(NamedTuple):
    """What a call came to."""

    failed: bool
    text: str
    data: dict[str, Any]


class Agent:
    """One connection, in a thread of its own. `person(question)` answers what the server asks; None: nobody can be
    asked. `questions` are those that were asked."""

    def __init__(self, server: Any, era: str, *, asks: bool = True) -> None:
        self.questions: list[str] = []
        self.person: Callable[[str], dict[str, Any]] = lambda question: YES
        self._server, self._era, self._asks = server, era, asks
        self._loop = asyncio.new_event_loop()
        self._ready, self._failed = threading.Event(), list[BaseException]()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._live(),))
        self._thread.start()
        self._ready.wait(60)
        assert not self._failed, self._failed

    async def _live(self) -> None:
        from mcp import Client

        self._over = asyncio.Event()
        try:
            ask = self._ask if self._asks else None
            server = self._server() if callable(self._server) else self._server
            mode = "legacy" if self._era == OLD else "auto"
            async with Client(server, mode=mode, elicitation_callback=ask, read_timeout_seconds=60) as self.client:
                assert self.client.protocol_version == self._era
                self._ready.set()
                await self._over.wait()
        except BaseException as error:
            self._failed.append(error)
            raise
        finally:
            self._ready.set()

    async def _ask(self, context: Any, params: Any) -> Any:
        from mcp_types import ElicitResult

        self.questions.append(params.message)
        return ElicitResult(**self.person(params.message))

    def do(self, asked: Any) -> Any:
        """The result of a coroutine of the client's."""
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result(60)

    def call(self, tool: str, **arguments: Any) -> Called:
        """One call of a tool."""
        return read(self.do(self.client.call_tool(tool, arguments)))

    def call_many(self, count: int, tool: str, **arguments: Any) -> list[Called]:
        """As many calls at once."""

        async def every() -> list[Any]:
            return await asyncio.gather(*(self.client.call_tool(tool, arguments) for _ in range(count)))

        return [read(each) for each in self.do(every())]

    def close(self) -> None:
        """Ends the connection."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(30)
        self._loop.close()

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read(result: Any) -> Called:
    """A result of the SDK's."""
    return Called(result.is_error, "\n".join(each.text for each in result.content), result.structured_content or {})


def by_pipe(root: Path, *words: str) -> Any:
    """`adjutant mcp` on standard input and output."""
    from mcp import StdioServerParameters

    command = ["-P", "-m", "adjutant", "mcp", "--root", str(root), *words]
    env = {**os.environ, "ADJUTANT_NOW": NOW}
    return StdioServerParameters(command=sys.executable, args=command, env=env, cwd=str(root))


def by_page(served: Served, key: str) -> Any:
    """`/mcp` of a page."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Any]:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as client,
            streamable_http_client(f"{served.address}/mcp", http_client=client) as streams,
        ):
            yield streams

    return connect


def hashes(root: Path) -> dict[str, str]:
    """{path: sha256} of all that is no cache: what nobody may change unasked."""
    left = ("/state/cache/", "/state/locks/", "/state/index.sqlite", "/state/page.json", "/state/events.jsonl")
    left += ("/state/runs/", "/state/usage.jsonl")
    files = [path for path in root.rglob("*") if path.is_file() and not any(each in str(path) for each in left)]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
