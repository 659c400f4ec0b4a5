"""SHELL. Calls of an agent: verbs run one after the other beside the event loop; answers and errors are made here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from adjutant.desk import Desk
from adjutant.domain.recall.showing import line_of
from adjutant.errors import AdjutantError
from adjutant.printable import escape

T = TypeVar("T")
MOST_WAITING = 32  # calls; more are sent away at once
TEXT_CHARS, DATA_CHARS, ROWS = 20_000, 60_000, (50, 12, 3, 0)


class Calls:
    """The calls of one server. `report(error)` keeps the report of a bug and gives its path.

    One verb at a time: two would share one interpreter and win nothing, and who calls in a loop starves nobody.
    """

    def __init__(self, desk: Desk, report: Callable[[Exception], str]) -> None:
        self._desk, self._report, self._turn = desk, report, anyio.CapacityLimiter(1)

    async def run(self, work: Callable[[Desk], T]) -> T:
        """What `work` makes of the desk, in a thread. Raises ToolError, whatever went wrong."""
        if self._turn.statistics().tasks_waiting >= MOST_WAITING:
            raise ToolError(f"{MOST_WAITING} calls wait already; nothing was done. Call again in a moment.")
        return await anyio.to_thread.run_sync(self._run, work, limiter=self._turn)

    def _run(self, work: Callable[[Desk], T]) -> T:
        try:
            return work(self._desk)
        except AdjutantError as error:
            raise ToolError(escape(f"{error.message}\n{error.fix}".strip())) from None
        except Exception as error:  # noqa: BLE001 - a bug becomes one line and a report, as in the shell
            path = self._report(error) or "none could be kept"
            raise ToolError(f"That is a bug in adjutant ({type(error).__name__}); its report: {path}") from None


Ctx = Context[Calls, Any]  # what the SDK hands each tool


async def at_desk(ctx: Ctx, work: Callable[[Desk], T]) -> T:
    """As `Calls.run`, of the server that was called."""
    return await ctx.request_context.lifespan_context.run(work)


def clean(desk: Desk, text: str) -> str:
    """A text as it may be shown, within bounds: secrets by their names, nothing that steers a terminal or hides."""
    text = escape(desk.app("status").files.blotter.text(text))
    left = len(text) - TEXT_CHARS
    return text if left <= 0 else f"{text[:TEXT_CHARS]}\n… {left} characters more"


def answer(desk: Desk, lines: Sequence[str], result: dict[str, Any]) -> CallToolResult:
    """Lines for reading and data for programs, as the verb prints them. Long lists are cut until they fit, and
    `truncated` says so; what is cited by an anchor has its line beside it."""
    for most in ROWS:
        cut = {key: [*map(_lined, each[:most])] if isinstance(each, list) else each for key, each in result.items()}
        if any(isinstance(each, list) and len(each) > most for each in result.values()):
            cut["truncated"] = True
        text = json.dumps(cut, ensure_ascii=False, default=str)
        if len(text) <= DATA_CHARS:
            break
    data = json.loads(desk.app("status").files.blotter.blot(text.encode("utf-8", "replace").decode()))
    said = TextContent(type="text", text=clean(desk, "\n".join(lines)))
    return CallToolResult(content=[said], structured_content=data)


def _lined(each: Any) -> Any:
    return each | {"line": line_of(each["anchor"])} if isinstance(each, dict) and "anchor" in each else each
