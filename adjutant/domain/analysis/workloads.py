"""DOMAIN. Workloads: which grew, which go heavily without a skill, who fails at one, and what fits none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta

from adjutant.domain.analysis import clusters, uses
from adjutant.domain.analysis.clusters import Utterance, Weights
from adjutant.domain.analysis.gathering import EVIDENCE, Material, Said, Turn, newest
from adjutant.domain.analysis.gists import Gist, gist, joined
from adjutant.domain.analysis.window import DAYS
from adjutant.domain.prompting.roles import CONDUCTOR, MODES
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import THRESHOLD, UNCATEGORISED
from adjutant.domain.recall.taxonomy import PREFIX
from adjutant.records.finding import MISROUTED, SHIFT, SKILL_GAP, UNFILED, Finding, Quote
from adjutant.records.friction import CORRECTED, friction_of
from adjutant.records.interaction import DEGRADED, FAILED

GAP_TURNS, GAP_OCCASIONS, GAP_FRICTION, GAP_ROUNDS, GAP_HEAVY = 8, 3, 0.3, 3.0, 4
TAUGHT = 3  # occasions on which the same steps are explained
STEPS = 3  # quotes of them
FAILING_TURNS, FAILING_SHARE, KNOWN_TURNS = 5, 0.5, 3
UNFILED_TURNS, UNFILED_OCCASIONS, LINKED = 5, 3, 2
UNFILED_TIMES = 3  # as often where nothing fits as where something does
MOST_STEMS, LEAST_STEMS = 4, 2
SHIFT_TURNS, SHIFT_TIMES, SHIFT_SHARE = 5, 2.0, 1.4
SHIFT_SPAN, SHIFT_RECORD = timedelta(days=7), timedelta(days=14)  # what a window is too short for, and no record tells
SENTENCES = 3
# Signals that a skill could have spared: a model that is away, or a tool that refuses, it cannot mend.
_SPARED = ("corrected", "repeated_question", "many_rounds", "abandoned", "tool_error")
_BEGINS = re.compile(
    r"(?i)\b(?:first(?:ly)?|then|next|afterwards|finally|after that|step \d|steps?:|before that|først|så|deretter"
    r"|etterpå"
    r"|til slutt|trinn \d|zuerst|dann|danach|anschließend|zuletzt|schritt \d)\b"
)
_NOT_NAME = re.compile(r"[^\w' -]+")


def find(material: Material, rare: Weights, explained: frozenset[str]) -> list[Finding]:
    """MISROUTED, SKILL_GAP, UNFILED and SHIFT. `explained`: interactions that a correction is about. Raises
    TaxonomyInvalid, FileDamaged, IoFailed."""
    misrouted = _misrouted(material, explained)
    wrong = {(each.subject, each.workload) for each in misrouted}
    turns = [turn for turn in material.month if (turn.was.agent, turn.was.concept) not in wrong]
    gaps = _gaps(material, turns, rare, explained)
    return [*misrouted, *gaps, *_unfiled(material, rare, explained), *_shifts(material)]


# -- who fails at a workload -----------------------------------------------------------------------------------


def _misrouted(material: Material, explained: frozenset[str]) -> list[Finding]:
    """Specialists that fail at what they own, where the conductor does better or nobody knows."""
    groups: dict[tuple[str, str], list[Turn]] = {}
    for turn in material.month:
        groups.setdefault((turn.was.agent, turn.was.concept), []).append(turn)
    own = (CONDUCTOR, *MODES)
    conductor = [turn for turn in material.month if turn.was.agent in own]
    found = []
    for (agent, concept), turns in sorted(groups.items()):
        owned = material.config.specialists.get(agent, {}).get("workloads", ())
        bad = [turn for turn in turns if turn.was.id not in explained and _went_wrong(turn)]
        if concept.removeprefix(PREFIX) not in owned or len(turns) < FAILING_TURNS:
            continue
        share = len(bad) / len(turns)
        theirs = [turn for turn in conductor if turn.was.concept == concept]
        compared = theirs if len(theirs) >= KNOWN_TURNS else conductor
        other = sum(map(_went_wrong, compared)) / len(compared) if compared else 0.0
        if share < FAILING_SHARE or other >= share:
            continue
        figures = {"turns": float(len(turns)), "failed": float(len(bad)), "share": round(share, 3)}
        if len(theirs) >= KNOWN_TURNS:
            figures["conductor"] = round(sum(map(_went_wrong, theirs)) / len(theirs), 3)
        found.append(
            Finding(
                MISROUTED,
                agent,
                figures,
                newest([material.asked(turn) for turn in bad]),
                workload=concept,
                weight=round(min(1.0, 0.4 + 0.4 * share), 3),
            )
        )
    return found


def _went_wrong(turn: Turn) -> bool:
    return turn.was.outcome in (FAILED, DEGRADED) or CORRECTED in turn.was.friction_signals


# -- heavy going without a skill ---------------------------------------------------------------------------------


def _gaps(
    material: Material,
    turns: Sequence[Turn],
    rare: Weights,
    explained: frozenset[str],
) -> list[Finding]:
    scheme = taxonomy.load(material.files)
    tagged = {
        top
        for each in uses.skills(material).values()
        if each.workload
        for top in (each.workload, *scheme.tops_of(each.workload))
    }
    found = []
    for concept in sorted({turn.was.concept for turn in turns} - {"", UNCATEGORISED} - tagged):
        mine = [turn for turn in turns if turn.was.concept == concept and turn.was.id not in explained]
        if len(mine) < GAP_TURNS or _occasions(mine) < GAP_OCCASIONS or any(map(_has_skill, mine)):
            continue
        friction = sum(map(_friction, mine)) / len(mine)
        rounds = sum(turn.was.rounds for turn in mine) / len(mine)
        heavy = sum(_friction(turn) > 0 or turn.was.rounds >= GAP_ROUNDS for turn in mine)
        taught = _taught(material, mine, rare)
        if not taught and (heavy < GAP_HEAVY or (friction < GAP_FRICTION and rounds < GAP_ROUNDS)):
            continue
        steps = _steps(material, mine)
        evidence = newest([*(material.asked(turn) for turn in mine), *steps])
        kept = tuple(dict.fromkeys((*steps[-STEPS:][::-1], *evidence)))[:EVIDENCE]
        found.append(
            Finding(
                SKILL_GAP,
                _subject(material, mine, rare) or concept.removeprefix(PREFIX),
                {
                    "turns": float(len(mine)),
                    "sessions": float(_occasions(mine)),
                    "friction": round(friction, 3),
                    "rounds": round(rounds, 2),
                    "taught": float(taught),
                },
                kept,
                workload=concept,
                text=steps[-1].text if steps else "",
                weight=round(min(1.0, 0.35 + 0.5 * friction + 0.05 * taught), 3),
            )
        )
    return found


def _has_skill(turn: Turn) -> bool:
    met = (*turn.was.retrieved, *turn.was.used)
    return bool(turn.was.skills) or any(id.startswith(f"{uses.SKILLS}/") for id in met)


def _friction(turn: Turn) -> float:
    """Of what a skill could have spared."""
    if not turn.was.friction_signals:
        return turn.was.friction
    return friction_of(tuple(name for name in turn.was.friction_signals if name in _SPARED))


def _explains(sentence: str) -> bool:
    """Whether a sentence says what to do in which order."""
    return len({match.group().lower() for match in _BEGINS.finditer(sentence)}) >= 2


def _steps(material: Material, turns: Iterable[Turn]) -> list[Quote]:
    """The operator's words that say in which order it is done, oldest first."""
    found: dict[str, Quote] = {}
    for turn in turns:
        for said in (each for each in (turn.said, turn.next) if each is not None):
            for sentence in _dictated(said):
                found.setdefault(f"{said.session}/{said.id} {sentence}", material.quote(said, sentence, turn.was))
    return list(found.values())


def _dictated(said: Said) -> list[str]:
    """The sentences of a message that dictate steps: one that holds several, or several that begin with one each."""
    if whole := [each for each in said.sentences if _explains(each)]:
        return whole
    begun = [each for each in said.sentences if _BEGINS.match(each)]
    return begun if len(begun) >= 2 else []


def _from_the_first(sentence: str) -> str:
    """The steps of a sentence, without what they are for."""
    begins = _BEGINS.search(sentence)
    return sentence[begins.start() :] if begins is not None else sentence


def _taught(material: Material, turns: Sequence[Turn], rare: Weights) -> int:
    """On how many occasions the same steps were explained, 0 for fewer than TAUGHT."""
    told: list[tuple[Said, Gist]] = []
    for turn in turns:
        if turn.said is not None and (steps := _dictated(turn.said)):
            told.append((turn.said, joined(gist(each, material.language) for each in map(_from_the_first, steps))))
    groups = clusters.grouped([Utterance(each) for _, each in told], rare)
    most = max((len({told[at][0].occasion for at in places}) for places in groups), default=0)
    return most if most >= TAUGHT else 0


def _subject(material: Material, turns: Sequence[Turn], rare: Weights) -> str:
    """The stems that most of these requests share, joined by blanks."""
    counts: Counter[str] = Counter()
    for turn in turns:
        counts.update(_asked(material, turn).telling)
    shared = [stem for stem, times in counts.items() if 3 * times >= len(turns) and not stem[0].isdigit()]
    return " ".join(sorted(sorted(shared, key=lambda stem: (-counts[stem] * rare.of(stem), stem))[:MOST_STEMS]))


def _asked(material: Material, turn: Turn) -> Gist:
    sentences = turn.said.sentences[:SENTENCES] if turn.said is not None else ()
    return joined(gist(each, material.language) for each in sentences)


# -- what fits no concept ------------------------------------------------------------------------------------------


def _unfiled(material: Material, rare: Weights, explained: frozenset[str]) -> list[Finding]:
    """Requests alike that fit no concept: linked by stems that are theirs and stand together. A name is no concept."""
    rows: list[tuple[Turn, Gist]] = []
    known: set[frozenset[str]] = set()  # the same request once more makes no workload
    elsewhere: Counter[str] = Counter()
    for turn in material.month:
        told = _asked(material, turn)
        if not (turn.was.concept in ("", UNCATEGORISED) or turn.was.confidence < THRESHOLD):
            elsewhere.update(told.telling)
        elif turn.was.id not in explained and len(told.telling) >= LEAST_STEMS and told.telling not in known:
            known.add(told.telling)
            rows.append((turn, told))
    holders: dict[str, set[int]] = {}
    for at, (_, told) in enumerate(rows):
        for stem in told.telling - told.values - rare.names:
            holders.setdefault(stem, set()).add(at)
    own = {
        stem: places
        for stem, places in holders.items()
        if len(places) >= max(LINKED, UNFILED_TIMES * elsewhere[stem]) and _on(rows, places) >= LINKED
    }
    found, taken = [], set[str]()
    for stem in sorted(own, key=lambda each: (-len(own[each]), each)):
        if stem in taken:
            continue
        beside = {other: len(own[other] & own[stem]) for other in own if other not in taken and other != stem}
        near = [other for other in sorted(beside, key=lambda each: (-beside[each], each)) if beside[other] >= LINKED]
        if not near:
            continue
        subject = [stem, *near][:MOST_STEMS]
        alike = sorted(own[stem].union(*(own[other] for other in subject[1:])))
        taken.update(subject)
        if len(alike) >= UNFILED_TURNS and _on(rows, alike) >= UNFILED_OCCASIONS:
            found.append(_cluster(material, [rows[at][0] for at in alike], subject))
    return found


def _on(rows: Sequence[tuple[Turn, Gist]], places: Iterable[int]) -> int:
    return _occasions(rows[at][0] for at in places)


def _cluster(material: Material, turns: Sequence[Turn], subject: Sequence[str]) -> Finding:
    return Finding(
        UNFILED,
        " ".join(subject),
        {"turns": float(len(turns)), "sessions": float(_occasions(turns))},
        newest([material.asked(turn) for turn in turns]),
        workload=UNCATEGORISED,
        text=_name(material, turns, subject[0]),
        weight=round(min(1.0, 0.2 + 0.03 * len(turns)), 3),
    )


def _name(material: Material, turns: Sequence[Turn], stem: str) -> str:
    """What the operator calls it: the word that he writes most for a stem."""
    written: Counter[str] = Counter()
    for turn in turns:
        for sentence in turn.said.sentences[:SENTENCES] if turn.said is not None else ():
            for word in _NOT_NAME.sub(" ", sentence).split():
                if stem in gist(word, material.language).telling | gist(word.lower(), material.language).telling:
                    written[word] += 1
    return min(written, key=lambda word: (-written[word], word)) if written else stem


# -- what grew and what shrank ---------------------------------------------------------------------------------------


def _shifts(material: Material) -> list[Finding]:
    """Workloads that doubled or halved, over a week at least: of eight hours each would. Where all of them grow alike,
    nothing has shifted."""
    began = min(material.since, material.until - SHIFT_SPAN)
    known = began - max(began - DAYS, material.first)
    if known < SHIFT_RECORD:
        return []
    now = Counter(turn.was.concept for turn in material.after(began))
    before = Counter(turn.was.concept for turn in material.after(began - DAYS, began))
    scale = (material.until - began) / known
    all_new, all_old = now.total(), before.total() * scale
    found = []
    for concept in sorted((now.keys() | before.keys()) - {"", UNCATEGORISED}):
        new, old = float(now[concept]), round(before[concept] * scale, 2)
        if max(new, old) < SHIFT_TURNS or not (new >= SHIFT_TIMES * old or old >= SHIFT_TIMES * new):
            continue
        share, was = new / max(all_new, 1), old / max(all_old, 1)
        if max(share, was) < SHIFT_SHARE * min(share, was) or (share > was) != (new > old):
            continue
        turns = [turn for turn in material.after(began if new >= old else began - DAYS) if turn.was.concept == concept]
        found.append(
            Finding(
                SHIFT,
                concept,
                {"turns": new, "before": old},
                newest([material.event(turn.was) for turn in turns]),
                workload=concept,
                weight=0.05,
            )
        )
    return found


def _occasions(turns: Iterable[Turn]) -> int:
    return len({turn.occasion for turn in turns})
