"""LANGUAGE. Stems by Snowball's algorithms, the one place that calls them."""

from __future__ import annotations

import sys
from _thread import allocate_lock
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from adjutant.language.detect import language_of
from adjutant.language.pack import cached, packs
from adjutant.language.words import content, fold

LONGEST = 40  # letters of a word that is stemmed
SHORT = 400  # characters of a text whose stems are remembered
_ALIAS = "_adjutant_snowball"  # snowballstemmer's modules without its __init__, which loads all thirty languages
_one_at_a_time = allocate_lock()  # a stemmer holds the word it is working on


def stem(word: str, code: str) -> str:
    """The Snowball stem of a lower-case word, folded; the folded word where the language has no stemmer."""
    return _stem(word, code) if len(word) <= LONGEST else word


def stems(text: str, code: str = "") -> frozenset[str]:
    """The stems of a text's content words, read in a language; "": in the language it is in."""
    code = code or language_of(text)
    return _known_stems(text, code) if len(text) <= SHORT else _stems(text, code)


def stem_by(word: str, algorithm: str) -> str:
    """The stem by one of Snowball's algorithms, whatever the language, as it is. Raises KeyError."""
    with _one_at_a_time:
        return str(_stemmer(algorithm).stemWord(word))


@cached(65536)
def _stem(word: str, code: str) -> str:
    pack = packs().get(code) or packs()["en"]
    return fold(stem_by(word, pack.stemmer)) if pack.stemmer else fold(word)


def _stems(text: str, code: str) -> frozenset[str]:
    return frozenset(stem(word, code) for word in content(text, code))


@cached(8192)
def _known_stems(text: str, code: str) -> frozenset[str]:
    return _stems(text, code)


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
