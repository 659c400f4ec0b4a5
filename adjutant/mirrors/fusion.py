"""OUTSIDE. The answers of several searches made one ranking: BM25, then the rules that the index keeps to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from adjutant.ports import Document, Hit, Query
from adjutant.store import index_rank as rank
from adjutant.store import index_tables as tables
from adjutant.store.index_query import Asked, Called, root
from adjutant.store.index_rules import Candidate, Sought, look, ordered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

K1, B = 1.2, 0.75  # BM25's usual constants
WEIGHTS = {"s_title": 1.5, "s_text": 1.0, "s_tags": 1.0, "s_names": 1.0, "s_context": 0.4}  # of a word in this field
SURPLUS = 8  # documents looked at closely beyond the limit
OWN = ("s_title", "s_text", "s_tags", "s_names")


class Tally:
    """What the searches found: how rare each token is, which documents hold which, what belongs together.

    `tokens`: those asked for, as `beginnings` of longer ones or whole; a document's mask has a bit for each. A document
    is (collection, id).
    """

    def __init__(self, tokens: Sequence[str], beginnings: bool = False) -> None:
        self.tokens, self._beginnings = list(tokens), beginnings
        self.masks: dict[tuple[str, str], int] = {}
        self._groups: dict[tuple[str, str], str] = {}
        self._holding, self._sizes = Counter[str](), dict[str, int]()

    def add(self, token: str, collection: str, answer: Mapping[str, Any]) -> None:
        """The answer to one search. Raises KeyError, TypeError for what is none."""
        self._holding[token] += answer["found"]
        self._sizes[collection] = answer["out_of"]
        bit = 1 << self.tokens.index(token)
        for hit in answer["hits"]:
            place = (collection, hit["document"]["id"])
            self.masks[place] = self.masks.get(place, 0) | bit
            self._groups[place] = hit["document"].get("group", "")

    def weights(self) -> list[float]:
        """Of the tokens, in their order."""
        stock = sum(self._sizes.values())
        return [rank.weight(self._holding[token], stock) for token in self.tokens]

    def times(self, token: str, counts: Counter[str]) -> int:
        """How often a field with these words holds the token."""
        if not self._beginnings:
            return counts[token]
        return sum(count for word, count in counts.items() if word.startswith(token))

    def best(self, most: int) -> list[tuple[str, str]]:
        """The documents whose tokens weigh most."""
        weights = self.weights()
        return sorted(self.masks, key=lambda place: -_worth(self.masks[place], weights))[:most]

    def sittings(self) -> dict[str, float]:
        """What each group says of the question as a whole."""
        counts: dict[str, Counter[int]] = {}
        for place, mask in self.masks.items():
            if group := self._groups[place]:
                counts.setdefault(group, Counter()).update(n for n in range(len(self.tokens)) if mask >> n & 1)
        weights = self.weights()
        return {group: sum(weights[n] * count / (count + rank.SITTING_HALF) for n, count in tally.items())
                for group, tally in counts.items()}


def ranked(
    query: Query, asked: Asked, words: Mapping[str, str], tally: Tally, now: float,
    found: Sequence[tuple[Document, int, Mapping[str, str]]],
) -> list[Hit]:
    """The best `query.limit` of `found`: documents with their moment (seconds since the epoch) and searched fields.

    `words`: {token: the word as people see it}. `now`: seconds since the epoch, 0 when unknown.
    """
    weights, sittings = tally.weights(), tally.sittings()
    counted = [(document, created, {name: Counter(text.split()) for name, text in fields.items()})
               for document, created, fields in found]
    lengths = [sum(each.total() for each in fields.values()) for _, _, fields in counted]
    usual = (sum(lengths) / len(lengths) if lengths else 0) or 1.0
    sought = [Sought(root(words[token]), value) for token, value in zip(tally.tokens, weights, strict=True)]
    phrases = [term.word for term in asked.terms if " " in term.word]
    sought += [Sought(phrase, max(weights, default=0.0)) for phrase in phrases]
    total = sum(weights)
    called, candidates = Called(asked.words), []
    for place, ((document, created, fields), length) in enumerate(zip(counted, lengths, strict=True)):
        score, mask = _bm25(tally, weights, fields, length / usual)
        if score:
            score += rank.SITTING * sittings.get(document.group, 0.0)
            score *= _factor(document, created, called, asked.timely, now)
            candidates.append(Candidate(-place, document, mask, score, created))
    candidates.sort(key=lambda each: -each.score)
    candidates = candidates[: query.limit + SURPLUS]
    for candidate in candidates:
        look(candidate, sought, total)
        if query.concept and query.concept in candidate.document.concepts:
            candidate.score *= rank.CONCEPT
            candidate.rules.append(f"about {query.concept}")
    return [_hit(query, each, [words[token] for token in tally.tokens]) for each in ordered(candidates, query.limit)]


def _bm25(
    tally: Tally, weights: list[float], fields: Mapping[str, Counter[str]], length: float,
) -> tuple[float, int]:
    """The score, and a mask of the tokens in the document's own words."""
    score, mask, norm = 0.0, 0, K1 * (1 - B + B * length)
    for number, token in enumerate(tally.tokens):
        times = {name: tally.times(token, counts) for name, counts in fields.items()}
        often = sum(WEIGHTS[name] * count for name, count in times.items())
        score += weights[number] * often * (K1 + 1) / (often + norm)
        if any(times[name] for name in OWN):
            mask |= 1 << number
    return score, mask


def _factor(document: Document, created: int, called: Called, timely: bool, now: float) -> float:
    """What multiplies the score of a document in the index too: what kind it is, who speaks, how old it is."""
    _, _, kind = tables.measured(document)
    found = rank.PRIORS.get(document.collection, 1.0) * rank.LEVELS[min(document.level, len(rank.LEVELS) - 1)]
    if document.trust == "untrusted" and not document.group:
        found *= rank.UNTRUSTED
    if called.by(document.names):
        found *= rank.NAMED
    if kind & tables.QUESTION:
        found *= rank.QUESTION
    if timely and kind & tables.TELLS_TIME:
        found *= rank.TIMELY
    if now and created:
        found *= 1 + rank.RECENT * 0.5 ** (max(0.0, now - created) / rank.HALF_LIFE)
    return found


def _hit(query: Query, candidate: Candidate, words: list[str]) -> Hit:
    document = candidate.document
    why = {
        "terms": [word for number, word in enumerate(words) if candidate.mask >> number & 1],
        "fields": candidate.fields,
        "concept": query.concept if query.concept in document.concepts else None,
        "prior": rank.PRIORS.get(document.collection, 1.0),
        "rules": candidate.rules,
    }
    return Hit(document, candidate.score, why)


def _worth(mask: int, weights: list[float]) -> float:
    return sum(value for number, value in enumerate(weights) if mask >> number & 1)
