"""DOMAIN. Unified diffs of one file: made so that git takes them too, applied where their lines stand.

Lines end at `\\n` and nowhere else: a carriage return, a form feed or U+2028 belongs to its line. That a diff leads to
what was suggested, and no further, is told by the sha256 of the files, which whoever applies it compares. The form is
that of GNU diffutils, "Detailed Description of Unified Format", with git's names (a/PATH, b/PATH, /dev/null).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from adjutant.documents.edits import lines_of
from adjutant.records.suggestion import Change

CONTEXT = 3  # lines around what changes
NOTHING = "/dev/null"
_NO_NEWLINE = "\\ No newline at end of file\n"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")

Row = tuple[str, str]  # a mark and the text of a line, with its end


class Mismatch(Exception):
    """The diff is none, or was made from another text; the message says where."""


class _Hunk(NamedTuple):
    """Where it begins in the text before, from 0, and its rows."""

    at: int
    rows: list[Row]


def render(change: Change) -> str:
    """The diff of a change; "" where nothing changes. The newlines are the file's own, the last line ends with one."""
    if change.before == change.after:
        return ""
    before, after = lines_of(change.before or ""), lines_of(change.after or "")
    body = islice(difflib.unified_diff(before, after, n=CONTEXT, lineterm="\n"), 2, None)
    return head(change) + "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in body)


def head(change: Change) -> str:
    """The two lines that name the file."""
    end = "\t" if " " in change.path else ""  # as git does: so that what follows a blank is not taken for a date
    old = NOTHING if change.before is None else f"a/{change.path}{end}"
    new = NOTHING if change.after is None else f"b/{change.path}{end}"
    return f"--- {old}\n+++ {new}\n"


def apply(before: str | None, diff: str, *, back: bool = False, moved: bool = False) -> str | None:
    """The text after a diff, or before it with `back`; None: no file. Raises Mismatch where a line is another.

    `moved`: other accepted suggestions changed the text since, so each hunk goes where its lines stand now. These must
    stand there exactly once, and in the diff's order; what was added at the end of the text is added at its end.
    """
    names, hunks = _read(diff, back)
    lines = lines_of(before or "")
    after = _put(lines, [_place(lines, hunk.rows) for hunk in hunks] if moved else hunks)
    return None if names[not back] == NOTHING and not after else after


def _read(diff: str, back: bool) -> tuple[tuple[str, str], list[_Hunk]]:
    """((the old name, the new one), the hunks); with `back` the hunks of the diff that undoes it. Raises Mismatch."""
    lines = lines_of(diff)
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ "):
        raise Mismatch("it is no unified diff: it lacks `--- a/PATH` and `+++ b/PATH`")
    turned = {"+": "-", "-": "+"} if back else {}
    hunks: list[_Hunk] = []
    for number, line in enumerate(lines[2:], start=3):
        rows, mark = hunks[-1].rows if hunks else [], line[:1]
        if found := _HUNK.fullmatch(line):
            first, count = found.group(3, 4) if back else found.group(1, 2)
            hunks.append(_Hunk(int(first) - (count != "0"), []))  # of no lines, the one before them is named
        elif hunks and mark in (" ", "-", "+"):
            rows.append((turned.get(mark, mark), line[1:]))
        elif rows and line == _NO_NEWLINE:
            rows[-1] = rows[-1][0], rows[-1][1].removesuffix("\n")
        else:
            raise Mismatch(f"line {number} of the diff belongs to no hunk")
    return (lines[0][4:-1], lines[1][4:-1]), hunks


def _put(lines: Sequence[str], hunks: Sequence[_Hunk]) -> str:
    """The text after all hunks. Raises Mismatch."""
    after, done = list[str](), 0
    for hunk in hunks:
        old = [line for mark, line in hunk.rows if mark != "+"]
        if hunk.at < done or list(lines[hunk.at : hunk.at + len(old)]) != old:
            raise Mismatch(f"line {hunk.at + 1} is not what the diff was made from")
        after += [*lines[done : hunk.at], *(line for mark, line in hunk.rows if mark != "-")]
        done = hunk.at + len(old)
    return "".join([*after, *lines[done:]])


def _place(lines: Sequence[str], rows: list[Row]) -> _Hunk:
    """A hunk at the one place where it belongs, with as much of its context as stands there. Raises Mismatch."""
    changed = [at for at, (mark, _) in enumerate(rows) if mark != " "]
    for context in range(CONTEXT, 0, -1) if changed else ():
        kept = rows[max(0, changed[0] - context) : changed[-1] + 1 + context]
        old = [line for mark, line in kept if mark != "+"]
        found = [at for at in range(len(lines) - len(old) + 1) if list(lines[at : at + len(old)]) == old]
        if len(found) == 1 and old:
            return _Hunk(found[0], kept)
        if found:
            break  # in less context it would stand in more places still
    if re.fullmatch(r" +\++", "".join(mark for mark, _ in rows)) and lines and lines[-1].endswith("\n"):
        return _Hunk(len(lines), [row for row in rows if row[0] == "+"])
    raise Mismatch("its lines stand nowhere, or in several places")
