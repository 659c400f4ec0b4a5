"""Scores the days of a life: each line told, each must, each silent day, each question."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from bench.lives.life import Fortnight, Label, Morning, Question
from bench.lives.told import Matter, Reader, visible

AGAIN = timedelta(days=3)  # told again after so long it reminds, sooner it nags
RIGHT = ("hit", "late", "reminder", "may")
VERDICTS = ("hit", "late", "reminder", "nag", "may", "early", "stale", "vague", "false")  # the best first
NOT_FOUND = re.compile(
    r"\bnothing\b|\bnot found\b|\bno (note|record|mention|line|answer|information|entry|such|trace)|\bnone of\b"
    r"|(could|can|did|do|does|was|were)(n't|n’t| not| ?not) (find|found|know|have|say|see|mention|able)|\bunknown\b"
    r"|(isn't|is not|aren't|are not|nowhere) (in|mentioned|noted|recorded|there)|\bsays? nothing|don't know|no idea",
    re.IGNORECASE,
)


class Told(NamedTuple):
    """A line that was told, and what it was worth."""

    at: datetime
    verdict: str
    label: str
    text: str


class Answer(NamedTuple):
    """An answer: right, wrong, or honest (it found nothing, though something was there); how much of it it named."""

    question: Question
    result: str
    share: float


class Score(NamedTuple):
    """What one life came to; `in_time`, `in_digest`: ids of musts."""

    told: list[Told]
    in_time: dict[str, datetime]
    in_digest: set[str]
    answers: list[Answer]


class _Days:
    """One life under the scoring: when each label was told so far."""

    def __init__(self, life: Fortnight) -> None:
        self.musts, self.labels = life.musts, [*life.musts, *life.mays]
        self.reader = Reader(life.paths)
        self.said: dict[str, list[datetime]] = defaultdict(list)
        self.in_time: dict[str, datetime] = {}

    def told(self, at: datetime, matter: Matter) -> Told:
        """The best of what a line names: right words that lead to one of the label's files."""
        paths = matter.paths
        named = [each for each in self.labels if paths & each.paths and each.words.match(matter.text)]
        verdicts = [(self._verdict(each, at), each) for each in named]
        for verdict, label in verdicts:
            if verdict == "hit":
                self.in_time[label.id] = at
            if verdict not in ("early", "stale"):
                self.said[_key(label)].append(at)
        if verdicts:
            verdict, label = min(verdicts, key=lambda each: VERDICTS.index(each[0]))
            return Told(at, verdict, label.id, matter.text)
        vague = next((each for each in self.musts if _is_open(each, at) and _rests_on(matter, each)), None)
        return Told(at, "vague" if vague else "false", vague.id if vague else "", matter.text)

    def _verdict(self, label: Label, at: datetime) -> str:
        said = self.said[_key(label)]
        if label.start and at < label.start:
            return "early"
        if label.settled and at >= label.settled:
            return "stale"
        if said and at - said[-1] < AGAIN and not any(said[-1] < news <= at for news in label.news):
            return "nag"
        if not label.must:
            return "may"
        if said:
            return "reminder"
        return "hit" if label.by is None or at <= label.by else "late"


def score(life: Fortnight, steps: Sequence[Mapping[str, Any]]) -> Score:
    """What the steps of a run come to under the labels of its life."""
    days, told, in_digest = _Days(life), list[Told](), set[str]()
    for step in steps:
        at = life.time(step["at"])
        if step["verb"] == "review":
            for line in _digest(step):
                in_digest |= {each.id for each in life.musts if _is_open(each, at) and each.words.match(line)}
        for notice in step["notices"]:
            if notice["kind"] != "review":
                told += [days.told(at, matter) for matter in days.reader.matters(notice)]
    return Score(told, days.in_time, in_digest, list(_answers(life, steps)))


def _digest(step: Mapping[str, Any]) -> Iterator[str]:
    """The lines that a review printed or delivered."""
    for text in (step["stdout"], *(notice["text"] for notice in step["notices"] if notice["kind"] == "review")):
        yield from map(visible, text.splitlines())


def _key(label: Label) -> str:
    return f"{label.must} {label.id}"


def _is_open(label: Label, at: datetime) -> bool:
    return label.start is not None and label.by is not None and label.start <= at <= label.by


def _rests_on(matter: Matter, label: Label) -> bool:
    """Whether a line rests on the very line of a must, though its words do not say so."""
    places = [place for place in label.every if place.has and place.path in matter.paths]
    return any(place.has in quote for place in places for quote in matter.quotes)


def _answers(life: Fortnight, steps: Sequence[Mapping[str, Any]]) -> Iterator[Answer]:
    given = {(life.time(step["at"]), step["args"][0]): step["stdout"] for step in steps if step["verb"] == "ask"}
    for question in life.questions:
        if (question.at, question.ask) in given:
            yield answer(life, question, given[question.at, question.ask])


def answer(life: Fortnight | Morning, question: Question, text: str) -> Answer:
    """What an answer is worth. Lines that cite a file are not the program's own words."""
    own = (line for line in text.splitlines() if not any(path in line for _, path in life.paths))
    honest = bool(NOT_FOUND.search("\n".join(own)))
    lured = any(re.search(each, text, re.IGNORECASE) for each in question.never)
    hits = [bool(re.search(each, text, re.IGNORECASE)) for each in question.expect]
    share = sum(hits) / len(hits) if hits else float(honest and not lured)
    if question.kind == "none":
        return Answer(question, "right" if share else "wrong", share)
    if all(hits) and not lured:
        return Answer(question, "right", share)
    return Answer(question, "honest" if honest and not any(hits) and not lured else "wrong", share)


def tally(life: Fortnight, found: Score) -> Counter[str]:
    """The counts of a life, which add up over lives. README.md says what each is."""
    counts = Counter(days=life.days, told=len(found.told), silent=len(life.silent))
    counts.update(each.verdict for each in found.told)
    counts["right"] = sum(counts[verdict] for verdict in RIGHT)
    counts["kept"] = len(life.silent - {each.at.date() for each in found.told})
    for must in life.musts:
        told, shown = must.id in found.in_time, must.id in found.in_digest
        counts.update(musts=1, in_time=told, weight=must.weight)
        counts.update(weight_in_time=told * must.weight, weight_either=(told or shown) * must.weight)
    return +(counts + count(found.answers))


def count(answers: Iterable[Answer]) -> Counter[str]:
    """The counts of answers, which add up."""
    counts = Counter[str]()
    for each in answers:
        kind = each.question.kind
        counts.update({kind: 1, f"{kind}_{each.result}": 1, f"{kind}_parts": len(each.question.expect)})
        counts[f"{kind}_named"] += round(each.share * len(each.question.expect))
    return counts
