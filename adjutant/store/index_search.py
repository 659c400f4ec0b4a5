"""FILES. One question put to the tables: which documents hold its rarer words, and in what order they answer it."""

from __future__ import annotations

import json
import sqlite3

from adjutant.ports import Hit
from adjutant.store import index_rank as rank
from adjutant.store import index_tables as tables
from adjutant.store.index_query import Asked, Called, Term, asked, beginnings, root
from adjutant.store.index_rules import Candidate, Sought, look, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from adjutant.ports import Query

# A word that stands in more documents than this (and than one in SHARE) is looked up only beside a rarer one.
COMMON, SHARE = 800, 30
MOST_LISTS = 24  # the rarest words of a long text
FIRST, SECOND, SURPLUS = 100, 64, 6  # places found by their words, and scored; documents looked at beyond the limit
FOR_EACH = 4  # places for each hit that is wanted, at least
OLDER = 5000  # places looked at when only what is new enough counts

_COUNTED = "SELECT count(*) FROM (SELECT 1 FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"
_PLACES = """SELECT json_group_array(rowid) FROM
    (SELECT rowid FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"""
_NEWEST = """SELECT json_group_array(rowid) FROM (SELECT rowid FROM found WHERE found MATCH ? AND rowid >= ? AND
    rowid < ? ORDER BY rowid DESC LIMIT ?)"""
_FEATURES = """SELECT place, words, kind, names, level, trust, created FROM documents
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
                "SELECT number, name, documents, words FROM collections JOIN totals ON number = collection"):
            if name in query.collections and documents:
                self._names[number], self._lengths[number] = name, words / documents
                self._priors[number] = rank.PRIORS.get(name, 1.0)
                self._stock += documents
        self._ranges = _joined(sorted(self._priors))

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

    def _places(self, statement: str, match: str, most: int) -> set[int]:
        found = set[int]()
        for first, after in self._ranges:
            (text,) = self._db.execute(statement, (match, first, after, most)).fetchone()
            found.update(json.loads(text))
        return found

    def _count(self, match: str, most: int) -> int:
        return sum(self._db.execute(_COUNTED, (match, first, after, most)).fetchone()[0]
                   for first, after in self._ranges)

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

    # -- in what order they answer ---------------------------------------------------------------------------

    def _ranked(self, read: Asked, listed: list[_Listed]) -> list[Hit]:
        listed = [_Listed(each.term, each.match, each.count, each.places) for each in listed]
        self._beside(listed)
        matches = rank.Matches([(rank.weight(each.count, self._stock), each.places or set()) for each in listed])
        candidates = self._candidates(read, matches, listed)
        sought = [Sought(root(each.term.word.removesuffix("…")), matches.weights[number])
                  for number, each in enumerate(listed)]
        total = sum(matches.weights)
        for candidate in candidates:
            look(candidate, sought, total)
            if self._query.concept and self._query.concept in candidate.document.concepts:
                candidate.score *= rank.CONCEPT
                candidate.rules.append(f"about {self._query.concept}")
        words = [(each.term.word, rank.rarity(each.count, self._stock)) for each in listed]
        return [Hit(each.document, each.score, self._why(each, matches, words))
                for each in ordered(candidates, self._query.limit)]

    def _candidates(self, read: Asked, matches: rank.Matches, listed: list[_Listed]) -> list[Candidate]:
        most, second = max(FIRST, FOR_EACH * self._query.limit), max(SECOND, FOR_EACH * self._query.limit)
        if self._query.since:
            most = second = OLDER
        own = matches.best(most, self._titled(listed))
        sittings = matches.sittings(own)
        scored = []
        places = matches.likely(own, second)
        called = Called(read.words)
        rows = self._db.execute(_FEATURES, (json.dumps(places), self._since))
        for place, words, kind, names, level, trust, created in rows:
            score = matches.score(place, words / self._lengths[place >> rank.COLLECTION])
            score *= self._priors[place >> rank.COLLECTION] * rank.LEVELS[min(level, 3)]
            if place & rank.GROUPED:
                score += rank.SITTING * sittings.get(place >> rank.SEATS, 0.0)
            else:
                score *= rank.TRUST.get(trust, rank.UNTRUSTED)
            if called.by(names):
                score *= rank.NAMED
            if kind & tables.QUESTION:
                score *= rank.QUESTION
            if read.timely and kind & tables.TELLS_TIME:
                score *= rank.TIMELY
            if self._now and created:
                score *= 1 + rank.RECENT * 0.5 ** (max(0, self._now - created) / rank.HALF_LIFE)
            scored.append((score, place, created))
        scored.sort(reverse=True)
        scored = self._fair(scored)
        whole = self._whole([place for _, place, _ in scored])
        return [Candidate(place, whole[place], matches.mask(place), score, created)
                for score, place, created in scored if place in whole]

    def _fair(self, scored: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
        """The first of these; strangers' documents, however many, do not take the room of others."""
        most = self._query.limit + SURPLUS
        strange = [each for each in scored if each[1] & rank.UNTRUSTED_BIT]
        return [each for each in scored if not each[1] & rank.UNTRUSTED_BIT][:most] + strange[:most] if strange \
            else scored[:most]

    def _titled(self, listed: list[_Listed]) -> Callable[[int], set[int]]:
        """Which documents of many with the same words have them in their title: asked for only when it decides."""
        def titled(mask: int) -> set[int]:
            terms = [each.match for number, each in enumerate(listed) if mask >> number & 1]
            return self._places(_NEWEST, " AND ".join(f"title : ({match})" for match in terms), FIRST)
        return titled if not self._query.concepts else lambda mask: set()

    def _whole(self, places: list[int]) -> dict[int, Any]:
        rows = self._db.execute(_WHOLE, (json.dumps(places),))
        return {place: tables.document(self._names[place >> rank.COLLECTION], path, created, values)
                for place, path, created, *values in rows}

    def _why(
        self, candidate: Candidate, matches: rank.Matches, words: list[tuple[str, float]],
    ) -> dict[str, Any]:
        near = 0
        for _, mask in matches.near(candidate.place):
            near |= mask
        document = candidate.document
        terms = [each for number, each in enumerate(words) if candidate.mask >> number & 1]
        return {
            "terms": [word for word, _ in terms], "rarity": [rarity for _, rarity in terms],
            "near": [word for number, (word, _) in enumerate(words) if near & ~candidate.mask >> number & 1],
            "fields": candidate.fields,
            "concept": self._query.concept if self._query.concept in document.concepts else None,
            "prior": rank.PRIORS.get(document.collection, 1.0), "rules": candidate.rules,
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
