"""OUTSIDE. The answers of several searches made one ranking: BM25, then the rules that the index keeps to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from adjutant.ports import Document, Hit, Query
from adjutant.store import index_rank as rank
from adjutant.store import index_tables as tables
from adjutant.store.index_lines import Sought
from adjutant.store.index_query import Asked, Called, root
from adjutant.store.index_rules import Candidate, look, ordered
from adjutant.store.index_words import superseding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

K1, B = 1.2, 0.75  # BM25's usual constants
WEIGHTS = {"s_title": 3.0, "s_text": 1.0, "s_tags": 1.0, "s_names": 1.0, "s_context": 0.4}  # of a word in this field
SURPLUS = 16  # documents looked at closely beyond the limit
OWN_WEIGHT, NEAR_WEIGHT = 2, 1  # by which the server says where a word was found
OWN = ("s_title", "s_text", "s_tags", "s_names")


class Tally:
    """What the searches found: how rare each token is, which documents hold which, what belongs together.

    A token of several words stands for all of them. `tokens`: those asked for, as `beginnings` of longer ones or whole;
    a mask has a bit for each. A document is (collection, id).
    """

    def __init__(self, tokens: Sequence[str], beginnings: bool = False) -> None:
        self.tokens, self._beginnings = list(tokens), beginnings
        self._found: dict[tuple[str, str], _Found] = {}
        self._holding, self._sizes = Counter[str](), dict[str, int]()

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, token: str, collection: str, answer: Mapping[str, Any]) -> None:
        """The answer to one search. Raises KeyError, TypeError for what is none."""
        bit, hits, own = 1 << self.tokens.index(token), answer["hits"], 0
        for hit in hits:
            found = self._found.setdefault((collection, hit["document"]["id"]), _Found(hit["document"]))
            if _is_own(hit):
                found.own |= bit
                own += 1
            else:
                found.near |= bit
        # Of more than one page the share that is seen stands for the rest.
        self._holding[token] += answer["found"] if len(hits) == own else round(answer["found"] * own / len(hits))
        self._sizes[collection] = answer["out_of"]

    def weights(self) -> list[float]:
        """Of the tokens, in their order."""
        stock = sum(self._sizes.values())
        return [rank.weight(self._holding[token], stock) for token in self.tokens]

    def rarities(self) -> list[float]:
        """Of the tokens, in their order."""
        stock = sum(self._sizes.values())
        return [rank.rarity(self._holding[token], stock) for token in self.tokens]

    def times(self, token: str, counts: Counter[str]) -> int:
        """How often a field with these words holds the token."""
        if self._beginnings:
            return sum(count for word, count in counts.items() if word.startswith(token))
        return min(counts[word] for word in token.split()) if " " in token else counts[token]

    def best(self, most: int) -> list[tuple[str, str]]:
        """The documents whose tokens weigh most; of those alike, the trusted first."""
        weights = self.weights()

        def order(place: tuple[str, str]) -> tuple[float, bool]:
            found = self._found[place]
            near = WEIGHTS["s_context"] * _worth(found.near & ~found.own, weights)
            return -_worth(found.own, weights) - near, found.untrusted

        return sorted(self._found, key=order)[:most]

    def sittings(self) -> dict[str, float]:
        """What each group says of the question as a whole."""
        counts: dict[str, Counter[int]] = {}
        for found in self._found.values():
            if found.group:
                numbers = (number for number in range(len(self.tokens)) if found.own >> number & 1)
                counts.setdefault(found.group, Counter()).update(numbers)
        weights = self.weights()
        return {
            group: sum(weights[n] * count / (count + rank.SITTING_HALF) for n, count in tally.items())
            for group, tally in counts.items()
        }


class _Found:
    """A document that some search named: masks of the tokens in its own words and near it."""

    __slots__ = ("group", "near", "own", "untrusted")

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.own = self.near = 0
        self.group, self.untrusted = row.get("group", ""), row.get("trust") == "untrusted"


def _is_own(hit: Mapping[str, Any]) -> bool:
    """The token stands in a field of the document's own, which weigh more than its context; so too when untold."""
    return bool(hit.get("text_match_info", {}).get("best_field_weight", OWN_WEIGHT) != NEAR_WEIGHT)


def ranked(
    query: Query,
    asked: Asked,
    words: Mapping[str, str],
    tally: Tally,
    now: float,
    found: Sequence[tuple[Document, int, Mapping[str, str]]],
) -> list[Hit]:
    """The best `query.limit` of `found`: documents with their moment (seconds since the epoch) and searched fields.

    `words`: {token: the word as people see it}. `now`: seconds since the epoch, 0 when unknown.
    """
    weights, sittings = tally.weights(), tally.sittings()
    counted = [
        (document, created, {name: Counter(text.split()) for name, text in fields.items()})
        for document, created, fields in found
    ]
    lengths = [sum(each.total() for each in fields.values()) for _, _, fields in counted]
    usual = (sum(lengths) / len(lengths) if lengths else 0) or 1.0
    sought = [Sought(root(words[token]), value) for token, value in zip(tally.tokens, weights, strict=True)]
    total = sum(weights)
    called, candidates = Called(asked.words), []
    for place, ((document, created, fields), length) in enumerate(zip(counted, lengths, strict=True)):
        score, mask = _bm25(tally, weights, fields, length / usual)
        if score:
            score += rank.SITTING * sittings.get(document.group, 0.0)
            score *= _factor(document, created, called, asked.timely, now)
            candidates.append(Candidate(-place, document, mask, score, created))
    candidates.sort(key=lambda each: -each.score)
    candidates = rank.few_of_each(candidates, _page)
    trusted = [each for each in candidates[query.limit + SURPLUS :] if each.document.trust != "untrusted"]
    candidates = candidates[: query.limit + SURPLUS] + trusted[:SURPLUS]
    said = {tag for document, _, _ in found for tag in document.tags}
    candidates = [each for each in candidates if superseding(each.document.id) not in said]
    for candidate in candidates:
        look(candidate, sought, total, asked.figure)
        if query.concept and query.concept in candidate.document.concepts:
            candidate.score *= rank.CONCEPT
            candidate.rules.append(f"about {query.concept}")
    told = [(words[token], rare) for token, rare in zip(tally.tokens, tally.rarities(), strict=True)]
    return [_hit(query, each, told) for each in ordered(candidates, query.limit)]


def _bm25(
    tally: Tally,
    weights: list[float],
    fields: Mapping[str, Counter[str]],
    length: float,
) -> tuple[float, int]:
    """The score, and a mask of the tokens in the document's own words."""
    score, mask, norm = 0.0, 0, K1 * (1 - B + B * length)
    for number, token in enumerate(tally.tokens):
        times = {name: tally.times(token, counts) for name, counts in fields.items()}
        if " " in token and (every := min(sum(fields[name][word] for name in OWN) for word in token.split())):
            times = {"s_text": every}  # its words may stand in different fields
        often = sum(WEIGHTS[name] * count for name, count in times.items())
        score += weights[number] * often * (K1 + 1) / (often + norm)
        if any(times.get(name) for name in OWN):
            mask |= 1 << number
    return score, mask


def _factor(document: Document, created: int, called: Called, timely: bool, now: float) -> float:
    """What multiplies the score of a document in the index too: what kind it is, who speaks, how old it is."""
    _, _, kind = tables.measured(document)
    found = rank.PRIORS.get(document.collection, 1.0) * rank.LEVELS[min(document.level, len(rank.LEVELS) - 1)]
    if document.trust == "untrusted" and not document.group:
        found *= rank.UNTRUSTED
    if document.group and called.by(document.names):
        found *= rank.NAMED
    if kind & tables.QUESTION:
        found *= rank.QUESTION
    if timely and kind & tables.TELLS_TIME:
        found *= rank.TIMELY
    if now and created:
        found *= 1 + rank.RECENT * 0.5 ** (max(0.0, now - created) / rank.HALF_LIFE)
    return found


def _hit(query: Query, candidate: Candidate, words: list[tuple[str, float]]) -> Hit:
    document = candidate.document
    terms = [each for number, each in enumerate(words) if candidate.mask >> number & 1]
    why = {
        "terms": [word for word, _ in terms],
        "rarity": [rarity for _, rarity in terms],
        "fields": candidate.fields,
        "concept": query.concept if query.concept in document.concepts else None,
        "prior": rank.PRIORS.get(document.collection, 1.0),
        "rules": candidate.rules,
    }
    return Hit(document, candidate.score, why)


def _page(candidate: Candidate) -> tuple[str, str] | None:
    document = candidate.document
    return (document.collection, document.path) if document.collection in rank.PAGES else None


def _worth(mask: int, weights: list[float]) -> float:
    return sum(value for number, value in enumerate(weights) if mask >> number & 1)
