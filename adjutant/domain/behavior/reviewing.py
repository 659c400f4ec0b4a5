"""DOMAIN. What a behaviour review looks at: the operator's own words since the last one, and what is known."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from adjutant.app import App
from adjutant.clock import moment
from adjutant.domain.behavior import control, own_words
from adjutant.domain.behavior.control import LEARNED, ContractEdit
from adjutant.domain.schedule import due
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, contract, conversation, interactions
from adjutant.records.contract import AGAINST, Contract, collapse, normal
from adjutant.records.conversation import AGENT
from adjutant.records.interactions import Interaction
from adjutant.screening.screen import screen
from adjutant.store.files import Files

STAGE = "behavior-review"
SHORTEST, LONGEST = timedelta(hours=24), timedelta(days=7)
MOST, MOST_CHARS, OWN_CHARS, BEFORE_CHARS = 400, 60_000, 2000, 300


class SaidLine(msgspec.Struct, frozen=True):
    """The operator's own words in a message. `record`: SESSION/ID; `before`: the answer it stands behind. Of the turn
    that it follows on, else of its own: what rubbed, its id, workload, who answered, skills."""

    handle: str
    record: str
    ts: str
    said: str
    before: str = ""
    signals: tuple[str, ...] = ()
    interaction: str = ""
    workload: str = ""
    said_to: str = ""
    skills: tuple[str, ...] = ()


class KnownDirective(msgspec.Struct, frozen=True):
    """What is not to be proposed again. `how`: stands, waits, set aside; `told`: what became of it, in words."""

    type: str
    text: str
    how: str
    id: str = ""
    expires_at: str = ""
    told: str = ""


def find_start(app: App) -> datetime:
    """From when on messages are looked at: the last review, but a day to a week ago. Raises IoFailed."""
    now = app.clock.now()
    runs = [run for run in due.read(app.files, app.clock, [STAGE])[1][STAGE].runs if run <= now]
    last = max(runs, default=now - SHORTEST)
    return app.clock.local(max(min(last, now - SHORTEST), now - LONGEST).timestamp())


def read_talk(app: App, begin: datetime) -> tuple[list[SaidLine], list[str]]:
    """(all that the operator said since `begin`, oldest first, what could not be read). Raises IoFailed."""
    rubbed = {each.message: each for each in interactions.read(app.files) if each.message}
    found: list[tuple[datetime, SaidLine]] = []
    damaged: list[str] = []
    for name in app.files.names(app.tree.conversations):
        if name.endswith(".jsonl"):
            try:
                found += _read(app, name.removesuffix(".jsonl"), begin, rubbed)
            except (AdjutantError, OSError) as error:
                damaged.append(error.message if isinstance(error, AdjutantError) else f"conversations/{name}: {error}")
    return [line for _, line in sorted(found, key=lambda each: each[0])], damaged


def fit(found: Sequence[SaidLine], room: int = MOST_CHARS) -> list[SaidLine]:
    """The newest there is room for, oldest first, each with its handle."""
    kept = list[SaidLine]()
    for each in reversed(found[-MOST:]):
        room -= len(each.said) + len(each.before)
        if room < 0:
            break
        kept.append(each)
    return [msgspec.structs.replace(each, handle=f"m{number}") for number, each in enumerate(reversed(kept), start=1)]


def _read(app: App, session: str, begin: datetime, late: dict[str, Interaction]) -> Iterator[tuple[datetime, SaidLine]]:
    seen: set[str] = set()
    before = asked = ""
    for each in conversation.newest(app.files, session):
        if each.role == AGENT:
            before = each.text
        elif each.id not in seen:
            seen.add(each.id)
            name, at = f"{session}/{each.id}", moment(each.ts)
            if at is not None and begin <= at <= app.clock.now():
                said = own_words.read(each.text, outright=True)
                ordering = {hit.line for hit in screen(said)}  # these somebody wrote to be passed on
                kept = (line for number, line in enumerate(said.split("\n"), 1) if number not in ordering)
                behind = late.get(asked) if before else None
                answer, was = " ".join(before.split())[:BEFORE_CHARS], behind or late.get(name)
                signals = behind.friction_signals if behind is not None else ()
                about = () if was is None else (was.id, was.concept, was.agent, was.skills)
                if own := "\n".join(kept).strip()[:OWN_CHARS]:
                    yield at, SaidLine("", name, at.isoformat(), own, answer, signals, *about)
            before, asked = "", name


def list_known(held: Contract, events: list[dict[str, Any]], now: datetime) -> list[KnownDirective]:
    """What stands in the contract, waits for the operator, or was set aside lately."""
    found = [KnownDirective(each.type, each.text, "stands", each.id, "", "stands already") for each in held.directives]
    pending = [each for each in behavior_history.candidates(events, now) if each.status == "pending"]
    found += [KnownDirective(one.type, one.text, "waits", one.id, one.expires_at, "waits already") for one in pending]
    gone = behavior_history.list_gone(events, now, QUIET_DAYS)
    return [*found, *(KnownDirective(type, text, "set aside", told=told) for type, text, told in gone)]


def mark(id: str) -> str:
    """A candidate's id as the digest in the journal has it."""
    return f"**{id}**"


def find_untold(files: Files, now: datetime) -> list[behavior_history.Candidate]:
    """Candidates that wait and that no journal names, of a killed run too. Raises FileDamaged, IoFailed."""
    every, journals, today = behavior_history.candidates(behavior_history.read(files), now), "", now.date().isoformat()
    waiting = [each for each in every if each.status == "pending"]
    for day in {today, *(each.created_at[:10] for each in waiting)} if waiting else ():
        with suppress(FileNotFoundError, AdjutantError):  # damage is named by whoever reads journals
            journals += files.text(files.tree.journal_of(day))
    return [each for each in waiting if mark(each.id) not in journals]


QUIET_DAYS = 30  # for so long what was refused or taken away is not proposed again
QUOTE_CHARS, QUOTES = 240, 8
OUTCOMES = {"stands": "standing", "waits": "pending", "set aside": "rejected"}


class Proposal(NamedTuple):
    """What the operator might want, by his words in `evidence`. When it was filed, `outcome` is proposed, pending,
    standing or rejected, and `reason` says why, or what it would contradict."""

    type: str
    text: str
    confidence: float
    evidence: tuple[dict[str, str], ...]
    why: str = ""
    id: str = ""
    outcome: str = "proposed"
    reason: str = ""
    expires_at: str = ""


def propose(app: App, proposals: Sequence[Proposal]) -> list[Proposal]:
    """Files candidates at one stroke, in order, none twice. Raises FileDamaged, LockBusy, IoFailed."""
    if not proposals:
        return []
    with control.editing(app) as edit:
        found = [_propose_one(edit, each) for each in proposals]
    return found


def _propose_one(edit: ContractEdit, given: Proposal) -> Proposal:
    evidence = [{key: text[:QUOTE_CHARS] for key, text in each.items()} for each in given.evidence[:QUOTES]]
    made = given._replace(text=collapse(given.text), evidence=tuple(evidence))
    for each in list_known(edit.contract, edit.events, edit.now):  # what it doubles, or the operator would not have
        aside = each.how == "set aside" and (each.type in AGAINST) == (made.type in AGAINST)
        covered = each.how != "set aside" and made.type in control.COVERS.get(each.type, "")
        if (aside or covered) and control.is_same(each.text, made.text):
            reason = f"{each.type}: {each.text}{':' * aside} {each.told}"
            return made._replace(outcome=OUTCOMES[each.how], id=each.id, expires_at=each.expires_at, reason=reason)
    known = {event.get("id") for event in edit.events}  # the same words, proposed again, are another candidate
    said = f"{made.type} {normal(made.text)} {edit.now.isoformat()}"
    ids = (f"c-{contract.digest(f'{said} {number}')[:8]}" for number in range(len(known) + 1))
    id = next(each for each in ids if each not in known)
    others = control.find_opposed(edit.contract.directives, made.type in AGAINST, made.text)
    expires = (edit.now + timedelta(days=edit.app.config.whole("behavior.candidate_ttl_days"))).isoformat()
    why = f"it contradicts {control.name(others)}" if others else ""
    made = made._replace(id=id, expires_at=expires, reason=why)
    filed = {name: getattr(made, name) for name in ("id", "type", "text", "confidence")}
    edit.tell("proposed", **filed, evidence=evidence, expiresAt=expires, source=LEARNED)
    return made
