"""DOMAIN. What the operator corrects again and again: about a matter, a skill, a role, or the way of answering.

One matter gives one finding. What is about how to answer is MANNER; what is about a matter is laid at the skill that
all its turns used, else at the role that answered them all, else it is a CORRECTION that memory should hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adjutant.domain.analysis import clusters, manners
from adjutant.domain.analysis.clusters import Utterance, Weights
from adjutant.domain.analysis.gathering import Material, Said, Turn, newest
from adjutant.domain.analysis.gists import Gist, gist, joined, opened
from adjutant.domain.analysis.manners import Manner
from adjutant.domain.interactions import follow_ups
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.records.finding import CORRECTION, MANNER, ROLE_CORRECTED, SKILL_CORRECTED, Finding, Quote
from adjutant.records.friction import CORRECTED
from adjutant.records.interaction import Interaction

OCCASIONS = 3  # on which something has to be said before it counts as coming back
SURE = 2  # of them in answer to something, so that the rest may be said out of the blue
STEMS = 4  # of a subject
SENTENCES = 3  # of a message that are looked at: who corrects does so at once


class Correction(NamedTuple):
    """A message that corrects. `of`: the turn it corrects, None where it is said out of the blue; `sentences`: those
    that say what is right, as they stand but for "No, that's wrong"."""

    said: Said
    of: Turn | None
    sentences: tuple[str, ...]
    gist: Gist


class Found(NamedTuple):
    """The findings, and the ids of the interactions that they explain."""

    findings: list[Finding]
    explained: frozenset[str]


def weights(material: Material) -> Weights:
    """How much each stem tells, by all that the operator said in the time."""
    return Weights(
        joined(gist(each, material.language) for each in said.sentences[:SENTENCES]) for said in material.said
    )


def find(material: Material, rare: Weights) -> Found:
    """Every correction that comes back."""
    before = {(turn.next.session, turn.next.id): turn for turn in material.month if turn.next is not None}
    manner, mannered = _manner(material, before)
    corrections = [each for each in _corrections(material, before) if (each.said.session, each.said.id) not in mannered]
    said = [Utterance(each.gist, _about(each, material)) for each in corrections]
    findings, explained = list(manner.findings), set(manner.explained)
    for places in clusters.grouped(said, rare):
        group = [corrections[at] for at in places]
        if not _returns(material, group):
            continue
        finding = _finding(material, group, [said[at] for at in places], rare)
        if finding is not None:
            findings.append(finding)
            explained |= {turn.was.id for each in group for turn in (each.of, material.turn_of(each.said)) if turn}
    return Found(findings, frozenset(explained))


def _corrections(material: Material, before: dict[tuple[str, str], Turn]) -> list[Correction]:
    """Those of the 30 days, oldest first."""
    found = []
    began = min(material.since, material.month_began)
    for said in material.said:
        if said.at <= began:
            continue
        of = before.get((said.session, said.id))
        corrected = of is not None and CORRECTED in of.was.friction_signals
        if not corrected and not follow_ups.corrects(said.text[: follow_ups.READ]):
            continue
        sentences = tuple(
            opened(each)
            for each in said.sentences[:SENTENCES]
            if not each.rstrip(" \"')").endswith("?") and manners.find(each) is None
        )
        sentences = tuple(each for each in sentences if gist(each, material.language).telling)
        if sentences:
            told = joined(gist(each, material.language) for each in sentences)
            found.append(Correction(said, of if corrected else None, sentences, told))
    return found


def _about(correction: Correction, material: Material) -> Gist | None:
    """What the operator had asked before he corrected the answer."""
    if correction.of is None or correction.of.said is None:
        return None
    asked = joined(gist(each, material.language) for each in correction.of.said.sentences[:SENTENCES])
    return asked if len(asked.telling) >= clusters.LEAST_SHARED else None


def _returns(material: Material, group: Sequence[Correction]) -> bool:
    return (
        _occasions(each.said for each in group) >= OCCASIONS
        and _occasions(each.said for each in group if each.of is not None) >= SURE
        and any(each.said.at > material.since for each in group)
    )


def _occasions(said: Iterable[Said]) -> int:
    return len({each.occasion for each in said})


def _finding(
    material: Material,
    group: Sequence[Correction],
    said: Sequence[Utterance],
    rare: Weights,
) -> Finding | None:
    """None where no sentence of the group says by itself what is right."""
    core = _core([each.gist for each in said], rare)
    text, best = _best(material, group, said, core, rare)
    if not text:
        return None
    turns = [each.of for each in group if each.of is not None]
    cause, subject = _at(turns)
    evidence = newest([material.quote(each.said, _shown(each, core, material.language), _of(each)) for each in group])
    if best not in evidence:
        evidence = (*evidence[:-1], best)
    occasions = _occasions(each.said for each in group)
    concepts = {turn.was.concept for turn in turns}
    return Finding(
        cause,
        subject or " ".join(sorted(core)),
        {"sessions": float(occasions), "times": float(len(group))},
        evidence,
        workload=concepts.pop() if len(concepts) == 1 else "",
        text=text,
        weight=min(1.0, round(0.5 + 0.1 * occasions, 3)),
    )


def _of(correction: Correction) -> Interaction | None:
    return correction.of.was if correction.of is not None else None


def _at(turns: Sequence[Turn]) -> tuple[str, str]:
    """(cause, subject) by what all the corrected turns have in common; CORRECTION and "" for nothing."""
    if _wide(turns):
        skills = set(turns[0].was.skills).intersection(*(turn.was.skills for turn in turns))
        roles = {turn.was.agent for turn in turns}
        if len(skills) == 1:
            return SKILL_CORRECTED, skills.pop()
        if len(roles) == 1 and roles.isdisjoint((CONDUCTOR, "")):
            return ROLE_CORRECTED, roles.pop()
    return CORRECTION, ""


def _wide(turns: Sequence[Turn]) -> bool:
    return len({turn.occasion for turn in turns}) >= OCCASIONS


def _core(gists: Sequence[Gist], rare: Weights) -> list[str]:
    """The stems that most of a group share, those that tell most first."""
    counts = Counter(stem for each in gists for stem in each.telling - each.wrong)
    shared = [stem for stem, times in counts.items() if 3 * times >= 2 * len(gists)]
    shared = shared or [stem for stem, times in counts.items() if times >= clusters.LEAST_SHARED]
    return rare.rarest(shared)[:STEMS]


def _best(
    material: Material,
    group: Sequence[Correction],
    said: Sequence[Utterance],
    core: Sequence[str],
    rare: Weights,
) -> tuple[str, Quote]:
    """(the sentence that says best what is right, its evidence): it holds most of what is shared, and little else; of
    equals the newest. "" where none holds at least two of the shared stems."""
    found: tuple[float, str, Quote] = (0.0, "", Quote("", "", ""))
    whole = sum(rare.of(stem) for stem in core)
    for each in group:
        for sentence in each.sentences:
            told = gist(sentence, material.language)
            right = told.telling - told.wrong
            held = [stem for stem in core if stem in right]
            if len(held) < min(clusters.LEAST_SHARED, len(core)) or len(right) < clusters.LEAST_SHARED:
                continue
            more = sum(rare.of(stem) for stem in right if stem not in core)
            score = sum(rare.of(stem) for stem in held) / (whole + 0.5 * more) - 0.1 * _addressed(sentence)
            if score >= found[0] and score > 0:
                found = (score, sentence, material.quote(each.said, sentence, _of(each)))
    return found[1], found[2]


def _addressed(sentence: str) -> bool:
    """Whether it speaks to the agent ("you send …"), and so says less for itself."""
    return sentence.lower().startswith(("you ", "your ", "du ", "dein"))


def _shown(correction: Correction, core: Sequence[str], language: str) -> str:
    """The sentence of a correction that holds most of what is shared."""
    return max(correction.sentences, key=lambda each: len(gist(each, language).telling.intersection(core)))


# -- the way of answering ------------------------------------------------------------------------------------


class _Wish(NamedTuple):
    said: Said
    of: Turn | None
    manner: Manner


def _manner(
    material: Material,
    before: dict[tuple[str, str], Turn],
) -> tuple[Found, frozenset[tuple[str, str]]]:
    """What is wished of the answers themselves, and the messages that hold nothing but such wishes."""
    wishes: dict[tuple[str, str], list[_Wish]] = {}
    only: set[tuple[str, str]] = set()
    began = min(material.since, material.month_began)
    for said in material.said:
        sentences = said.sentences[:SENTENCES] if said.at > began else ()
        of = before.get((said.session, said.id))
        found = [(each, manners.find(each, of is not None)) for each in sentences]
        for _, manner in found:
            if manner is not None:
                wish = _Wish(said, of, manner)
                wishes.setdefault((manner.kind, manner.way), []).append(wish)
        if any(manner for _, manner in found) and all(
            manner or not gist(each, material.language).telling for each, manner in found
        ):
            only.add((said.session, said.id))
    findings, explained = list[Finding](), set[str]()
    for (kind, way), rows in sorted(wishes.items()):
        against = _occasions(
            each.said for other, more in wishes.items() if other[0] == kind and other[1] != way for each in more
        )
        times = _occasions(each.said for each in rows)
        if times < OCCASIONS or 2 * against >= times or not any(each.said.at > material.since for each in rows):
            continue
        findings.append(_wished(material, f"{kind} {way}", rows, times))
        explained |= {turn.was.id for each in rows for turn in (each.of, material.turn_of(each.said)) if turn}
    return Found(findings, frozenset(explained)), frozenset(only)


def _wished(material: Material, subject: str, rows: Sequence[_Wish], times: int) -> Finding:
    best = max(enumerate(rows), key=lambda pair: (pair[1].manner.weight, pair[0]))[1]
    turns = [each.of for each in rows if each.of is not None]
    roles = {turn.was.agent for turn in turns}
    of_role = _wide(turns) and len(roles) == 1 and roles.isdisjoint((CONDUCTOR, ""))
    quotes = [material.quote(each.said, each.manner.sentence, each.of.was if each.of else None) for each in rows]
    evidence = newest(quotes)
    mine = material.quote(best.said, best.manner.sentence, best.of.was if best.of else None)
    if mine not in evidence:
        evidence = (*evidence[:-1], mine)
    return Finding(
        ROLE_CORRECTED if of_role else MANNER,
        roles.pop() if of_role else subject,
        {"sessions": float(times), "times": float(len({each.said for each in rows}))},
        evidence,
        text=best.manner.sentence,
        weight=min(1.0, round(0.55 + 0.1 * times, 3)),
    )
