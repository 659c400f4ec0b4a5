"""DOCUMENTS. A list item put into a page that a person keeps, or lines taken out of it; every other line stays.

What stands in comments and in code is no list, and nothing is put there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjutant.documents import markdown
from adjutant.documents.edits import newline_of
from adjutant.documents.markdown import Element

DASH = "-"
_BULLET = re.compile(r" ?([-*+])[ \t]+\S")


def with_item(text: str, words: str, heading: re.Pattern[str] | None = None, title: str = "") -> str | None:
    """`text` with one item more, at the end of its last list; None where it ends inside of code or a comment.

    `heading`: only in the first section whose title holds this; where there is none it is made, called `title`.
    """
    lines = lines_of(text)
    found, _, inside = markdown.page([line.rstrip("\r\n") for line in lines])
    if any(each.box if each.kind == "code" else "<!--" in each.text for each in found):
        return None
    newline = newline_of(text)
    start, end = 0, len(lines)
    if heading is not None:
        section = _section(found, heading, len(lines))
        if section is None:
            return _append(text, f"## {title}{newline}{newline}{DASH} {words}{newline}", newline)
        start, end = section
    bullets = [
        (at, mark[1])
        for at, each in enumerate(found)
        if each.kind == "item" and not each.quoted and each.parent < 0 and start < each.line <= end
        if (mark := _BULLET.match(lines[each.line - 1]))
    ]
    if bullets:
        number, dash = bullets[-1]
        at = _end_of_item(found, number)
        while at in inside:
            at += 1
        return _join(lines, at, f"{dash} {words}{newline}", newline)
    if end == len(lines):
        return _append(text, f"{DASH} {words}{newline}", newline)
    at = max((at + 1 for at in range(start, end) if lines[at].strip()), default=start)
    between = newline if at == start or lines[at - 1].strip() else ""
    return _join(lines, at, f"{between}{DASH} {words}{newline}", newline)


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
    found = [each for each in markdown.elements(text.split("\n")) if each.kind != "comment"]
    level = next((each.level for each in found if each.line == first and each.kind == "heading"), 0)
    below = next((each for each in found if each.line >= first + count), None)
    return bool(level) and below is not None and not (below.kind == "heading" and below.level <= level)


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; only `\\n` is one."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _section(found: Sequence[Element], heading: re.Pattern[str], count: int) -> tuple[int, int] | None:
    """[start, end) of the lines below the first heading whose title fits, to the next of its level or a higher one."""
    heads = [each for each in found if each.kind == "heading" and not each.quoted]
    head = next((each for each in heads if heading.search(each.text)), None)
    if head is None:
        return None
    end = next((each.line - 1 for each in heads if each.line > head.line and each.level <= head.level), count)
    return head.end, end


def _end_of_item(found: Sequence[Element], at: int) -> int:
    """The last line of an item: what stands under it and what goes on right below it belongs to it."""
    end = found[at].end
    for each in found[at + 1 :]:
        if each.parent < at and not (each.kind == "text" and each.line == end + 1):
            break
        end = max(end, each.end)
    return end


def _join(lines: Sequence[str], at: int, block: str, newline: str) -> str:
    head = "".join(lines[:at])
    if head and not head.endswith("\n"):
        head += newline
    return head + block + "".join(lines[at:])


def _append(text: str, block: str, newline: str) -> str:
    """`text`, a blank line, and the block."""
    if not text.strip():
        return text + block
    return f"{text}{'' if text.endswith(newline) else newline}{newline}{block}"
