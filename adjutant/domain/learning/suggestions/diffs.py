"""DOMAIN. Unified diffs of one file: made so that git takes them too, applied to exactly what they were made from.

Lines end at `\\n` and nowhere else: a carriage return, a form feed or U+2028 belongs to its line. Nothing is guessed:
every line of a hunk has to stand where the hunk says, or, where accepted suggestions have moved it, in one place alone.
The form is that of GNU diffutils, "Detailed Description of Unified Format", with git's names (a/PATH, b/PATH,
/dev/null, quoted as git quotes them).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from adjutant.documents.page_edits import lines_of
from adjutant.records.suggestion import Change

CONTEXT = 3  # lines around what changes
NOTHING = "/dev/null"
_NO_NEWLINE = "\\ No newline at end of file\n"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")
_QUOTED = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class Mismatch(Exception):
    """The diff is none, or was made from another text; the message says where."""


class _Hunk(NamedTuple):
    """Where it begins and how long it is, before and after (lines from 1); `lines` are (mark, text with its end)."""

    old: tuple[int, int]
    new: tuple[int, int]
    lines: tuple[tuple[str, str], ...]


class _Diff(NamedTuple):
    old: str
    new: str
    hunks: tuple[_Hunk, ...]


def unified(change: Change) -> str:
    """The diff of a change; "" where nothing changes. The newlines are the file's own, the last line ends with one."""
    if change.before == change.after:
        return ""
    before, after = lines_of(change.before or ""), lines_of(change.after or "")
    head = f"--- {_named('a/', change.path, change.before)}\n+++ {_named('b/', change.path, change.after)}\n"
    body = islice(difflib.unified_diff(before, after, n=CONTEXT, lineterm="\n"), 2, None)
    return head + "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in body)


def apply(before: str | None, diff: str) -> str | None:
    """The text after a diff; None: no file. Raises Mismatch unless `before` is what it was made from, line by line."""
    if not diff:
        return before
    parsed = _parsed(diff)
    if (parsed.old == NOTHING) != (before is None):
        raise Mismatch("there is no file" if before is None else "there is a file already")
    after = "".join(_applied(lines_of(before or ""), parsed.hunks))
    if parsed.new == NOTHING:
        if after:
            raise Mismatch("the file holds more than the diff takes away")
        return None
    return after


def reverse(diff: str) -> str:
    """The diff that undoes a diff. Raises Mismatch for what is none."""
    if not diff:
        return ""
    parsed = _parsed(diff)
    out = [f"--- {_sided('a/', parsed.new)}\n", f"+++ {_sided('b/', parsed.old)}\n"]
    for hunk in parsed.hunks:
        out.append(f"@@ -{_range(hunk.new)} +{_range(hunk.old)} @@\n")
        out += [_written(mark, text) for mark, text in _turned(hunk.lines)]
    return "".join(out)


# -- writing -------------------------------------------------------------------------------------------------


def _named(side: str, path: str, text: str | None) -> str:
    if text is None:
        return NOTHING
    name = f"{side}{path}"
    if any(char in _QUOTED or ord(char) < 32 or char == "\x7f" for char in name):
        return '"' + "".join(_QUOTED.get(char) or _octal(char) for char in name) + '"'
    return f"{name}\t" if " " in name else name  # as git does: so that what follows a blank is not taken for a date


def _octal(char: str) -> str:
    return f"\\{ord(char):03o}" if ord(char) < 32 or char == "\x7f" else char


def _sided(side: str, name: str) -> str:
    """A name of the other side."""
    if name == NOTHING:
        return name
    return f'"{side}{name[3:]}' if name.startswith('"') else f"{side}{name[2:]}"


def _range(span: tuple[int, int]) -> str:
    return str(span[0]) if span[1] == 1 else f"{span[0]},{span[1]}"


def _written(mark: str, text: str) -> str:
    return f"{mark}{text}" if text.endswith("\n") else f"{mark}{text}\n{_NO_NEWLINE}"


def _turned(lines: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The lines with - and + exchanged, what goes before what comes."""
    comes: list[tuple[str, str]] = []
    for mark, text in lines:
        if mark == "-":
            comes.append(("+", text))
        elif mark == "+":
            yield "-", text
        else:
            yield from comes
            comes = []
            yield mark, text
    yield from comes


# -- reading -------------------------------------------------------------------------------------------------


def _parsed(diff: str) -> _Diff:
    lines = lines_of(diff)
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ ") or diff[-1] != "\n":
        raise Mismatch("it is no unified diff: it lacks `--- a/PATH` and `+++ b/PATH`, or its last newline")
    old, new = lines[0][4:-1], lines[1][4:-1]
    hunks: list[_Hunk] = []
    at = 2
    while at < len(lines):
        hunk, at = _hunk(lines, at)
        hunks.append(hunk)
    if old == new == NOTHING or not (hunks or NOTHING in (old, new)):
        raise Mismatch("it is no unified diff: it changes nothing")
    return _Diff(old, new, tuple(hunks))


def _hunk(lines: Sequence[str], at: int) -> tuple[_Hunk, int]:
    """The hunk that begins at a line, and where the next one does."""
    head = _HUNK.fullmatch(lines[at])
    if head is None:
        raise Mismatch(f"line {at + 1} of the diff begins no hunk")
    old = int(head[1]), int(head[2] or 1)
    new = int(head[3]), int(head[4] or 1)
    left, comes = old[1], new[1]
    found: list[tuple[str, str]] = []
    at += 1
    while at < len(lines) and (left or comes or lines[at] == _NO_NEWLINE):
        mark, text = lines[at][:1], lines[at][1:]
        if lines[at] == _NO_NEWLINE and found and found[-1][1].endswith("\n"):
            found[-1] = found[-1][0], found[-1][1][:-1]
        elif mark in (" ", "-", "+") and (mark == "+" or left) and (mark == "-" or comes):
            found.append((mark, text))
            left, comes = left - (mark != "+"), comes - (mark != "-")
        else:
            raise Mismatch(f"line {at + 1} of the diff belongs to no hunk")
        at += 1
    if left or comes or all(mark == " " for mark, _ in found):
        raise Mismatch(f"the hunk {head.group().strip()} is not whole")
    return _Hunk(old, new, tuple(found)), at


def _reaches(hunk: _Hunk, start: int, length: int) -> bool:
    """Whether it shows so many lines around it as ours do: fewer mean that the text begins or ends there."""
    marks = "".join(mark for mark, _ in hunk.lines)
    above, below = len(marks) - len(marks.lstrip(" ")), len(marks) - len(marks.rstrip(" "))
    return (above >= CONTEXT or start == 0) and (below >= CONTEXT or start + hunk.old[1] == length)


def _applied(before: Sequence[str], hunks: Sequence[_Hunk]) -> list[str]:
    """The lines after all hunks, each at its place in both texts."""
    after: list[str] = []
    done = 0
    for hunk in hunks:
        start = hunk.old[0] - (hunk.old[1] > 0)  # of no lines, the one before them is named
        if not done <= start <= len(before):
            raise Mismatch(f"line {hunk.old[0]} is not there, or in the wrong order")
        after += before[done:start]
        done = start
        if not _reaches(hunk, start, len(before)):
            raise Mismatch(f"the hunk at line {hunk.old[0]} shows less around it than the text has there")
        if len(after) != hunk.new[0] - (hunk.new[1] > 0):
            raise Mismatch(f"line {hunk.new[0]} of the new text would be another")
        for mark, text in hunk.lines:
            if mark != "+":
                if done >= len(before) or before[done] != text:
                    raise Mismatch(f"line {done + 1} is not what the diff was made from")
                done += 1
            if mark != "-":
                after.append(text)
    after += before[done:]
    if any(not line.endswith("\n") for line in after[:-1]):
        raise Mismatch("the last line without a newline would not be the last")
    return after


# -- lines that stand elsewhere by now -----------------------------------------------------------------------


def move(text: str, diff: str) -> str | None:
    """What a diff makes of a text that other accepted suggestions changed since, wherever its lines stand now; None
    where that is not for certain: the old lines of each hunk must stand there exactly once, and in the diff's order.
    What was added at the end of the text is added at its end."""
    try:
        hunks = _parsed(diff).hunks
    except Mismatch:
        return None
    lines, after, done = lines_of(text), list[str](), 0
    for hunk in hunks:
        at, rows = _place(lines, hunk.lines)
        if at < 0 and re.fullmatch(r" +\++", "".join(mark for mark, _ in hunk.lines)) and text.endswith("\n"):
            at, rows = len(lines), [row for row in hunk.lines if row[0] == "+"]
        if at < done:
            return None
        after += lines[done:at]
        after += [line for mark, line in rows if mark != "-"]
        done = at + sum(mark != "+" for mark, _ in rows)
    return "".join([*after, *lines[done:]]) if hunks else None


def _place(lines: Sequence[str], hunk: Sequence[tuple[str, str]]) -> tuple[int, Sequence[tuple[str, str]]]:
    """(index, rows) of the one place where a hunk belongs, with as much of its context as stands there; else -1."""
    changed = [at for at, (mark, _) in enumerate(hunk) if mark != " "]
    for context in range(CONTEXT, 0, -1):
        rows = hunk[max(0, changed[0] - context) : changed[-1] + 1 + context]
        old = [line for mark, line in rows if mark != "+"]
        found = [at for at in range(len(lines) - len(old) + 1) if list(lines[at : at + len(old)]) == old]
        if len(found) == 1 and old:
            return found[0], rows
        if found:
            break  # in less context it would stand in more places still
    return -1, hunk
