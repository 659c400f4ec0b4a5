"""DOMAIN. What a question wants: what each of its words counts, which text holds them, what an answer has to show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from adjutant.domain.recall.question import ASKING, MOST_READ, asked, calendar
from adjutant.language.dates import find
from adjutant.language.figures import figures
from adjutant.language.pack import packs
from adjutant.language.phrases import matcher
from adjutant.language.stems import stem
from adjutant.language.words import content, day_names, fold, forms, tokens, words
from adjutant.store.index_tables import UNSPACED

FORM, BENT = 0.9, 3  # of a word with an ending of another language, and the letters of such an ending
LONG = 7  # digits of a number that can be no other
LIGHT = 0.3  # of a word that is said of any matter, against one that says what a question is about
COMPOUND, LEAST_PART = 0.6, 5  # of a word that another one begins or ends with, in languages that run nouns together
APART = 12  # characters between who does something and what is done
DATES = ("date", "time", "day")
SOME_DAY = date(2000, 1, 1)
_ID = re.compile(r"\+?\d[\d /()-]{2,}\d|[A-Z]{2}\d{2}[\dA-Z]{4,}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SLASHED = re.compile(r"(?<!\d)\d{1,2}/\d{1,2}(?:/\d{2,4})?(?!\d)")
_DIGIT = re.compile(r"\d")
_CLOCK = re.compile(r"\s*(?:[-*+•]\s+)?\d{1,2}[.:]\d\d\b(?![.\d])")  # a line of a programme begins with its hour
_STOPS = re.compile(r"[^\w \t]")  # whatever parts two clauses
_NAME = re.compile(r"(?<![^\W_])(?![a-z])[^\W\d_](?=[a-z\u00df-\u00ff])[^\W\d_]+(?!\w|:)")  # no label, no shouting


class Wanted:
    """A question read: `words` that say something, in their order; `telling`: those that are not everyday.

    `act`: the first of those that tell.

    `names`: of persons, things and numbers.

    `shows`: what an answer has to show (date, number, id, mail, person); `asks`: the words that say so.
    """

    def __init__(self, text: str, home: str = "") -> None:
        """`home`: what the place is called that is asked; its words say little there."""
        text = text[:MOST_READ]
        read = asked(text)
        self.code, everyday = read.code, packs()[read.code].everyday | frozenset(words(home.replace("_", " ")))
        days = [each for each in find(text[:ASKING], SOME_DAY) if each.exact and each.first == each.last]
        self._days = {(each.first.month, each.first.day): text[each.start : each.end] for each in days}
        dated = {word for said in self._days.values() for word in words(said)}  # in a row they say a day, alone nothing
        said = [term.word for term in read.terms if " " not in term.word and term.word not in dated]
        said = [word for word in said if len(word) > 1 or word.isdigit() or not word.isascii()]
        said = list({self._stem(word): word for word in reversed(said)}.values())[::-1]
        self.words = (*said, *self._days.values())
        self.telling = frozenset(self.words) - everyday - packs()[self.code].stop - day_names(0)
        kinds = matcher("questions", "wants").find(text[:ASKING])
        self.shows = frozenset(match.name for match in kinds)
        asks = {word for match in kinds for word in words(text[match.start : match.end])}
        self.asks = frozenset(word for word in self.words if word in asks) if self.telling - asks else frozenset[str]()
        capitals = {token.text for token in tokens(text)[1:] if text[token.start].isupper()}
        numbers = {word for word in self.words if word.isdigit()}
        self.names = frozenset(numbers) if self.code == "de" else self.telling & (capitals | numbers)
        self._exact: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        for word in self.words:
            for form in (word, *forms(word)):
                self._exact.setdefault(_plain(form), word)
                self._stems.setdefault(self._stem(form), word)
        if self.names == self.telling:
            self.shows -= {"person"}  # who somebody is
        self.act = next((word for word in said if word in self.telling), "")
        self._known: dict[str, list[tuple[str, float]]] = {}
        self._telling: dict[str, bool] = {}

    def weights(self, rarity: Mapping[str, float]) -> dict[str, float]:
        """{word: what it counts}. `rarity` of those that are found; an everyday word found nowhere counts nothing."""
        found = {word.removesuffix("…"): rare for word, rare in rarity.items()}
        return {
            word: found.get(word, 1.0) if word in self.telling else LIGHT * found.get(word, 0.0)
            for word in self.words
            if word not in packs()[self.code].stop
        }

    def held(self, text: str) -> dict[str, float]:
        """{word: how well the text holds it, 0 to 1}; words that it lacks are left out."""
        found: dict[str, float] = {}
        for token in (part for word in words(text) for part in _parts(word)):
            for word, grade in self._grade(token):
                found[word] = max(grade, found.get(word, 0.0))
        for each in find(text, SOME_DAY) if self._days else ():
            if (said := self._days.get((each.first.month, each.first.day))) is not None:
                found[said] = 1.0
        if not text.isascii():
            found.update({word: 1.0 for word in self.words if UNSPACED.search(word) and word in text})
        return found

    def share(self, text: str) -> float:
        """How much of what a text says is asked for, 0 to 1."""
        said = content(text, self.code)
        return sum(bool(self._grade(word)) for word in said) / len(said) if said else 0.0

    def others(self, text: str) -> bool:
        """Whether a text says anything that the question does not."""
        return any(not self._grade(word) for word in content(text, self.code))

    def _grade(self, token: str) -> list[tuple[str, float]]:
        """(word, how well it is held) of the question's words that a token is a form of."""
        known = self._known.get(token)
        if known is None:
            known = self._known[token] = self._graded(token)
        return known

    def _graded(self, token: str) -> list[tuple[str, float]]:
        plain = _plain(token)
        if (word := self._exact.get(plain) or self._stems.get(self._stem(token))) is not None:
            return [(word, 1.0)]
        if self.code == "en":  # English runs no nouns together, but may ask of a page in a language that bends them
            longer = [part for part in self._exact if len(part) >= LEAST_PART and 0 < len(plain) - len(part) <= BENT]
            bent = [(self._exact[part], plain[len(part) :]) for part in longer if plain.startswith(part)]
            return [(word, FORM) for word, ending in bent if word not in self.names or ending == "s"]
        parts = [part for part in self._stems if len(part) >= LEAST_PART and len(plain) > len(part)]
        return [(self._stems[part], COMPOUND) for part in parts if plain.startswith(part) or part in plain[3:]]

    def _stem(self, word: str) -> str:
        return stem(_plain(word), self.code)

    def does(self, text: str) -> bool:
        """Whether a text says who does what is asked: a word that the question has not, right before what it asks of
        somebody ("Anna will drive"), function words between them aside."""
        if "person" not in self.shows or not self.act:
            return False
        said = tokens(text)
        for at, token in enumerate(said):
            if at and any(word == self.act for word, _ in self._grade(token.text)):
                before = next((each for each in reversed(said[:at]) if not _is_small(each.text)), None)
                if before is not None and before.text[0].isalpha() and not self._grade(before.text):
                    between = text[before.end : token.start]
                    return not _is_common(before.text) and len(between) <= APART and not _STOPS.search(between)
        return False

    def tells_kind(self, text: str) -> bool:
        """Whether a text holds what is asked for and can be nothing else: a number that names something is a long one,
        for a short one may be any."""
        if not self.asks or not self.shown(text):
            return False
        return "id" not in self.shows or any(len(_DIGIT.findall(each)) >= LONG for each in _ids(text))

    def shown(self, text: str) -> bool:
        """Whether a text shows what an answer has to; a word of the question is no new name."""
        if (known := self._telling.get(text)) is None:
            own = frozenset(self.words)
            known = all(_SHOWN[kind](text, own) or (kind == "person" and self.does(text)) for kind in self.shows)
            self._telling[text] = known
        return known


def _parts(token: str) -> tuple[str, ...]:
    """A token, and the numbers that it is made of: 2026-32."""
    return (token, *re.split("[-/]", token)) if token[0].isdigit() and re.search("[-/]", token) else (token,)


def _plain(word: str) -> str:
    return fold(calendar().get(word, (word,))[0])


def _dated(text: str, own: frozenset[str]) -> bool:
    times = (
        not day_names().isdisjoint(words(text))
        or _CLOCK.match(text) is not None
        or any(each.kind in DATES for each in figures(text))
    )
    return times or _YEAR.search(text) is not None or _has_day(text)


def _has_day(text: str) -> bool:
    """Whether a text names a day; 10/15 is one, though of no known order."""
    slashed = (sorted(map(int, match[0].split("/")[:2])) for match in _SLASHED.finditer(text))
    return any(0 < one <= 12 and two <= 31 for one, two in slashed) or bool(find(text, SOME_DAY, anchor=SOME_DAY))


def _counted(text: str, own: frozenset[str]) -> bool:
    """Whether a text holds a figure that is no part of a date: 22/02/27 is three of them and tells no amount."""
    days = [(each.start, each.end) for each in find(text, SOME_DAY, anchor=SOME_DAY)]
    days += [match.span() for match in _SLASHED.finditer(text)]
    numbers = (each for each in figures(text) if each.kind in ("number", "id"))
    return any(not any(first < each.end and each.start < last for first, last in days) for each in numbers)


def _ids(text: str) -> list[str]:
    """The numbers of a text that may name something: none is part of a date."""
    dates = [(each.start, each.end) for each in figures(text) if each.kind in DATES]
    return [match[0] for match in _ID.finditer(text) if not any(a <= match.start() < b for a, b in dates)]


def _numbered(text: str, own: frozenset[str]) -> bool:
    return bool(_ids(text))


def _named(text: str, own: frozenset[str]) -> bool:
    return any(match[0].lower() not in own and not _is_common(match[0].lower()) for match in _NAME.finditer(text))


def _is_small(word: str) -> bool:
    return any(word in pack.stop for pack in packs().values())


def _is_common(word: str) -> bool:
    return any(word in pack.stop or word in pack.everyday for pack in packs().values()) or word in calendar()


_SHOWN = {
    "date": _dated,
    "number": _counted,
    "id": _numbered,
    "mail": lambda text, own: "@" in text,
    "person": _named,
}
