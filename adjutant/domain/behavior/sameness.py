"""DOMAIN. When two directives want the same: the same normalised text, or the same content words in any order."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from adjutant.language.likeness import meaning
from adjutant.records.wording import normal
from adjutant.store import snowball

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from adjutant.records.contract import Directive

# Words that say nothing of their own about what is wanted. What denies, limits or compares is not among them.
_FUNCTION = {
    "en": """the a an is are be am was were we i you me us your my our that this these those it its and of to in on for
        with at by as so do does please""",
    "nb": """og er en ei et den det de som til av med har vi du jeg meg deg oss vår vårt våre din ditt dine min mitt
        mine på i for om å at så vær være vennligst""",
    "de": """der die das den dem des und ist sind ein eine einen einem einer eines wir du ich mir mich dir dich uns
        unser unsere unseren dein deine mit für auf von zu im in am an bei dass so sein bitte""",
}
_WORDS = {language: frozenset(words.split()) for language, words in _FUNCTION.items()}
# What a directive of one type says already of the same text: MORE tables keeps them, STOP mails has less of them.
COVERS = {
    "KEEP": ("KEEP", "START"),
    "MORE": ("KEEP", "MORE", "START"),
    "START": ("KEEP", "START"),
    "LESS": ("LESS",),
    "STOP": ("LESS", "STOP"),
}
_STEMMERS = {"en": "english", "nb": "norwegian", "de": "german"}


def same(one: str, two: str) -> bool:
    """Whether two texts are equivalent."""
    if normal(one) == normal(two):
        return True
    language = _language(one) or _language(two) or "en"
    ours = _bag(normal(one), language)
    return bool(ours) and ours == _bag(normal(two), language)


def standing(directives: Iterable[Directive], type: str, text: str) -> list[Directive]:
    """Those of this type that say what `text` says."""
    return [each for each in directives if each.type == type and same(each.text, text)]


def opposed(directives: Iterable[Directive], against: bool, text: str) -> list[Directive]:
    """Those of the other polarity that speak of what `text` speaks of."""
    return [each for each in directives if each.against != against and same(each.text, text)]


def _language(text: str) -> str:
    return meaning(normal(text)).language


@lru_cache(maxsize=4096)
def _bag(text: str, language: str) -> frozenset[tuple[str, int]]:
    """The stems of the content words of a normalised text, each with how often; all words where none is one."""
    words = [word.text for word in meaning(text).words if word.text != "?"]
    content = [word for word in words if word not in _WORDS[language]] or words
    return frozenset(Counter(_stem(word, language) for word in content).items())


def _stem(word: str, language: str) -> str:
    return str(_stemmer(language).stemWord(word)) if word.isalpha() else word


@lru_cache(maxsize=3)
def _stemmer(language: str) -> Any:
    return snowball.stemmer(_STEMMERS[language])
