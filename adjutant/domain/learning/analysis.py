"""DOMAIN. What a window of interactions holds: counts, means, and findings by structure, each with its evidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from operator import attrgetter
from statistics import fmean
from typing import Any, NamedTuple

from adjutant.app import App
from adjutant.clock import moment
from adjutant.domain.behavior import own_words
from adjutant.domain.behavior.reviewing import SaidLine
from adjutant.domain.learning import gathering
from adjutant.domain.learning.gathering import DAYS, Exchange, Material, group, make, newest
from adjutant.domain.prompting import churn
from adjutant.domain.prompting.roles import CONDUCTOR
from adjutant.domain.telling import asking
from adjutant.errors import FileDamaged
from adjutant.language.stems import telling
from adjutant.language.words import words
from adjutant.records import insights, matters_log
from adjutant.records import suggestion as causes
from adjutant.records.interactions import DEGRADED, FAILED, USEFUL, USELESS
from adjutant.store import jsonl

BY = ("concept", "agent", "channel")
LEAST_USELESS = 3
OCCASIONS = 3  # on which something has to be said before it counts as coming back
TWICE = 2  # of them in answer to something, for what is neither question nor wish
LEAST_WORDS, LEAST_TELLING = 4, 2  # of a sentence; "thanks, that is all" is none
SENTENCES = 3  # of a message that are looked at
STEMS = 6  # of a subject
_ASKS = ("?", "？", "؟", "՞")
Compared = tuple[float, float, float, float]


def analyse(app: App, material: Material) -> causes.Analysis:
    """The window of `material` against the 30 days before it, and what comes back or is never used. Asks no model and
    writes nothing. Raises TaxonomyInvalid, FileDamaged, IoFailed."""
    since, until = material.since, material.until
    window = material.after(since)
    cycles = [each for at, each in material.cycles if at > since]
    changes = churn.measure(app.files, app.config, until)
    marked = _read_marks(material)
    enough = len(window) >= app.config.whole("evolution.min_interactions")
    finders = (_find_repeats(material), gathering.find_uses(material), _find_useless(marked))
    found = [each for finder in finders for each in finder] if enough else []
    told = [turn.was.parts for turn in window if turn.was.parts]  # those that have a prompt on record
    bad = [each for each in (*(turn.was for turn in window), *cycles) if each.outcome in (DEGRADED, FAILED)]
    kinds = group((each for each in marked if each.at > since), lambda each: each.kind)
    states = {kind: [each.state for each in several] for kind, several in kinds.items()}
    return causes.Analysis(
        since=since.isoformat(),
        until=until.isoformat(),
        read=len(window),
        cycles=len(cycles),
        enough=enough,
        compared=_compare(material, window),
        tokens={name: round(fmean(each.get(name, 0) for each in told), 1) for name in dict.fromkeys(chain(*told))},
        degraded=dict(sorted(Counter(why for each in bad for why in (each.cause or each.outcome).split(",")).items())),
        notices={kind: (several.count(USEFUL), several.count(USELESS)) for kind, several in states.items()},
        churn={name: (each.changes, each.often) for name, each in changes.items()},
        findings=tuple(sorted(found, key=lambda each: (-each.weight, each.cause, each.workload, each.subject))),
    )


def _compare(material: Material, window: Sequence[Exchange]) -> dict[str, dict[str, Compared]]:
    since = material.since
    before, known = material.after(since - DAYS, since), since - max(since - DAYS, material.first)
    scale = (material.until - since) / known if known.total_seconds() > 0 else 0.0

    def measure(turns: Sequence[Exchange]) -> float:
        return round(fmean(turn.was.friction for turn in turns), 3) if turns else 0.0

    compared = dict[str, dict[str, Compared]]()
    for by in BY:
        now, then = (group(turns, attrgetter(f"was.{by}")) for turns in (window, before))
        both = {name: (now.get(name, []), then.get(name, [])) for name in sorted({*now, *then})}
        sizes = {name: (float(len(new)), round(len(old) * scale, 2)) for name, (new, old) in both.items()}
        compared[by] = {name: (*sizes[name], measure(new), measure(old)) for name, (new, old) in both.items()}
    return compared


class _Marked(NamedTuple):
    """A notice or matter that was marked: when, its last `state`, knowledge base and path or "", the evidence."""

    at: datetime
    kind: str
    state: str
    place: str
    proof: causes.Quote


def _read_marks(material: Material) -> list[_Marked]:
    files, tree, found = material.files, material.files.tree, list[_Marked]()
    notices, marks = jsonl.read(files, tree.notices), jsonl.read(files, tree.marks)
    cycles = {key: each.id for _, each in material.cycles for key in each.notices}

    def add(record: dict[str, Any], kind: str, about: tuple[str, str, str], cycle: str, ref: str) -> None:
        (title, kb, path), at = about, moment(record.get("ts"))
        if at is not None and material.month_began < at <= material.until:
            proof = causes.Quote(cycle, ref, causes.excerpt(f"[{kb}] {title}"), "untrusted")
            found.append(_Marked(at, kind, str(record["state"]), f"{kb} {path}" if kb and path else "", proof))

    marked = [each for each in notices if each.get("event") == "marked"]
    for key, record in {each.get("key"): each for each in marked if each.get("state") in (USEFUL, USELESS)}.items():
        if isinstance(key, str):
            ref, about = f"{tree.relative(tree.notices)}#{key}", ("", "", "")
            with suppress(FileNotFoundError, FileDamaged):  # its insight was deleted, or was never there
                insight = insights.load(files, str(record.get("insight") or "").partition(",")[0])
                about = insight.title, insight.kb, insight.evidence[0].path if insight.evidence else ""
            add(record, str(record.get("kind") or ""), about, cycles.get(key, ""), ref)
    called = {str(each.get("matter")): each for each in marks if each.get("state") in (USEFUL, USELESS)}
    known = matters_log.read(files) if called else {}  # of what was marked by its id, the words of the register
    of_notices = {each.get("ts") for each in marked}
    told = {str(id): cycles.get(str(each.get("key")), "") for each in notices for id in each.get("matters") or ()}
    for id, record in called.items():
        each = known.get(id)
        if each is not None and not record.get("insight") and record.get("ts") not in of_notices:
            about, ref = (each.says or each.what, each.kb, each.path), f"{tree.relative(tree.matters)}#{id}"
            add(record, "escalation", about, told.get(id, ""), ref)
    return sorted(found, key=lambda each: (each.at, each.proof.ref))


def _find_useless(every: Sequence[_Marked]) -> Iterator[causes.Finding]:
    for place, several in group(every, lambda each: each.place).items():
        if len(several) >= LEAST_USELESS and all(each.state == USELESS for each in several):
            proofs, weight = newest([each.proof for each in several]), 0.4 + 0.1 * len(several)
            yield make(causes.USELESS_NOTICES, place, proofs, weight, useless=len(several), useful=0)


def _find_repeats(material: Material) -> Iterator[causes.Finding]:
    before = dict[str, Exchange | None]()
    repeats = list[tuple[SaidLine, str, Exchange | None]]()  # what was said, a sentence of it, the turn before it
    for said in material.said:
        session = said.record.rpartition("/")[0]
        of, before[session] = before.get(session), material.begun.get(said.record)
        of = of if of is not None and of.at > material.month_began else None
        if datetime.fromisoformat(said.ts) > material.month_began:
            repeats += [(said, each, of) for each in own_words.split(said.said)[:SENTENCES]]
    for several in group(repeats, lambda each: " ".join(words(each[1]))).values():
        last, sentence, _ = several[-1]
        occasions = len({material.occasions[said.record] for said, _, _ in several})
        behind = [of for _, _, of in several if of is not None]
        if occasions < OCCASIONS or datetime.fromisoformat(last.ts) <= material.since:
            continue
        if (about := _read_cause(material, behind, sentence)) is not None:
            turns = [of or material.begun.get(said.record) for said, _, of in several]
            concepts = {turn.was.concept for turn in turns if turn is not None}
            quotes = [material.quote(said, each, of and of.was) for said, each, of in several]
            workload, weight = concepts.pop() if len(concepts) == 1 else "", 0.5 + 0.1 * occasions
            yield make(*about, newest(quotes), weight, workload, sentence, sessions=occasions, times=len(several))


def _read_cause(material: Material, behind: Sequence[Exchange], sentence: str) -> tuple[str, str] | None:
    """(cause, subject) of a sentence that came back, by what the turns `behind` it have in common; else None."""
    short = len(words(sentence)) < LEAST_WORDS or len(telling(sentence)) < LEAST_TELLING
    if short or own_words.read_wish(sentence) is not None:
        return None
    subject = " ".join(sorted(telling(sentence))[:STEMS])
    if sentence.rstrip(" \"')”").endswith(_ASKS):
        return None if asking.asked(sentence, material.until.date()) else (causes.QUESTION, subject)
    if len({turn.occasion for turn in behind}) < TWICE:
        return None
    skills = set(behind[0].was.skills).intersection(*(turn.was.skills for turn in behind))
    roles = {turn.was.agent for turn in behind}
    if len(skills) == 1:
        return causes.SKILL_CORRECTED, skills.pop()
    if len(roles) == 1 and roles.isdisjoint((CONDUCTOR, "")):
        return causes.ROLE_CORRECTED, roles.pop()
    return causes.CORRECTION, subject
