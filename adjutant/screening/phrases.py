"""SCREENING. The phrases by which the screen knows an order to a model, a language each: data, compiled when needed.

In `<code>/screen.yaml` `(one|two)` groups without capturing, ` | ` may stand for `|`, `word*` for whatever begins so,
and `{name}` for text or any entry of a list under `parts`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

import msgspec

from adjutant.errors import FileDamaged
from adjutant.language.pack import cached, packs
from adjutant.screening.characters import letters_seen

SOFT = "\x1f"  # a line end inside what may be one sentence; a hard one (list item, heading, blank line) is "\n"
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
    signs: kinds of what a talk with a model holds, for `orders`; a hit only together and with a demand.
    demanding: words of demanding; never a hit by themselves.
    abroad: the one order everybody tries, in languages without a list.
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


class Need:
    """One of `words` as a whole word (`=word`), or one of `stems` anywhere."""

    def __init__(self, said: Iterable[str]) -> None:
        every = list(said)
        self.words = frozenset(each[1:] for each in every if each.startswith("="))
        self.stems = [each for each in every if not each.startswith("=")]

    def is_met(self, text: str, words: frozenset[str]) -> bool:
        return not self.words.isdisjoint(words) or any(map(text.__contains__, self.stems))


class Family:
    """Patterns of one reason. They are tried, and compiled, only where each need has a word or stem."""

    def __init__(self, said: SaidPhrase, phrases: "Phrases") -> None:
        self.reason, self._said, self._phrases = said.reason, said, phrases
        self._needs = [Need(phrases.spread(each)) for each in said.needs]

    def may_stand_in(self, text: str, words: frozenset[str]) -> bool:
        return all(need.is_met(text, words) for need in self._needs)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        said = self._said
        joined = [rf"\b({said.head})\b({'|'.join(self._phrases.spread(said.tails))})"] if said.tails else []
        return self._phrases.compile([*said.whole, *joined])


class Phrases:
    """One language's phrases, ready to be looked for."""

    def __init__(self, book: Book, where: str = "") -> None:
        self.book, self._parts, self._where = book, {**book.parts, **_COMMON}, where
        self.families = [Family(each, self) for each in book.families]
        names = book.parts.get("names")
        self._names = Need(names) if isinstance(names, list) else None
        self.sign: Callable[[str], re.Pattern[str]] = lru_cache(lambda kind: self.compile(book.signs.get(kind, ())))
        # a list, such as `run_together`
        self.find: Callable[[str], re.Pattern[str]] = lru_cache(lambda kind: self.compile(getattr(book, kind)))

    def kinds(self, text: str) -> list[str]:
        """The kinds of sign that `text` may hold: without a word for a model there is none of those that name one."""
        named = self._names is None or self._names.is_met(text, frozenset(_WORD.findall(text)))
        return [kind for kind in self.book.signs if named or kind not in NAMING]

    def compile(self, said: Sequence[str]) -> re.Pattern[str]:
        """Finds each of these; a blank also matches a soft line end. Raises FileDamaged for what is no pattern."""
        filled = [self._fill(each).replace(" ", f"[ {SOFT}]") for each in said]
        at_words = [each for each in filled if each.startswith((r"\b", _COMMON["start"]))]  # none within a word
        others = [each for each in filled if each not in at_words]
        begun = [rf"(?<!\w)(?:{'|'.join(at_words)})"] if at_words else []
        try:
            return re.compile("|".join([*begun, *others]) or "(?!)")
        except re.error as error:
            raise FileDamaged(f"{self._where}: not a pattern ({error}): {self._broken(said)}") from error

    def spread(self, said: Iterable[str]) -> Iterator[str]:
        """The entries of a list; one that is only `{name}` stands for all entries of that list."""
        for each in said:
            named = self._parts.get(each[1:-1]) if each[:1] == "{" else None
            yield from named if isinstance(named, list) else (each,)

    def _broken(self, said: Sequence[str]) -> str:
        for each in said:
            try:
                re.compile(self._fill(each))
            except re.error:
                return each[:80]
        return "all of them together"

    def _fill(self, pattern: str, within: frozenset[str] = frozenset()) -> str:
        def fill_part(found: re.Match[str]) -> str:
            if found[1] in within or found[1] not in self._parts or len(within) > MOST_DEPTH:
                raise FileDamaged(f"{self._where}: no part `{found[1]}`")
            said, inner = self._parts[found[1]], within | {found[1]}
            filled = [self._fill(each, inner) for each in ([said] if isinstance(said, str) else said)]
            return filled[0] if isinstance(said, str) else f"(?:{'|'.join(filled) or '(?!)'})"

        return _PART.sub(fill_part, _BEGINNING.sub(r"\\w*", _GROUP.sub("(?:", pattern.replace(" | ", "|"))))


msgspec.json.Decoder(Book)  # has the type ready: texts are screened in threads, where its first use is not safe


@cached(64)
def phrases(code: str) -> Phrases:
    """The phrases of a language; none that has no list. Raises KeyError for an unknown language, FileDamaged."""
    where = f"{code}/screen.yaml"
    try:
        book = msgspec.convert(packs()[code].lists.get("screen", {}), Book)
    except msgspec.ValidationError as error:
        raise FileDamaged(f"{where}: {error}") from error
    plain = tuple(_PLAIN.sub(_show_letters, each) for each in book.abroad)  # in the letters that `reading` leaves
    return Phrases(msgspec.structs.replace(book, abroad=plain), where)


def _show_letters(part: re.Match[str]) -> str:
    return part[0] if part[0][0] == "\\" else letters_seen(part[0])
