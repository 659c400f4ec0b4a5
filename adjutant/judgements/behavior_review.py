"""OPINION. behavior-review: which good and bad patterns of manner does the operator's own talk show?"""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from adjutant.domain.behavior import feedback
from adjutant.domain.behavior.feedback_subjects import about, names_manner
from adjutant.domain.behavior.feedback_wishes import is_lasting
from adjutant.domain.behavior.own_words import QUOTED
from adjutant.judgements.hearing import CheckFailed
from adjutant.language.detect import language_of
from adjutant.language.likeness import content
from adjutant.language.stems import stems
from adjutant.records.wording import collapsed, problem
from adjutant.screening.fence import Fence
from adjutant.screening.screen import screen

NAME = "behavior-review"
TEMPLATE = "behavior-review.md"
TIER = "cheap"
TEMPERATURE = 0.2
MAX_TOKENS = 2000
MOST, QUOTES, SHORTEST_QUOTE = 12, 8, 3
SHOWN_CHARS = 120_000
# However sure a model is: one message alone, more of them; and a single remark that rules know for a mild one.
ALONE, SEVERAL, MILD = 0.75, 0.95, 0.55


class Message(msgspec.Struct, frozen=True):
    """The operator's own words in a message. `record`: SESSION/ID; `before`: the beginning of the answer it stands
    behind, "" for none; `friction` of that turn, 0 to 1, and what rubbed."""

    record: str
    ts: str
    said: str
    before: str
    friction: float
    signals: list[str]


class Known(msgspec.Struct, frozen=True):
    """A directive that stands, waits or was set aside lately (`how`)."""

    type: str
    text: str
    how: str


class Inputs(msgspec.Struct, frozen=True):
    """What was said, oldest first, and what is not to be proposed again."""

    now: str
    messages: list[Message]
    known: list[Known]


class Evidence(msgspec.Struct, frozen=True):
    """Words that stand in the operator's message `record`, verbatim."""

    record: str
    quote: str


class Pattern(msgspec.Struct, frozen=True):
    """A directive that would keep what is good, or end what is bad."""

    polarity: Literal["good", "bad"]
    type: Literal["KEEP", "MORE", "LESS", "STOP", "START"]
    text: str
    confidence: float
    evidence: list[Evidence]


class Result(msgspec.Struct, frozen=True):
    """None is fine: most days show no pattern."""

    patterns: list[Pattern]


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/behavior-review.md."""
    known = "\n".join(f"{each.type}: {each.text} ({each.how})" for each in inputs.known)
    return {
        "now": inputs.now,
        "messages": fence.wrap("\n\n".join(map(_shown, inputs.messages)), "conversations", limit=SHOWN_CHARS),
        "known": fence.wrap(known, "state/behavior", limit=SHOWN_CHARS) if known else "",
    }


def _shown(each: Message) -> str:
    """A message behind its record, and before it what it answers."""
    before = [f"(the agent had said: {each.before})"] if each.before else []
    rubbed = [f"(on record: {', '.join(each.signals)})"] if each.signals else []
    return "\n".join([*before, *rubbed, f"{each.record}: {each.said}"])


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """The patterns whose quotes stand in the operator's words and say what the directive says, each once and no surer
    than its evidence allows. Raises CheckFailed where all are lost because no quote stands."""
    messages = {each.record: each for each in inputs.messages}
    known = [(each.type, each.text) for each in inputs.known]
    kept: list[Pattern] = []
    notes: list[str] = []
    unsaid = 0
    for each in result.patterns[:MOST]:
        made, why = _checked(each, messages)
        if made is None:
            unsaid += why == _UNSAID
        else:
            taken = feedback.covered([*known, *((other.type, other.text) for other in kept)], made.type, made.text)
            why = f"{taken[0]}: {taken[1]} is known already" if taken else ""
            if not why:
                kept.append(made)
        if why:
            notes.append(f"{each.type}: {collapsed(each.text)[:80]}: {why}")
    if len(result.patterns) > MOST:
        notes.append(f"{len(result.patterns) - MOST} more patterns than the {MOST} that are looked at")
    if unsaid and unsaid == len(result.patterns):
        raise CheckFailed("no quote stands verbatim in the message whose id it names; quote the operator's own words")
    return Result(kept), notes


_UNSAID = "no quote of it stands in the operator's words"


def _checked(given: Pattern, messages: dict[str, Message]) -> tuple[Pattern | None, str]:
    """The pattern as far as it holds, or why it does not."""
    text = collapsed(given.text)
    if reason := problem(text):
        return None, reason
    evidence = [
        Evidence(each.record, quote) for each in given.evidence[:QUOTES] if (quote := _standing(each, messages))
    ]
    evidence = list({each.record: each for each in evidence}.values())
    if not evidence:
        return None, _UNSAID
    remarks = [remark for each in evidence for remark in feedback.remarks(_said(messages[each.record]))]
    said = any(remark.about == about(given.type, text) for remark in remarks)
    quotes = " ".join(each.quote for each in evidence)
    if not said and not _holds(text, quotes):
        return None, "its words are not what the quotes say"
    if not said and not (names_manner(text) or any(is_lasting(messages[each.record].said) for each in evidence)):
        return None, "it is not about how to answer"
    if screen(text):
        return None, "instruction-like text"
    if math.isnan(given.confidence):
        return None, "a confidence that is no number"
    sure = max(0.0, min(given.confidence, _bound(evidence, remarks)))
    return msgspec.structs.replace(given, text=text, confidence=round(sure, 2), evidence=evidence), ""


def _standing(each: Evidence, messages: dict[str, Message]) -> str:
    """The quote where it stands in the operator's own words of that message, "" where it does not."""
    quote = " ".join(each.quote.split())
    message = messages.get(each.record)
    stands = message is not None and quote in " ".join(message.said.split())
    return quote if stands and len(quote) >= SHORTEST_QUOTE and QUOTED not in quote else ""


def _holds(text: str, quotes: str) -> bool:
    """Whether most of what a directive is about stands in the quotes."""
    language = language_of(quotes, language_of(text))
    asked = stems(text, language) or frozenset(word.text.lower() for word in content(text))
    told = stems(quotes, language) | frozenset(word.text.lower() for word in content(quotes))
    return bool(asked) and 2 * len(asked & told) > len(asked)


def _bound(evidence: list[Evidence], remarks: list[feedback.Remark]) -> float:
    """How sure anybody may be of it."""
    if len(evidence) > 1:
        return SEVERAL
    mild = bool(remarks) and max(remark.weight for remark in remarks) < MILD
    return MILD if mild else ALONE


def rules(inputs: Inputs) -> Result:
    """What praise, complaints and wishes come to, as the rules know them."""
    known = [(each.type, each.text) for each in inputs.known]
    found = [
        each
        for each in feedback.patterns(map(_said, inputs.messages))
        if feedback.covered(known, each.type, each.text) is None
    ]
    return Result([_pattern(each) for each in found])


def _pattern(found: feedback.Pattern) -> Pattern:
    evidence = [Evidence(record, quote) for record, quote in found.evidence[:QUOTES]]
    made: Pattern = msgspec.convert(
        {
            "polarity": found.polarity,
            "type": found.type,
            "text": found.text,
            "confidence": found.confidence,
            "evidence": evidence,
        },
        Pattern,
    )
    return made


def _said(message: Message) -> feedback.Said:
    return feedback.Said(message.record, message.said, bool(message.before), message.friction)
