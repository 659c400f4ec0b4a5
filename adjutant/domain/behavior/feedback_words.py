"""DOMAIN. The words in which operators speak of the manner of an answer: lists, a language each, with their rules.

A matter is what such a word is about (`list`, `emoji`, `repeat`); two remarks on one matter count together. A rule's
pattern is held against a whole clause: lower case, straight apostrophes, no marks at its ends.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

import msgspec

from adjutant.errors import FileDamaged
from adjutant.language.pack import Pack, cached, entry, packs
from adjutant.language.patterns import Parts

FILE = "manner"
PRAISE, MILD, DEMAND, WISH = KINDS = ("praise", "mild", "demand", "wish")
KEEP, MORE, LESS, STOP, START = "KEEP", "MORE", "LESS", "STOP", "START"
LONGEST_SENTENCE = 320
LENGTH, REPEAT, APOLOGY = "length", "repeat", "apology"
_LISTS = """
    answer good useful short long leads ends reported for_whom no_names lasting habits denying none any_more
    wants_a_thing politely using starting wanted never not_me verbs acts places articles praised tongue several
    in_tongue first at_most units elsewhere repeating you that i
"""
_NAMED = re.compile(r"\(\?P<\w+>")


class Rule(NamedTuple):
    """`pattern` of a clause (`whole`: of a sentence). What it says comes from its group `n` (a noun phrase), `v` (a
    phrase as it stands) or `too` (an adjective), else from `say`, a key of `said`. `bare`: it names neither the answer
    nor who gave it, and means something only behind an answer. `asked`: a question may fit."""

    kind: str
    type: str
    pattern: str
    say: str
    bare: bool
    whole: bool
    asked: bool


class _As(msgspec.Struct, frozen=True):
    kind: str
    type: str
    say: str = ""
    bare: str = ""
    whole: str = ""
    asked: str = ""


class _Group(msgspec.Struct, frozen=True):
    patterns: tuple[str, ...]
    like: _As = msgspec.field(name="as")


class _Lists(msgspec.Struct, frozen=True):
    """What a file of manner holds besides lists of words."""

    nouns: dict[str, tuple[str, ...]] = {}
    things: dict[str, tuple[str, ...]] = {}
    too: dict[str, tuple[str, str]] = {}
    said: dict[str, tuple[str, str]] = {}
    plural: dict[str, str] = {}
    gerunds: dict[str, str] = {}
    past: dict[str, str] = {}
    verbs_last: str = ""
    rules: tuple[_Group, ...] = ()


class Language(Parts):
    """One language's words of manner; a list that is missing finds nothing.

    `nouns`: (matter, pattern), the ones hardly used of anything else first; `lists.too`: {adjective: (type, key of
    said)}; `lists.said`: {key: (matter, text)}; `lists.plural`: {noun: as a directive has it}; `lists.gerunds`,
    `lists.past`: {verb: its other form}.
    """

    def __init__(self, pack: Pack) -> None:
        super().__init__(pack, FILE)
        for name in _LISTS.split():
            self.setdefault(name, ["(?!)"])
        try:
            self.lists = msgspec.convert(pack.lists[FILE], _Lists)
        except msgspec.ValidationError as error:
            raise FileDamaged(f"{self.where}: {error}") from error
        self.capital_nouns = bool(entry(pack, "words", "capital_nouns"))
        sure = [(matter, self.fill(f"{{nouns.{matter}}}")) for matter in self.lists.nouns]
        self.nouns = (*sure, *((matter, self.fill(f"{{things.{matter}}}")) for matter in self.lists.things))
        self["some"] = [pattern for _, pattern in sure]
        self["n"] = [pattern for _, pattern in self.nouns]
        self["many"] = [*self["some"], *self["several"]]
        self["a"], self["vp"] = self["answer"], r"{praised}\b"
        self["too"] = sorted(map(re.escape, self.lists.too), key=len, reverse=True)

    def pattern(self, text: str, flags: int = 0) -> re.Pattern[str]:
        """A pattern filled in and compiled."""
        return self.compile(self.fill(text), flags)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in order, their patterns filled in."""
        return tuple(
            Rule(each.kind, each.type, self.fill(text), each.say, bool(each.bare), bool(each.whole), bool(each.asked))
            for group in self.lists.rules
            for each in (group.like,)
            for text in group.patterns
        )

    @cached_property
    def any_rule(self) -> re.Pattern[str]:
        """All rules in one: most of what is said fits none, and is known for that in one look."""
        return self.compile("|".join(f"(?:{_NAMED.sub('(?:', rule.pattern)})" for rule in self.rules) or "(?!)")


@cached(1)
def languages() -> dict[str, Language]:
    """Those that have words of manner, by code."""
    return {code: Language(pack) for code, pack in packs().items() if FILE in pack.lists}
