"""OPINION. What a look at knowledge bases is asked and answers, in one call for all (pulse) or one for each (brief)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from adjutant.domain.matters.signal import Evidence, Signal
from adjutant.judgements import material
from adjutant.judgements.material import RANK, WHY, Issue, KbLine, ShownLines, severity_of
from adjutant.ports import ReplyRefused
from adjutant.records.heart import Heart
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import SET_ASIDE

MAX_ITEMS = 40  # that are heard; a model is asked for fewer
MAX_OPEN, MOST_OPEN = 30, 80  # matters of one knowledge base that are shown as open; with those that owe a verdict
SUMMARY, SHOWN_CHARS = 300, 200_000
TELL, SETTLED = "tell", "settled"


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
    """One knowledge base as it is shown: what is open, its lines, how many had no room, and what rules say."""

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


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at, the operator's layers, the budget and what was told (`room`), an agent's `folder`."""

    now: str
    bases: list[Base]
    heart: Heart
    layers: Mapping[str, str] = {}
    room: list[str] = []
    depth: str = "quick"
    folder: str = ""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What matters, what becomes of what was open, and one line on it all."""

    items: list[Issue]
    open: list[Verdict] = []
    summary: str = ""


class _Shown:
    """Knowledge bases with their handles: `matters` {handle: (knowledge base, matter)}, and all lines, theirs too."""

    def __init__(self, inputs: Inputs) -> None:
        self._bases = inputs.bases
        every = [(base, each) for base in inputs.bases for each in base.open]
        self.matters = {f"m{number}": found for number, found in enumerate(every, start=1)}
        lines = [(base.kb if len(inputs.bases) > 1 else "", line) for base in inputs.bases for line in base.lines]
        shown = [msgspec.structs.replace(line, kb=kb) if kb else line for kb, line in lines]
        handles = {name: [_line_of(each)] for name, (_, each) in self.matters.items()}
        self.lines = ShownLines(shown, handles, inputs.folder)

    def about(self, handle: str) -> tuple[Base, OpenMatter] | None:
        return self.matters.get(handle.strip().casefold())

    def kb_of(self, found: Evidence) -> str:
        if len(self._bases) == 1:
            return self._bases[0].kb
        here = (base.kb for base, each in self.matters.values() if (each.path, each.line) == (found.path, found.line))
        return self.lines.kb_of(found) or next(here, "")

    def cite(self, said: Sequence[str | Evidence], about: tuple[Base, OpenMatter] | None) -> tuple[list[Evidence], int]:
        """(the lines cited, of one knowledge base, the matter's own for none; how many citations stand for nothing)."""
        found, missing = self.lines.lines_of(said)
        home = about[0].kb if about is not None else self.kb_of(found[0]) if found else ""
        found = [each for each in found if self.kb_of(each) == home]
        return [_line_of(about[1])] if about is not None and not said else found, missing


def _line_of(matter: OpenMatter) -> Evidence:
    return Evidence(matter.path, matter.line, matter.quote)


def _summary(inputs: Inputs) -> str:
    return "; ".join(base.summary for base in inputs.bases)[:SUMMARY]


def lacking(inputs: Inputs, result: Result) -> str:
    """The verdicts that are owed and were not given, in words for the model; "" for none."""
    given = {each.matter for each in result.open} | {each.matter for each in result.items}
    places = {(each.kb, one.path, one.line) for each in result.items for one in each.cited}
    owed = ((name, kb, each) for name, (kb, each) in _Shown(inputs).matters.items() if each.decide)
    left = ((name, base.kb, each) for name, base, each in owed if each.id not in given)
    names = [name for name, kb, each in left if (kb, each.path, each.line) not in places]
    return f"No verdict on {', '.join(names)}: give each in `open`, as tell, hold or settled." if names else ""


def join(inputs: Inputs, first: Result, second: Result) -> Result:
    """What two replies come to: what the second adds to the first."""

    def place(issue: Issue) -> tuple[str, str, int]:
        return issue.kb, issue.cited[0].path, issue.cited[0].line

    known = set(map(place, first.items))
    items = [*first.items, *(each for each in second.items if place(each) not in known)]
    given = {each.matter for each in first.open}
    verdicts = [*first.open, *(each for each in second.open if each.matter not in given)]
    return Result(items=items[:MAX_ITEMS], open=verdicts, summary=first.summary or second.summary)


def widen(inputs: Inputs, result: Result, find: material.Find) -> Inputs:
    """The inputs of one knowledge base and the lines that an agent found beyond them."""
    cited = [one for item in result.items for one in item.evidence]
    cited += [one for verdict in result.open for one in verdict.evidence]
    base = inputs.bases[0]
    added = material.beyond(cited, _Shown(inputs).lines, inputs.folder, find)
    return msgspec.structs.replace(inputs, bases=[msgspec.structs.replace(base, lines=[*base.lines, *added])])


def rules(inputs: Inputs) -> Result:
    """What code saw: every unmuted signal that belongs on a list."""
    signals = ((base.kb, each) for base in inputs.bases for each in base.signals if not each.muted and each.listed)
    return Result(items=[issue_of(each, kb) for kb, each in signals][:MAX_ITEMS], summary=_summary(inputs))


def keep_grave(items: Iterable[Issue]) -> list[Issue]:
    """What is at least medium, the gravest first."""
    grave = (each for each in items if RANK[each.severity] >= RANK["medium"])
    return sorted(grave, key=lambda each: -RANK[each.severity])


def issue_of(signal: Signal, kb: str) -> Issue:
    """A signal as rules raise it."""
    cited: list[str | Evidence] = [*signal.evidence]
    severity = severity_of(signal.severity)
    return Issue(evidence=cited, why=signal.why, title=signal.title, severity=severity, kb=kb, concern=signal.concern)


class Seeing:
    """The question under a name; `most` items are asked for. A pulse raises what is at least medium."""

    TIER, TEMPERATURE = "cheap", 0.1
    lacking, join, rules = staticmethod(lacking), staticmethod(join), staticmethod(rules)

    def __init__(self, name: str, longest: int, most: int) -> None:
        self.NAME, self.TEMPLATE, self.MAX_TOKENS, self._most = name, f"{name}.md", longest, most
        self.Inputs, self.Result = Inputs, Result
        msgspec.json.Decoder(Result)  # made here: briefs are asked in threads, and making one is not safe

    def variables(self, inputs: Inputs, fence: Fence) -> dict[str, Any]:
        shown, names = _Shown(inputs), ", ".join(base.kb for base in inputs.bases)
        lines = fence.wrap(shown.lines.text(), f"knowledge base {names}", limit=SHOWN_CHARS)
        left = sum(base.left for base in inputs.bases)
        said = [f"{base.kb}: {base.description}" for base in inputs.bases if base.description]
        opens, several = list[str](), len(inputs.bases) > 1
        for name, (base, each) in shown.matters.items():
            parts = [f"{name}{' (verdict owed)' if each.decide else ''}: {each.what}", each.when, each.severity]
            parts += [f"{base.kb}: {each.path}:{each.line}" if several else f"{each.path}:{each.line}", each.said]
            opens.append(" · ".join(part for part in parts if part))
        return {
            "kb": names,
            **material.show_operator(inputs, fence),
            "depth": inputs.depth,
            "max_items": self._most,
            "description": fence.wrap("\n".join(said), "what the knowledge bases are") if said else "",
            "open": fence.wrap("\n".join(opens), "what is open", limit=SHOWN_CHARS) if opens else "",
            "lines": f"{lines}\n{left} more lines had no room." if left else lines,
        }

    def check(self, inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
        """Only what stands: items with a line, verdicts that rest on their own base. Raises ReplyRefused."""
        shown = _Shown(inputs)
        items, verdicts, missed = list[Issue](), list[Verdict](), 0
        for item in result.items[:MAX_ITEMS]:
            about = shown.about(item.matter)
            evidence, missing = shown.cite(item.evidence, about)
            missed += missing
            if evidence and (tidied := material.tidy(item)).title:
                kb = about[0].kb if about is not None else shown.kb_of(evidence[0])
                id = about[1].id if about is not None else ""
                items.append(msgspec.structs.replace(tidied, matter=id, evidence=list(evidence), kb=kb))
        for each in result.open:
            about = shown.about(each.matter)
            if about is None or any(about[1].id == known.matter for known in verdicts):
                continue
            evidence, missing = shown.cite(each.evidence, about)
            own = about[1].path, about[1].line  # cannot say that it is over, nor can what was set aside as an order
            ends = [one for one in evidence if (one.path, one.line) != own and not one.quote.startswith(SET_ASIDE)]
            missed += missing
            if each.verdict == TELL or (ends if each.verdict == SETTLED else evidence):
                about_it = {"matter": about[1].id, "reason": clean_line(each.reason, WHY)}
                verdicts.append(msgspec.structs.replace(each, evidence=list(evidence), **about_it))
        if (result.items or result.open) and not items and not verdicts:
            how = 'cite lines by their handles, such as "L3", open matters as "m1"'
            raise ReplyRefused(f"nothing that you cite stands: {how}")
        items = keep_grave(items) if self.NAME == "pulse" else items
        summary = clean_line(result.summary, SUMMARY) or _summary(inputs)
        return Result(items=items, open=verdicts, summary=summary), material.note_dropped(missed)


PULSE, BRIEF = Seeing("pulse", 6000, MAX_ITEMS), Seeing("brief", 4000, 20)
