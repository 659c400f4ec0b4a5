"""LANGUAGE. Phrases found in text by templates in hassil's notation, in linear time.

`[optional]`, `(one|or another)`, `<rule>`, `word*` for all that begin so, `{slot}` for one to eight words up to the
next word of the template or the end of the clause, `{slot:list}` for an entry of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from adjutant.language.pack import cached, entry, packs
from adjutant.language.words import Token, tokens, words

MOST_WORDS = 8  # of a slot
MOST_STATES = 400  # of one template
_PART = re.compile(r"\s*([\[\]()|]|<[\w-]+>|\{[\w-]+(?::[\w-]+)?\}|[^\s\[\]()|<>{}]+)")
_SENTENCE = re.compile(r"[.!?;:…](?:\s|\Z)|\n\s*\n|\n\s*[-*+•#>|]")
_CLAUSE = re.compile(r"[.!?;:,…](?:\s|\Z)|\n\s*\n|\n\s*[-*+•#>|]|[()|]|\s[-–—]\s")


class Match(NamedTuple):
    """The template's name, its place in the text, and what stands in its slots, as written."""

    name: str
    start: int
    end: int
    slots: Mapping[str, str]


class _State(NamedTuple):
    """A step of a template: what it takes (a word, `word*`, `{slot}`, `{slot:list}`, "") and the steps after it."""

    takes: str
    after: tuple[int, ...]


class _Template(NamedTuple):
    name: str
    states: tuple[_State, ...]  # the last one begins; state 0 is the end


class Matcher:
    """Templates, compiled: {name: templates}. Raises ValueError for one that cannot be read."""

    def __init__(
        self,
        templates: Mapping[str, Sequence[str]],
        lists: Mapping[str, Sequence[str]] | None = None,
        rules: Mapping[str, str] | None = None,
    ) -> None:
        self._lists = {name: {tuple(words(each)) for each in said} for name, said in (lists or {}).items()}
        self._templates: list[_Template] = []  # below by their numbers:
        self._by_word: dict[str, list[int]] = {}
        self._by_beginning: dict[str, list[int]] = {}
        self._behind_slot: dict[str, list[int]] = {}  # what begins with a slot, by the words that may follow it
        self._anywhere: list[int] = []
        for name, every in templates.items():
            for each in every:
                self.add(name, each, rules or {})

    def add(self, name: str, template: str, rules: Mapping[str, str]) -> None:
        """One more template; `rules` are its named parts."""
        compiled, number = _Template(name, _compile(template, rules)), len(self._templates)
        self._templates.append(compiled)
        for first in sorted(_beginnings(compiled, len(compiled.states) - 1)):
            if first.startswith("{"):
                self._add_slot(compiled, number, first)
            elif first.endswith("*"):
                self._by_beginning.setdefault(first[:-1], []).append(number)
            else:
                self._by_word.setdefault(first, []).append(number)

    def find(self, text: str) -> list[Match]:
        """All matches in order, the longest at each place; those of one name do not overlap."""
        found = tokens(text)
        ends: dict[str, int] = {}
        kept = []
        for place in range(len(found)):
            best: dict[str, Match] = {}
            for each in self._from(text, found, place):
                if each.name not in best or each.end > best[each.name].end:
                    best[each.name] = each
            for name, each in best.items():
                if each.start >= ends.get(name, 0):
                    ends[name] = each.end
                    kept.append(each)
        return kept

    def first(self, text: str) -> Match | None:
        """The match that begins first, the longest of several."""
        found = tokens(text)
        for place in range(len(found)):
            if every := list(self._from(text, found, place)):
                return max(every, key=lambda each: each.end)
        return None

    def whole(self, text: str) -> Match | None:
        """The match that is the whole text, punctuation aside."""
        return next(self.wholes(text), None)

    def wholes(self, text: str) -> Iterator[Match]:
        """Every match that is the whole text, in the order of the templates."""
        found = tokens(text)
        return self._from(text, found, 0, whole=True) if found else iter(())

    def _add_slot(self, template: _Template, number: int, slot: str) -> None:
        """Files a template that begins with a slot by what may follow: it is tried only near such a word."""
        follow = {
            word
            for state in template.states
            if state.takes == slot
            for after in state.after
            for word in _beginnings(template, after) or {""}
        }
        if any(not word or word.startswith("{") or word.endswith("*") for word in follow):
            self._anywhere.append(number)
        for word in follow:
            self._behind_slot.setdefault(word, []).append(number)

    def _from(self, text: str, found: Sequence[Token], place: int, whole: bool = False) -> Iterator[Match]:
        word = found[place].text
        numbers = {*self._by_word.get(word, ()), *self._anywhere}
        for length in range(1, len(word) + 1) if self._by_beginning else ():
            numbers.update(self._by_beginning.get(word[:length], ()))
        if self._behind_slot:
            near = {token.text for token in found[place + 1 : place + 1 + MOST_WORDS]}
            for follow in near & self._behind_slot.keys():
                numbers.update(self._behind_slot[follow])
        for number in sorted(numbers):
            template = self._templates[number]
            run = _Run(template.states, self._lists, text, found, place)
            run.walk(len(template.states) - 1, place, ())
            last = max(run.ends, default=0)
            if last > place and (not whole or last == len(found)):
                slots = {name: text[found[a].start : found[b - 1].end] for name, a, b in run.ends[last]}
                yield Match(template.name, found[place].start, found[last - 1].end, slots)


class _Run:
    """One template tried from one place: every step is taken at every place once, so it cannot run away."""

    def __init__(
        self,
        states: Sequence[_State],
        lists: Mapping[str, set[tuple[str, ...]]],
        text: str,
        found: Sequence[Token],
        begin: int,
    ) -> None:
        self.states, self.lists, self.text, self.found, self.begin = states, lists, text, found, begin
        self.seen: set[tuple[int, int]] = set()
        self.ends: dict[int, tuple[tuple[str, int, int], ...]] = {}  # {place behind the last word: slots}

    def walk(self, state: int, place: int, slots: tuple[tuple[str, int, int], ...]) -> None:
        """Every way on from a step, with what the slots hold so far."""
        if (state, place) in self.seen:
            return
        self.seen.add((state, place))
        takes, after = self.states[state]
        if state == 0:
            self.ends.setdefault(place, slots)
        elif not takes:
            for each in after:
                self.walk(each, place, slots)
        elif place >= len(self.found) or self._parted(_SENTENCE, place):
            return
        elif takes[0] == "{":
            name, _, chosen = takes[1:-1].partition(":")
            for length in self._lengths(chosen, place):
                for each in after:
                    self.walk(each, place + length, (*slots, (name, place, place + length)))
        elif _is(takes, self.found[place].text):
            for each in after:
                self.walk(each, place + 1, slots)

    def _lengths(self, chosen: str, place: int) -> list[int]:
        """How many words a slot may take here."""
        if chosen:
            said = tuple(token.text for token in self.found[place : place + MOST_WORDS])
            known = self.lists.get(chosen, ())
            return [length for length in range(1, len(said) + 1) if said[:length] in known]
        lengths = []
        for length in range(1, min(MOST_WORDS, len(self.found) - place) + 1):
            if length > 1 and self._parted(_CLAUSE, place + length - 1):
                break
            lengths.append(length)
        return lengths

    def _parted(self, pattern: re.Pattern[str], place: int) -> bool:
        """Whether a sentence or clause ends before a word."""
        if place <= self.begin:
            return False
        begin, end = self.found[place - 1].end, self.found[place].start
        return end - begin > 1 and pattern.search(self.text, begin, end) is not None


def _compile(template: str, rules: Mapping[str, str]) -> tuple[_State, ...]:
    states = [_State("", ())]
    parts = _PART.findall(template)
    first, rest = _alternatives(parts, 0, rules, states, (0,), 0)
    if rest != len(parts) or _PART.sub("", template).strip():
        raise ValueError(f"not a template: {template}")
    states.append(_State("", first))
    return tuple(states)


def _alternatives(
    parts: Sequence[str], at: int, rules: Mapping[str, str], states: list[_State], after: tuple[int, ...], depth: int
) -> tuple[tuple[int, ...], int]:
    """(the steps that begin what stands before the closing bracket, its place). `after`: what follows."""
    if depth > 20 or len(states) > MOST_STATES:
        raise ValueError("a template that holds itself, or too much")
    begins: list[int] = []
    while True:
        items: list[tuple[int, int]] = []  # where each item of this alternative stands
        while at < len(parts) and parts[at] not in ")]|":
            end = _closing(parts, at)
            items.append((at, end))
            at = end
        follow = after
        for begin, end in reversed(items):
            follow = _item(parts[begin:end], rules, states, follow, depth)
        begins += follow
        if at >= len(parts) or parts[at] != "|":
            return tuple(dict.fromkeys(begins)), at
        at += 1


def _item(
    parts: Sequence[str], rules: Mapping[str, str], states: list[_State], after: tuple[int, ...], depth: int
) -> tuple[int, ...]:
    """The steps that begin one item: a word, a slot, a rule or a bracket."""
    head = parts[0]
    if head in "([":
        begins, _ = _alternatives(parts[1:], 0, rules, states, after, depth + 1)
        return tuple(dict.fromkeys((*begins, *after))) if head == "[" else begins
    if head.startswith("<"):
        if head[1:-1] not in rules:
            raise ValueError(f"no rule {head}")
        return _alternatives(_PART.findall(rules[head[1:-1]]), 0, rules, states, after, depth + 1)[0]
    for word in reversed([head] if head[0] == "{" else _literal(head)):
        states.append(_State(word, after))
        after = (len(states) - 1,)
    return after


def _closing(parts: Sequence[str], at: int) -> int:
    """Behind the item that begins at a part."""
    depth = 0
    for place in range(at, len(parts)):
        depth += (parts[place] in "([") - (parts[place] in ")]")
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is not closed")


def _beginnings(template: _Template, step: int) -> set[str]:
    """The words that a template may go on with at a step."""
    found: set[str] = set()
    left, seen = [step], set[int]()
    while left:
        state = left.pop()
        if state not in seen:
            seen.add(state)
            takes, after = template.states[state]
            if takes:
                found.add(takes)
            left += () if takes else after
    return found


def _literal(part: str) -> list[str]:
    said = words(part.removesuffix("*"))
    return [*said[:-1], said[-1] + "*"] if part.endswith("*") and said else said


def _is(part: str, word: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part


@cached(256)
def matcher(file: str, key: str, code: str = "") -> Matcher:
    """The templates of a list: {name: templates}, or templates whose name is the key; "": those of all languages.

    `rules` and `lists` of the same file hold their named parts.
    """
    chosen = [pack for pack in packs().values() if code in ("", pack.code)]
    lists: dict[str, list[str]] = {}
    for pack in chosen:
        for name, said in dict(entry(pack, file, "lists") or {}).items():
            lists.setdefault(name, []).extend(said)
    found = Matcher({}, lists)
    for pack in chosen:
        value = entry(pack, file, key)
        for name, every in (value if isinstance(value, Mapping) else {key: value}).items():
            for each in every:
                found.add(name, each, dict(entry(pack, file, "rules") or {}))
    return found
