"""DOMAIN. Lines of the files that bear on a question about the picture and are no matter of it.

Plain sentences are no certain matter, and nobody is interrupted for one. Who asks what is on this Friday wants to
read the line that names it all the same, marked as what the notes say.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple

from adjutant.clock import read_day
from adjutant.documents import document
from adjutant.documents.blocks import Field
from adjutant.documents.document import Block, ParsedFile
from adjutant.domain.matters import columns, deadlines, lines, promises, rows, says, wording
from adjutant.domain.matters.cues import CuePhrases, cues
from adjutant.domain.matters.extract import NOWHERE
from adjutant.domain.matters.opened import Opened
from adjutant.domain.matters.picture import Open
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.telling import message
from adjutant.domain.telling.topic import Topic
from adjutant.language import dates
from adjutant.language.dates import Date
from adjutant.language.figures import figures, is_money, sums
from adjutant.language.pack import cached, listed
from adjutant.language.sentences import sentences
from adjutant.language.stems import stems, telling
from adjutant.language.words import day_names, words
from adjutant.records.matters_log import Known
from adjutant.screening.fence import clean_line
from adjutant.screening.screen import screen

MOST_OF_FILE, MOST_FOUND, MOST_TRIED = 50, 400, 300  # lines that are kept of a file and of all; tried of a file
MOST, MOST_FILES = 5, 200  # lines that are named; files of one knowledge base that are read, those changed last
PAST, WAITED, ASKED = 30, 90, 14  # days since something fell due; since a line was written, or asked something
CLEAR = 0.75  # that a sentence is open, though it has a word that closes
LIKELY = 0.4  # that what stands behind a word of the past is to come
HALF_LIFE, UNDATED = 90, 30  # days in which a line loses half its weight; the age of one without a day
LESS = 0.5  # is left of what says otherwise than it is asked
# What is easily said for another: what was promised is waited for.
KIN, STRONG = {"promised": "owed", "owed": "promised", "pay": "unpaid", "unpaid": "pay", "stuck": "waiting"}, 0.6
TITLE = 80  # characters of the first line that say what a file is about
LEAD = 24  # characters in which a paragraph of a diary names its day
SHARED, LEAST = 0.5, 2  # of a line's stems: what is done, or a matter, that shares more says the same
PROSE = frozenset(("text", "item", "task", "callout", "quote"))
DAYS = ("dated", "late")  # what is asked for by its day, not by what a sentence says
_BEHIND = re.compile(r"(?<=\.)\s*|\s*[:.,–—-]\s*|\s*\Z")


class Mention(NamedTuple):
    """A sentence of a file, with the day it names, None for none."""

    kb: str
    path: str
    number: int
    says: str
    day: date | None
    around: str = ""  # its paragraph
    under: str = ""  # its heading, where it says "he" and names nobody
    share: float = 1.0  # how likely it answers

    def line(self, today: date, *, several: bool, wide: bool = False) -> str:
        """The sentence, `wide` with those around it, its day and its place, for a person."""
        place = clean_line(f"{self.path}:{self.number}", message.PLACE_CHARS)
        said = message.plain(self.says, place, self.around if wide else "")
        said = f"{self.under}: {said}" if self.under and not screen(self.under) else said
        where = f"{self.kb}: {place}" if several else place
        return " · ".join(part for part in (said, wording.day(self.day, today) if self.day else "", where) if part)


class Sought(NamedTuple):
    """What lines are looked for: `kind` (dated, late, unpaid, open, or what a sentence says), within which days.

    `about`: whom or what they have to name, "" for anything; `shown`: the matters that are named anyway; `hint`: words
    by which one line comes before another.
    """

    kind: str
    span: tuple[date, date]
    today: date
    about: str = ""
    shown: frozenset[str] | None = None  # None: all
    hint: str = ""


def find(
    base: Opened, sought: Sought, known: Sequence[Open], heard: Sequence[Known], relevance: Relevance
) -> list[Mention]:
    """The lines of a knowledge base that bear on a question, of the files changed last. `known`: its matters, `heard`:
    what the register has of it; neither is said again, nor what the operator does not want to hear of."""
    known = [
        each
        for each in known
        if each.muted or (each.certain or each.listed if sought.shown is None else each.id in sought.shown)
    ]
    closed = {
        (each.path, fact.line): fact.stems
        for each in base.found.readings
        for fact in each.facts
        if fact.state != "open" and fact.certain
    }
    newest = sorted(base.entries, key=lambda each: (-each.mtime_ns, each.path))[:MOST_FILES]
    topic, found = Topic(sought.about).narrow([base.kb.name, *(each.path for each in newest)]), list[Mention]()
    for entry in newest:
        text = "\n".join(base.lines(entry.path))
        if text:
            doc = document.read(entry.path, text, near=sought.today, order=base.order)
            here = [each for each in known if any(cited.path == doc.path for cited in each.evidence)]
            before = [each for each in heard if each.path == doc.path]
            found += islice(_File(doc, base, sought, here, before, relevance, topic).mentions(), MOST_OF_FILE)
        if len(found) > MOST_FOUND:
            break
    told = [telling(each.what) for each in known]
    news = [
        each
        for each in found
        if not _shares(telling(each.says), told, LEAST)
        and not _shares(stems(each.says), (held for at, held in closed.items() if at != (each.path, each.number)), 1)
    ]
    return sorted(news, key=lambda each: (-each.share, each.day or date.min, each.path, each.number))


def _shares(own: frozenset[str], others: Iterable[frozenset[str]], least: int) -> bool:
    """Whether something that is done, or that a matter says, shares most of a line's words, and at least so many."""
    return any(len(own & other) > max(SHARED * len(own), least - 1) for other in others)


def _is_amount(cell: Field) -> bool:
    """Whether a cell is a sum of money: pence or a currency with it, or a whole number in a column called so."""
    named = not sums().isdisjoint(words(cell.name))
    return any(
        figure.kind == "number"
        and (named or is_money(figure.text))
        and figure.end - figure.start >= len(cell.value.strip()) / 2
        for figure in figures(cell.value)
    )


class _File:
    """One file under the search. `matters` rest on it, `heard` is what the register has of it."""

    def __init__(
        self,
        doc: ParsedFile,
        base: Opened,
        sought: Sought,
        matters: Sequence[Open],
        heard: Sequence[Known],
        relevance: Relevance,
        topic: Topic,
    ) -> None:
        self.doc, self.kb, self.order = doc, base.kb.name, base.order
        self.sought, self.relevance, self.topic, self.cues = sought, relevance, topic, cues()
        self.matters: dict[int, list[Open]] = {}  # by the lines they rest on
        for each in matters:
            for cited in each.evidence:
                self.matters.setdefault(cited.line, []).append(each)
        days = ((each, read_day(each.first), read_day(each.last)) for each in heard)
        self.heard = [(first, last, telling(each.what)) for each, first, last in days if first and last]
        self._judged: tuple[lines.MatterLine | None, dict[str, float]] = None, {}
        self.hint = Topic(", ".join(sought.hint.split())) if sought.hint else None
        self.tried = 0  # lines that were compared with what is known
        self.place = re.sub(r"[/_.-]+", " ", doc.path.rsplit(".", 1)[0])
        self.title = doc.blocks[0].text if doc.blocks and doc.blocks[0].kind in ("heading", "text") else ""
        self.around = stems(self.place, doc.language)

    def mentions(self) -> Iterator[Mention]:
        """Its lines, each sentence at most once."""
        if self.doc.zone in NOWHERE:
            return
        if self.sought.kind == "unpaid":
            yield from self._find_unpaid()
        over: list[bool] = []  # of each block so far: it is done, or stands under what is
        for block in self.doc.blocks:
            if self.tried > MOST_TRIED:
                return  # a file of 10,000 such lines keeps nobody waiting
            over.append(block.box in ("done", "dropped") or (block.parent >= 0 and over[block.parent]))
            if block.kind in PROSE and not over[-1] and block.zone not in NOWHERE:
                yield from self._read_block(block)

    def _find_unpaid(self) -> Iterator[Mention]:
        """The rows that name an amount, and whose column for what is paid is empty or says that it is not."""
        tables: dict[tuple[int, str], list[Block]] = {}
        for block in self.doc.blocks:
            if block.columns and block.kind != "event" and block.zone not in NOWHERE:
                tables.setdefault((block.table, block.kind), []).append(block)
        for found in tables.values():
            table = columns.table_of(found, self.sought.today, self.cues, self.doc.language, self.order)
            for row in found:
                state = rows.state_of(row, table, self.sought.today, self.cues, self.doc.language)
                if state == "open" and any(_is_amount(cell) for cell in row.columns) and row.line not in self.matters:
                    says = ", ".join(cell.value for cell in row.columns if cell.value)
                    yield Mention(self.kb, self.doc.path, row.line, says, None)

    def _read_block(self, block: Block) -> Iterator[Mention]:
        if self.sought.kind == "dated" and not self.cues.may_tell(block.text):
            return
        if not self.topic.is_in(self.kb, block.sender, self.place, self.title[:TITLE], *block.path, block.text):
            return
        anchor, text = self._lead(block)
        letter = not listed("matters", "you").isdisjoint(words(block.text))  # it speaks to somebody
        for each in sentences(text):
            said = lines.take_apart(each.text, self.sought.today, anchor, self.doc.language, self.order)
            if not said.words or each.text.rstrip().endswith(":") or self._closes(said, anchor):
                continue  # what ends so leads to the next line
            if self._is_idle(said):
                continue
            share, day = self._weigh(said, anchor, block.sender)
            if block.zone == "quote" and (not letter or says.is_open(self._judge(said)) < says.OPEN):
                continue  # a saying
            self.tried += share > 0
            if share > 0 and not self._is_known(block, day) and not self._is_unwanted(each.text, block):
                around = " ".join(self.doc.lines[block.line - 1 : block.end])
                around = "" if self._is_unwanted(around, block) else around  # a quiet zone is quiet beside a line, too
                if self.hint is not None and self.hint.is_in(self.place, *block.path, around):
                    share += 1
                on, under = day.last if day else None, self._find_heading(each.text, block)
                yield Mention(self.kb, self.doc.path, block.line, each.text, on, around, under, share)

    def _is_idle(self, said: lines.MatterLine) -> bool:
        """Whether a sentence says that nothing is open, that all goes as it should, or that it was seen to, and nothing
        else. Who asks who is waited for waits for what was ordered."""
        known, ahead = self.cues, any(day.last >= self.sought.today for day in said.dates)
        if _phrases()["excepts"].find(said.words) or known.must.find(said.words) or said.text.rstrip().endswith("?"):
            return False
        if not known.negators.isdisjoint(said.words):
            return lines.denies(said, known)
        seen_to = self.sought.kind != "waiting" and lines.acts(said, known)
        return not ahead and (seen_to or bool(_phrases()["idle"].find(said.words)))

    def _closes(self, said: lines.MatterLine, anchor: date | None) -> bool:
        """Whether a sentence ends something, by a word for that and as a whole: "back by Thursday, signed" does not."""
        ends = lines.closes(said, self.cues, anchor or self.sought.today)
        return ends and says.is_open(self._judge(said)) < CLEAR

    def _find_heading(self, text: str, block: Block) -> str:
        """The heading over a sentence that says "he" or "she" and names nobody; a day names nobody either."""
        if self.cues.others.isdisjoint(words(text)) or promises.names_of(text, self.cues, self.cues.idle.__contains__):
            return ""
        today = self.sought.today
        heads = (head for head in reversed(block.path) if not dates.find(head, today, anchor=today))
        return clean_line(next(heads, ""), wording.NAME)

    def _lead(self, block: Block) -> tuple[date | None, str]:
        """The day that a block speaks from and what it says: a paragraph of a diary begins with its day."""
        anchor = block.day or self.doc.day
        first = next(iter(dates.find(block.text[:LEAD], self.sought.today, code=self.doc.language)), None)
        if first is None or first.first != first.last or first.last > self.sought.today:
            return anchor, block.text
        if not day_names(0).issuperset(words(block.text[: first.start])):  # "sun 22 nov."
            return anchor, block.text
        behind = _BEHIND.match(block.text, first.end)
        return (first.last, block.text[behind.end() :]) if behind else (anchor, block.text)

    def _weigh(self, said: lines.MatterLine, anchor: date | None, sender: str) -> tuple[float, Date | None]:
        """(how likely a sentence bears on the question, 0 for not; the day for which it does)."""
        kind, (first, last) = self.sought.kind, self.sought.span
        days = [day for day in self._find_days(said, anchor) if first <= day.first and day.last <= last]
        age = self._age(said, anchor)  # what was said yesterday likely still holds
        fresh = 0.5 ** (max(UNDATED if age is None else age, 0) / HALF_LIFE)
        if kind in DAYS and days:
            return max(says.is_open(self._judge(said)), says.FAINT), days[0]
        if kind == "dated" or (not days and age is not None and age > (ASKED if kind == "owed" else WAITED)):
            return 0.0, None
        if kind == "late":
            waits = self._judge(said)["waiting"]  # what did not come
            return waits * LESS * fresh if waits >= STRONG else 0.0, None
        day = days[0] if days else None
        if kind == "owed" and sender and said.text.rstrip().endswith("?"):
            return 1.0, day
        return self._share(said, kind) * fresh, day

    def _share(self, said: lines.MatterLine, kind: str) -> float:
        promised = kind == "waiting" and promises.find_promise(said, self.cues, None, self.cues.idle.__contains__)
        if promised and promised[0] == kind:
            return 1.0
        share = says.says(said.text, kind, self.sought.today, self._judge(said))
        if not share and self.sought.about:  # what is open with somebody may be said in many ways
            share = says.says(said.text, "open", self.sought.today, self._judge(said)) * LESS
        if not share and kind in KIN and (near := self._judge(said)[KIN[kind]]) >= STRONG:
            share = near * LESS
        return share

    def _judge(self, said: lines.MatterLine) -> dict[str, float]:
        if said is not self._judged[0]:  # each sentence is asked about several times in a row
            self._judged = said, says.judge(said.text, self.sought.today, self.doc.language, said.dates)
        return self._judged[1]

    def _find_days(self, said: lines.MatterLine, anchor: date | None) -> list[Date]:
        """The days that a sentence names and does not put in the past; of what is late those by which it was due."""
        if self.sought.kind == "late":
            due = deadlines.find(said, self.cues)
            if due is not None and (anchor is None or due.last >= anchor):
                return [due]
            return self._find_ends(said) or self._find_missed(said, anchor)
        every = [day for day in said.dates if day.relative or day.last != anchor]
        ahead = [day for day in every if not lines.is_past(said, day, self.cues, anchor)]
        if not ahead and anchor is not None:  # "he wrote that he is coming Friday"
            later = [day for day in every if day.relative and day.last > anchor]
            ahead = later if later and says.is_open(self._judge(said)) >= LIKELY else []
        return ahead

    def _age(self, said: lines.MatterLine, anchor: date | None) -> int | None:
        """How many days ago a sentence was written, as far as is known."""
        spoken = max([day.last for day in said.dates] + [anchor or date.min])
        return (self.sought.today - spoken).days if spoken > date.min else None

    def _find_ends(self, said: lines.MatterLine) -> list[Date]:
        """The days on which a sentence says that something went wrong or ended: "ran out 9 Feb"."""
        if not lines.is_likely(said, self.cues):
            return []
        ends, idle = [place + length for place, length in self.cues.likely.find(said.words)], self.cues.idle
        places = [(day, said.place(day.start)) for day in said.dates]
        return [day for day, at in places if any(end <= at and idle.issuperset(said.words[end:at]) for end in ends)]

    def _find_missed(self, said: lines.MatterLine, anchor: date | None) -> list[Date]:
        """The day to come, when it was written, of a sentence that says what was to be done or to come by it."""
        ahead = [day for day in said.dates if anchor is not None and anchor < day.last < self.sought.today]
        shares = self._judge(said) if ahead else {}
        return ahead[-1:] if sum(shares.get(kind, 0.0) for kind in says.DUTIES) >= says.OPEN else []

    def _is_known(self, block: Block, day: Date | None) -> bool:
        """Whether the picture was drawn with as much, even if that is settled by now, or a mark has silenced it."""
        here = [each for line in range(block.line, block.end + 1) for each in self.matters.get(line, ())]
        if day is None or any(each.muted for each in here):
            return bool(here)
        near = [said for first, last, said in self.heard if first <= day.last and day.first <= last]
        return any(_shares(said, [telling(block.text)], LEAST) for said in near) or any(
            each.place != f"{self.doc.path}:{block.line}"  # another line than this one now says when it is
            or (each.first and each.last and each.first <= day.last and day.first <= each.last)
            for each in here
        )

    def _is_unwanted(self, text: str, block: Block) -> bool:
        around = self.around | stems(" ".join(block.path), self.doc.language)
        return bool(self.relevance.quiet(stems(text, self.doc.language), around))


@cached(1)
def _phrases() -> dict[str, CuePhrases]:
    return {name: CuePhrases(listed("matters", name)) for name in ("idle", "excepts")}
