"""SHELL. Entering the page: a link that works once becomes a cookie; wrong ones are slow. And its few files."""

from __future__ import annotations

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from adjutant.page.keys import SESSION_SECONDS
from adjutant.page.site import site_of
from adjutant.store import package

SLOW_SECONDS, MOST_WAITING = 1.0, 4
FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_waiting = asyncio.Semaphore(MOST_WAITING)


async def enter(request: Request) -> Response:
    """The cookie for a link's key; a wrong key waits, and of many at once most are sent away."""
    site, key = site_of(request), request.query_params.get("key", "")
    may = site.keys.opens(key)
    session = await run_in_threadpool(site.keys.enter, key) if may else ""
    if session:
        answer = RedirectResponse("/today", 303)
        answer.set_cookie(
            site.cookie, session, max_age=SESSION_SECONDS, path="/", httponly=True, samesite="strict", secure=False
        )
        return answer
    if site.keys.is_known(request.scope["session"]):
        return RedirectResponse("/today", 303)  # the link was opened before, here
    if _waiting.locked():
        return site.pages.refusal(request, 429, "Too many wrong keys at once.", "Wait a moment.")
    async with _waiting:
        await run_in_threadpool(site.keys.enter, key)  # counted, and slow
        await asyncio.sleep(SLOW_SECONDS)
    what = "This link was used, is too old, or never was one."
    return site.pages.refusal(request, 403, what, "`adjutant serve --link` prints another.")


async def static(request: Request) -> Response:
    """One of the files that come with the page."""
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    return Response(package.read("page", "static", name), media_type=FILES[name])


ROUTES = [Route("/enter", enter, methods=["GET"]), Route("/static/{name}", static, methods=["GET"])]
