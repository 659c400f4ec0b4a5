"""SHELL. What the routes of the page share: templates, what each form was shown with, and the stream of changes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adjutant.app import plural
from adjutant.clock import Clock
from adjutant.desk import Desk
from adjutant.errors import NEEDS_HAND, AdjutantError
from adjutant.page.day import Day, stamp
from adjutant.printable import escape
from adjutant.records.page_keys import Keys
from adjutant.store import package, switches
from adjutant.store.tree import Tree

PAGES = ("today", "approvals", "ask", "memory", "behaviour", "runs")
MOST_TOLD = 200
BAR, GAP, HEIGHT = 16, 6, 72
EVERY, QUIET, MOST_STREAMS = 0.5, 15.0, 24  # seconds between looks, between signs of life; streams at once
MOST, MOST_CHARS = 20_000, 16 * 1024 * 1024  # things shown that are remembered, and characters of them


SLOW_SECONDS, MOST_WAITING = 1.0, 4
TOO_MANY = (429, "Too many wrong keys at once.", "Wait a moment.")
_waiting = asyncio.Semaphore(MOST_WAITING)


async def slow_down() -> bool:
    """Has whoever brought a wrong key wait; False where so many wait already that this one is sent away."""
    if _waiting.locked():
        return False
    async with _waiting:
        await asyncio.sleep(SLOW_SECONDS)
    return True


class Changed(AdjutantError, exits=NEEDS_HAND, code="page.changed"):
    """What a form was about is another now. `before`: "" where it is not known now; `after`: "" where it is gone."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__("This changed while you looked at it; nothing was done.", "Look at both, then press again.")
        self.before, self.after = before, after


class Seen:
    """What each form was shown with: a hash goes with it, and the words are kept, to be shown beside the new."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, str] = OrderedDict()
        self._chars = 0
        self._one = threading.Lock()

    def show(self, thing: Mapping[str, Any], words: str) -> str:
        """The hash to go with a form that shows a thing in these words."""
        seen = fingerprint(thing)
        with self._one:
            if seen not in self._held:
                self._held[seen] = words
                self._chars += len(words)
            self._held.move_to_end(seen)
            while len(self._held) > MOST or self._chars > MOST_CHARS:
                self._chars -= len(self._held.popitem(last=False)[1])
        return seen

    def check(self, given: str, now: tuple[Mapping[str, Any], str] | None) -> None:
        """Raises Changed unless the thing is as it was shown."""
        if now is None or fingerprint(now[0]) != given:
            with self._one:
                raise Changed(self._held.get(given, ""), now[1] if now is not None else "")


def fingerprint(thing: Mapping[str, Any]) -> str:
    """The same for the same."""
    text = json.dumps(thing, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class Live:
    """Tails the records of an instance: an open page learns that the ledger, or a switch, moved."""

    def __init__(self, tree: Tree, version: Callable[[], int]) -> None:
        self._version, self._open = version, 0
        self._paths = (
            *(tree.actions, tree.notices, tree.marks, tree.matters, tree.evolution_log, tree.behavior_history),
            *(tree.interactions, tree.conflicts, tree.wisdom, tree.paused, tree.killed),
        )

    @property
    def full(self) -> bool:
        """Whether no more streams are opened."""
        return self._open >= MOST_STREAMS

    async def tail(self) -> AsyncIterator[str]:
        """Server-sent events: `changed` whenever something was written."""
        self._open += 1
        try:
            before, silent = self._look(), 0.0
            yield "retry: 2000\n\n"
            while True:
                await asyncio.sleep(EVERY)
                now = self._look()
                if now != before:
                    before, silent = now, 0.0
                    yield "event: changed\ndata: \n\n"
                elif (silent := silent + EVERY) >= QUIET:
                    silent = 0.0
                    yield ": still here\n\n"
        finally:
            self._open -= 1

    def _look(self) -> tuple[object, ...]:
        return (self._version(), *(stamp(path, follow=False) for path in self._paths))


class Pages:
    """Templates to answers: every text is escaped, every page knows the switches and what waits. `said`: {session: what
    its last press came to}, shown once."""

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
        pages = [(each, each.capitalize()) for each in PAGES]
        environment.globals.update(pages=pages, bars=draw_bars, plural=plural)
        environment.filters.update(age=self._tell_age, moment=self._tell_moment)

    def tell(self, request: Request, text: str) -> None:
        """What the next page of this browser begins with."""
        while len(self.said) >= MOST_TOLD:
            self.said.pop(next(iter(self.said)))
        self.said[request.scope["session"]] = text

    def page(self, request: Request, name: str, *, status: int = 200, **values: Any) -> Response:
        """A template with what every page shows."""
        tree, session = self._desk.tree, request.scope.get("session", "")
        common = {
            "here": name.removesuffix(".html"),
            "root": tree.root,
            "killed": switches.is_on(tree.killed),
            "paused": switches.is_on(tree.paused),
            "why_paused": switches.reason(tree.paused),
            "only_shows": self._desk.only_shows(),
            "said": self.said.pop(session, "") if session else "",
        }
        return self._answer(name, status, common | values)

    def refuse(self, request: Request, status: int, what: str, fix: str = "") -> Response:
        """The page that says no, without anything of the instance where nobody has a key."""
        return self._answer("refusal.html", status, {"status": status, "what": what, "fix": fix})

    def _answer(self, name: str, status: int, values: Mapping[str, Any]) -> Response:
        text = self._environment.get_template(name).render(**values)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def _time(self, text: object) -> datetime | None:
        try:
            return self._clock.parse(str(text))
        except ValueError:
            return None

    def _tell_moment(self, text: object) -> str:
        """When, as a person says it."""
        return self._clock.speak(str(text)) if self._time(text) is not None else str(text or "")

    def _tell_age(self, text: object) -> str:
        """For how long something waits, as the words behind a dot."""
        since = self._time(text)
        if since is None:
            return ""
        hours = max(0, int((self._clock.now() - since).total_seconds() // 3600))
        told = plural(hours // 24, "day") if hours >= 48 else plural(hours, "hour") if hours else ""
        return f"waits for {told}" if told else "new"


def draw_bars(title: str, values: Sequence[tuple[str, int, str]]) -> Markup:
    """A chart of (day, number, words), as SVG that needs no style of its own; the words are each bar's tooltip."""
    most = max((number for _, number, _ in values), default=0) or 1
    width, height = len(values) * (BAR + GAP) + GAP, HEIGHT + 16
    head = Markup('<svg class="chart" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">')
    out = [head.format(width, height, title)]
    bar = Markup(
        '<g><title>{words}</title><rect class="ground" x="{left}" y="0" width="{BAR}" height="{HEIGHT}"/>'
        '<rect class="bar" x="{left}" y="{top}" width="{BAR}" height="{tall}"/>'
        '<text x="{middle}" y="{under}">{day}</text></g>'
    )
    for at, (day, number, words) in enumerate(values):
        tall = round(HEIGHT * number / most) or (1 if number else 0)
        left = GAP + at * (BAR + GAP)
        place = {"left": left, "middle": left + BAR // 2, "top": HEIGHT - tall, "tall": tall, "under": HEIGHT + 13}
        out.append(bar.format(words=words, BAR=BAR, HEIGHT=HEIGHT, day=day[-2:], **place))
    return Markup("").join([*out, Markup("</svg>")])


class Site(NamedTuple):
    """One page that is served."""

    desk: Desk
    day: Day
    keys: Keys
    pages: Pages
    seen: Seen
    live: Live
    cookie: str


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site
