"""LANGUAGE. Stems by Snowball's algorithms, the one place that calls them."""

import sys
from _thread import allocate_lock
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from adjutant.language.detect import language_of
from adjutant.language.pack import packs
from adjutant.language.words import content, fold, is_idle, words

LONGEST = 40  # letters of a word that is stemmed
_SHORTEST = 3  # letters of a word that tells something
_ALIAS = "_adjutant_snowball"  # snowballstemmer's modules without its __init__, which loads all thirty languages
# Snowball's, by the tags of labels in a taxonomy; a text's language names its own in its folder.
ALGORITHMS = {"en": "english", "de": "german", **dict.fromkeys(("nb", "nn", "no"), "norwegian"), "da": "danish"}
ALGORITHMS |= {"sv": "swedish", "nl": "dutch", "fi": "finnish", "fr": "french", "es": "spanish", "it": "italian"}
ALGORITHMS |= {"pt": "portuguese"}
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
    return frozenset(stem(word, code) for word in content(text, code))


def telling(text: str, code: str = "") -> frozenset[str]:
    """The stems of the words that not any message may hold, read in a language, and the figures as they stand."""
    said = set(words(text))
    figures = {word for word in said if word[0].isdigit() and len(word) > 1}
    plain = (word for word in said if not word[0].isdigit() and len(word) >= _SHORTEST and not is_idle(word))
    return frozenset(figures.union(stem(word, code) for word in plain))


def rare(text: str, others: Sequence[str], most: int = 2) -> list[frozenset[str]]:
    """For each other, the telling stems it shares with `text`, in whose language all are read, if at most `most` do."""
    code = language_of(text, "")
    own = telling(text, code)
    found = [own & telling(other, code) for other in others]
    counts = Counter(stem for stems in found for stem in stems)
    return [frozenset(stem for stem in stems if counts[stem] <= most) for stems in found]


@lru_cache(maxsize=65536)
def stem_by(word: str, algorithm: str) -> str:
    """The stem by one of Snowball's algorithms, whatever the language, as it is. Raises KeyError."""
    with _one_at_a_time:
        return str(_stemmer(algorithm).stemWord(word))


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
