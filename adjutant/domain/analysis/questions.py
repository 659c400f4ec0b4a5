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
from adjutant.domain.analysis.gists import Gist, gist, joined
from adjutant.domain.interactions import correction_words
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
_KINDS: tuple[tuple[str, str], ...] = (
    (
        "when",
        r"when|(?:what|which|at what|by what) (?:time|day|date|weekday)|når|hvilken dag|wann|wie spät"
        r"|welche[rmns]? tag",
    ),
    ("how long", r"how long|hvor lenge|wie lange?"),
    ("how often", r"how often|hvor ofte|wie oft"),
    ("how many", r"how many|hvor mange|wie ?viele"),
    ("how much", r"how much|hvor mye|wie ?viel|what does .{1,60}? cost|what is the price|hva koster|was kostet"),
    ("why", r"why|hvorfor|warum|wieso|weshalb"),
    ("who", r"who|whom|whose|hvem|wer|wen|wem"),
    ("where", r"where|hvor(?! (?:mye|mange|lenge|ofte|langt))|wohin|woher|wo"),
    ("how", r"how|hvordan|wie|what do i do to"),
    ("", r"what|which|hva|hvilke[nt]?|was|welche[rmns]?"),
)
_PATTERNS = tuple((kind, re.compile(rf"(?i)\b(?:{pattern})\b")) for kind, pattern in _KINDS)
_COUNTED = re.compile(r"(?i)\b(?:how many|hvor mange|wie ?viele|how much|hvor mye|wie ?viel)\s+([^\W\d_]+)")
_ASKS = re.compile(
    r"(?i)^(?:(?:please|and|so|ok|sorry|again|hi|hello|hey|hei|hallo|once more|could you|can you|kan du|kannst du"
    r"|bitte)"
    r"\W+)*(?:(?:tell|remind) me(?: again)?|do you (?:know|remember)|what was it|i(?:['’]d| would) like to know"
    r"|i forgot"
    r"|si meg|minn meg på|fortell(?: meg)?|vet du|husker du|sag mir|erinnere mich|weißt du)?\W*"
    r"(?:when|where|who|whom|whose|what|which|why|how|når|hvor|hvem|hva|hvilke[nt]?|hvorfor|hvordan|wann|wo|wohin|wer"
    r"|wen"
    r"|wem|was|welche[rmns]?|warum|wieso|wie)\b"
)
_AUXILIARY = re.compile(
    r"(?i)^(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|has|have|had|may|must|er|var|har|kan|skal"
    r"|vil"
    r"|må|ist|sind|war|hat|haben|kann|können|soll|darf|muss|wird)\b"
)
# "Can you tell me the code of the gate?" asks for it, and for no yes.
_TELLS = re.compile(
    r"(?i)^(?:(?:can|could|would|will) you(?: please)? (?:tell|give|remind|show|say)|(?:kan|kunne|vil) du"
    r" (?:si|gi|fortelle|vise|minne))\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class Asked(NamedTuple):
    """A question. `kind`: which word asks, "" where it could be any ("what", "which", none)."""

    turn: Turn
    sentence: str
    gist: Gist
    kind: str


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something."""
    return sentence.rstrip(" \"')").endswith("?") or _ASKS.match(sentence) is not None


def kind_of(sentence: str) -> str:
    """Which word asks: when, who, where, how many days … ; "" where it could be any."""
    if _AUXILIARY.match(sentence) and not _TELLS.match(sentence):
        return YES_OR_NO
    places = [
        (match.start(), -len(match.group()), number, kind)
        for number, (kind, pattern) in enumerate(_PATTERNS)
        if (match := pattern.search(sentence))
    ]
    kind = min(places)[3] if places else ""
    counted = _COUNTED.search(sentence) if kind in ("how many", "how much") else None
    return f"{kind} {''.join(sorted(gist(counted[1]).telling | gist(counted[1]).light))}".strip() if counted else kind


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
    sentences = _SENTENCE_END.split(asked.turn.answer.text[:ANSWER_CHARS])[:ANSWER_SENTENCES]
    whole = joined(gist(each, material.language) for each in sentences)
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
    sentences = [each.strip() for each in _SENTENCE_END.split(turn.answer.text[:ANSWER_CHARS]) if each.strip()]

    def told(sentence: str) -> float:
        return sum(rare.of(stem) for stem in gist(sentence, material.language).telling & shared)

    best = max(sentences, key=told, default="")
    if not best or not told(best) or screen(best):
        return None
    return material.quote(turn.answer, excerpt(best), turn.was, "agent")
