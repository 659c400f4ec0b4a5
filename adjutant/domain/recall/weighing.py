"""DOMAIN. How documents are ranked that share words with a question: BM25 with what stands near, then the rules.

BM25 as in Robertson and Zaragoza 2009, each term counted once in a document; what its neighbours in the same sitting
say counts for less, and saturates together with its own words. The weights were found on conversations between two
people over months (their best values lie in a broad flat); the second look counts the words of longer texts.
"""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain

from adjutant.store import index_tables as tables
from adjutant.store.index_lookup import IndexRow

K1, B = 0.9, 0.35
NEAR = ((-1, 0.45), (-2, 0.30), (-3, 0.20), (1, 0.25), (2, 0.12), (3, 0.08))  # a question stands before its answer
FAR = max(offset for offset, _ in NEAR)
SITTING, SITTING_HALF = 0.2, 0.7
NAMED, TIMELY, QUESTION = 1.5, 1.2, 0.9
LEVELS = (1.0, 0.7, 0.6, 0.5)
TRUST: dict[object, float] = {0: 1.0, 1: 0.97}  # operator, agent
UNTRUSTED = 0.9
CONCEPT = 1.1
# Of what is kept in files with parts, one part a file is a hit, and what heads it or the file says what it is about. A
# skill is found by its description first; the text below it stands around that.
PAGES, BODIES = frozenset(("agent_skills", "vault_index", "kb")), frozenset(("agent_skills",))
FOLDERS = frozenset(("vault_index", "kb"))  # the operator's own: no stranger's, though nobody vouches for each line
HEAD, AROUND = 0.4, 0.5
PARTS = 2  # of one file, looked at closely
RECENT, HALF_LIFE = 0.05, 60 * 86400.0
FEW = 50  # documents
PRIORS = {"agent_memory": 1.15, "conversations": 0.9, "journal": 0.9}
PRIORS |= dict.fromkeys(("otel_events", "behavior_history", "interaction_taxonomy"), 0.8)
NOTES = "agent_memory"  # a note planted there could always hold one word more than the operator's


def factor(row: IndexRow, collection: str, speaks: Callable[[str], bool], now: float) -> float:
    """What multiplies a score: what kind of document it is, whose, who speaks, how old it is at `now` (0: unknown)."""
    found = PRIORS.get(collection, 1.0) * LEVELS[min(row.level, len(LEVELS) - 1)]
    if not row.place & tables.GROUPED:
        found *= TRUST.get(row.trust, 1.0 if collection in FOLDERS else UNTRUSTED)
    elif speaks(row.names):
        found *= NAMED
    if row.kind & tables.QUESTION:
        found *= QUESTION
    if now and row.created:
        found *= 1 + RECENT * 0.5 ** (max(0.0, now - row.created) / HALF_LIFE)
    return found


def weight(documents: int, stock: int) -> float:
    """How much it tells that a term stands in a document when it does in so many of `stock`."""
    return math.log(1 + (stock - documents + 0.5) / (documents + 0.5)) if documents < stock else 0.1


def rarity(documents: int, stock: int) -> float:
    """The same as a share of what a term of one document weighs, 0 to 1; among few documents no word is common."""
    stock = max(stock, FEW)
    return round(min(1.0, weight(max(documents, 1), stock) / weight(1, stock)), 2)


class Matches:
    """Which document holds which of a question's terms: a mask of bits a place, from one set of places a term."""

    def __init__(self, lists: list[tuple[float, set[int]]]) -> None:
        self.weights = [weight for weight, _ in lists]
        self._sets = [(1 << number, places) for number, (_, places) in enumerate(lists)]
        self._masks: dict[int, int] = {}
        self._values: dict[int, float] = {}
        self._numbers: dict[int, tuple[int, ...]] = {}

    def mask(self, place: int) -> int:
        """The terms that stand in the document itself; call `gather` for its place before."""
        return self._masks.get(place, 0)

    def gather(self, places: set[int]) -> None:
        """Finds out the masks of these places."""
        masks = dict.fromkeys(places, 0)
        for bit, where in self._sets:
            for place in where & places:
                masks[place] |= bit
        self._masks.update(masks)

    def terms(self, mask: int) -> tuple[int, ...]:
        """The numbers of the terms in a mask."""
        if mask not in self._numbers:
            self._numbers[mask] = tuple(number for number in range(len(self.weights)) if mask >> number & 1)
        return self._numbers[mask]

    def value(self, mask: int) -> float:
        """What these terms weigh together."""
        if mask not in self._values:
            self._values[mask] = sum(self.weights[number] for number in self.terms(mask))
        return self._values[mask]

    def best(self, most: int, first: Callable[[int], set[int]]) -> list[int]:
        """The places whose own terms weigh most, at most `most`. Where too many hold the same terms: trusted before
        untrusted, `first(mask)` before others, later before earlier."""
        several, seen = set[int](), set[int]()
        for _, places in self._sets:
            several |= places & seen
            seen |= places
        self.gather(several)
        groups: dict[int, list[int]] = {bit: [] for bit, _ in self._sets}
        for place in several:
            groups.setdefault(self._masks[place], []).append(place)
        alone = dict(self._sets)
        found: list[int] = []
        for mask in sorted(groups, key=self.value, reverse=True):
            room = most - len(found)
            group = [*groups[mask], *alone[mask] - several] if mask in alone else groups[mask]
            if len(group) > room:
                parts = (set[int]() if found else first(mask)).intersection(group), group
                lists = (heapq.nlargest(room, part, key=tables.UNTRUSTED_BIT.__xor__) for part in parts)
                group = sorted(dict.fromkeys(chain(*lists)), key=tables.UNTRUSTED_BIT.__and__)[:room]  # each as it is
            found += group
            if len(found) >= most:
                break
        self.gather(set(found))
        return found

    def likely(self, own: list[int], most: int) -> list[int]:
        """Of these places and those beside them the ones whose score promises most, at most `most`."""
        if not any(place & tables.GROUPED for place in own):
            return own[:most]  # nothing beside them to be found
        amounts = {place: self.value(self._masks[place]) for place in own}
        get = amounts.get
        for place in own:
            if place & tables.GROUPED:
                value = self.value(self._masks[place])
                for offset, share in NEAR:  # seen from the neighbour, this one stands on the other side
                    amounts[place - offset] = get(place - offset, 0.0) + share * value
        found = sorted(amounts, key=amounts.__getitem__, reverse=True)[:most]
        self.gather({place + offset for place in found if place & tables.GROUPED for offset in range(-FAR, FAR + 1)})
        return found

    def sittings(self, places: Iterable[int]) -> dict[int, float]:
        """What each sitting says of the question as a whole, from these of its documents."""
        counts = defaultdict[int, Counter[int]](Counter)
        for place in places:
            if place & tables.GROUPED:
                counts[place >> tables.SEATS].update(self.terms(self._masks[place]))
        told = {sitting: [(self.weights[at], many) for at, many in tally.items()] for sitting, tally in counts.items()}
        return {at: sum(one * many / (many + SITTING_HALF) for one, many in each) for at, each in told.items()}

    def near(self, place: int) -> list[tuple[float, int]]:
        """(share, terms) of the neighbours that hold any; none for a document that stands for itself."""
        if not place & tables.GROUPED:
            return []
        masks = self._masks
        return [(share, masks[place + offset]) for offset, share in NEAR if masks.get(place + offset)]

    def score(self, place: int, length: float) -> float:
        """BM25 of the document and, for less, of its neighbours. `length`: against the average of its collection."""
        own, near, norm = self._masks[place], self.near(place), 1 / (1 - B + B * length)
        if not near:
            return self.value(own) * norm * (K1 + 1) / (norm + K1)
        amounts = dict.fromkeys(self.terms(own), norm)
        for share, mask in near:
            for number in self.terms(mask):
                amounts[number] = amounts.get(number, 0.0) + share
        return sum(self.weights[number] * amount * (K1 + 1) / (amount + K1) for number, amount in amounts.items())
