"""OPINION. What a look at knowledge bases is asked and answers, in one call for all (pulse) or one for each (brief).

What is open stands there by handle (m1 …), so does each line (L1 …). The answer raises matters, and gives a verdict on
what is open; where structure is certain that something is due, a verdict is owed (the floor of spec/25).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from adjutant.domain.matters.signal import Evidence, Signal
from adjutant.judgements.hearing import ReplyRefused
from adjutant.judgements.material import (
    RANK,
    WHY,
    Issue,
    KbLine,
    ShownLines,
    dropped,
    severity_of,
    tidy,
    tidy_concern,
)
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import SET_ASIDE

MAX_ITEMS = 40
MAX_OPEN, MOST_OPEN = 30, 80  # matters of one knowledge base that are shown as open; with those that owe a verdict
SUMMARY = 300
TELL, HOLD, SETTLED = "tell", "hold", "settled"
SHOWN_CHARS = 200_000


class OpenMatter(msgspec.Struct, frozen=True, kw_only=True):
    """An open matter as it is shown; `decide`: structure is certain and would tell it, so a verdict is owed."""

    id: str
    what: str
    when: str
    severity: str
    path: str
    line: int
    quote: str
    said: str = ""
    decide: bool = False


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """One knowledge base as it is shown: what is open, its lines, how many more there was no room for; and what rules
    would say of it."""

    kb: str
    description: str
    open: list[OpenMatter]
    lines: list[KbLine]
    left: int
    signals: list[Signal]
    summary: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of an open matter. `matter`: its handle, after the check its id; `evidence`: what it rests on."""

    matter: str
    evidence: list[str | Evidence]
    reason: str
    verdict: Literal["tell", "hold", "settled"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What matters, what becomes of what was open, and one line on it all."""

    items: list[Issue]
    open: list[Verdict] = []
    summary: str = ""


class ShownBases(msgspec.Struct, frozen=True):
    """Bases with their handles."""

    bases: Sequence[Base]
    folder: str = ""

    def matters(self) -> Mapping[str, tuple[Base, OpenMatter]]:
        """{handle: (knowledge base, matter)}."""
        every = [(base, each) for base in self.bases for each in base.open]
        return {f"m{number}": found for number, found in enumerate(every, start=1)}

    def shown(self) -> ShownLines:
        """All lines, those of open matters under their handles too."""
        handles = {name: [Evidence(each.path, each.line, each.quote)] for name, (_, each) in self.matters().items()}
        return ShownLines([line for base in self.bases for line in base.lines], handles, self.folder)


def shown_open(seen: ShownBases, fence: Fence) -> str:
    """What is open, a line a matter, fenced; "" for nothing."""
    several, lines = len(seen.bases) > 1, list[str]()
    for name, (base, each) in seen.matters().items():
        parts = [f"{name}{' (verdict owed)' if each.decide else ''}: {each.what}", each.when, each.severity]
        parts += [f"{base.kb}: {each.path}:{each.line}" if several else f"{each.path}:{each.line}", each.said]
        lines.append(" · ".join(part for part in parts if part))
    return fence.wrap("\n".join(lines), "what is open", limit=SHOWN_CHARS) if lines else ""


def shown_lines(seen: ShownBases, fence: Fence) -> str:
    """The lines, fenced, and how many there was no room for."""
    label = ", ".join(base.kb for base in seen.bases)
    said = fence.wrap(seen.shown().text(), f"knowledge base {label}", limit=SHOWN_CHARS)
    left = sum(base.left for base in seen.bases)
    return f"{said}\n{left} more lines had no room." if left else said


def descriptions(bases: Iterable[Base], fence: Fence) -> str:
    """What each knowledge base is, as far as its operator said so."""
    said = [f"{base.kb}: {base.description}" for base in bases if base.description]
    return fence.wrap("\n".join(said), "what the knowledge bases are") if said else ""


def check(seen: ShownBases, result: Result) -> tuple[Result, list[str]]:
    """Only what stands: items with a line, verdicts on what is open that rest on their own knowledge base.

    Raises CheckFailed when a reply loses everything this way.
    """
    shown, matters = seen.shown(), seen.matters()
    items, verdicts, missed = list[Issue](), list[Verdict](), 0
    for item in result.items[:MAX_ITEMS]:
        about = matters.get(item.matter.strip().casefold())
        evidence, missing = _cited(shown, seen, item.evidence, about)
        missed += missing
        title, why = tidy(item.title, item.why)
        if evidence and title:
            items.append(
                msgspec.structs.replace(
                    item,
                    matter=about[1].id if about is not None else "",
                    evidence=list(evidence),
                    why=why,
                    title=title,
                    concern=tidy_concern(item.concern),
                    kb=about[0].kb if about is not None else _kb_of(shown, seen, evidence[0]),
                )
            )
    for each in result.open:
        about = matters.get(each.matter.strip().casefold())
        if about is None or any(about[1].id == known.matter for known in verdicts):
            continue
        evidence, missing = _cited(shown, seen, each.evidence, about)
        rests = [one for one in evidence if each.verdict != SETTLED or _may_settle(one, about[1])]
        missed += missing
        if each.verdict == TELL or rests:
            reason = clean_line(each.reason, WHY)
            verdicts.append(Verdict(matter=about[1].id, evidence=list(evidence), reason=reason, verdict=each.verdict))
    if (result.items or result.open) and not items and not verdicts:
        raise ReplyRefused(
            'nothing that you cite stands: cite lines by their handles, such as "L3", open matters as "m1"'
        )
    return Result(items=items, open=verdicts, summary=clean_line(result.summary, SUMMARY)), dropped(missed)


def _cited(
    shown: ShownLines, seen: ShownBases, cited: Sequence[str | Evidence], about: tuple[Base, OpenMatter] | None
) -> tuple[list[Evidence], int]:
    """The lines cited, all of one knowledge base; the open matter's own line where none is."""
    found, missing = shown.lines_of(cited)
    if about is not None:
        found = [each for each in found if _kb_of(shown, seen, each) == about[0].kb]
        return found or [Evidence(about[1].path, about[1].line, about[1].quote)] * (not cited), missing
    home = _kb_of(shown, seen, found[0]) if found else ""
    return [each for each in found if _kb_of(shown, seen, each) == home], missing


def _may_settle(cited: Evidence, matter: OpenMatter) -> bool:
    """Whether a line may say that a matter is over: its own cannot, nor what was set aside as an order."""
    return (cited.path, cited.line) != (matter.path, matter.line) and not cited.quote.startswith(SET_ASIDE)


def _kb_of(shown: ShownLines, seen: ShownBases, found: Evidence) -> str:
    if len(seen.bases) == 1:
        return seen.bases[0].kb
    places = (base.kb for base, each in seen.matters().values() if (each.path, each.line) == (found.path, found.line))
    return shown.kb_of(found) or next(places, "")


def lacking(seen: ShownBases, result: Result) -> str:
    """The verdicts that are owed and were not given, in words for the model; "" for none."""
    owed = set(unjudged(seen, result))
    names = [name for name, (_, each) in seen.matters().items() if each.id in owed]
    return f"No verdict on {', '.join(names)}: give each in `open`, as tell, hold or settled." if names else ""


def unjudged(seen: ShownBases, result: Result) -> list[str]:
    """The ids of matters on which a verdict is owed and missing."""
    given = {each.matter for each in result.open} | {each.matter for each in result.items}
    places = {(each.kb, one.path, one.line) for each in result.items for one in each.cited}
    return [
        each.id
        for base, each in seen.matters().values()
        if each.decide and each.id not in given and (base.kb, each.path, each.line) not in places
    ]


def join(first: Result, second: Result) -> Result:
    """What two replies come to: what the second adds to the first."""
    known = {(each.kb, *_place(each)) for each in first.items}
    given = {each.matter for each in first.open}
    return Result(
        items=[*first.items, *(each for each in second.items if (each.kb, *_place(each)) not in known)][:MAX_ITEMS],
        open=[*first.open, *(each for each in second.open if each.matter not in given)],
        summary=first.summary or second.summary,
    )


def _place(issue: Issue) -> tuple[str, int]:
    return issue.cited[0].path, issue.cited[0].line


def kept(items: Iterable[Issue]) -> list[Issue]:
    """What is at least medium, the gravest first."""
    return sorted(
        (each for each in items if RANK[each.severity] >= RANK["medium"]), key=lambda one: -RANK[one.severity]
    )


def rules(base: Base, limit: int) -> Result:
    """What code saw: every unmuted signal that belongs on a list."""
    items = [issue_of(each, base.kb) for each in base.signals if not each.muted and each.listed]
    return Result(items=items[:limit], open=[], summary=base.summary)


def issue_of(signal: Signal, kb: str) -> Issue:
    """A signal as rules raise it."""
    return Issue(
        evidence=list(signal.evidence),
        why=signal.why,
        title=signal.title,
        concern=signal.concern,
        severity=severity_of(signal.severity),
        kb=kb,
    )
