"""DOMAIN. Questions that come back and are answered the same each time: memory would have spared them.

What is asked of a state that changes ("what is due today?") comes back for a good reason, and is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from adjutant.domain.analysis import clusters
from adjutant.domain.analysis.clusters import Utterance, Weights
from adjutant.domain.analysis.gathering import EVIDENCE, Material, Turn, newest
from adjutant.domain.analysis.gists import FILE, Gist, gist, joined
from adjutant.domain.interactions import correction_words
from adjutant.language.pack import cached, entry, packs
from adjutant.language.patterns import either, regex
from adjutant.language.sentences import sentences
from adjutant.records.finding import QUESTION, Finding, Quote, excerpt
from adjutant.records.friction import CORRECTED
from adjutant.records.interaction import ANSWERED, TURN
from adjutant.screening.screen import screen

OCCASIONS, SAME = 3, 2  # on which it is asked, and on which the answer was the same
ALIKE = 0.5  # of two answers, without what the question said: the same
MOST_QUESTIONS = 2  # in one message: which of more was answered, nobody can tell
MOST_ASKED = 200  # turns of one question, the newest: each answer is held against each
LEAST_OTHER = 2  # stems that one question has and the other lacks, both ways
ANSWER_CHARS, ANSWER_SENTENCES = 2000, 4
YES_OR_NO = "yes or no"


class Asked(NamedTuple):
    """A question. `kind`: which word asks, "" where it could be any ("what", "which", none)."""

    turn: Turn
    sentence: str
    gist: Gist
    kind: str


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something."""
    return sentence.rstrip(" \"')").endswith("?") or _asks().match(sentence) is not None


@cached(1)
def _asks() -> re.Pattern[str]:
    """Finds the beginning of a question that may lack its mark."""
    leads, asked_for, words = (either(FILE, f"asks.{name}") for name in ("leads", "for", "words"))
    return re.compile(rf"^(?:{leads}\W+)*{asked_for}?\W*{words}\b", re.IGNORECASE)


def kind_of(sentence: str) -> str:
    """Which word asks: when, who, where, how many days … ; "" where it could be any."""
    if _find(r"^{auxiliaries}\b", sentence) and not _find(r"^{tells}\b", sentence):
        return YES_OR_NO
    places = [
        (match.start(), -len(match.group()), number, kind)
        for number, kind in enumerate(entry(packs()["en"], FILE, "kinds"))
        if (match := _find(rf"\b{{kinds.{kind}}}\b", sentence))
    ]
    kind = min(places)[3].replace("_", " ").removeprefix("any") if places else ""
    counted = _counts().search(sentence) if kind in ("how many", "how much") else None
    return f"{kind} {''.join(sorted(gist(counted[1]).telling | gist(counted[1]).light))}".strip() if counted else kind


def _find(pattern: str, sentence: str) -> re.Match[str] | None:
    return regex(FILE, pattern, flags=re.IGNORECASE).search(sentence)


@cached(1)
def _counts() -> re.Pattern[str]:
    """Finds what is counted."""
    return re.compile(rf"\b{either(FILE, 'counts')}\s+([^\W\d_]+)", re.IGNORECASE)


def find(material: Material, rare: Weights, explained: frozenset[str]) -> list[Finding]:
    """Each question that came back and was answered the same. `explained`: interactions that a correction is about."""
    asked = [each for turn in material.month if turn.was.id not in explained and (each := _asked(material, turn))]
    said = [Utterance(each.gist, kind=each.kind) for each in asked]

    def near(one: int, two: int) -> float:
        ours, theirs = asked[one], asked[two]
        if not _of_one_kind(ours, theirs):
            return 0.0
        found = clusters.nearness(said[one], said[two], rare)
        return found * clusters.ELSEWHERE if _of_another(ours.gist, theirs.gist) else found

    groups = clusters.grouped(said, rare, near)
    return [
        finding
        for places in groups
        if (finding := _finding(material, [asked[at] for at in places[-MOST_ASKED:]], rare))
    ]


def _asked(material: Material, turn: Turn) -> Asked | None:
    """The question of a turn, None where it has none or too many, or asks for what changes."""
    if turn.said is None or turn.was.kind != TURN:
        return None
    questions = [each for each in turn.said.sentences if is_question(each)]
    if not 0 < len(questions) <= MOST_QUESTIONS:
        return None
    told = gist(questions[0], material.language)
    if len(told.telling) < clusters.LEAST_SHARED or correction_words.is_of_change(questions[0]):
        return None
    return Asked(turn, questions[0], told, kind_of(questions[0]))


def _of_one_kind(one: Asked, two: Asked) -> bool:
    if one.kind == two.kind:
        return True
    return "" in (one.kind, two.kind) and YES_OR_NO not in (one.kind, two.kind)


def _of_another(one: Gist, two: Gist) -> bool:
    """Whether each asks of something that the other does not name."""
    return min(len(one.telling - two.telling), len(two.telling - one.telling)) >= LEAST_OTHER


def _finding(material: Material, group: Sequence[Asked], rare: Weights) -> Finding | None:
    same = _same_answers(material, [each for each in group if _stands(each.turn)])
    wrong = [each for each in group if CORRECTED in each.turn.was.friction_signals]
    # What was answered otherwise was another question, or has no one answer; of what was not answered the words decide.
    known = {each.gist.telling for each in same}
    group = [each for each in group if each in same or (not _stands(each.turn) and each.gist.telling in known)]
    occasions = len({each.turn.occasion for each in group})
    if occasions < OCCASIONS or not any(each.turn.at > material.since for each in group):
        return None
    if len({each.turn.occasion for each in same}) < SAME or len(wrong) >= len(same):
        return None
    answer = _quoted(material, same, rare)
    if answer is None:
        return None
    best = _clearest(group, rare)
    evidence = newest([material.quote(each.turn.said, each.sentence) for each in group if each.turn.said is not None])
    counts = Counter(stem for each in group for stem in each.gist.telling)
    core = rare.rarest(stem for stem, times in counts.items() if 3 * times >= 2 * len(group))[:4]
    concepts = {each.turn.was.concept for each in group}
    return Finding(
        QUESTION,
        " ".join(sorted(core)),
        {"sessions": float(occasions), "turns": float(len(group)), "answered": float(len(same))},
        (answer, *evidence[: EVIDENCE - 1]),
        workload=concepts.pop() if len(concepts) == 1 else "",
        text=best,
        weight=min(1.0, round(0.4 + 0.1 * occasions, 3)),
    )


def _clearest(group: Sequence[Asked], rare: Weights) -> str:
    """The question that says most of what all ask, the newest of equals."""

    def score(each: Asked) -> float:
        return sum(sum(rare.of(stem) for stem in each.gist.telling & other.gist.telling) for other in group) / (
            1.0 + 0.2 * len(each.gist.telling)
        )

    return max(enumerate(group), key=lambda pair: (round(score(pair[1]), 6), pair[0]))[1].sentence


# -- answers -------------------------------------------------------------------------------------------------


def _stands(turn: Turn) -> bool:
    """Whether the agent answered, and nobody said that it was wrong."""
    return turn.answer is not None and turn.was.outcome == ANSWERED and CORRECTED not in turn.was.friction_signals


def _same_answers(material: Material, group: Sequence[Asked]) -> list[Asked]:
    """The most turns whose answers say the same beyond what the question says, oldest first."""
    told = [_beyond(material, each) for each in group]
    best: list[Asked] = []
    for at in range(len(group) - 1, -1, -1):  # the newest answer counts where as many say something else
        like = [each for other, each in enumerate(group) if other == at or _alike(told[at], told[other])]
        if len(like) > len(best):
            best = like
    return best


def _beyond(material: Material, asked: Asked) -> Gist:
    assert asked.turn.answer is not None
    said = sentences(asked.turn.answer.text[:ANSWER_CHARS])[:ANSWER_SENTENCES]
    whole = joined(gist(each.text, material.language) for each in said)
    return whole._replace(telling=whole.telling - asked.gist.telling, values=whole.values - asked.gist.values)


def _alike(one: Gist, two: Gist) -> bool:
    if one.values - two.values and two.values - one.values:
        return False
    fewer = min(len(one.telling), len(two.telling))
    return fewer > 0 and len(one.telling & two.telling) >= ALIKE * fewer


def _quoted(material: Material, same: Sequence[Asked], rare: Weights) -> Quote | None:
    """The sentence of the newest of these answers that says most of what they share; None for an instruction."""
    shared = frozenset.intersection(*(_beyond(material, each).telling for each in same[-2:]))
    turn = same[-1].turn
    assert turn.answer is not None
    said = [each.text for each in sentences(turn.answer.text[:ANSWER_CHARS])]

    def told(sentence: str) -> float:
        return sum(rare.of(stem) for stem in gist(sentence, material.language).telling & shared)

    best = max(said, key=told, default="")
    if not best or not told(best) or screen(best):
        return None
    return material.quote(turn.answer, excerpt(best), turn.was, "agent")
