"""SHELL. What may be pressed: each press is one line of the shell, bound to what was shown, and then the page again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from adjutant.app import Outcome
from adjutant.errors import AdjutantError, UsageError
from adjutant.page import views, waiting
from adjutant.page.site import Site, site_of
from adjutant.records import queue

FIELDS = 12
MESSAGE_CHARS = 20_000
MARKS = ("done", "snooze", "useful", "useless")
SWITCHES = ("pause", "resume")
RESET = "\f"  # in a stream: what came before it is void
Press = Callable[[Site, dict[str, str]], Outcome]


def back_of(request: Request) -> str:
    """The page that a press came from."""
    return {
        "mark": "/today",
        "switch": "/today",
        "decide": "/approvals",
        "directive": "/behaviour",
        "note": "/memory",
        "job": "/runs",
    }.get(request.url.path.strip("/"), "/ask")


def _mark(site: Site, form: dict[str, str]) -> Outcome:
    """done, snooze, useful, useless of a matter."""
    id, state = form["id"], _one_of(form.get("state", ""), MARKS)
    with site.desk.deciding:
        site.desk.refuse_shown_only()
        matter = site.day.matter(id)
        words = views.matter_words(matter) if matter else ""
        site.seen.check(form["seen"], views.matter_bound(matter) if matter else None, words)
        return site.desk.decide("mark", id, state, *(["--", form.get("until", "")] if state == "snooze" else []))


def _decide(site: Site, form: dict[str, str]) -> Outcome:
    """Accept or reject what waits."""
    id, sort = form["id"], _one_of(form.get("sort", ""), (waiting.SUGGESTION, waiting.CANDIDATE))
    word = _one_of(form.get("word", ""), ("accept", "reject"))
    with site.desk.deciding:
        site.desk.refuse_shown_only()
        found = waiting.one(site.desk, sort, id)
        site.seen.check(form["seen"], found["bound"] if found else None, found["words"] if found else "")
        if sort == waiting.SUGGESTION:
            return site.desk.decide("evolve", word, id)
        return site.desk.decide("behavior", "promote" if word == "accept" else "reject", id)


def _directive(site: Site, form: dict[str, str]) -> Outcome:
    """Add a directive, or take one away."""
    if _one_of(form.get("word", ""), ("add", "remove")) == "add":
        return site.desk.decide("behavior", "add", "--", form.get("text", ""))
    with site.desk.deciding:
        listed = site.desk.look("behavior", "list").result["directives"]
        each = next((each for each in listed if each["id"] == form["id"]), None)
        bound = {key: each[key] for key in ("id", "type", "text")} if each else None
        site.seen.check(form["seen"], bound, f"{each['type']}: {each['text']}" if each else "")
        return site.desk.decide("behavior", "remove", "--", form["id"])


def _note(site: Site, form: dict[str, str]) -> Outcome:
    """Keep, correct or forget a note."""
    word = _one_of(form.get("word", ""), ("save", "correct", "forget", "restore"))
    if word in ("save", "restore"):
        return site.desk.decide("memory", word, "--", form.get("text", "") if word == "save" else form["id"])
    with site.desk.deciding:
        notes = site.desk.look("memory", "list").result["notes"]
        each = next((each for each in notes if each["id"] == form["id"]), None)
        site.seen.check(form["seen"], views.note_bound(each) if each else None, each["title"] if each else "")
        text = [form.get("text", "")] if word == "correct" else []
        return site.desk.decide("memory", word, "--", form["id"], *text)


def _job(site: Site, form: dict[str, str]) -> Outcome:
    """Accept, retry, cancel a job."""
    word = _one_of(form.get("word", ""), tuple(queue.ACTS))
    with site.desk.deciding:
        listed = site.desk.look("job", "list", "--all").result["jobs"]
        each = next((each for each in listed if each["id"] == form["id"]), None)
        site.seen.check(form["seen"], views.job_bound(each) if each else None, views.job_words(each) if each else "")
        return site.desk.decide("job", word, "--", form["id"])


def _switch(site: Site, form: dict[str, str]) -> Outcome:
    """Pause and resume."""
    return site.desk.decide(_one_of(form.get("word", ""), SWITCHES))


def _one_of(given: str, allowed: tuple[str, ...]) -> str:
    if given not in allowed:
        raise UsageError("The page has no such action.")
    return given


def _route(path: str, press: Press) -> Route:
    async def pressed(request: Request) -> Response:
        site, form = site_of(request), await form_of(request)
        outcome = await run_in_threadpool(press, site, form)
        site.pages.tell(request, "\n".join(outcome.lines[:4]))
        return RedirectResponse(back_of(request), 303)

    return Route(path, pressed, methods=["POST"])


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, texts only. Raises UsageError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("Send it as a form.")
    form: FormData = await request.form(max_files=0, max_fields=FIELDS)
    found = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    if len(found) != len(form.multi_items()) or any("\0" in value for value in found.values()):
        raise UsageError("Send it as a form with each field once.")
    return {"id": "", "seen": ""} | found


# -- ask -----------------------------------------------------------------------------------------------------


class _Stream:
    """A text that grows in another thread, handed on in pieces."""

    def __init__(self) -> None:
        self._loop, self._pieces = asyncio.get_running_loop(), asyncio.Queue[str | None]()
        self._before = ""

    def show(self, text: str) -> None:
        """The text so far."""
        piece = text[len(self._before) :] if text.startswith(self._before) else RESET + text
        self._before = text
        self._put(piece)

    def finish(self, text: str) -> bool:
        """No more will come; the page shows the whole answer when the stream ends."""
        return False

    def end(self) -> None:
        """Lets go of who reads."""
        self._put(None)

    def _put(self, piece: str | None) -> None:
        self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    async def pieces(self) -> AsyncIterator[str]:
        """Each piece as it comes."""
        while (piece := await self._pieces.get()) is not None:
            yield piece


async def _ask(request: Request) -> Response:
    """A message and its answer; with `X-Stream` the answer as it comes, else the conversation again."""
    site, form = site_of(request), await form_of(request)
    words = ("ask", "--session", views.SESSION, "--id", form["id"], "--", form.get("text", "").strip())
    if not words[-1] or len(words[-1]) > MESSAGE_CHARS:
        raise UsageError(f"A message has 1 to {MESSAGE_CHARS:,} characters.")
    site.desk.refuse_shown_only()
    if request.headers.get("x-stream") != "yes":
        outcome = await run_in_threadpool(site.desk.ask, *words)
        site.pages.tell(request, outcome.aside)
        return RedirectResponse("/ask", 303)
    stream = _Stream()

    def work() -> None:
        try:
            outcome = site.desk.ask(*words, growing=stream)
            site.pages.tell(request, outcome.aside)
        except AdjutantError as error:
            site.pages.tell(request, f"{error.message} {error.fix}".strip())
            stream.show(error.message)
        finally:
            stream.end()

    threading.Thread(target=work, daemon=True).start()
    return StreamingResponse(stream.pieces(), media_type="text/plain; charset=utf-8")


ROUTES = [
    _route("/mark", _mark),
    _route("/decide", _decide),
    _route("/directive", _directive),
    _route("/note", _note),
    _route("/job", _job),
    _route("/switch", _switch),
    Route("/ask", _ask, methods=["POST"]),
]
