"""DOCUMENTS. YAML, JSON and CSV as records: each entry of a list is one, names of what is nested joined by dots.

YAML and JSON are read as a stream of events and never built, so that aliases are not expanded and depth needs no stack.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stub leaves out what json itself reads by
from typing import NamedTuple

import yaml

from adjutant.documents.blocks import Field

MAX_DEPTH = 100
YAML_CHARS = 262_144  # the YAML scanner is slow, and slower than linear where a hostile file wants it
NAME_CHARS, PATH_CHARS = 80, 200
_SPACE = re.compile(r"[\s,:]*")
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")
_BRACKETS = re.compile(r"[\[{]+|[\]}]+")


class Record(NamedTuple):
    """An entry, or an item of a list (one field without a name)."""

    line: int
    end: int
    path: tuple[str, ...]
    fields: tuple[Field, ...]
    table: int


class Event(NamedTuple):
    """`kind`: `{` or `[` begins, `}` ends a mapping or list, `=` is a scalar."""

    kind: str
    value: str
    line: int
    end: int


class _Broken(Exception):
    """Neither YAML nor JSON, or deeper than is read."""


def read(text: str, *, json: bool) -> tuple[list[Record], tuple[Field, ...]] | None:
    """(records in order, fields of a root mapping); None where it is no YAML (JSON), too deep or too long."""
    tree = _Tree()
    try:
        for event in _json_events(text) if json else _yaml_events(text):
            tree.take(event)
        return tree.read()
    except (_Broken, yaml.YAMLError, ValueError):
        return None


def _yaml_events(text: str) -> Iterator[Event]:
    if len(text) > YAML_CHARS or _nesting(text) > MAX_DEPTH:
        raise _Broken
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        begin, close = event.start_mark, event.end_mark
        assert begin is not None and close is not None  # the parser sets both
        line, end = begin.line + 1, close.line + (close.column > 0)
        if isinstance(event, yaml.ScalarEvent):
            null = not event.style and event.value.lower() in ("null", "~")
            yield Event("=", "" if null else " ".join(event.value.split()), line, max(line, end))
        elif isinstance(event, yaml.AliasEvent):
            yield Event("=", "", line, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            yield Event("{" if isinstance(event, yaml.MappingStartEvent) else "[", "", line, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            yield Event("}", "", line, line)


def _nesting(text: str) -> int:
    """How deep brackets nest: the YAML scanner takes time quadratic in it."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        size = match.end() - match.start()
        depth = depth + size if text[match.start()] in "[{" else max(0, depth - size)
        deepest = max(deepest, depth)
    return deepest


def _json_events(text: str) -> Iterator[Event]:
    """The events of JSON, or of one JSON text a line; commas and colons are not checked."""
    at, seen, line, size = 0, 0, 1, len(text)
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at >= size:
            return
        line += text.count("\n", seen, at)
        seen, c = at, text[at]
        if c in "{[":
            yield Event(c, "", line, line)
            at += 1
        elif c in "}]":
            yield Event("}", "", line, line)
            at += 1
        elif c == '"':
            value, at = scanstring(text, at + 1, False)
            yield Event("=", " ".join(value.split()), line, line)
        elif word := _WORD.match(text, at):
            at = word.end()
            yield Event("=", "" if word[0] == "null" else word[0], line, line)
        else:
            raise _Broken


class _Draft:
    """A record that more may be said of."""

    def __init__(self, path: tuple[str, ...], table: int) -> None:
        self.path, self.table, self.end = path, table, 0
        self.fields: list[Field] = []

    def put(self, name: str, event: Event) -> None:
        value = event.value if event.value.isascii() else event.value.encode("utf-8", "replace").decode()
        self.fields.append(Field(name, value, event.line))
        self.end = max(self.end, event.end)


class _Frame:
    """A mapping or list under way: the record its values belong to, how their names begin, where they stand."""

    def __init__(self, draft: _Draft, path: tuple[str, ...], prefix: str = "", table: int = -1) -> None:
        self.draft, self.path, self.prefix, self.table = draft, path, prefix, table
        self.key: str | None = None
        self.scalars: list[Event] = []  # of a list


class _Tree:
    """Makes records of events. Lists are numbered from 1; the roots of a file with several are list 0."""

    def __init__(self) -> None:
        self.drafts: list[_Draft] = []
        self.stack: list[_Frame] = []
        self.lists = self.roots = 0

    def take(self, event: Event) -> None:
        if event.kind in "{[":
            self._begin(event.kind == "[")
        elif not self.stack:
            raise _Broken
        elif event.kind == "}":
            self._end()
        elif self.stack[-1].table > 0:
            self.stack[-1].scalars.append(event)
        else:
            self._entry(self.stack[-1], event)

    def read(self) -> tuple[list[Record], tuple[Field, ...]]:
        """The records; those with nothing in them are left out. Raises _Broken."""
        if self.stack or not self.roots:
            raise _Broken
        several = self.roots > 1
        root = 0 if several else -1
        drafts = [each for each in self.drafts if each.fields]
        records = [Record(e.fields[0].line, e.end, e.path, tuple(e.fields), e.table or root) for e in drafts]
        return records, () if several else tuple(self.drafts[0].fields)

    def _entry(self, top: _Frame, event: Event) -> None:
        if top.key is None:
            top.key = event.value[:NAME_CHARS] or "?"
        else:
            top.draft.put(f"{top.prefix}{top.key}", event)
            top.key = None

    def _begin(self, listing: bool) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise _Broken
        self.roots += not self.stack
        top = self.stack[-1] if self.stack else _Frame(self._draft((), 0), ())
        if top.table < 0 and self.stack and top.key is None:
            raise _Broken  # a key that is no word
        path = (*top.path, top.key) if top.key else top.path
        if listing:
            self.lists += 1
            named = top.draft.fields[0].value[:NAME_CHARS] if top.draft.table > 0 and top.draft.fields else ""
            path = (*path[:-1], named, path[-1]) if named and path else path
            self.stack.append(_Frame(top.draft, path, table=self.lists))
        elif top.table > 0:
            self.stack.append(_Frame(self._draft(path, top.table), path))
        elif self.stack and (len(self.stack) == 1 or (not top.draft.fields and top.draft.table <= 0)):
            self.stack.append(_Frame(self._draft(path, -1), path))
        else:
            self.stack.append(_Frame(top.draft, path, f"{top.prefix}{top.key}."[:PATH_CHARS] if top.key else ""))

    def _draft(self, path: tuple[str, ...], table: int) -> _Draft:
        self.drafts.append(_Draft(path, table))
        return self.drafts[-1]

    def _end(self) -> None:
        """A list of scalars on one line is a value of what it stands in; else each is an item of its own."""
        frame = self.stack.pop()
        top = self.stack[-1] if self.stack else None
        if frame.scalars and frame.scalars[0].line == frame.scalars[-1].line and top is not None:
            draft = self._draft(frame.path, top.table) if top.table > 0 else top.draft
            first, last = frame.scalars[0], frame.scalars[-1]
            joined = Event("=", ", ".join(each.value for each in frame.scalars), first.line, last.end)
            draft.put(f"{top.prefix}{top.key or ''}", joined)
        else:
            for each in frame.scalars:
                self._draft(frame.path, frame.table).put("", each)
        if top is not None:
            top.key = None


# -- CSV: the delimiter found by how evenly it cuts, the head by having words alone
DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r"sep=([,;\t|])\s*")  # the first line of what Excel is to open
SIGNS = frozenset("$€£¥₦₹#%")
SAMPLE_LINES, SAMPLE_CHARS = 30, 2000


Row = tuple[int, int, tuple[str, ...]]  # first line and last, from 1; cells


def read_table(lines: Sequence[str]) -> tuple[tuple[str, ...], list[Row]] | None:
    """(names of the columns, rows) of a file; names are () without a head, None where nothing cuts it into columns."""
    said = _SEPARATOR.fullmatch(lines[0]) if lines else None
    delimiter = said[1] if said else _delimiter(lines)
    if not delimiter:
        return None
    rows = _rows(lines, delimiter, csv.QUOTE_MINIMAL)
    if rows is None:
        rows = _rows(lines, delimiter, csv.QUOTE_NONE)
    rows = rows[1:] if rows and said else rows
    if not rows:
        return None
    head = rows[0][2]
    return (head, rows[1:]) if is_head(head) else ((), rows)


def is_head(cells: Sequence[str]) -> bool:
    """Whether a row names columns: words in it, a sign of money or number at most besides, no figure, no name twice."""
    named = [cell for cell in cells if cell]
    rest = [cell for cell in named if cell not in SIGNS]
    worded = all(any(c.isalpha() for c in cell) and not cell[0].isdecimal() and len(cell) <= 60 for cell in rest)
    return bool(rest) and worded and len(set(named)) == len(named)


def _rows(lines: Sequence[str], delimiter: str, quoting: int) -> list[Row] | None:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]  # the stub wants a literal
    found, before = list[Row](), 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(map(str.strip, cells)) and not cells[0].startswith("#"):
                found.append((line, before, tuple(" ".join(cell.split()) for cell in cells)))
    except csv.Error:  # a cell of more than 128 KB: a quotation mark that nothing closes
        return None
    return found


def _delimiter(lines: Sequence[str]) -> str:
    filled = (line[:SAMPLE_CHARS] for line in lines if line.strip() and not line.startswith("#"))
    sample = list(islice(filled, SAMPLE_LINES))
    best, chosen = (0, 0), ""
    for delimiter in DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(sample, delimiter=delimiter))
        width, times = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(1, 0))
        if width > 1 and times * 2 >= len(sample) and (times, width) > best:
            best, chosen = (times, width), delimiter
    return chosen
