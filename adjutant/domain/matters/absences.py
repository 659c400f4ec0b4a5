"""DOMAIN. Times for which a line says that somebody is not there: "on leave 3-7 Dec", "Berg is away until 4 Dec"."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta

from adjutant.documents import markdown
from adjutant.documents.document import Block, ParsedFile
from adjutant.domain.matters import marks, promises
from adjutant.domain.matters.cues import cues
from adjutant.domain.matters.fact import Span
from adjutant.domain.matters.lines import MatterLine
from adjutant.language.pack import cached, listed
from adjutant.language.words import words

NOWHERE = frozenset(("code", "template", "archive", "clipping", "example", "closed", "own"))
QUOTE, WHAT = 300, 200


def find(
    doc: ParsedFile,
    near: date,
    take_apart: Callable[[Block], tuple[date | None, MatterLine]],
    everyday: Callable[[str], bool],
) -> Iterator[Span]:
    """The absences to come; `everyday`: whether a capitalised word is no name."""
    for block in doc.blocks if doc.zone not in NOWHERE else ():
        if block.zone in NOWHERE or block.box in ("done", "dropped") or not cues().may_tell(block.text):
            continue
        if not cues().absent.find(words(block.text)):
            continue
        anchor, said = take_apart(block._replace(text=_ranges().sub(r"\1–", block.text)))
        found = _absence(said, anchor or near, everyday)
        if found is not None and found[1] >= near:
            start, end = (datetime.combine(day, time()) for day in (found[0], found[1] + timedelta(days=1)))
            quote = doc.lines[block.line - 1].strip()[:QUOTE].rstrip()
            what = markdown.plain(marks.strip_marks(block.text))[:WHAT].strip()
            yield Span(block.line, quote, what, start, end, "", found[2], True)


@cached(1)
def _ranges() -> re.Pattern[str]:
    """The first day and the word behind it of "from 3 to 7 Dec"."""
    said = "|".join(sorted(map(re.escape, listed("matters", "until")), reverse=True))
    return re.compile(rf"(?<![\d-])(\d{{1,2}}\.?) (?:{said}) (?=\d)", re.IGNORECASE)


def _absence(said: MatterLine, anchor: date, everyday: Callable[[str], bool]) -> tuple[date, date, str] | None:
    """(first day, last day, who), "" for the operator; None where a line says nothing of the kind."""
    known, places = cues(), cues().absent.find(said.words)
    if not said.dates or not places or said.text.rstrip().endswith("?"):
        return None
    at, length = places[0]
    before = said.words[:at]
    name = "" if not known.own.isdisjoint(before) else promises.name_in(said.text[: said.starts[at]], said, everyday)
    if not known.negators.isdisjoint(before[-3:]) or (
        not name and known.own.isdisjoint(before) and not known.others.isdisjoint(before)
    ):
        return None
    days = [day for day in said.dates if not day.time] or said.dates
    if not name and known.own.isdisjoint(before[-3:]):  # a note of one's own has nothing but the days beside it
        between = (
            said.words[at + length : said.place(days[0].start)] if at == 0 else before[: said.place(days[0].start)]
        )
        if not known.idle.issuperset(between) or (at and said.place(days[0].end) < at):
            return None
    between = said.words[at + length : said.place(days[0].start)]
    until = len(days) == 1 and (known.deadline.find(between) or known.until.find(between))
    return anchor if until else min(day.first for day in days), max(day.last for day in days), name
