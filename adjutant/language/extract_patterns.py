"""LANGUAGE. Many phrases as one pattern that is quick to search: by their first letter, where a word begins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

_WORD = r"\b"
_QUANTIFIERS = ("?", "*", "+", "{")


def any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern that is found where any of these is. What begins with `\\b` is tried by first letter alone."""
    letters: dict[str, list[str]] = defaultdict(list)
    others: list[str] = []
    for phrase in phrases:
        for branch in _branches(phrase):
            if not branch.startswith(_WORD):
                others.append(branch)
                continue
            for spelled in _spelled(branch.removeprefix(_WORD)):
                if spelled[:1].isalpha() and not spelled[1:2].startswith(_QUANTIFIERS):
                    letters[spelled[0]].append(spelled[1:])
                else:
                    others.append(f"{_WORD}{spelled}")
    begun = [f"{letter}(?:{'|'.join(dict.fromkeys(rest))})" for letter, rest in sorted(letters.items())]
    return re.compile("|".join([f"{_WORD}(?:{'|'.join(begun)})", *others] if begun else others))


def _spelled(branch: str) -> Iterator[str]:
    """A branch that begins with a group, once for each thing that may stand there."""
    if not branch.startswith("(?:"):
        yield branch
        return
    end = _closing(branch)
    rest = branch[end + 1 :]
    if rest.startswith(_QUANTIFIERS):
        if rest.startswith("?"):
            for inner in _branches(branch[3:end]):
                yield from _spelled(inner + rest[1:])
            yield from _spelled(rest[1:])
        else:
            yield branch
        return
    for inner in _branches(branch[3:end]):
        yield from _spelled(inner + rest)


def _branches(pattern: str) -> Iterator[str]:
    """The alternatives of a pattern, its groups whole."""
    depth, begin, inside = 0, 0, False
    for at, char in _chars(pattern):
        inside = (inside or char == "[") and char != "]"
        if not inside:
            depth += (char == "(") - (char == ")")
            if char == "|" and not depth:
                yield pattern[begin:at]
                begin = at + 1
    yield pattern[begin:]


def _closing(pattern: str) -> int:
    """Where the group that a pattern begins with ends."""
    depth, inside = 0, False
    for at, char in _chars(pattern):
        inside = (inside or char == "[") and char != "]"
        depth += 0 if inside else (char == "(") - (char == ")")
        if char == ")" and not depth and not inside:
            return at
    raise ValueError(f"a group without an end: {pattern[:40]}")


def _chars(pattern: str) -> Iterator[tuple[int, str]]:
    """What is no escaped character, and where it stands."""
    escaped = False
    for at, char in enumerate(pattern):
        if not escaped and char != "\\":
            yield at, char
        escaped = char == "\\" and not escaped
