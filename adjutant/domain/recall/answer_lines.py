"""DOMAIN. A file read for a question: which of its lines answer, how well, and how one is told to a person.

What a line covers is the sum of the weights of the question's words in it, in the lines beside it and in what stands
over it: rare words weigh more, everyday ones little, function words nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from adjutant.documents.markdown import boxed, plain
from adjutant.domain.recall.places import LINED
from adjutant.domain.recall.wanted import Wanted
from adjutant.index_ports import Document
from adjutant.language.dates import day_in_name
from adjutant.language.dates import find as find_days
from adjutant.language.figures import figures
from adjutant.language.sentences import sentences

CERTAIN, EVERYDAY = 0.52, 0.9  # the share of a question that an answer covers at least; of one of everyday words
LACKING = 0.65  # and of one that says nothing of a word of it
WORTH = 0.4  # of a near place that is told alone where it shows what is asked for, and beside which news is told
UNTOLD = 0.5  # of what says nothing of what the question is about
NEAREST = 0.03  # of a near place: a word of it, however common
BESIDE, HEADING, NAMES = 0.7, 0.85, 0.6  # of a word in the next line, in the heading, in the file's name or opening
AROUND, REACH = 0.6, 3  # of a word in the same passage, so many lines away
ACROSS = 0.5  # of a word in the passage before or after
NAMELESS, KINDLESS, COMPLETED, DONE, ASIDE, ASKING = 0.6, 0.75, 0.85, 0.92, 0.7, 0.5  # what is left of a score
KIND = 0.8  # of a word for what is asked for, where a line shows it
DOES = 1.25  # of a line that says who does what is asked
SAYS = 1.2  # of a line that says in words, of any language, what is asked for: Preis, deadline
ALIKE, RIVAL = 0.95, 0.8  # of the best score: what says as much, what may say otherwise
# Of the best score, what a later line needs to be news: all names are in it, its own subject, that of its place.
NAMED, ITSELF, LATER = 0.0, 0.45, 0.6
OWN = 0.15  # of a score, for the share of the question that a line covers itself
TERSE = 0.15  # of a score, for the share of a line's words that are asked for
CLOSE = 0.6  # of the best line's share in a passage: what may be the better line
ROOM, AND = 300, " / "  # characters of a near place, and what stands between its lines
MOST_LINES = 400  # of one passage
QUOTE = 300  # characters of one answer
SHORT_PAGE = 12  # passages of a page that goes on about what it began with
SHORT = 160  # characters of a line that is told whole
PROSE = frozenset(("md", "markdown", "txt"))
OLD = frozenset(("zone:archive", "zone:closed", "zone:clipping", "zone:quote"))
UNSURE = frozenset(("zone:template", "zone:example", "zone:code"))  # where nothing is said of anything that is
ROW = re.compile(r"[^:;\n]{1,40}: [^;\n]*;")
_PAIR = re.compile(r"[^\W\d_][\w .()/-]{0,40}: ")
_MARKER = re.compile(r"\A\s*(?:[-*+•>]+|\d{1,3}[.)])\s+")
_FRONT = re.compile(  # the day that a line begins with: 9/29, 2026-11-18, Mon 8 March
    r"\W*((?:[^\W\d_]{2,10}[.,]? )?\d{1,4}(?:[./-]\d{1,2}(?:[./-]\d{0,4})?|\.? [^\W\d_]{3,10}\b(?: \d{4}\b)?))"
)
_BOX = re.compile(r"\[.?\]")


class FoundAnswer(NamedTuple):
    """A line that answers, or may. `line`: its number in the document's text, from 0; `quote`: as it stands there;
    `says`: the same for a person, with what it stands under and the line that completes it; `at`: its line in the file.
    `around`: the same with the lines beside it, from line `since` of the file to line `until`, for where it only may
    answer. `covered`: the share of the question that it covers; `score`: the same, less what speaks against it; `rank`:
    how well it stands beside others. `named`: it has one of the names. `news`: the share of the first answer's score
    that it needs to stand beside that as news, None for never; `own_day`: the day it begins with. `older`: where an
    older line says otherwise; `after`: how it follows the first answer."""

    document: Document
    line: int
    quote: str
    says: str
    around: str
    since: int
    until: int
    rank: float
    score: float
    covered: float
    certain: bool
    named: bool
    news: float | None
    at: int
    own_day: str
    older: str = ""
    after: str = ""

    @property
    def told(self) -> str:
        told = f"{self.after}: {self.says}" if self.after else self.says
        return f"{self.says} (newer than {self.older}, which says otherwise)" if self.older else told

    @property
    def day(self) -> str:
        return self.own_day or (self.document.updated_at or self.document.created_at)[:10]

    @property
    def is_dated(self) -> bool:
        return bool(self.own_day) or day_in_name(self.document.path) is not None


def first_line(document: Document) -> int:
    """The line of its file with which a passage of a knowledge base begins; 0 for what is anchored by a heading."""
    return int(document.anchor) if document.collection == LINED else 0


class _Line(NamedTuple):
    """A line of a file: its passage, its number and place there, its words, whether it is ticked off."""

    document: Document
    number: int
    start: int
    end: int
    words: str
    done: bool

    @property
    def place(self) -> int:
        return self.number + first_line(self.document)


class FileReading:
    """A file, or a part of one, read for a question. `subject`: the question's rarest word."""

    def __init__(
        self, wanted: Wanted, weights: Mapping[str, float], subject: str, passages: Sequence[Document]
    ) -> None:
        self._wanted, self._weights, self._subject = wanted, weights, subject
        self._short = len(passages) <= SHORT_PAGE
        self._lines = [line for each in passages for line in _split(each)]
        self._held = [wanted.match(each.words) for each in self._lines]
        self._over = {each.id: wanted.match(each.title) for each in passages}
        self._names = {each.id: wanted.match(f"{each.names} {' '.join(each.tags)}") for each in passages}
        self._opening = wanted.match("\n".join(each.text for each in passages[:2])[:QUOTE])
        self._records: dict[str, list[int]] = {}
        for at, line in enumerate(self._lines):
            self._records.setdefault(line.document.id, []).append(at)

    def best(self) -> Iterator[FoundAnswer]:
        """The best line of each passage, and what that goes on to say on a later day."""
        for id, record in self._records.items():
            anywhere = self._over[id] or self._names[id] or (self._short and self._opening)
            covered = {at: self._cover(at) for at in record if anywhere or self._held[at]}
            most = max(covered.values(), default=0.0)
            if most < NEAREST:
                continue
            lines = [self._answer(at, share) for at, share in covered.items() if share >= NEAREST]
            close = [each for each in lines if each.covered >= CLOSE * most]
            top = ALIKE * max(each.rank for each in close)
            best = max(close, key=lambda each: (each.own_day if each.rank >= top else "", each.rank))
            yield best
            yield from (each for each in lines if each.own_day > best.own_day)

    # -- what a line covers ----------------------------------------------------------------------------------
    def _look_around(self, at: int, reach: int = REACH) -> dict[str, float]:
        """{word: how well it is held} by a line and what stands around it."""
        id, held = self._lines[at].document.id, dict[str, float]()
        shares = [(NAMES, self._names[id]), (HEADING, self._over[id])]
        near = range(max(at - reach, 0), min(at + reach + 1, len(self._lines)))
        shares += [(self._share(at, other), self._held[other]) for other in near]
        for share, words in shares:
            for word, grade in words.items() if share else ():
                held[word] = max(share * grade, held.get(word, 0.0))
        return held

    def _share(self, at: int, other: int) -> float:
        one, two, far = self._lines[at], self._lines[other], abs(at - other)
        if one.document.id == two.document.id:
            return AROUND if far > 1 else BESIDE if far else 1.0
        apart = far > 1 or one.document.title != two.document.title
        return 0.0 if apart or ROW.match(one.words) or ROW.match(two.words) else ACROSS

    def _cover(self, at: int) -> float:
        """The share of the question that a line covers; what is asked for, a number, covers the words for it."""
        held = self._look_around(at)
        held |= {word: max(NAMES * grade, held.get(word, 0.0)) for word, grade in self._opening.items()}
        if self._held[at] and self._wanted.tells_kind(self._lines[at].words):
            held.update({word: max(KIND, held.get(word, 0.0)) for word in self._wanted.asks})
        covered = sum(weight * held.get(word, 0.0) for word, weight in self._weights.items())
        return covered / sum(self._weights.values())

    # -- how well it answers ---------------------------------------------------------------------------------
    def _answer(self, at: int, covered: float) -> FoundAnswer:
        line, wanted = self._lines[at], self._wanted
        near = self._look_around(at, 1 if self._is_prose(line) else len(self._records[line.document.id])).keys()
        told, shown, cited = self._tell(at)
        named, does, tags = wanted.names <= near, wanted.does(line.words), frozenset(line.document.tags)
        beside = not wanted.topic <= near | self._opening.keys() or (wanted.rest and wanted.rest.isdisjoint(near))
        score = min(covered, UNTOLD) if beside else covered
        score *= (1.0 if named else NAMELESS) * (ASIDE if tags & OLD else 1.0) * (DOES if does else 1.0)
        score *= ASKING if _asks(line.words) and cited == at else 1.0
        missing = not wanted.telling - wanted.asks <= near | wanted.match(line.document.title).keys()
        enough = score >= (LACKING if missing else CERTAIN if wanted.telling else EVERYDAY)
        rank = score * (1.0 if does or wanted.is_shown_by(line.words) else COMPLETED if shown else KINDLESS)
        rank *= (DONE if line.done else 1.0) * (SAYS if wanted.says_kind(line.words) else 1.0)
        rank *= SAYS if not wanted.attribute.isdisjoint(self._held[at]) else 1.0
        itself = sum(self._weights[word] * grade for word, grade in self._held[at].items() if word in self._weights)
        rank *= 1 - OWN + OWN * itself / sum(self._weights.values())
        label = _PAIR.match(line.words)
        rank *= 1 - TERSE + TERSE * wanted.share(label[0] if label else line.words)
        called = {name for name in wanted.names if not name.isdigit()}
        source, alone = self._lines[cited], bool(wanted.shows) and shown and score >= WORTH
        first, last = self._read_around(at, alone=alone)
        return FoundAnswer(
            document=source.document,
            line=source.number,
            quote=source.document.text[source.start : source.end][:QUOTE],
            says=told,
            around=told if first == last else AND.join(say(each.words) for each in self._lines[first : last + 1]),
            since=self._lines[first].place,
            until=self._lines[last].place,
            rank=rank,
            score=min(score, 1.0),
            covered=covered,
            certain=enough and named and shown and not tags & UNSURE,
            named=not called or not wanted.names.isdisjoint(near),
            news=self._news(at) if shown and not line.done and not tags & (OLD | UNSURE) else None,
            at=source.place,
            own_day=_day_of(told if wanted.latest else line.words, wanted),
        )

    def _news(self, at: int) -> float | None:
        """What share of the first answer's score a line needs to be news beside it; None where it says nothing new."""
        line, wanted, held = self._lines[at], self._wanted, self._held[at].keys()
        if not (wanted.others(line.words) or figures(line.words)):
            return None
        about = held | self._over[line.document.id].keys()
        if self._short and line.document.title == self._lines[0].document.title:
            about |= self._opening.keys()
        if wanted.names and wanted.names <= about:
            return NAMED
        subjects = (wanted.rest | wanted.names) & self._weights.keys() & held
        if any(self._weights[word] >= RIVAL * self._weights[self._subject] for word in subjects):
            return ITSELF
        return LATER if self._subject in about else None

    # -- how it is told --------------------------------------------------------------------------------------
    def _tell(self, at: int) -> tuple[str, bool, int]:
        """(the line for a person, with those that complete it; whether it shows what is asked for; which one does)."""
        wanted, line = self._wanted, self._lines[at]
        numbers, record = [at], self._records[line.document.id]
        shows = bool(wanted.shows) and wanted.is_shown_by(line.words)
        pairs = not self._is_prose(line) and all(_PAIR.match(self._lines[each].words) for each in record)
        if len(record) > 1 and pairs and (not shows or wanted.names & self._held[record[0]].keys()):
            whole = not shows and sum(len(self._lines[each].words) for each in record) <= QUOTE
            numbers = record if whole else sorted({record[0], at})
        elif at + 1 < len(self._lines) and not shows:
            leads_on = line.words.rstrip().endswith(":") or _asks(line.words)
            numbers += [at + 1] if leads_on or not (wanted.others(line.words) or figures(line.words)) else []
        texts = [self._lines[each].words for each in numbers]
        cited = next((each for each in numbers if wanted.shows and wanted.is_shown_by(self._lines[each].words)), at)
        if self._lines[cited].document.id != line.document.id:
            cited = at
        told = ("; " if pairs else " ").join(map(say, texts))
        label = line.document.title.rpartition(" › ")[2]
        if label and not self._over[line.document.id].keys() <= wanted.match(told).keys():
            told = f"{label}: {told}"
        return f"{'done: ' if line.done else ''}{told}"[:QUOTE], wanted.is_shown_by(" ".join(texts)), cited

    def _is_prose(self, line: _Line) -> bool:
        return line.document.path.rpartition(".")[2].lower() in PROSE

    def _read_around(self, at: int, *, alone: bool) -> tuple[int, int]:
        """The first and last line there is room for; itself where it says enough `alone`, or is no prose."""
        lines, first, last = self._lines, at, at
        room, title = ROOM - len(lines[at].words), lines[at].document.title
        while not alone and self._is_prose(lines[at]):
            near = [
                new for new in (last + 1, first - 1) if 0 <= new < len(lines) and lines[new].document.title == title
            ]
            fitting = [new for new in near if len(lines[new].words) < room]
            if not fitting:
                break
            new = fitting[0]
            first, last, room = min(first, new), max(last, new), room - len(lines[new].words)
        return first, last


def say(text: str) -> str:
    """A line as a person would read it out: marks gone."""
    return plain(boxed(_MARKER.sub("", " ".join(text.split()), 1))[1])


def _day_of(text: str, wanted: Wanted) -> str:
    """The day that a line begins with, "" for none: what it tells was written then. Of one that is asked for the last
    time of something, the last day that it names."""
    begins = _FRONT.match(text)
    if not wanted.today or not (wanted.latest or begins):
        return ""
    near, told = date.fromisoformat(wanted.today), text if wanted.latest or begins is None else begins[1]
    past = [str(each.first) for each in find_days(told, near) if each.exact and each.first <= near]
    return max(past, default="") if wanted.latest else "".join(past[:1])


def _asks(text: str) -> bool:
    return text.rstrip(" )*_\"'»”").endswith("?")


def _split(document: Document) -> list[_Line]:
    """The lines of a passage: sentences, those of one short line together."""
    found: list[_Line] = []
    text, at, number = document.text, 0, 0
    for each in sentences(text)[:MOST_LINES]:
        number, at = number + text.count("\n", at, each.start), each.start
        last = found[-1] if found and found[-1].number == number else None
        if last is not None and each.end - last.start <= SHORT:
            found[-1] = last._replace(end=each.end, words=f"{last.words} {each.text}")
        else:
            box = _BOX.search(text, text.rfind("\n", 0, each.start) + 1, each.start)
            done = boxed(box[0] if box else "")[0] in ("done", "dropped") or boxed(each.text)[0] == "done"
            found.append(_Line(document, number, each.start, each.end, each.text, done))
    return found
