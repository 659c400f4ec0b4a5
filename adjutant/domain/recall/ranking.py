"""DOMAIN. The ranker on the folder's own index: which documents hold a question's rarer words, in what order."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from adjutant.domain.recall import weighing as rank
from adjutant.domain.recall.ordering import SearchCandidate, SoughtRoot, order, prepare
from adjutant.domain.recall.question import Term, beginnings, read_question, root, seek_speakers, tells_time
from adjutant.index_ports import Document, Hit, Query
from adjutant.store import index_tables as tables
from adjutant.store.index_lookup import IndexRow, Lookup

# A word that stands in more documents than this (and than one in SHARE) is looked up only beside a rarer one.
COMMON, SHARE = 800, 30
MOST_LISTS = 24  # the rarest words of a long text
FIRST, SECOND, SURPLUS = 100, 64, 6  # places found by their words, and scored; documents looked at beyond the limit
NEWEST, HALF = 4, 0.5  # and the newest of the others that score half of what the best does: one may revise it
FOR_EACH = 4  # places for each hit that is wanted, at least
# Shares of the words' score and of the likeness, each against the best in the answer: found on three long
# conversations. Together they gain; one loses .002 of its MRR, one .004 of its recall at 10. From .65 to .8 the
# difference is small.
WORDS, MEANING = 0.75, 0.25
WIDER = 30  # hits by words beyond the limit that likeness may lift into it
CLOSE = 100  # documents looked at for their likeness alone
NARROWED = 20  # times as many where concepts or a day leave most of them out
LIKE = 0.35  # by likeness alone nothing is found below this: most pairs of unrelated texts stay under .2
ANSWERS = 1  # the bit of a candidate that answers in either way; those above it are the question's terms
OLDER = 5000  # places looked at when only what is new enough counts


def search(lookup: Lookup, query: Query, held: Mapping[str, Iterable[str]] | None = None) -> list[Hit]:
    """At most `query.limit` hits, best first: by words, and by meaning where documents have vectors. `held`:
    {collection: ids} of the documents in which alone words are looked for. Raises sqlite3.DatabaseError."""
    if query.limit <= 0:
        return []
    within, likeness = None if held is None else lookup.places_of(held), lookup.likeness(query)
    if likeness:
        found = _Search(lookup, query._replace(limit=query.limit + WIDER), within).mix(likeness, query.limit)
    else:
        found = _Search(lookup, query, within).find()
    return [each.hit(query.concept) for each in found]


class _Listed(NamedTuple):
    """A term and where it stands: `places` is None for one that stands in too many documents to be listed."""

    term: Term
    match: str
    many: int
    places: set[int] | None


class _Search:
    def __init__(self, lookup: Lookup, query: Query, held: set[int] | None) -> None:
        self._lookup, self._query, self._held = lookup, query, held
        self._read = read_question(query.text, wider=query.wider)
        self._speaks = seek_speakers(self._read.words)
        self._now = tables.seconds(query.now) if query.now else 0
        stock = [each for each in lookup.stock if each.name in query.collections]
        self._names = {each.number: each.name for each in stock}
        self._lengths = {each.number: each.words / each.documents for each in stock}
        self._ranges = _join(self._names)
        self._pages = _join(number for number, name in self._names.items() if name in rank.PAGES)
        self._bodies = _join(number for number, name in self._names.items() if name in rank.BODIES)
        concepts = " OR ".join(f'"{tables.label_token(concept)}"' for concept in query.concepts)
        parts = [concepts, f'"{tables.label_token(query.tag)}"' if query.tag else ""]
        self._within = " AND ".join(f"({part})" for part in parts if part)
        self._but = lookup.find_in_file(query.but) if query.but else set[int]()
        self._stock = sum(each.documents for each in stock)
        if query.tag:
            self._stock = lookup.count(self._within, self._ranges, self._stock)
        self._common = max(COMMON, self._stock // SHARE)

    def find(self) -> list[SearchCandidate]:
        if not self._ranges or not self._read.terms:
            return []
        for terms in (self._read.terms, beginnings(self._read)):
            every = (each for term in terms if (each := self._list(term)).many)
            listed = sorted(every, key=lambda each: each.many)[:MOST_LISTS]
            found = self._rank(self._beside(listed)) if listed else []
            if listed and len(found) < self._query.limit and any(each.places is None for each in listed):
                most = self._stock if self._query.since else OLDER
                found = self._rank([self._fill(each, self._newest, each.match, most) for each in listed])
            if found:
                return found
        return []

    # -- where the words stand -------------------------------------------------------------------------------
    def _list(self, term: Term) -> _Listed:
        match = f"({self._within}) AND ({term.match})" if self._within else term.match
        places = self._lookup.places(match, self._ranges, self._common + 1)
        if len(places) <= self._common:
            return _Listed(term, match, len(places), self._leave(places))
        most = max(2 * self._common, self._stock // 8)
        return _Listed(term, match, self._lookup.count(match, self._ranges, most), None)

    def _places(self, match: str, most: int, ranges: list[tuple[int, int]] | None = None) -> set[int]:
        return self._leave(self._lookup.places(match, self._ranges if ranges is None else ranges, most))

    def _newest(self, match: str, most: int) -> set[int]:
        return self._leave(self._lookup.places(match, self._ranges, most, newest=True))

    def _leave(self, places: set[int]) -> set[int]:
        return (places if self._held is None else places & self._held) - self._but

    def _fill(self, listed: _Listed, look: Callable[[str, int], set[int]], match: str, most: int) -> _Listed:
        return listed if listed.places is not None else listed._replace(places=look(match, most))

    def _beside(self, listed: list[_Listed]) -> list[_Listed]:
        """Common words, looked up only where a rarer one stands; in all places where there are none."""
        first, *others = listed
        if all(each.places is None for each in listed):
            listed = [self._fill(first, self._newest, first.match, 2 * self._common), *others]
        rare = [each for each in listed if each.places is not None]
        beside, most = " OR ".join(f"({each.match})" for each in rare), sum(each.many for each in rare)
        return [self._fill(each, self._places, f"({each.match}) AND ({beside})", most) for each in listed]

    def _fields(self, listed: list[_Listed]) -> list[tuple[float, set[int]]]:
        """Weight and places of each term where a document says it, where it heads a page, where it is around."""
        said = [(rank.weight(each.many, self._stock), each.places or set[int]()) for each in listed]
        heads, around, most = [], [], self._common
        for number, each in enumerate(listed if self._pages else ()):
            weight, places = said[number]
            heading = self._places(f"{{title names}} : ({each.term.match})", most, self._pages)
            heads.append((rank.HEAD * weight, heading & places))
            beside = places & self._places(f"context : ({each.term.match})", most, self._bodies)
            beside -= self._places(f"- context : ({each.term.match})", most, self._bodies)
            around.append((rank.AROUND * weight, beside))
            said[number] = rank.weight(each.many - len(beside), self._stock), places - beside
        return [*said, *heads, *around]

    # -- in what order they answer ---------------------------------------------------------------------------
    def _rank(self, listed: list[_Listed]) -> list[SearchCandidate]:
        matches = rank.Matches(self._fields(listed))
        words = [each.term.word for each in listed]
        rarity = {each.term.word: rank.rarity(each.many, self._stock) for each in listed}
        candidates = self._look_up(matches, listed)
        weighed = [(each.term.word, matches.weights[at]) for at, each in enumerate(listed)]
        prepare(candidates, weighed, self._read, self._query)
        for each in candidates:
            own, near = each.mask, matches.mask(each.place) >> 2 * len(words)  # as `_fields` has them
            for _, mask in matches.near(each.place):
                near |= mask
            each.rarity = rarity
            each.terms = [word for at, word in enumerate(words) if own >> at & 1]
            each.near = [word for at, word in enumerate(words) if near & ~own >> at & 1]
        return order(candidates, self._query.limit)

    def mix(self, likeness: dict[tuple[str, str], float], limit: int) -> list[SearchCandidate]:
        """The best by words and by what means much the same, in one order; the rules of `ordering` hold as before."""
        lookup, query, by_words = self._lookup, self._query, self.find()
        most = CLOSE * (NARROWED if query.concepts or query.since else 1)
        near = lookup.meaning(query, likeness, LIKE, most)
        meant = {place: each for place, each in near.items() if place not in self._but}
        found = {each.place: each for each in by_words}
        rows = {row.place: row for row in lookup.rows({*found, *meant}, query.since, query.level)}
        for place in meant.keys() & rows.keys() - found.keys() - self._find_replaced(meant):
            found[place] = SearchCandidate(place, meant[place], 0, 0.0, rows[place].created)
            found[place].sought = [SoughtRoot(root(term.word), 1.0) for term in self._read.terms]
        names = {place: (each.document.collection, each.document.id) for place, each in found.items()}
        alike = {place: likeness.get(name, 0.0) for place, name in names.items()}
        weighed = {place: like * self._factor(rows[place]._replace(kind=0), 0) for place, like in alike.items()}
        top, best = max((each.score for each in by_words), default=0.0) or 1.0, max(LIKE, *weighed.values(), 0.0)
        for place, each in found.items():
            each.mask = each.mask << 1 | ANSWERS
            each.score = WORDS * each.score / top + MEANING * max(weighed[place], 0.0) / best
            if alike[place] >= LIKE:
                each.rules.append(f"means much the same ({alike[place]:.2f})")
        return order(list(found.values()), limit)

    def _factor(self, row: IndexRow, now: float) -> float:
        return rank.factor(row, self._names[row.place >> tables.COLLECTION], self._speaks, now)

    def _look_up(self, matches: rank.Matches, listed: list[_Listed]) -> list[SearchCandidate]:
        most, second = max(FIRST, FOR_EACH * self._query.limit), max(SECOND, FOR_EACH * self._query.limit)
        if self._query.since:
            most = second = OLDER
        best = matches.best(most, partial(self._find_titled, listed))
        sittings = matches.sittings(best)
        scored: list[tuple[float, int, int]] = []
        pages: dict[int, int] = {}
        rows = self._lookup.rows(matches.likely(best, second), self._query.since, self._query.level)
        said = self._lookup.texts(row.place for row in rows if row.place & tables.GROUPED) if self._read.timely else {}
        timely = {place for place, text in said.items() if tells_time(text)}
        for row in rows:
            number = row.place >> tables.COLLECTION
            score = matches.score(row.place, row.words / self._lengths[number])
            if row.place & tables.GROUPED:
                score += rank.SITTING * sittings.get(row.place >> tables.SEATS, 0.0)
            elif self._names[number] in rank.PAGES:
                pages[row.place] = row.file
            score *= self._factor(row, self._now)
            scored.append((score * (rank.TIMELY if row.place in timely else 1.0), row.place, row.created))
        scored.sort(reverse=True)
        shown, few = Counter[int](), []  # of each page some parts alone
        for each in scored:
            page = pages.get(each[1], 0)
            shown[page] += 1
            few += [each] if not page or shown[page] <= rank.PARTS else []
        scored = self._fair(few)
        whole = self._lookup.documents(place for _, place, _ in scored)
        replaced = self._find_replaced(whole)
        own = (1 << len(listed)) - 1
        kept = [each for each in scored if each[1] in whole and each[1] not in replaced]
        return [SearchCandidate(place, whole[place], matches.mask(place) & own, score, at) for score, place, at in kept]

    def _fair(self, scored: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
        """The first of these; strangers' documents, however many, do not take the room of others."""
        most = self._query.limit + SURPLUS
        strange = [each for each in scored if each[1] & tables.UNTRUSTED_BIT]
        mine = [each for each in scored if not each[1] & tables.UNTRUSTED_BIT] if strange else scored
        late = [each for each in mine[most:] if each[0] >= HALF * mine[0][0]]
        return mine[:most] + sorted(late, key=lambda each: -each[2])[:NEWEST] + strange[:most]

    def _find_titled(self, listed: list[_Listed], mask: int) -> set[int]:
        """Which documents of many with the same words have them in their title: asked for only when it decides."""
        if self._within:
            return set()
        terms = [each.match for number, each in enumerate(listed) if mask >> number & 1]
        return self._newest(" AND ".join(f"title : ({match})" for match in terms), FIRST)

    def _find_replaced(self, whole: dict[int, Document]) -> set[int]:
        """Notes that another one says it supersedes, though they do not say so themselves."""
        words = {place: tables.superseding(each.id) for place, each in whole.items() if each.collection == rank.NOTES}
        if not words:
            return set()
        said = self._lookup.tags(words.values())
        return {place for place, word in words.items() if word in said}


def _join(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The ranges of these collections, those side by side as one."""
    found: list[tuple[int, int]] = []
    for first, after in map(tables.rooms, sorted(numbers)):
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], after)
        else:
            found.append((first, after))
    return found
