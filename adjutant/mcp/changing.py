"""SHELL. Tools that change something: rehearsed, put to the person by elicitation, and done only as they accepted it.

A client of the old era is asked in the middle of a call, one of the new era calls again with the answer; the SDK knows
how. Both times the question is bound to what it shows: where that changed meanwhile, nothing is done.
"""

from __future__ import annotations

import shlex
from typing import Annotated, Literal

from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, ElicitationResult
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from adjutant.desk import Desk
from adjutant.domain.memory.gate import MAX_CHARS
from adjutant.errors import UsageError
from adjutant.mcp.calls import Ctx, answer, at_desk, clean
from adjutant.records.note import TYPES

Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARS, description="one to three sentences")]
Kind = Annotated[str, Field(pattern=r"^[a-z]{0,20}$", description=f"{', '.join(TYPES)}; guessed where it is empty")]
Matter = Annotated[str, Field(pattern=r"^[a-z0-9]{3,12}$", description="the id that `today` shows")]
State = Annotated[
    Literal["done", "snooze", "useful", "useless"],
    Field(description="done: for good; snooze: until a day; useful, useless: more or less of this"),
]
Until = Annotated[str, Field(pattern=r"^[\w .:+-]{0,40}$", description="for snooze: tomorrow, friday, 2026-12-01")]


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
    """A matter's words, day, path and line. Raises UsageError for one that is not there."""
    each = next((each for each in desk.look("today", "--all").result["matters"] if each["id"] == id), None)
    if each is None:
        raise UsageError(f"No open matter has the id `{id}`; nothing was done.", "`today` with show=all has the ids.")
    cited = each["evidence"][0]
    said = f"{each['said']} · {each['spoken']} · {each['kb']}: {cited['path']}:{cited['line']}"
    return " ".join(clean(desk, said).split())


def _tell_words(words: list[str]) -> str:
    return f"They can type it themselves:\n\n{shlex.join(['adjutant', *words])}"


async def _question(ctx: Ctx, text: str, words: list[str]) -> Elicit[Consent]:
    """The question, after the verb was tried as a dry run, so that nobody is asked in vain. Raises ToolError; where the
    client cannot ask, with what the person types instead."""

    def work(desk: Desk) -> str:
        desk.refuse_shown_only()
        desk.rehearse(*words)
        return clean(desk, text)

    told = await at_desk(ctx, work)
    can = ctx.client_capabilities.elicitation if ctx.client_capabilities is not None else None
    if can is None or (can.form is None and can.url is not None):
        raise ToolError(f"This client cannot ask the person, so nothing was done. {_tell_words(words)}")
    return Elicit(told, Consent)


async def _done(ctx: Ctx, consent: ToSave, words: list[str], shown: str = "") -> CallToolResult:
    """What was decided. Raises ToolError where the person did not accept, or a matter is another than was shown."""
    if isinstance(consent, CancelledElicitation):
        raise ToolError(f"The question was closed without an answer, so nothing was done. {_tell_words(words)}")
    if not isinstance(consent, AcceptedElicitation) or not consent.data.agreed:
        raise ToolError("The person declined; nothing was done. Do not ask again unless they say so.")

    def work(desk: Desk) -> CallToolResult:
        with desk.deciding:
            if shown and _matter(desk, words[1]) != shown:
                raise UsageError("This changed while the person looked at it; nothing was done.", "Call again.")
            found = desk.decide(*words)
        return answer(desk, found.lines, found.result)

    return await at_desk(ctx, work)
