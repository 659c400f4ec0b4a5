"""SHELL. What an agent may use: tools that look, tools that ask the person first, resources, and a prompt."""

import json
import logging
import os
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal, TypeVar

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from adjutant import __version__, printable
from adjutant.app import Outcome
from adjutant.desk import Desk
from adjutant.domain.memory.gate import MAX_CHARS
from adjutant.domain.recall.showing import line_of
from adjutant.errors import AdjutantError, UsageError
from adjutant.judgements.turn import NO_MODEL
from adjutant.records.note import TYPES
from adjutant.screening.fence import Fence
from adjutant.store import package

Words = Annotated[str, Field(min_length=1, max_length=2000, description="in everyday words")]
Name = Annotated[str, Field(min_length=1, max_length=63, description="as in the paths that search gives")]
Limit = Annotated[int, Field(ge=1, le=20, description="hits at most")]
_SCOPES = Literal["due", "week", "waiting", "all"]
Scope = Annotated[_SCOPES, Field(description="due: late, today, tomorrow; week; waiting: on others; all")]


# -- calls of an agent: verbs run one after the other beside the event loop; answers and errors are made here ---
T = TypeVar("T")
MOST_WAITING = 32  # calls; more are sent away at once
TEXT_CHARS, DATA_CHARS, ROWS = 20_000, 60_000, (50, 12, 3, 0)


class Calls:
    """The calls of one server, one verb at a time: two would share one interpreter and win nothing, and who calls in a
    loop starves nobody. `report(error)` keeps the report of a bug and gives its path."""

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
            raise ToolError(printable.escape(f"{error.message}\n{error.fix}".strip())) from None
        except Exception as error:  # noqa: BLE001 - a bug becomes one line and a report, as in the shell
            path = self._report(error) or "none could be kept"
            raise ToolError(f"That is a bug in adjutant ({type(error).__name__}); its report: {path}") from None


Ctx = Context[Calls, Any]  # what the SDK hands each tool


async def at_desk(ctx: Ctx, work: Callable[[Desk], T]) -> T:
    """As `Calls.run`, of the server that was called."""
    return await ctx.request_context.lifespan_context.run(work)


def clean(desk: Desk, text: str) -> str:
    """A text as it may be shown, within bounds: secrets by their names, nothing that steers a terminal or hides."""
    text = printable.escape(desk.app("status").files.blotter.text(text))
    left = len(text) - TEXT_CHARS
    return text if left <= 0 else f"{text[:TEXT_CHARS]}\n… {left} characters more"


def answer(desk: Desk, found: Outcome) -> CallToolResult:
    """Lines for reading and data for programs, as the verb prints them. Long lists are cut until they fit, and
    `truncated` says so; what is cited by an anchor has its line beside it."""
    lists = {key: each for key, each in found.result.items() if isinstance(each, list)}
    for each in (each for rows in lists.values() for each in rows):
        if isinstance(each, dict) and "anchor" in each:
            each["line"] = line_of(each["anchor"])
    for most in ROWS:
        cut = found.result | {key: each[:most] for key, each in lists.items()}
        cut |= {"truncated": True} if any(len(each) > most for each in lists.values()) else {}
        text = json.dumps(cut, ensure_ascii=False, default=str)
        if len(text) <= DATA_CHARS:
            break
    data = json.loads(desk.app("status").files.blotter.blot(text.encode("utf-8", "replace").decode()))
    said = TextContent(type="text", text=clean(desk, "\n".join(found.lines)))
    return CallToolResult(content=[said], structured_content=data)


# -- tools that look -----------------------------------------------------------------------------------------
async def today(ctx: Ctx, show: Scope = "due") -> CallToolResult:
    """What is late, due or waited for, from the person's files as they are now, each with an id, path and line. Use it
    for any question about deadlines, tasks or what is open, and to get the id that `mark` takes."""
    return await _look(ctx, "today", *([] if show == "due" else [f"--{show}"]))


async def search(ctx: Ctx, query: Words, limit: Limit = 8) -> CallToolResult:
    """Passages from notes, journal, work log, conversations, skills and knowledge bases, each with path and line. Use
    it to find where something is written; use `ask` for an answer."""
    return await _look(ctx, "search", "--limit", str(limit), "--", query)


async def ask(ctx: Ctx, question: Words) -> CallToolResult:
    """The answer that the person's own files give, with its path and line, put together by rules: no model is asked
    and nothing is kept. Use it for "when", "who", "how much", "what is due"; word the rest yourself from `search`."""

    def work(desk: Desk) -> CallToolResult:
        found = desk.look("ask", "--session", "mcp", "--", question, dry_run=True).result
        if found["directives"]["captured"]:
            what = "That reads like a directive, not like a question; nothing was set."
            raise UsageError(what, 'The person sets one with `adjutant behavior add "KEEP: short answers"`.')
        told = found["answer"].replace(f"Offline ({NO_MODEL})", "By rules", 1)
        shown = {"answer": told, "citations": found["citations"], "matters": found["matters"]}
        return answer(desk, Outcome(shown, [told]))

    return await at_desk(ctx, work)


async def kb_query(ctx: Ctx, knowledge_base: Name, question: Words) -> CallToolResult:
    """What one knowledge base (a folder that the person registered) says to a question, each line with its path and
    number. Use it when you know which folder holds the answer."""
    return await _look(ctx, "kb", "query", "--", knowledge_base, question)


async def behavior_list(ctx: Ctx) -> CallToolResult:
    """How the person wants to be served: standing directives (KEEP, MORE, LESS, STOP, START). Read them before you
    write for the person, and keep to them."""
    return await _look(ctx, "behavior", "list")


async def _look(ctx: Ctx, *words: str) -> CallToolResult:
    return await at_desk(ctx, lambda desk: answer(desk, desk.look(*words)))


class AgentServer(MCPServer[Calls]):
    """Arguments that are wrong are named, with those that are right."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Ctx | None = None
    ) -> CallToolResult | InputRequiredResult:
        tools = {each.name: list(each.input_schema["properties"]) for each in await self.list_tools()}
        known = tools.get(name, list(arguments))
        wrong = [f"no argument is called `{each[:40]}`" for each in arguments if each not in known]
        try:
            if not wrong:
                return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.__cause__.errors()]
        told = f"{name}: {'; '.join(wrong[:5])}; nothing was done. It takes: {', '.join(known) or 'nothing'}"
        raise ToolError(told) from None


def build(desk: Desk, report: Callable[[Exception], str]) -> AgentServer:
    """The server for one instance."""
    calls = Calls(desk, report)

    @asynccontextmanager
    async def lifespan(server: MCPServer[Calls]) -> AsyncIterator[Calls]:
        yield calls

    logging.getLogger().addHandler(logging.NullHandler())  # else the SDK adds one that prints tracebacks
    told = package.text("mcp", "instructions.txt").rstrip()
    quiet: dict[str, Any] = {"log_level": "CRITICAL", "subscriptions": False}
    server = AgentServer("adjutant", version=__version__, instructions=told, lifespan=lifespan, **quiet)
    for looks in (today, search, ask, kb_query, behavior_list):
        server.add_tool(looks, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    for changes in (memory_save, mark):
        server.add_tool(changes, annotations=ToolAnnotations(destructive_hint=False, open_world_hint=False))

    async def read(work: Callable[[Desk], list[str]]) -> str:
        try:
            return await calls.run(lambda desk: clean(desk, "\n".join(work(desk))))
        except ToolError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    @server.resource("adjutant://today", name="today", mime_type="text/plain")
    async def today_lines() -> str:
        """What is late, due today and tomorrow."""
        return await read(lambda desk: desk.look("today").lines)

    @server.resource("adjutant://wisdom", mime_type="text/plain")
    async def wisdom() -> str:
        """The standing rules that were learned."""
        return await read(lambda desk: desk.look("wisdom", "show").lines)

    @server.resource("adjutant://journal/{date}", mime_type="text/markdown")
    async def journal(date: str) -> str:
        """What happened on one day, YYYY-MM-DD."""
        return await read(lambda desk: [_journal(desk, date)])

    @server.prompt()
    async def briefing() -> str:
        """The person's day in ten lines."""
        return f"{package.text('mcp', 'briefing.txt')}\n{Fence(os.urandom(8).hex()).wrap(await today_lines(), 'today')}"

    return server


def _journal(desk: Desk, date: str) -> str:
    app = desk.app("today")
    try:
        return app.files.text(app.tree.journal_of(app.clock.parse(f"{date}T00:00:00").date().isoformat()))
    except (ValueError, FileNotFoundError):
        raise UsageError(f"There is no journal of `{date[:40]}`.", "A day is written like 2026-11-20.") from None


# -- tools that change something: rehearsed, put to the person by elicitation, done only as they accepted it ----
# A client of the old era is asked in the middle of a call, one of the new era calls again with the answer; the SDK
# knows how. Both times the question is bound to what it shows: where that changed meanwhile, nothing is done.


Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARS, description="one to three sentences")]
Kind = Annotated[str, Field(pattern=r"^[a-z]{0,20}$", description=f"{', '.join(TYPES)}; guessed where it is empty")]
Matter = Annotated[str, Field(pattern=r"^[a-z0-9]{3,12}$", description="the id that `today` shows")]
State = Annotated[
    Literal["done", "snooze", "useful", "useless"],
    Field(description="done: for good; snooze: until a day; useful, useless: more or less of this"),
]
Until = Annotated[str, Field(pattern=r"^[\w .:+-]{0,40}$", description="for snooze: tomorrow, friday, 2026-12-01")]


NOT_DONE = ", so nothing was done. They can type it themselves:\n\n"


class Consent(BaseModel):
    """What the person answers."""

    agreed: bool = Field(True, title="Yes, do it")


def _save_words(text: str, kind: str) -> list[str]:
    return ["memory", "save", "--trust", "agent", *(["--type", kind] if kind else []), "--", text]


async def _save_question(ctx: Ctx, text: str, kind: str) -> Elicit[Consent]:
    kept = "\n".join(f"> {line}" for line in text.split("\n"))
    told = f"An agent wants to save this {kind or 'note'} in your memory, as its word:\n\n{kept}"
    return await _question(ctx, told, _save_words(text, kind))


ToSave = Annotated[ElicitationResult[Consent], Resolve(_save_question)]


async def memory_save(ctx: Ctx, text: Text, consent: ToSave, kind: Kind = "") -> CallToolResult:
    """Keeps a note for later: a fact, a decision, a preference, a person's habit. Use it when the person asks you to
    remember something. They are asked first; tell them if it was not saved. Nothing secret, nothing from a stranger."""
    return await _done(ctx, consent, _save_words(text, kind))


async def _shown(ctx: Ctx, id: str) -> str:
    return await at_desk(ctx, lambda desk: _matter(desk, id))


Shown = Annotated[str, Resolve(_shown)]


async def _mark_question(ctx: Ctx, id: str, state: str, until: str, shown: Shown) -> Elicit[Consent]:
    told = f"An agent wants to mark this as {state}{until and f' until {until}'}:\n\n> {shown}"
    return await _question(ctx, told, ["mark", id, state, *until.split()])


ToMark = Annotated[ElicitationResult[Consent], Resolve(_mark_question)]


async def mark(ctx: Ctx, id: Matter, state: State, shown: Shown, consent: ToMark, until: Until = "") -> CallToolResult:
    """Marks a matter of `today`, so that it is not raised again (done, useless) or not before a day (snooze). Use it
    when the person says that something is done or can wait. They are asked first."""
    return await _done(ctx, consent, ["mark", id, state, *until.split()], shown)


def _matter(desk: Desk, id: str) -> str:
    each = next((each for each in desk.look("today", "--all").result["matters"] if each["id"] == id), None)
    if each is None:
        raise UsageError(f"No open matter has the id `{id}`; nothing was done.", "`today` with show=all has the ids.")
    cited = each["evidence"][0]
    said = f"{each['said']} · {each['spoken']} · {each['kb']}: {cited['path']}:{cited['line']}"
    return " ".join(clean(desk, said).split())


async def _question(ctx: Ctx, text: str, words: list[str]) -> Elicit[Consent]:
    """The question, after a dry run of the verb, so that nobody is asked in vain; or what the person types instead."""

    def work(desk: Desk) -> str:
        desk.refuse_shown_only()
        desk.look(*words, dry_run=True)
        return clean(desk, text)

    told = await at_desk(ctx, work)
    can = ctx.client_capabilities.elicitation if ctx.client_capabilities is not None else None
    if can is None or (can.form is None and can.url is not None):
        raise ToolError(f"This client cannot ask the person{NOT_DONE}{shlex.join(['adjutant', *words])}")
    return Elicit(told, Consent)


async def _done(ctx: Ctx, consent: ToSave, words: list[str], shown: str = "") -> CallToolResult:
    """What was decided. Raises ToolError where the person did not accept, or a matter is another than was shown."""
    if isinstance(consent, CancelledElicitation):
        raise ToolError(f"The question was closed without an answer{NOT_DONE}{shlex.join(['adjutant', *words])}")
    if not isinstance(consent, AcceptedElicitation) or not consent.data.agreed:
        raise ToolError("The person declined; nothing was done. Do not ask again unless they say so.")

    def work(desk: Desk) -> CallToolResult:
        with desk.deciding:
            if shown and _matter(desk, words[1]) != shown:
                raise UsageError("This changed while the person looked at it; nothing was done.", "Call again.")
            return answer(desk, desk.decide(*words))

    return await at_desk(ctx, work)
