"""DOMAIN. A list item put into a Markdown text that a person keeps, or taken out of it; every other line stays.

What stands in comments and in code is no list, and nothing is put there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adjutant.domain.proposing.diffs import lines_of

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\r?\n?$")
_BULLET = re.compile(r" ?([-*+])[ \t]+(?=\S)")
_ITEM = re.compile(r" ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
DASH = "-"


class _Line(NamedTuple):
    """A line with its end. `hidden`: a comment or code, or begins `inside` of a comment, where nothing may be put.
    `level`: of the heading that it is, 0 for none."""

    text: str
    hidden: bool
    inside: bool
    level: int
    title: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()


def with_item(text: str, words: str, heading: re.Pattern[str] | None = None, title: str = "") -> str | None:
    """`text` with one item more, at the end of its last list; None where it ends inside of code or a comment.

    `heading`: only in the first section whose title holds this; where there is none it is made, called `title`.
    """
    lines = _read(text)
    if lines is None:
        return None
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    start, end = 0, len(lines)
    if heading is not None:
        found = _section(lines, heading)
        if found is None:
            return _appended(text, f"## {title}{newline}{newline}{DASH} {words}{newline}", newline)
        start, end = found
    bullets = [at for at in range(start, end) if not lines[at].hidden and _BULLET.match(lines[at].text)]
    if bullets:
        mark = _BULLET.match(lines[bullets[-1]].text)
        at = _end_of_item(lines, bullets[-1], end)
        return _joined(lines, at, f"{mark[1] if mark else DASH} {words}{newline}", newline)
    if end == len(lines):
        return _appended(text, f"{DASH} {words}{newline}", newline)
    at = max((at + 1 for at in range(start, end) if not lines[at].blank), default=start)
    between = newline if at == start or not lines[at - 1].blank else ""
    return _joined(lines, at, f"{between}{DASH} {words}{newline}", newline)


def without_lines(text: str, first: int, count: int) -> str:
    """`text` without `count` lines from line `first` (from 1) on; of two blank lines that then meet, one."""
    lines = lines_of(text)
    before, after = lines[: first - 1], lines[first - 1 + count :]
    if after and not after[0].strip() and (not before or not before[-1].strip()):
        after = after[1:]
    while before and not after and not before[-1].strip():
        before = before[:-1]
    return "".join([*before, *after])


def heads_others(text: str, first: int, count: int) -> bool:
    """Whether a section that begins in line `first` (from 1) goes on below its first `count` lines with what needs its
    heading: a list, a paragraph, a heading of a lower level."""
    lines = _read(text) or []
    level = lines[first - 1].level if first <= len(lines) else 0
    below = next((line for line in lines[first - 1 + count :] if not line.blank and not line.hidden), None)
    return bool(level) and below is not None and not 0 < below.level <= level


def _read(text: str) -> list[_Line] | None:
    """The lines; None where code or a comment is left open."""
    bare = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", "\0", comment[0]), text)
    if "<!--" in bare:
        return None
    spans = [comment.span() for comment in _COMMENT.finditer(text)]
    found: list[_Line] = []
    fence, at = "", 0
    for written, line in zip(lines_of(text), lines_of(bare), strict=True):
        mark = _FENCE.match(line)
        inside = any(start < at < end for start, end in spans)
        hidden = bool(fence) or mark is not None or ("\0" in line and not line.replace("\0", "").strip())
        if fence:
            fence = "" if mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip() else fence
        elif mark is not None:
            fence = mark[1]
        head = None if hidden or inside else _HEADING.match(line)
        found.append(_Line(written, hidden or inside, inside, len(head[1]) if head else 0, head[2] if head else ""))
        at += len(written)
    return None if fence else found


def _section(lines: Sequence[_Line], heading: re.Pattern[str]) -> tuple[int, int] | None:
    """[start, end) of the lines below the first heading whose title fits, to the next of its level or a higher one."""
    at = next((at for at, line in enumerate(lines) if line.level and heading.search(line.title)), None)
    if at is None:
        return None
    level = lines[at].level
    end = next((n for n in range(at + 1, len(lines)) if 0 < lines[n].level <= level), len(lines))
    return at + 1, end


def _end_of_item(lines: Sequence[_Line], at: int, end: int) -> int:
    """Behind the item that begins at `at`: what is indented below it belongs to it."""
    last = at
    for number in range(at + 1, end):
        line = lines[number]
        if line.inside:
            last = number
            continue
        if line.level or _ITEM.match(line.text):
            break
        if line.blank:
            continue
        if line.text[:1] not in (" ", "\t") and (lines[number - 1].blank or line.hidden):
            break
        last = number
    return last + 1


def _joined(lines: Sequence[_Line], at: int, block: str, newline: str) -> str:
    head = "".join(line.text for line in lines[:at])
    if head and not head.endswith("\n"):
        head += newline
    return head + block + "".join(line.text for line in lines[at:])


def _appended(text: str, block: str, newline: str) -> str:
    """`text`, a blank line, and the block."""
    if not text.strip():
        return text + block
    return f"{text}{'' if text.endswith(newline) else newline}{newline}{block}"
