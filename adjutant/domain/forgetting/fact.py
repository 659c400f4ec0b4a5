"""DOMAIN. A fact in a text: whether it is said there, the text without it; and what was said and is in no note."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from adjutant.clock import Clock
from adjutant.domain.periods.sources import Sources
from adjutant.errors import AdjutantError
from adjutant.language import likeness
from adjutant.language.sentences import sentences
from adjutant.language.words import fold
from adjutant.ports import TRUST
from adjutant.records import period_file, wisdom_file
from adjutant.records.note import without_marks
from adjutant.records.period_file import DAILY, KINDS
from adjutant.store.files import Files

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


class Said(NamedTuple):
    """A sentence and where it stands: a file, or a source as a day names it (`journal 2026-11-20 09:00`)."""

    place: str
    text: str


def find(files: Files, clock: Clock, wisdom: str, words: tuple[likeness.Word, ...]) -> list[Said]:
    """The sentences that hold every word, none of bases or runs; `wisdom`: path of wisdom.md. Raises IoFailed."""
    sources = Sources(files, clock)
    days = [day for name in sources.names() if (day := period_file.find_period(DAILY, name)) is not None]
    pieces = (piece for day in days for piece in sources.gather(day).pieces if piece.trust != TRUST[-1])
    told = [*((piece.refs[0], piece.text) for piece in pieces), *_read_files(files, wisdom)]
    every = (Said(place, each.text) for place, text in told for each in sentences(without_marks(text)))
    return list(dict.fromkeys(each for each in every if likeness.holds(each.text, words)))


def _read_files(files: Files, wisdom: str) -> Iterator[tuple[str, str]]:
    """(path, text) of the bullets of periods, and of the standing rules."""
    tree = files.tree
    folders = zip(KINDS, (tree.daily, tree.weekly, tree.monthly), strict=True)
    periods = [tree.period(kind, name.removesuffix(".md")) for kind, folder in folders for name in files.names(folder)]
    for path in (*periods, wisdom):
        try:
            data = files.read(path)
            if path == wisdom:
                told = [each.text or each.title for each in wisdom_file.parse(data, "").entries]
            else:
                told = [each.text for each in period_file.parse(data, path).bullets]
        except (AdjutantError, FileNotFoundError):
            continue  # what cannot be read is named by the verbs that need it
        yield from ((tree.relative(path), text) for text in told)
