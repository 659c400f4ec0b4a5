"""DOCUMENTS. A file read: what it says, block by block, with line, headings, columns, day and zone."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from adjutant.documents import calendar, frontmatter, mail, markdown, prose, structured, zones
from adjutant.documents.blocks import Block as Block
from adjutant.documents.blocks import Field as Field
from adjutant.documents.blocks import ParsedFile as ParsedFile
from adjutant.documents.days import Days
from adjutant.documents.folder import KINDS
from adjutant.documents.markdown import Element
from adjutant.language.dates import day_in_name
from adjutant.language.detect import language_of
from adjutant.language.pack import listed

MAX_TEXT = 4000  # characters of one block; `lines` has all
LANGUAGE_CHARS = 1000  # of a file, by which its language is known
TITLE_CHARS = 300  # of a heading
HEAD_CHARS = 2000  # of frontmatter, in which a placeholder makes a template of the page
MAX_DAY_LINE = 24  # characters of a line that is a date and hardly more
_BREAKS = dict.fromkeys((0x85, 0x2028, 0x2029), " ")  # YAML ends a line there, and nobody else


def read(path: str, text: str, *, near: date, order: str | None = None) -> ParsedFile:
    """What a file says. `near`: about when, for days without a year; `order`: dmy or mdy of figures, None if unknown.
    Never raises on content; takes time linear in the length of `text`, whatever it is."""
    name = path.rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return _Reading(path, text, suffix, near, order).read()


class _Reading:
    """One file under way; `heads` are the headings above: level, text, day, zone."""

    def __init__(self, path: str, text: str, suffix: str, near: date, order: str | None) -> None:
        self.path, self.text = path, text
        kind = KINDS.get(suffix, "text")
        self.source = kind == "code"
        self.kind = "eml" if mail.is_single(path) else "text" if kind in ("code", "binary") else kind
        self.lines = text.split("\n")
        self.language = language_of(text[:LANGUAGE_CHARS])
        self.days = Days(near, order, self.language)
        self.meta: tuple[Field, ...] = ()
        self.title = self.named = self.zone = self.here_zone = self.sender = ""
        self.tables = 0
        self.day: date | None = None
        self.here_day: date | None = None  # of the heading above, else of the file
        self.blocks: list[Block] = []
        self.heads: list[tuple[int, str, date | None, str]] = []
        self.trail: tuple[str, ...] = ()

    def read(self) -> ParsedFile:
        records = self._records
        readers = {"csv": self._csv, "yaml": records, "json": records, "ics": self._events, "eml": self._mail}
        if self.source:
            self._place(())
            self._code()
        elif self.kind not in readers:
            self._page()
        elif not readers[self.kind]():
            self._place(())
            for number, line in enumerate(self.lines, 1):
                if line.strip():
                    self._add("text", number, number, line.strip())
        found, lines = tuple(self.blocks), tuple(self.lines)
        if not self.zone and any(zones.is_recipe(block.text) for block in found if block.kind in ("heading", "text")):
            self.zone = "example"
        return ParsedFile(self.path, self.kind, self.language, self.title, self.meta, self.day, self.zone, found, lines)

    def _place(self, meta: Sequence[Field], head: str = "", title: str = "title") -> None:
        """Title, day and zone of the file, by its frontmatter or head and its name."""
        self.meta = tuple(meta)
        names = listed("pages", title)
        self.title = self.named = next((each.value for each in meta if each.name.lower() in names and each.value), "")
        name = self.path.rpartition("/")[2].rpartition(".")[0]
        self.sender = mail.name_of(meta)
        self.day = self.here_day = self.days.of_fields(meta) or day_in_name(self.path) or self.days.of_year(name)
        self.zone = self.here_zone = zones.of_file(self.path, meta, self.lines[0], head)
        letter = self.text * (self.kind == "eml")
        if not self.zone and "[ ]" not in self.text and zones.is_to_many(f"{name} {self.title}", letter):
            self.zone = self.here_zone = "quote"
        self.trail = (self.title,) if self.title else ()

    def _add(
        self,
        kind: str,
        line: int,
        end: int,
        text: str,
        *,
        path: tuple[str, ...] | None = None,
        day: date | None = None,
        zone: str = "",
        **more: Any,
    ) -> None:
        """One more block, unless it is empty; `more` as in Block."""
        if text:
            above = self.trail if path is None else path
            day, zone = day or self.here_day, self.here_zone or zone or zones.of_text(text)
            more |= {"day": day, "zone": zone, "sender": self.sender}
            self.blocks.append(Block(kind, line, end, text[:MAX_TEXT], above, **more))

    # -- pages -----------------------------------------------------------------------------------------------
    def _page(self) -> None:
        meta, body = frontmatter.split(self.text)
        head = mail.read_typed_head(self.lines[body : body + mail.MAX_HEAD], body + 1)
        if head and not meta:
            self._place(head, title="mail.subject")
            self._mail_head(head)
        else:
            self._place(meta, self.text[:HEAD_CHARS].partition("\n---")[0] if self.text.startswith("---") else "")
        for field in meta:
            self._add("field", field.line, field.line, f"{field.name}: {field.value}", columns=(field,))
        state = zones.find_state(self.lines, body) if not head else None
        if state is not None and not any(field.name.lower() in zones.STATE_NAMES for field in meta):
            self.zone = self.here_zone = self.zone or zones.of_state(state.value)
            self._add("field", state.line, state.line, f"{state.name}: {state.value}", columns=(state,))
        lines = zones.without_state(self.lines, state)
        self._elements(markdown.elements(lines, body + len(head), code=self.kind == "markdown"))

    def _mail_head(self, columns: Sequence[Field]) -> None:
        text = "; ".join(f"{each.name}: {each.value}" for each in columns)
        self._add("mail", columns[0].line, max(each.line for each in columns), text, columns=tuple(columns))

    def _elements(self, found: Sequence[Element]) -> None:
        index: list[int] = []  # of the block that an element became
        self.tables = 1 + max((each.table for each in found), default=-1)
        for each in found:
            parent, before = index[each.parent] if each.parent >= 0 else -1, len(self.blocks)
            if each.kind == "heading" and not each.quoted:
                self._heading(each)
            elif each.kind in ("text", "quote", "callout", "heading"):
                self._paragraph(each, parent)
            elif each.kind == "row":
                zone = "quote" * each.quoted
                self._row(each.line, each.line, each.names, each.cells, each.table, parent=parent, zone=zone)
            elif each.kind == "code":
                self._add("code", each.line, each.end, each.text, parent=parent, zone="code")
            elif each.kind == "item":
                self._item(each, parent)
            index.append(before if len(self.blocks) > before else -1)

    def _heading(self, each: Element) -> None:
        while self.heads and self.heads[-1][0] >= each.level:
            self.heads.pop()
        title = markdown.unwrap(each.text)[:TITLE_CHARS].rstrip()  # every line below keeps it
        above = self.heads[-1][2:] if self.heads else (self.day, self.zone)
        day = self.days.of_heading(title) or self.days.of_year(title)
        if not self.title:
            self.title, self.day = title, self.day or day
        self.trail = self._above()
        self.here_day, self.here_zone = day or above[0], above[1] or zones.of_heading(title)
        self._add("heading", each.line, each.end, title, depth=each.level)
        self.heads.append((each.level, title, self.here_day, self.here_zone))
        self.trail = self._above()

    def _above(self) -> tuple[str, ...]:
        said = tuple(head[1] for head in self.heads if head[1])
        return (self.named, *said) if self.named and said[:1] != (self.named,) else said

    def _item(self, each: Element, parent: int) -> None:
        text = markdown.unwrap(" ".join(each.text.split()))
        day = None if each.box else self.days.of_line(text)
        if day is None and parent >= 0:
            day = self.blocks[parent].day
        kind, zone = "task" if each.box else "item", "quote" * each.quoted
        self._add(kind, each.line, each.end, text, box=each.box, depth=each.level, parent=parent, day=day, zone=zone)

    def _paragraph(self, each: Element, parent: int) -> None:
        lines = each.text.split("\n")
        zone = "quote" * (each.quoted or (each.kind == "text" and prose.is_verse(lines)))
        at = next((at for at, line in enumerate(lines[:2]) if mail.is_sender(line)), -1)
        if parent < 0 and not each.quoted and at >= 0:
            if at:  # "---- pasted 2 Feb"
                self._paragraph(each._replace(end=each.line, text=lines[0]), parent)
            lines = self._read_pasted_head(each.line + at, lines[at:])
            each = each._replace(line=each.end - len(lines) + 1, text="\n".join(lines))
        if len(lines) > 2 and not each.quoted and (rows := prose.columns(lines)):
            self._add_aligned(each, rows, parent)
            return
        kind = "quote" if each.kind == "heading" else each.kind
        lead: date | None = None  # the day that the paragraph begins with
        for first, last, words in prose.parts(each.text):
            box, bare = markdown.boxed(words)
            text = markdown.unwrap(bare)
            day = lead = None if box else self.days.of_line(text) or lead
            if day and len(text) <= MAX_DAY_LINE and len(lines) == 1 and not box:
                self.here_day = day  # a date on a line of its own heads what follows
            line, end = min(each.line + first, each.end), min(each.line + last, each.end)
            self._add("task" if box else kind, line, end, text, box=box, parent=parent, day=day, zone=zone)

    def _read_pasted_head(self, line: int, lines: list[str]) -> list[str]:
        """Reads the head of a letter in the middle of a page, its date with or without a name; gives what follows."""
        head = mail.read_typed_head(lines, line, 1)
        own = [self.days.of_line(each) if len(each) <= MAX_DAY_LINE else None for each in lines[len(head) :]]
        bare = next((at for at, day in enumerate(own) if day is None), len(own))
        if not bare and len({field.name for field in head}) < 2:
            return lines
        self.here_day = self.days.of_fields(head) or (own[0] if bare else self.here_day)
        self.sender = mail.name_of(head)
        self._mail_head(head)
        return lines[len(head) + bare :]

    # -- rows and records ------------------------------------------------------------------------------------
    def _row(self, line: int, end: int, names: Sequence[str], cells: Sequence[str], table: int, **more: Any) -> None:
        columns = tuple(Field(names[at] if at < len(names) else "", cell, line) for at, cell in enumerate(cells))
        day = self.days.of_row(columns)
        text = " · ".join(filter(None, cells))
        self._add("row", line, end, text, columns=columns, table=table, day=day, **more)

    def _add_aligned(self, each: Element, rows: Sequence[tuple[str, ...]], parent: int) -> None:
        table, self.tables = self.tables, self.tables + 1
        names, first = (rows[0], 1) if structured.is_head(rows[0]) else ((), 0)
        for at, row in enumerate(rows[first:], first):
            self._row(each.line + at, each.line + at, names, row, table, parent=parent)

    def _csv(self) -> bool:
        found = structured.read_table(self.lines)
        if found is None:
            return False
        self._place(())
        for line, end, cells in found[1]:
            self._row(line, end, found[0], cells, 0)
        return True

    def _records(self) -> bool:
        found = structured.read(self.text.translate(_BREAKS), json=self.kind == "json")
        if found is None:
            return False
        self._place(found[1])
        if self.kind == "json" and found[0] and zones.is_own_record(found[0][0].fields):
            self.zone = self.here_zone = "own"
        for line, end, path, fields, table in found[0]:
            above = (*self.trail, *path)
            if len(fields) == 1 and not fields[0].name:
                box, text = markdown.boxed(fields[0].value)
                self._add("task" if box else "item", line, end, text, path=above, box=box, table=table)
                continue
            text = "; ".join(f"{each.name}: {each.value}" if each.name else each.value for each in fields if each.value)
            day = self.days.of_fields(fields)
            self._add("record", line, end, text, path=above, columns=fields, table=table, day=day)
        return True

    # -- calendars, mail, source -----------------------------------------------------------------------------
    def _events(self) -> bool:
        self._place(())
        for event in (each for each in calendar.read(self.lines) if each.end):
            said = event.values()
            text = " · ".join(said[name] for name in ("SUMMARY", "DTSTART", "DUE", "LOCATION") if said.get(name))
            self._add("event", event.line, event.end, text, columns=tuple(event.fields), table=0)
        return bool(self.blocks)

    def _mail(self) -> bool:
        found = mail.read(self.text)
        if found is None:
            return False
        self._place(found.head, title="mail.subject")
        self._mail_head([*found.head, *(Field("Attachment", name, found.head[-1].line) for name in found.attachments)])
        numbers = [number for number, _ in found.body]
        below = markdown.elements([line for _, line in found.body], code=False)
        self._elements([each._replace(line=numbers[each.line - 1], end=numbers[each.end - 1]) for each in below])
        return True

    def _code(self) -> None:
        begin = 0
        for number, line in enumerate([*self.lines, ""]):
            if line.strip():
                continue
            if begin < number:
                self._add("code", begin + 1, number, "\n".join(self.lines[begin:number]), zone="code")
            begin = number + 1
