"""SHELL. What may be pressed: each press is one line of the shell, bound to what was shown, and then the page again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from adjutant.app import Outcome
from adjutant.errors import AdjutantError, UsageError
from adjutant.page import views, waiting
from adjutant.page.door import ENTER, PRESS
from adjutant.page.site import TOO_MANY, Site, site_of, slow_down
from adjutant.records import queue
from adjutant.records.page_keys import SESSION_SECONDS
from adjutant.store import package

FIELDS = 12
MESSAGE_CHARS = 20_000
MARKS = ("done", "snooze", "useful", "useless")
RESET = "\f"  # in a stream: what came before it is void
Press = Callable[[Site, dict[str, str]], Outcome]


def back_of(request: Request) -> str:
    """The page that a press came from."""
    return PRESSES.get(request.url.path, (None, "/ask"))[1]


def _mark(site: Site, form: dict[str, str]) -> Outcome:
    """done, snooze, useful, useless of a matter."""
    id, state = form["id"], _pick(form, "state", MARKS)
    matter = site.day.matter(id)
    site.seen.check(form["seen"], views.matter_shown(matter) if matter else None)
    return site.desk.decide("mark", id, state, *(["--", form.get("until", "")] if state == "snooze" else []))


def _decide(site: Site, form: dict[str, str]) -> Outcome:
    """Accept or reject what waits."""
    id, sort = form["id"], _pick(form, "sort", (waiting.SUGGESTION, waiting.CANDIDATE))
    word = _pick(form, "word", ("accept", "reject"))
    found = waiting.find(site.desk, sort, id)
    site.seen.check(form["seen"], found["shown"] if found else None)
    if sort == waiting.SUGGESTION:
        return site.desk.decide("evolve", word, id)
    return site.desk.decide("behavior", "promote" if word == "accept" else "reject", id)


def _directive(site: Site, form: dict[str, str]) -> Outcome:
    """Add a directive, or take one away."""
    if _pick(form, "word", ("add", "remove")) == "add":
        return site.desk.decide("behavior", "add", "--", form.get("text", ""))
    each = _find(site, form["id"], "directives", "behavior", "list")
    site.seen.check(form["seen"], views.directive_shown(each) if each else None)
    return site.desk.decide("behavior", "remove", "--", form["id"])


def _note(site: Site, form: dict[str, str]) -> Outcome:
    """Keep, correct or forget a note."""
    word = _pick(form, "word", ("save", "correct", "forget", "restore"))
    if word in ("save", "restore"):
        return site.desk.decide("memory", word, "--", form.get("text", "") if word == "save" else form["id"])
    each = _find(site, form["id"], "notes", "memory", "list")
    site.seen.check(form["seen"], views.note_shown(each) if each else None)
    return site.desk.decide("memory", word, "--", form["id"], *([form.get("text", "")] if word == "correct" else []))


def _job(site: Site, form: dict[str, str]) -> Outcome:
    """Accept, retry, cancel a job."""
    word = _pick(form, "word", tuple(queue.ACTS))
    each = _find(site, form["id"], "jobs", "job", "list", "--all")
    site.seen.check(form["seen"], views.job_shown(each) if each else None)
    return site.desk.decide("job", word, "--", form["id"])


def _find(site: Site, id: str, key: str, *words: str) -> dict[str, Any] | None:
    """What has this id in the list that a verb gives."""
    return next((each for each in site.desk.look(*words).result[key] if each["id"] == id), None)


def _pick(form: dict[str, str], name: str, allowed: tuple[str, ...]) -> str:
    if form.get(name) not in allowed:
        raise UsageError("The page has no such action.")
    return form[name]


def _route(path: str, press: Press) -> Route:
    def decide(site: Site, form: dict[str, str]) -> Outcome:
        with site.desk.deciding:  # what is compared is what is decided on
            site.desk.refuse_shown_only()
            return press(site, form)

    async def answer(request: Request) -> Response:
        site, form = site_of(request), await form_of(request)
        outcome = await run_in_threadpool(decide, site, form)
        site.pages.tell(request, "\n".join(outcome.lines[:4]))
        return RedirectResponse(back_of(request), 303)

    return Route(path, answer, methods=["POST"])


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, texts only. Raises UsageError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("Send it as a form.")
    form = await request.form(max_files=0, max_fields=FIELDS)
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
        self.put(text[len(self._before) :] if text.startswith(self._before) else RESET + text)
        self._before = text

    def finish(self, text: str) -> bool:
        """No more will come; the page shows the whole answer when the stream ends."""
        return False

    def put(self, piece: str | None) -> None:
        """Hands on a piece; None lets go of who reads."""
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
            site.pages.tell(request, site.desk.ask(*words, growing=stream).aside)
        except AdjutantError as error:
            site.pages.tell(request, f"{error.message} {error.fix}".strip())
            stream.show(error.message)
        finally:
            stream.put(None)

    threading.Thread(target=work, daemon=True).start()
    return StreamingResponse(stream.pieces(), media_type="text/plain; charset=utf-8")


# -- a button that another app shows: its key, without a cookie, does one thing to one matter, once ------------------

VOID = "This button was used, is too old, or never was one; nothing was done."


async def _press(request: Request) -> Response:
    """GET shows why, POST marks; what came of it, as plain words."""
    site = site_of(request)
    if request.method == "HEAD":
        return PlainTextResponse("")  # whoever looks ahead uses nothing up
    shows = request.method == "GET"
    try:
        key = request.query_params.get("key", "") if shows else (await form_of(request)).get("key", "")
        told = await run_in_threadpool(_use, site, key, shows)
    except AdjutantError as error:
        return site.pages.refuse(request, 409, error.message, error.fix)
    return PlainTextResponse(told) if told else site.pages.refuse(request, 403, VOID)


def _use(site: Site, key: str, shows: bool) -> str:
    """What a verb says, "" for a key that is void."""
    with site.desk.deciding:  # of two presses at once, the second sees that the key is gone
        site.desk.refuse_shown_only()
        each = site.keys.find_press(key)
        if each is None or (each.verb == "why") is not shows:
            return ""
        if shows:
            outcome = site.desk.look("why", "--", each.matter)
        else:
            day = ["tomorrow"] if each.verb == "snooze" else []
            outcome = site.desk.decide("mark", "--seal", each.seal, "--", each.matter, each.verb, *day)
        site.keys.drop_press(key)
    return "\n".join(outcome.lines)


# -- entering: a link that works once becomes a cookie; wrong ones are slow. And the few files of the page -----------

FILES = {"page.css": "text/css", "page.js": "text/javascript", "htmx.min.js": "text/javascript"}
FILES |= {"icon.svg": "image/svg+xml"}


async def _enter(request: Request) -> Response:
    """The cookie for a link's key; a wrong key waits, and of many at once most are sent away."""
    site, key = site_of(request), request.query_params.get("key", "")
    may = site.keys.holds("links", key)
    session = await run_in_threadpool(site.keys.enter, key) if may else ""
    if session:
        answer = RedirectResponse("/today", 303)
        answer.set_cookie(
            site.cookie, session, max_age=SESSION_SECONDS, path="/", httponly=True, samesite="strict", secure=False
        )
        return answer
    if site.keys.holds("sessions", request.scope["session"]):
        return RedirectResponse("/today", 303)  # the link was opened before, here
    if not await slow_down():
        return site.pages.refuse(request, *TOO_MANY)
    await run_in_threadpool(site.keys.enter, key)  # counted
    what = "This link was used, is too old, or never was one."
    return site.pages.refuse(request, 403, what, "`adjutant serve --link` prints another.")


async def _send_file(request: Request) -> Response:
    """One of the files that come with the page."""
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    return Response(package.read("page", "static", name), media_type=FILES[name])


PRESSES: dict[str, tuple[Press | None, str]] = {
    "/mark": (_mark, "/today"),
    "/decide": (_decide, "/approvals"),
    "/directive": (_directive, "/behaviour"),
    "/note": (_note, "/memory"),
    "/job": (_job, "/runs"),
    "/switch": (lambda site, form: site.desk.decide(_pick(form, "word", ("pause", "resume"))), "/today"),
}
ROUTES = [
    *(_route(path, press) for path, (press, _) in PRESSES.items() if press),
    Route("/ask", _ask, methods=["POST"]),
    Route(PRESS, _press, methods=["GET", "POST"]),
    Route(ENTER, _enter, methods=["GET"]),
    Route("/static/{name}", _send_file, methods=["GET"]),
]
