"""DOMAIN. What a question wants: what each of its words counts, which text holds them, what an answer has to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from datetime import date
from functools import lru_cache
from itertools import pairwise

from adjutant.domain.recall.question import ASKING, MOST_READ, calendar, read_question
from adjutant.language import synonyms
from adjutant.language.dates import find
from adjutant.language.figures import figures, is_money, sums
from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.phrases import matcher
from adjutant.language.stems import stem
from adjutant.language.words import content, day_names, fold, forms, tokens, words
from adjutant.store.index_tables import UNSPACED

ALIKE = 0.7  # of a word that means much the same
FORM, BENT = 0.9, 3  # of a word with an ending of another language, and the letters of such an ending
LONG = 7  # digits of a number that can be no other
LIGHT = 0.3  # of a word that is said of any matter, against one that says what a question is about
COMPOUND, LEAST_PART = 0.6, 5  # of a word that another one begins or ends with, in languages that run nouns together
APART = 12  # characters between who does something and what is done
WORDED = frozenset(("number", "money", "id", "mail"))  # kinds that have names of their own: price, telephone
DATES = ("date", "time", "day")
SOME_DAY = date(2000, 1, 1)
_ID = re.compile(r"\+?\d[\d /()-]{2,}\d|[A-Z]{2}\d{2}[\dA-Z]{4,}")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_SLASHED = re.compile(r"(?<!\d)\d{1,2}/\d{1,2}(?:/\d{2,4})?(?!\d)")
_DIGIT = re.compile(r"\d")
_CLOCK = re.compile(r"\A\s*(?:[-*+•]\s+)?\d{1,2}[.:]\d\d\b(?![.\d])")  # a line of a programme begins with its hour
_HOUR = re.compile(r"(?<![\d.,/-])(?:[01]?\d|2[0-3])[.:h][0-5]\d(?![\d.,/-]\d)")
_CELL = re.compile(r"(?:^|; )([^:;\n]{1,40}): ([^:;.]*)\Z")  # of a record, up to a figure in it
_CALLED = re.compile(r"([^\W\d_]+) ([^\W\d_]+)[ :#.]*\Z")  # a number, by the two words before it
_AFTER = re.compile(r" ([^\W\d_]+)")
_STOPS = re.compile(r"[^\w \t]")  # whatever parts two clauses
_NAME = re.compile(r"(?<![^\W_])(?![a-z])[^\W\d_](?=[a-z\u00df-\u00ff])[^\W\d_]+(?!\w|:)")  # no label, no shouting


class Wanted:
    """A question read: `words` that say something, in their order; `telling`: those that are not everyday; `act`: the
    first of these; `attribute`: what is asked of something, as the balance in "the balance for the course". `names`: of
    persons, things and numbers; `topic`: what it is about, as the boiler in "the number of the boiler". `shows`: what
    an answer has to show (date, time, length, number, id, mail, person, place); `asks`: the words that say so; `rest`:
    the words that are neither. `latest`, `coming`: it asks for the last of several, or for the next. `today`: the day
    of asking, or ""."""

    def __init__(self, text: str, home: str = "", today: str = "") -> None:
        """`home`: what the place is called that is asked; its words say little there. `today`: the day of asking."""
        self.today = today
        text = text[:MOST_READ]
        read = read_question(text)
        self.code, everyday = read.code, packs()[read.code].everyday | frozenset(words(home.replace("_", " ")))
        everyday |= listed("words", "titles")
        days = [each for each in find(text[:ASKING], SOME_DAY) if each.exact and each.first == each.last]
        self._days = {(each.first.month, each.first.day): text[each.start : each.end] for each in days}
        dated = {word for said in self._days.values() for word in words(said)}  # in a row they say a day, alone nothing
        said = [term.word for term in read.terms if " " not in term.word and term.word not in dated]
        said = [word for word in said if len(word) > 1 or word.isdigit() or not word.isascii()]
        said = list({self._stem(word): word for word in reversed(said)}.values())[::-1]
        self.words = (*said, *self._days.values())
        wants = matcher("questions", "wants").find(text[:ASKING])
        spans = [(each.start, each.end) for each in wants]  # "how much" asks for no place where "how" does
        longer = [(a, b, each) for each in wants for a, b in spans if b - a > each.end - each.start]
        within = [each for a, b, each in longer if a <= each.start and each.end <= b]
        kinds = [each for each in wants if each not in within]
        self.shows = frozenset(match.name for match in kinds)
        asks = {word for match in kinds for word in words(text[match.start : match.end])}
        asks -= {word for match in kinds for slot in match.slots.values() for word in words(slot)}
        for asked in matcher("questions", "thing", self.code).find(text[:ASKING]):
            everyday -= {asked.slots["it"].lower()} - asks  # "what fine did": no "that is fine" is meant
        self.telling = frozenset(self.words) - everyday - packs()[self.code].stop - day_names(0)
        self.asks = frozenset(word for word in self.words if word in asks) if self.telling - asks else frozenset[str]()
        capitals = {token.text for token in tokens(text)[1:] if text[token.start].isupper()}
        numbers = {word for word in self.words if word.isdigit()}
        self.names = frozenset(numbers) if self.code == "de" else self.telling & (capitals | numbers)
        self._exact, self._stems, self._alike = dict[str, str](), dict[str, str](), dict[str, list[str]]()
        self._grade: Callable[[str], list[tuple[str, float]]] = lru_cache(None)(self._find_grade)
        self.is_shown_by: Callable[[str], bool] = lru_cache(None)(self._is_shown_by)
        for word in self.words:
            for form in (word, *forms(word)):
                self._exact.setdefault(_plain(form), word)
                self._stems.setdefault(self._stem(form), word)
        about = matcher("questions", "topic", self.code).find(text[:ASKING])
        head = frozenset(words(text[: about[0].start])) if about else frozenset[str]()
        self.attribute = (head & self.telling) - self.names
        self.topic = frozenset(filter(None, (self._head(text[match.end : ASKING]) for match in about)))
        self.rest = frozenset(self.words) - self.names - asks
        asking = words(text[:ASKING])
        self.latest = not listed("dates", "last").isdisjoint(asking)
        self.coming = bool(today) and not listed("dates", "next").isdisjoint(asking)
        if self.names == self.telling:
            self.shows -= {"person"}  # who somebody is
        self.act = next((word for word in said if word in self.telling), "")

    def widen(self) -> Wanted:
        """The same question, of which words are held by others that mean much the same, too."""
        found = copy(self)
        found._grade, found.is_shown_by = lru_cache(None)(found._find_grade), lru_cache(None)(found._is_shown_by)
        found._alike = {}
        for word in self.telling - self.names:
            for other in synonyms.find(word, self.code):
                found._alike.setdefault(self._stem(other), []).append(word)
        return found

    def _head(self, rest: str) -> str:
        """The word that a question is about, from the rest of it behind "of": the last before the next small word."""
        head = ""
        for each in words(rest):
            if each in packs()[self.code].stop and head:
                break
            head = next((word for word, _ in self._grade(each) if word in self.telling), head)
        return head

    def weights(self, rarity: Mapping[str, float]) -> dict[str, float]:
        """{word: what it counts}. `rarity` of those that are found; an everyday word found nowhere counts nothing."""
        found = {word.removesuffix("…"): rare for word, rare in rarity.items()}
        asked = (word for word in self.words if word not in packs()[self.code].stop)
        telling = self.telling
        return {word: found.get(word, 1.0) if word in telling else LIGHT * found.get(word, 0.0) for word in asked}

    def match(self, text: str) -> dict[str, float]:
        """{word: how well the text holds it, 0 to 1}; words that it lacks are left out."""
        found: dict[str, float] = {}
        for token in words(text):
            parts = re.split("[-/]", token) if token[0].isdigit() and re.search("[-/]", token) else ()  # 2026-32
            for word, grade in (each for part in (token, *parts) for each in self._grade(part)):
                found[word] = max(grade, found.get(word, 0.0))
        for each in find(text, SOME_DAY) if self._days else ():
            if (said := self._days.get((each.first.month, each.first.day))) is not None:
                found[said] = 1.0
        if not text.isascii():
            found.update({word: 1.0 for word in self.words if UNSPACED.search(word) and word in text})
        return found

    def share(self, text: str) -> float:
        said = content(text, self.code)
        return sum(bool(self._grade(word)) for word in said) / len(said) if said else 0.0

    def others(self, text: str) -> bool:
        """Whether a text says anything that the question does not."""
        return any(not self._grade(word) for word in content(text, self.code))

    def asks_for(self, word: str) -> bool:
        return bool(self._grade(word))

    def _find_grade(self, token: str) -> list[tuple[str, float]]:
        """(word, how well it is held) of the question's words that a token is a form of."""
        plain = _plain(token)
        if (word := self._exact.get(plain) or self._stems.get(self._stem(token))) is not None:
            return [(word, 1.0)]
        if (alike := self._alike.get(self._stem(token))) is not None:
            return [(word, ALIKE) for word in alike]
        known = {**self._stems, **self._exact}
        if self.code == "en":  # English runs no nouns together, but may ask of a page in a language that bends them
            longer = [part for part in known if len(part) >= LEAST_PART and 0 < len(plain) - len(part) <= BENT]
            bent = [(known[part], plain[len(part) :]) for part in longer if plain.startswith(part)]
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
                    if not text[before.start].isupper() and not between.strip():
                        return False  # "clearance plot 11" says of nobody that he does it
                    return not _is_common(before.text) and len(between) <= APART and not _STOPS.search(between)
        return False

    def tells_kind(self, text: str) -> bool:
        """Whether a text holds what is asked for and can be nothing else: of a number only a long one."""
        if not self.asks or not self.is_shown_by(text):
            return False
        return "id" not in self.shows or any(len(_DIGIT.findall(each)) >= LONG for each in _ids(text))

    def says_kind(self, text: str) -> bool:
        """Whether a text has a word for what is asked for, in any language."""
        kinds = self.shows & WORDED
        return bool(kinds) and any(match.name in kinds for match in matcher("questions", "wants").find(text))

    def _is_shown_by(self, text: str) -> bool:
        """Whether a text shows what an answer has to; a word of the question is no new name."""
        return all(_SHOWN[kind](text, self) or (kind == "person" and self.does(text)) for kind in self.shows)


def _plain(word: str) -> str:
    return fold(calendar().get(word, (word,))[0])


def _tells_day(text: str, wanted: Wanted) -> bool:
    """Whether a text tells a day or a time; where the next is asked for, not only days that are over."""
    near = date.fromisoformat(wanted.today) if wanted.coming else SOME_DAY
    if wanted.coming and (days := find(text, near)) and all(each.last < near for each in days):
        return False
    named = not day_names().isdisjoint(words(text)) or any(each.kind in DATES for each in figures(text))
    return named or any(form.search(text) is not None for form in (_CLOCK, _YEAR)) or _has_day(text)


def _tells_hour(text: str, wanted: Wanted) -> bool:
    told = _HOUR.search(text) is not None or any(each.kind == "time" for each in figures(text))
    return told or any(each.time for each in find(text, SOME_DAY, anchor=SOME_DAY))


def _has_day(text: str) -> bool:
    """Whether a text names a day; 10/15 is one, though of no known order."""
    slashed = (sorted(map(int, match[0].split("/")[:2])) for match in _SLASHED.finditer(text))
    return any(0 < one <= 12 and two <= 31 for one, two in slashed) or bool(find(text, SOME_DAY, anchor=SOME_DAY))


def _tells_amount(text: str, wanted: Wanted) -> bool:
    """Whether a text holds a figure of its own, or one in words, that is no part of a date such as 22/02/27."""
    days = _days_in(text)
    days += [match.span() for match in _ID.finditer(text) if len(_DIGIT.findall(match[0])) >= LONG]
    for each in figures(text):
        inside = any(first < each.end and each.start < last for first, last in days)
        if each.kind in ("number", "id") and each.text not in wanted.words and (each.text[-1].isalpha() or not inside):
            return True
    several, units = _number_words(wanted.code, 2), _units(wanted.code)
    return any(one in several and two in units for one, two in pairwise(words(text)))


def _tells_money(text: str, wanted: Wanted) -> bool:
    """Whether a text tells a sum of money: a figure with a currency or with cents, one in a column of sums, or a bare
    one that is no name and counts nothing ("18 pictures")."""
    units, days, several = listed("figures", "money"), _days_in(text), _number_words(wanted.code)
    times = [match.span() for match in _HOUR.finditer(text)] if days or not day_names().isdisjoint(words(text)) else []
    taken = [*days, *times, *(match.span() for match in _ID.finditer(text) if len(_DIGIT.findall(match[0])) >= LONG)]
    named = _is_sum(text) or any(match.name == "money" for match in matcher("questions", "wants").find(text))
    for each in figures(text):
        if each.kind != "number" or each.text in wanted.words or any(a < each.end and each.start < b for a, b in taken):
            continue
        if is_money(each.text):
            return True
        cell, after = _CELL.search(text, 0, each.start), _AFTER.match(text, each.end)
        bare = named and each.text[-1].isdigit() and len(each.text) > 1
        if bare and (_is_sum(cell[1]) and not (cell[2] or after) if cell else not after or _is_small(after[1].lower())):
            return True
    return any(one in several and two in units for one, two in pairwise(words(text)))


def _is_sum(text: str) -> bool:
    """Whether a column is called as one of sums is, or a text has a word for one."""
    return not sums().isdisjoint(words(text))


def _tells_length(text: str, wanted: Wanted) -> bool:
    """Whether a text says how long: so many units of something, if only one, or until when."""
    numbers, units = _number_words(wanted.code), _units(wanted.code)
    counted = any((one in numbers or one.isdigit()) and two in units for one, two in pairwise(words(text)))
    return counted or _tells_amount(text, wanted) or _has_day(text)


def _days_in(text: str) -> list[tuple[int, int]]:
    """Where the days of a text begin and end."""
    days = [(each.start, each.end) for each in find(text, SOME_DAY, anchor=SOME_DAY)]
    return days + [match.span() for match in _SLASHED.finditer(text)]


@cached(8)
def _units(code: str) -> frozenset[str]:
    """What is counted and measured in: years, kilos."""
    return frozenset(dict(entry(packs()[code], "dates", "units"))) | listed("figures", "units", code)


@cached(8)
def _number_words(code: str, least: int = 1) -> frozenset[str]:
    """Numbers in words, from `least` on."""
    numbers = dict(entry(packs()[code], "dates", "numbers"))
    return frozenset(word for word, number in numbers.items() if int(number) >= least)


def _ids(text: str) -> list[str]:
    """The numbers of a text that may name something: none is part of a date."""
    dates = [(each.start, each.end) for each in figures(text) if each.kind in DATES]
    return [match[0] for match in _ID.finditer(text) if not any(a <= match.start() < b for a, b in dates)]


def _is_of_another(text: str, number: str, wanted: Wanted) -> bool:
    """Whether a number is called by a word that the question has not: "receipt number 88-40217" is no passport's."""
    called = _CALLED.search(text, 0, text.find(number))
    if called is None or called[2].lower() not in wanted.asks or not wanted.telling - wanted.asks:
        return False
    word = called[1].lower()
    named = called[1] != word and text[: called.start()].rstrip()[-1:].isalnum()  # whose it is, in the cell before
    return not (named or _is_small(word) or _is_common(word) or wanted.asks_for(word))


def _tells_name(text: str, wanted: Wanted) -> bool:
    names = (match[0].lower() for match in _NAME.finditer(text))
    return any(not wanted.asks_for(name) and not _is_common(name) for name in names)


def _tells_place(text: str, wanted: Wanted) -> bool:
    """Whether a text says where: a name, or behind a word of place something that is not in the question."""
    if _tells_name(text, wanted) or any(_DIGIT.search(each) and not wanted.asks_for(each) for each in words(text)):
        return True
    places, said = listed("questions", "places"), words(text)
    said = [each for each in said if each in places or not _is_small(each)]
    return any(one in places and not wanted.asks_for(two) and not _is_common(two) for one, two in pairwise(said))


def _is_small(word: str) -> bool:
    return any(word in pack.stop for pack in packs().values())


def _is_common(word: str) -> bool:
    return any(word in pack.stop or word in pack.everyday for pack in packs().values()) or word in calendar()


_SHOWN = {
    "date": _tells_day,
    "time": _tells_hour,
    "number": _tells_amount,
    "money": _tells_money,
    "length": _tells_length,
    "id": lambda text, wanted: any(not _is_of_another(text, each, wanted) for each in _ids(text)),
    "mail": lambda text, wanted: "@" in text,
    "person": _tells_name,
    "place": _tells_place,
}
