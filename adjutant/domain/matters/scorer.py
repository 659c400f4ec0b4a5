"""DOMAIN. How likely an open matter is one to raise: named features, each of a fixed sign, and trained weights.

No word is a feature. `bin/bench lives --train` writes the weights from the lives published in bench/.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date

import msgspec

from adjutant.domain.matters.fact import Fact
from adjutant.domain.matters.relevance import Relevance, Touch
from adjutant.domain.matters.settle import Matter
from adjutant.store import package

PLACE = ("domain", "matters", "scorer.json")
MOST_SHARE = 1.75  # of a Touch
FRESH = 3  # days since it was written
MANY = 8  # others under the same heading: a checklist, a table of rents
LATE, OLD = 14, 45  # days: late is still news, late has become part of the furniture


class Weights(msgspec.Struct, frozen=True):
    """What training found: the weight of each feature, and from which chance on a matter is listed or told.

    `lists`, `tells`: whether that was better than the plain rule; where not, the rule stands.
    """

    bias: float
    features: dict[str, float]
    list: float
    tell: float
    lists: bool
    tells: bool


_DECODER = msgspec.json.Decoder(Weights)  # made here: knowledge bases are read in threads, and making one is not safe


def load() -> Weights:
    """The weights that come with the package. Raises OSError, msgspec.DecodeError."""
    return _DECODER.decode(package.read(*PLACE))


def headings(matters: Iterable[Matter]) -> Counter[tuple[str, tuple[str, ...]]]:
    """How many matters stand under each heading of each file."""
    return Counter((each.facts[0].path, each.first.heads) for each in matters)


def features(matter: Matter, heart: Relevance, today: date, changed: date, like: int) -> dict[str, float]:
    """The features of a matter on a day, each 0 to 1.

    `changed`: its file's last change; `like`: how many matters stand under its heading, itself among them.
    """
    fact = matter.first
    left = (fact.last - today).days if fact.last else None
    written = fact.day or changed if changed > today else max(changed, fact.day or changed)
    return {
        "certain": float(fact.certain),
        "deadline": float(fact.kind == "deadline"),
        "appointment": float(fact.kind == "appointment"),
        **_nearness(fact, left),
        "person named": float(bool(fact.who)),
        "priority in the line": _share(heart.touched(fact.stems, frozenset())),
        "priority around it": _share(heart.touched(frozenset(), fact.around)),
        "quiet zone near": float(heart.nears_quiet(fact.stems, fact.around)),
        "just written": float(abs((today - written).days) <= FRESH),
        "one of many": min((like - 1) / MANY, 1.0),
    }


def chance(weights: Weights, found: Mapping[str, float]) -> float:
    """How likely a matter of these features is one to raise, 0 to 1."""
    total = weights.bias + sum(weights.features.get(name, 0.0) * value for name, value in found.items())
    return 1 / (1 + math.exp(-total))


def _nearness(fact: Fact, left: int | None) -> dict[str, float]:
    """Where the day stands to today; one that is near counts as near in each wider sense."""
    ahead = left if left is not None and left >= 0 else math.inf
    late = -left if left is not None and left < 0 and fact.dated else 0
    return {
        "late": float(0 < late <= LATE),
        "long late": min(late / OLD, 1.0),
        "within three days": float(ahead <= 3),
        "within a week": float(ahead <= 7),
        "no day": float(left is None),
    }


def _share(touch: Touch | None) -> float:
    return min(touch.share / MOST_SHARE, 1.0) if touch else 0.0
