"""DOCUMENTS. The state that a page gives itself below its title, without frontmatter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjutant.documents.blocks import Field

LINES = 30  # of a page, in which it says its state
NAMES = ("status", "state")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[\s#:*_]*$")
_SAID = re.compile(
    r"[\s>*_+-]{0,8}(status|state)[*_]{0,2}:[\s*_`]{0,4}([^\s|·][^|·]{0,79}?)\s*(?:[|·].*|\*\*\w.*)?$",
    re.IGNORECASE,
)


def find(lines: Sequence[str], begin: int) -> Field | None:
    """The field of a line "**Status:** blocked" above a page's second heading, or of the line below a heading "Status".

    `begin`: the first line of the body, from 0. None where several lines name a state: those are of its parts.
    """
    found = list(_states(lines[begin : begin + LINES], begin + 1))
    more = (line for line in lines[begin + LINES :] if _SAID.match(line))
    return found[0] if len(found) == 1 and next(more, None) is None else None


def _states(lines: Sequence[str], first: int) -> Iterator[Field]:
    headings, asked = 0, ""
    for number, line in enumerate(lines, first):
        heading, said = _HEADING.match(line), _SAID.match(line)
        if heading:
            headings += 1
            asked = heading[1] * (headings > 1 and heading[1].lower() in NAMES)  # a page "Status" tells of many things
        elif (asked and line.strip()) or (said and headings < 2):
            name, value = (said[1], said[2]) if said else (asked, line)
            yield Field(name, value.strip(" \t*_`."), number)
            asked = ""


def without(lines: Sequence[str], field: Field | None) -> Sequence[str]:
    """The lines, the one that says the state with nothing but what stands behind it."""
    if field is None:
        return lines
    said = _SAID.match(lines[field.line - 1])
    rest = said[0][said.end(2) :].lstrip("*_` \t|·") if said else ""
    return [*lines[: field.line - 1], rest, *lines[field.line :]]
