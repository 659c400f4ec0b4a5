"""DOMAIN. What the operator says again word for word: a question, or something to be known.

The same words on several occasions are all that is needed, in any language. What comes back in other words is a
model's to find; a wish for the answers is the behaviour review's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjutant.domain.behavior import wishes
from adjutant.domain.learning.analysis.gathering import Exchange, Material, Utterance, group, make, newest
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.domain.telling import asking
from adjutant.language.stems import telling
from adjutant.language.words import words
from adjutant.records import suggestion as causes
from adjutant.records.suggestion import Finding

OCCASIONS = 3  # on which something has to be said before it counts as coming back
TWICE = 2  # of them in answer to something, for what is neither question nor wish; answers that say the same
LEAST_WORDS, LEAST_TELLING = 4, 2  # of a sentence; "thanks, that is all" is none
SENTENCES, ANSWER_SENTENCES = 3, 8  # of a message, of an answer that are looked at
STEMS = 6  # of a subject
_ASKS = ("?", "？", "؟", "՞")


class Repeat(NamedTuple):
    """A sentence in a message. `of`: the exchange that it follows on, None where it begins a talk; `turn`: the one that
    it begins."""

    said: Utterance
    sentence: str
    of: Exchange | None
    turn: Exchange | None


def find(material: Material) -> Iterator[Finding]:
    """CORRECTION, QUESTION, SKILL_CORRECTED and ROLE_CORRECTED: what came back, and was said in the window."""
    sentences = [
        Repeat(said, sentence, material.follows.get((said.session, said.id)), material.turn_of(said))
        for said in material.said
        if said.at > material.month_began
        for sentence in said.sentences[:SENTENCES]
    ]
    for several in group(sentences, lambda each: " ".join(words(each.sentence))).values():
        back = len({each.said.occasion for each in several}) >= OCCASIONS
        if back and several[-1].said.at > material.since and (found := _read(material, several)):
            yield found


def _read(material: Material, several: Sequence[Repeat]) -> Finding | None:
    """What a sentence that came back is; None for what says too little, or begins talks rather than answers one."""
    sentence = several[-1].sentence
    if wishes.read(sentence) is not None:
        return None
    if len(words(sentence)) < LEAST_WORDS or len(telling(sentence)) < LEAST_TELLING:
        return None
    if sentence.rstrip(" \"')”").endswith(_ASKS):
        about_picture = asking.asked(sentence, material.until.date())
        return None if about_picture else _finding(material, several, causes.QUESTION, _subject(sentence), sentence)
    behind = [each.of for each in several if each.of is not None]
    if len({turn.occasion for turn in behind}) < TWICE:
        return None
    cause, subject = _place(behind)
    return _finding(material, several, cause, subject or _subject(sentence), sentence)


def _subject(text: str) -> str:
    return " ".join(sorted(telling(text))[:STEMS]) or " ".join(words(text)[:STEMS])


def _place(turns: Sequence[Exchange]) -> tuple[str, str]:
    """(cause, subject) by what all the turns before have in common: a skill, a role; CORRECTION and "" for nothing."""
    skills = set(turns[0].was.skills).intersection(*(turn.was.skills for turn in turns))
    roles = {turn.was.agent for turn in turns}
    if len(skills) == 1:
        return causes.SKILL_CORRECTED, skills.pop()
    if len(roles) == 1 and roles.isdisjoint((CONDUCTOR, "")):
        return causes.ROLE_CORRECTED, roles.pop()
    return causes.CORRECTION, ""


def _finding(material: Material, several: Sequence[Repeat], cause: str, subject: str, text: str) -> Finding:
    concepts = {turn.was.concept for each in several if (turn := each.of or each.turn) is not None}
    occasions = len({each.said.occasion for each in several})
    quotes = newest([material.quote(each.said, each.sentence, each.of.was if each.of else None) for each in several])
    workload = concepts.pop() if len(concepts) == 1 else ""
    weight = 0.5 + 0.1 * occasions
    return make(cause, subject, quotes, weight, workload=workload, text=text, sessions=occasions, times=len(several))
