"""DOCUMENTS. The day that a text speaks from, of which its `tomorrow` is counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from adjutant.documents.blocks import Field
from adjutant.documents.said import day_in_name, find, listed

LEAD, HEAD_CHARS = 12, 48  # characters that may stand before the date of a log line; that are looked at
_DIGIT = re.compile(r"\d")


def of_meta(meta: Iterable[Field], near: date, order: str | None) -> date | None:
    """The day that frontmatter or a mail's head gives."""
    for field in meta:
        if field.name.lower().replace(" ", "_") in listed("day"):
            found = find(field.value[:HEAD_CHARS], near, order=order)
            if found:
                return found[0].first
    return None


def of_name(path: str) -> date | None:
    """The day in a file's name."""
    return day_in_name(path)


def of_heading(text: str, near: date, order: str | None) -> date | None:
    """The day of a heading in a diary or of a meeting: the date leads it, or it is short and the date ends it."""
    if len(text) > 80 or not _DIGIT.search(text):
        return None
    for found in find(text, near, order=order):
        ends = found.end >= len(text.rstrip(" :*_)]"))
        if found.exact and not found.relative and (found.start <= LEAD or ends):
            return found.first
    return None


def of_line(text: str, near: date, order: str | None) -> date | None:
    """The day a log line begins with."""
    if not _DIGIT.search(text, 0, LEAD + 4):
        return None
    found = find(text[:HEAD_CHARS], near, order=order)
    if found and found[0].exact and not found[0].relative and not text[: found[0].start].strip(" [(*_-–|"):
        return found[0].first
    return None


def of_columns(columns: Iterable[Field], near: date, order: str | None) -> date | None:
    """The day of an entry of a log: its first value that is named for a day, or has no name."""
    for field in columns:
        named = field.name.rpartition(".")[2].lower().replace(" ", "_")
        if named in listed("day") or not field.name:
            return of_line(field.value, near, order)
    return None
