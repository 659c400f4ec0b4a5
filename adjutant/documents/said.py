"""DOCUMENTS. What this room needs of `language`, until that room is there."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_TIME = re.compile(r"[T ,]*(\d\d?:\d\d)(?!\d)")
_END = re.compile(r"(?<!\d)[.!?][\"')»“]*\s+(?=[\"'(«„]?[^\W\d_a-zæøåäöüß])")
_MONTHS = (
    "january february march april may june july august september october november december januar februar märz mars "
    "mai juni juli oktober desember dezember jan feb mar apr jun jul aug sep sept oct okt nov dec des dez"
)
MONTHS = frozenset(_MONTHS.split())
ZONES = {
    "template": frozenset(("template", "templates", "mal", "maler", "vorlage", "vorlagen")),
    "archive": frozenset(("archive", "archives", "archived", "old", "arkiv", "archiv", "alt")),
    "example": frozenset(("example", "examples", "sample", "samples", "eksempel", "beispiel", "beispiele")),
    "clipping": frozenset(("clipping", "clippings", "web clips")),
    "title": frozenset(("title", "tittel", "titel", "name", "subject")),
    "day": frozenset(("date", "day", "datum", "dato", "created", "updated", "modified", "as_of", "sent")),
    "closed": frozenset(("closed", "done", "archived", "cancelled", "canceled", "completed")),
}


class Date(NamedTuple):
    """A date in a text."""

    start: int
    end: int
    first: date
    last: date
    time: str
    relative: bool
    exact: bool


class Sentence(NamedTuple):
    """A sentence and where it stands."""

    text: str
    start: int
    end: int


def find(text: str, near: date, *, order: str | None = None, code: str = "") -> list[Date]:
    """The ISO dates of a text."""
    found = []
    for match in _DAY.finditer(text):
        try:
            day = date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            continue
        time = _TIME.match(text, match.end())
        end = time.end() if time else match.end()
        found.append(Date(match.start(), end, day, day, time[1] if time else "", False, True))
    return found


def day_in_name(path: str) -> date | None:
    """The day in a file's name."""
    found = find(path.rpartition("/")[2], date.min)
    return found[0].first if found else None


def sentences(text: str, code: str = "") -> list[Sentence]:
    """The sentences of a text."""
    found, at = [], 0
    for match in _END.finditer(text):
        found.append(Sentence(text[at : match.end()].rstrip(), at, match.end()))
        at = match.end()
    if text[at:].strip():
        found.append(Sentence(text[at:], at, len(text)))
    return found


def language_of(text: str) -> str:
    """The language of a text."""
    return "en"


def listed(key: str) -> frozenset[str]:
    """The names of a zone."""
    return ZONES.get(key, frozenset())


def begins_with_month(words: str) -> bool:
    """Whether words after `24.` make a date of it."""
    first = words.split(None, 1)[0].strip(".,").lower() if words[:1].strip() else ""
    return first in MONTHS or (first.isdecimal() and len(first) <= 2 and words[len(first) : len(first) + 1] == ".")
