"""LANGUAGE. How near two rules are: whether one covers the other, both say the same, or one contradicts the other.

By stems of content words. Figures and weekdays are compared as they stand, and whether a sentence denies: "30 days" is
not "90 days", and "deploy on Fridays" is not "never deploy on Fridays".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from adjutant.language import likeness
from adjutant.language.detect import language_of
from adjutant.language.negation import is_negated
from adjutant.language.pack import cached, entry, listed, packs
from adjutant.language.sentences import by_line
from adjutant.language.stems import stem
from adjutant.language.words import is_idle

COVERED = 0.8  # of an item's content stems, in one entry
LEAST = 3  # stems shared before two texts are held to be about the same
AGAIN = 0.6  # of all content stems of two lines, shared: the same said again
OPPOSED = 0.6  # of the stems of the longer rule: about the same, before the difference counts
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[a-zæøåäöü,;] )[A-ZÆØÅÄÖÜ][\w-]+")


class AgreementGist(NamedTuple):
    """What a text is about: `stems` of its words; among them the `values` (figures, weekdays), and the `telling` ones,
    without what is said of any matter. Whether it `denies`."""

    stems: frozenset[str]
    values: frozenset[str]
    telling: frozenset[str]
    denies: bool


@cached(8192)
def gist(text: str, language: str) -> AgreementGist:
    """The gist of a text read in a language (en, nb, de, "")."""
    words = [word.text.lower() for word in likeness.content(text)]
    values = frozenset(day for word in words if (day := _value(word)))
    plain = {word: stem(word, language) for word in words if not _value(word)}
    telling = frozenset(found for word, found in plain.items() if not is_idle(word))
    return AgreementGist(frozenset(plain.values()) | values, values, telling | values, is_negated(text))


def _value(word: str) -> str:
    """A figure as it stands, the number of a weekday, "" for any other word."""
    if any(char.isdigit() for char in word):
        return word
    days = _weekdays()
    return days.get(word, "") or days.get(word.removesuffix("s"), "")


@cached(1)
def _weekdays() -> Mapping[str, str]:
    every = [dict(entry(pack, "dates", "weekdays")) for pack in packs().values()]
    return {name: f"weekday {number}" for days in every for name, number in days.items() if len(name) > 5}


@cached(1)
def _opposites() -> Mapping[str, str]:
    pairs = [pair.split() for pair in listed("words", "opposites")]
    return {word: other for one, two in pairs for word, other in ((one, two), (two, one))}


def covered(item: str, entry: str) -> bool:
    """Whether an entry (title and text) says already what an item does."""
    if likeness.same(item, entry) or any(likeness.same(item, part) for part in by_line(entry)):
        return True
    language = common_language(item, entry)
    one, two = gist(item, language), gist(entry, language)
    shared = one.stems & two.stems
    if len(shared) < LEAST or len(shared) < COVERED * len(one.stems) or not one.values <= two.values:
        return False
    if _is_turned(item, entry) or of_another(item, entry):
        return False
    return one.denies == gist(_nearest(one, entry, language), language).denies


def again(one: str, two: str) -> bool:
    """Whether two lines say the same word for word, or by most of the content stems of both: same figures, same days,
    both denied or neither. What says the same in other words is not told by this."""
    if likeness.same(one, two):
        return True
    if not (covered(one, two) or covered(two, one)):
        return False
    language = common_language(one, two)
    first, second = gist(one, language), gist(two, language)
    return first.values == second.values and likeness.jaccard(first.stems, second.stems) >= AGAIN


def contradicts(item: str, entry: str) -> bool:
    """Whether the first sentence of an item says otherwise what a sentence of an entry says."""
    if of_another(item, entry):
        return False
    language = common_language(item, entry)
    one = gist(next(by_line(item), ""), language)
    two = gist(_nearest(one, entry, language), language)
    shared, most = one.stems & two.stems, max(len(one.stems), len(two.stems))
    if one.denies != two.denies and len(shared) >= 2 and len(shared) >= OPPOSED * most:
        return True
    topic = shared - one.values - two.values
    if len(topic) < 2:
        return False
    fewer, plain = sorted((len(one.stems - one.values), len(two.stems - two.values)))
    if len(topic) < OPPOSED * plain:
        return False
    if one.values - two.values and two.values - one.values and len(topic) >= COVERED * fewer:
        return one.denies == two.denies
    return _is_turned(item, entry)


def of_another(item: str, entry: str) -> bool:
    """Whether the first sentence of an item says of another person or thing what a sentence of an entry says: they are
    the same word for word but for one, no figure or day, or each has a name that the other lacks."""
    language = common_language(item, entry)
    first = next(by_line(item), "")
    near = _nearest(gist(first, language), entry, language)
    if language != "de":  # where every noun is written so
        ours, theirs = _names(first), _names(near)
        if any(name not in entry for name in ours) and any(name not in item for name in theirs):
            return True
    one, two = ([word.text.lower() for word in likeness.content(text)] for text in (first, near))
    other = [pair for pair in zip(one, two, strict=False) if pair[0] != pair[1]]
    if len(one) != len(two) or len(other) != 1:
        return False
    told = [gist(word, language) for word in other[0]]
    return (
        not set(other[0]) & _opposites().keys()
        and told[0].stems != told[1].stems
        and all(each.telling and not each.values for each in told)
    )


def _names(text: str) -> list[str]:
    return [name for name in _NAME.findall(text) if not _value(name.lower())]


def share(text: str, support: str) -> tuple[float, frozenset[str]]:
    """(how much of a text's content stems stand in its support, 0 to 1; the stems that do not)."""
    language = common_language(support, text)
    wanted = gist(text, language).stems
    missing = wanted - gist(support, language).stems
    return (1 - len(missing) / len(wanted) if wanted else 0.0), missing


def _nearest(one: AgreementGist, entry: str, language: str) -> str:
    """The sentence of an entry that shares most with a gist."""
    parts = list(by_line(entry)) or [""]
    return max(parts, key=lambda part: (len((found := gist(part, language)).stems & one.stems), -len(found.stems)))


def _is_turned(one: str, two: str) -> bool:
    """Whether one says `before` where the other says `after`, or the like."""
    ours, theirs = _words(one), _words(two)
    return any(_opposites()[word] in theirs - ours and word not in theirs for word in ours & _opposites().keys())


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def common_language(one: str, two: str) -> str:
    """Both are read in one language: that of the first that tells one."""
    return language_of(one, "") or language_of(two, "")
