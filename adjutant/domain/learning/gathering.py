"""DOMAIN. What an analysis looks at, read once: interactions and talks by time; and what is counted of their uses."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeVar

from adjutant.app import App
from adjutant.domain.behavior import own_words, reviewing
from adjutant.domain.learning import layer_items
from adjutant.domain.memory.shelf import Shelf
from adjutant.domain.prompting.roles import CONDUCTOR, MODES
from adjutant.domain.recall import skills as skill_files
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.domain.recall.sources import logs, memory, pages
from adjutant.records import interactions
from adjutant.records import suggestion as causes
from adjutant.records.interactions import ANSWERED, CORRECTED, CYCLE, DEGRADED, FAILED, Interaction, friction_of
from adjutant.records.suggestion import Finding, Quote, excerpt

DAYS = timedelta(days=30)  # what a window is compared with, and how far back what returns is looked for
LONGEST = timedelta(days=365)  # that is ever looked at: an edited line of the log may name any year
SITTING = timedelta(hours=6)  # of silence: what is said after it in the same session is said on another occasion
EVIDENCE = 8
SKILLS = "agent_skills"
MEMORY = memory.COLLECTION
FOUND = (MEMORY, logs.SLOG, pages.VAULT, "kb")  # a skill stays one
STALE_TURNS, STALE_DAYS = 12, 5
FREQUENT_TURNS, FREQUENT_DAYS, HALF = 8, 4, 0.5
READ_TURNS = 40  # turns in which something was there to be used, and was not
JUDGED = ("user", "tools")  # layers whose items are judged by use: heart.md is read by the pulse's rules
NAMED, EVENTS = 6, 3  # items that were never used, by name; turns that show it
GAP_TURNS, GAP_OCCASIONS, GAP_FRICTION, GAP_ROUNDS = 8, 3, 0.3, 3.0
FAILING_TURNS, FAILING_SHARE = 5, 0.5
UNFILED_TURNS, UNFILED_SHARE = 8, 0.2
# Signals that a skill could have spared: a model that is away, or a tool that refuses, it cannot mend.
SPARED = ("corrected", "repeated_question", "many_rounds", "abandoned", "tool_error")
T = TypeVar("T")


def choose_window(last_until: datetime | None, now: datetime, hours: int) -> tuple[datetime, datetime]:
    """(since, until): from the end of the last look, None for none, but at least `hours` and at most LONGEST back."""
    least, most = ((now.astimezone(UTC) - span).astimezone(now.tzinfo) for span in (timedelta(hours=hours), LONGEST))
    return (least if last_until is None else max(min(last_until, least), most)), now


class Exchange(NamedTuple):
    """A turn or task: its record, when, on which occasion (a sitting in a session), and what the operator asked (None
    where no conversation holds words of his own)."""

    was: Interaction
    at: datetime
    occasion: str
    said: reviewing.SaidLine | None = None


class Material:
    """What is known of the time until `until`. `turns`, `cycles`: from 30 days before the window (`since`) on, oldest
    first; `month`, `lately`: of the last 30 days; `said` by the operator, its `occasions` and the turn each `begun`."""

    def __init__(self, app: App, since: datetime, until: datetime) -> None:
        self.files, self.config = app.files, app.config
        self.since, self.until = since, until
        self.month_began = min(since, until - DAYS)
        began = self.month_began - DAYS
        every = [(datetime.fromisoformat(each.ts), each) for each in interactions.read(app.files, until)]
        every = [(at, each) for at, each in every if at <= until]
        self.first = min((at for at, _ in every), default=until)
        known = [(at, each) for at, each in every if at > began]
        self.cycles = [(at, each) for at, each in known if each.kind == CYCLE]
        self.said, _ = reviewing.read_talk(app, began)
        self.occasions = _find_occasions(self.said)
        said, where = {each.record: each for each in self.said}, self.occasions
        turns = ((at, each, f"{each.session or each.id} -") for at, each in known if each.kind != CYCLE)
        self.turns = [Exchange(t, at, where.get(t.message, alone), said.get(t.message)) for at, t, alone in turns]
        self.month = self.after(self.month_began)
        self.lately = self.after(until - DAYS)
        self.items_before = {id for at, each in every if at <= until - DAYS for id in each.items}
        self.begun = {turn.was.message: turn for turn in self.turns if turn.said is not None}

    def after(self, moment: datetime, until: datetime | None = None) -> list[Exchange]:
        return [each for each in self.turns if moment < each.at and (until is None or each.at <= until)]

    def quote(self, said: reviewing.SaidLine, sentence: str, of: Interaction | None = None) -> Quote:
        """Words of a message as evidence; `of`: the interaction that they prove something of, else their own turn."""
        turn, (session, _, id) = self.begun.get(said.record), said.record.rpartition("/")
        proved = of or (turn.was if turn is not None else None)
        path = self.files.tree.relative(self.files.tree.conversation(session))
        return Quote(proved.id if proved is not None else "", f"{path}#{id}", excerpt(sentence))

    def prove(self, turns: Iterable[Exchange]) -> tuple[Quote, ...]:
        """What the operator asked in the newest of these, or the bare event where no words of his own are on record."""
        quotes = list[Quote]()
        for turn in turns:
            own = own_words.split(turn.said.said) if turn.said is not None else ()
            quotes.append(self.quote(turn.said, own[0], turn.was) if turn.said and own else self.event(turn.was))
        return newest(quotes)

    def event(self, interaction: Interaction) -> Quote:
        path = self.files.tree.relative(self.files.tree.interactions)
        return Quote(interaction.id, f"{path}#{interaction.id}", "")

    def show_last(self, turns: Sequence[Exchange]) -> tuple[Quote, ...]:
        return newest([self.event(turn.was) for turn in turns[-EVENTS:]])


def make(
    cause: str, subject: str, proof: Sequence[Quote], weight: float, workload: str = "", text: str = "", **counts: float
) -> Finding:
    """A finding with the first of its evidence; its weight is at most 1."""
    told = {name: round(float(value), 3) for name, value in counts.items()}
    return Finding(cause, subject, told, tuple(proof)[:EVIDENCE], workload, text, round(min(1.0, weight), 3))


def newest(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """As a finding keeps them: the newest first, no place twice, at most EVIDENCE; `quotes` are oldest first."""
    kept: dict[tuple[str, str], Quote] = {}
    for each in reversed(quotes):
        kept.setdefault((each.ref, each.text), each)
    return tuple(kept.values())[:EVIDENCE]


def group(several: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """{key: those that have it, in their order}, sorted by key; what has "" is left out."""
    found: dict[str, list[T]] = {}
    for each in several:
        found.setdefault(key(each), []).append(each)
    return {name: found[name] for name in sorted(found) if name}


def _find_occasions(said: Iterable[reviewing.SaidLine]) -> dict[str, str]:
    """{record: the session, and which sitting of it}."""
    found, last = dict[str, str](), dict[str, tuple[datetime, int]]()
    for each in said:
        session, at = each.record.rpartition("/")[0], datetime.fromisoformat(each.ts)
        before, sitting = last.get(session, (at, 0))
        last[session] = at, sitting + (at - before > SITTING)
        found[each.record] = f"{session} {last[session][1]}"
    return found


def find_uses(material: Material) -> Iterator[Finding]:
    """What is used and never used, who fails, what goes heavily or fits no concept. Raises TaxonomyInvalid."""
    latest = _find_latest({each.id: each.superseded_by or "" for each in Shelf(material.files).all()})
    yield from (*_find_stale(material, latest), *_find_frequent(material, latest))
    if len(turns := material.lately) >= READ_TURNS:
        yield from (*_find_unused_items(material), *_find_unused_skills(material, turns))
    yield from (misrouted := list(_find_misrouted(material)))
    wrong = {(each.subject, each.workload) for each in misrouted}
    others = [each for each in material.month if (each.was.agent, each.was.concept) not in wrong]
    yield from _find_gaps(material, others)
    unfiled = [turn for turn in material.month if not concept_of(turn) and turn.said is not None]
    share = len(unfiled) / len(material.month) if material.month else 0.0
    if len(unfiled) >= UNFILED_TURNS and share >= UNFILED_SHARE:  # what they are about is a model's to say
        told = (causes.UNFILED, UNCATEGORISED, material.prove(unfiled), 0.1, UNCATEGORISED)
        yield make(*told, turns=len(unfiled), share=share)


def concept_of(turn: Exchange) -> str:
    """What a turn was filed under, "" for nothing."""
    return "" if turn.was.concept == UNCATEGORISED else turn.was.concept


def _find_latest(newer: Mapping[str, str]) -> dict[str, str]:
    """{note: itself, or of one that was superseded the one that stands in its place}, as interactions name them."""
    latest: dict[str, str] = {}
    for id in newer:
        at, seen = id, {""}
        while newer.get(at, "") not in seen:
            seen.add(at)
            at = newer[at]
        latest[f"{MEMORY}/{id}"] = f"{MEMORY}/{at}"
    return latest


def _find_stale(material: Material, latest: Mapping[str, str]) -> Iterator[Finding]:
    answered = [each for each in material.turns if each.was.outcome == ANSWERED]
    used = {latest.get(id, id) for turn in answered for id in turn.was.used}
    shown: dict[str, list[Exchange]] = {}
    for turn in answered:
        for key in {latest.get(id, id) for id in turn.was.retrieved} - used:
            shown.setdefault(key, []).append(turn)
    for key, turns in sorted(shown.items()):
        often = len(turns) >= STALE_TURNS and len({turn.at.date() for turn in turns}) >= STALE_DAYS
        if often and turns[-1].at > material.until - DAYS and latest.get(key) == key:
            yield make(causes.STALE_NOTE, key, material.prove(turns), 0.3, turns=len(turns), used=0)


def _find_frequent(material: Material, latest: Mapping[str, str]) -> Iterator[Finding]:
    """What more than half of a workload's turns use. `two_windows`: in both halves of the month, or before, too."""

    def list_used(turn: Exchange) -> set[str]:
        return {latest.get(each, each) for each in turn.was.used if each.partition("/")[0] in FOUND}

    def is_half(turns: Sequence[Exchange], key: str) -> bool:  # not where half of the turns that it takes are not there
        return 2 * len(turns) >= FREQUENT_TURNS and sum(key in list_used(turn) for turn in turns) > HALF * len(turns)

    began = material.until - DAYS
    before = group(material.after(began - DAYS, began), concept_of)
    for workload, turns in group(material.lately, concept_of).items():
        if len(turns) < FREQUENT_TURNS or len({turn.at.date() for turn in turns}) < FREQUENT_DAYS:
            continue
        uses = Counter(key for turn in turns for key in list_used(turn))
        halves = [[turn for turn in turns if (turn.at > began + DAYS / 2) == late] for late in (False, True)]
        for key, times in sorted(uses.items()):
            if (share := times / len(turns)) > HALF:
                steady = is_half(before.get(workload, ()), key) or all(is_half(each, key) for each in halves)
                proofs = material.prove(turn for turn in turns if key in list_used(turn))
                figures = {"share": share, "turns": len(turns), "used": times, "two_windows": steady}
                yield make(causes.FREQUENT, key, proofs, 0.3 + 0.5 * share, workload, "", **figures)


def _find_unused_items(material: Material) -> Iterator[Finding]:
    """Items that answers use no more; those that none ever used are named together: they may be rules."""
    turns = [turn for turn in material.lately if turn.was.outcome == ANSWERED]  # by a model
    if len(turns) < READ_TURNS:
        return
    used = {id for turn in turns for id in turn.was.items}
    events, never = material.show_last(turns), list[str]()
    for item in layer_items.read_items(material.files, material.config):
        if item.layer not in JUDGED or item.id in used:
            continue
        if item.id in material.items_before:
            quote = Quote("", f"{item.path}:{item.line}", excerpt(item.text.split("\n")[0].strip()))
            yield make(causes.UNUSED_ITEM, item.id, (quote, *events), 0.3, turns=len(turns), used=0, before=1)
        elif _is_old(material, item.path):
            never.append(item.id)
    if never:
        yield make(causes.UNUSED_ITEM, ", ".join(never[:NAMED]), events, 0.02, turns=len(turns), used=0)


def _is_old(material: Material, path: str) -> bool:
    with suppress(OSError, ValueError):
        return os.stat(material.files.tree.inside(path)).st_mtime <= (material.until - DAYS).timestamp()
    return False


def _find_unused_skills(material: Material, turns: Sequence[Exchange]) -> Iterator[Finding]:
    found = {id for turn in turns for id in (*turn.was.retrieved, *turn.was.used) if id.startswith(f"{SKILLS}/")}
    met = {id.partition("/")[2].lower() for id in found} | {name.lower() for turn in turns for name in turn.was.skills}
    for folder, skill in read_skills(material).items():
        if _is_old(material, skill.path) and not {folder.lower(), skill.name.lower()} & met:
            proof = Quote("", f"{skill.path}:1", ""), *material.show_last(turns)
            yield make(causes.UNUSED_SKILL, folder, proof, 0.1, skill.workload or "", turns=len(turns), used=0)


def read_skills(material: Material) -> dict[str, skill_files.Skill]:
    """{folder: skill} of those that can be read. Raises TaxonomyInvalid, FileDamaged, IoFailed."""
    shelf = skill_files.load(material.files, taxonomy.load(material.files))
    return {each.path.rpartition("/")[0].rpartition("/")[2]: each for each in shelf.skills}


def _find_misrouted(material: Material) -> Iterator[Finding]:

    def share_wrong(turns: Sequence[Exchange]) -> float:
        return sum(map(_went_wrong, turns)) / len(turns) if turns else 0.0

    conductor = [turn for turn in material.month if turn.was.agent in (CONDUCTOR, *MODES)]
    for agent, specialist in sorted(material.config.specialists.items()):
        for concept, turns in group([turn for turn in material.month if turn.was.agent == agent], concept_of).items():
            owned, share = concept.removeprefix(taxonomy.PREFIX) in specialist.get("workloads", ()), share_wrong(turns)
            theirs = [turn for turn in conductor if turn.was.concept == concept] or conductor
            if owned and len(turns) >= FAILING_TURNS and share >= FAILING_SHARE and share_wrong(theirs) < share:
                bad = [turn for turn in turns if _went_wrong(turn)]
                figures = {"turns": len(turns), "failed": len(bad), "share": share}
                yield make(causes.MISROUTED, agent, material.prove(bad), 0.4 + 0.4 * share, concept, "", **figures)


def _went_wrong(turn: Exchange) -> bool:
    return turn.was.outcome in (FAILED, DEGRADED) or CORRECTED in turn.was.friction_signals


def _find_gaps(material: Material, turns: Sequence[Exchange]) -> Iterator[Finding]:
    scheme = taxonomy.load(material.files)
    known = [each.workload for each in read_skills(material).values() if each.workload]
    tagged = {top for workload in known for top in (workload, *scheme.tops_of(workload))}
    for concept, mine in group(turns, concept_of).items():
        occasions = len({turn.occasion for turn in mine})
        spared = (tuple(name for name in turn.was.friction_signals if name in SPARED) for turn in mine)
        friction = sum(map(friction_of, spared)) / len(mine)
        rounds = sum(turn.was.rounds for turn in mine) / len(mine)
        met = [id for turn in mine for id in (*turn.was.retrieved, *turn.was.used)]
        skilled = any(turn.was.skills for turn in mine) or any(id.startswith(f"{SKILLS}/") for id in met)
        often = len(mine) >= GAP_TURNS and occasions >= GAP_OCCASIONS
        if often and not skilled and concept not in tagged and (friction >= GAP_FRICTION or rounds >= GAP_ROUNDS):
            name, proofs = concept.removeprefix(taxonomy.PREFIX), material.prove(mine)
            figures = {"turns": len(mine), "sessions": occasions, "friction": friction, "rounds": round(rounds, 2)}
            yield make(causes.SKILL_GAP, name, proofs, 0.35 + 0.5 * friction, concept, "", **figures)
