"""SHELL. A button that another app shows: its key, without a cookie, does one thing to one matter, once."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from adjutant.errors import AdjutantError
from adjutant.page import acts
from adjutant.page.door import PRESS
from adjutant.page.site import Site, site_of

WHY, TOMORROW = "why", "tomorrow"
VOID = "This button was used, is too old, or never was one; nothing was done."
REFUSED = 409


async def press(request: Request) -> Response:
    """GET shows why, POST marks; what came of it, as plain words."""
    site = site_of(request)
    if request.method == "HEAD":
        return PlainTextResponse("")  # whoever looks ahead uses nothing up
    shows = request.method == "GET"
    try:
        key = request.query_params.get("key", "") if shows else (await acts.form_of(request)).get("key", "")
        told = await run_in_threadpool(_done, site, key, shows)
    except AdjutantError as error:
        return site.pages.refusal(request, REFUSED, error.message, error.fix)
    return PlainTextResponse(told) if told else site.pages.refusal(request, 403, VOID)


def _done(site: Site, key: str, shows: bool) -> str:
    """What a verb says, "" for a key that is void."""
    with site.desk.deciding:  # of two presses at once, the second sees that the key is gone
        site.desk.refuse_shown_only()
        each = site.presses.find(key)
        if each is None or (each.verb == WHY) is not shows:
            return ""
        if shows:
            outcome = site.desk.look(WHY, "--", each.matter)
        else:
            day = [TOMORROW] if each.verb == "snooze" else []
            outcome = site.desk.decide("mark", "--seal", each.seal, "--", each.matter, each.verb, *day)
        site.presses.drop(key)
    return "\n".join(outcome.lines)


ROUTES = [Route(PRESS, press, methods=["GET", "POST"])]
