"""LANGUAGE. The languages there are: one folder of word lists each, ours and the operator's."""

import json
import os
from binascii import crc32
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from stat import S_ISREG
from typing import Any, NamedTuple, ParamSpec, TypeVar

from adjutant.errors import FileDamaged
from adjutant.store import package

DATA = ("language", "data")  # of the package
COMPILED = "packs.json"  # the same lists, read in a twentieth of the time; valid while its hash is that of the YAML
MOST_BYTES, MOST_DEPTH = 1024 * 1024, 6
_SHAPES = {"list": "a list", "dict": "a mapping", "str": "text"}
Lists = dict[str, dict[str, Any]]  # {file: {key: list, mapping or text}} of one language
P = ParamSpec("P")
R = TypeVar("R")

_forget: list[Callable[[], None]] = []


class Pack(NamedTuple):
    """One language. `stop`: function words; `everyday`: words said of any matter; `lists`: all lists by file name."""

    code: str
    name: str
    stemmer: str
    stop: frozenset[str]
    everyday: frozenset[str]
    lists: Mapping[str, Any]


def cached(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """An lru_cache of what is made from the packs: it is emptied when the operator's folder changes."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        known = lru_cache(maxsize=maxsize)(function)
        _forget.append(known.cache_clear)
        return known  # type: ignore[return-value]  # typeshed's wrapper forgets the parameters

    return wrap


def add_folder(path: str) -> None:
    """Names the operator's folder of lists, `<code>/<file>.yaml`; a file there takes the place of ours of that name.

    It need not exist, and is read with the next `packs()`. A second call replaces the first one's folder.
    """
    before, package.lists = package.lists, path
    if before != path and (_entries(before) or _entries(path)):
        for forget in _forget:
            forget()


@cached(1)
def packs() -> Mapping[str, Pack]:
    """The languages by code, English first. Raises FileDamaged for a file of the operator's that is no word list."""
    found = {code: dict(lists) for code, lists in _read_packaged().items()}
    for code, name, path in _operators():
        found.setdefault(code, {})[name] = _read_operators(path, found.get("en", {}).get(name, {}))
    codes = sorted((code for code in found if "words" in found[code]), key=lambda code: (code != "en", code))
    return {code: _pack(code, found[code]) for code in codes}


@cached(1)
def digest() -> str:
    """Changes when any list does: for caches of what was read by them."""
    from hashlib import sha256  # only where a cache is kept: it loads OpenSSL

    every = {code: pack.lists for code, pack in packs().items()}
    return sha256(json.dumps(every, sort_keys=True).encode()).hexdigest()[:16]


@cached(4096)
def listed(file: str, key: str, code: str | None = None) -> frozenset[str]:
    """One list (`key` may be a path: "columns.due") of one language, or of all joined; empty if missing."""
    chosen = packs() if code is None else {code: packs()[code]} if code in packs() else {}
    found: set[str] = set()
    for pack in chosen.values():
        value = entry(pack, file, key)
        found.update((value,) if isinstance(value, str) else value)
    return frozenset(found)


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


def _read_packaged() -> dict[str, Lists]:
    sources = _sources()
    compiled = json.loads(package.read(*DATA, COMPILED)) if COMPILED in package.names(*DATA) else {}
    if compiled.get("hash") == _hash(sources):
        made: dict[str, Lists] = compiled["packs"]
        return made
    return _parse(sources)


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
    found: dict[str, Lists] = {}
    for path, text in sources.items():
        code, _, name = path.removesuffix(".yaml").partition("/")
        found.setdefault(code, {})[name] = _yaml(path, text)
    return found


def _operators() -> Iterable[tuple[str, str, str]]:
    """(code, file, path) of every list in the operator's folder, sorted; no link is followed."""
    for folder in _entries(package.lists):
        if folder.is_dir(follow_symlinks=False):
            for file in _entries(folder.path):
                if file.name.endswith(".yaml"):
                    yield folder.name, file.name.removesuffix(".yaml"), file.path


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda each: each.name) if folder else []
    except OSError:
        return []


def _read_operators(path: str, like: Mapping[str, Any]) -> dict[str, Any]:
    """A list of the operator's, in the shape of the English one of that name."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)) as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileDamaged(f"{path}: not a file")
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileDamaged(f"{path}: {error.strerror}") from error
    if len(text) > MOST_BYTES:
        raise FileDamaged(f"{path}: larger than {MOST_BYTES} bytes")
    found = _yaml(path, text, strange=True)
    for key, value in found.items():
        if key in like and type(value) is not type(like[key]):
            raise FileDamaged(f"{path}: `{key}` has to be {_SHAPES[type(like[key]).__name__]}")
    return found


def _yaml(path: str, text: bytes, *, strange: bool = False) -> dict[str, Any]:
    """A mapping of names to lists, mappings or text; every scalar is text. Raises FileDamaged with FILE:LINE."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        if strange:
            _check(path, yaml.parse(text, Loader=loader))
        found = yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: bytes that are no UTF-8
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise FileDamaged(f"{path}:{line}: not a word list ({getattr(error, 'problem', error)})") from error
    if not isinstance(found, dict):
        raise FileDamaged(f"{path}:1: not a word list (names and lists are missing)")
    return found


def _check(path: str, events: Iterable[Any]) -> None:
    """Neither references nor depths: a small file must not grow into a large one."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if kind == "AliasEvent" or depth > MOST_DEPTH + 2:
            raise FileDamaged(f"{path}:{event.start_mark.line + 1}: a word list holds no references and no depths")


def _pack(code: str, lists: Lists) -> Pack:
    words = lists["words"]
    return Pack(
        code,
        words.get("name", code),
        words.get("stemmer", ""),
        frozenset(words.get("stop", ())),
        frozenset((*words.get("everyday", ()), *words.get("doing", ()))),
        lists,
    )
