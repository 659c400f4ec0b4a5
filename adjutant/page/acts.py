"""SHELL. What may be pressed: each press is one line of the shell, bound to what was shown, and then the page again."""

import asyncio
import threading
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from adjutant.app import Outcome
from adjutant.errors import AdjutantError, UsageError
from adjutant.page import door, views
from adjutant.page.site import TOO_MANY, Site, site_of, slow_down
from adjutant.records.page_keys import SESSION_SECONDS
from adjutant.store import package

FIELDS = 12
MESSAGE_CHARS = 20_000
RESET = "\f"  # in a stream: what came before it is void
# {address: (what a form there decides on, the page it is on)}; of /decide its field `sort` says on what
FORMS = {"/mark": ("matter", "/today"), "/decide": ("", "/approvals"), "/directive": ("directive", "/behaviour")}
FORMS |= {"/note": ("note", "/memory"), "/job": ("job", "/runs"), "/switch": ("switch", "/today")}
# what each button runs
VERBS = dict(line.split(": ", 1) for line in package.text("page", "presses.txt").splitlines())


def back_of(request: Request) -> str:
    """The page that a press came from."""
    return FORMS.get(request.url.path, ("", "/ask"))[1]


async def _decide(request: Request) -> Response:
    site, form = site_of(request), await form_of(request)
    outcome = await run_in_threadpool(_press, site, request.url.path, form)
    site.tell(request, "\n".join(outcome.lines[:4]))
    return RedirectResponse(back_of(request), 303)


def _press(site: Site, path: str, form: dict[str, str]) -> Outcome:
    with site.desk.deciding:  # what is compared is what is decided on
        site.desk.refuse_shown_only()
        kind = form["sort"] or FORMS[path][0]
        verb = VERBS.get(f"{kind} {form.get('state') or form.get('word')}")
        if verb is None:
            raise UsageError("The page has no such action.")
        if "{id}" in verb:
            site.check(kind, form["id"], form["seen"])
        return site.desk.decide(*(word.format_map(form) for word in verb.split()))


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, texts only. Raises UsageError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("Send it as a form.")
    form = (await request.form(max_files=0, max_fields=FIELDS)).multi_items()
    found = {name: value for name, value in form if isinstance(value, str)}
    if len(found) != len(form) or any("\0" in value for value in found.values()):
        raise UsageError("Send it as a form with each field once.")
    return dict.fromkeys(("id", "seen", "sort", "text", "until"), "") | found


# -- ask -----------------------------------------------------------------------------------------------------
class _Stream:
    """A text that grows in another thread, handed on in pieces."""

    def __init__(self) -> None:
        self._loop, self._pieces = asyncio.get_running_loop(), asyncio.Queue[str | None]()
        self._before = ""

    def show(self, text: str) -> None:
        self.put(text[len(self._before) :] if text.startswith(self._before) else RESET + text)
        self._before = text

    def finish(self, text: str) -> bool:
        """No more will come; the page shows the whole answer when the stream ends."""
        return False

    def put(self, piece: str | None) -> None:
        """Hands on a piece; None lets go of who reads."""
        self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    async def pieces(self) -> AsyncIterator[str]:
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
        site.tell(request, outcome.aside)
        return RedirectResponse("/ask", 303)
    stream = _Stream()

    def work() -> None:
        try:
            site.tell(request, site.desk.ask(*words, growing=stream).aside)
        except AdjutantError as error:
            site.tell(request, f"{error.message} {error.fix}".strip())
            stream.show(error.message)
        finally:
            stream.put(None)

    threading.Thread(target=work, daemon=True).start()
    return StreamingResponse(stream.pieces(), media_type="text/plain; charset=utf-8")


# -- a button that another app shows: its key, without a cookie, does one thing to one matter, once ------------------

VOID = "This button was used, is too old, or never was one; nothing was done."


async def _press_button(request: Request) -> Response:
    """GET shows why, POST marks; what came of it, as plain words."""
    site = site_of(request)
    if request.method == "HEAD":
        return PlainTextResponse("")  # whoever looks ahead uses nothing up
    shows = request.method == "GET"
    try:
        key = request.query_params.get("key", "") if shows else (await form_of(request)).get("key", "")
        told = await run_in_threadpool(_use, site, key, shows)
    except AdjutantError as error:
        return site.refuse(409, error.message, error.fix)
    return PlainTextResponse(told) if told else site.refuse(403, VOID)


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

JS = "text/javascript"
FILES = {"page.css": "text/css", "page.js": JS, "htmx.min.js": JS, "icon.svg": "image/svg+xml"}


async def _enter(request: Request) -> Response:
    site, key = site_of(request), request.query_params.get("key", "")
    may, answer = site.keys.holds("links", key), RedirectResponse("/today", 303)
    session = await run_in_threadpool(site.keys.enter, key) if may else ""
    if session:
        answer.set_cookie(site.cookie, session, SESSION_SECONDS, httponly=True, samesite="strict", secure=False)
        return answer
    if site.keys.holds("sessions", request.scope["session"]):
        return answer  # the link was opened before, here
    if not await slow_down():
        return site.refuse(*TOO_MANY)
    await run_in_threadpool(site.keys.enter, key)  # counted
    what = "This link was used, is too old, or never was one."
    return site.refuse(403, what, "`adjutant serve --link` prints another.")


async def _send_file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    return Response(package.read("page", "static", name), media_type=FILES[name])


ROUTES = [
    *(Route(path, _decide, methods=["POST"]) for path in FORMS),
    Route("/ask", _ask, methods=["POST"]),
    Route(door.PRESS, _press_button, methods=["GET", "POST"]),
    Route(door.ENTER, _enter, methods=["GET"]),
    Route("/static/{name}", _send_file, methods=["GET"]),
]
