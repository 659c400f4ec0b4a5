"""LANGUAGE. Of which kind a question or a sentence is, by weights of its words that were learnt from those of people.

Multinomial logistic regression: `bench/judging` trains it. A file of weights is a feature a line, for a person to read.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise
from math import exp

import msgspec

from adjutant.language import dates
from adjutant.language.dates import Date
from adjutant.language.detect import language_of
from adjutant.language.pack import listed
from adjutant.language.stems import stems
from adjutant.language.words import tokens
from adjutant.store import package

BEGIN, END = "^", "$"  # of a text
LETTERS = 5  # of a part of a word
MOST_KNOWN = 50_000  # features whose line is kept


class Judge(msgspec.Struct, frozen=True):
    """{kind: weight} of any text, and the same of each feature."""

    bias: Mapping[str, float]
    weights: Mapping[str, Mapping[str, float]]

    def shares(self, found: frozenset[str]) -> dict[str, float]:
        """How likely a text with these features is of each kind; together 1."""
        scores = dict(self.bias)
        for feature in sorted(found):
            for kind, weight in self.weights.get(feature, {}).items():
                scores[kind] += weight
        top = max(scores.values())
        powers = {kind: exp(score - top) for kind, score in scores.items()}
        total = sum(powers.values())
        return {kind: power / total for kind, power in powers.items()}


class Lines(Mapping[str, Mapping[str, float]]):
    """The features of a file of weights, each decoded when it is looked up. Raises msgspec.DecodeError."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines, self._find = sorted(lines), lru_cache(MOST_KNOWN)(self._look_up)

    def __getitem__(self, feature: str) -> Mapping[str, float]:
        if not (found := self._find(feature)):
            raise KeyError(feature)
        return found

    def _look_up(self, feature: str) -> Mapping[str, float]:
        head = msgspec.json.encode(feature) + b": "
        at = bisect_left(self._lines, head)
        if at == len(self._lines) or not self._lines[at].startswith(head):
            return {}
        return msgspec.json.decode(self._lines[at][len(head) :].removesuffix(b","), type=dict[str, float])

    def __iter__(self) -> Iterator[str]:
        return (msgspec.json.decode(line.partition(b": {")[0], type=str) for line in self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def read(*place: str) -> Judge:
    """The weights in a file of the package. Raises OSError, msgspec.DecodeError."""
    head, *lines, _, _ = package.read(*place).split(b"\n")  # the bias, `"weights": {`, a feature a line, `}}`
    held = msgspec.json.decode(head.removesuffix(b",") + b"}", type=dict[str, dict[str, float]])
    return Judge(held["bias"], Lines(lines[1:]))


def features(text: str, today: date, code: str = "", days: Sequence[Date] | None = None) -> frozenset[str]:
    """What a text is judged by: its words without names, days and figures, what they are made of, which stands before
    which, how it begins, and in capitals what else it holds. `code`: its language, "" for what it looks like; `days`:
    those that it names, where they are known."""
    days = dates.find(text, today, anchor=today) if days is None else days
    code = code or language_of(text)
    named = names(text, code)
    said, row, found = list[str](), [BEGIN], set[str]()
    for word in tokens(text):
        marked = "DAY" if any(day.start <= word.start < day.end for day in days) else ""
        marked = marked or ("NAME" if word.start in named else "FIGURE" if word.text[:1].isdigit() else "")
        if not marked:
            said.append(word.text)
            own, whole = sorted(stems(word.text, code)) or [word.text], f"<{word.text}>"
            parts = (whole[at : at + LETTERS] for at in range(len(whole) - LETTERS + 1))  # common to its other forms
            found.update(own, (f"~{part}" for part in parts))
        if not marked or marked != row[-1]:
            row.append(marked or own[0])
    found |= {f"{one} {two}" for one, two in pairwise([*row, END])}
    found |= {f"^{word}" for word in (said[0], " ".join(said[:2]))} if said else set()
    found.add("NO DAY" if not days else "PAST" if max(day.last for day in days) < today else "AHEAD")
    found.add(f"WORDS {min(4, len(said) // 4)}")
    found |= {"NAME"} if named else set()
    found |= {"OWN"} if not listed("matters", "own").isdisjoint(said) else set()
    found |= {"NOT"} if not listed("words", "negators").isdisjoint(said) else set()
    return frozenset(found | {"?"} if text.rstrip().endswith("?") else found)


def names(text: str, code: str = "") -> frozenset[int]:
    """Where names stand: words with a capital that do not begin a sentence; none in German, which writes so many."""
    if (code or language_of(text)) == "de":
        return frozenset()
    return frozenset(word.start for word in tokens(text) if text[word.start].isupper() and _is_inside(text, word.start))


def _is_inside(text: str, at: int) -> bool:
    before = text[:at].rstrip()
    ends = before[-1:] in (".", "!", "?") and before.split()[-1][:-1].lower() not in listed("words", "titles")
    return bool(before) and not ends and text[at : at + 2] not in ("I ", "I'", "I’")
