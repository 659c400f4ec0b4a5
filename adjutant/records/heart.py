"""RECORDS. heart.md: priorities, concerns and quiet zones are the list items under their headings, nothing else."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

Part = Literal["priority", "concern", "quiet"]
ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX-]?\]\s+)?(.*\S)")
HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
SECTIONS: tuple[tuple[re.Pattern[str], Part], ...] = (
    (re.compile(r"quiet", re.IGNORECASE), "quiet"),
    (re.compile(r"concern", re.IGNORECASE), "concern"),
    (re.compile(r"priorit", re.IGNORECASE), "priority"),
)


class Heart(msgspec.Struct, frozen=True):
    """What the operator cares about, in the order written."""

    priorities: list[str] = []
    concerns: list[str] = []
    quiet: list[str] = []

    def items(self) -> list[tuple[Part, str]]:
        """Priorities, then concerns."""
        found: list[tuple[Part, str]] = [("priority", text) for text in self.priorities]
        return found + [("concern", text) for text in self.concerns]


def parse(text: str) -> Heart:
    """The three lists of heart.md; a missing section is empty. Any H1, any heading depth, any case."""
    found: dict[Part, list[str]] = {"priority": [], "concern": [], "quiet": []}
    part: Part | None = None
    indent = 0
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        heading = None if fenced else HEADING.match(line)
        if heading:
            part = _part(heading[2], len(heading[1]), part)
            continue
        item = ITEM.match(line)
        if part is None or fenced:
            continue
        if item:
            indent = len(line) - len(line.lstrip())
            found[part].append(_plain(item[1]))
        elif found[part] and line.strip() and len(line) - len(line.lstrip()) > indent:
            found[part][-1] += " " + _plain(line.strip())  # a wrapped item goes on, indented
    return Heart(found["priority"], found["concern"], found["quiet"])


def _part(title: str, level: int, current: Part | None) -> Part | None:
    for pattern, part in SECTIONS:
        if pattern.search(title):
            return part
    return current if level > 2 else None


def _plain(text: str) -> str:
    """Without emphasis, links and comments."""
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"\[\[([^\]|]*\|)?([^\]]*)\]\]", r"\2", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*_`]{1,3}(\S(?:.*?\S)?)[*_`]{1,3}", r"\1", text).strip()
