"""DOMAIN. What was said again in other words: groups of utterances that mean the same, by their gists alone.

A wrong group is worse than a missed one: it would put words into a file that were never meant so. Two utterances are
kept apart for good where they deny differently, or where each has a figure, day or name that the other lacks, or where
one calls right what the other calls wrong. Else they are as near as the weight of the stems that they share, the rare
ones before the common; groups grow by the mean nearness of all their pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log
from typing import NamedTuple

from adjutant.domain.analysis.gists import Gist

NEAR = 0.5  # from here two utterances, or groups in the mean, say the same
LEAST_SHARED = 2  # telling stems
ELSEWHERE = 0.6  # of their nearness is left where they come to something else
AFTER_THE_SAME = 0.2  # what it adds that both follow on the same question
LEAST_WEIGHT, LIGHT, AGAINST, NAMED = 0.35, 0.2, 0.4, 1.2
COMMON = 60  # utterances that a stem brings together, the newest of those that have it
MOST = 1500  # different utterances that are held against each other, the newest


class Utterance(NamedTuple):
    """Something said. `about`: the gist of what it answers, which only helps. `kind`: what sets it apart from the same
    words otherwise meant, such as which word asks."""

    gist: Gist
    about: Gist | None = None
    kind: str = ""


Near = Callable[[int, int], float]


class Weights:
    """How much a stem tells: 1 where few texts have it, LEAST_WEIGHT where most do. `names`: stems written as names."""

    def __init__(self, gists: Iterable[Gist]) -> None:
        counts: Counter[str] = Counter()
        capitals: Counter[str] = Counter()
        total = 0
        for each in gists:
            total += 1
            counts.update(each.telling)
            capitals.update(each.capital)
        self._counts, self._most = counts, log(1 + total)
        self.names = frozenset(stem for stem, times in capitals.items() if 2 * times >= counts[stem])

    def of(self, stem: str) -> float:
        """The weight of a stem."""
        if stem in self.names:
            return NAMED
        if not self._most:
            return 1.0
        # What stands in a tenth of all that is said tells half as much as what was said once.
        return max(LEAST_WEIGHT, 1.0 - log(max(1, self._counts[stem])) / self._most)

    def rarest(self, stems: Iterable[str]) -> list[str]:
        """The stems, those that tell most first."""
        return sorted(stems, key=lambda stem: (-self.of(stem), stem))


def nearness(one: Utterance, two: Utterance, weights: Weights) -> float:
    """0 to 1: how surely two utterances say the same; 0 where anything sets them apart."""
    ours, theirs = one.gist, two.gist
    shared = ours.telling & theirs.telling
    if not shared or apart(ours, theirs, weights.names):
        return 0.0
    near = _dice(ours, theirs, weights)
    if _elsewhere(ours, theirs):
        near *= ELSEWHERE
    follows = one.about is not None and two.about is not None and _dice(one.about, two.about, weights) >= NEAR
    if len(shared) < LEAST_SHARED and not follows:
        return 0.0
    return min(1.0, near + AFTER_THE_SAME * follows)


def apart(ours: Gist, theirs: Gist, names: frozenset[str]) -> bool:
    """Whether two gists cannot mean the same, however much they share."""
    if ours.denies != theirs.denies:
        return True
    for left, right in ((ours.values, theirs.values), (_names(ours, names), _names(theirs, names))):
        if left - right and right - left:
            return True
    if any(
        (pair, 1 - side) in theirs.sides - ours.sides and (pair, side) not in theirs.sides for pair, side in ours.sides
    ):
        return True
    return _calls_wrong(ours, theirs) or _calls_wrong(theirs, ours)


def _calls_wrong(ours: Gist, theirs: Gist) -> bool:
    """Whether one sets against something else what the other says."""
    return bool(ours.wrong & theirs.telling - theirs.wrong) and bool(ours.point) and ours.point not in theirs.telling


def _elsewhere(ours: Gist, theirs: Gist) -> bool:
    """Whether each comes to what the other does not say, one to a figure and the other to something else, or they are
    the same but for one word in the same place."""
    if ours.point and theirs.point and ours.point not in theirs.telling and theirs.point not in ours.telling:
        return True
    for one, two in ((ours, theirs), (theirs, ours)):
        if one.values - two.telling and two.telling - two.wrong - one.telling:
            return True
    if len(ours.order) != len(theirs.order) or len(ours.order) <= LEAST_SHARED:
        return False
    return sum(left != right for left, right in zip(ours.order, theirs.order, strict=True)) == 1


def _names(gist: Gist, names: frozenset[str]) -> frozenset[str]:
    return (gist.telling & names) - gist.wrong - gist.values


def _dice(ours: Gist, theirs: Gist, weights: Weights) -> float:
    """Twice what they share over what both have, by weight; words of everyday count a little."""
    return _share(_weighed(ours, weights), _weighed(theirs, weights))


def _share(ours: dict[str, float], theirs: dict[str, float]) -> float:
    whole = sum(ours.values()) + sum(theirs.values())
    return sum(ours[stem] + theirs[stem] for stem in ours.keys() & theirs.keys()) / whole if whole else 0.0


def _weighed(gist: Gist, weights: Weights) -> dict[str, float]:
    found = {stem: AGAINST if stem in gist.wrong else weights.of(stem) for stem in gist.telling}
    return found | {stem: LIGHT for stem in gist.light if stem not in found}


def grouped(said: Sequence[Utterance], weights: Weights, near: Near | None = None) -> list[list[int]]:
    """Groups of two or more utterances that say the same, by their places in `said` (newest last), in order.

    `near` replaces `nearness`: it compares what differs by more than order. Of very many the newest MOST are looked at.
    """
    twins: dict[tuple[object, ...], list[int]] = {}
    for at, each in enumerate(said):
        told = each.gist
        key: tuple[object, ...] = (told.telling, told.values, told.wrong, told.denies, told.sides, each.kind)
        if len(told.telling) < LEAST_SHARED:
            key = (at,)
        twins.setdefault(key, []).append(at)
    alone = {places[-1]: places for places in sorted(twins.values(), key=lambda places: places[-1])[-MOST:]}
    measured: Near = near or (lambda one, two: nearness(said[one], said[two], weights))
    pairs: dict[tuple[int, int], float] = {}
    for one, two in _candidates(said, alone):
        if (found := measured(one, two)) >= NEAR * 0.5:
            pairs[one, two] = found
    groups = _merged(pairs, measured)
    held = {at for group in groups for at in group}
    groups += [[at] for at, places in alone.items() if at not in held and len(places) > 1]
    return sorted(sorted(twin for at in group for twin in alone[at]) for group in groups)


def _candidates(said: Sequence[Utterance], places: Iterable[int]) -> Iterable[tuple[int, int]]:
    """The pairs that share a telling stem; of a stem that very many have, the newest of these."""
    holding: dict[str, list[int]] = {}
    for at in places:
        for stem in said[at].gist.telling:
            holding.setdefault(stem, []).append(at)
    seen: set[tuple[int, int]] = set()
    for holders in holding.values():
        newest = holders[-COMMON:]
        for number, one in enumerate(newest):
            seen.update((one, two) for two in newest[number + 1 :])
    return sorted(seen)


def _merged(pairs: dict[tuple[int, int], float], near: Near) -> list[list[int]]:
    """Average-link: the two groups whose pairs are nearest in the mean become one while that is NEAR; a pair that is
    set apart keeps its groups apart."""
    group: dict[int, list[int]] = {}
    for one, two in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        if pairs[one, two] < NEAR:
            break
        ours, theirs = group.get(one, [one]), group.get(two, [two])
        if ours is theirs:
            continue
        crossed = [_of(pairs, near, left, right) for left in ours for right in theirs]
        if min(crossed) > 0.0 and sum(crossed) / len(crossed) >= NEAR:
            both = sorted((*ours, *theirs))
            group.update((at, both) for at in both)
    kept = {id(each): each for each in group.values()}
    return sorted(kept.values())


def _of(pairs: dict[tuple[int, int], float], near: Near, one: int, two: int) -> float:
    key = (min(one, two), max(one, two))
    found = pairs.get(key)
    if found is None:
        found = pairs[key] = near(*key)
    return found
