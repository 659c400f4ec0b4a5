"""DOMAIN. A file as blocks of lines - item, row, record, paragraph - each under the words it stands under."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjutant.domain.knowledge.passages import KbFile

MAX_BLOCK = 12  # lines; a longer paragraph is cut, so that its words still belong together
HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)]|[{\[])(?:\s+|$)")
ENTRY = re.compile(r"\s*(?:\[?\d[\d:./-]{3,}|[A-ZÆØÅÄÖÜ][\w .'()-]{0,30}:\s|[\w-]+:(?:\s|$)|\"[\w -]+\":)")
RULE = re.compile(r"\s*\|?[\s:|+=-]{3,}\|?\s*$")
BOX = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\[(.)\]\s*")
MARKER = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|>+)\s+")
PAIR = re.compile(r"\s*(?:[-*+{]\s+)?[\"']?([\w][\w .()/-]{0,40}?)[\"']?\s*:\s+(.*)$")
MAX_FRONTMATTER = 60
TABLES = (".csv", ".tsv")
COMMENTED = (".yaml", ".yml", ".toml", ".ini", ".conf")  # a # begins a comment there, no heading


class Block(NamedTuple):
    """Lines [first, end) counted from 0. `over`: what stands directly above (heading, parent item, column names).
    `above`: the wider trail. `label`: what stands directly above, short. `columns`: the cells of the table's head.
    `heading`: the block is a heading itself. `record`: its lines are keys and values of one thing.
    """

    first: int
    end: int
    over: str
    above: str
    label: str = ""
    columns: tuple[str, ...] = ()
    heading: bool = False
    record: bool = False


def blocks(file: KbFile) -> list[Block]:
    """The blocks of a file in order; blank lines, rules and the lines of a fenced code block's fence are in none."""
    lines = file.lines()
    if file.path.lower().endswith(TABLES):
        return _separated(file.path, lines)
    return _Reader(file.path, lines).read()


def cells(line: str) -> list[str]:
    """The cells of a Markdown table row, a comma- or semicolon- or tab-separated line."""
    text = line.strip()
    if text.startswith("|"):
        return [cell.strip() for cell in text.strip("|").split("|")]
    for separator in ("\t", ";", ","):
        if separator in text:
            return [cell.strip().strip('"') for cell in text.split(separator)]
    return [text]


def key_and_value(line: str) -> tuple[str, str]:
    """A `key: value` line in YAML, JSON or plain text; ("", "") for any other."""
    match = PAIR.match(line)
    return (match[1].strip(), match[2].strip().strip('",')) if match else ("", "")


def says(line: str, columns: tuple[str, ...] = ()) -> str:
    """A line as a person would read it out: markers gone, a box named open or done, cells with their column names."""
    if columns:
        pairs = zip(columns, cells(line), strict=False)
        return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
    box = BOX.match(line)
    if box:
        return f"{'open' if box[1] == ' ' else 'done'}: {line[box.end() :].strip()}"
    heading = HEADING.match(line)
    return heading[2] if heading else line[marker.end() if (marker := MARKER.match(line)) else 0 :].strip()


def _separated(path: str, lines: list[str]) -> list[Block]:
    filled = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if not filled:
        return []
    head = lines[filled[0]]
    columns = tuple(cells(head))
    over = " ".join([*columns, re.sub(r"[\W_]+", " ", path)])
    rows = [Block(number, number + 1, over, path, "", columns) for number in filled[1:]]
    return rows or [Block(filled[0], filled[0] + 1, "", path)]


class _Reader:
    """Walks a text once, with the headings and the parents it is under."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path, self.lines = path, lines
        self.headings: list[tuple[int, str]] = []
        self.parents: list[tuple[int, str]] = []  # (indentation, text) of the items the line stands under
        self.columns: tuple[str, ...] = ()
        self.found: list[Block] = []
        self.open = -1

    def read(self) -> list[Block]:
        start = self._frontmatter()
        for number, line in enumerate(self.lines[start:], start):
            heading = None if self.path.lower().endswith(COMMENTED) else HEADING.match(line)
            if heading:
                self._heading(number, len(heading[1]), heading[2])
            elif not line.strip() or RULE.match(line):
                self._blank(number, line)
            elif line.lstrip().startswith("|"):
                self._row(number, line)
            else:
                self._text(number, line)
        self._close(len(self.lines))
        return self.found

    def _frontmatter(self) -> int:
        """Takes the frontmatter as one record; its title stands over the whole file. The line where text begins."""
        if self.lines[0].strip() != "---":
            return 0
        for number, line in enumerate(self.lines[1:MAX_FRONTMATTER], 1):
            if line.strip() == "---":
                if number > 1:
                    self._put(1, number)
                titles = [pair[1] for pair in map(key_and_value, self.lines[1:number]) if pair[0] == "title"]
                self.headings += [(0, title) for title in titles[:1]]
                return number + 1
        return 0

    def _heading(self, number: int, level: int, text: str) -> None:
        self._close(number)
        self.columns, self.parents = (), []
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self._put(number, number + 1, heading=True)
        self.headings.append((level, text))

    def _blank(self, number: int, line: str) -> None:
        self._close(number)
        if not line.strip():
            self.columns = ()

    def _row(self, number: int, line: str) -> None:
        self._close(number)
        following = self.lines[number + 1] if number + 1 < len(self.lines) else ""
        if not self.columns and RULE.match(following) and "-" in following:
            self.columns = tuple(cells(line))
        else:
            self._put(number, number + 1, columns=self.columns)

    def _text(self, number: int, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        item = ITEM.match(line)
        starts = item or self.open < 0 or number - self.open >= MAX_BLOCK or (indent == 0 and ENTRY.match(line))
        if not starts:
            return
        self._close(number)
        while self.parents and (self.parents[-1][0] >= indent or (indent == 0 and not item)):
            self.parents.pop()
        self.open = number

    def _close(self, end: int) -> None:
        if self.open < 0:
            return
        first, last = self.lines[self.open], self.lines[end - 1]
        self._put(self.open, end)
        introduces = last.rstrip().endswith(":") and not ITEM.match(first)  # a list at the same indentation is under it
        if introduces or ITEM.match(first):
            indent = len(first) - len(first.lstrip()) - introduces
            self.parents.append((indent, (last if introduces else first).strip()))
        self.open = -1

    def _put(self, first: int, end: int, *, columns: tuple[str, ...] = (), heading: bool = False) -> None:
        parents = [text for _, text in self.parents if len(text) <= 300]
        trail = [text for _, text in self.headings]
        name = re.sub(r"[\W_]+", " ", self.path.rpartition(".")[0] or self.path)
        over = " ".join([*columns, *(parents or trail[-1:] or [name])])
        above = " ".join([*trail, *parents[:-1], name])
        record = sum(bool(key_and_value(line)[0]) for line in self.lines[first:end]) * 2 > end - first > 1
        label = says(parents[-1]) if parents else trail[-1] if trail else ""
        self.found.append(Block(first, end, over, above, label, columns, heading, record))
