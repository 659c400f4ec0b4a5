"""LANGUAGE. The words of dates, compiled for a few languages at once: where a date may begin, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from adjutant.language.pack import cached, entry, packs

HOT = (  # may begin a date
    "months",
    "weekdays",
    "relative",
    "day_end",
    "units",
    "weekend",
    "month_end",
    "week_end",
    "ordinals",
    "no_dates",
)
MOST_WORDS = 5  # of a phrase
_PHRASE = re.compile(rf"[^\W_]+(?:[ \n'/.-]{{1,2}}[^\W_]+){{0,{MOST_WORDS - 1}}}")
_PARTS = re.compile(r"[^\W_]+")


class DateWords(NamedTuple):
    """`scan` finds the first character of whatever may be a date; `roles`: {key of dates.yaml: {phrase: value}}."""

    scan: re.Pattern[str]
    roles: Mapping[str, Mapping[str, Any]]
    orders: str
    separators: str
    stop: frozenset[str]

    def at(self, role: str, text: str, place: int) -> tuple[Any, int] | None:
        """(value, end) of the longest phrase of a role that begins at a place of a lower-case text."""
        found = _PHRASE.match(text, place)
        if found is None:
            return None
        known, said = self.roles[role], found[0]
        ends = [part.end() for part in _PARTS.finditer(said)]
        for end in reversed(ends):
            value = known.get(said[:end].replace("\n", " "))
            if value is not None:
                return value, place + end
        return None

    def behind(self, role: str, text: str, place: int) -> tuple[Any, int] | None:
        """(value, start) of the longest phrase of a role that ends before a place, blanks between."""
        end = len(text[max(0, place - 3) : place].rstrip()) + max(0, place - 3)
        begin = max(0, end - 30)
        said = text[begin:end].replace("\n", " ")
        known = self.roles[role]
        for part in _PARTS.finditer(said):
            value = known.get(said[part.start() :])
            if value is not None and (part.start() > 0 or begin == 0):
                return value, begin + part.start()
        return None


@cached(64)
def date_words(codes: tuple[str, ...]) -> DateWords:
    """The words of these languages; where one means two things, the first language's meaning holds."""
    every = [packs()[code] for code in codes if code in packs()]
    keys = dict.fromkeys(key for pack in every for key in pack.lists.get("dates", {}))
    roles: dict[str, dict[str, Any]] = {key: {} for key in [*packs()["en"].lists["dates"], *keys]}
    for pack in reversed(every):
        for key in keys:
            value = entry(pack, "dates", key)
            if isinstance(value, Mapping):
                roles[key].update({phrase: int(said) if _is_number(said) else said for phrase, said in value.items()})
            elif not isinstance(value, str):
                roles[key].update(dict.fromkeys(value, True))
    first = every[0] if every else packs()["en"]
    return DateWords(
        _scan(phrase for key in HOT for phrase in roles[key]),
        roles,
        str(entry(first, "dates", "order") or "dmy"),
        "".join(str(entry(pack, "dates", "separators") or "") for pack in every),
        frozenset().union(*(pack.stop for pack in every)),
    )


def _is_number(said: str) -> bool:
    return said.lstrip("-").isdecimal()


def _scan(phrases: Iterable[str]) -> re.Pattern[str]:
    """Matches one character, from which a figure or one of the phrases begins; quick where none does."""
    root: dict[str, Any] = {}
    for phrase in phrases:
        node = root
        for char in phrase:
            node = node.setdefault(char, {})
        node[""] = {}
    first = re.escape("".join(sorted(char for char in root if char and not char.isdigit())))
    return re.compile(rf"[0-9{first}](?<![^\W_].)(?<=(?=\d|{_trie(root)}(?![^\W_])).)", re.DOTALL)


def _trie(node: Mapping[str, Any]) -> str:
    branches = [("[ \n]" if char == " " else re.escape(char)) + _trie(below) for char, below in node.items() if char]
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
    return f"{joined}?" if "" in node else joined
