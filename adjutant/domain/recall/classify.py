"""DOMAIN. Which workload a text is about, by rules: the labels it holds, weighted by BM25 over the concept scheme."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import log
from operator import contains
from typing import NamedTuple

from adjutant.domain.recall.taxonomy import Scheme
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.stems import ALGORITHMS, stem_by
from adjutant.language.words import is_idle

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
    """`concept`: the id of a top concept, or "uncategorised"; `narrower`: the concept below it that fits best, or "".

    `confidence`: the margin to the runner-up, 0 to 1. `alternatives`: the next best, in proportion. `terms`: the words
    that decided, best first.
    """

    concept: str
    confidence: float
    alternatives: tuple[Score, ...]
    narrower: str = ""
    terms: tuple[str, ...] = ()

    @property
    def concepts(self) -> tuple[str, ...]:
        """What it is filed under: the top concept and the narrower one; () for uncategorised."""
        found = () if self.concept == UNCATEGORISED else (self.concept, self.narrower)
        return tuple(id for id in found if id)


def classify(text: str, scheme: Scheme) -> Classified:
    """The workload of a text. The same text and scheme give the same answer; no text is an error."""
    vocabulary = _vocabulary(scheme)
    told = _weigh_terms(text, vocabulary)
    scores: dict[str, float] = {}
    for term, weight in told.items():
        for top, gain in vocabulary.gains(term).items():
            scores[top] = scores.get(top, 0.0) + gain * weight
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    if not ranked:
        return Classified(UNCATEGORISED, 0.0, ())
    best, score = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    sure = (score - second) / (score + DOUBT)
    rated = tuple(Score(id, round(sure * each / score, 3)) for id, each in ranked[1 : ALTERNATIVES + 1])
    if sure < THRESHOLD:
        return Classified(UNCATEGORISED, round(sure, 3), (Score(best, round(sure, 3)), *rated[: ALTERNATIVES - 1]))
    deciding = sorted(
        (term for term in told if best in vocabulary.gains(term)),
        key=lambda term: (-vocabulary.gains(term)[best] * told[term], term),
    )
    shown = tuple(dict.fromkeys(vocabulary.shown[term] for term in deciding))
    return Classified(best, round(sure, 3), rated, _narrower(best, deciding, vocabulary), shown)


def certain(text: str, scheme: Scheme) -> Classified:
    """What `classify` says where the text is so plainly about it that its specialist answers; else uncategorised, with
    what it might be.

    Everyday words stand in labels too: a short trip, a list to build. So a word counts here only as a label spells it,
    or with another ending, in the text's own language or English; and it takes several such words, a phrase of more
    than one content word, or a name of the workload that opens the text, with another word that its labels use.
    """
    found = classify(text, scheme)
    if found.concept == UNCATEGORISED or _is_plain(text, found, _vocabulary(scheme)):
        return found
    might = (Score(found.concept, found.confidence), *found.alternatives[: ALTERNATIVES - 1])
    return Classified(UNCATEGORISED, found.confidence, might)


def _is_plain(text: str, found: Classified, vocabulary: _Vocabulary) -> bool:
    words = _WORD.findall(text[:MAX_CHARS].casefold())
    stemmers = {"", ALGORITHMS["en"], ALGORITHMS.get(language_of(text), "")}
    spelled: dict[Term, int] = {}  # content words of each, or all of them in a longer phrase
    for at, term, whole in _walk(words, text, vocabulary):
        held = words[at : at + len(term)]
        if found.concept not in vocabulary.gains(term):
            continue
        if not whole:
            spelled[term] = 1
        elif vocabulary.is_spelled(held, term, stemmers):
            spelled[term] = len(held) if len(held) > 2 else sum(not is_idle(word) for word in held)
    several = sum(map(bool, spelled.values())) > 1 and found.confidence >= SURE_OF_SEVERAL
    phrase = max(spelled.values(), default=0) > 1 and found.confidence >= SURE_OF_ONE
    return several or phrase or _opens(words, found.concept, vocabulary, stemmers)


def _opens(words: Sequence[str], top: str, vocabulary: _Vocabulary, stemmers: set[str]) -> bool:
    """Whether the first word is a name of this workload alone, and another content word is used in its labels."""
    if not words:
        return False
    names = [
        term
        for term in vocabulary.beginning(words[0])[0]
        if vocabulary.gains(term).keys() == {top} and vocabulary.is_spelled(words[:1], term, stemmers, NAME)
    ]
    others = (word for word in words[1:] if not is_idle(word))
    return bool(names) and any(top in vocabulary.users(word) for word in others)


def _weigh_terms(text: str, vocabulary: _Vocabulary) -> dict[Term, float]:
    """{term: weight} of what a text says: where it is said first, and BM25's saturation of what is said again."""
    first: dict[Term, float] = {}
    times: dict[Term, int] = {}
    for at, term, whole in _walk(_WORD.findall(text[:MAX_CHARS].casefold()), text, vocabulary):
        weight = OPENING[at] if at < len(OPENING) else 1.0
        first.setdefault(term, weight if whole else weight * COMPOUND)
        times[term] = times.get(term, 0) + 1
    return {term: weight * 2.0 * times[term] / (1.0 + times[term]) for term, weight in first.items()}


def _narrower(top: str, terms: Sequence[Term], vocabulary: _Vocabulary) -> str:
    """The concept below `top` that most of these terms speak for; "" when two are equal or there is none."""
    scores: dict[str, float] = {}
    for term in terms:
        for id, weight in vocabulary.places[term].items():
            if id != top and top in vocabulary.scheme.tops_of(id):
                scores[id] = scores.get(id, 0.0) + weight * vocabulary.gains(term)[top]
    ranked = sorted(scores.items(), key=lambda entry: -entry[1])
    clear = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    return ranked[0][0] if clear else ""


# -- the terms of a text -------------------------------------------------------------------------------------


def _walk(words: Sequence[str], text: str, vocabulary: _Vocabulary) -> Iterator[tuple[int, Term, bool]]:
    """(place, term, whether it is no part of a compound) of the labels in a text, the longest at each place; a word in
    a phrase does not count again."""
    # English runs no nouns together: there a word within a word is chance
    language = language_of(text[:MAX_CHARS].casefold())
    compounds = language != "en" or not set().union(*listed("words", "letters")).isdisjoint("".join(words))
    at = 0
    while at < len(words):
        found = [term for term in _longest(words, at, vocabulary) if _is_of(words[at], term, language, vocabulary)]
        yield from ((at, term, True) for term in found)
        if not found and compounds:
            yield from ((at, term, False) for term in _parts(words[at], vocabulary))
        at += len(found[0]) if found else 1


def _is_of(word: str, term: Term, language: str, vocabulary: _Vocabulary) -> bool:
    """Whether a word is the term's: a short one is no stem of another language's word (van, Norwegian "vane")."""
    if len(word) >= SHORTEST_STEMMED or term[0] == f"{ALGORITHMS.get(language, '')}:{word}":
        return True
    first: str = _WORD.findall(vocabulary.shown[term].casefold())[0]
    return first == word


def _longest(words: Sequence[str], at: int, vocabulary: _Vocabulary) -> list[Term]:
    """The longest terms that begin here; of several ways to stem a word, only those that say different things."""
    fitting, longer = vocabulary.beginning(words[at])
    if longer and at + 1 < len(words):
        following = [vocabulary.stems(word) for word in words[at + 1 : at + vocabulary.longest]]
        several = [
            term
            for stem in sorted(following[0])
            for term in longer.get(stem, ())
            if len(term) <= len(following) + 1 and all(map(contains, following, term[1:]))
        ]
        fitting = several or fitting
    if not fitting:
        return []
    length = max(map(len, fitting))
    found: list[Term] = []
    for term in fitting:
        if len(term) == length and all(
            vocabulary.gains(term).keys().isdisjoint(vocabulary.gains(other)) for other in found
        ):
            found.append(term)
    return found


def _parts(word: str, vocabulary: _Vocabulary) -> list[Term]:
    """The terms that a compound begins and ends with, the longest of each."""
    cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    begins = next((term for cut in reversed(cuts) if (term := _single(word[:cut], vocabulary))), None)
    ends = next((term for cut in cuts if (term := _single(word[cut:], vocabulary))), None)
    return [term for term in (begins, ends) if term is not None]


def _single(part: str, vocabulary: _Vocabulary) -> Term | None:
    return next(((stem,) for stem in sorted(vocabulary.stems(part)) if (stem,) in vocabulary.places), None)


# -- the vocabulary of a scheme ------------------------------------------------------------------------------


class _Label(NamedTuple):
    words: list[str]
    stemmer: str
    concept: str
    weight: float
    text: str


class _Vocabulary:
    """The terms of a scheme. `places` {term: {concept: weight}}, `shown` {term: the label it came from}.

    Stemming every label takes ten times as long as a text needs, so
    labels wait under the first two letters of their words and are stemmed when a text has a word that begins so.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.places: dict[Term, dict[str, float]] = {}
        self.shown: dict[Term, str] = {}
        self._beginning: dict[str, list[Term]] = {}  # {stem: terms that begin with it}
        self._forms: dict[Term, list[_Label]] = {}
        self._known: dict[str, tuple[list[Term], dict[str, list[Term]]]] = {}
        self.longest = 1
        self._used: dict[str, set[str]] = {}
        self._gains: dict[Term, dict[str, float]] = {}
        self._opened: set[str] = set()
        self._first: dict[str, list[_Label]] = {}
        self._within: dict[str, list[tuple[str, str, str]]] = {}
        self._tops = {id: scheme.tops_of(id) for id in scheme.concepts}
        self._lengths: dict[str, int] = {}
        languages: dict[str, None] = {}
        for concept in scheme.concepts.values():
            for kind, tag, text in concept.list_labels():
                language = tag.partition("-")[0]
                languages[language] = None
                words = _WORD.findall(text.casefold())
                self._wait(_Label(words, ALGORITHMS.get(language, ""), concept.id, KINDS[kind], text))
                self.longest = max(self.longest, len(words))
        self._stemmers = tuple(dict.fromkeys(ALGORITHMS[name] for name in languages if name in ALGORITHMS))
        self._mean = sum(self._lengths.values()) / max(1, len(self._lengths))

    def _wait(self, label: _Label) -> None:
        if label.words:
            self._first.setdefault(_letters(label.words[0]), []).append(label)
            for top in self._tops[label.concept]:
                self._lengths[top] = self._lengths.get(top, 0) + 1
        for word in label.words:
            self._within.setdefault(_letters(word), []).append((word, label.stemmer, label.concept))

    def beginning(self, word: str) -> tuple[list[Term], dict[str, list[Term]]]:
        """The terms that a word is, and those that it begins by the stem of their second word."""
        found = self._known.get(word)
        if found is None:
            terms = [term for stem in sorted(self.stems(word)) for term in self._beginning.get(stem, ())]
            found = self._known[word] = ([term for term in terms if len(term) == 1], {})
            for term in terms:
                if len(term) > 1:
                    found[1].setdefault(term[1], []).append(term)
        return found

    def stems(self, word: str) -> frozenset[str]:
        """The word as every language of the scheme would stem it."""
        letters = _letters(word)
        if letters not in self._opened:
            self._opened.add(letters)
            self._open(letters)
        return _stems(word, self._stemmers)

    def is_spelled(self, words: Sequence[str], term: Term, stemmers: set[str], least: float = 0.0) -> bool:
        """Whether these words are a label of the term in a language of these stemmers, and of at least this weight."""
        return any(
            label.stemmer in stemmers and label.weight >= least and all(map(_is_form, words, label.words))
            for label in self._forms[term]
        )

    def users(self, word: str) -> set[str]:
        """The top concepts that use a word in any label."""
        return set().union(*(self._used.get(stem, ()) for stem in self.stems(word)))

    def _open(self, letters: str) -> None:
        for label in self._first.pop(letters, ()):
            term = tuple(_stem(word, label.stemmer) for word in label.words)
            if term not in self.places:
                self._beginning.setdefault(term[0], []).append(term)
                self.shown[term] = label.text
            self._forms.setdefault(term, []).append(label)
            places = self.places.setdefault(term, {})
            places[label.concept] = max(places.get(label.concept, 0.0), label.weight)
        for word, stemmer, concept in self._within.pop(letters, ()):
            self._used.setdefault(_stem(word, stemmer), set()).update(self._tops[concept])

    def gains(self, term: Term) -> dict[str, float]:
        """{top concept: weight} by BM25 with the top concepts for documents; {} for no term that a text has opened.

        A word is as rare as the tops are few that use it in any label.
        """
        if term not in self._gains and term in self.places:
            self._gains[term] = self._weigh(term)
        return self._gains.get(term, {})

    def _weigh(self, term: Term) -> dict[str, float]:
        times: dict[str, float] = {}
        for concept, weight in self.places[term].items():
            for top in self._tops[concept]:
                times[top] = times.get(top, 0.0) + weight
        holders = len(self._used[term[0]]) if len(term) == 1 else len(times)
        rare = log(1.0 + (len(self._lengths) - holders + 0.5) / (holders + 0.5)) * (1.0 + PHRASE * (len(term) - 1))
        return {
            top: rare * said * (K1 + 1.0) / (said + K1 * (1.0 - B + B * self._lengths[top] / self._mean))
            for top, said in times.items()
        }


def _is_form(word: str, label: str) -> bool:
    """Whether a word of the same stem is the label's word, and not one that it was made of ("short", "shorts")."""
    return word.startswith(label) or not label.startswith(word)


def _letters(word: str) -> str:
    """What no stemmer changes: the first two letters, without their accents ("Häuser" is stemmed to "haus")."""
    return _plain(word[:2])


@cache
def _plain(letters: str) -> str:
    return "".join(unicodedata.normalize("NFD", letter)[0] for letter in letters)


@lru_cache(maxsize=4)
def _vocabulary(scheme: Scheme) -> _Vocabulary:
    return _Vocabulary(scheme)


@lru_cache(maxsize=20_000)
def _stems(word: str, stemmers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_stem(word, stemmer) for stemmer in (*stemmers, ""))


@lru_cache(maxsize=20_000)
def _stem(word: str, stemmer: str) -> str:
    """The stem with its language before it: what German calls one word ("Picker", "picked") English does not."""
    stem = stem_by(word, stemmer) if stemmer and len(word) >= SHORTEST_STEMMED else word
    return f"{stemmer}:{stem}"
