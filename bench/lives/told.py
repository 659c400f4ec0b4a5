"""What a notice tells: its lines, each with the files it points to. Nothing else of a run counts as told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from bench.lives.life import folded

_ITEM = re.compile(r"\s*([-*•]|\d+[.)])\s")
_FOOTER = re.compile(r"^\W*(and )?\d+ (more|others?)\b|^\W*(see|more in|open|run|reply)\b.{0,60}$", re.IGNORECASE)
# Says nothing of the matter: how many more, what it was matched to, the name of the folder.
_FRAME = re.compile(r"\s*\(and \d+ more\)\s*$|[;,]?\s*touches (?:priority|concern) '[^']*'|^\[[^\]]*\]\s*")
_BASE = re.compile(r"^\W*\[([^\]]*)\]")


class Pointed(NamedTuple):
    """A line of a file that a message leads to; line 0 where only the file is known."""

    kb: str
    path: str
    line: int


class Matter(NamedTuple):
    """One line of a message: its visible text, where it leads, and the quotes of the insight it rests on."""

    text: str
    places: tuple[Pointed, ...]
    quotes: tuple[str, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """The files it leads to."""
        return frozenset(place.path for place in self.places)


class Reader:
    """Reads messages about folders whose files are known: (knowledge base, path) of each."""

    def __init__(self, paths: Sequence[tuple[str, str]]) -> None:
        names = Counter(path.rpartition("/")[2] for _, path in paths)
        spelled: dict[str, list[tuple[str, str]]] = {}
        for kb, path in paths:
            name = path.rpartition("/")[2]
            for text in {f"{kb}/{path}", path, *([name] if names[name] == 1 else [])}:
                spelled.setdefault(text, []).append((kb, path))
        longest = sorted(spelled.items(), key=lambda each: (-len(each[0]), each[0]))
        pattern = r"(?<![\w/])(?:…/)?{}[:#]L?(\d+)"
        self._spelled = [(text, re.compile(pattern.format(re.escape(text))), files) for text, files in longest]
        self.pointed = cache(self._pointed)

    def matters(self, notice: Mapping[str, Any]) -> list[Matter]:
        """Those lines that point to a file; where none does, all but headings and footers, led by the insights."""
        lines = _lines(str(notice["text"]))
        placed = [self.pointed(line) for line in lines]
        if any(each.places for each in placed):
            return [each for each in placed if each.places]
        kept = [line for line in lines if len(lines) == 1 or not (line.endswith(":") or _FOOTER.search(line))]
        return [Matter(visible(line), *_linked(line, notice.get("insights") or [])) for line in kept]

    def _pointed(self, line: str) -> Matter:
        """A line without its pointers - the name of a file tells nobody anything - and the places they lead to."""
        base = _BASE.match(line)
        found: list[Pointed] = []
        for text, pattern, files in self._spelled:
            if text in line:
                hits = pattern.findall(line)
                line = pattern.sub(" ", line) if hits else line
                named = [each for each in files if base and each[0] == base[1]] or files
                found += [Pointed(*each, int(number)) for number in hits for each in named]
        return Matter(visible(line), tuple(found))


def visible(line: str) -> str:
    """What of a line speaks of its matter."""
    return _FRAME.sub("", line)


def _lines(text: str) -> list[str]:
    """The lines of a message; an indented one belongs to the line above unless it is an item."""
    found: list[str] = []
    for raw in filter(str.strip, text.splitlines()):
        if found and raw[0] in " \t" and not _ITEM.match(raw):
            found[-1] += " " + raw.strip()
        else:
            found.append(raw.strip())
    return found


def _linked(line: str, insights: Sequence[Mapping[str, Any]]) -> tuple[tuple[Pointed, ...], tuple[str, ...]]:
    """The evidence of the one insight whose title shares most of its words with the line, and its quotes."""
    mine = set(re.findall(r"\w+", folded(line)))

    def share(insight: Mapping[str, Any]) -> float:
        title = set(re.findall(r"\w+", folded(insight["title"])))
        return len(title & mine) / (len(title) or 1)

    if not insights:
        return (), ()
    best = max(insights, key=share)
    kb, evidence = best.get("kb") or "", best["evidence"]
    places = tuple(Pointed(kb, each["path"].removeprefix(f"{kb}/"), each["line"] or 0) for each in evidence)
    return places, tuple(each.get("quote") or "" for each in evidence)
