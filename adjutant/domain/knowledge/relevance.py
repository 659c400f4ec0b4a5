"""How much a text touches each item of heart.md: shared stems, compounds and fields of life, weighted by place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from adjutant.domain.knowledge import dates, lexicon
from adjutant.domain.knowledge.lexicon import Lexicon, Token
from adjutant.records.heart import Heart

LINE, HEAD, NAME, FOLDER, KB, REST = 1.0, 0.8, 0.8, 0.7, 0.35, 0.35
COLUMN = 0.6
FIELD = 0.38
MIN_STEM, MIN_PREFIX = 5, 4


class Item(msgspec.Struct):
    """One item of heart.md, ready to be matched."""

    part: str  # priority, concern or quiet
    text: str
    words: list[str]
    fields: frozenset[str]
    days: list[date] = msgspec.field(default_factory=list)
    stems: dict[str, frozenset[str]] = msgspec.field(default_factory=dict)

    def label(self) -> str:
        return f"{self.part} '{self.text}'"


class Touch(msgspec.Struct):
    """What a piece of text shares with the heart: item -> matched heart words, item -> shared fields."""

    words: dict[int, set[str]] = msgspec.field(default_factory=dict)
    fields: dict[int, set[str]] = msgspec.field(default_factory=dict)

    def add(self, other: Touch) -> None:
        for index, words in other.words.items():
            self.words.setdefault(index, set()).update(words)
        for index, names in other.fields.items():
            self.fields.setdefault(index, set()).update(names)


class Relevance:
    """The heart's items in matching form, with a cache over words."""

    def __init__(self, heart: Heart, lex: Lexicon, now: date, language: str) -> None:
        self.lex = lex
        self.open = not heart.priorities and not heart.concerns
        self.items: list[Item] = []
        parts = [*heart.items(), *(("quiet", text) for text in heart.quiet)]
        for part, text in parts:
            self.items.append(_item(part, text, lex, language, now))
        self._cache: dict[tuple[str, str], list[tuple[int, str]]] = {}

    def touch(self, words: Iterable[Token], language: str) -> Touch:
        """Heart words and fields these tokens share with each item."""
        found = Touch()
        for token in words:
            word = token.text
            if len(word) < 3 and (word.isdecimal() or not any(c.isdecimal() for c in word)):
                continue
            for index, heart_word in self._matches(word, language):
                if heart_word.startswith("#"):
                    found.fields.setdefault(index, set()).add(heart_word)
                else:
                    found.words.setdefault(index, set()).add(heart_word)
        return found

    def names(self, word: str, language: str) -> bool:
        """Whether a word is part of what an item of the heart is called."""
        return any(
            not heart.startswith("#") and self.items[i].part != "quiet" for i, heart in self._matches(word, language)
        )

    def _matches(self, word: str, language: str) -> list[tuple[int, str]]:
        key = (word, language)
        known = self._cache.get(key)
        if known is not None:
            return known
        found: list[tuple[int, str]] = []
        if not word.isdecimal():
            fields = self.lex.fields(word, language)
            generic = self.lex.is_generic(word, language)
            stem = self.lex.stem(word, language)
            for index, item in enumerate(self.items):
                for heart_word in () if generic else item.words:
                    if _same(word, stem, heart_word, self.lex.stem(heart_word, language), language):
                        found.append((index, heart_word))
                found += [(index, "#" + name) for name in fields & item.fields]
        if len(self._cache) > 200_000:
            self._cache.clear()
        self._cache[key] = found
        return found

    def best(self, places: Sequence[tuple[float, Touch]], parts: Sequence[str]) -> tuple[float, int]:
        """(score, item index) of the item that the places together touch most; (0, -1) where none is touched."""
        top, which = 0.0, -1
        for index, item in enumerate(self.items):
            if item.part not in parts:
                continue
            score, seen, best_field = 0.0, set[str](), 0.0
            for weight, touch in places:
                new = touch.words.get(index, set()) - seen
                if new:
                    share = 1.0 if len(new) == 1 else 1.25
                    score += weight * share
                    seen |= new
                if index in touch.fields:
                    best_field = max(best_field, weight * FIELD)
            score += best_field if score < 0.5 else best_field * 0.25
            if item.part == "priority":
                score *= 1.02
            if score > top + 1e-9:
                top, which = score, index
        return min(top, 1.5), which


def _item(part: str, text: str, lex: Lexicon, language: str, now: date) -> Item:
    words: list[str] = []
    fields: set[str] = set()
    for token in lexicon.tokens(text):
        word = token.text
        if not any(c.isalpha() for c in word):
            continue
        fields |= lex.fields(word, language)
        if (
            (len(word) >= 3 or any(c.isdecimal() for c in word))
            and not lex.is_generic(word, language)
            and word not in words
        ):
            words.append(word)
    days = [f.day for f in dates.find(text, None, now, lex, language) if f.grain == "day"]
    return Item(part, text, words, frozenset(fields), days)


def _same(word: str, stem: str, other: str, other_stem: str, language: str) -> bool:
    """The same word, or one is a part of the other: "Sommerfestivalen" and "festival", "remortgage" and "mortgage"."""
    if stem == other_stem:
        return True
    short, long_ = (stem, other_stem) if len(stem) < len(other_stem) else (other_stem, stem)
    if len(short) >= MIN_STEM and long_.startswith(short):
        return True
    if len(short) >= (MIN_STEM if language != "en" else 7) and long_.endswith(short):
        return True
    if len(short) >= MIN_STEM and language != "en" and short in long_:
        return True
    if len(short) >= 5 and len(long_) >= 5:
        common = _common_prefix(stem, other_stem)
        if common >= 6 and common >= 0.7 * len(long_):
            return True
    whole, full = (word, other) if len(word) < len(other) else (other, word)
    rest = len(full) - len(whole)
    return (
        len(whole) >= MIN_PREFIX
        and rest >= 4
        and full.startswith(whole)
        and not re.match(r"(?:ing|ers|able|ment|tion|ness|less|fully)", full[len(whole) :])
    )


def _common_prefix(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
