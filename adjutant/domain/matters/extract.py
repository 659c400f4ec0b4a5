"""DOMAIN. One file's facts: what is open in it and what it closes, by the certain forms of spec/15 and the likely ones.

A file is read once; its facts are kept until it changes. Nothing here looks at today's urgency or at the heart.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from datetime import date
from typing import NamedTuple

from adjutant.documents import markdown
from adjutant.documents.document import Block, ParsedFile
from adjutant.domain.matters import absences, columns, deadlines, lines, marks, promises, rows, says
from adjutant.domain.matters.absences import NOWHERE as NOWHERE
from adjutant.domain.matters.cues import cues
from adjutant.domain.matters.fact import JUDGED, Fact, Kind, Span, State
from adjutant.domain.matters.headings import Headings
from adjutant.language.dates import Date
from adjutant.language.pack import listed
from adjutant.language.stems import stems
from adjutant.language.words import words

QUOTE, WHAT, MOST_CELL, LEAST_CELL = 300, 200, 40, 16
SENTENCES = frozenset(("sentence", "promise", "appointment", "moved", "word", "day"))
FRESH_DAYS = 2  # until when a changed file speaks from that day
WEEK, MOST_RUN = 7, 3  # days; sentences among which the name for a "he" is looked for
HEAD_BLOCKS = 8  # of a file, one of which names who met
_KIND: Mapping[str, Kind] = {"task": "task", "waiting": "waiting", "blocked": "blocked", "problem": "problem"}
_EVENT_STATE: Mapping[str, State] = {"CANCELLED": "dropped", "COMPLETED": "done"}
_SMALL = re.compile(r"\b[^\W\d_A-ZÆØÅÄÖÜ][^\W\d_]+")
_TODO = re.compile(r"\s*(?:TODO|FIXME|XXX)\b[:\s-]*\S")


class Read(NamedTuple):
    """A file's facts, the lines whose relative dates count from the day they were first seen, and absences."""

    facts: tuple[Fact, ...]
    seen: dict[int, date | None]
    absences: tuple[Span, ...]


class _File:
    """One file under the reading."""

    def __init__(
        self,
        doc: ParsedFile,
        near: date,
        changed_on: date,
        before: Mapping[int, date | None] | None,
        order: str | None,
    ) -> None:
        self.doc, self.near, self.known, self.code, self.order = doc, near, cues(), doc.language, order
        self._changed_on, self._before = changed_on, before
        self.seen: dict[int, date | None] = {}
        self._small: frozenset[str] | None = None
        self._rows: dict[tuple[int, str], list[Block]] = {}
        self._tables: dict[tuple[int, str], columns.Table] = {}
        self._over: list[bool] = []  # of each block so far: it is done, or stands under what is
        self._headings = Headings(doc, near, self.known, self._first)
        self.minutes = not listed("zones", "minutes").isdisjoint(words(f"{doc.path} {doc.title}"))
        boxes = [bool(lines.owner_of(each.text, self.known)) for each in doc.blocks if each.box]
        self.shared = self.minutes or 2 * sum(boxes) > len(boxes)  # a list of what several people do
        heads = (each.text.partition(":") for each in doc.blocks[:HEAD_BLOCKS])
        attended = listed("zones", "attendance")
        self.present = {word for head, _, names in heads if head.lower() in attended for word in words(names)}
        self._before_it: Block | None = None
        self._run: list[Block] = []  # the sentences before it in its paragraph
        letter = any(field.name.lower() in listed("pages", "mail.from") for field in doc.meta)
        self.offers = letter and any(self.known.offers.find(words(line)) for line in doc.lines)

    def facts(self) -> Iterator[Fact]:
        if self.doc.zone in NOWHERE:
            if self.doc.zone == "closed" and self.doc.blocks and self.doc.title:  # it closes what other files say of it
                yield self._fact("task", self.doc.blocks[0], self.doc.title, "page", state="done")
            return
        for block in self.doc.blocks:
            if block.kind in ("row", "record"):
                self._rows.setdefault((block.table, block.kind), []).append(block)
        here: Block | None = None
        for block in self.doc.blocks:
            self._before_it = here
            follows = here is not None and here.kind == block.kind == "text" and here.end >= block.line - 1
            self._run = [*self._run[-MOST_RUN:], here] if here is not None and follows else []
            here = block = self._date(self._headings.in_month(block))
            self._over.append(block.box in ("done", "dropped") or (block.parent >= 0 and self._over[block.parent]))
            if block.zone in NOWHERE:
                continue
            if block.kind in ("row", "record") and block.zone != "quote":
                yield from self._row(block)
            elif block.kind == "event":
                yield from self._event(block)
            elif block.kind == "field":
                yield from self._field(block)
            elif block.kind == "heading":
                yield from self._heading(block)
            elif block.kind in ("task", "item", "text", "quote", "callout"):
                yield from self._line(block)

    def _date(self, block: Block) -> Block:
        """An entry of a diary speaks from the day with which it begins, its further sentences too."""
        if block.kind not in ("text", "item") or block.box:
            return block
        before = self._before_it
        if (lead := lines.lead_of(block.text, self.near, self.code, self.order)) is not None:
            return block._replace(day=lead.first)
        follows = before is not None and before.kind == block.kind == "text" and before.end >= block.line - 1
        return block._replace(day=before.day) if before is not None and follows else block

    # -- records ---------------------------------------------------------------------------------------------

    def _row(self, block: Block) -> Iterator[Fact]:
        key = (block.table, block.kind)
        if key not in self._tables:
            self._tables[key] = columns.table_of(self._rows[key], self.near, self.known, self.code, self.order)
        state, found = rows.read_row(block, self._tables[key], self.near, self.known, self.code)
        if state == "closed":
            yield self._fact("task", block, block.text, "row", state="done")
        for each in found:
            kind: Kind = "deadline" if each.kind == "deadline" else _KIND.get(each.kind, "appointment")
            basis = "plan" if each.is_plan else "row"
            if (self.minutes or self.present) and each.who and not each.is_plan:
                kind, basis = "waiting", "plan"
            yield self._fact(kind, block, each.what, basis, each.day, dated=each.dated, who=each.who, line=each.line)
        if not found and state != "closed" and not self._tables[key].newest:
            yield from self._cells(block, self._tables[key])

    def _cells(self, block: Block, table: columns.Table) -> Iterator[Fact]:
        """What the words of a row's cells say, where its columns say nothing: a label or a deadline."""
        for cell in block.columns:
            if table.columns[cell.name].dated or len(cell.value) < LEAST_CELL:
                continue
            said = self._parse(cell.value, block.day or self.doc.day or self.near)
            label, day = lines.label_of(cell.value, said.words, self.known), deadlines.find(said, self.known)
            if label in _KIND or (day is not None and day.last >= (block.day or self.doc.day or self.near)):
                kind: Kind = _KIND.get(label, "deadline")
                yield self._fact(kind, block, block.text, "sentence" if day else "label", day, line=cell.line)
                return

    def _event(self, block: Block) -> Iterator[Fact]:
        """An event is an appointment, a to-do of a calendar a task: RFC 5545 gives the latter no DTEND but a DUE."""
        cells = {cell.name: cell.value for cell in reversed(block.columns)}
        due = cells.get("DUE", "")
        said = self._parse(due or cells.get("DTSTART", ""), self.near)
        if said.dates:
            state = _EVENT_STATE.get(cells.get("STATUS", "").upper(), "open")
            what = cells.get("SUMMARY") or block.text
            kind: Kind = "task" if due else "appointment"
            line = next((cell.line for cell in block.columns if cell.name == "SUMMARY"), block.line)
            basis = "plan" if "RRULE" in cells else "event"  # what comes again and again is known by heart
            yield self._fact(kind, block, what, basis, said.dates[0], state=state, dated=bool(due), line=line)

    def _field(self, block: Block) -> Iterator[Fact]:
        name, value = (block.columns[0].name, block.columns[0].value) if block.columns else ("", "")
        role = columns.role_of(name, self.known)
        title = self.doc.title or self.doc.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        day = next(iter(self._parse(value, self.near).dates), None) if len(value) <= MOST_CELL else None
        if day is not None and (role == "due" or (not role and not day.relative and day.last >= self.near)):
            what = title if role == "due" else f"{title}: {name} {value}"
            boxes = [each.box for each in self.doc.blocks if each.box]
            end: State = "done" if len(boxes) > 1 and "open" not in boxes else "open"
            yield self._fact("deadline", block, what, "page", day, state=end, dated=role == "due")
        elif role == "status":
            state = columns.name_state(value, self.known)  # "blocked (legal)"
            if state in ("blocked", "waiting", "problem"):
                yield self._fact(_KIND[state], block, f"{title}: {value}", "page")

    def _heading(self, block: Block) -> Iterator[Fact]:
        label = lines.label_of(block.text, (), self.known) or lines.label_behind(block.text, _KIND, self.known)
        if label in _KIND and label != "task":
            yield self._fact(_KIND[label], block, block.text, "label", self._first(block.text))

    # -- lines -----------------------------------------------------------------------------------------------

    def _line(self, block: Block) -> Iterator[Fact]:
        place = self._headings.place(block.path)
        state = place.state if block.kind in ("item", "task") and block.parent < 0 else ""
        planned = place.calendar and place.day is not None and block.kind == "item"
        worth = block.parent >= 0 or state or planned or self.known.may_tell(block.text)
        bare = block.box and not marks.says(block.text)  # then what stands above says what it is
        if bare and worth:
            block = block._replace(text=f"{(*block.path, self.doc.path)[len(block.path) - 1]} {block.text}")
        elif bare or not (worth or block.box):
            return
        anchor, said = self.take_apart(block)
        label = lines.label_of(block.text, said.words, self.known) or state
        marked, closed = marks.marks_of(said.text, said.dates)  # none that is quoted
        if block.kind == "text" and 0 < len(said.words) <= 2 and self.known.states["closed"].whole(block.text):
            yield self._fact("task", block, "", "section", state="done")  # "Closed." ends what stands above
        elif self._over[-1] or closed or label == "done":
            end: State = "dropped" if block.box == "dropped" else "done"
            day = marked or deadlines.find(said, self.known)
            yield self._fact("task", block, lines.without_remark(block.text), "box", day, state=end)
        elif block.quoted:
            yield from self._likely(block, said, anchor)
        elif block.box == "open" or label == "task" or _TODO.match(block.text):
            day = marked or deadlines.find_of_task(said, self.known, anchor) or self._headings.place(block.path).day
            who = lines.owner_of(block.text, self.known) if not label and self.code != promises.CAPITALISING else ""
            if not (self.shared or who.lower() in self.present) or self.is_everyday(who.lower()):
                who = ""  # "Passport: fetch it" names nobody
            kind = "waiting" if label == "waiting" or who else "blocked" if label == "blocked" else "task"
            troubled = day is None and kind == "task" and lines.is_likely(said, self.known)
            kind = "problem" if troubled else kind
            yield self._fact(_KIND[kind], block, block.text, "box", day, certain=not troubled, who=who)
        elif label:
            yield self._fact(_KIND[label], block, block.text, "label", deadlines.find_of_task(said, self.known, anchor))
        elif marked:
            yield self._fact("deadline", block, block.text, "label", marked)
        else:
            yield from self._sentence(block, said, anchor)

    def _sentence(self, block: Block, said: lines.MatterLine, anchor: date | None) -> Iterator[Fact]:
        if lines.asks_nothing(said, self.known):
            return
        closed, place = lines.closes(said, self.known, anchor or self.near), self._headings.place(block.path)
        if place.reference:  # "due on the 1st" says how things are done, in any month
            said = said._replace(dates=[day for day in said.dates if not day.relative])
        day = deadlines.find(said, self.known) or deadlines.find_by_hour(said, self.known, anchor, self.code)
        rest = lines.another(said, self.known, day)
        if closed or lines.is_achieved(said, self.known):
            yield self._fact("task", block, block.text[: rest or None], "sentence", state="done")
            if not rest:
                return
        promise = promises.find_promise(said, self.known, anchor, self.is_everyday)
        met = lines.appointment(said, self.known, anchor, self.near) or self._meet_ahead(block, said, anchor)
        if met is not None and promise is not None and promise[0] == "waiting":
            promise = None  # who comes at an hour is met
        text = block.text.partition(": ")[2] if self._headings.entered else block.text
        if met is None and (self._headings.entered or place.calendar):
            above = place.day if block.kind == "item" and not (self._headings.entered or said.dates) else None
            met = lines.entry(said, self.known, anchor) or above
        day = day if day is not None and day.last >= (anchor or self.near) else None
        was = lines.moved_from(said, promise[1] if promise is not None else day or met, self.known)
        if promise is not None:
            kind, day, who = promise
            yield self._fact(_KIND[kind], block, block.text, "promise", day, who=who, was=was, certain=day is not None)
        elif day is not None:
            told = self.minutes or any(word in self.present and not self.is_everyday(word) for word in said.words)
            basis = "plan" if told and self.known.own.isdisjoint(said.words) else "sentence"  # one of those who met
            sure, dated = not (self.known.offers.find(said.words) or self.offers), basis == "sentence"
            yield self._fact("deadline", block, block.text, basis, day, dated=dated, certain=sure, was=was)
        elif met is not None and not lines.is_off(said, self.known):
            basis = "moved" if lines.is_moved(said, self.known) else "appointment"
            yield self._fact("appointment", block, text, basis, met, dated=False, was=was)
        elif lines.awaits(said.words, self.known):
            fresh = anchor is None or (self.near - anchor).days <= 2 * WEEK  # silence may be over since
            yield self._fact("waiting", block, block.text, "label", certain=fresh)
        else:
            yield from self._likely(block, said, anchor)

    def _meet_ahead(self, block: Block, said: lines.MatterLine, anchor: date | None) -> Date | None:
        """The appointment of a line with an hour, on its own day to come or on the one for which its heading plans."""
        day = next(iter(said.dates), self._headings.place(block.path).day)
        past = day is None or (day in said.dates and lines.is_past(said, day, self.known, anchor))
        return None if past else lines.appointment_ahead(said, day, self.near)

    def _likely(self, block: Block, said: lines.MatterLine, anchor: date | None) -> Iterator[Fact]:
        found = list(self._state(block, said, anchor))
        yield from found
        if found or block.quoted:
            return
        remark = self._fact("task", block, block.text, "remark", state="done", certain=False)
        yield from (remark,) if lines.acts(said, self.known) else self._judged(block, said, anchor)

    def _judged(self, block: Block, said: lines.MatterLine, anchor: date | None) -> Iterator[Fact]:
        """A plain sentence that is judged to say that something is open: on a day to come, or on none."""
        if block.is_verse or self._headings.place(block.path).reference:
            return
        day = lines.day_ahead(said, self.near, self.known, anchor)
        over = day is None and deadlines.find(said, self.known)
        if not over and (kind := says.kind_of(said, day, anchor or self.near, self.code)):
            yield self._fact(kind, block, block.text, "day" if day else JUDGED, day, certain=False, dated=False)

    def _state(self, block: Block, said: lines.MatterLine, anchor: date | None) -> Iterator[Fact]:
        """What one of the plain words of state says."""
        moved, likely = bool(self.known.moved.find(said.words)), lines.is_likely(said, self.known)
        if block.is_verse or self._headings.place(block.path).reference or not (moved or likely):
            return
        day = next((each for each in said.dates if not lines.is_past(said, each, self.known, anchor)), None)
        if day is not None and lines.is_vague(day):
            return
        if moved and day is not None:
            was = lines.moved_from(said, day, self.known)
            yield self._fact("problem", block, block.text, "moved", day, certain=False, was=was)
            return
        undated = not (said.dates or block.quoted)  # then the words around the one of state have to agree
        if likely and (day is not None or (undated and says.is_hinted(said.text, anchor or self.near, self.code))):
            yield self._fact("problem", block, block.text, "word", day, certain=False)

    def _parse(self, text: str, anchor: date | None, before: str = "") -> lines.MatterLine:
        return lines.take_apart(text, self.near, anchor, self.code, self.order, before)

    def take_apart(self, block: Block) -> tuple[date | None, lines.MatterLine]:
        """The day a block speaks from, its words and dates. One without a day but with a relative date speaks from
        the day its line was first seen."""
        day = block.day or self.doc.day
        before = " ".join((*(block.path[-1:] if day is None else ()), *(each.text for each in self._run)))
        said = self._parse(block.text, day or self.near, before)
        if not block.box and said.dates and said.dates[0].first == day and not said.place(said.dates[0].start) > 1:
            said = said._replace(dates=said.dates[1:] if day < self.near else said.dates)  # it says when, not by when
        if day is None and any(each.relative for each in said.dates):
            day = self._first_seen(block)
            said = said if day == self.near else self._parse(block.text, day, before)
        return day, said

    def _first_seen(self, block: Block) -> date | None:
        mark = zlib.crc32(self._quote(block.line).encode("utf-8", "surrogatepass"))
        if self._before is None:
            day = self._changed_on if (self.near - self._changed_on).days < FRESH_DAYS else None
        else:
            day = self._before.get(mark, self.near) if mark in self._before else self.near
        self.seen[mark] = day
        return day

    def is_everyday(self, word: str) -> bool:
        """Whether a capitalised word is no name: a function word, or written small elsewhere in the file."""
        if word in self.known.idle:
            return True
        if self._small is None:
            self._small = frozenset(each for line in self.doc.lines for each in _SMALL.findall(line))
        return word in self._small

    def _first(self, text: str) -> Date | None:
        """The first day to come that a heading names, an exact one before a range."""
        said = self._parse(text, self.doc.day or self.near)
        ahead = [day for day in said.dates if day.last >= self.near]
        return next((day for day in ahead if day.exact), ahead[0] if ahead else None)

    def _quote(self, line: int) -> str:
        return self.doc.lines[line - 1].strip()[:QUOTE].rstrip()

    def _fact(
        self,
        kind: Kind,
        block: Block,
        text: str,
        basis: str,
        day: Date | None = None,
        *,
        state: State = "open",
        certain: bool = True,
        dated: bool = True,
        who: str = "",
        line: int = 0,
        was: tuple[date, ...] = (),
    ) -> Fact:
        said, before = text, self._before_it
        if basis in SENTENCES and state == "open":
            follows = before is not None and before.kind == block.kind == "text" and before.end >= block.line
            said = lines.lead_in(text, before.text, self.code, self.known) if before is not None and follows else text
            said = promises.with_name(said, block, self._run, self.code, self.known, self.is_everyday)
        elif block.end > block.line and text is block.text:
            said = lines.opening(text, self.doc.lines[block.line - 1])
        what = markdown.plain(marks.strip_marks(said))[:WHAT].strip()
        return Fact(
            kind=kind,
            line=line or block.line,
            quote=self._quote(line or block.line),
            what=what,
            basis=basis,
            state=state,
            first=day.first if day else None,
            last=day.last if day else None,
            time=day.time if day else "",
            certain=certain,
            dated=dated,
            who=who,
            heads=block.path,
            stems=stems(what, self.code),
            around=self._headings.place(block.path).around,
            day=block.day or self.doc.day,
            group=block.table,
            was=was,
        )


def read(
    doc: ParsedFile,
    near: date,
    changed_on: date,
    before: Mapping[int, date | None] | None,
    order: str | None = None,
) -> Read:
    """The facts of a document. `near`: the day of the reading; `changed_on`: of the file's last change; `before`: what
    `seen` was when the file was read last, None at the first look at its knowledge base; `order`: dmy or mdy of 3/4."""
    file = _File(doc, near, changed_on, before, order)
    return Read(tuple(file.facts()), file.seen, tuple(absences.find(doc, near, file.take_apart, file.is_everyday)))
