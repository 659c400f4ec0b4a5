"""LANGUAGE. Patterns kept as data: regular expressions with named parts, filled in and compiled when first needed.

In a list of patterns `(one|two)` groups without capturing, ` | ` may stand for `|`, `word*` for whatever begins so, and
`{name}` for another list (any of its entries) or text of the same file, at its top or under `parts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from adjutant.errors import FileDamaged
from adjutant.language.pack import Pack, cached, packs

MOST_DEPTH = 8  # of parts within parts
_PART = re.compile(r"\{([a-z]\w*)\}")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_BEGINNING = re.compile(r"(?<!\\.)(?<=[^\W\d_])\*")


class Parts(dict[str, Any]):
    """The lists and texts by which the patterns of one file of one language are filled in."""

    def __init__(self, pack: Pack, file: str, common: Mapping[str, str] | None = None) -> None:
        """`common`: parts that every language shares."""
        lists = dict(pack.lists.get(file, {}))
        super().__init__(lists | dict(lists.get("parts") or {}) | dict(common or {}))
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
        return f"(?:{'|'.join(self.fill(each, depth + 1) for each in said)})"

    def compile(self, pattern: str, flags: int = 0) -> re.Pattern[str]:
        """A pattern that is filled in. Raises FileDamaged, with the place, for one that `re` cannot read."""
        try:
            return re.compile(pattern, flags)
        except re.error as error:
            raise FileDamaged(f"{self.where}: not a pattern ({error}): {pattern[:80]}") from error


@cached(512)
def regex(file: str, pattern: str, code: str = "", flags: int = 0) -> re.Pattern[str]:
    """A pattern filled in for one language, "": for each of all, joined. A language that lacks a part adds nothing."""
    branches = []
    for pack in packs().values():
        parts = Parts(pack, file)
        if code in ("", pack.code) and all(parts.get(name) for name in _PART.findall(pattern)):
            branches.append(parts.fill(pattern))
            parts.compile(branches[-1], flags)
    return re.compile("|".join(branches) or "(?!)", flags)
