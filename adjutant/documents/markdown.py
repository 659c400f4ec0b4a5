"""DOCUMENTS. The one reader of markdown: lines become headings, items, rows, paragraphs, code in one pass.

As CommonMark and GitHub's tables and task lists, but for what people type in notes: an item indented by one blank is
nested, `24. November` begins no list, the line under a quotation or a table does not belong to it, and `---` below
several lines is a rule. Each line is looked at once, or twice where the next one decides.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from adjutant.documents.days import is_day_and_month

ITEM = re.compile(r"([-*+•‣◦–]|\d{1,3}[.)])(?:[ \t]+|$)")
CALLOUT = re.compile(r"\[!([\w-]{1,40})\][+-]?[ \t]*")
_QUOTED = re.compile(r"(?:[ \t]*>)+ ?")
_BOXES = {**dict.fromkeys(" />!?*<", "open"), **dict.fromkeys("xX✓✔", "done"), **dict.fromkeys("-~", "dropped")}
_SIGNS = {"☐": "open", "□": "open", "☑": "done", "✅": "done", "☒": "dropped", "❎": "dropped"}
_MARKERS = frozenset("-*+•‣◦–0123456789")
_FENCES = ("```", "~~~")
_CELL = re.compile(r"(?<!\\)\|")
_PLAIN = (  # each class leaves out what opens it: no character is looked at more than a few times
    (re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])"), r"\1"),
    (re.compile(r"<((?:https?://|mailto:)[^<>\s]*)>"), r"\1"),
    (re.compile(r"`+|~~|==(?=\S)|(?<=\S)=="), ""),
    (re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]*[^\s_])\1(?!\w)"), r"\2"),
)


class Element(NamedTuple):
    """A part of a page; `line` to `end` 1-based. `text`: without marker, box and comment, its lines kept apart."""

    kind: str  # heading item text table (its head) row quote callout code rule comment
    line: int
    end: int
    text: str
    level: int = 0  # of a heading from 1, of an item from 0
    box: str = ""  # of an item; "open" for code that nothing closes
    parent: int = -1  # index of the item above
    table: int = -1
    names: tuple[str, ...] = ()  # of the columns of a row
    cells: tuple[str, ...] = ()
    quoted: bool = False


class Page(NamedTuple):
    """A page: its elements in order, its lines without comments, which of them (0-based) begin inside one."""

    elements: list[Element]
    lines: list[str]
    inside: set[int]


def page(lines: Sequence[str], start: int = 0, *, code: bool = True) -> Page:
    """A page from line `start` (0-based) on. `code`: whether indented lines are code."""
    reader = _Reader(lines, start, code)
    return Page(reader.read(), reader.bare, reader.inside)


def elements(lines: Sequence[str], start: int = 0, *, code: bool = True) -> list[Element]:
    """The elements of a page from line `start` (0-based) on. `code`: whether indented lines are code."""
    return page(lines, start, code=code).elements


def plain(text: str) -> str:
    """A text as a page shows it: wiki brackets, links, emphasis and ticks taken off."""
    if not any(mark in text for mark in "[*_`~=<"):
        return text
    for pattern, by in _PLAIN:
        text = pattern.sub(by, text)
    return text


def cells(line: str) -> tuple[str, ...]:
    """The cells of a table's row, with or without pipes at its ends; `\\|` is no border."""
    text = line.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    if "\\" in text:
        return tuple(cell.strip().replace("\\|", "|") for cell in _CELL.split(text))
    return tuple(map(str.strip, text.split("|")))


def boxed(text: str) -> tuple[str, str]:
    """(box, text without it): `[ ]`, `[x]`, `[-]`, ☐ or a line that begins struck through; ("", text) without."""
    box = ""
    if text[:1] == "[":
        if text[2:3] == "]" and text[3:4] in ("", " ", "\t"):
            box = _BOXES.get(text[1], "")
            text = text[4:].strip() if box else text
        elif text.startswith("[] "):
            box, text = "open", text[3:].strip()
    elif text[:1] in _SIGNS:
        box, text = _SIGNS[text[0]], text[1:].lstrip("\ufe0f \t")
    end = text.find("~~", 2) if text.startswith("~~") else -1
    if box in ("", "open") and end > 2 and 2 * end >= len(text) - 2:  # and a short remark behind it
        struck = boxed(text[2:end].strip())[1]
        return "done", f"{struck} {text[end + 2 :].strip()}".strip()
    return box, text


def unwrap(text: str) -> str:
    """`text` without emphasis around the whole of it."""
    if text[:1] not in ("*", "_"):
        return text
    for mark in ("***", "**", "__", "*", "_"):
        size = len(mark)
        if text.startswith(mark) and len(text) > 2 * size and text.find(mark, size) == len(text) - size:
            return text[size:-size].strip()
    return text


class _Open(NamedTuple):
    """An item that may go on: where its marker stands, where its words begin, its index."""

    indent: int
    words: int
    number: int


class _Reader:
    """Goes through the lines once; `stack` are the items under way, `para` the lines of the open paragraph."""

    def __init__(self, lines: Sequence[str], start: int, code: bool, first: int = 1, quoted: bool = False) -> None:
        self.lines, self.at, self.code = lines, start, code
        self.bare = list(lines)  # what is read: without comments
        self.first, self.quoted = first, quoted
        self.found: list[Element] = []
        self.stack: list[_Open] = []
        self.para: list[str] = []
        self.begun = 0  # line of the paragraph, of the item under way
        self.said: list[str] = []  # further lines of the last item
        self.blank = True
        self.tables = 0
        self.open, self.inside = False, set[int]()  # whether a comment is; lines that begin in one
        self.last = next((at for at in range(len(lines) - 1, -1, -1) if "-->" in lines[at]), -1)

    def read(self) -> list[Element]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if self.last >= 0 and (self.open or "<!--" in line):
                line = self.bare[self.at] = self._without_comments(line)
                if not line.strip():
                    self._close()
                    self._put("comment", self.at, self.at, "")
                    self._blank()
                    continue
            self._line(line)
        self._close()
        return self.found

    def _without_comments(self, line: str) -> str:
        """The line without what stands in comments; one that nothing closes, or between ticks, is text."""
        kept, begin, ticks = [], 0, 0
        if self.open:
            self.inside.add(self.at)
            close = line.find("-->")
            if close < 0:
                return ""
            self.open, begin = False, close + 3
        while (opening := line.find("<!--", begin)) >= 0:
            ticks += line.count("`", begin, opening)
            close = line.find("-->", opening + 4)
            if ticks % 2 or (close < 0 and self.at >= self.last):
                kept.append(line[begin : opening + 4])
                begin = opening + 4
                continue
            kept.append(f"{line[begin:opening]} ")
            if close < 0:
                self.open = True
                return "".join(kept)
            begin = close + 3
        return "".join([*kept, line[begin:]])

    def _line(self, line: str) -> None:
        text = line.strip()
        if not text:
            self._blank()
            return
        indent = _indent(line)
        first = text[0]
        if first in "`~" and text.startswith(_FENCES) and self._fence(text, indent):
            return
        if indent >= 4 and self.code and not self.para and self._read_indented(indent, text):
            return
        if first == "#" and indent < 4 and self._heading(text):
            return
        if first == ">" and self._quote():
            return
        if first in "=-" and self._underline(text):
            return
        if first in "-*_" and not text.strip(f"{first} \t") and text.count(first) > 2:
            self._close()
            self.stack.clear()
            self._put("rule", self.at, self.at, "")
            self.at += 1
            return
        if "|" in text and self._table(text):
            return
        if first in _MARKERS and self._item(text, indent):
            return
        self._text(text, indent)

    def _blank(self) -> None:
        self._close()
        self.blank = True
        self.at += 1

    def _put(self, kind: str, first: int, last: int, text: str, level: int = 0, **more: Any) -> None:
        self.found.append(Element(kind, self.first + first, self.first + last, text, level, quoted=self.quoted, **more))
        self.blank = False

    def _close(self) -> None:
        if self.para:
            kind, last, text = "quote" if self.quoted else "text", self.begun + len(self.para) - 1, "\n".join(self.para)
            self._put(kind, self.begun, last, text, parent=self._parent())
            self.para = []
        if self.said:
            item = self.found[self.stack[-1].number]
            text = "\n".join([item.text, *self.said]).strip()
            self.found[self.stack[-1].number] = item._replace(text=text, end=item.line + len(self.said))
            self.said = []

    def _fence(self, text: str, indent: int) -> bool:
        if indent > 3 and not self.stack:
            return False
        size = len(text) - len(text.lstrip(text[0]))
        if text[0] == "`" and "`" in text[size:]:
            return False
        self._close()
        mark, begin, lines = text[:size], self.at, self.lines
        self._leave(indent)
        end = begin + 1
        while end < len(lines) and not (
            mark in lines[end] and not (rest := lines[end].strip()).strip(mark[0]) and len(rest) >= size
        ):
            end += 1
        last = min(end, len(lines) - 1)
        opened = "open" if end == len(lines) else ""
        self._put("code", begin, last, "\n".join(lines[begin + 1 : end]), box=opened, parent=self._parent())
        self.at = last + 1
        return True

    def _read_indented(self, indent: int, text: str) -> bool:
        if self.stack and not self.blank:
            return False
        self._leave(indent)
        base = self.stack[-1].words if self.stack else 0
        after_code = bool(self.found) and self.found[-1].kind == "code"
        if indent - base < 4 or (text[0] in _MARKERS and ITEM.match(text) and not after_code):
            return False
        end = last = self.at
        while end < len(self.lines) and (not (line := self.lines[end]).strip() or _indent(line) >= base + 4):
            last, end = end if line.strip() else last, end + 1
        lines = self.lines[self.at : last + 1]
        body = "\n".join(" " * (_indent(line) - base - 4) + line.lstrip() for line in lines)
        self._put("code", self.at, last, body, parent=self._parent())
        self.at, self.blank = last + 1, True
        return True

    def _heading(self, text: str) -> bool:
        level = len(text[:7]) - len(text[:7].lstrip("#"))
        if level > 6 or text[level : level + 1] not in ("", " ", "\t"):
            return False
        title = text[level:].strip()
        bare = title.rstrip("#")
        if not bare or bare[-1] in " \t":
            title = bare.rstrip()
        self._head(level, title, self.at, self.at)
        return True

    def _head(self, level: int, title: str, first: int, last: int) -> None:
        self._close()
        self.stack.clear()
        self._put("heading", first, last, title, level)
        self.at = last + 1

    def _underline(self, text: str) -> bool:
        if len(self.para) != 1 or len(text) < 2 or text.strip(text[0]) or "|" in self.para[0] or self.stack:
            return False
        title, self.para = self.para[0], []
        self._head(1 if text[0] == "=" else 2, title, self.at - 1, self.at)
        return True

    def _quote(self) -> bool:
        self._close()
        inner, begin = [], self.at
        while self.at < len(self.lines) and (mark := _QUOTED.match(self.lines[self.at].lstrip())):
            inner.append(self.lines[self.at].lstrip()[mark.end() :])
            self.at += 1
        if not inner:  # its mark stands behind a comment
            inner, self.at = [self.bare[begin].lstrip()[1:]], begin + 1
        self._leave(_indent(self.lines[begin]))
        parent, callout, skip = self._parent(), CALLOUT.match(inner[0]), 0
        if callout:
            skip, title = 1, inner[0][callout.end() :].strip()
            self._put("callout", begin, begin, title or callout[1], parent=parent)
        below = _Reader(inner, skip, self.code, self.first + begin, True).read()
        tasks = callout is not None and any(each.box for each in below)
        shift, tables = len(self.found), self.tables
        for each in below:
            kind = "callout" if callout and each.kind == "quote" else each.kind
            above = each.parent + shift if each.parent >= 0 else parent
            table = each.table + tables if each.table >= 0 else -1
            self.found.append(each._replace(kind=kind, parent=above, table=table, quoted=not tasks))
            self.tables = max(self.tables, each.table + tables + 1)
        if callout and not tasks:
            self.found[shift - 1] = self.found[shift - 1]._replace(quoted=True)
        self.blank = False
        return True

    def _table(self, text: str) -> bool:
        begin = self.at
        below = self.lines[begin + 1] if begin + 1 < len(self.lines) else ""
        if "-" not in below or "|" not in below or below.strip(" \t|:-") or not all("-" in c for c in cells(below)):
            return False
        self._close()
        self._leave(_indent(self.lines[begin]))
        names, parent, end = cells(text), self._parent(), begin + 2
        self._put("table", begin, begin + 1, "", parent=parent)
        while end < len(self.lines) and "|" in (line := self.lines[end]):
            row = cells(line)
            said = " · ".join(filter(None, row))
            self._put("row", end, end, said, parent=parent, table=self.tables, names=names, cells=row)
            end += 1
        self.at, self.tables, self.blank = end, self.tables + 1, False
        return True

    def _item(self, text: str, indent: int) -> bool:
        mark = ITEM.match(text)
        if mark is None:
            return False
        words = text[mark.end() :]
        ordered = text[0].isdecimal()
        if self.para and (not words or (ordered and mark[1][:-1] != "1")):
            return False
        if ordered and is_day_and_month(words):
            return False
        self._close()
        self._leave(indent)
        parent, level = self._parent(), len(self.stack)
        box, words = boxed(words)
        self.stack.append(_Open(indent, indent + mark.end(), len(self.found)))
        self._put("item", self.at, self.at, words, level, box=box, parent=parent)
        self.at += 1
        return True

    def _text(self, text: str, indent: int) -> None:
        here, self.at = self.at, self.at + 1
        if self.para:
            self.para.append(text)
            return
        goes_on = self.stack and not self.blank
        if goes_on and self.found[-1].kind == "item" and (indent > self.stack[-1].indent or text[0].islower()):
            self.said.append(text)
            return
        self._close()
        self._leave(indent)
        self.para, self.begun, self.blank = [text], here, False

    def _leave(self, indent: int) -> None:
        """Ends the items that something at this indent does not belong to."""
        while self.stack and self.stack[-1].indent >= indent:
            self.stack.pop()

    def _parent(self) -> int:
        return self.stack[-1].number if self.stack else -1


def _indent(line: str) -> int:
    bare = line.lstrip(" ")
    if not bare.startswith("\t"):
        return len(line) - len(bare)
    lead = line[: len(line) - len(line.lstrip())]
    return len(lead.expandtabs(4))
