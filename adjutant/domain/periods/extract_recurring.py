"""DOMAIN. What is said again: the same said once, and what recurs said once with its count and days."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from adjutant.domain.periods import extract_cues
from adjutant.domain.periods.about import compared
from adjutant.domain.periods.extract_statements import EVENTS, OPEN, PATTERNS, Statement
from adjutant.language.figures import Figure, amount, figures, unit
from adjutant.language.words import words
from adjutant.ports import TRUST
from adjutant.records.period_file import lowest

ALIKE, RECURRING = 0.8, 0.6  # share of stems in common: of the same said twice, of what recurs
OFTEN = 3  # from so many days on, what happens is a pattern
MOST_FIGURES = 6  # told one by one
_CROWDED = 60  # a stem that so many statements share finds none of them


def once(said: Sequence[Statement]) -> list[Statement]:
    """Equal and nearly equal statements of one day as one: the operator's where there is one, else the first."""
    exact: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for one in said:
        exact[one.day, " ".join(words(one.text))].append(one)
    first = [_said_once(group) for group in exact.values()]
    return [_said_once(group) for group in _groups(first, ALIKE, same_day=True)]


def repeated(said: Sequence[Statement]) -> list[Statement]:
    """What was said on several days as one statement that tells how often, and on which days."""
    return [_recurring(group) if len(group) > 1 else group[0] for group in _groups(said, RECURRING, same_day=False)]


def merged(group: Sequence[Statement], text: str) -> Statement:
    """One statement for a group in time order: the last, with all refs, the newest moment and the lowest trust."""
    return group[-1]._replace(
        text=text,
        refs=tuple(dict.fromkeys(ref for one in group for ref in one.refs)),
        order=group[0].order,
        trust=lowest(*(one.trust for one in group)),
        stems=frozenset().union(*(one.stems for one in group)),
        moment=max(one.moment for one in group),
    )


def sharing(said: Sequence[Statement], least: float = 0.0) -> Iterator[tuple[int, set[int]]]:
    """(number, numbers before it) of statements that have a telling stem in common.

    `least`: the share of stems that matters; two with so much in common share one of their rarest already.
    """
    rarity = Counter(stem for one in said for stem in one.stems)
    known: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(said):
        near: set[int] = set()
        for stem in sorted(one.stems, key=lambda stem: (rarity[stem], stem))[: int((1 - least) * len(one.stems)) + 1]:
            if rarity[stem] <= _CROWDED:
                near.update(known[stem])
                known[stem].append(number)
        yield number, near


def _groups(said: Sequence[Statement], least: float, *, same_day: bool) -> list[list[Statement]]:
    leader = list(range(len(said)))
    groups: dict[int, list[Statement]] = {}
    for number, near in sharing(said, least):
        one = said[number]
        best, which = 0.0, number
        for other in sorted({leader[each] for each in near}):
            likeness = _alike(one, said[other], same_day)
            if likeness >= least and likeness > best and (not same_day or one.day == said[other].day):
                best, which = likeness, other
        leader[number] = which
        groups.setdefault(which, []).append(one)
    return list(groups.values())


def _alike(one: Statement, other: Statement, same_day: bool) -> float:
    """The share of stems in common, 0 where anything that makes a difference differs."""
    both = one.stems | other.stems
    if len(one.stems & other.stems) < RECURRING * len(both):
        return 0.0
    if len(both) < 2 and _frame(one.text) != _frame(other.text):
        return 0.0
    outside = one.trust != other.trust and TRUST[-1] in (one.trust, other.trust)
    if outside or not _together(one, other) or one.denies != other.denies:
        return 0.0
    if one.kept and other.kept and one.stems - other.stems and other.stems - one.stems:
        return 0.0  # rye is sold by weight, oat is sold by weight: two decisions
    if same_day and extract_cues.once_more(one.text) != extract_cues.once_more(other.text):
        return 0.0
    if same_day and (one.done != other.done or compared(one.text) != compared(other.text)):
        return 0.0
    if not same_day and (one.trust != other.trust or not _listable(one, other)):
        return 0.0
    return len(one.stems & other.stems) / len(both)


def _together(one: Statement, other: Statement) -> bool:
    return one.section == other.section or {one.section, other.section} == {EVENTS, PATTERNS}


def _listable(one: Statement, other: Statement) -> bool:
    """Whether what differs in the two is one figure, so that both can be told one after the other."""
    if compared(one.text) == compared(other.text):
        return True
    if not {one.section, other.section} <= {EVENTS, PATTERNS}:
        return False
    first, second = slot_of(one.text), slot_of(other.text)
    if first and second and (first.kind, second.kind) == ("id", "id"):
        return _around(one.text, first) == _around(other.text, second)
    rest = [
        compared(each.text) - ({slot.text.lower()} if slot and slot.kind == "number" else set())
        for each, slot in ((one, first), (other, second))
    ]
    return rest[0] == rest[1]


def slot_of(text: str) -> Figure | None:
    """The one number of a text, else its one numbered thing; None where there are several, and for what changed."""
    found = figures(text)
    for kind in ("number", "id"):
        told = [value for value in found if value.kind == kind]
        if told:
            return told[0] if len(told) == 1 and not told[0].was else None
    return None


def _frame(text: str) -> str:
    slot = slot_of(text)
    return _around(text, slot) if slot else text.lower().strip(" .!")


def _around(text: str, value: Figure) -> str:
    return f"{text[: value.start]}\0{text[value.end :]}".lower().strip(" .!")


def _said_once(group: list[Statement]) -> Statement:
    if len(group) == 1:
        return group[0]
    trusted = [one for one in group if one.trust == min((each.trust for each in group), key=TRUST.index)]
    if len(trusted) < len(group):
        return _said_once(trusted)
    best = max(group, key=lambda one: (len(one.stems), -len(one.text)))
    return merged(group, best.text)._replace(moment=group[0].moment)


def _recurring(group: list[Statement]) -> Statement:
    days = tuple(sorted({day for one in group for day in one.days}))
    times = max(sum(one.times for one in group), len(days))
    shown = group[-1] if group[-1].kept or group[-1].section == OPEN else min(group, key=_plainness)
    pattern = shown.section == EVENTS and times >= OFTEN and len(days) > 1 and shown.trust != TRUST[-1]
    section = PATTERNS if pattern else shown.section
    return merged(group, _with_all(group, shown.text))._replace(section=section, times=times, days=days)


def _plainness(one: Statement) -> tuple[bool, int, int]:
    return slot_of(one.text) is None, len(one.text), one.order


def _with_all(group: Sequence[Statement], text: str) -> str:
    """The text with the figures of all: `Sold 12, 15 loaves`; from the least to the most where they are many."""
    slot = slot_of(text)
    told = [figure for one in group if (value := slot_of(one.text)) for figure in _listing(value)]
    if slot is None or len(set(told)) < 2:
        return text
    shown = ", ".join(told)
    if len(told) > MOST_FIGURES:
        told.sort(key=amount)
        shown = f"{told[0]}–{told[-1]}"
    return f"{text[: slot.start]}{shown}{unit(slot.text)}{text[slot.end :]}"


def _listing(value: Figure) -> list[str]:
    """The figures of a value, without their unit: those of `12, 15` and of `12–15`."""
    return [part.removesuffix(unit(part)) for part in re.split(r", |–", value.text)]
