"""LANGUAGE. Stems by Snowball's algorithms, the one place that calls them."""

from __future__ import annotations

import sys
from _thread import allocate_lock
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from adjutant.language.detect import language_of
from adjutant.language.pack import cached, packs
from adjutant.language.words import content, fold, is_idle, words

LONGEST = 40  # letters of a word that is stemmed
SHORT = 400  # characters of a text whose stems are remembered
_BEGINNING = 3  # letters that no stemmer changes, once folded
_ALIAS = "_adjutant_snowball"  # snowballstemmer's modules without its __init__, which loads all thirty languages
# Snowball's, by the tags of labels in a taxonomy; a text's language names its own in its folder.
ALGORITHMS = {
    "en": "english",
    "nb": "norwegian",
    "nn": "norwegian",
    "no": "norwegian",
    "de": "german",
    "da": "danish",
    "sv": "swedish",
    "nl": "dutch",
    "fi": "finnish",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
}
_one_at_a_time = allocate_lock()  # a stemmer holds the word it is working on


def stem(word: str, code: str) -> str:
    """The Snowball stem of a lower-case word, folded; the folded word where the language has no stemmer."""
    pack = packs().get(code) or packs()["en"]
    if len(word) > LONGEST:
        return word
    return fold(stem_by(word, pack.stemmer)) if pack.stemmer else fold(word)


def stems(text: str, code: str = "") -> frozenset[str]:
    """The stems of a text's content words, read in a language; "": in the language it is in."""
    code = code or language_of(text)
    return _known_stems(text, code) if len(text) <= SHORT else _stems(text, code)


def telling(text: str, code: str = "") -> frozenset[str]:
    """The stems of the words that not any message may hold, read in a language, and the figures as they stand."""
    return _known_telling(text, code) if len(text) <= SHORT else frozenset(_telling(text, code))


def shared(text: str, others: Sequence[str]) -> list[frozenset[str]]:
    """For each of the others, the telling stems it has in common with `text`; all are read in the language of `text`.

    Only words that begin like one of the text's are stemmed: layers are long, and answers short.
    """
    code = language_of(text, "")
    own = telling(text, code)
    begins = frozenset(found[:_BEGINNING] for found in own)
    return [own.intersection(_telling(other, code, begins)) for other in others]


def rare(text: str, others: Sequence[str], most: int = 2) -> list[frozenset[str]]:
    """As `shared`, only those stems that stand in at most `most` of the others."""
    found = shared(text, others)
    counts = Counter(stem for stems in found for stem in stems)
    return [frozenset(stem for stem in stems if counts[stem] <= most) for stems in found]


@lru_cache(maxsize=65536)
def stem_by(word: str, algorithm: str) -> str:
    """The stem by one of Snowball's algorithms, whatever the language, as it is. Raises KeyError."""
    with _one_at_a_time:
        return str(_stemmer(algorithm).stemWord(word))


def _stems(text: str, code: str) -> frozenset[str]:
    return frozenset(stem(word, code) for word in content(text, code))


@cached(8192)
def _known_stems(text: str, code: str) -> frozenset[str]:
    return _stems(text, code)


@cached(512)
def _known_telling(text: str, code: str) -> frozenset[str]:
    return frozenset(_telling(text, code))


def _telling(text: str, code: str, begins: frozenset[str] | None = None) -> Iterator[str]:
    for word in dict.fromkeys(words(text)):
        if word[0].isdigit():
            yield from (word,) if len(word) > 1 else ()
        elif len(word) >= _BEGINNING and not is_idle(word) and (begins is None or fold(word)[:_BEGINNING] in begins):
            yield stem(word, code)


@lru_cache(maxsize=32)
def _stemmer(algorithm: str) -> Any:
    if _ALIAS not in sys.modules:
        found = PathFinder.find_spec("snowballstemmer")
        package = ModuleType(_ALIAS)
        package.__path__ = list(found.submodule_search_locations or ()) if found is not None else []
        sys.modules[_ALIAS] = package
    try:
        module: Any = import_module(f"{_ALIAS}.{algorithm}_stemmer")
    except ModuleNotFoundError:
        raise KeyError(algorithm) from None
    return getattr(module, "".join(map(str.title, algorithm.split("_"))) + "Stemmer")()
