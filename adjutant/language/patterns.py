"""LANGUAGE. Patterns kept as data: regular expressions with named parts, filled in and compiled when first needed.

In a list of patterns `(one|two)` groups without capturing, ` | ` may stand for `|`, `word*` for whatever begins so, and
`{name}` for another list (any of its entries) or text of the same file, at its top or under `parts`; `{key.name}` for
one under a key; `{weekday}`, `{month}` and `{long_month}` for the names in the dates of the language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from adjutant.errors import FileDamaged
from adjutant.language.pack import Pack, cached, entry, packs

MOST_DEPTH = 8  # of parts within parts
_PART = re.compile(r"\{([a-z][\w.]*)\}")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_BEGINNING = re.compile(r"(?<!\\.)(?<=[^\W\d_])\*")
_BOUND = r"\b"
_QUANTIFIERS = ("?", "*", "+", "{")


def plain(text: str) -> str:
    """A text as patterns are looked for in it: lower case, straight apostrophes."""
    return text.replace("’", "'").lower()


class Parts(dict[str, Any]):
    """The lists and texts by which the patterns of one file of one language are filled in."""

    def __init__(self, pack: Pack, file: str, common: Mapping[str, str] | None = None) -> None:
        """`common`: parts that every language shares."""
        lists = dict(pack.lists.get(file, {}))
        super().__init__((*_dates(pack), *_flat(lists), *_flat(lists.get("parts") or {}), *(common or {}).items()))
        self.where = f"{pack.code}/{file}.yaml"

    def fill(self, pattern: str, depth: int = 0) -> str:
        """A pattern as `re` reads it. Raises FileDamaged for a part that is missing or holds itself."""
        plain = _BEGINNING.sub(r"\\w*", _GROUP.sub("(?:", pattern.replace(" | ", "|")))
        return _PART.sub(partial(self._part, depth), plain)

    def _part(self, depth: int, found: re.Match[str]) -> str:
        said = self.get(found[1])
        if said is None or depth > MOST_DEPTH:
            raise FileDamaged(f"{self.where}: no part `{found[1]}`")
        if isinstance(said, str):
            return self.fill(said, depth + 1)
        return f"(?:{'|'.join(self.fill(each, depth + 1) for each in said) or '(?!)'})"

    def compile(self, pattern: str, flags: int = 0) -> re.Pattern[str]:
        """A pattern that is filled in. Raises FileDamaged, with the place, for one that `re` cannot read."""
        try:
            return re.compile(pattern, flags)
        except re.error as error:
            raise FileDamaged(f"{self.where}: not a pattern ({error}): {pattern[:80]}") from error


def _flat(lists: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in lists.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _dates(pack: Pack) -> Iterator[tuple[str, list[str]]]:
    """Short names of weekdays are other words too often."""
    months = sorted(entry(pack, "dates", "months"), key=len, reverse=True)
    yield "weekday", [day for day in entry(pack, "dates", "weekdays") if len(day) > 5]
    yield "month", months
    yield "long_month", [month for month in months if len(month) > 3]


def _filled(file: str, pattern: str, code: str) -> Iterator[tuple[Parts, str]]:
    """The pattern filled in for each language that has all its parts, and the parts it was filled in with."""
    for pack in packs().values():
        parts = Parts(pack, file)
        if code in ("", pack.code) and all(parts.get(name) for name in _PART.findall(pattern)):
            yield parts, parts.fill(pattern)


@cached(512)
def regex(file: str, pattern: str, code: str = "", flags: int = 0) -> re.Pattern[str]:
    """A pattern filled in for one language, "": for each of all, joined. A language that lacks a part adds nothing."""
    filled = list(_filled(file, pattern, code))
    with _damage_named(filled, flags):
        return re.compile("|".join(text for _, text in filled) or "(?!)", flags)


def either(file: str, name: str, code: str = "") -> str:
    """A part as a group, for a pattern of which it is a piece: of one language, "": of all."""
    filled = list(_filled(file, f"{{{name}}}", code))
    for parts, text in filled:
        parts.compile(text)
    return f"(?:{'|'.join(text for _, text in filled) or '(?!)'})"


@cached(64)
def cues(file: str, name: str) -> re.Pattern[str]:
    """Finds what any language lists under a key: `words`, as whole words, and `patterns`; quick in lower-case text."""
    every = []
    for pack in packs().values():
        parts = Parts(pack, file)
        every += [(parts, parts.fill(rf"\b({each})\b")) for each in parts.get(f"{name}.words", ())]
        every += [(parts, parts.fill(each)) for each in parts.get(f"{name}.patterns", ())]
    with _damage_named(every):
        return any_of(*([text for _, text in every] or ["(?!)"]))


@contextmanager
def _damage_named(filled: Iterable[tuple[Parts, str]], flags: int = 0) -> Iterator[None]:
    """Compiles each text by itself only where all of them joined cannot be read. Raises FileDamaged for the first."""
    try:
        yield
    except (re.error, ValueError):
        for parts, text in filled:
            parts.compile(text, flags)
        raise


def any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern that is found where any of these is. What begins with `\\b` is tried by first letter alone."""
    letters: dict[str, list[str]] = defaultdict(list)
    others: list[str] = []
    for phrase in phrases:
        for branch in _branches(phrase):
            if not branch.startswith(_BOUND):
                others.append(branch)
                continue
            for spelled in _spelled(branch.removeprefix(_BOUND)):
                if spelled[:1].isalpha() and not spelled[1:2].startswith(_QUANTIFIERS):
                    letters[spelled[0]].append(spelled[1:])
                else:
                    others.append(f"{_BOUND}{spelled}")
    begun = [f"{letter}(?:{'|'.join(dict.fromkeys(rest))})" for letter, rest in sorted(letters.items())]
    return re.compile("|".join([f"{_BOUND}(?:{'|'.join(begun)})", *others] if begun else others))


def _spelled(branch: str) -> Iterator[str]:
    """A branch that begins with a group, once for each thing that may stand there."""
    if not branch.startswith("(?:"):
        yield branch
        return
    end = _closing(branch)
    rest = branch[end + 1 :]
    if rest.startswith(_QUANTIFIERS):
        if rest.startswith("?"):
            for inner in _branches(branch[3:end]):
                yield from _spelled(inner + rest[1:])
            yield from _spelled(rest[1:])
        else:
            yield branch
        return
    for inner in _branches(branch[3:end]):
        yield from _spelled(inner + rest)


def _branches(pattern: str) -> Iterator[str]:
    """The alternatives of a pattern, its groups whole."""
    depth, begin, inside = 0, 0, False
    for at, char in _chars(pattern):
        inside = (inside or char == "[") and char != "]"
        if not inside:
            depth += (char == "(") - (char == ")")
            if char == "|" and not depth:
                yield pattern[begin:at]
                begin = at + 1
    yield pattern[begin:]


def _closing(pattern: str) -> int:
    """Where the group that a pattern begins with ends."""
    depth, inside = 0, False
    for at, char in _chars(pattern):
        inside = (inside or char == "[") and char != "]"
        depth += 0 if inside else (char == "(") - (char == ")")
        if char == ")" and not depth and not inside:
            return at
    raise ValueError(f"a group without an end: {pattern[:40]}")


def _chars(pattern: str) -> Iterator[tuple[int, str]]:
    """What is no escaped character, and where it stands."""
    escaped = False
    for at, char in enumerate(pattern):
        if not escaped and char != "\\":
            yield at, char
        escaped = char == "\\" and not escaped
