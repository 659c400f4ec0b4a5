"""OPINION. behavior-review: which standing directives for the answers' manner does the operator's own talk show?"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

import msgspec

from adjutant.domain.behavior import control, own_words
from adjutant.domain.behavior.reviewing import KnownDirective, Proposal, SaidLine
from adjutant.ports import ReplyRefused
from adjutant.records.contract import AGAINST, collapse, problem
from adjutant.screening.fence import Fence
from adjutant.screening.screen import screen

NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "behavior-review", "behavior-review.md", "cheap", 0.2, 3000
MOST, QUOTES, SHORTEST_QUOTE = 12, 8, 3
SHOWN_CHARS = 120_000
OUTRIGHT, SUREST = 0.7, 0.95  # how sure one wish makes us, and many of them
STANDS = "stands"
_HANDLE = re.compile(r"[mfin]\d+")
_AROUND = " \t\n.…\"'“”„«»‘’"
UNSAID = "nothing that it cites stands in the operator's words"
T = TypeVar("T")


class Inputs(msgspec.Struct, frozen=True):
    """What was said, oldest first, and what is not to be proposed again."""

    now: str
    lines: list[SaidLine]
    known: list[KnownDirective]


class Spoken(msgspec.Struct, frozen=True):
    """Words of the operator's message `handle`, as they stand there; "" where a handle is all that is cited."""

    handle: str
    quote: str


class Pattern(msgspec.Struct, frozen=True):
    """A directive that would keep what is good, or end what disturbs; what speaks for it stands before it."""

    reason: str
    quotes: list[Spoken]
    type: Literal["KEEP", "MORE", "LESS", "STOP", "START"]
    text: str
    confidence: float


class Result(msgspec.Struct, frozen=True):
    """None is fine: most days show no pattern."""

    proposals: list[Pattern]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/behavior-review.md."""
    known = "\n".join(f"{each.type}: {each.text} ({each.how})" for each in inputs.known)
    return {
        "now": inputs.now,
        "most": MOST,
        "lines": show_talk(inputs.lines, fence),
        "known": fence.wrap(known, "state/behavior", limit=SHOWN_CHARS) if known else "",
    }


def show_talk(lines: Iterable[SaidLine], fence: Fence) -> str:
    """Messages behind their handles, each with what it answers and what is on record of that turn."""
    shown = list[str]()
    for each in lines:
        before = f"(the agent had said: {each.before})\n" if each.before else ""
        marks = [each.workload, f"on record: {', '.join(each.signals)}" if each.signals else ""]
        marks += [f"by {each.said_to}" if each.said_to else "", f"skills: {', '.join(each.skills)}" * bool(each.skills)]
        about = "; ".join(filter(None, marks))
        shown.append(f"{before}{each.handle} ({each.ts[:16]}){f' [{about}]' if about else ''}: {each.said}")
    return fence.wrap("\n\n".join(shown), "conversations", limit=SHOWN_CHARS)


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """What is quoted, none twice, none against what stands. Raises ReplyRefused where no quote stands."""
    lines = {each.handle: each.said for each in inputs.lines}
    made = list[Pattern]()
    for each in result.proposals:
        quotes, sure = keep_cited(each.quotes, lines), round(max(0.0, min(each.confidence, 1.0)), 2)
        made.append(Pattern(each.reason, quotes, each.type, collapse(each.text), sure))
    kept, notes = sift(made, name, partial(_find_problem, inputs.known))
    return Result(kept), notes


def name(each: Pattern | KnownDirective | Proposal) -> str:
    """What a proposal is called: `LESS: long answers`."""
    return f"{each.type}: {each.text}"


def sift(made: Sequence[T], say: Callable[[T], str], bad: Callable[[T, list[T]], str]) -> tuple[list[T], list[str]]:
    """(those without a problem beside those before them, notes of the others). Raises ReplyRefused where none cites."""
    kept, notes, unsaid = list[T](), list[str](), 0
    for each in made[:MOST]:
        why = bad(each, kept)
        unsaid += why == UNSAID
        if why:
            notes.append(f"left out: {say(each)}: {why}")
        else:
            kept.append(each)
    if len(made) > MOST:
        notes.append(f"{len(made) - MOST} more than the {MOST} that are looked at")
    if unsaid and unsaid == len(made):
        raise ReplyRefused("no citation stands: name handles as they are shown, and quote the operator's own words")
    return kept, notes


def join(inputs: Inputs, first: Result, second: Result) -> Result:
    """What two replies come to, the first of which was cut off."""
    return check(inputs, Result([*first.proposals, *second.proposals]))[0]


def keep_cited(given: Sequence[Spoken], lines: Mapping[str, str], shown: Collection[str] = ()) -> list[Spoken]:
    """The citations that stand: words of a message of `lines` ({handle: said}), or one of the handles `shown`."""
    kept: dict[str, Spoken] = {}
    for each in given[:QUOTES]:
        handle = found[0] if (found := _HANDLE.search(each.handle)) else ""
        quote = "" if handle in shown else stands(each.quote, lines.get(handle, ""))
        if quote or handle in shown:
            kept.setdefault(handle, Spoken(handle, quote))
    return list(kept.values())


def stands(quote: str, said: str) -> str:
    """A quote as it stands in what was said, "" where it does not; marks around it and a cut within it are let be."""
    whole = " ".join(said.split())
    parts = [part for each in re.split(r"…|\.{3}", " ".join(quote.split())) if (part := each.strip(_AROUND))]
    begin, end = -1, 0
    for part in parts:
        at = re.compile(re.escape(part), re.IGNORECASE).search(whole, end)
        if at is None:
            return ""
        begin, end = at.start() if begin < 0 else begin, at.end()
    found = whole[max(begin, 0) : end]
    return found if len(found) >= SHORTEST_QUOTE and own_words.QUOTED not in found else ""


def _find_problem(known: Iterable[KnownDirective], made: Pattern, kept: Iterable[Pattern]) -> str:
    if reason := problem(made.text):
        return reason
    if not made.quotes:
        return UNSAID
    if screen(made.text):
        return "instruction-like text"
    before: list[KnownDirective | Pattern] = [*known, *kept]
    for each in (other for other in before if control.is_same(other.text, made.text)):
        if made.type in control.COVERS.get(each.type, ""):
            return f"{name(each)} is known already"
        holds = isinstance(each, Pattern) or each.how == STANDS
        if holds and (each.type in AGAINST) != (made.type in AGAINST):
            return f"it contradicts {name(each)}"
    return ""


def rules(inputs: Inputs) -> Result:
    """What the operator asks for outright; of two sides of one matter the later one stands."""
    groups: list[tuple[own_words.Wish, list[Spoken]]] = []
    for handle, wish in ((line.handle, wish) for line in inputs.lines for wish in own_words.find(line.said)):
        said = [Spoken(handle, wish.quote)]
        same = next((group for group in groups if control.is_same(group[0].text, wish.text)), None)
        if same is not None:
            groups.remove(same)
            said += same[1] if (same[0].type in AGAINST) == (wish.type in AGAINST) else []
        groups.append((wish, said))
    made = list[Pattern]()
    for wish, quotes in groups:
        near = (each for each in inputs.known if control.is_same(each.text, wish.text))
        if not any(wish.type in control.COVERS.get(each.type, "") for each in near):
            sure = round(min(1.0 - (1.0 - OUTRIGHT) ** len(quotes), SUREST), 2)
            row = {"reason": "asked for outright", "quotes": quotes[:QUOTES], "type": wish.type, "text": wish.text}
            made.append(msgspec.convert(row | {"confidence": sure}, Pattern))
    return Result(made)
