"""DOMAIN. The closed lists by which structure is read, from the language packs: labels, column names, status words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adjutant.language.pack import Pack, cached, listed, packs
from adjutant.language.words import words

_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = frozenset("0123456789")
LABELS = ("task", "waiting", "blocked", "problem", "done")
ROLES = ("due", "paid", "sent", "promised", "start", "status", "owner", "name", "amount", "when", "log")
STATES = ("open", "closed", "waiting", "blocked", "problem")


class CuePhrases:
    """Phrases of one or more words, found in a list of words; `word*` matches by its beginning, `*word` by its end."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        begins, ends = list[str](), list[str]()
        for phrase in phrases:
            if phrase.endswith("*"):
                begins.append(phrase[:-1])
                continue
            if phrase.startswith("*"):
                ends.append(phrase[1:])
                continue
            said = tuple(words(phrase)) or (phrase,)
            self._by_first.setdefault(said[0], []).append(said)
        for known in self._by_first.values():
            known.sort(key=len, reverse=True)
        self.begins, self.ends = tuple(begins), tuple(ends)
        self.firsts = frozenset(self._by_first)

    def at(self, said: Sequence[str], place: int) -> int:
        """How many words the longest phrase that begins at `place` has, 0 for none."""
        for phrase in self._by_first.get(said[place], ()):
            if tuple(said[place : place + len(phrase)]) == phrase:
                return len(phrase)
        return 1 if said[place].startswith(self.begins) or said[place].endswith(self.ends) else 0

    def find(self, said: Sequence[str]) -> list[tuple[int, int]]:
        """(place, length) of every phrase, in order."""
        found: list[tuple[int, int]] = []
        if not self.begins and not self.ends and self.firsts.isdisjoint(said):
            return found
        for place, word in enumerate(said):
            if word in self.firsts or word.startswith(self.begins) or word.endswith(self.ends):
                length = self.at(said, place)
                if length and (not found or place >= sum(found[-1])):
                    found.append((place, length))
        return found

    def whole(self, text: str) -> bool:
        """Whether a text is one of the phrases and nothing else."""
        said = words(text)
        return bool(said) and self.at(said, 0) == len(said)


class Cues(NamedTuple):
    """All languages' lists together: structure is written in any of them."""

    labels: Mapping[str, CuePhrases]
    columns: Mapping[str, CuePhrases]
    states: Mapping[str, CuePhrases]
    deadline: CuePhrases
    deadline_behind: CuePhrases
    no_deadline: CuePhrases
    moved: CuePhrases
    past: CuePhrases
    acted: CuePhrases
    achieved: CuePhrases
    handed: CuePhrases
    must: CuePhrases
    offers: CuePhrases
    dated: CuePhrases
    pending: CuePhrases
    promise: CuePhrases
    delivers: CuePhrases
    silent: CuePhrases
    intends: CuePhrases
    likely: CuePhrases
    absent: CuePhrases
    commits: CuePhrases
    stays: CuePhrases
    receives: CuePhrases
    until: CuePhrases
    own: frozenset[str]
    others: frozenset[str]
    transitive: frozenset[str]
    negators: frozenset[str]
    idle: frozenset[str]
    hints: frozenset[str]
    begins: tuple[str, ...]

    def may_tell(self, text: str) -> bool:
        """Whether a line can hold a date or a cue at all: most cannot, and are not looked at any closer."""
        small = text.lower()
        if not _DIGIT.isdisjoint(small) or not self.hints.isdisjoint(_WORD.findall(small)):
            return True
        return any(begin in small for begin in self.begins)


@cached(1)
def cues() -> Cues:
    """The lists, compiled once for the packs there are."""
    made = Cues(
        labels={name: CuePhrases(listed("matters", f"labels.{name}")) for name in LABELS},
        columns={name: CuePhrases(listed("records", f"columns.{name}")) for name in ROLES},
        states={name: CuePhrases(listed("records", f"states.{name}")) for name in STATES},
        deadline=CuePhrases(listed("matters", "deadline")),
        deadline_behind=CuePhrases(listed("matters", "deadline_behind")),
        no_deadline=CuePhrases(listed("matters", "no_deadline")),
        moved=CuePhrases(listed("matters", "moved")),
        past=CuePhrases(listed("matters", "past")),
        must=CuePhrases(listed("matters", "must")),
        offers=CuePhrases(listed("matters", "offers")),
        acted=CuePhrases(listed("matters", "acted") | listed("records", "states.closed")),
        achieved=CuePhrases(listed("matters", "achieved")),
        handed=CuePhrases(listed("records", "columns.handed")),
        dated=CuePhrases(listed("matters", "dated")),
        pending=CuePhrases(listed("matters", "pending")),
        promise=CuePhrases(listed("matters", "promise")),
        delivers=CuePhrases(listed("matters", "delivers")),
        intends=CuePhrases(listed("matters", "intends")),
        silent=CuePhrases(listed("matters", "silent")),
        likely=CuePhrases(listed("matters", "likely")),
        absent=CuePhrases(listed("matters", "absent")),
        commits=CuePhrases(listed("matters", "commits")),
        stays=CuePhrases(listed("matters", "stays")),
        receives=CuePhrases(listed("matters", "receives")),
        until=CuePhrases(listed("matters", "until")),
        own=listed("matters", "own"),
        others=listed("matters", "others"),
        transitive=listed("matters", "transitive"),
        negators=listed("words", "negators"),
        idle=frozenset().union(*(pack.stop for pack in packs().values()), listed("dates", "times")),
        hints=frozenset(),
        begins=(),
    )
    every = (*made.labels.values(), *made.states.values(), made.deadline, made.promise, made.delivers)
    every = (*every, made.likely, made.acted, made.must, made.silent)
    hints = frozenset().union(*(phrases.firsts for phrases in every), *map(_date_words, packs().values()))
    begins = tuple(begin for phrases in every for begin in phrases.begins)
    return made._replace(hints=frozenset(word for hint in hints for word in _WORD.findall(hint)), begins=begins)


def _date_words(pack: Pack) -> set[str]:
    """Every word of a language's date lists: a line without one, and without a figure, holds no date."""
    found: set[str] = set()
    for value in pack.lists.get("dates", {}).values():
        entries = value if isinstance(value, list | dict) else [value]
        found.update(word.lower() for entry in entries for word in str(entry).split())
    return found - pack.stop


@cached(1)
def _idle() -> frozenset[str]:
    said: set[str] = set()
    for pack in packs().values():
        said |= pack.stop | pack.everyday
    for key in ("likely", "deadline", *(f"labels.{name}" for name in LABELS)):
        said |= {word for phrase in listed("matters", key) for word in words(phrase)}
    return frozenset(said)


def names_nothing(word: str) -> bool:
    """Whether a word tells no matter from another: it says how pressing one is ("overdue"), or nothing."""
    return all(each in _idle() for each in words(word))
