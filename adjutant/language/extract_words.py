"""LANGUAGE. What a statement is about, as words and values: stems of what is not everyday, figures, dates, days."""

from __future__ import annotations

import re

from adjutant.language import detect, pack
from adjutant.language.figures import ARROW as ARROW
from adjutant.language.figures import Figure
from adjutant.language.figures import amount as amount
from adjutant.language.figures import figures as read_figures
from adjutant.language.figures import unit as unit
from adjutant.language.negation import is_negated
from adjutant.language.pack import cached, entry, packs
from adjutant.language.stems import stem as stem
from adjutant.language.words import is_idle

Value = Figure
values = read_figures
_WORD = re.compile(r"[^\W_]+")


def language_of(text: str) -> str:
    """The language of a text, "" where its beginning does not tell."""
    return detect.language_of(text[:2000], "")


def plain(text: str) -> str:
    """A text as cues are looked for in it: lower case, straight apostrophes."""
    return text.replace("’", "'").lower()


def negated(text: str) -> bool:
    """Whether a text denies anything."""
    return is_negated(text)


def words(text: str) -> list[str]:
    """The words of a text, lower case."""
    return _WORD.findall(plain(text))


@cached(8192)
def stems(text: str, language: str) -> frozenset[str]:
    """The stems of the words that say what a text is about; no figures, no days, nothing anybody says of any matter."""
    doing = pack.listed("words", "doing")
    return frozenset(
        stem(word, language)
        for word in words(text)
        if len(word) > 1 and not word[0].isdigit() and not is_idle(word, language or "en") and word not in doing
    )


def listing(value: Value) -> list[str]:
    """The figures of a value, without their unit: those of `12, 15` and of `12–15`."""
    return [part.removesuffix(unit(part)) for part in re.split(r", |–", value.text)]


@cached(8192)
def figures(text: str) -> frozenset[str]:
    """The values of a text as compared, the newest of each."""
    return frozenset(value.text.lower() for value in values(text))


def topic(text: str, language: str) -> frozenset[str]:
    """The stems of a text, its figures, dates and days taken out."""
    kept, end = "", 0
    for value in values(text):
        kept, end = f"{kept}{text[end : value.start]} ", value.end
    return stems(kept + text[end:], language)


def telling(text: str) -> int:
    """How many words of a text say something; figures do."""
    return sum(not is_idle(word) for word in words(text))


# -- the count and days that a bullet ends with --------------------------------------------------------------

_DAY_OR_MONTH = re.compile(r"(\d{1,2})\.?(?: ([^\W\d_]{3,5})\.?)?(?:,| …|$)")
_MOST_DAYS = 5


def tail(times: int, days: tuple[str, ...], language: str) -> str:
    """` (3 times: 16, 18, 20 Nov)` in the language of the bullet, the middle left out of many; "" for what was once."""
    if times < 2:
        return ""
    on = f": {listed(days, language)}" if len(days) > 1 else ""
    return f" ({times} {entry(packs()[language], 'figures', 'times')}{on})"


def listed(days: tuple[str, ...], language: str) -> str:
    """YYYY-MM-DD as `16, 18, 20 Nov`."""
    dot = "" if language == "en" else "."
    shown = [(f"{int(day[8:])}{dot}", entry(packs()[language], "dates", "written")[int(day[5:7]) - 1]) for day in days]
    cut = len(shown) > _MOST_DAYS
    shown = [shown[0], shown[-1]] if cut else shown
    parts = [
        number if at + 1 < len(shown) and shown[at + 1][1] == month and not cut else f"{number} {month}"
        for at, (number, month) in enumerate(shown)
    ]
    return (" … " if cut else ", ").join(parts)


def days_of(told: str, moment: str) -> tuple[str, ...]:
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
