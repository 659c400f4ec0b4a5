"""DOCUMENTS. The day that a text speaks from, of which its `tomorrow` is counted."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from adjutant.documents.blocks import Field
from adjutant.language.dates import Date, find
from adjutant.language.pack import listed

LEAD, HEAD_CHARS = 12, 48  # characters that may stand before the date of a log line; that are looked at
HEADING_CHARS = 80  # a longer heading is a sentence with a date in it
_DAYS = (("records", "columns.log"), ("records", "columns.when"), ("pages", "mail.date"))
_YEAR = re.compile(r"\W*((?:19|20)\d\d)(?=\W*$|\s?[,:;.()\[\]–—-]\s)")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")


class Days:
    """Finds days in one file: `near` is today, `order` dmy or mdy or None, `code` the file's language. A file may be of
    a day to come, a heading, line or row of it speaks from none: that is a day it speaks of."""

    def __init__(self, near: date, order: str | None, code: str) -> None:
        self.near, self.order, self.code = near, order, code

    def of_fields(self, fields: Iterable[Field]) -> date | None:
        """The day that frontmatter, a mail's head or an entry of a log gives itself."""
        for field in fields:
            name = field.name.rpartition(".")[2].lower().replace("_", " ")
            if any(name in listed(*key) for key in _DAYS) and (found := self._first(field.value)):
                return found.first
        return None

    def of_row(self, cells: Sequence[Field]) -> date | None:
        """As `of_fields`; where the columns have no names, by the first two cells."""
        if any(cell.name for cell in cells):
            return self._past(self.of_fields(cells))
        return next((day for cell in cells[:2] if (day := self.of_line(cell.value))), None)

    def of_heading(self, text: str) -> date | None:
        """The day of a heading in a diary or of a meeting: the date leads it or ends it, and is no deadline."""
        if len(text) > HEADING_CHARS or not _DIGIT.search(text):
            return None
        for found in find(text, self.near, code=self.code, order=self.order):
            before = _WORD.findall(text[: found.start])
            at_an_end = found.start <= LEAD or found.end >= len(text.rstrip(" :*_)]"))
            due = (phrase.rpartition(" ")[2] for phrase in listed("matters", "deadline"))
            if found.exact and at_an_end and not (before and before[-1].lower() in due):
                return self._past(found.first)
        return None

    def of_year(self, text: str) -> date | None:
        """The middle of a year that is over and heads a page or section: "2024", "2025, lost"."""
        found = _YEAR.match(text)
        return date(int(found[1]), 7, 1) if found and int(found[1]) < self.near.year else None

    def of_line(self, text: str) -> date | None:
        if not _DIGIT.search(text, 0, LEAD + 4):
            return None
        found = self._first(text)
        return self._past(found.first) if found and not text[: found.start].strip(" [(*_-–|") else None

    def _first(self, text: str) -> Date | None:
        found = find(text[:HEAD_CHARS], self.near, code=self.code, order=self.order)
        return found[0] if found and found[0].exact else None

    def _past(self, day: date | None) -> date | None:
        return day if day is None or day <= self.near else None


def is_day_and_month(words: str) -> bool:
    """Whether what stands behind `24. ` makes a day of it, and no list."""
    first = words.split(None, 1)[0] if words.strip() else ""
    return first.rstrip(".,").lower() in listed("dates", "months") or (first[:-1].isdecimal() and first[-1:] == ".")
