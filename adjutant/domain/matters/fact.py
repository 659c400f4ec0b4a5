"""DOMAIN. What one file says of open things, kept between runs: facts and the day each was first seen."""

from datetime import date, datetime
from typing import Literal

import msgspec

from adjutant.documents.mail import Letter

Kind = Literal["task", "deadline", "appointment", "waiting", "blocked", "problem"]
State = Literal["open", "done", "dropped"]


JUDGED = "said"  # the basis of a plain sentence without a day, which was judged to say that something is open
THREAD = "thread"  # the basis of what mail leaves open: likely, and told by no rule


class Fact(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """One thing that a line says is open, or closes.

    `what`: the line's own words; `when`: first and last day, None for none; `basis`: which rule of spec/15 read it;
    `dated`: a day past makes it late (False where the column or status is unknown); `stems`: of `what`; `around`: of
    the headings and the file's name; `day`: the day the text speaks from; `was`: the days from which it was moved.
    """

    kind: Kind
    line: int
    quote: str
    what: str
    basis: str
    state: State = "open"
    first: date | None = None
    last: date | None = None
    time: str = ""
    certain: bool = True
    dated: bool = False
    who: str = ""
    heads: tuple[str, ...] = ()
    stems: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    day: date | None = None
    group: int = 0
    was: tuple[date, ...] = ()


class Span(msgspec.Struct, frozen=True, array_like=True):
    """A time that is taken, from `start` to before `end` by the operator's clock: an event of a calendar, or an absence
    of which a note tells. `key`: which event it is, wherever it stands, "" for an absence; `who`: whose absence, ""
    for the operator's own; `all_day`: no hour of it is told."""

    line: int
    quote: str
    what: str
    start: datetime
    end: datetime
    key: str
    who: str
    all_day: bool


class ThreadLetter(msgspec.Struct, frozen=True, array_like=True):
    """A mail, its words left out. `asks`: its first question; `promises`: what it says will be done by a day."""

    mail: Letter
    asks: Fact | None
    promises: tuple[Fact, ...]


class Reading(msgspec.Struct, frozen=True, array_like=True):
    """One file as it was read: `size` and `mtime_ns` tell whether it is still the same.

    `seen` holds, by checksum of the line, the day a line with relative dates and no day of its own was first seen
    (None: at the first look, when nobody knows). `racy`: read so soon after its last change that another one may hide
    behind the same time. `spans`: times that are taken; `recurs`: the file says something else on another day;
    `problems`: what could not be read of it, with its line.
    """

    path: str
    size: int
    mtime_ns: int
    read_on: date
    facts: tuple[Fact, ...]
    seen: dict[int, date | None]
    sha: str
    racy: bool
    spans: tuple[Span, ...] = ()
    recurs: bool = False
    problems: tuple[str, ...] = ()
    letters: tuple[ThreadLetter, ...] = ()
