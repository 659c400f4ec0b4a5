"""Parses a file into units (item, row, record, paragraph, log line, ...) with the place each stands in."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

import msgspec
import yaml

from adjutant.domain.knowledge import dates, lexicon
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.passages import KbFile

HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
ITEM = re.compile(r"^(\s*)(?:[-*+•–]|\d{1,3}[.)])\s+(.*\S)")
BOX = re.compile(r"^\[([ xX\-/>~!?]?)\]\s+(.*)")
TODO = re.compile(r"^(?:TODO|FIXME|TO DO|ACTION|AI|XXX)\b[:\s-]\s*(.*)")
TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
FIELD = re.compile(r"^\s*(?:[-*]\s+)?\**([^\W\d][\w .()/\-]{0,38}?)\**\s*:\**\s+(\S.*)$")
MAIL_KEYS = frozenset(
    [
        "from",
        "to",
        "cc",
        "bcc",
        "date",
        "re",
        "subject",
        "sent",
        "fra",
        "til",
        "dato",
        "emne",
        "kopi",
        "sendt",
        "von",
        "an",
        "betreff",
        "datum",
        "gesendet",
        "kopie",
    ]
)
CHAT = re.compile(r"^(?:\[?\d{1,2}[:.]\d{2}\]?\s*)?<?([A-ZÆØÅÄÖÜ][\w.'-]{0,20}(?: [A-ZÆØÅ][\w.]{0,15})?)>?:\s+(\S.*)$")
LOG_START = re.compile(r"^\[?(?:\d{4}-)?\d{1,2}[-./]\d{1,2}(?:[./]\d{2,4})?\.?\s")
COUNTED_START = re.compile(r"^\s*[^\W\d]+ \d{1,6}\s{2,}")
MONTH_DAY = re.compile(r"^(\d{2})-(\d{2})(?=\s)")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE_FENCE = re.compile(r"^\s{0,3}(```|~~~)")
STRUCTURED_CAP = 262_144
MAX_DEPTH = 100
MAX_STATEMENT = 1500  # characters of one statement that are read; what people write in one breath is shorter
MARKDOWN = frozenset({"md", "markdown", "mdown", "txt", "text", "org", "rst", "log", "adoc", "eml", ""})
SOURCE = frozenset(
    [
        "py",
        "js",
        "ts",
        "tsx",
        "jsx",
        "c",
        "h",
        "cpp",
        "hpp",
        "cc",
        "rs",
        "go",
        "java",
        "kt",
        "rb",
        "php",
        "sh",
        "bash",
        "zsh",
        "css",
        "scss",
        "html",
        "htm",
        "xml",
        "svg",
        "sql",
        "ps1",
        "lua",
        "pl",
        "r",
        "jl",
        "tex",
        "bib",
        "lock",
        "toml",
        "ini",
        "cfg",
        "conf",
        "ipynb",
        "swift",
        "scala",
        "hs",
        "ml",
        "ex",
        "exs",
        "el",
        "clj",
        "dart",
        "vue",
        "map",
        "min",
        "diff",
        "patch",
    ]
)


class Field(msgspec.Struct):
    """A key with its value: frontmatter, a record's entry, a table's cell."""

    key: str
    value: str
    line: int


class Unit(msgspec.Struct):
    """The smallest thing that can hold an issue; `line` is 1-based, `text` has no markers."""

    line: int
    text: str
    kind: str  # task, item, row, record, para, log, mail, chat, quote, code
    end: int = 0
    box: str = ""  # "open", "done" or ""
    section: int = 0  # which stretch under one heading
    headings: tuple[str, ...] = ()
    parent: int = -1
    fields: list[Field] = msgspec.field(default_factory=list)
    day: date | None = None  # the day this unit speaks from
    dated: bool = False  # its own line says so
    table: int = -1  # which table or list of records it belongs to
    block: int = 0  # which run of lines without a blank line between


class Document(msgspec.Struct):
    """One file, parsed."""

    file: KbFile
    lines: list[str]
    language: str
    meta: list[Field]
    units: list[Unit]
    title: str
    day: date | None
    mail: bool = False
    chat: bool = False
    title_line: int = 0
    head_lines: dict[int, str] = msgspec.field(default_factory=dict)
    clean: list[str] = msgspec.field(default_factory=list)  # the lines without HTML comments


def parse(file: KbFile, lex: Lexicon, now: date, fallback: str) -> Document | None:
    """The file's units, or None for source code and other files that hold no prose."""
    suffix = file.path.rsplit("/", 1)[-1].rpartition(".")[2].lower() if "." in file.path else ""
    if suffix in SOURCE:
        return None
    lines = file.lines()
    words = lexicon.tokens(file.text[:4_000])
    language = lex.detect(words, fallback)
    day = dates.from_name(file.path, now)
    doc = Document(file, lines, language, [], [], "", day)
    if (suffix in ("yaml", "yml", "json") and _records(doc)) or (suffix in ("csv", "tsv") and _csv(doc)):
        pass
    else:
        _prose(doc, lex, now)
    for unit in doc.units:
        if len(unit.text) > MAX_STATEMENT:
            unit.text = unit.text[:MAX_STATEMENT]
    _days(doc, lex, now)
    return doc


# -- records ---------------------------------------------------------------------------------------------


def _records(doc: Document) -> bool:
    """YAML or JSON by its event stream: aliases are never expanded, depth is no recursion. False: not readable."""
    if len(doc.file.text) > STRUCTURED_CAP or _depth(doc.file.text) > MAX_DEPTH:
        return False
    try:
        events = list(yaml.parse(doc.file.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, UnicodeError, ValueError, RecursionError):
        return False
    stack: list[_Frame] = []
    made: list[_Frame] = []
    for event in events:
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            frame = _Frame(isinstance(event, yaml.MappingStartEvent), _line(event), len(stack))
            if stack:
                frame.path = (*stack[-1].path, stack[-1].key) if stack[-1].mapping else stack[-1].path
                frame.group = stack[-1].number if not stack[-1].mapping else -1
                frame.owner = stack[-1]
                stack[-1].key = ""
            frame.number = len(made)
            made.append(frame)
            stack.append(frame)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            stack.pop()
        elif isinstance(event, yaml.ScalarEvent) and stack:
            top, value, line = stack[-1], str(event.value), _line(event)
            if not event.style and value.lower() in ("null", "none", "~"):
                value = ""
            if not top.mapping:
                top.fields.append(Field("", value, line))
            elif top.key:
                top.fields.append(Field(top.key, value, line))
                top.key = ""
            else:
                top.key = value or "?"
        elif isinstance(event, yaml.AliasEvent) and stack:
            stack[-1].key = ""
    if not made:
        return False
    _frames_to_units(doc, made)
    return True


def _depth(text: str) -> int:
    """How deep brackets nest: the YAML scanner takes time quadratic in it."""
    depth = deepest = 0
    for match in re.finditer(r"[\[{]+|[\]}]+", text):
        size = match.end() - match.start()
        depth = depth + size if text[match.start()] in "[{" else max(0, depth - size)
        deepest = max(deepest, depth)
    return deepest


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark is not None else 1


class _Frame(msgspec.Struct):
    mapping: bool
    line: int
    depth: int
    path: tuple[str, ...] = ()
    key: str = ""
    fields: list[Field] = msgspec.field(default_factory=list)
    group: int = -1
    number: int = 0
    owner: _Frame | None = None


def _frames_to_units(doc: Document, made: Sequence[_Frame]) -> None:
    root = made[0]
    doc.meta = list(root.fields) if root.mapping else []
    for frame in made:
        if not frame.fields:
            continue
        if frame.mapping:
            text = "; ".join(f"{f.key}: {f.value}" for f in frame.fields)
            unit = Unit(frame.fields[0].line, text, "record", frame.fields[-1].line, fields=frame.fields)
            unit.headings = frame.path
            unit.table = frame.group
            doc.units.append(unit)
        else:
            for one in frame.fields:
                doc.units.append(Unit(one.line, one.value, "item", one.line, headings=frame.path))
    for f in doc.meta:
        if f.key.lower() in ("title", "name", "tittel", "titel"):
            doc.title = f.value


def _csv(doc: Document) -> bool:
    sample = doc.lines[:20]
    head = next((line for line in sample if line.strip()), "")
    delimiter = max(",;\t|", key=head.count)
    if head.count(delimiter) == 0:
        return False
    reader = csv.reader((line + "\n" for line in doc.lines), delimiter=delimiter)
    header: list[str] = []
    start = 0
    try:
        for row in reader:
            start, before = reader.line_num, start
            if not any(cell.strip() for cell in row) or row[0].startswith("#"):
                continue
            if not header:
                header = [cell.strip() for cell in row]
                continue
            _row(doc, before + 1, header, [cell.strip() for cell in row], 0, (), 0)
    except csv.Error:
        doc.units.clear()
        return False
    return bool(header)


def _row(
    doc: Document,
    line: int,
    header: Sequence[str],
    cells: Sequence[str],
    table: int,
    heads: tuple[str, ...],
    section: int,
) -> None:
    fields = [Field(key, cell, line) for key, cell in zip(header, cells, strict=False)]
    fields += [Field("", cell, line) for cell in cells[len(header) :]]
    fields += [Field(key, "", line) for key in header[len(cells) :]]
    text = " | ".join(cell for cell in cells if cell)
    unit = Unit(line, text, "row", line, fields=fields, table=table, headings=heads, section=section)
    unit.block = section
    doc.units.append(unit)


# -- prose -----------------------------------------------------------------------------------------------


def _prose(doc: Document, lex: Lexicon, now: date) -> None:
    bare = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), doc.file.text)
    lines = doc.clean = bare.split("\n")
    at = _frontmatter(doc)
    at = _mail_head(doc, at)
    heads: list[tuple[int, str]] = []
    section = block = tables = 0
    fenced = False
    para: list[int] = []
    stack: list[tuple[int, int]] = []  # (indent, unit index) of list items

    def flush() -> None:
        if para:
            _paragraph(doc, para, tuple(h for _, h in heads), section, block, lex, now)
            para.clear()

    i = at
    while i < len(lines):
        line = lines[i]
        if CODE_FENCE.match(line):
            flush()
            fenced = not fenced
            i += 1
            continue
        if fenced:
            i += 1
            continue
        heading = HEADING.match(line)
        underlined = (
            i + 1 < len(lines) and line.strip() and not ITEM.match(line) and re.match(r"^(=+|-{3,})\s*$", lines[i + 1])
        )
        if heading or underlined:
            flush()
            stack.clear()
            level = len(heading[1]) if heading else (1 if lines[i + 1].startswith("=") else 2)
            text = heading[2] if heading else line.strip()
            heads[:] = [h for h in heads if h[0] < level] + [(level, text)]
            doc.head_lines[i + 1] = text
            if not doc.title:
                doc.title, doc.title_line = text, i + 1
            section += 1
            i += 1 if heading else 2
            continue
        if not line.strip():
            flush()
            block += 1
            if i + 1 < len(lines) and not lines[i + 1].startswith((" ", "\t")):
                stack.clear()
            i += 1
            continue
        if "|" in line and i + 1 < len(lines) and TABLE_RULE.match(lines[i + 1]) and "-" in lines[i + 1]:
            flush()
            header = _cells(line)
            i += 2
            while i < len(lines) and "|" in lines[i] and lines[i].strip():
                _row(doc, i + 1, header, _cells(lines[i]), tables, tuple(h for _, h in heads), section)
                i += 1
            tables += 1
            continue
        if line.lstrip().startswith(">"):
            flush()
            doc.units.append(_unit(i, line.lstrip("> \t"), "quote", heads, section, block))
            i += 1
            continue
        if line.startswith(("    ", "\t")) and not stack and not para and not ITEM.match(line):
            doc.units.append(_unit(i, line.strip(), "code", heads, section, block))
            i += 1
            continue
        columns = _aligned(lines, i) if not para else 0
        if columns > i:
            _aligned_rows(doc, i, columns, tables, tuple(h for _, h in heads), section)
            tables += 1
            i = columns
            continue
        item = ITEM.match(line)
        if item and _is_item(item, para):
            flush()
            _item(doc, i, item, heads, section, block, stack)
            i += 1
            continue
        if stack and not para and line.startswith((" ", "\t")):
            owner = doc.units[stack[-1][1]]
            owner.text += " " + line.strip()
            owner.end = i + 1
            i += 1
            continue
        stack.clear()
        para.append(i)
        i += 1
    flush()


def _aligned(lines: Sequence[str], start: int) -> int:
    """Where a table set in columns by spaces ends, if one starts here (three lines of three cells or more)."""
    widths = []
    end = start
    first_cells = _columns(lines[start])
    if len(first_cells) < 2 and (start + 1 >= len(lines) or len(_columns(lines[start + 1])) < 3):
        return start
    while end < len(lines) and lines[end].strip() and not ITEM.match(lines[end]) and "|" not in lines[end]:
        widths.append(len(_columns(lines[end])))
        end += 1
    if len(widths) < 3:
        return start
    usual = max(set(widths), key=widths.count)
    dated = sum(1 for n in range(start, end) if LOG_START.match(lines[n])) >= 0.9 * (end - start)
    dated = dated or sum(1 for n in range(start, end) if COUNTED_START.match(lines[n])) >= max(6, 0.9 * (end - start))
    return end if usual >= (2 if dated else 3) and widths.count(usual) >= 0.7 * len(widths) else start


def _columns(line: str) -> list[str]:
    return re.split(r"\s{2,}|\t+", line.strip())


def _aligned_rows(doc: Document, start: int, end: int, table: int, heads: tuple[str, ...], section: int) -> None:
    cells = [_columns(doc.clean[i]) for i in range(start, end)]
    header = cells[0]
    named = not any(re.search(r"\d", c) for c in header) or len(header) != len(cells[1])
    if len(header) != len(cells[1]) and len(doc.clean[start].split()) == len(cells[1]):
        header = doc.clean[start].split()
    if named and not any(re.search(r"\d", c) for row in cells[1:] for c in row):
        named = False
    width = max(len(c) for c in cells)
    if named and len(header) < width and len(header) == len(re.split(r"\s+", " ".join(header))):
        header = [""] * (width - len(header)) + header
    keys = [h or f"column {n + 1}" for n, h in enumerate(header)] if named else []
    keys += [f"column {n + 1}" for n in range(len(keys), width)]
    for offset, row in enumerate(cells[1:] if named else cells):
        line = start + offset + (2 if named else 1)
        _row(doc, line, keys[: max(len(row), 1)] if len(row) < len(keys) else keys, row, table, heads, section)
        doc.units[-1].text = doc.clean[line - 1].strip()


def _is_item(item: re.Match[str], para: Sequence[int]) -> bool:
    """A line of a paragraph that happens to begin with "24." is no list item."""
    marker = item.group(0).lstrip()
    return not (para and marker[:1].isdecimal())


def _unit(i: int, text: str, kind: str, heads: Sequence[tuple[int, str]], section: int, block: int) -> Unit:
    return Unit(i + 1, text, kind, i + 1, section=section, block=block, headings=tuple(h for _, h in heads))


def _item(
    doc: Document,
    i: int,
    item: re.Match[str],
    heads: Sequence[tuple[int, str]],
    section: int,
    block: int,
    stack: list[tuple[int, int]],
) -> None:
    indent, text = len(item[1].expandtabs(4)), item[2]
    while stack and stack[-1][0] >= indent:
        stack.pop()
    unit = _unit(i, text, "item", heads, section, block)
    box = BOX.match(text)
    todo = TODO.match(text)
    if box:
        unit.kind, unit.text = "task", box[2]
        unit.box = "done" if box[1] in ("x", "X", "-", "~") else "open"
    elif todo:
        unit.kind, unit.text, unit.box = "task", todo[1], "open"
    elif re.match(r"^~~.*~~\s*$", text):
        unit.kind, unit.box = "task", "done"
    if stack:
        unit.parent = stack[-1][1]
    stack.append((indent, len(doc.units)))
    doc.units.append(unit)


def _cells(line: str) -> list[str]:
    text = line.strip()
    text = text[1:] if text.startswith("|") else text
    text = text[:-1] if text.endswith("|") else text
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", text)]


def _frontmatter(doc: Document) -> int:
    """Reads key: value lines between --- fences; a broken block is plain text. Returns the next line's index."""
    lines = doc.clean
    if not lines or lines[0].strip() != "---":
        return 0
    end = next((i for i in range(1, min(len(lines), 200)) if lines[i].strip() in ("---", "...")), 0)
    if not end:
        return 0
    for i in range(1, end):
        match = re.match(r"^\s*(?:-\s+)?([^\s:#][^:]{0,40}):\s*(.*?)\s*$", lines[i])
        if match:
            value = re.sub(r"\s+#.*$", "", match[2]).strip("\"'")
            doc.meta.append(Field(match[1].strip().strip("\"'"), value, i + 1))
            if match[1].strip().lower() in ("title", "tittel", "titel", "name", "navn"):
                doc.title = value
    return end + 1


def _mail_head(doc: Document, at: int) -> int:
    """From/To/Date/Subject lines at the top make a mail; its head is meta, its body is what it says."""
    found: list[Field] = []
    i = at
    while i < len(doc.clean) and i < at + 12:
        match = re.match(r"^([A-Za-zæøåäöü-]{2,12}):\s*(.*)$", doc.clean[i])
        if not match or match[1].lower() not in MAIL_KEYS:
            break
        found.append(Field(match[1], match[2], i + 1))
        i += 1
    if len(found) < 2:
        return at
    doc.mail = True
    doc.meta += found
    for f in found:
        if f.key.lower() in ("re", "subject", "emne", "betreff"):
            doc.title, doc.title_line = f.value, f.line
    return i


def _paragraph(
    doc: Document, para: Sequence[int], heads: tuple[str, ...], section: int, block: int, lex: Lexicon, now: date
) -> None:
    """A run of lines: a log or chat is one unit a line, wrapped prose one unit a sentence, else a unit a line."""
    texts = [doc.clean[i] for i in para]
    chat = sum(1 for t in texts if CHAT.match(t.strip())) >= 2
    if chat:
        doc.chat = True
    wrapped = not chat and len(para) > 1 and _is_wrapped(texts)
    if not wrapped:
        for i in para:
            text = doc.clean[i].strip()
            todo = TODO.match(text)
            box = BOX.match(text)
            unit = Unit(i + 1, text, "chat" if chat else "para", i + 1, section=section, block=block, headings=heads)
            if box or todo:
                unit.kind = "task"
                unit.text = box[2] if box else todo[1] if todo else text
                unit.box = "done" if box and box[1] in ("x", "X", "-", "~") else "open"
            doc.units.append(unit)
        return
    for start, end, text in _sentences([doc.clean[i].strip() for i in para]):
        doc.units.append(
            Unit(para[start] + 1, text, "para", para[end] + 1, section=section, block=block, headings=heads)
        )


def _is_wrapped(texts: Sequence[str]) -> bool:
    """Prose broken at a margin: lines but the last are long, or run on in lower case without a full stop."""
    runs = sum(
        1
        for a, b in pairwise(texts)
        if not a.rstrip().endswith((".", "!", "?", ":", ";")) and (b.strip()[:1].islower() or len(a) > 60)
    )
    return runs >= 1 and runs * 2 >= len(texts) - 1


def _sentences(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(first line, last line, sentence) of wrapped prose."""
    words: list[str] = []
    start = 0
    for n, line in enumerate(lines):
        pieces = re.split(r"(?<=[.!?])\s+(?=[A-ZÆØÅÄÖÜ\"«„(])", line)
        for piece in pieces:
            if not words:
                start = n
            words.append(piece)
            if sum(map(len, words)) > MAX_STATEMENT or (
                re.search(r"[.!?][\"»“)]?$", piece)
                and not re.search(r"\b\d{1,2}\.$|\b(?:kl|bzw|ca|nr|Nr|St|Dr|Mr|Mrs)\.$", piece)
            ):
                yield start, n, " ".join(words)
                words = []
    if words:
        yield start, len(lines) - 1, " ".join(words)


# -- days ------------------------------------------------------------------------------------------------

DAY_KEYS = frozenset(
    [
        "date",
        "updated",
        "day",
        "datum",
        "dato",
        "stand",
        "oppdatert",
        "modified",
        "per_dato",
        "as_of",
        "sent",
        "sendt",
        "gesendet",
    ]
)


def _days(doc: Document, lex: Lexicon, now: date) -> None:
    """The day each unit speaks from: its own leading date, the heading above, mail date, frontmatter, file name."""
    day = doc.day
    for f in doc.meta:
        if f.key.lower().replace(" ", "_") in DAY_KEYS and (found := dates.find(f.value, None, now, lex, doc.language)):
            day = found[0].day
            break
    if doc.title and doc.day is None:
        found = dates.find(doc.title, None, now, lex, doc.language)
        if found and found[0].grain == "day":
            day = found[0].day
    doc.day = day
    by_heading: dict[tuple[str, ...], date | None] = {}
    running: date | None = None
    running_block = -1
    for unit in doc.units:
        if unit.kind in ("code",):
            continue
        heads = unit.headings
        if heads not in by_heading:
            by_heading[heads] = day
            for head in reversed(heads):
                found = dates.find(head, None, now, lex, doc.language)
                if found and found[0].grain in ("day", "week"):
                    by_heading[heads] = found[0].day
                    break
        own = _leading_day(unit, day or now, lex, doc.language)
        if own is not None:
            unit.day, unit.dated = own, True
            if unit.kind in ("para", "chat") and len(unit.text) < 24 and ":" not in unit.text:
                running, running_block = own, unit.section  # a date on a line of its own heads what follows
        elif running is not None and running_block == unit.section and unit.kind in ("para", "chat", "item"):
            unit.day = running
        elif unit.parent >= 0 and doc.units[unit.parent].day:
            unit.day = doc.units[unit.parent].day
        else:
            unit.day = by_heading[heads]


def _leading_day(unit: Unit, near: date, lex: Lexicon, language: str) -> date | None:
    """The date a log line, row or record begins with (after a number or a word or two)."""
    if unit.kind in ("row", "record"):
        for f in unit.fields:
            if "log" not in lex.role(f.key, language):
                continue
            value = f.value
            if value.isdecimal() and f.key.strip().lower() in {
                *lex.languages[language].dates["week"],
                "week",
                "kw",
                "wk",
            }:
                value = f"W{value}"
            if found := dates.find(value, None, near, lex, language):
                return found[0].day
        if unit.kind == "record" or not unit.fields:
            return None
        first = unit.fields[0].value.strip()
        found = dates.find(first, None, near, lex, language)
        if not (found and found[0].start == 0 and found[0].end >= len(first) - 12) and not MONTH_DAY.match(first):
            return None
    if unit.kind == "task" and unit.box == "open":
        return None
    head = unit.text[:40]
    if (short := MONTH_DAY.match(head)) and 1 <= int(short[1]) <= 12 and 1 <= int(short[2]) <= 31:
        head = f"{short[2]}.{short[1]}. {head[5:]}"
    found = dates.find(head, None, near, lex, language)
    if not found or found[0].start > 18 or (found[0].grain == "month" and found[0].start > 12):
        return None
    before = [t for t in lexicon.tokens(head[: found[0].start]) if t.text.isalpha()]
    limit = 2 if unit.kind != "task" else 1
    if len(before) > limit:
        return None
    spoken = lex.languages[language]
    if any(entry[1] in ("due", "demand") for t in before for entry in spoken.cues.starting(t.text) if not entry[0]):
        return None
    return found[0].day
