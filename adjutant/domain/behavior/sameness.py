"""DOMAIN. When two directives want the same: the same normalised text, or the same content words in any order."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from adjutant.language.detect import language_of
from adjutant.language.likeness import meaning
from adjutant.language.pack import listed
from adjutant.language.stems import stem
from adjutant.records.contract import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from adjutant.records.contract import Directive

# What a directive of one type says already of the same text: MORE tables keeps them, STOP mails has less of them.
COVERS = {
    "KEEP": ("KEEP", "START"),
    "MORE": ("KEEP", "MORE", "START"),
    "START": ("KEEP", "START"),
    "LESS": ("LESS",),
    "STOP": ("LESS", "STOP"),
}


def is_same(one: str, two: str) -> bool:
    """Whether two texts are equivalent."""
    if normal(one) == normal(two):
        return True
    language = language_of(normal(one), "") or language_of(normal(two))
    ours = _bag(normal(one), language)
    return bool(ours) and ours == _bag(normal(two), language)


def find_same(directives: Iterable[Directive], type: str, text: str) -> list[Directive]:
    """Those of this type that say what `text` says."""
    return [each for each in directives if each.type == type and is_same(each.text, text)]


def find_opposed(directives: Iterable[Directive], against: bool, text: str) -> list[Directive]:
    """Those of the other polarity that speak of what `text` speaks of."""
    return [each for each in directives if each.against != against and is_same(each.text, text)]


@lru_cache(maxsize=4096)
def _bag(text: str, language: str) -> frozenset[tuple[str, int]]:
    """The stems of the content words of a normalised text, each with how often; all words where none is one."""
    words = [word.text for word in meaning(text).words if word.text != "?"]
    fillers = listed("words", "fillers", language)
    content = [word for word in words if word not in fillers] or words
    return frozenset(Counter(stem(word, language) if word.isalpha() else word for word in content).items())
