"""SCREENING. The phrases by which the screen knows an order to a model, a language each: data, compiled when needed.

In `<code>/screen.yaml` `(one|two)` groups without capturing, ` | ` may stand for `|`, `word*` for whatever begins so,
and `{name}` for text or any entry of a list under `parts`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from adjutant.errors import FileDamaged
from adjutant.language.pack import cached, packs
from adjutant.screening.characters import letters_seen

SOFT = "\x1f"  # a line end inside what may be one sentence; a hard one (list item, heading, blank line) is "\n"
FILE = "screen"
MOST_DEPTH = 8  # of parts within parts
NAMING = ("address", "called", "role", "named")  # kinds of sign whose patterns all hold one of `parts.names`
_WORD = re.compile(r"\w+")
_PART = re.compile(r"\{([a-z]\w*)\}")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_BEGINNING = re.compile(r"(?<!\\.)(?<=[^\W\d_])\*")
_PLAIN = re.compile(r"\\.|[^\\]+")
_BREAK = r"\n.!?;"
_COMMON = {  # parts that every language's patterns may name; a gap is that many words within one sentence, at most
    "break": _BREAK,
    "start": rf"(?:(?<=[{SOFT}{_BREAK}])|^)[^\w{_BREAK}]{{0,8}}",
    **{f"gap{most}": rf"(?:[^\w{_BREAK}]+[\w'’]+){{0,{most}}}?[^\w{_BREAK}]+" for most in range(1, 8)},
    "few": r"(?:\W+\w+){0,4}?\W+",
}


class Parts:
    """What the patterns of one language are filled in with."""

    def __init__(self, code: str, parts: Mapping[str, Any]) -> None:
        self.where, self._parts = f"{code}/{FILE}.yaml", {**parts, **_COMMON}

    def compile(self, said: Sequence[str]) -> re.Pattern[str]:
        """Finds each of these; a blank also matches a soft line end. Raises FileDamaged for what is no pattern."""
        try:
            filled = [self._fill_blanks(each) for each in said]
            at_words = [each for each in filled if each.startswith((r"\b", _COMMON["start"]))]  # none within a word
            others = [each for each in filled if each not in at_words]
            begun = [rf"(?<!\w)(?:{'|'.join(at_words)})"] if at_words else []
            return re.compile("|".join([*begun, *others]) or "(?!)")
        except re.error as error:
            raise FileDamaged(f"{self.where}: not a pattern ({error}): {self._broken(said)}") from error

    def spread(self, said: Iterable[str]) -> Iterator[str]:
        """The entries of a list; one that is only `{name}` stands for all entries of that list."""
        for each in said:
            named = self._parts.get(each[1:-1]) if each[:1] == "{" else None
            yield from named if isinstance(named, list) else (each,)

    def _broken(self, said: Sequence[str]) -> str:
        for each in said:
            try:
                re.compile(self._fill_blanks(each))
            except re.error:
                return each[:80]
        return "all of them together"

    def _fill_blanks(self, pattern: str) -> str:
        return self._fill(pattern).replace(" ", f"[ {SOFT}]")

    def _fill(self, pattern: str, depth: int = 0) -> str:
        def part(found: re.Match[str]) -> str:
            said = self._parts.get(found[1])
            if said is None or depth > MOST_DEPTH:
                raise FileDamaged(f"{self.where}: no part `{found[1]}`")
            if isinstance(said, str):
                return self._fill(said, depth + 1)
            return f"(?:{'|'.join(self._fill(each, depth + 1) for each in said) or '(?!)'})"

        plain = _BEGINNING.sub(r"\\w*", _GROUP.sub("(?:", pattern.replace(" | ", "|")))
        return _PART.sub(part, plain)


class Need:
    """One of `words` as a whole word (`=word`), or one of `stems` anywhere."""

    def __init__(self, said: Iterable[str]) -> None:
        every = list(said)
        self.words = frozenset(each[1:] for each in every if each.startswith("="))
        self.stems = [each for each in every if not each.startswith("=")]

    def is_met(self, text: str, words: frozenset[str]) -> bool:
        return not self.words.isdisjoint(words) or any(map(text.__contains__, self.stems))


class SaidPhrase(msgspec.Struct, frozen=True):
    """An address and a demand in one construction. `whole` stand by themselves; each of `tails` follows `head`."""

    reason: str
    needs: tuple[tuple[str, ...], ...]
    whole: tuple[str, ...] = ()
    head: str = ""
    tails: tuple[str, ...] = ()


class Book(msgspec.Struct, frozen=True):
    """A language's phrases as the file has them, for text prepared by `reading`.

    families: an address and a demand in one construction ("ignore your previous instructions").
    signs: kinds of what a talk with a model holds, for `signs.orders`; a hit only together and with a demand.
    demanding: words of demanding; never a hit by themselves.
    """

    parts: dict[str, str | list[str]] = {}
    families: tuple[SaidPhrase, ...] = ()
    signs: dict[str, tuple[str, ...]] = {}
    demanding: tuple[str, ...] = ()
    too_much: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()
    run_together: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()
    abroad: tuple[str, ...] = ()


class Family:
    """Patterns of one reason. They are tried, and compiled, only where each need has a word or stem."""

    def __init__(self, said: SaidPhrase, parts: Parts) -> None:
        self.reason, self._said, self._parts = said.reason, said, parts
        self._needs = [Need(parts.spread(each)) for each in said.needs]

    def may_stand_in(self, text: str, words: frozenset[str]) -> bool:
        return all(need.is_met(text, words) for need in self._needs)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        said = self._said
        joined = [rf"\b({said.head})\b({'|'.join(self._parts.spread(said.tails))})"] if said.tails else []
        return self._parts.compile([*said.whole, *joined])


class Phrases:
    """One language's phrases, ready to be looked for."""

    def __init__(self, book: Book, parts: Parts) -> None:
        self.book, self._parts = book, parts
        self.families = [Family(each, parts) for each in book.families]
        names = book.parts.get("names")
        self._names = Need(names) if isinstance(names, list) else None
        self._compiled: dict[str, re.Pattern[str]] = {}

    def sign(self, kind: str) -> re.Pattern[str]:
        return self._pattern(f"sign {kind}", self.book.signs.get(kind, ()))

    def kinds(self, text: str) -> list[str]:
        """The kinds of sign that `text` may hold: without a word for a model there is none of those that name one."""
        named = self._names is None or self._names.is_met(text, frozenset(_WORD.findall(text)))
        return [kind for kind in self.book.signs if named or kind not in NAMING]

    def find(self, kind: str) -> re.Pattern[str]:
        """Finds one of the book's lists, such as `run_together`: an order without blanks."""
        return self._pattern(kind, getattr(self.book, kind))

    @property
    def abroad(self) -> re.Pattern[str]:
        """Finds the one order everybody tries, in languages without a list, in the letters that `reading` leaves."""
        return self._pattern("abroad", [_PLAIN.sub(_plain_letters, each) for each in self.book.abroad])

    def _pattern(self, name: str, said: Sequence[str]) -> re.Pattern[str]:
        if name not in self._compiled:
            self._compiled[name] = self._parts.compile(said)
        return self._compiled[name]


def _plain_letters(part: re.Match[str]) -> str:
    return part[0] if part[0][0] == "\\" else letters_seen(part[0])


msgspec.json.Decoder(Book)  # has the type ready: texts are screened in threads, where its first use is not safe


@cached(64)
def phrases(code: str) -> Phrases:
    """The phrases of a language; none that has no list. Raises KeyError for an unknown language."""
    lists = packs()[code].lists.get(FILE, {})
    try:
        book = msgspec.convert(lists, Book)
    except msgspec.ValidationError as error:
        raise FileDamaged(f"{code}/{FILE}.yaml: {error}") from error
    return Phrases(book, Parts(code, book.parts))
