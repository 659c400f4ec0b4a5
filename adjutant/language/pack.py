"""LANGUAGE. The languages there are: one folder of word lists each."""

import json
from binascii import crc32
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, ParamSpec, TypeVar

from adjutant.store import package

DATA = ("language", "data")  # of the package
COMPILED = "packs.json"  # the same lists, read in a twentieth of the time; valid while its hash is that of the YAML
Lists = dict[str, dict[str, Any]]  # {file: {key: list, mapping or text}} of one language
P = ParamSpec("P")
R = TypeVar("R")


class Pack(NamedTuple):
    """One language. `stop`: function words; `everyday`: words said of any matter; `lists`: all lists by file name."""

    code: str
    name: str
    stemmer: str
    stop: frozenset[str]
    everyday: frozenset[str]
    lists: Mapping[str, Any]


def cached(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """An lru_cache, for the type checker a function with the same parameters."""
    return lru_cache(maxsize=maxsize)  # type: ignore[return-value]  # typeshed's wrapper forgets the parameters


@cached(1)
def packs() -> Mapping[str, Pack]:
    """The languages by code, English first."""
    found = _read()[1]
    codes = sorted((code for code in found if "words" in found[code]), key=lambda code: (code != "en", code))
    return {code: _pack(code, found[code]) for code in codes}


def digest() -> str:
    """Changes when any list does: for caches of what was read by them."""
    return _read()[0]


@cached(4096)
def listed(file: str, key: str, code: str | None = None) -> frozenset[str]:
    """One list (`key` may be a path: "columns.due") of one language, or of all joined; empty if missing."""
    values = (entry(pack, file, key) for pack in packs().values() if code in (None, pack.code))
    return frozenset().union(*((value,) if isinstance(value, str) else value for value in values))


def entry(pack: Pack, file: str, key: str) -> Any:
    """What stands under a path of keys in a file of a language: list, mapping or text; () if missing."""
    value: Any = pack.lists.get(file, {})
    for part in key.split("."):
        value = value.get(part, ()) if isinstance(value, Mapping) else ()
    return value


def compile_packs() -> str:
    """What packs.json is to hold: {"hash": of the YAML files, "packs": {code: {file: lists}}}."""
    sources = _sources()
    return json.dumps({"hash": _hash(sources), "packs": _parse(sources)}, ensure_ascii=False, separators=(",", ":"))


@cached(1)
def _read() -> tuple[str, dict[str, Lists]]:
    """(hash of the YAML files, {code: lists})."""
    sources = _sources()
    compiled = json.loads(package.read(*DATA, COMPILED)) if COMPILED in package.names(*DATA) else {}
    same = compiled.get("hash") == (hash := _hash(sources))
    return hash, compiled["packs"] if same else _parse(sources)


def _sources() -> dict[str, bytes]:
    """{"en/words.yaml": bytes} of the package."""
    codes = [code for code in package.names(*DATA) if code != COMPILED]
    return {
        f"{code}/{name}": package.read(*DATA, code, name)
        for code in codes
        for name in package.names(*DATA, code)
        if name.endswith(".yaml")
    }


def _hash(sources: Mapping[str, bytes]) -> str:
    sum_, size = 0, 0
    for path, text in sources.items():
        sum_, size = crc32(text, crc32(path.encode(), sum_)), size + len(text)
    return f"{size}-{sum_:08x}"


def _parse(sources: Mapping[str, bytes]) -> dict[str, Lists]:
    import yaml  # only where the compiled lists are not those of the YAML

    found: dict[str, Lists] = {}
    for path, text in sources.items():
        code, _, name = path.removesuffix(".yaml").partition("/")
        found.setdefault(code, {})[name] = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    return found


def _pack(code: str, lists: Lists) -> Pack:
    words = lists["words"]
    stop, everyday = (frozenset(words.get(key, ())) for key in ("stop", "everyday"))
    return Pack(
        code, words.get("name", code), words.get("stemmer", ""), stop, everyday.union(words.get("doing", ())), lists
    )
