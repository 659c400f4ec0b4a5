"""Folders as they are in life: 160 KB of documents, a log of 3,000 lines and eight other projects around a morning's
own files. The text is made by a rule, the same in every run, and holds nothing that anybody has to be told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random

from bench.lives.life import Tree

DOC_BYTES, LOG_LINES, PROJECTS = 160_000, 3_000, 8
_NOUNS = [
    "valve",
    "gasket",
    "ledger",
    "hinge",
    "bracket",
    "router",
    "kettle",
    "rafter",
    "saddle",
    "spindle",
    "trellis",
    "gutter",
    "lintel",
    "pulley",
    "satchel",
    "tarpaulin",
    "trestle",
    "workbench",
    "cistern",
    "flange",
    "manifold",
    "paddock",
    "orchard",
    "spillway",
    "turbine",
]
_VERBS = [
    "holds",
    "carries",
    "guides",
    "seals",
    "drains",
    "lifts",
    "stores",
    "bends",
    "turns",
    "feeds",
    "vents",
    "locks",
    "warms",
    "cools",
    "splits",
]
_HOW = [
    "as a rule",
    "in most houses",
    "by its own weight",
    "without a tool",
    "from the left",
    "in two steps",
    "over a season",
]


def padded(trees: Mapping[str, Tree], now: datetime) -> dict[str, Tree]:
    """The folders with padding in the first of them; nothing of theirs is changed."""
    first, random = next(iter(trees)), Random(7)
    return {kb: {**_padding(random, now), **tree} if kb == first else dict(tree) for kb, tree in trees.items()}


def _padding(random: Random, now: datetime) -> Tree:
    made: Tree = {}
    size, number = 0, 0
    while size < DOC_BYTES:
        number += 1
        text = _page(random, number)
        made[f"reference/part-{number:02}.md"] = text
        size += len(text)
    made["reference/machine.log"] = _log(random, now)
    for project in range(PROJECTS):
        made[f"projects/other-{_NOUNS[project]}.md"] = _project(random, project, now)
    return made


def _sentence(random: Random) -> str:
    one, two = random.choice(_NOUNS), random.choice(_NOUNS)
    return f"The {one} {random.choice(_VERBS)} the {two} {random.choice(_HOW)}."


def _page(random: Random, number: int) -> str:
    lines = [f"# Part {number}: the {random.choice(_NOUNS)}", ""]
    for section in range(6):
        lines += [f"## {section + 1}. On the {random.choice(_NOUNS)}", ""]
        for _ in range(4):
            lines += [" ".join(_sentence(random) for _ in range(5)), ""]
    return "\n".join(lines)


def _log(random: Random, now: datetime) -> str:
    at = now - timedelta(minutes=7 * LOG_LINES)
    lines = []
    for _ in range(LOG_LINES):
        at += timedelta(minutes=7)
        said = f"{random.choice(_NOUNS)} {random.randrange(100)} of {random.randrange(100, 900)} ok"
        lines.append(f"{at:%Y-%m-%d %H:%M} INFO {said}")
    return "\n".join(lines) + "\n"


def _project(random: Random, number: int, now: datetime) -> str:
    ago = now - timedelta(days=40 + 9 * number)
    lines = [f"# Other: {_NOUNS[number]}", "", "## Tasks", ""]
    lines += [f"- [x] {_sentence(random)} (done {ago + timedelta(days=day):%Y-%m-%d})" for day in range(12)]
    lines += [f"- [ ] Some day: {_sentence(random)}" for _ in range(6)]
    lines += ["", "## Notes", ""]
    lines += [f"- {ago - timedelta(days=day):%Y-%m-%d}: {_sentence(random)}" for day in range(20)]
    return "\n".join(lines) + "\n"
