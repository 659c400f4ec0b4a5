"""DOMAIN. A fact in a text: whether it is said there, and the text without it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from adjutant.language import likeness
from adjutant.language.sentences import sentences
from adjutant.language.words import fold

LONG = 400  # characters of a sentence, above which only the very words are the fact
BEGINNING, HELD = 4, 0.6  # letters of a word, and the share of a statement's words, by which a text is looked into
_WORD = re.compile(r"[^\W_]+")


class StatedFact:
    """What is taken back or put right. `put`: what stands in its place; `taken`: what stood where it was stripped."""

    def __init__(self, statements: Sequence[str], put: str = "") -> None:
        self.statements, self.put, self.taken = statements, put, list[str]()

    def may_stand_in(self, text: str) -> bool:
        """Whether enough words of a statement begin like words of the text: a filter before any closer look."""
        folded = fold(text)
        found = ((sum(word in folded for word in words), len(words)) for words in map(_beginnings, self.statements))
        return any(many >= HELD * every for many, every in found)

    def says(self, text: str) -> bool:
        return StatedFact(self.statements, self.put).strip(text) != text

    def strip(self, text: str) -> str:
        """The text with `put` in the place of the fact."""
        if not self.may_stand_in(text):
            return text
        for statement in (each for each in self.statements if len(_WORD.findall(each)) > 2):
            text = _spell(statement).sub(lambda found: self._take(found[0]), text)
        parts, end = list[str](), 0
        for each in sentences(text) if self.may_stand_in(text) else ():
            if len(each.text) <= LONG and any(likeness.is_covered(one, each.text) for one in self.statements):
                parts += [text[end : each.start], self._take(text[each.start : each.end])]
                end = each.end
        return "".join([*parts, text[end:]])

    def _take(self, found: str) -> str:
        self.taken.append(found)
        return self.put


def statements(body: str) -> tuple[str, ...]:
    """The sentences of a note that say something by themselves; the whole of one that has none."""
    found = [each.text for each in sentences(body)]
    own = [text for text in found if len(likeness.gist(text, "").telling) > 1]
    return tuple(own or [" ".join(body.split())])


@lru_cache(maxsize=64)
def _spell(statement: str) -> re.Pattern[str]:
    """The words of a statement one after the other, whatever stands between them, and its full stop."""
    words = r"[\W_]+".join(map(re.escape, _WORD.findall(statement)))
    return re.compile(rf"(?<!\w){words}(?!\w)[.!?]?", re.IGNORECASE)


@lru_cache(maxsize=64)
def _beginnings(statement: str) -> tuple[str, ...]:
    words = _WORD.findall(statement)
    begun = dict.fromkeys(fold(word)[:BEGINNING] for word in words if len(word) >= BEGINNING)
    return tuple(begun or map(fold, words))
