"""SHELL. What the routes of the page share: templates, what each form was shown with, and the stream of changes."""

import asyncio
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adjutant.app import Row, names, plural
from adjutant.clock import Clock, moment
from adjutant.desk import Desk
from adjutant.errors import NEEDS_HAND, AdjutantError
from adjutant.page.day import Day, stamp
from adjutant.printable import escape
from adjutant.records.page_keys import Keys
from adjutant.store import package, switches

WATCHED = names(
    "actions notices marks matters evolution_log behavior_history interactions conflicts wisdom paused killed"
)
PAGES = ("today", "approvals", "ask", "memory", "behaviour", "runs")
MOST_TOLD = 200
EVERY, QUIET, MOST_STREAMS = 0.5, 15.0, 24  # seconds between looks, between signs of life; streams at once
MOST, WORDS = 4000, 4000  # things shown that are remembered, and characters of each
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


class Decidable(NamedTuple):
    """What a form may decide on, a line of decided.txt: its `kind`, the `verb` that shows it, under `key` of its
    result; what of it a decision rests on; its words, to be shown beside what it became."""

    kind: str
    verb: str
    key: str
    bound: str
    words: str


_LINES = package.text("page", "decided.txt").splitlines()
_ROWS = ([part.strip().replace("\\n", "\n") for part in line.split("|")] for line in _LINES)
DECIDABLES = {row[0]: Decidable(*row) for row in _ROWS}


class Site:
    """One page that is served: templates to answers, of which every text is escaped and every page knows the switches.
    What each form was shown with is remembered: a hash goes with it, and the words are shown beside the new."""

    def __init__(self, desk: Desk, clock: Clock, keys: Keys) -> None:
        self.desk, self.keys, self._clock = desk, keys, clock
        self.day = Day(desk, clock)
        root = desk.tree.root.encode("utf-8", "surrogateescape")
        self.cookie = f"adjutant-{hashlib.sha256(root).hexdigest()[:8]}"
        self.streams = 0  # that are open
        self._told: dict[str, str] = {}  # {session: what its last press came to}
        self._shown: OrderedDict[str, str] = OrderedDict()
        self._one = threading.Lock()
        self._environment = environment = Environment(
            loader=FunctionLoader(lambda name: package.text("page", "templates", name)),
            autoescape=True,
            finalize=lambda value: escape(value) if type(value) is str else value,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        pages = [(each, each.capitalize()) for each in PAGES]
        environment.globals.update(pages=pages, plural=plural)
        environment.filters.update(age=self._tell_age, moment=lambda text: clock.tell(text or ""))

    # -- what a form decides on ------------------------------------------------------------------------------
    def bind(self, kind: str, each: Row) -> Row:
        """A thing with the hash, `seen`, that goes with a form about it."""
        seen, words = _fingerprint(kind, each), DECIDABLES[kind].words.format_map(each)
        with self._one:
            self._shown[seen] = words[:WORDS]
            self._shown.move_to_end(seen)
            if len(self._shown) > MOST:
                self._shown.popitem(last=False)
        return each | {"seen": seen}

    def check(self, kind: str, id: str, seen: str) -> None:
        """Raises Changed unless a thing is as it was shown, AdjutantError where it cannot be looked at."""
        now = self.day.matter(id) if kind == "matter" else self._find(DECIDABLES[kind], id)
        if now is None or _fingerprint(kind, now) != seen:
            with self._one:
                before = self._shown.get(seen, "")
            raise Changed(before, DECIDABLES[kind].words.format_map(now) if now is not None else "")

    def _find(self, kind: Decidable, id: str) -> Row | None:
        one = kind.kind == "suggestion"
        found = self.desk.look(*kind.verb.split(), *(["--", id] if one else [])).result[kind.key]
        return next((each for each in ([found] if one else found) if one or each["id"] == id), None)

    # -- the stream of changes -------------------------------------------------------------------------------
    async def tail(self) -> AsyncIterator[str]:
        """Server-sent events: `changed` whenever a record or a switch of the instance was written."""
        self.streams += 1
        try:
            before, silent = self._look(), 0.0
            yield "retry: 2000\n\n"
            while True:
                await asyncio.sleep(EVERY)
                now, silent = self._look(), silent + EVERY
                if now != before or silent >= QUIET:
                    yield ": still here\n\n" if now == before else "event: changed\ndata: \n\n"
                    before, silent = now, 0.0
        finally:
            self.streams -= 1

    def _look(self) -> tuple[object, ...]:
        return (self.day.version, *(stamp(getattr(self.desk.tree, name), follow=False) for name in WATCHED))

    # -- pages -----------------------------------------------------------------------------------------------
    def tell(self, request: Request, text: str) -> None:
        """What the next page of this browser begins with, once."""
        while len(self._told) >= MOST_TOLD:
            self._told.pop(next(iter(self._told)))
        self._told[request.scope["session"]] = text

    def page(self, request: Request, name: str, *, status: int = 200, **values: Any) -> Response:
        tree = self.desk.tree
        common: Row = {"here": name.removesuffix(".html"), "root": tree.root, "only_shows": self.desk.only_shows()}
        common |= {"killed": switches.is_on(tree.killed), "paused": switches.is_on(tree.paused)}
        common |= {"why_paused": switches.reason(tree.paused)}
        common |= {"said": self._told.pop(request.scope.get("session", ""), "")}
        return self._answer(name, status, common | values)

    def refuse(self, status: int, what: str, fix: str = "") -> Response:
        """The page that says no, without anything of the instance where nobody has a key."""
        return self._answer("refusal.html", status, {"status": status, "what": what, "fix": fix})

    def _answer(self, name: str, status: int, values: Row) -> Response:
        text = self._environment.get_template(name).render(**values)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def _tell_age(self, text: object) -> str:
        if (since := moment(text)) is None:
            return ""
        hours = max(0, int((self._clock.now() - since).total_seconds() // 3600))
        told = plural(hours // 24, "day") if hours >= 48 else plural(hours, "hour") if hours else ""
        return f"waits for {told}" if told else "new"


def _fingerprint(kind: str, each: Row) -> str:
    """The same for the same, in all that a decision on it rests on."""
    bound = {key: each.get(key) for key in DECIDABLES[kind].bound.split()}
    return hashlib.sha256(json.dumps(bound, sort_keys=True, default=str).encode()).hexdigest()


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site
