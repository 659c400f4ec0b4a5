"""FILES. One question put to the tables: which documents hold its rarer words, and in what order they answer it."""

from __future__ import annotations

import json
import sqlite3

from adjutant.ports import Hit
from adjutant.store import index_rank as rank
from adjutant.store import index_tables as tables
from adjutant.store.index_lines import Sought
from adjutant.store.index_query import Asked, Called, Term, asked, beginnings, root
from adjutant.store.index_rules import NOTES, Candidate, look, ordered
from adjutant.store.index_words import superseding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from adjutant.ports import Query

# A word that stands in more documents than this (and than one in SHARE) is looked up only beside a rarer one.
COMMON, SHARE = 800, 30
MOST_LISTS = 24  # the rarest words of a long text
FIRST, SECOND, SURPLUS = 100, 64, 6  # places found by their words, and scored; documents looked at beyond the limit
NEWEST, HALF = 4, 0.5  # and the newest of the others that score half of what the best does: one may revise it
FOR_EACH = 4  # places for each hit that is wanted, at least
OLDER = 5000  # places looked at when only what is new enough counts

_COUNTED = "SELECT count(*) FROM (SELECT 1 FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"
_PLACES = """SELECT json_group_array(rowid) FROM
    (SELECT rowid FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"""
_NEWEST = """SELECT json_group_array(rowid) FROM (SELECT rowid FROM found WHERE found MATCH ? AND rowid >= ? AND
    rowid < ? ORDER BY rowid DESC LIMIT ?)"""
_FEATURES = """SELECT place, file, words, kind, names, level, trust, created FROM documents
    WHERE place IN (SELECT value FROM json_each(?)) AND created >= ? AND NOT superseded"""
_WHOLE = f"""SELECT place, path, created, {", ".join(f"documents.{name}" for name in tables.FIELDS)}
    FROM documents JOIN files ON files.id = file
    WHERE place IN (SELECT value FROM json_each(?))"""


def search(db: sqlite3.Connection, query: Query) -> list[Hit]:
    """At most `query.limit` hits, best first. Raises sqlite3.DatabaseError."""
    return _Search(db, query).hits() if query.limit > 0 else []


class _Listed:
    """A term and where it stands: `places` is None for one that stands in too many documents to be listed."""

    __slots__ = ("count", "match", "places", "term")

    def __init__(self, term: Term, match: str, count: int, places: set[int] | None) -> None:
        self.term, self.match, self.count, self.places = term, match, count, places


class _Search:
    def __init__(self, db: sqlite3.Connection, query: Query) -> None:
        self._db, self._query = db, query
        self._now = tables.seconds(query.now) if query.now else 0
        self._since = tables.seconds(query.since) if query.since else -(1 << 40)
        self._names: dict[int, str] = {}
        self._priors: dict[int, float] = {}
        self._lengths: dict[int, float] = {}
        self._stock = 0
        for number, name, documents, words in db.execute(
            "SELECT number, name, documents, words FROM collections JOIN totals ON number = collection"
        ):
            if name in query.collections and documents:
                self._names[number], self._lengths[number] = name, words / documents
                self._priors[number] = rank.PRIORS.get(name, 1.0)
                self._stock += documents
        self._ranges = _joined(sorted(self._priors))
        self._pages = _joined(sorted(number for number, name in self._names.items() if name in rank.PAGES))
        self._bodies = _joined(sorted(number for number, name in self._names.items() if name in rank.BODIES))

    def hits(self) -> list[Hit]:
        read = asked(self._query.text)
        if not self._ranges or not read.terms:
            return []
        within = ""
        if self._query.concepts:
            within = " OR ".join(f'"{tables.concept_token(concept)}"' for concept in self._query.concepts)
        for terms in (read.terms, beginnings(read)):
            listed = [each for term in terms if (each := self._listed(term, within)).count]
            if not listed:
                continue
            listed = sorted(listed, key=lambda each: each.count)[:MOST_LISTS]
            found = self._ranked(read, listed)
            if len(found) < self._query.limit and any(each.places is None for each in listed):
                for each in listed:
                    if each.places is None:
                        each.places = self._places(_NEWEST, each.match, self._stock if self._query.since else OLDER)
                found = self._ranked(read, listed)
            if found:
                return found
        return []

    # -- where the words stand -------------------------------------------------------------------------------

    def _listed(self, term: Term, within: str) -> _Listed:
        match = f"({within}) AND ({term.match})" if within else term.match
        common = max(COMMON, self._stock // SHARE)
        try:
            places = self._places(_PLACES, match, common + 1)
        except sqlite3.OperationalError as error:
            if "phrase queries" not in str(error):
                raise
            return _Listed(term, match, 0, set())  # two words to the tokenizer, which knows an older Unicode
        if len(places) <= common:
            return _Listed(term, match, len(places), places)
        return _Listed(term, match, self._count(match, max(2 * common, self._stock // 8)), None)

    def _places(
        self,
        statement: str,
        match: str,
        most: int,
        ranges: list[tuple[int, int]] | None = None,
    ) -> set[int]:
        found = set[int]()
        for first, after in self._ranges if ranges is None else ranges:
            (text,) = self._db.execute(statement, (match, first, after, most)).fetchone()
            found.update(json.loads(text))
        return found

    def _count(self, match: str, most: int) -> int:
        return sum(
            self._db.execute(_COUNTED, (match, first, after, most)).fetchone()[0] for first, after in self._ranges
        )

    def _beside(self, listed: list[_Listed]) -> None:
        """Common words, looked up only where a rarer one stands; in all places where there are none."""
        rare = [each for each in listed if each.places is not None]
        if not rare:
            listed[0].places = self._places(_NEWEST, listed[0].match, 2 * max(COMMON, self._stock // SHARE))
            rare = [listed[0]]
        most = sum(each.count for each in rare)
        beside = " OR ".join(f"({each.match})" for each in rare)
        for each in listed:
            if each.places is None:
                each.places = self._places(_PLACES, f"({each.match}) AND ({beside})", most)

    def _fields(self, listed: list[_Listed]) -> list[tuple[float, set[int]]]:
        """Weight and places of each term where a document says it itself; then of each as it heads a page, then of
        each as it only stands around one."""
        said = [(rank.weight(each.count, self._stock), each.places or set[int]()) for each in listed]
        heads, around = [], []
        most = max(COMMON, self._stock // SHARE)
        for number, each in enumerate(listed if self._pages else ()):
            weight, places = said[number]
            heading = self._places(_PLACES, f"{{title names}} : ({each.term.match})", most, self._pages)
            heads.append((rank.HEAD * weight, heading & places))
            beside = places & self._places(_PLACES, f"context : ({each.term.match})", most, self._bodies)
            beside -= self._places(_PLACES, f"- context : ({each.term.match})", most, self._bodies)
            around.append((rank.AROUND * weight, beside))
            said[number] = rank.weight(each.count - len(beside), self._stock), places - beside
        return [*said, *heads, *around]

    # -- in what order they answer ---------------------------------------------------------------------------

    def _ranked(self, read: Asked, listed: list[_Listed]) -> list[Hit]:
        listed = [_Listed(each.term, each.match, each.count, each.places) for each in listed]
        self._beside(listed)
        matches = rank.Matches(self._fields(listed))
        candidates = self._candidates(read, matches, listed)
        sought = [
            Sought(root(each.term.word.removesuffix("…")), matches.weights[number])
            for number, each in enumerate(listed)
        ]
        total = sum(each.weight for each in sought)
        for candidate in candidates:
            look(candidate, sought, total, read.figure)
            if self._query.concept and self._query.concept in candidate.document.concepts:
                candidate.score *= rank.CONCEPT
                candidate.rules.append(f"about {self._query.concept}")
        words = [(each.term.word, rank.rarity(each.count, self._stock)) for each in listed]
        return [
            Hit(each.document, each.score, self._why(each, matches, words))
            for each in ordered(candidates, self._query.limit)
        ]

    def _candidates(self, read: Asked, matches: rank.Matches, listed: list[_Listed]) -> list[Candidate]:
        most, second = max(FIRST, FOR_EACH * self._query.limit), max(SECOND, FOR_EACH * self._query.limit)
        if self._query.since:
            most = second = OLDER
        best = matches.best(most, self._titled(listed))
        sittings = matches.sittings(best)
        scored: list[tuple[float, int, int]] = []
        pages: dict[int, int] = {}
        places = matches.likely(best, second)
        called = Called(read.words)
        rows = self._db.execute(_FEATURES, (json.dumps(places), self._since))
        for place, file, words, kind, names, level, trust, created in rows:
            score = matches.score(place, words / self._lengths[place >> rank.COLLECTION])
            score *= self._priors[place >> rank.COLLECTION] * rank.LEVELS[min(level, 3)]
            if place & rank.GROUPED:
                score += rank.SITTING * sittings.get(place >> rank.SEATS, 0.0)
                if called.by(names):
                    score *= rank.NAMED
            else:
                score *= rank.TRUST.get(trust, rank.UNTRUSTED)
                if self._names[place >> rank.COLLECTION] in rank.PAGES:
                    pages[place] = file
            if kind & tables.QUESTION:
                score *= rank.QUESTION
            if read.timely and kind & tables.TELLS_TIME:
                score *= rank.TIMELY
            if self._now and created:
                score *= 1 + rank.RECENT * 0.5 ** (max(0, self._now - created) / rank.HALF_LIFE)
            scored.append((score, place, created))
        scored.sort(reverse=True)
        scored = self._fair(rank.few_of_each(scored, lambda each: pages.get(each[1])))
        whole = self._whole([place for _, place, _ in scored])
        for place in self._replaced(whole):
            del whole[place]
        own = (1 << len(listed)) - 1
        return [
            Candidate(place, whole[place], matches.mask(place) & own, score, created)
            for score, place, created in scored
            if place in whole
        ]

    def _fair(self, scored: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
        """The first of these; strangers' documents, however many, do not take the room of others."""
        most = self._query.limit + SURPLUS
        strange = [each for each in scored if each[1] & rank.UNTRUSTED_BIT]
        mine = [each for each in scored if not each[1] & rank.UNTRUSTED_BIT] if strange else scored
        late = [each for each in mine[most:] if each[0] >= HALF * mine[0][0]]
        return mine[:most] + sorted(late, key=lambda each: -each[2])[:NEWEST] + strange[:most]

    def _titled(self, listed: list[_Listed]) -> Callable[[int], set[int]]:
        """Which documents of many with the same words have them in their title: asked for only when it decides."""

        def titled(mask: int) -> set[int]:
            terms = [each.match for number, each in enumerate(listed) if mask >> number & 1]
            return self._places(_NEWEST, " AND ".join(f"title : ({match})" for match in terms), FIRST)

        return titled if not self._query.concepts else lambda mask: set()

    def _whole(self, places: list[int]) -> dict[int, Any]:
        rows = self._db.execute(_WHOLE, (json.dumps(places),))
        return {
            place: tables.document(self._names[place >> rank.COLLECTION], path, created, values)
            for place, path, created, *values in rows
        }

    def _replaced(self, whole: dict[int, Any]) -> list[int]:
        """Notes that another one says it supersedes, though they do not say so themselves."""
        words = {place: superseding(each.id) for place, each in whole.items() if each.collection == NOTES}
        if not words:
            return []
        (number,) = (number for number, name in self._names.items() if name == NOTES)
        match = f"extra : ({' OR '.join(words.values())})"
        newer = self._places(_PLACES, match, len(words), [tables.rooms(number)])
        said = {tag for each in self._whole(list(newer)).values() for tag in each.tags}
        return [place for place, word in words.items() if word in said]

    def _why(
        self,
        candidate: Candidate,
        matches: rank.Matches,
        words: list[tuple[str, float]],
    ) -> dict[str, Any]:
        near = matches.mask(candidate.place) >> 2 * len(words)  # as `_fields` has them
        for _, mask in matches.near(candidate.place):
            near |= mask
        document = candidate.document
        terms = [each for number, each in enumerate(words) if candidate.mask >> number & 1]
        around = [each for number, each in enumerate(words) if near & ~candidate.mask >> number & 1]
        return {
            "terms": [word for word, _ in terms],
            "rarity": [rarity for _, rarity in terms],
            "near": [word for word, _ in around],
            "near_rarity": [rarity for _, rarity in around],
            "fields": candidate.fields,
            "concept": self._query.concept if self._query.concept in document.concepts else None,
            "prior": rank.PRIORS.get(document.collection, 1.0),
            "rules": candidate.rules,
        }


def _joined(numbers: list[int]) -> list[tuple[int, int]]:
    """The ranges of these collections, those side by side as one."""
    found: list[tuple[int, int]] = []
    for first, after in map(tables.rooms, numbers):
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], after)
        else:
            found.append((first, after))
    return found
