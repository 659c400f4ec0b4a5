"""Scores a morning: what was listed and what was told, line by line against what the folder holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bench.lives import score
from bench.lives.life import LEVELS, Issue, Morning
from bench.lives.told import Pointed, Reader

MOST_EVIDENCE = 5
GRAVE = ("high", "critical")


class Raised(NamedTuple):
    """One thing raised: where it stands, how grave it is called ("" in a notice), and a word of it."""

    places: tuple[Pointed, ...]
    severity: str
    text: str


class Verdict(NamedTuple):
    """useful, again, may or false; the musts it names."""

    raised: Raised
    verdict: str
    musts: tuple[str, ...]


def listed(life: Morning, steps: Sequence[Mapping[str, Any]]) -> list[Raised]:
    """The open matters that belong on a list: of `today --all --json`, or of the pulse where there is no such verb."""
    results = {step["verb"]: _result(step) for step in steps}
    found = results.get("today", {}).get("matters")
    every = found if isinstance(found, list) else results.get("pulse", {}).get("issues") or []
    return [raised(each) for each in every if not each.get("muted") and each.get("listed", True)]


def told(life: Morning, steps: Sequence[Mapping[str, Any]]) -> list[Raised]:
    """The lines of the notices."""
    reader = Reader(life.paths)
    notices = (notice for step in steps for notice in step["notices"] if notice["kind"] != "review")
    return [Raised(each.places, "", each.text) for notice in notices for each in reader.matters(notice)]


def judged(life: Morning, raised: Iterable[Raised]) -> list[Verdict]:
    """Each thing raised under the labels; a second one for the same musts is neither right nor false."""
    seen: set[str] = set()
    found = []
    for each in raised:
        named = _named(life, each)
        musts = tuple(sorted(issue.id for issue in named if issue.must))
        if musts:
            found.append(Verdict(each, "again" if seen.issuperset(musts) else "useful", musts))
            seen.update(musts)
        else:
            found.append(Verdict(each, "may" if named else "false", ()))
    return found


def tally(life: Morning, steps: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """The counts of a morning, which add up over mornings. README.md says what each is."""
    musts = {each.id: each for each in life.issues if each.must}
    grave = {each.id for each in musts.values() if each.severity in GRAVE}
    counts = Counter(mornings=1, musts=len(musts), grave=len(grave), quiet=not musts)
    for part, raised in (("listed", listed(life, steps)), ("told", told(life, steps))):
        verdicts = judged(life, raised)
        counts.update(f"{part}_{each.verdict}" for each in verdicts)
        named = {must for each in verdicts for must in each.musts}
        counts[f"{part}_musts"], counts[f"{part}_grave"] = len(named), len(named & grave)
        if part == "listed":
            counts.update(severities(verdicts, musts))
    counts["kept"] = not musts and not counts["told_false"]
    given = {step["args"][0]: step["stdout"] for step in steps if step["verb"] == "ask"}
    asked = (score.answer(life, each, given[each.ask]) for each in life.questions if each.ask in given)
    return +(counts + score.count(asked))


def pointed(issue: Issue) -> tuple[Pointed, ...]:
    """The line of an issue that decides, as a message points to it."""
    return (Pointed(*issue.places[0]),)


def severities(verdicts: Sequence[Verdict], musts: Mapping[str, Issue]) -> Counter[str]:
    """How many musts were called as grave as they are, exactly and within one level."""
    called: dict[str, str] = {}
    for each in verdicts:
        called |= {must: each.raised.severity for must in each.musts if must not in called}
    steps = [
        abs(LEVELS.index(severity) - LEVELS.index(musts[must].severity))
        for must, severity in called.items()
        if severity in LEVELS
    ]
    return Counter(rated=len(steps), rated_right=steps.count(0), rated_near=sum(step <= 1 for step in steps))


def _named(life: Morning, raised: Raised) -> set[Issue]:
    """The issues one of whose lines is cited; of a line that is nobody's, those of its neighbours."""
    at: dict[tuple[str, str, int], set[Issue]] = {}
    for issue in life.issues:
        for place in issue.places:
            at.setdefault(place, set()).add(issue)
    found: set[Issue] = set()
    for kb, path, line in raised.places[:MOST_EVIDENCE]:
        near = at.get((kb, path, line))
        found |= near or at.get((kb, path, line - 1), set()) | at.get((kb, path, line + 1), set())
    return found


def _result(step: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        found = step.get("result") or json.loads(step["stdout"])["result"]
    except (ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def raised(each: Mapping[str, Any]) -> Raised:
    """An element of `issues` or of `matters`."""
    kb = str(each["kb"])
    cited = [(str(one["path"]).removeprefix(f"{kb}/"), one.get("line") or 0) for one in each.get("evidence") or []]
    text = str(each.get("what") or each.get("title") or "")
    return Raised(tuple(Pointed(kb, *one) for one in cited), str(each.get("severity") or ""), text)
