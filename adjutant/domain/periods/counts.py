"""DOMAIN. What we write into bullets: how often a thing was said and on which days, ` (3 times: 16, 18, 20 Nov)`."""

from __future__ import annotations

import re
from typing import Any

from adjutant.domain.periods.extract_cues import FILE
from adjutant.language.pack import cached, entry, packs
from adjutant.language.patterns import either

_DAY_OR_MONTH = re.compile(r"(\d{1,2})\.?(?: ([^\W\d_]{3,5})\.?)?(?:,| …|$)")
_MOST_DAYS = 5


def written(name: str, language: str) -> str:
    """A word or form of ours in the language of the bullet."""
    return str(_own(FILE, f"written.{name}", language))


def _own(file: str, key: str, language: str) -> Any:
    """What a language has under a key; the English where it has nothing."""
    every = packs()
    return entry(every.get(language, every["en"]), file, key) or entry(every["en"], file, key)


def tail(times: int, days: tuple[str, ...], language: str) -> str:
    """` (3 times: 16, 18, 20 Nov)` in the language of the bullet, the middle left out of many; "" for what was once."""
    if times < 2:
        return ""
    on = f": {listed(days, language)}" if len(days) > 1 else ""
    return f" ({times} {_own('figures', 'times', language)}{on})"


def listed(days: tuple[str, ...], language: str) -> str:
    """YYYY-MM-DD as `16, 18, 20 Nov`."""
    number, months = written("day", language), _own("dates", "written", language)
    shown = [(number.format(int(day[8:])), months[int(day[5:7]) - 1]) for day in days]
    cut = len(shown) > _MOST_DAYS
    shown = [shown[0], shown[-1]] if cut else shown
    parts = [
        number if at + 1 < len(shown) and shown[at + 1][1] == month and not cut else f"{number} {month}"
        for at, (number, month) in enumerate(shown)
    ]
    return (" … " if cut else ", ").join(parts)


def without_tail(text: str, moment: str) -> tuple[str, int, tuple[str, ...]]:
    """(the text without what `tail` wrote, how often it was said, on which days)."""
    found = _tail().search(text)
    if found is None:
        return text, 1, ()
    return text[: found.start()], int(found[1]), _days(found[2] or "", moment)


@cached(1)
def _tail() -> re.Pattern[str]:
    return re.compile(rf"\s*\((\d{{1,4}}) {either('figures', 'times')}(?:: ([^()]{{1,80}}))?\)$")


def _days(told: str, moment: str) -> tuple[str, ...]:
    """What `listed` wrote, as YYYY-MM-DD; the year is that of `moment`, or the one before."""
    found: list[str] = []
    year, month = (int(moment[:4]), int(moment[5:7])) if moment[:4].isdigit() and moment[5:7].isdigit() else (0, 0)
    if not year:
        return ()
    days: list[int] = []
    end = 0
    for match in _DAY_OR_MONTH.finditer(told):
        if told[end : match.start()].strip():
            return ()
        end = match.end()
        days.append(int(match[1]))
        if match[2]:
            number = _beginnings().get(match[2].lower()[:3], 0)
            if not number:
                return ()
            found += [f"{year - (number > month):04}-{number:02}-{day:02}" for day in days]
            days = []
    return tuple(found) if found and not days and end == len(told) else ()


@cached(1)
def _beginnings() -> dict[str, int]:
    written = [entry(pack, "dates", "written") for pack in packs().values()]
    return {name.lower()[:3]: number for names in written for number, name in enumerate(names, 1)}
