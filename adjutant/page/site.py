"""SHELL. What the routes of the page share: one instance's desk, day, keys, templates, and what was shown."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from adjutant.desk import Desk
from adjutant.page.day import Day
from adjutant.page.keys import Keys
from adjutant.page.live import Live
from adjutant.page.rendering import Pages
from adjutant.page.seen import Seen
from adjutant.records.presses import Presses


class Site(NamedTuple):
    """One page that is served."""

    desk: Desk
    day: Day
    keys: Keys
    pages: Pages
    seen: Seen
    live: Live
    cookie: str
    presses: Presses


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site
