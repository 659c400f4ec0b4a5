"""DOMAIN. What an operator says of the manner of the answers: praise, complaints, wishes, and what follows from them.

Rules that would rather miss than mishear: a remark speaks of the answer or its giver, in the operator's own words, as a
whole clause. One is a hint; what is said clearly, or again and again, is a pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from adjutant.domain.behavior import feedback_reading, grammar, own_words, sameness
from adjutant.domain.behavior.feedback_subjects import about, names_manner
from adjutant.domain.behavior.feedback_words import DEMAND, LENGTH, MILD, PRAISE, WISH, languages
from adjutant.records.wording import AGAINST, collapsed, without_hidden

GOOD, BAD = "good", "bad"
# How sure one remark makes us: a praise said twice or a complaint said thrice comes to 0.6 together, a wish alone.
WEIGHTS = {PRAISE: 0.4, MILD: 0.3, DEMAND: 0.45, WISH: 0.7}
RUBBED, FRICTION = 0.1, 0.5  # more, for what is said behind an answer that rubbed at least so much
SUREST = 0.95
LONG_MESSAGE = 600  # characters; in a longer one a bare `too long` is hardly about the answer


class Said(NamedTuple):
    """A message of the operator's. `record`: SESSION/ID. `answered`: it stands behind an answer of the agent's in its
    session; `friction` of that answer, 0 to 1."""

    record: str
    text: str
    answered: bool = True
    friction: float = 0.0


class Remark(NamedTuple):
    """One thing said of the manner. `quote`: verbatim but for blanks. `about`: remarks of one are on one matter, and on
    one side of it."""

    kind: str
    type: str
    text: str
    about: str
    record: str
    quote: str
    weight: float


class Pattern(NamedTuple):
    """What remarks on one matter come to: a directive's type and text, how sure, and the messages that say it."""

    polarity: str
    type: str
    text: str
    confidence: float
    evidence: tuple[tuple[str, str], ...]


# -- one message ---------------------------------------------------------------------------------------------


def remarks(said: Said) -> list[Remark]:
    """What a message says of the manner, at most one remark on a matter, the surest."""
    own = own_words.outright(said.text)
    found: dict[str, Remark] = {}
    for each in (*_near_misses(said, own), *_spoken(said, own)):
        known = found.get(each.about)
        if known is None or each.weight > known.weight:
            found[each.about] = each
    return list(found.values())


def _spoken(said: Said, own: str) -> Iterator[Remark]:
    terse = said.answered and len(own) <= LONG_MESSAGE
    for sentence in feedback_reading.sentences(own):
        for name in languages():
            hit = feedback_reading.of_sentence(sentence, name, terse)
            if hit is not None:
                kind, type, text = hit
                yield _remark(said, kind, type, text, sentence)
                break


def _remark(said: Said, kind: str, type: str, text: str, quote: str) -> Remark:
    rubbed = RUBBED if kind in (MILD, DEMAND) and said.friction >= FRICTION else 0.0
    return Remark(kind, type, text, about(type, text), said.record, quote, WEIGHTS[kind] + rubbed)


def _near_misses(said: Said, own: str) -> Iterator[Remark]:
    """`keep: tables` in small letters is no directive, and yet hardly meant otherwise where it names a manner."""
    lines = said.text.split("\n")
    for miss in grammar.parse(said.text[: own_words.READ].encode("utf-8", "replace")).misses:
        would = grammar.one(miss.would_work)
        quote = collapsed(without_hidden(lines[miss.line - 1])) if miss.line <= len(lines) else ""
        if isinstance(would, grammar.Said) and quote and quote in " ".join(own.split()) and names_manner(would.text):
            yield _remark(said, WISH, would.type, would.text, quote)


# -- a day ---------------------------------------------------------------------------------------------------


def patterns(messages: Iterable[Said]) -> list[Pattern]:
    """What the messages, oldest first, come to, the surest first. Of two sides of one matter the later one stands."""
    groups: list[list[Remark]] = []
    for message in messages:
        for each in remarks(message):
            group = next((group for group in groups if _alike(group[0], each)), None)
            if group is None:
                groups.append([each])
            else:
                groups.remove(group)
                groups.append([*group, each])
    standing = [
        group
        for number, group in enumerate(groups)
        if not any(_opposed(group[0], later[0]) for later in groups[number + 1 :])
    ]
    return sorted((_pattern(group) for group in standing), key=lambda each: -each.confidence)


def covered(known: Iterable[tuple[str, str]], type: str, text: str) -> tuple[str, str] | None:
    """The (type, text) among `known` that says this already, None for none."""
    key = about(type, text)
    for standing, said in known:
        if about(standing, said) == key and (key.startswith(LENGTH) or type in sameness.COVERS.get(standing, ())):
            return standing, said
        if type in sameness.COVERS.get(standing, ()) and sameness.same(said, text):
            return standing, said
    return None


def _alike(one: Remark, two: Remark) -> bool:
    if one.about == two.about:
        return True
    return (one.type in AGAINST) == (two.type in AGAINST) and sameness.same(one.text, two.text)


_OTHER = {"for": "against", "against": "for", "short": "long", "long": "short"}


def _opposed(one: Remark, two: Remark) -> bool:
    matter, _, side = one.about.rpartition(" ")
    if side in _OTHER and two.about == f"{matter} {_OTHER[side]}":
        return True
    return (one.type in AGAINST) != (two.type in AGAINST) and sameness.same(one.text, two.text)


def _pattern(group: Sequence[Remark]) -> Pattern:
    """The clearest remark says it, the newest of several; each message makes it surer."""
    best = max(enumerate(group), key=lambda each: (each[1].weight, each[0]))[1]
    doubt = 1.0
    for each in group:
        doubt *= 1.0 - each.weight
    polarity = GOOD if best.kind == PRAISE or (best.kind == WISH and best.type not in AGAINST) else BAD
    evidence = tuple((each.record, each.quote) for each in reversed(group))
    return Pattern(polarity, best.type, best.text, min(round(1.0 - doubt, 2), SUREST), evidence)
