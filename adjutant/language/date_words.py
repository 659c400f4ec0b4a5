"""LANGUAGE. The words of dates, compiled for a few languages at once: where a date may begin, and what they mean."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from adjutant.language.pack import cached, entry, listed, packs

# Lists whose words may begin a date; of two meanings of a word the first holds.
_HOT = "no_dates feasts months weekdays relative beside weeks day_end month_end week_end year_end weekend units week"
HOT = (*_HOT.split(), "ordinals")
_WORD = re.compile(r"[^\W_]+|@")
_SPACES = " -"


class _Role(NamedTuple):
    """A list: its phrases and what they mean, and the same by their first and by their last word, longest first."""

    value: Mapping[str, Any]
    first: Mapping[str, list[str]]
    last: Mapping[str, list[str]]

    def at(self, text: str, place: int) -> tuple[Any, int] | None:
        """(value, end) of the longest phrase that begins at a place of a lower-case text."""
        word = _WORD.match(text, place)
        for phrase in self.first.get(word[0], ()) if word else ():
            end = place + len(phrase)
            if text[place:end] == phrase and not (phrase[-1].isalnum() and text[end : end + 1].isalnum()):
                return self.value[phrase], end
        return None

    def behind(self, text: str, place: int) -> tuple[Any, int] | None:
        """(value, start) of the longest phrase that stands before a place."""
        end = max(place - 3, 0) + len(text[max(place - 3, 0) : place].rstrip(_SPACES))
        begin = end
        while begin > 0 and text[begin - 1].isalnum() and begin > end - 20:
            begin -= 1
        for phrase in self.last.get(text[begin:end], ()):
            start = end - len(phrase)
            if start >= 0 and text[start:end] == phrase and not text[start - 1 : start].isalnum():
                return self.value[phrase], start
        return None


class DateWords(NamedTuple):
    """`scan` finds the first character of whatever may be a date; `roles`: the lists of dates.yaml by key."""

    scan: re.Pattern[str]
    roles: Mapping[str, _Role]
    hot: _Role
    order: str
    capitals: bool
    separators: str
    stop: frozenset[str]
    nouns: frozenset[str]


@cached(64)
def date_words(codes: tuple[str, ...]) -> DateWords:
    """The words of these languages; where one means two things, the first language's meaning holds."""
    every = [packs()[code] for code in codes if code in packs()] or [packs()["en"]]
    values: dict[str, dict[str, Any]] = {key: {} for key in packs()["en"].lists["dates"]}
    for pack in reversed(every):
        for key in values:
            value = entry(pack, "dates", key)
            if isinstance(value, Mapping):
                values[key].update({phrase: _number(said) for phrase, said in value.items()})
            elif not isinstance(value, str):
                values[key].update(dict.fromkeys(value, True))
    values["clock"] = {}
    for pack in every:
        for day, number in entry(pack, "dates", "weekdays").items() if entry(pack, "dates", "glue") else ():
            glued = product(entry(pack, "dates", "glue"), entry(pack, "dates", "day_parts") if len(day) > 4 else ())
            values["weekdays"].update({f"{day}{glue}{part}": _number(number) for glue, part in glued})
        for said, minutes in dict(entry(pack, "dates", "clock")).items():
            hours = {**dict(entry(pack, "dates", "hours")), **{str(hour): hour for hour in range(1, 13)}}
            for word, hour in hours.items():
                hour, minute = divmod(int(hour) * 60 + int(minutes), 60)
                values["clock"][f"{said} {word}"] = f"{hour or 12:02}:{minute:02}"  # "ten to one"
    hot = {phrase: (key, value) for key in reversed(HOT) for phrase, value in values[key].items()}
    return DateWords(
        _scan(hot),
        {key: _role(value) for key, value in values.items()},
        _role(hot),
        str(entry(every[0], "dates", "order") or "dmy"),
        bool(entry(every[0], "dates", "capitals")),
        "".join(str(entry(pack, "dates", "separators") or "") for pack in every),
        frozenset().union(*(pack.stop for pack in every), listed("matters", "delivers")),  # no nouns
        frozenset().union(*(entry(pack, "words", "after_ordinal") for pack in every)),
    )


def _role(value: Mapping[str, Any]) -> _Role:
    first, last = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for phrase in sorted(value, key=len, reverse=True):
        if said := _WORD.findall(phrase):
            first[said[0]].append(phrase)
            last[said[-1] if phrase[-1].isalnum() else ""].append(phrase)
    return _Role(value, first, last)


def _number(said: str) -> int | str:
    return int(said) if said.lstrip("-").isdecimal() else said


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
    branches = [re.escape(char) + _trie(below) for char, below in node.items() if char]
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
    return f"{joined}?" if "" in node else joined
