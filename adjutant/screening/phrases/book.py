"""SCREENING. The shape of a language's phrase book for the screen, and the pieces its patterns are built from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

SOFT = "\x1f"  # a line end inside what may be one sentence; a hard one (list item, heading, blank line) is "\n"
_WORD = re.compile(r"\w+")
BREAK = r"\n.!?;"
START = rf"(?:(?<=[{SOFT}{BREAK}])|^)[^\w{BREAK}]{{0,8}}"


class Need(msgspec.Struct, frozen=True):
    """One of `words` as a whole word, or one of `stems` anywhere."""

    words: frozenset[str]
    stems: tuple[str, ...]

    def met_by(self, text: str, words: frozenset[str]) -> bool:
        """Whether `text`, made of `words`, has one of them."""
        return not self.words.isdisjoint(words) or any(map(text.__contains__, self.stems))


class Family(msgspec.Struct, frozen=True, dict=True):
    """Patterns of one reason. They are tried, and compiled, only where each need has a word or stem.

    `whole` stand by themselves; each of `tails` follows `head` at once, which is looked for only once.
    """

    reason: str
    needs: tuple[Need, ...]
    whole: tuple[str, ...]
    head: str
    tails: tuple[str, ...]

    def spans(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where one of the patterns stands in `text` between `start` and `end`."""
        for found in self._whole:
            for match in found.finditer(text, start, end):
                yield match.span()
        if self.tails:
            for begin in self._head.finditer(text, start, end):
                for tail in self._tails:
                    rest = tail.match(text, begin.end(), end)
                    if rest:
                        yield begin.start(), rest.end()

    @cached_property
    def _whole(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(pattern, self.whole))

    @cached_property
    def _head(self) -> re.Pattern[str]:
        return pattern(rf"\b(?:{self.head})\b")

    @cached_property
    def _tails(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(pattern, self.tails))

    def needs_in(self, text: str, vocabulary: str) -> tuple[Need, ...] | None:
        """The needs with only the stems that `text` has; None when it cannot meet one of them.

        `vocabulary` is the words of `text`, each once: quicker to search for what stands inside a word.
        """
        present = []
        for need in self.needs:
            stems = tuple(stem for stem in need.stems if _stands_in(stem, text, vocabulary))
            words = frozenset(word for word in need.words if word in vocabulary)
            if not stems and not words:
                return None
            present.append(Need(words, stems))
        return tuple(present)


class Phrases(msgspec.Struct, frozen=True, dict=True):
    """One language's phrases, for text prepared by `reading`.

    families: an address and a demand in one construction ("ignore your previous instructions").
    addresses: unmistakably to a model that reads ("if you are an AI,"); a hit together with a demand beside it.
    calling: the start of a hidden text that calls the assistant; also a hit with a demand.
    demanding: words of demanding; never a hit by themselves.
    """

    families: tuple[Family, ...]
    addresses: tuple[Family, ...]
    calling: str
    demanding: str

    @cached_property
    def called(self) -> re.Pattern[str]:
        return pattern(self.calling)

    @cached_property
    def demand(self) -> re.Pattern[str]:
        return pattern(self.demanding)


def _stands_in(stem: str, text: str, vocabulary: str) -> bool:
    if stem.isalpha():
        return stem in vocabulary
    return all(word in vocabulary for word in _WORD.findall(stem)) and stem in text


def gap(words: int) -> str:
    """Up to `words` words inside one sentence; bounded, so that no text makes it slow."""
    return rf"(?:[^\w{BREAK}]+[\w'’]+){{0,{words}}}?[^\w{BREAK}]+"


def any_of(text: str) -> str:
    """A group of the alternatives in `text`: one a line, or several with a blank on both sides of `|`."""
    parts = [part.strip() for line in _joined(text) for part in line.split(" | ")]
    return "(?:" + "|".join(part for part in parts if part) + ")"


def pattern(text: str) -> re.Pattern[str]:
    """A compiled pattern in which a blank also matches a soft line end."""
    return re.compile(text.replace(" ", f"[ {SOFT}]"))


def family(reason: str, needs: tuple[str, ...], texts: str, head: str = "") -> Family:
    """A family from its needs and its patterns, one a line.

    In `needs`, `|` stands between stems, `=` before whole words, `¦` for the sign `|`. A line that begins with `& `
    is a tail of `head`.
    """
    lines = _joined(texts)
    return Family(
        reason,
        tuple(map(_need, needs)),
        whole=tuple(line for line in lines if not line.startswith("& ")),
        head=head,
        tails=tuple(line[2:] for line in lines if line.startswith("& ")),
    )


def _joined(text: str) -> list[str]:
    """The lines of `text`, stripped; one that begins with `+ ` goes on with the line before."""
    lines = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    return lines.replace("\n+ ", "").split("\n")


def _need(text: str) -> Need:
    parts = text.split("|")
    return Need(
        frozenset(part[1:] for part in parts if part.startswith("=")),
        tuple(part.replace("¦", "|") for part in parts if not part.startswith("=")),
    )
