"""LANGUAGE. What a statement is about, as words and values: stems of what is not everyday, figures, dates, days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from adjutant.language.everyday import EVERYDAY
from adjutant.store import snowball
from adjutant.store.index_words import STOP

_STEMMERS = {"en": "english", "nb": "norwegian", "de": "german"}
LANGUAGES = tuple(_STEMMERS)
# What people say of any matter: that it is asked for, under way, done, changed. None tells which matter it is.
_DOING = """
    done finished finish complete completed sent send sending paid pay arrived arrive came received receive signed
    sign fixed fix repaired repair replaced booked ordered answered replied reply submitted submit shipped ship closed
    close confirmed confirm settled resolved resolve solved bought buy returned return installed renewed handed
    approved merged released mailed collected waiting wait awaiting awaited pending todo open still yet overdue must
    promised promise owe owes reminder chase chased follow followed now new moved move raised rose changed fell
    dropped costs cost instead postponed delayed actually correction decision decided agreed lesson learned note today
    delivered deliver asked ready finally again back here place expected expect till until due by turns out never
    always should been ferdig gjort sendt sendte betalt betalte kom kommet mottatt fikk fått signert fikset reparert
    bestilt bestille svart svarte bekreftet avklart løst kjøpt hentet funnet godkjent venter vente avventer må trenger
    fortsatt ennå enda mangler husk purre purret nå ny nytt nye flyttet økt endret koster isteden heller rettelse
    egentlig besluttet bestemt avtalt enige levert levere betale sende ringe ringte spurte skal neste aldri alltid
    erledigt fertig geschickt schicken gesendet bezahlt bezahlen gekommen angekommen geliefert liefern erhalten
    bekommen unterschrieben repariert gebucht bestellt bestellen geantwortet eingereicht bestätigt gelöst geklärt
    gekauft abgeholt gefunden genehmigt warte warten wartet offen noch muss müssen soll fehlt jetzt neu neue neuer
    verschoben geändert kostet stattdessen korrektur beschlossen entschieden vereinbart gemacht angerufen anrufen
    nächstes nie immer
"""
_NEGATION = re.compile(
    r"\b(?:not|no|never|nobody|none|without|cannot|ikke|ingen|aldri|uten|nicht|kein\w{0,2}|nie"
    r"|ohne)\b"
    r"|n't\b"
)
_WORD = re.compile(r"[^\W_]+")
_MONTHS = (
    r"jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch|s)?|märz|apr(?:il)?|ma[yi]|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[scz](?:ember)?"
)
_DAYS = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:man|tirs|ons|tors|fre|lør|søn)dag"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)"
)
_UNITS = (
    r"%|€|\$|£|kr\b|nok\b|eur(?:o|os)?\b|usd\b|gbp\b|chf\b|kg\b|g\b|km\b|cm\b|mm\b|m²|m2\b|m\b|l\b|liters?\b|h\b"
    r"|hours?\b"
    r"|min(?:utes|utter|uten)?\b|timer?\b|stunden?\b|days?\b|dager?\b|tage?n?\b|°c?|kwh\b|gb\b|mb\b"
)
_VALUE = re.compile(
    rf"(?P<date>\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:\.|st|nd|rd|th)? (?:{_MONTHS})\b(?: \d{{4}}\b)?"
    rf"|\b(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}\b|\d\d\b)?)"
    rf"|(?P<time>\b\d{{1,2}}:\d\d\b|\bkl\.? ?\d{{1,2}}(?:[.:]\d\d)?\b|\b\d{{1,2}} ?(?:am|pm|uhr)\b)"
    rf"|(?P<day>\b(?:{_DAYS})\b)"
    rf"|(?P<number>(?:[$€£]\s?|\b(?:kr|nok|eur|usd|gbp"
    rf"|chf)\.? )?(?<![\w.,])\d{{1,3}}(?:[,.' ]\d{{3}})+(?:[.,]\d{{1,2}})?(?!\d)"
    rf"(?: ?(?:{_UNITS}))?|(?:[$€£]\s?|\b(?:kr|nok|eur|usd|gbp"
    rf"|chf)\.? )?(?<![\w.,])\d+(?:[.,]\d+)?(?![\w])(?: ?(?:{_UNITS}))?"
    rf"|(?<![\w.,])\d+(?:[.,]\d+)?(?:{_UNITS}))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:invoice|order|ticket|issue|room|flat|apartment|chapter|batch|lot|flight|bus|line|unit"
    r"|locker"
    r"|week|pr|version|no|nr|number|page|section|faktura|ordre|sak|rom|kapittel|uke|side"
    r"|rechnung|auftrag|bestellung|zimmer|kapitel|woche|seite|nummer|kw|#)[.:]? ?#?$",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:^|\s)([A-ZÆØÅÄÖÜ][^\W\d_]{2,}) $")  # Oven 2, Hall 3
_COUNTED = """
    sold ran paid bought baked made used ordered got sent received walked swam cycled drove read wrote had need about
    around only another over after nearly almost for all the solgte løp betalte kjøpte bakte brukte bestilte fikk gikk
    sendte mottok rundt cirka bare over etter omtrent verkauft gekauft bezahlt gebacken bestellt etwa rund nur noch
    über nach
"""
_UNIT = re.compile(rf"\s?(?:{_UNITS})$", re.IGNORECASE)
_LISTED = {("number", "number"), ("id", "id"), ("id", "number")}
_LETTERS = {"nb": "æøåØÅ", "de": "äöüßÜÄ"}
_MAY_HOLD = re.compile(r"\d|day|dag|tag|mittwoch", re.IGNORECASE)
_TELLING = {
    language: frozenset(small).difference(*(STOP[other] for other in LANGUAGES if other != language))
    for language, small in ((name, STOP[name]) for name in LANGUAGES)
}
ARROW = " → "


class Value(NamedTuple):
    """A figure, date, hour or day in a text. `kind`: number, id, date, time, day; `was`: before, oldest first."""

    kind: str
    text: str
    start: int
    end: int
    was: tuple[str, ...] = ()


def language_of(text: str) -> str:
    """en, nb or de by the small words of a text, "" where none of them tells."""
    said = words(text[:2000])
    counts = {language: sum(word in small for word in said) for language, small in _TELLING.items()}
    for language, letters in _LETTERS.items():
        counts[language] += sum(text.count(letter) for letter in letters)
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] and list(counts.values()).count(counts[best]) == 1 else ""


def plain(text: str) -> str:
    """A text as cues are looked for in it: lower case, straight apostrophes."""
    return text.replace("’", "'").lower()


def negated(text: str) -> bool:
    """Whether a text denies anything."""
    return _NEGATION.search(plain(text)) is not None


def words(text: str) -> list[str]:
    """The words of a text, lower case."""
    return _WORD.findall(plain(text))


@lru_cache(maxsize=8192)
def stems(text: str, language: str) -> frozenset[str]:
    """The stems of the words that say what a text is about; no figures, no days, nothing anybody says of any matter."""
    small = STOP.get(language, frozenset())
    return frozenset(
        stem(word, language)
        for word in words(text)
        if len(word) > 1 and not word[0].isdigit() and word not in _SILENT and word not in small
    )


@lru_cache(maxsize=32768)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a lower-case word."""
    return str(_stemmer(language).stemWord(word)) if len(word) < 40 else word


@lru_cache(maxsize=4)
def _stemmer(language: str) -> Any:
    return snowball.stemmer(_STEMMERS.get(language, "english"))


@lru_cache(maxsize=8192)
def values(text: str) -> tuple[Value, ...]:
    """The figures, dates, hours and days of a text, in order; `1,200 → 1,350` is one value that was another."""
    if _MAY_HOLD.search(text) is None:
        return ()
    found: list[Value] = []
    for each in _values(text):
        between = text[found[-1].end : each.start] if found else ""
        if found and found[-1].kind == each.kind and between == ARROW:
            before = found.pop()
            each = Value(each.kind, each.text, before.start, each.end, (*before.was, before.text))
        elif found and (found[-1].kind, each.kind) in _LISTED and between in (", ", "–"):
            before = found.pop()
            each = Value(before.kind, text[before.start : each.end], before.start, each.end, before.was)
        elif found and (found[-1].kind, each.kind) == ("day", "date") and between in (" ", ", ", " den ", " the "):
            before = found.pop()
            each = Value("date", text[before.start : each.end], before.start, each.end)
        found.append(each)
    return tuple(found)


def _values(text: str) -> Iterator[Value]:
    for match in _VALUE.finditer(text):
        kind = str(match.lastgroup)
        before = text[max(match.start() - 20, 0) : match.start()]
        if kind == "number" and match.group().isdigit() and (_NUMBERED.search(before) or _is_name(before)):
            kind = "id"
        yield Value(kind, match.group(), match.start(), match.end())


def _is_name(before: str) -> bool:
    named = _NAMED.search(before)
    return named is not None and named[1].lower() not in _COUNTING


def listing(value: Value) -> list[str]:
    """The figures of a value, without their unit: those of `12, 15` and of `12–15`."""
    return [_UNIT.sub("", part) for part in re.split(r", |–", value.text)]


def unit(text: str) -> str:
    """What stands behind a figure: ` kr`, `%`."""
    found = _UNIT.search(text)
    return found.group() if found else ""


def amount(figure: str) -> float:
    """A figure as a number; a comma or point before three digits parts thousands."""
    digits = re.sub(r"[^\d.,]", "", re.sub(r"[.,' ](?=\d{3}(?:\D|$))", "", figure)).replace(",", ".")
    return float(digits) if re.fullmatch(r"\d+(?:\.\d+)?", digits) else 0.0


@lru_cache(maxsize=8192)
def figures(text: str) -> frozenset[str]:
    """The values of a text as compared, the newest of each."""
    return frozenset(value.text.lower() for value in values(text))


_IDLE = EVERYDAY.union(*STOP.values())
_COUNTING = frozenset(_COUNTED.split())
_SILENT = EVERYDAY | frozenset(_DOING.split())


def topic(text: str, language: str) -> frozenset[str]:
    """The stems of a text, its figures, dates and days taken out."""
    kept, end = "", 0
    for value in values(text):
        kept, end = f"{kept}{text[end : value.start]} ", value.end
    return stems(kept + text[end:], language)


def telling(text: str) -> int:
    """How many words of a text say something; figures do."""
    return sum(word not in _IDLE for word in words(text))


# -- the count and days that a bullet ends with --------------------------------------------------------------

_TIMES = {"en": "times", "nb": "ganger", "de": "mal"}
_MONTHS_WRITTEN = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "nb": "jan. feb. mars april mai juni juli aug. sep. okt. nov. des.",
    "de": "Jan. Feb. März April Mai Juni Juli Aug. Sep. Okt. Nov. Dez.",
}
_SHORT_MONTHS = {language: written.split() for language, written in _MONTHS_WRITTEN.items()}
_BEGINNINGS = {name.lower()[:3]: number + 1 for names in _SHORT_MONTHS.values() for number, name in enumerate(names)}
_DAY_OR_MONTH = re.compile(r"(\d{1,2})\.?(?: ([^\W\d_]{3,5})\.?)?(?:,| …|$)")
_MOST_DAYS = 5


def tail(times: int, days: tuple[str, ...], language: str) -> str:
    """` (3 times: 16, 18, 20 Nov)` in the language of the bullet, the middle left out of many; "" for what was once."""
    if times < 2:
        return ""
    on = f": {listed(days, language)}" if len(days) > 1 else ""
    return f" ({times} {_TIMES[language]}{on})"


def listed(days: tuple[str, ...], language: str) -> str:
    """YYYY-MM-DD as `16, 18, 20 Nov`."""
    dot = "" if language == "en" else "."
    shown = [(f"{int(day[8:])}{dot}", _SHORT_MONTHS[language][int(day[5:7]) - 1]) for day in days]
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
            number = _BEGINNINGS.get(match[2].lower()[:3], 0)
            if not number:
                return ()
            found += [f"{year - (number > month):04}-{number:02}-{day:02}" for day in days]
            days = []
    return tuple(found) if found and not days and end == len(told) else ()
