"""DOMAIN. The one picture of what is open: each matter with its id, its day, how grave it is, and what became of it.

It is a fold of what the files say now, the register and the marks. Looking changes nothing: `events` is what the
register would have to be told, and a pulse or review appends it.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import msgspec

from adjutant.domain.matters.fact import Kind
from adjutant.domain.matters.signal import LEVELS, Evidence, Signal

WEEK = 7
QUIET = "quiet zone: "  # how `muted` begins where the heart silences a matter
ROW = (
    "id", "what", "kind", "when", "who", "state", "certainty", "kb", "evidence", "concern", "severity", "first_seen",
    "changed", "told", "muted", "listed",
)  # fmt: skip
CLASH = "clash"  # what the matter of two times that overlap rests on
OLD_NEWS = 30  # days: what is late for longer without a change is counted, not listed


class Open(msgspec.Struct, kw_only=True):
    """One open matter.

    `first`, `last`: its first and last day, None for none; `certain`: structure says so; `dated`: a day past makes it
    late; `share`: how much of the heart it touches; `muted`: the quiet zone or the mark that silences it, "" for none;
    `listed`: it belongs on a list of what matters; `tellable`: rules may interrupt for it;
    `held`: why a model held it back; `unjudged`: a model was asked and said nothing of it; `found`: how grave rules
    call it, "" where they do not see it; `told`: when a notice last named it, "" for never; `fresh`: it came up after
    the first look at its knowledge base.
    """

    kb: str
    what: str
    kind: Kind
    evidence: list[Evidence]
    severity: str
    id: str = ""
    first: date | None = None
    last: date | None = None
    time: str = ""
    who: str = ""
    certain: bool = True
    dated: bool = True
    heads: tuple[str, ...] = ()
    concern: str | None = None
    part: str = ""
    share: float = 0.0
    muted: str = ""
    held: str = ""
    unjudged: bool = False
    found: str = ""
    by: str = "rules"
    why: str = ""
    rests: list[str] = []
    listed: bool = True
    tellable: bool = True
    tell: bool = False
    fresh: bool = True
    first_seen: str = ""
    changed: str = ""
    told: str = ""

    @property
    def place(self) -> str:
        """Path and line of the decisive evidence."""
        return f"{self.evidence[0].path}:{self.evidence[0].line}"

    @property
    def certainty(self) -> str:
        """In the words of the register and of `--json`."""
        return "certain" if self.certain else "likely"

    @property
    def rank(self) -> tuple[int, float, int]:
        """The greater, the earlier it is told: severity, what it touches, how near its day is."""
        return LEVELS.index(self.severity), self.share, -self.last.toordinal() if self.last else -date.max.toordinal()

    def left(self, today: date) -> int | None:
        """Days to its last day, negative when that is past; None without a day."""
        return (self.last - today).days if self.last is not None else None

    def is_late(self, today: date) -> bool:
        """Whether its day is past and it is still to be done."""
        return self.dated and self.last is not None and self.last < today


class Extraction(NamedTuple):
    """A knowledge base's signals, gravest first; `deadlines`: (day, path, line);
    `opens`: every open matter, those far ahead too, without ids."""

    signals: list[Signal]
    deadlines: list[tuple[str, str, int]]
    opens: list[Open]
    today: str = ""


class Closed(msgspec.Struct, frozen=True):
    """A matter that was open and is no more: how it ended, and where that stands ("" where nothing says). `reason`: why
    a model says so of something grave that no notice ever named."""

    id: str
    kb: str
    what: str
    state: str
    place: str
    reason: str = ""


class Picture(msgspec.Struct):
    """Everything open in the knowledge bases at `now`, the gravest first; `closed`: what is no more since the register
    was written; `unread`: knowledge bases that could not be looked at, whose matters stand as they were."""

    now: datetime
    matters: list[Open]
    closed: list[Closed]
    events: list[dict[str, Any]]
    unread: list[str]

    def shown(self) -> list[Open]:
        """What is not muted."""
        return [each for each in self.matters if not each.muted]

    def by_id(self, id: str) -> Open | None:
        """The matter with this id."""
        return next((each for each in self.matters if each.id == id), None)

    def at(self, kb: str, evidence: Sequence[Evidence]) -> Open | None:
        """The matter of a knowledge base that rests on one of these lines; one whose decisive line is the first.
        A clash rests on the lines of two others."""
        places = [(cited.path, cited.line) for cited in evidence]
        found = None
        for each in self.matters:
            own = [(cited.path, cited.line) for cited in each.evidence]
            if each.kb == kb and CLASH not in each.rests and not set(places).isdisjoint(own):
                if own[0] == places[0]:
                    return each
                found = found or each
        return found

    def named(self, text: str) -> list[Open]:
        """The matters whose id is `text`, else begins with it."""
        exact = [each for each in self.matters if each.id == text]
        return exact or [each for each in self.matters if text and each.id.startswith(text)]


def row(each: Open) -> dict[str, Any]:
    """A matter as `--json` has it."""
    said = msgspec.to_builtins(each)
    when = {name: said[name] or None for name in ("first", "last", "time")}
    said |= {"when": when, "state": "open", "certainty": each.certainty}
    return {name: None if said[name] == "" else said[name] for name in ROW}


class Sections(NamedTuple):
    """The picture by urgency, each matter once; `older`: how many are late for longer than a month."""

    late: list[Open]
    near: list[Open]
    week: list[Open]
    waiting: list[Open]
    new: list[Open]
    rest: list[Open]
    older: int


def sections(matters: Sequence[Open], today: date, is_new: frozenset[str] = frozenset()) -> Sections:
    """Late, today and tomorrow, this week, waiting for, new, the rest; the gravest first in each, by day in the first
    three. `is_new`: the ids that count as new."""
    parts = Sections([], [], [], [], [], [], sum(_is_old(each, today) for each in matters))
    for each in sorted(matters, key=lambda each: each.rank, reverse=True):
        if not _is_old(each, today):
            _part_of(each, parts, today, is_new).append(each)
    for timed in (parts.near, parts.week):
        timed.sort(key=lambda each: (max(each.first or today, today), each.time or "99", each.last or today))
    parts.late.sort(key=lambda each: (-LEVELS.index(each.severity), -(each.last or today).toordinal()))
    return parts


def _is_old(each: Open, today: date) -> bool:
    return each.certain and each.is_late(today) and (each.left(today) or 0) < -OLD_NEWS


def _part_of(each: Open, parts: Sections, today: date, is_new: frozenset[str]) -> list[Open]:
    other = parts.new if each.id in is_new else parts.rest
    left = each.left(today)
    sure = each.certain or (each.listed and left is not None and left >= 0)  # likely: its day stands, but is never late
    if sure and left is not None and each.first is not None and (left >= 0 or each.is_late(today)):
        first = (each.first - today).days if each.certain else left
        if left < 0:
            return parts.late
        if min(first, left) <= 1:
            return parts.near
        if first <= WEEK:
            return parts.week
    return parts.waiting if each.certain and each.kind == "waiting" else other
