"""DOMAIN. The line that answers a question: the one that covers most of its words and shows what it asks for.

What a line covers is the sum of the weights of the question's words in it, in the lines beside it and in what stands
over it: rare words weigh more, everyday ones little, function words nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from adjutant.documents.markdown import boxed, plain
from adjutant.domain.recall.lines import ScoredLine, SoughtRoot, revises
from adjutant.domain.recall.question import root
from adjutant.domain.recall.showing import place
from adjutant.domain.recall.wanted import Wanted
from adjutant.index_ports import Document, Hit
from adjutant.language.dates import day_in_name
from adjutant.language.figures import figures
from adjutant.language.sentences import sentences
from adjutant.language.stems import stems

CERTAIN, EVERYDAY = 0.52, 0.9  # the share of a question that an answer covers at least; of one of everyday words
NEAREST = 0.25  # and of a line that is named as a near place
BESIDE, HEADING, NAMES = 0.7, 0.85, 0.6  # of a word in the next line, in the heading, in the file's name or opening
AROUND, REACH = 0.6, 3  # of a word in the same passage, so many lines away
ACROSS = 0.5  # of a word in the passage before or after
NAMELESS, KINDLESS, COMPLETED, DONE, ASIDE, ASKING = 0.6, 0.75, 0.85, 0.92, 0.7, 0.5  # what is left of a score
KIND = 0.8  # of a word for what is asked for, where a line shows it
DOES = 1.25  # of a line that says who does what is asked
ALIKE, RIVAL, LATER = 0.95, 0.8, 0.6  # of the best score: what says as much, what may say otherwise, what is news
BELOW = float("inf")  # what is news only where it goes on below the first answer
TERSE = 0.15  # of a score, for the share of a line's words that are asked for
OPENED = 3  # hits whose file is read as a whole
CLOSE = 0.6  # of the best line's share in a passage: what may be the better line
BEFORE, AFTER = 12, 48  # passages of one file around one that is found
MOST_LINES = 400  # of one passage
MOST, QUOTE = 2, 300  # answers; characters of one
SHORT_PAGE = 12  # passages of a page that goes on about what it began with
SHORT = 160  # characters of a line that is told whole
PROSE = frozenset(("md", "markdown", "txt"))
OLD = frozenset(("zone:archive", "zone:closed", "zone:clipping", "zone:quote"))
UNSURE = frozenset(("zone:template", "zone:example", "zone:code"))  # where nothing is said of anything that is
_PAIR = re.compile(r"[^\W\d_][\w .()/-]{0,40}: ")
_ROW = re.compile(r"[^:;\n]{1,40}: [^;\n]*;")
_MARKER = re.compile(r"\A\s*(?:[-*+•>]+|\d{1,3}[.)])\s+")
_DATED = re.compile(r"\W{0,3}\d{1,4}[./-]\d{1,2}(?:[./-]\d{0,4})?\s*[:–—-]\s")
_BOX = re.compile(r"\[.?\]")
Beside = Callable[[Document], Sequence[Document]]


class FoundAnswer(NamedTuple):
    """A line that answers, or may. `line`: its number in the document's text, from 0; `quote`: as it stands there.

    `says`: the same for a person, with what it stands under and the line that completes it. `score`: the share of the
    question that is covered. `news`: the share of the first answer's that it needs to stand beside that as news, None
    for never; `at`: its line in the file. `older`: where an older line says otherwise; `after`: how it follows
    the first answer.
    """

    document: Document
    line: int
    quote: str
    says: str
    score: float
    certain: bool
    news: float | None = None
    at: int = 0
    older: str = ""
    after: str = ""

    @property
    def told(self) -> str:
        """What it says, and that it is newer than something else, where it is."""
        if self.older:
            return f"{self.says} (newer than {self.older}, which says otherwise)"
        return f"{self.after}: {self.says}" if self.after else self.says

    @property
    def day(self) -> str:
        """When it was written."""
        return (self.document.updated_at or self.document.created_at)[:10]


class _Line(NamedTuple):
    """A line of a file: its passage, its number and place there, its words, whether it is ticked off."""

    document: Document
    number: int
    start: int
    end: int
    words: str
    done: bool


def find(wanted: Wanted, hits: Sequence[Hit], beside: Beside) -> list[FoundAnswer]:
    """At most two answers that are certain, or the two nearest places; `beside`: the other documents of one's file."""
    rarity: dict[str, float] = {}
    for hit in hits:
        rarity.update(hit.why["rarity"])
    weights = wanted.weights(rarity)
    if not sum(weights.values()):
        return []
    subject = max(weights, key=lambda word: weights[word] if word in rarity else 0.0)
    found = [each for file in _files(hits, beside) for each in _FileReading(wanted, weights, subject, file).best()]
    found.sort(key=lambda each: -round(each[0], 3))  # as good ones in the ranker's order
    candidates = [each for _, each in found]
    certain = [(rank, each) for rank, each in found if each.certain]
    if not certain:
        return _apart([each for each in candidates if each.score >= NEAREST])
    alike = [each for rank, each in certain if rank >= ALIKE * certain[0][0]]
    first = max(alike, key=lambda each: each.day)  # of those that say as much the newest, and of these the best
    others = [each for rank, each in certain if rank >= RIVAL * certain[0][0] and _differ(each, first)]
    sought = [SoughtRoot(root(word), weight) for word, weight in weights.items()]
    if news := [each for each in candidates if _is_news(each, first)]:
        last = max(news, key=lambda each: (each.day, each.document.path, each.at))
        if last.document.path == first.document.path:
            label = last.document.title.rpartition(" › ")[2]
            return [first, last._replace(says=last.says.removeprefix(f"{label}: "), after="Below", certain=True)]
        after = f"Newer, {last.day}" if _is_newer(last, first) else ""
        return [first, last._replace(after=after, certain=True)]
    for each in others:
        if _is_newer(first, each) and _contradict(first, each, sought):
            return [first._replace(older=place(each.document))]
    return [first, *others][:MOST]


def _is_news(one: FoundAnswer, other: FoundAnswer) -> bool:
    """Whether it may say how things stand now: it goes on below the other, or tells as much and is not older."""
    if one.news is None or not _differ(one, other) or one.says in other.says or _is_newer(other, one):
        return False
    if one.document.path == other.document.path and one.document.title == other.document.title:
        return one.at > other.at
    return one.score >= one.news * other.score and (one.day >= other.day or _undated(other))


def _is_newer(one: FoundAnswer, other: FoundAnswer) -> bool:
    """Whether it is known to be written later: on a later day, or further down in one file. A file without a day may
    have been changed since in any of its lines."""
    here = one.document.path == other.document.path
    if here and (one.day == other.day or one.document.title == other.document.title):
        return one.at > other.at
    return one.day > other.day and not (_undated(one) and not _undated(other))


def _undated(one: FoundAnswer) -> bool:
    return day_in_name(one.document.path) is None


def _contradict(newer: FoundAnswer, older: FoundAnswer, sought: Sequence[SoughtRoot]) -> bool:
    """Whether the newer line may say how it stands now with what the older one says; no row does of another."""
    if _ROW.match(newer.quote) and newer.document.path == older.document.path:
        return False
    return revises(*(ScoredLine(each.quote, each.score, sought) for each in (newer, older)))


def _apart(found: Sequence[FoundAnswer]) -> list[FoundAnswer]:
    """The first two that differ."""
    return [*found[:1], *(each for each in found[1:] if _differ(each, found[0]))][:MOST]


def _differ(one: FoundAnswer, other: FoundAnswer) -> bool:
    return _sayings(one.says) != _sayings(other.says)


def _sayings(text: str) -> frozenset[str]:
    """What a line says, whatever its wording: its stems and its figures."""
    return stems(text) | {each.text for each in figures(text)}


def _files(hits: Sequence[Hit], beside: Beside) -> Iterator[list[Document]]:
    """The passages of the first files in their order, of a long one those near the one found; of the others that."""
    seen = set[tuple[str, str]]()
    for number, hit in enumerate(hits):
        found = hit.document
        if (found.collection, found.id) in seen:
            continue
        passages = [found]
        if number < OPENED and found.anchor.isdigit():
            every = sorted(beside(found), key=lambda each: int(each.anchor))
            at = next((number for number, each in enumerate(every) if each.id == found.id), 0)
            passages = every[max(at - BEFORE, 0) : at + AFTER] or passages
        seen.update((each.collection, each.id) for each in passages)
        yield passages


class _FileReading:
    """A file, or a part of one, read for a question."""

    def __init__(
        self,
        wanted: Wanted,
        weights: dict[str, float],
        subject: str,
        passages: Sequence[Document],
    ) -> None:
        self.wanted, self.weights, self.subject = wanted, weights, subject
        self.short = len(passages) <= SHORT_PAGE
        self.lines = [line for each in passages for line in _lines(each)]
        self.held = [wanted.held(each.words) for each in self.lines]
        self.over = {each.id: wanted.held(each.title) for each in passages}
        opening = wanted.held(passages[0].text[:QUOTE])
        self.names = {each.id: wanted.held(f"{each.names} {' '.join(each.tags)}") for each in passages}
        self.opening = opening

    def best(self) -> Iterator[tuple[float, FoundAnswer]]:
        """(rank, answer) of the best line of each passage."""
        passages: dict[str, list[tuple[float, int]]] = {}
        for at, line in enumerate(self.lines):
            if self.held[at] or self.over[line.document.id] or (self.short and self.opening):
                passages.setdefault(line.document.id, []).append((self._covered(at), at))
        for lines in passages.values():
            most = max(lines)[0]
            if most >= NEAREST:
                found = [self._answer(at, covered) for covered, at in lines if covered >= CLOSE * most]
                yield max(found, key=lambda each: each[0])

    def _around(self, at: int, reach: int = REACH) -> dict[str, float]:
        """{word: how well it is held} by a line and what stands around it."""
        line = self.lines[at]
        over = self.over[line.document.id]
        held = {word: NAMES * grade for word, grade in self.names[line.document.id].items()}
        for other in range(max(at - reach, 0), min(at + reach + 1, len(self.lines))):
            share = self._share(at, other)
            for word, grade in self.held[other].items() if share else ():
                held[word] = max(share * grade, held.get(word, 0.0))
        for word, grade in over.items():
            held[word] = max(HEADING * grade, held.get(word, 0.0))
        return held

    def _share(self, at: int, other: int) -> float:
        """How much a word in another line says of this one."""
        one, two = self.lines[at], self.lines[other]
        if at == other:
            return 1.0
        if one.document.id == two.document.id:
            return BESIDE if abs(at - other) == 1 else AROUND
        rows = _ROW.match(one.words) or _ROW.match(two.words)
        return 0.0 if rows or abs(at - other) > 1 or one.document.title != two.document.title else ACROSS

    def _answer(self, at: int, score: float) -> tuple[float, FoundAnswer]:
        line, wanted = self.lines[at], self.wanted
        told, shown, cited = self._told(at)
        named = wanted.names <= self._around(at, 1).keys()
        tags = set(line.document.tags)
        score *= (1.0 if named else NAMELESS) * (ASIDE if tags & OLD else 1.0)
        if _asks(line.words) and cited == at:
            score *= ASKING
        if does := wanted.does(line.words):
            score *= DOES
        certain = score >= (CERTAIN if wanted.telling else EVERYDAY) and named and shown and not tags & UNSURE
        itself = does or wanted.shown(line.words)
        rank = score * (1.0 if itself else COMPLETED if shown else KINDLESS) * (DONE if line.done else 1.0)
        rank *= 1 - TERSE + TERSE * wanted.share(line.words)
        about = self.held[at].keys() | self.over[line.document.id].keys()
        about |= self.opening.keys() if self.short else set()
        news = None
        if shown and not line.done and not tags & (OLD | UNSURE) and (wanted.others(line.words) or figures(line.words)):
            named_here = bool(wanted.names) and wanted.names <= about
            news = (
                0.0 if named_here else LATER if self.subject in about else BELOW if self._is_entry(line.words) else None
            )
        line = self.lines[cited]
        quote = line.document.text[line.start : line.end][:QUOTE]
        stands = line.number + (int(line.document.anchor) if line.document.anchor.isdigit() else 0)
        return rank, FoundAnswer(line.document, line.number, quote, told, min(score, 1.0), certain, news, stands)

    def _is_entry(self, text: str) -> bool:
        """Whether a line of a short page begins with its day: what the page is about goes on there."""
        return self.short and _DATED.match(text) is not None

    def _covered(self, at: int) -> float:
        """The share of the question that a line covers, with what stands around it; what is asked for, a telephone's
        number, covers the words for it, whatever its column is called."""
        held = self._around(at)
        for word, grade in self.opening.items():
            held[word] = max(NAMES * grade, held.get(word, 0.0))
        if self.held[at] and self.wanted.tells_kind(self.lines[at].words):
            held.update({word: max(KIND, held.get(word, 0.0)) for word in self.wanted.asks})
        covered = sum(weight * held.get(word, 0.0) for word, weight in self.weights.items())
        return covered / sum(self.weights.values())

    def _told(self, at: int) -> tuple[str, bool, int]:
        """(the line for a person, with those that complete it; whether it shows what is asked for; which one does)."""
        wanted, line = self.wanted, self.lines[at]
        numbers = [at]
        record = [number for number, each in enumerate(self.lines) if each.document.id == line.document.id]
        shows = bool(wanted.shows) and wanted.shown(line.words)
        prose = line.document.path.rpartition(".")[2].lower() in PROSE
        pairs = not prose and all(_PAIR.match(self.lines[each].words) for each in record)
        if len(record) > 1 and pairs and not shows:
            whole = sum(len(self.lines[each].words) for each in record) <= QUOTE
            numbers = record if whole else sorted({record[0], at})
        elif at + 1 < len(self.lines) and not shows and self._leads_on(line.words):
            numbers.append(at + 1)
        texts = [self.lines[each].words for each in numbers]
        shown = wanted.shown(" ".join(texts))
        cited = next((each for each in numbers if wanted.shows and wanted.shown(self.lines[each].words)), at)
        if self.lines[cited].document.id != line.document.id:
            cited = at
        told = ("; " if pairs else " ").join(map(said, texts))
        label = line.document.title.rpartition(" › ")[2]
        if label and not self.over[line.document.id].keys() <= wanted.held(told).keys():
            told = f"{label}: {told}"
        return f"{'done: ' if line.done else ''}{told}"[:QUOTE], shown, cited

    def _leads_on(self, text: str) -> bool:
        """Whether a line leaves to the next one what is asked."""
        return text.rstrip().endswith(":") or _asks(text) or not self.wanted.others(text)


def _asks(text: str) -> bool:
    """Whether a line is a question."""
    return text.rstrip(" )*_\"'»”").endswith("?")


def _lines(document: Document) -> list[_Line]:
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


def said(text: str) -> str:
    """A line as a person would read it out: marks gone."""
    return plain(boxed(_MARKER.sub("", " ".join(text.split()), 1))[1])
