"""LANGUAGE. Dates as people write them, in any text."""

import re
from collections.abc import Iterable
from datetime import date, datetime
from itertools import product

from adjutant.language.date_days import EARLIEST, LATEST, make
from adjutant.language.date_days import Date as Date  # part of this module's face
from adjutant.language.date_reader import DateReader
from adjutant.language.date_words import DateWords, date_words
from adjutant.language.detect import language_of
from adjutant.language.pack import listed, packs
from adjutant.language.words import day_names

_UNITED_STATES = re.compile(  # the time zones there
    r"US/|Pacific/Honolulu|America/(?:New_York|Detroit|Kentucky|Indiana|Chicago|Menominee|North_Dakota|Denver|Boise"
    r"|Phoenix|Los_Angeles|Anchorage|Juneau|Sitka|Metlakatla|Yakutat|Nome|Adak|Louisville|Fort_Wayne)"
)
_FIGURES = re.compile(r"(?:([^\W\d_]+):? )?\d{1,2}\.\d")
_NAMED = re.compile(r"(?<!\d)(\d{4})([-_/. ]?)([01]\d)\2([0-3]\d)(?!\d)")
_SPLIT = re.compile(r"\s*(\d{1,2})\s*[/.-]\s*(\d{1,2})(?:\s*[/.-]\s*\d{2,4}|\.)?(?:\s.*)?", re.DOTALL)


def find(
    text: str, near: date, *, anchor: date | None = None, code: str = "", order: str | None = None, before: str = ""
) -> list[Date]:
    """The dates of a text in order; they never overlap. Linear time. A day without a year is the one nearest to
    `anchor`, the day the text speaks from, or to `near` where there is none; without `anchor`, relative words and bare
    weekdays are no dates. `order`: dmy or mdy of 3/4; None: what is possible, else its custom. `code`: the language of
    the file; a line in another one, or too short to tell, is read in its own or in all of them too, where that shows
    more. "": the one the text is in. `before`: what was said before, to which "the day before" and "the Saturday" point
    back."""
    lower = said = text.lower()
    if len(lower) != len(text):  # İ becomes two letters
        lower = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    lower = lower.replace("\u00a0", " ")
    if _words("").scan.search(lower) is None:
        return []
    pointing = listed("dates", "beside") | day_names() if any(map(str.isdigit, before)) else ()
    points = any(word in said for word in pointing)
    earlier = find(before, near, anchor=anchor, code=code, order=order) if points else []
    base, own = min(max(anchor or near, EARLIEST), LATEST), language_of(text, "")
    words = _words(code or own)
    readings = [words]
    if code and own != code:  # "in 3.11" is a day only where the file's language writes days so
        other = _words(own)  # and where only another language has the word before it: "forfall 26.11"
        foreign = other.roles["before"].value.keys() - words.roles["before"].value.keys()
        dotted = {each[1] for each in _FIGURES.finditer(lower)} <= foreign
        readings.append(other._replace(separators=(other if dotted else words).separators, order=words.order))
    readers = [DateReader(text, lower, base, anchor is not None, order, each) for each in readings]
    for reader, each in product(readers, earlier):
        reader.remember(each, before)
    read = (list(reader.dates()) for reader in readers)
    return max(read, key=lambda found: (len(found), sum(bool(day.time) for day in found)))


def day_in_name(path: str) -> date | None:
    """The day in a file's name, else in its folders': 2026-10-18.md, 20261018-minutes.txt, 2026/10/18.md."""
    for name in (path.rpartition("/")[2], path):
        for found in _NAMED.finditer(name):
            if day := make(int(found[1]), int(found[3]), int(found[4])):
                return day
    return None


def order_of(values: Iterable[str]) -> str | None:
    """dmy or mdy where a column of dates shows it by a part over 12; None where it does not, or shows both."""
    first = second = False
    for value in values:
        if found := _SPLIT.fullmatch(value):
            first = first or int(found[1]) > 12
            second = second or int(found[2]) > 12
    return None if first == second else "dmy" if first else "mdy"


def custom_order(now: datetime) -> str | None:
    """How figures are ordered where the clock stands: mdy in the United States, else None: the language's custom."""
    return "mdy" if _UNITED_STATES.match(str(getattr(now.tzinfo, "key", ""))) else None


def _words(code: str) -> DateWords:
    """Those of a language and of English; of all languages where it is not known which."""
    return date_words(tuple(packs()) if not code else (code, "en") if code != "en" else ("en",))
