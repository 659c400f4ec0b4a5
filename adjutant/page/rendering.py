"""SHELL. Templates to answers: every text is escaped, every page knows the switches and what waits."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from jinja2 import Environment, FunctionLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adjutant.app import plural
from adjutant.clock import Clock
from adjutant.desk import Desk
from adjutant.page import chart
from adjutant.printable import escape
from adjutant.store import package, switches

PAGES = (
    ("today", "Today"),
    ("approvals", "Approvals"),
    ("ask", "Ask"),
    ("memory", "Memory"),
    ("behaviour", "Behaviour"),
    ("runs", "Runs"),
)
MOST_TOLD = 200


class Pages:
    """`said`: {session: what its last press came to}, shown once."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        self._desk, self._clock = desk, clock
        self.said: dict[str, str] = {}
        self._environment = environment = Environment(
            loader=FunctionLoader(lambda name: package.text("page", "templates", name)),
            autoescape=True,
            finalize=lambda value: escape(value) if type(value) is str else value,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        environment.globals.update(pages=PAGES, bars=chart.bars, plural=plural)
        environment.filters.update(age=self._age, moment=self._moment)

    def tell(self, request: Request, text: str) -> None:
        """What the next page of this browser begins with."""
        while len(self.said) >= MOST_TOLD:
            self.said.pop(next(iter(self.said)))
        self.said[request.scope["session"]] = text

    def page(self, request: Request, name: str, *, status: int = 200, **values: Any) -> Response:
        """A template with what every page shows."""
        tree = self._desk.tree
        common = {
            "here": name.removesuffix(".html"),
            "root": tree.root,
            "killed": switches.is_on(tree.killed),
            "paused": switches.is_on(tree.paused),
            "why_paused": switches.reason(tree.paused),
            "only_shows": self._desk.only_shows(),
            "said": self.said.pop(request.scope.get("session", ""), "") if request.scope.get("session") else "",
        }
        text = self._environment.get_template(name).render(**(common | values))
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def refusal(self, request: Request, status: int, what: str, fix: str = "") -> Response:
        """The page that says no, without anything of the instance where nobody has a key."""
        text = self._environment.get_template("refusal.html").render(status=status, what=what, fix=fix)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def _time(self, text: object) -> datetime | None:
        try:
            return self._clock.parse(str(text))
        except ValueError:
            return None

    def _moment(self, text: object) -> str:
        """When, as a person says it."""
        return self._clock.speak(str(text)) if self._time(text) is not None else str(text or "")

    def _age(self, text: object) -> str:
        """For how long something waits, as the words behind a dot."""
        since = self._time(text)
        if since is None:
            return ""
        hours = max(0, int((self._clock.now() - since).total_seconds() // 3600))
        told = plural(hours // 24, "day") if hours >= 48 else plural(hours, "hour") if hours else ""
        return f"waits for {told}" if told else "new"
