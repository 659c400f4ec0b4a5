"""OUTSIDE. A text as the numbers of word pieces, as BERT's uncased models were trained on (Devlin et al. 2019)."""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
LONGEST = 100  # characters of a word; a longer one is unknown
_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_SYMBOLS = frozenset("$+<=>^`|~")  # punctuation to BERT, though not to Unicode
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class WordPiece:
    """`vocabulary`: the pieces in the order of their numbers; those within a word begin with ##.

    Raises KeyError where one of UNKNOWN, FIRST and LAST is missing.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._first, self._last, self._unknown = (self._numbers[piece] for piece in (FIRST, LAST, UNKNOWN))
        self._known: dict[str, list[int]] = {}

    def numbers(self, text: str, most: int) -> list[int]:
        """At most `most`, those that mark the two ends included; what is longer is cut."""
        found = [self._first]
        for word in _words(text[: most * LONGEST]):
            if word not in self._known:
                self._known[word] = self._cut(word)
            found += self._known[word]
            if len(found) >= most:
                break
        return [*found[: most - 1], self._last]

    def _cut(self, word: str) -> list[int]:
        """The longest piece that the word begins with, then the longest that goes on from there."""
        found, start = list[int](), 0
        while start < len(word) <= LONGEST:
            prefix = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in self._numbers), 0)
            if not end:
                break
            found.append(self._numbers[prefix + word[start:end]])
            start = end
        return found if start == len(word) else [self._unknown]


def _words(text: str) -> list[str]:
    """Lower case and without accents; a sign of punctuation and an ideograph are words each."""
    text = text.lower()
    if text.isascii():
        return _WORDS.findall(text)
    plain = []
    for letter in unicodedata.normalize("NFD", text):
        kind = unicodedata.category(letter)
        if kind == "Mn" or (kind[0] == "C" and not letter.isspace()):
            continue
        alone = kind[0] == "P" or letter in _SYMBOLS or any(low <= ord(letter) <= high for low, high in _IDEOGRAPHS)
        plain.append(f" {letter} " if alone else letter)
    return "".join(plain).split()
