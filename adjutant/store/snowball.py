"""FILES. Snowball's stemmers one at a time: its package loads all thirty languages, a tenth of what a pulse loads."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

_ALIAS = "_adjutant_snowball"  # the package's modules, without what its __init__ loads


def stemmer(algorithm: str) -> Any:
    """A stemmer by its name there (english, norwegian, porter, …): `stemWord(word)`. Raises KeyError."""
    if _ALIAS not in sys.modules:
        found = PathFinder.find_spec("snowballstemmer")
        package = ModuleType(_ALIAS)
        package.__path__ = list(found.submodule_search_locations or ()) if found is not None else []
        sys.modules[_ALIAS] = package
    try:
        module: Any = import_module(f"{_ALIAS}.{algorithm}_stemmer")
    except ModuleNotFoundError:
        raise KeyError(algorithm) from None
    name = "".join(map(str.title, algorithm.split("_")))
    return getattr(module, f"{name}Stemmer")()
