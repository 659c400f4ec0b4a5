"""LANGUAGE. Phrases found in text by templates in hassil's notation.

`[optional]`, `(one|or another)`, `<rule>`, `word*` for all that begin so, `{slot}` for one to eight words of a clause
(as few as will do, as many as there are where nothing follows it).

A template becomes a regular expression over the words of a text, each between `<` and `>`: `<stop><that>.<now>`, with
`,` where a clause ends and `.` where a sentence does. No slot is longer than eight words, so it cannot run away.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from adjutant.errors import FileDamaged
from adjutant.language.pack import cached, entry, packs
from adjutant.language.words import Token, tokens, words

MOST_DEPTH, MOST_CHARS = 20, 20_000  # of rules within rules; of one template's expression
_PART = re.compile(r"\s*([\[\]()|]|<[\w-]+>|\{[\w-]+\}|[^\s\[\]()|<>{}]+)")
_SENTENCE = re.compile(r"[.!?;:…](?:\s|\Z)|\n\s*\n|\n\s*[-*+•#>|]")
_CLAUSE = re.compile(r"[.!?;:,…](?:\s|\Z)|[()|]|\s[-–—]\s")
_SLOT = "(<[^<>]+>(?:<[^<>]+>){0,7}?)"
_LAST_SLOT = re.compile(r"\{0,7\}\?((?:\)\??)*)\Z")


class Match(NamedTuple):
    """The template's name, its place in the text, and what stands in its slots, as written."""

    name: str
    start: int
    end: int
    slots: Mapping[str, str]


class _Words:
    """A text as templates look at it: its words in one string, and where each begins in that."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, tokens(text)
        self.starts, parts = list[int](), list[str]()
        size, before = 0, 0
        for token in self.tokens:
            gap = text[before : token.start] if parts else ""
            mark = ""
            if len(gap) > 1:
                mark = "." if _SENTENCE.search(gap) else "," * bool(_CLAUSE.search(gap))
            said = f"{mark}<{token.text}>"
            self.starts.append(size)
            size += len(said)
            before = token.end
            parts.append(said)
        self.joined = "".join(parts)
        self.held = frozenset(token.text for token in self.tokens)

    def between(self, start: int, end: int) -> tuple[Token, Token]:
        first = bisect_left(self.starts, start)
        if self.joined[start] == "<" and (first == len(self.starts) or self.starts[first] != start):
            first -= 1  # the mark before a word is part of it
        return self.tokens[first], self.tokens[bisect_left(self.starts, end) - 1]


class _Part(NamedTuple):
    """A piece of a template: its expression, and words of which whatever it matches has one, None for none."""

    expression: str
    needed: frozenset[str] | None = None

    def then(self, other: _Part) -> _Part:
        needed = [each.needed for each in (self, other) if each.needed is not None]
        return _Part(self.expression + other.expression, min(needed, key=len, default=None))


class _Rules:
    """The named parts of templates, each read once: {name: (it, its slots)}."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts, self.known = texts, dict[str, tuple[_Part, list[str]]]()


class _Template:
    """One template. Raises ValueError for one that cannot be read."""

    def __init__(self, name: str, template: str, rules: _Rules) -> None:
        self.name, self._rules = name, rules
        self._slots: list[str] = []
        self._within: list[str] = []  # the rules under way, each named in the one before
        self._whole = self._read(template)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(_LAST_SLOT.sub(r"{0,7}\1", self._whole.expression))

    def may_be_in(self, said: _Words) -> bool:
        return self._whole.needed is None or not self._whole.needed.isdisjoint(said.held)

    def match(self, found: re.Match[str], said: _Words) -> Match:
        first, last = said.between(*found.span())
        spans = [(slot, found.span(at)) for at, slot in enumerate(self._slots, 1) if found[at]]
        slots = {slot: said.between(*span) for slot, span in spans}
        told = {slot: said.text[begin.start : end.end] for slot, (begin, end) in slots.items()}
        return Match(self.name, first.start, last.end, told)

    def _read(self, template: str) -> _Part:
        parts = _PART.findall(template)[::-1]
        found = self._alternatives(parts)
        if parts or _PART.sub("", template).strip():
            raise ValueError(f"not a template: {template}")
        return found

    def _alternatives(self, parts: list[str]) -> _Part:
        """What stands before the bracket that closes, which is left. `parts`: the next one last."""
        ways, size = [_Part("")], 0
        while parts and parts[-1] not in ")]":
            part = parts.pop()
            if part == "|":
                ways.append(_Part(""))
            else:
                item = self._item(part, parts)
                ways[-1], size = ways[-1].then(item), size + len(item.expression)
            if size > MOST_CHARS:
                raise ValueError("a template that holds too much")
        if len(ways) == 1:
            return ways[0]
        needed = [way.needed for way in ways if way.needed is not None]
        expression = "|".join(way.expression for way in ways)
        return _Part(f"(?:{expression})", frozenset().union(*needed) if len(needed) == len(ways) else None)

    def _item(self, part: str, parts: list[str]) -> _Part:
        if part in "([":
            inner = self._alternatives(parts)
            if not parts or parts.pop() != {"(": ")", "[": "]"}[part]:
                raise ValueError("a bracket is not closed")
            return _Part(f"(?:{inner.expression})?") if part == "[" else inner
        if part[0] == "<":
            return self._rule(part[1:-1])
        if part[0] == "{":
            self._slots.append(part[1:-1])
            return _Part(f",?{_SLOT}")
        said = words(part.removesuffix("*"))
        expression = "".join(f",?<{re.escape(word)}>" for word in said)
        if part.endswith("*") and said:
            return _Part(f"{expression[:-1]}[^<>]*>", frozenset(said[:-1][:1]) or None)
        return _Part(expression, frozenset(said[:1]) or None)

    def _rule(self, name: str) -> _Part:
        if name not in self._rules.texts:
            raise ValueError(f"no rule <{name}>")
        if name not in self._rules.known:
            if name in self._within or len(self._within) >= MOST_DEPTH:
                raise ValueError(f"rules within rules without end: <{name}>")
            first = len(self._slots)
            self._within.append(name)
            self._rules.known[name] = self._read(self._rules.texts[name]), self._slots[first:]
            self._within.pop()
            del self._slots[first:]
        whole, slots = self._rules.known[name]
        self._slots += slots
        return whole


class Matcher:
    """Templates: {name: templates}; `rules` are their named parts. Raises ValueError for a bad one."""

    def __init__(self, templates: Mapping[str, Sequence[str]], rules: Mapping[str, str] | _Rules | None = None) -> None:
        held = rules if isinstance(rules, _Rules) else _Rules(rules or {})
        self.templates = [_Template(name, each, held) for name, every in templates.items() for each in every]

    def find(self, text: str) -> list[Match]:
        """All matches in order, the longest at each place; those of one name do not overlap."""
        ends: dict[str, int] = {}
        kept = []
        for each in sorted(self._every(text), key=lambda each: (each.start, -each.end)):
            if each.start >= ends.get(each.name, 0):
                ends[each.name] = each.end
                kept.append(each)
        return kept

    def first(self, text: str) -> Match | None:
        return min(self._every(text), key=lambda each: (each.start, -each.end), default=None)

    def whole(self, text: str) -> Match | None:
        return next(self.wholes(text), None)

    def wholes(self, text: str) -> Iterator[Match]:
        """Every match that is the whole text, in the order of the templates."""
        said = _Words(text)
        for template in self.templates if said.tokens else ():
            if template.may_be_in(said) and (found := template.pattern.fullmatch(said.joined)):
                yield template.match(found, said)

    def _every(self, text: str) -> Iterator[Match]:
        said = _Words(text)
        for template in self.templates:
            for found in template.pattern.finditer(said.joined) if template.may_be_in(said) else ():
                if found[0]:
                    yield template.match(found, said)


@cached(256)
def matcher(file: str, key: str, code: str = "") -> Matcher:
    """The templates of a list: {name: templates}, or templates whose name is the key; "": those of all languages.
    `rules` of the same file hold their named parts. Raises FileDamaged for one that cannot be read."""
    found = Matcher({})
    for pack in packs().values():
        if code in ("", pack.code):
            value = entry(pack, file, key)
            templates = value if isinstance(value, Mapping) else {key: value}
            try:
                found.templates += Matcher(templates, _rules_of(file, pack.code)).templates
            except ValueError as error:
                raise FileDamaged(f"{pack.code}/{file}.yaml: in `{key}`: {error}") from error
    return found


@cached(256)
def _rules_of(file: str, code: str) -> _Rules:
    return _Rules(dict(entry(packs()[code], file, "rules") or {}))
