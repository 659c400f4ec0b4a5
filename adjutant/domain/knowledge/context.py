"""What surrounds a unit: readings of all units, what its file and headings say it is, what of the heart they touch."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date

import msgspec

from adjutant.domain.knowledge import dates, lexicon, reading
from adjutant.domain.knowledge.dates import Found
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.reading import Reading
from adjutant.domain.knowledge.relevance import COLUMN, FOLDER, HEAD, KB, LINE, NAME, REST, Relevance, Touch
from adjutant.domain.knowledge.structure import Document, Field, Unit

BOILERPLATE_FILES = 2
CONDITIONS = frozenset(
    ["if", "when", "in", "suppose", "assuming", "hvis", "dersom", "når", "i", "wenn", "falls", "im", "bei"]
)
QUIET_ITEMS = 3  # of a file in a quiet zone, at the least, before its other items are quiet with them
INDIRECT = 0.46  # what the file and the knowledge base around a line can add at most
REFERENCE_DAYS = 60
CODE = re.compile(r"`[^`\n]{1,80}`|^```|\{%|\{\{", re.MULTILINE)
PARTS = ("priority", "concern")
CAMEL = re.compile(r"(?<=[a-zæøåäöü])(?=[A-ZÆØÅÄÖÜ])|[_\-./\\]+|\s+")
LABEL = re.compile(r"^\W*([^:]{2,40}):\s")
GLOSS = re.compile(r"^\s*(?:[-*+]\s+)?(?:\*\*?[^*]{2,40}\*\*?|_[^_]{2,40}_|`[^`]{1,30}`)\s*(?::|–|—|=|-\s)")


class Place(msgspec.Struct):
    """A document with everything its units share."""

    doc: Document
    readings: list[Reading]
    found: list[list[Found]]
    touches: list[Touch]
    name: Touch
    folder: Touch
    meta: Touch
    heads: dict[tuple[str, ...], Touch]
    kinds: frozenset[str]  # of the file's own name and title
    head_kinds: dict[tuple[str, ...], frozenset[str]]
    rest: Counter[str] = msgspec.field(default_factory=Counter)
    glossary: bool = False
    reference: bool = False  # documentation: timeless prose about how something works
    columns: dict[tuple[str, ...], Touch] = msgspec.field(default_factory=dict)
    scores: dict[int, tuple[float, int, float]] = msgspec.field(default_factory=dict)
    stems: dict[int, frozenset[str]] = msgspec.field(default_factory=dict)
    sequences: dict[tuple[int, int], frozenset[int]] = msgspec.field(default_factory=dict)
    quiet_share: tuple[float, int] | None = None
    said: dict[int, Counter[str]] = msgspec.field(default_factory=dict)  # wordings of a section's log lines
    runs: dict[tuple[int, int], bool] = msgspec.field(default_factory=dict)  # whether a block is a run of remarks
    log_days: dict[int, list[date]] = msgspec.field(default_factory=dict)  # sorted days of a section's entries
    settled: int = 0  # line of an addendum that ends well; 0: none


class Base:
    """A knowledge base's documents, read."""

    def __init__(
        self,
        docs: Sequence[Document],
        lex: Lexicon,
        relevance: Relevance,
        kb: str,
        description: str,
        today: date,
        horizon: int = 14,
    ) -> None:
        self.lex, self.relevance, self.today, self.horizon = lex, relevance, today, horizon
        self.kb = kb
        self._keys: dict[tuple[str, str], bool] = {}
        language = docs[0].language if docs else "en"
        self.kb_touch = relevance.touch(lexicon.tokens(_spaced(kb) + " " + description), language)
        seen: Counter[str] = Counter()
        for doc in docs:
            seen.update({line.strip() for line in doc.lines if len(line.strip()) > 8})
        self.repeated = {line for line, count in seen.items() if count >= BOILERPLATE_FILES}
        self.places = {doc.file.path: self._place(doc) for doc in docs}
        self.share = 0.0
        self.share = self._share()
        for place in self.places.values():
            place.scores.clear()  # they were made without the share
        self.folders = _dated_folders(docs)

    def _share(self) -> float:
        """Which part of the files serves the heart by name, heading or line; the rest inherits a little of it."""
        served = total = 0
        for place in self.places.values():
            units = [n for n, u in enumerate(place.doc.units) if not self.is_filler(place, u)][:60]
            if not units:
                continue
            total += 1
            served += any(self.relevance_of(place, n)[0] >= 0.75 for n in units)
        return served / total if total else 0.0

    def _place(self, doc: Document) -> Place:
        readings, found, touches = [], [], []
        for unit in doc.units:
            text = self._said(unit, doc.language)
            days = dates.find(unit.text, unit.day, self.today, self.lex, doc.language)
            near = any(abs((f.day - self.today).days) <= 21 for f in days if f.grain == "day")
            read = reading.read(text, self.lex, doc.language, has_date=near)
            for event in read.events:
                if event.bad and self.relevance.names(read.tokens[event.at].text, doc.language):
                    event.weight *= 0.5  # "the recall", "the strike": what the matter is called is no news of it
            readings.append(read)
            found.append(days)
            said = read.tokens if not unit.fields else lexicon.tokens(unit.text)
            touches.append(self.relevance.touch(said, doc.language))
        stem_name, _, _ = doc.file.path.rpartition("/")
        leaf = doc.file.path.rsplit("/", 1)[-1].rpartition(".")[0] or doc.file.path
        title_words = lexicon.tokens(_spaced(leaf) + " . " + doc.title)
        meta_words = lexicon.tokens(" . ".join(f.value for f in doc.meta if not _id_like(f.key)))
        place = Place(
            doc,
            readings,
            found,
            touches,
            name=self.relevance.touch(title_words, doc.language),
            folder=self.relevance.touch(lexicon.tokens(_spaced(stem_name)), doc.language),
            meta=self.relevance.touch(meta_words, doc.language),
            heads={},
            kinds=self._head_kinds(title_words, doc.language)
            | self._head_kinds(lexicon.tokens(_spaced(stem_name)), doc.language),
            head_kinds={},
        )
        for unit in doc.units:
            if unit.headings not in place.heads:
                words = lexicon.tokens(" . ".join(_spaced(h) for h in unit.headings))
                place.heads[unit.headings] = self.relevance.touch(words, doc.language)
                place.head_kinds[unit.headings] = self._head_kinds(words, doc.language)
        for touch in touches:
            place.rest.update({f"{i}:{w}" for i, words in touch.words.items() for w in words})
        place.reference = self._is_reference(doc, found)
        place.glossary = sum(1 for line in doc.lines if GLOSS.match(line)) >= 2
        return place

    def _is_reference(self, doc: Document, found: Sequence[Sequence[Found]]) -> bool:
        """Documentation and settings: long or full of code, and nothing in it has a day of these weeks."""
        if any(abs((f.day - self.today).days) <= REFERENCE_DAYS for days in found for f in days if f.grain != "month"):
            return False
        if doc.day is not None and abs((self.today - doc.day).days) <= REFERENCE_DAYS:
            return False
        if any(self.lex.role(f.key, doc.language) & {"due", "status"} for f in doc.meta) or doc.mail or doc.chat:
            return False
        if doc.units and doc.units[0].kind == "record":
            return len(doc.units) >= 12 or sum(len(u.fields) for u in doc.units) >= 40
        prose = [u for u in doc.units if u.kind in ("para", "item")]
        code = len(CODE.findall(doc.file.text[:200_000])) + sum(1 for u in doc.units if u.kind == "code")
        return code >= 6 or (len(doc.head_lines) >= 5 and len(prose) >= 30)

    def _said(self, unit: Unit, language: str) -> str:
        """The part of a row or record that says something: no key, no one-word cell, no column of titles or quotes."""
        if not unit.fields or unit.kind not in ("row", "record"):
            return unit.text
        said = []
        for f in unit.fields:
            value = f.value.strip()
            if not value or not any(c.isalpha() for c in value):
                continue
            if self._example_key(f.key, language):
                continue
            roles = self.lex.role(f.key, language)
            if len(value.split()) > 1 or "status" in roles or not f.key:
                said.append(value)
        return " . ".join(said)

    def _example_key(self, key: str, language: str) -> bool:
        known = self._keys.get((key, language))
        if known is None:
            known = self._keys[(key, language)] = "example" in self._head_kinds(lexicon.tokens(key), language)
        return known

    def columns_of(self, place: Place, unit: Unit) -> Touch:
        """What the column names of a row touch: they belong to every row under them."""
        if not unit.fields:
            return Touch()
        keys = tuple(f.key for f in unit.fields)
        if keys not in place.columns:
            words = lexicon.tokens(" . ".join(_spaced(key) for key in keys))
            place.columns[keys] = self.relevance.touch(words, place.doc.language)
        return place.columns[keys]

    def _head_kinds(self, words: Sequence[lexicon.Token], language: str) -> frozenset[str]:
        kinds = self.lex.head_kinds(words, language)
        said = tuple(t.text for t in words[:4])
        for name in {language, "en"} & set(self.lex.languages):
            for opener in self.lex.languages[name].openers:
                if said[: len(opener)] == opener and opener[0] in CONDITIONS:
                    return kinds | {"example"}  # "When the alarm rings", "Hvis strømmen går"
        return kinds

    def label_kinds(self, text: str, language: str) -> frozenset[str]:
        """What a line's own label ("Error codes: ...") says it is."""
        label = LABEL.match(text)
        if not label or len(label[1].split()) > 5:
            return frozenset()
        return self._head_kinds(lexicon.tokens(label[1]), language)

    def relevance_of(self, place: Place, index: int) -> tuple[float, int, float]:
        """(score, item, line-only score) of a unit against priorities and concerns."""
        known = place.scores.get(index)
        if known is None:
            known = place.scores[index] = self._relevance_of(place, index)
        return known

    def _relevance_of(self, place: Place, index: int) -> tuple[float, int, float]:
        own = place.touches[index]
        unit = place.doc.units[index]
        parent = unit.parent
        above = Touch()
        while parent >= 0:
            above.add(place.touches[parent])
            parent = place.doc.units[parent].parent
        places = [
            (LINE, own),
            (COLUMN, self.columns_of(place, unit)),
            (HEAD, above),
            (HEAD, place.heads[unit.headings]),
            (NAME, place.name),
            (FOLDER, place.folder),
            (HEAD * 0.9, place.meta),
        ]
        if unit.kind != "task":  # a box in a mixed list is about what it says, not about what its neighbours say
            places += [(KB, self.kb_touch), (REST, self._others(place, own))]
        score, item = self.relevance.best(places, PARTS)
        direct, direct_item = self.relevance.best([(LINE, own)], PARTS)
        if self.relevance.open:
            return 1.0, -1, 1.0
        if unit.kind != "task" or unit.fields:
            near, _ = self.relevance.best(places[:-2] if unit.kind != "task" else places, PARTS)
            score = max(near, min(score + 0.45 * self.share, near + INDIRECT))
        if direct >= 1.0 and direct_item != item and direct + 0.3 >= score:
            item = direct_item
        return score, item, direct

    def _others(self, place: Place, own: Touch) -> Touch:
        """Heart words that stand elsewhere in the file."""
        other = Touch()
        for key in place.rest:
            index, _, word = key.partition(":")
            if word not in own.words.get(int(index), ()):
                other.words.setdefault(int(index), set()).add(word)
        return other

    def quiet(self, place: Place, index: int) -> str:
        """The quiet zone that mutes a unit, or ""."""
        own, unit = place.touches[index], place.doc.units[index]
        named = [(NAME, place.name), (HEAD, place.heads[unit.headings]), (FOLDER, place.folder), (KB, self.kb_touch)]
        line, which = self._quiet_words([(LINE, own)])
        direct, _ = self._words([(LINE, own)])
        if line >= 1.0 and line + 0.1 >= direct:  # what its file and knowledge base are called does not unmute a line
            return self.relevance.items[which].text
        around, which = self._quiet_words(named)
        concerned, _ = self._words(named)
        if around >= 0.7 and around > concerned and direct < 1.0:
            return self.relevance.items[which].text
        share, which = self._quiet_share(place)
        if share > 0.5 and direct < 1.0 and concerned < 0.5:
            return self.relevance.items[which].text
        return ""

    def _quiet_share(self, place: Place) -> tuple[float, int]:
        """The share of a file's items in a quiet zone: more than half make all of it quiet; 0 where too few are."""
        if place.quiet_share is not None:
            return place.quiet_share
        hits, total, which = 0, 0, -1
        for unit, touch in zip(place.doc.units, place.touches, strict=True):
            if unit.kind in ("code", "quote") or self.is_filler(place, unit):
                continue
            total += 1
            score, item = self._quiet_words([(LINE, touch)])
            if score >= 1.0:
                hits, which = hits + 1, item
        place.quiet_share = (hits / total if hits >= QUIET_ITEMS else 0.0), which
        return place.quiet_share

    def _quiet_words(self, places: Sequence[tuple[float, Touch]]) -> tuple[float, int]:
        return self.relevance.best([(w, Touch(words=t.words)) for w, t in places], ("quiet",))

    def _words(self, places: Sequence[tuple[float, Touch]]) -> tuple[float, int]:
        return self.relevance.best([(w, Touch(words=t.words)) for w, t in places], PARTS)

    def dates_of(self, doc: Document, f: Field) -> list[Found]:
        """The days a frontmatter value names."""
        return dates.find(f.value, doc.day, self.today, self.lex, doc.language) if len(f.value) <= 40 else []

    def stale_row(self, place: Place, index: int) -> bool:
        """A row of a long counted sequence (night 185, night 186, ...) that is not among its last three."""
        unit = place.doc.units[index]
        if unit.kind not in ("row", "para", "item") or unit.dated:
            return False
        last = place.sequences.get((unit.table, unit.section))
        if last is None:
            last = place.sequences[(unit.table, unit.section)] = _sequence_tail(place.doc, unit)
        return bool(last) and index not in last

    def short_of(self, place: Place, index: int) -> bool:
        """Whether a statement names a number wanted and a smaller number there."""
        unit = place.doc.units[index]
        if unit.fields or sum(c.isdecimal() for c in unit.text) < 1:
            return False
        spoken = self.lex.languages[place.doc.language]
        words = [t.text for t in place.readings[index].tokens]
        return reading.falls_short(words, spoken.wanted, spoken.got, spoken.dates["numbers"])

    def is_filler(self, place: Place, unit: Unit) -> bool:
        """A line that stands in several files word for word says nothing about any of them."""
        line = place.doc.lines[unit.line - 1].strip() if unit.line <= len(place.doc.lines) else ""
        return line in self.repeated and not dates.ISO.search(line)


COUNTED = re.compile(r"^\W*(?:[^\W\d]+\s+)?(\d{1,6})\b")


def counted(doc: Document, indices: Sequence[int]) -> bool:
    """Whether these units count upwards, one by one, at their head: a log without dates."""
    numbers = [int(m[1]) for i in indices if (m := COUNTED.match(doc.units[i].text))]
    if len(numbers) < max(6, 0.9 * len(indices)):
        return False
    steps = [b - a for a, b in itertools.pairwise(numbers)]
    return all(s > 0 for s in steps) and sum(1 for s in steps if s == steps[0]) >= 0.7 * len(steps)


def _sequence_tail(doc: Document, unit: Unit) -> frozenset[int]:
    """The last three units of the counted sequence a unit stands in; empty where it stands in none."""
    same = [
        n
        for n, u in enumerate(doc.units)
        if (u.table, u.section, u.kind) == (unit.table, unit.section, unit.kind) and not u.dated
    ]
    return frozenset(same[-3:]) if len(same) >= 8 and counted(doc, same) else frozenset()


def _dated_folders(docs: Sequence[Document]) -> dict[str, list[Document]]:
    """Folders of three or more files that carry a day in their name: each is one log, oldest first."""
    folders: dict[str, list[Document]] = {}
    for doc in docs:
        if doc.day is not None and dates.from_name(doc.file.path.rsplit("/", 1)[-1], doc.day):
            folders.setdefault(doc.file.path.rpartition("/")[0], []).append(doc)
    return {
        name: sorted(found, key=lambda d: (d.day or date.min, d.file.path))
        for name, found in folders.items()
        if len(found) >= 3
    }


def _spaced(name: str) -> str:
    return " ".join(CAMEL.split(name))


def _id_like(key: str) -> bool:
    return key.lower() in ("id", "uuid", "tags", "author", "created", "hash", "url", "from", "to", "cc")
