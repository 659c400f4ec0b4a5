"""DOMAIN. Which workload a text is about, by rules: the labels it holds, weighted by BM25 over the concept scheme."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log
from operator import contains
from typing import NamedTuple

from adjutant.domain.recall.taxonomy import Scheme
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.stems import ALGORITHMS, stem_by
from adjutant.language.words import fold, is_idle

UNCATEGORISED = "uncategorised"
MAX_CHARS = 20_000
ALTERNATIVES = 3
THRESHOLD = 0.004  # confidence below which a text is left uncategorised
SURE_OF_SEVERAL, SURE_OF_ONE = 0.25, 0.6  # confidence from which several terms, or one phrase, decide who answers
DOUBT = 1.5  # what stands against every concept: a text with little evidence is never sure of anything
K1, B = 1.2, 0.3  # BM25: how soon a term has said enough, and how much a large vocabulary counts against a concept
KINDS = {"prefLabel": 3.0, "altLabels": 2.0, "hiddenLabels": 1.0}
PHRASE = 0.6  # each further word of a phrase adds this much: what several words say together is seldom chance
NAME = 2.0  # the weight from which a label is a name of its concept, and not a word that only goes with it
COMPOUND = 0.7  # a term within a longer word ("Datenbankserver") against one that stands alone
SHORTEST_PART = 4
SHORTEST_STEMMED = 4  # "ups" is no plural of "up"
OPENING = (1.8, 1.3, 1.3)  # a text mostly begins with what was done: weights of its first words, 1 for the others

_WORD = re.compile(r"[^\W_]+")

Term = tuple[str, ...]  # the stems of a label's words, in their order


class Score(NamedTuple):
    """A concept and how sure it is, 0 to 1."""

    concept: str
    confidence: float


class Classified(NamedTuple):
    """`concept`: id of a top concept, or "uncategorised"; `narrower`: the best below it, or ""; `confidence`: margin to
    the runner-up, 0 to 1; `alternatives`: the next best; `terms`: the words that decided."""

    concept: str
    confidence: float
    alternatives: tuple[Score, ...]
    narrower: str = ""
    terms: tuple[str, ...] = ()

    @property
    def concepts(self) -> tuple[str, ...]:
        return () if self.concept == UNCATEGORISED else tuple(filter(None, (self.concept, self.narrower)))


def classify(text: str, scheme: Scheme) -> Classified:
    """The workload of a text. The same text and scheme give the same answer; no text is an error."""
    vocabulary = _vocabulary(scheme)
    told = _weigh_terms(text, vocabulary)
    scores = defaultdict[str, float](float)
    for term, weight in told.items():
        for top, gain in vocabulary.gains(term).items():
            scores[top] += gain * weight
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    if not ranked:
        return Classified(UNCATEGORISED, 0.0, ())
    best, score = ranked[0]
    sure = (score - sum(second for _, second in ranked[1:2])) / (score + DOUBT)
    rated = tuple(Score(id, round(sure * each / score, 3)) for id, each in ranked[: ALTERNATIVES + 1])
    if sure < THRESHOLD:
        return Classified(UNCATEGORISED, round(sure, 3), rated[:ALTERNATIVES])
    weights = {term: -vocabulary.gains(term)[best] * told[term] for term in told if best in vocabulary.gains(term)}
    deciding = sorted(weights, key=lambda term: (weights[term], term))
    shown = tuple(dict.fromkeys(vocabulary.labels[term][0].text for term in deciding))
    return Classified(best, round(sure, 3), rated[1:], _narrower(best, deciding, vocabulary), shown)


def certain(text: str, scheme: Scheme) -> Classified:
    """What `classify` says where the text is so plainly about it that its specialist answers; else uncategorised, with
    what it might be. Everyday words stand in labels too: a short trip, a list to build. So it takes several words as
    labels spell them in the text's own language or English, a phrase of more than one content word, or a name of the
    workload that opens the text, with another word that its labels use."""
    found = classify(text, scheme)
    if found.concept == UNCATEGORISED or _is_plain(text, found, _vocabulary(scheme)):
        return found
    might = (Score(found.concept, found.confidence), *found.alternatives[: ALTERNATIVES - 1])
    return Classified(UNCATEGORISED, found.confidence, might)


def _is_plain(text: str, found: Classified, vocabulary: _Vocabulary) -> bool:
    words, top = _WORD.findall(text[:MAX_CHARS].casefold()), found.concept
    stemmers = {"", ALGORITHMS["en"], ALGORITHMS.get(language_of(text), "")}
    spelled: dict[Term, int] = {}  # content words of each, or all of them in a longer phrase
    for at, term, whole in _walk(words, text, vocabulary):
        held = words[at : at + len(term)]
        if top in vocabulary.gains(term) and (not whole or vocabulary.is_spelled(held, term, stemmers)):
            spelled[term] = len(held) if len(held) > 2 else sum(not is_idle(word) for word in held) if whole else 1
    several = sum(map(bool, spelled.values())) > 1 and found.confidence >= SURE_OF_SEVERAL
    phrase = max(spelled.values(), default=0) > 1 and found.confidence >= SURE_OF_ONE
    begun = vocabulary.begun_by(words[0]) if words else ()
    own = [term for term in begun if len(term) == 1 and vocabulary.gains(term).keys() == {top}]  # of this one alone
    opens = any(vocabulary.is_spelled(words[:1], term, stemmers, NAME) for term in own)
    used = opens and any(top in vocabulary.list_users(word) for word in words[1:] if not is_idle(word))
    return several or phrase or used


def _weigh_terms(text: str, vocabulary: _Vocabulary) -> dict[Term, float]:
    """{term: weight} of what a text says: where it is said first, and BM25's saturation of what is said again."""
    first: dict[Term, float] = {}
    times = Counter[Term]()
    for at, term, whole in _walk(_WORD.findall(text[:MAX_CHARS].casefold()), text, vocabulary):
        first.setdefault(term, (OPENING[at] if at < len(OPENING) else 1.0) * (1.0 if whole else COMPOUND))
        times[term] += 1
    return {term: weight * 2.0 * times[term] / (1.0 + times[term]) for term, weight in first.items()}


def _narrower(top: str, terms: Sequence[Term], vocabulary: _Vocabulary) -> str:
    """The concept below `top` that most of these terms speak for; "" when two are equal or there is none."""
    scores = defaultdict[str, float](float)
    for term in terms:
        for id, weight in vocabulary.weigh(term).items():
            if id != top and top in vocabulary.tops[id]:
                scores[id] += weight * vocabulary.gains(term)[top]
    best, *others = sorted(scores, key=scores.__getitem__, reverse=True) or [""]
    return "" if others and scores[others[0]] == scores[best] else best


def _walk(words: Sequence[str], text: str, vocabulary: _Vocabulary) -> Iterator[tuple[int, Term, bool]]:
    """(place, term, whether it is no part of a compound) of the labels in a text, the longest at each place."""
    # English runs no nouns together: there a word within a word is chance
    language = language_of(text[:MAX_CHARS].casefold())
    compounds = language != "en" or not set().union(*listed("words", "letters")).isdisjoint("".join(words))
    at = 0
    while at < len(words):
        found, own = _find_longest(words, at, vocabulary), f"{ALGORITHMS.get(language, '')}:{words[at]}"
        if len(words[at]) < SHORTEST_STEMMED:  # no stem of another language's word (van, Norwegian "vane")
            found = [each for each in found if each[0] == own or vocabulary.labels[each][0].words[0] == words[at]]
        yield from ((at, term, True) for term in found)
        if not found and compounds:
            yield from ((at, term, False) for term in _list_parts(words[at], vocabulary))
        at += len(found[0]) if found else 1


def _find_longest(words: Sequence[str], at: int, vocabulary: _Vocabulary) -> list[Term]:
    """The longest terms that begin here; of several ways to stem a word, only those that say different things."""
    begun = vocabulary.begun_by(words[at])
    following = [vocabulary.stem(word) for word in words[at + 1 : at + vocabulary.longest]] if begun else []
    fitting = [term for term in begun if len(term) <= len(following) + 1 and all(map(contains, following, term[1:]))]
    length, found = max(map(len, fitting), default=0), list[Term]()
    for term in fitting:
        tops = vocabulary.gains(term).keys()
        if len(term) == length and all(tops.isdisjoint(vocabulary.gains(other)) for other in found):
            found.append(term)
    return found


def _list_parts(word: str, vocabulary: _Vocabulary) -> list[Term]:
    cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    sides = ((word[:cut] for cut in reversed(cuts)), (word[cut:] for cut in cuts))
    terms = (((stem,) for part in side for stem in sorted(vocabulary.stem(part))) for side in sides)
    found = (next((term for term in side if term in vocabulary.labels), None) for side in terms)
    return [term for term in found if term is not None]


# -- the vocabulary of a scheme ------------------------------------------------------------------------------
class _Label(NamedTuple):
    words: list[str]
    stemmer: str
    concept: str
    weight: float
    text: str


class _Vocabulary:
    """The terms of a scheme: `labels` {term: those that it came from}, `tops` {concept: the top ones that it belongs
    to}, `longest`: words of a label. Stemming every label takes ten times as long as a text needs, so labels wait under
    the first two letters of each of their words and are stemmed when a text has a word that begins so."""

    def __init__(self, scheme: Scheme) -> None:
        self.labels: dict[Term, list[_Label]] = {}
        self.tops = {id: scheme.tops_of(id) for id in scheme.concepts}
        self._waiting = defaultdict[str, list[tuple[_Label, int]]](list)
        self._beginning = defaultdict[str, list[Term]](list)  # {stem: terms that begin with it}
        self._users = defaultdict[str, set[str]](set)  # {stem: top concepts that use it in any label}
        self._begun, self._gains = dict[str, list[Term]](), dict[Term, dict[str, float]]()
        self._lengths = Counter[str]()
        every = [(concept.id, *label) for concept in scheme.concepts.values() for label in concept.list_labels()]
        for id, kind, tag, text in every:
            stemmer = ALGORITHMS.get(tag.partition("-")[0], "")
            label = _Label(_WORD.findall(text.casefold()), stemmer, id, KINDS[kind], text)
            for at, word in enumerate(label.words):
                self._waiting[_letters(word)].append((label, at))
            self._lengths.update(self.tops[id] if label.words else ())
        self.longest = max((len(_WORD.findall(text)) for *_, text in every), default=1)
        tags = dict.fromkeys(ALGORITHMS.get(tag.partition("-")[0], "") for _, _, tag, _ in every)
        self._stemmers = (*filter(None, tags), "")

    def begun_by(self, word: str) -> list[Term]:
        if word not in self._begun:
            self._begun[word] = [term for stem in sorted(self.stem(word)) for term in self._beginning.get(stem, ())]
        return self._begun[word]

    def stem(self, word: str) -> frozenset[str]:
        """The word as every language of the scheme would stem it."""
        for label, at in self._waiting.pop(_letters(word), ()):
            self._users[_stem(label.words[at], label.stemmer)].update(self.tops[label.concept])
            if at == 0:
                term = tuple(_stem(word, label.stemmer) for word in label.words)
                if term not in self.labels:
                    self._beginning[term[0]].append(term)
                self.labels.setdefault(term, []).append(label)
        return _stems(word, self._stemmers)

    def is_spelled(self, words: Sequence[str], term: Term, stemmers: set[str], least: float = 0.0) -> bool:
        """Whether these words are a label of the term in a language of these stemmers, and of at least this weight."""
        labels = [each.words for each in self.labels[term] if each.stemmer in stemmers and each.weight >= least]
        pairs = (list(zip(words, each, strict=False)) for each in labels)
        # of the same stem the label's word, and not one that it was made of ("short", "shorts")
        return any(all(word.startswith(own) or not own.startswith(word) for word, own in each) for each in pairs)

    def list_users(self, word: str) -> set[str]:
        return set().union(*(self._users.get(stem, ()) for stem in self.stem(word)))

    def weigh(self, term: Term) -> dict[str, float]:
        return {each.concept: each.weight for each in sorted(self.labels[term], key=lambda label: label.weight)}

    def gains(self, term: Term) -> dict[str, float]:
        """{top concept: weight} by BM25; a word is as rare as the tops are few that use it in any label."""
        if term not in self._gains:
            said = Counter[str]()
            for concept, weight in self.weigh(term).items():
                said.update(dict.fromkeys(self.tops[concept], weight))
            holders = len(self._users[term[0]]) if len(term) == 1 else len(said)
            rare = log(1.0 + (len(self._lengths) - holders + 0.5) / (holders + 0.5)) * (1.0 + PHRASE * (len(term) - 1))
            mean = self._lengths.total() / len(self._lengths)
            norms = {top: K1 * (1.0 - B + B * self._lengths[top] / mean) for top in said}
            self._gains[term] = {top: rare * each * (K1 + 1.0) / (each + norms[top]) for top, each in said.items()}
        return self._gains[term]


_vocabulary = lru_cache(maxsize=4)(_Vocabulary)


def _letters(word: str) -> str:
    """What no stemmer changes: the first two letters, without their accents ("Häuser" is stemmed to "haus")."""
    return fold(word[:2])[:2]


@lru_cache(maxsize=20_000)
def _stems(word: str, stemmers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_stem(word, stemmer) for stemmer in stemmers)


@lru_cache(maxsize=20_000)
def _stem(word: str, stemmer: str) -> str:
    """The stem with its language before it: what German calls one word ("Picker", "picked") English does not."""
    stem = stem_by(word, stemmer) if stemmer and len(word) >= SHORTEST_STEMMED else word
    return f"{stemmer}:{stem}"
