"""LANGUAGE. The figures of a text: amounts, numbers that are names, dates, times and weekdays as they are written."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.words import words

ARROW = " → "  # between what a value was and what it is
_PREFIX = r"(?:[$€£]\s?|\b(?:{currencies})\.? )?(?<![\w.,])"
_GROUPED = r"\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
_PATTERN = (
    r"(?P<date>\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:\.|st|nd|rd|th)? (?:{months})\b(?: \d{{4}}\b)?"
    r"|\b(?:{months}) [0-3]?\d(?:st|nd|rd|th)?\b(?![.,]\d)(?:,? \d{{4}}\b)?"
    r"|(?<![\d.])\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}\b|\d\d\b|(?!\d)))"
    r"|(?P<time>\b\d{{1,2}}:\d\d\b|\bkl\.? ?\d{{1,2}}(?:[.:]\d\d)?\b|\b\d{{1,2}} ?(?:am|pm|uhr)\b)"
    r"|(?P<day>\b(?:{weekdays})\b)"
    r"|(?P<number>{prefix}{grouped}(?: ?(?:%|[€$£]|(?:{units})(?!\w)))?"
    r"|{prefix}\d+(?:[.,]\d+)?(?!\w|[.,]\d)(?: ?(?:%|[€$£]|(?:{units})(?!\w)))?"
    r"|(?<![\w.,])\d+(?:[.,]\d+)?(?:%|[€$£]|(?:{units})(?!\w)))"
)
_MONEY = re.compile(r"[€$£]|[.,]\d\d\Z")
_NAMED = re.compile(r"(?:^|\s)([A-ZÆØÅÄÖÜ][^\W\d_]{2,}) $")  # Oven 2, Hall 3
_NUMBERED = re.compile(r"([^\W\d_]+|#)[.:]? ?#?\Z")
_LISTED = {("number", "number"), ("id", "id"), ("id", "number")}
_BETWEEN_DAY_AND_DATE = (" ", ", ", " den ", " the ")


class Figure(NamedTuple):
    """A value in a text. `kind`: number, id, date, time, day; `was`: what it was before, oldest first."""

    kind: str
    text: str
    start: int
    end: int
    was: tuple[str, ...] = ()


def is_money(text: str) -> bool:
    """Whether a figure is a sum of money as written: with a currency, or with cents."""
    return bool(_MONEY.search(text)) or not listed("figures", "money").isdisjoint(words(text))


@cached(1)
def sums() -> frozenset[str]:
    """The words for a sum of money, as columns of sums are called."""
    names = {name for pack in packs().values() for name in dict(entry(pack, "records", "columns")).get("amount", ())}
    return listed("figures", "money") | listed("figures", "paid") | names


@cached(8192)
def figures(text: str) -> tuple[Figure, ...]:
    """The values of a text in order; `1,200 → 1,350` is one value that was another."""
    pattern, weekday = _patterns()
    if not any(map(str.isdecimal, text)) and not weekday.search(text):
        return ()
    found: list[Figure] = []
    for each in _values(text, pattern):
        between = text[found[-1].end : each.start] if found else ""
        if found and found[-1].kind == each.kind and between == ARROW:
            before = found.pop()
            each = Figure(each.kind, each.text, before.start, each.end, (*before.was, before.text))
        elif found and (found[-1].kind, each.kind) in _LISTED and between in (", ", "–"):
            before = found.pop()
            each = Figure(before.kind, text[before.start : each.end], before.start, each.end, before.was)
        elif found and (found[-1].kind, each.kind) == ("day", "date") and between in _BETWEEN_DAY_AND_DATE:
            before = found.pop()
            each = Figure("date", text[before.start : each.end], before.start, each.end)
        found.append(each)
    return tuple(found)


def amount(text: str) -> float:
    """A figure as a number; a comma or point before three digits parts thousands. 0 for what is none."""
    digits = re.sub(r"[^\d.,]", "", re.sub(r"[.,' ](?=\d{3}(?:\D|$))", "", text)).replace(",", ".")
    return float(digits) if re.fullmatch(r"\d+(?:\.\d+)?", digits) else 0.0


def unit(text: str) -> str:
    """What stands behind the figure that a text ends with: ` kr`, `%`; "" for nothing."""
    found = _unit().search(text)
    return found[0] if found else ""


def _values(text: str, pattern: re.Pattern[str]) -> Iterator[Figure]:
    for match in pattern.finditer(text):
        kind = str(match.lastgroup)
        if kind == "number" and match[0].isdigit() and _is_name(text[max(match.start() - 20, 0) : match.start()]):
            kind = "id"
        yield Figure(kind, match[0], match.start(), match.end())


def _is_name(before: str) -> bool:
    """Whether the number behind these words is a name: "invoice 12", "Hall 3"."""
    word = _NUMBERED.search(before)
    if word and (word[1] == "#" or word[1].lower() in listed("figures", "numbered")):
        return True
    named = _NAMED.search(before)
    return named is not None and named[1].lower() not in listed("figures", "counting")


@cached(1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """That of all figures, and of weekdays by their whole names: the short ones are other words too often."""
    weekdays = _either(name for name in listed("dates", "weekdays") if len(name) > 5)
    months, units = _either(listed("dates", "months")), _either(listed("figures", "units"))
    more = {"prefix": _PREFIX.format(currencies=_either(listed("figures", "currencies"))), "grouped": _GROUPED}
    every = _PATTERN.format(months=months, weekdays=weekdays, units=units, **more)
    return re.compile(every, re.IGNORECASE), re.compile(rf"\b(?:{weekdays})\b", re.IGNORECASE)


@cached(1)
def _unit() -> re.Pattern[str]:
    return re.compile(rf"\s?(?:%|[€$£]|(?<![^\W\d_])(?:{_either(listed('figures', 'units'))}))$", re.IGNORECASE)


def _either(said: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(said, key=lambda word: (-len(word), word))) or "(?!)"
