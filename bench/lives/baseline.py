"""Two programs that read no more than the eye does: one tells every dated line, one every open box.

They share nothing with Adjutant. Each tells a line once, at the first pulse at which it is due: a dated line when one
of its dates is today or at most three days ahead, an open box when it stands there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

from bench.lives.life import Fortnight, Life, Morning, Tree, lines_of

SOON = timedelta(days=3)
Test = Callable[[str, date, bool], bool]
# English, German and Norwegian begin the names of months alike.
_MONTH = ("jan", "feb", "mar", "apr", "ma[iy]", "jun", "jul", "aug", "sep", "o[ck]t", "nov", "de[csz]")
_NAMES = "|".join(f"(?:{each})" for each in _MONTH)
_ISO = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")
_DAY_NAME = re.compile(rf"\b(\d\d?)(?:st|nd|rd|th|\.)?\s+({_NAMES})", re.IGNORECASE)
_NAME_DAY = re.compile(rf"\b({_NAMES})[a-z]*\.?\s+(\d\d?)\b", re.IGNORECASE)
_FIGURES = re.compile(r"\b(\d\d?)[/.](\d\d?)(?:[/.](?:20)?\d\d)?\b")
_BOX = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[ \]\s+\S")


def is_dated(line: str, today: date, month_first: bool) -> bool:
    """Whether a line names today or one of the three days to come."""
    return any(today <= day <= today + SOON for day in _days(line, today, month_first))


def is_open_box(line: str, _today: date, _month_first: bool) -> bool:
    """Whether a line is an unticked box."""
    return bool(_BOX.match(line))


BASELINES: dict[str, Test] = {"every dated line": is_dated, "every open box": is_open_box}


def live(life: Fortnight, test: Test) -> list[dict[str, Any]]:
    """The steps of a program that tells what passes the test, in the form of those that were driven."""
    said: set[tuple[str, str]] = set()
    steps = []
    for at in life.pulses():
        lines = [each for each in _passing(life.tree_at(at), test, at.date(), life) if each[::2] not in said]
        said |= {each[::2] for each in lines}
        steps.append(_step(at.isoformat(), [f"- {line} ({path}:{number})" for path, number, line in lines]))
    return steps


def wake(life: Morning, test: Test) -> list[dict[str, Any]]:
    """The same for a morning: what is told is what is listed."""
    today = life.now.date()
    found = [(kb, each) for kb, tree in life.trees.items() for each in _passing(tree, test, today, life)]
    step = _step(life.now.isoformat(), [f"- {line} ({kb}/{path}:{number})" for kb, (path, number, line) in found])
    issues = [
        {"kb": kb, "title": line, "severity": "", "evidence": [{"path": path, "line": number}]}
        for kb, (path, number, line) in found
    ]
    return [step | {"result": {"issues": issues}}]


def _passing(tree: Tree, test: Test, today: date, life: Life) -> Iterator[tuple[str, int, str]]:
    """(path, number, line) of each line that passes."""
    month_first = life.info.timezone.startswith("America/")
    for path in sorted(tree):
        for number, line in enumerate(lines_of(tree[path]), 1):
            if test(line, today, month_first):
                yield path, number, line.strip()


def _step(at: str, lines: list[str]) -> dict[str, Any]:
    notices = [{"kind": "escalation", "text": "\n".join(lines), "insights": []}] if lines else []
    return {"at": at, "verb": "pulse", "args": [], "rc": 0, "stdout": "", "notices": notices}


def _days(line: str, today: date, month_first: bool) -> Iterator[date]:
    """The days that a line names; one without a year is the nearest."""
    for year, month, day in _ISO.findall(line):
        yield from _day(int(year), int(month), int(day))
    for day, name in _DAY_NAME.findall(line):
        yield from _nearest(today, _month(name), int(day))
    for name, day in _NAME_DAY.findall(line):
        yield from _nearest(today, _month(name), int(day))
    for one, two in _FIGURES.findall(line):
        yield from _nearest(today, *((int(one), int(two)) if month_first else (int(two), int(one))))


def _month(name: str) -> int:
    return next(number for number, each in enumerate(_MONTH, 1) if re.match(each, name, re.IGNORECASE))


def _nearest(today: date, month: int, day: int) -> Iterator[date]:
    near = [found for year in range(today.year - 1, today.year + 2) for found in _day(year, month, day)]
    yield from sorted(near, key=lambda each: abs(each - today))[:1]


def _day(year: int, month: int, day: int) -> Iterator[date]:
    try:
        yield date(year, month, day)
    except ValueError:
        return  # no such day: figures that are no date
