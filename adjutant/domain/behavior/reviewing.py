"""DOMAIN. What a behaviour review looks at: the operator's own words of the days since the last one, and what is known.

Only the operator's messages are evidence. What an agent answered, how much that rubbed, and what stands, waits or was
set aside already is read beside them; a stranger's words are not read at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from adjutant.clock import moment
from adjutant.domain.behavior import candidates, own_words
from adjutant.domain.schedule import past
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, contract, conversation, interactions
from adjutant.records.conversation import AGENT
from adjutant.screening.screen import screen

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.records.interactions import Interaction
    from adjutant.store.files import Files

STAGE = "behavior-review"
SHORTEST, LONGEST = timedelta(hours=24), timedelta(days=7)
MOST, MOST_CHARS, OWN_CHARS, BEFORE_CHARS = 400, 60_000, 2000, 300


class SaidLine(msgspec.Struct, frozen=True):
    """The operator's own words in a message. `handle`: how the prompt names it; `record`: SESSION/ID; `before`: the
    beginning of the answer it stands behind, "" for none. Of the turn that it follows on, else of its own: `signals`
    (what rubbed), the `interaction`, its `workload`, `said_to` (who answered) and `skills`."""

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
    """What is not to be proposed again. `how`: stands, waits, set aside."""

    type: str
    text: str
    how: str


class ReviewTalk(NamedTuple):
    """The messages, oldest first; how many older ones there was no room for; what could not be read."""

    messages: tuple[SaidLine, ...]
    left_out: int
    damaged: tuple[str, ...]


def find_start(app: App) -> datetime:
    """From when on messages are looked at: the last review that ran, a day ago at the latest, a week at the earliest.

    Raises IoFailed.
    """
    now = app.clock.now()
    runs = [run for run in past.read(app.files, app.clock, [STAGE])[1][STAGE].runs if run <= now]
    last = max(runs, default=now - SHORTEST)
    return app.clock.local(max(min(last, now - SHORTEST), now - LONGEST).timestamp())


def gather(app: App, begin: datetime, chars: int = MOST_CHARS) -> ReviewTalk:
    """What the operator said since `begin`, in every session, the newest in so many characters. Raises IoFailed."""
    rubbed = {each.message: each for each in interactions.read(app.files) if each.message}
    found: list[tuple[datetime, SaidLine]] = []
    damaged: list[str] = []
    for name in app.files.names(app.tree.conversations):
        if name.endswith(".jsonl"):
            try:
                found += _read_session(app, name.removesuffix(".jsonl"), begin, rubbed)
            except (AdjutantError, OSError) as error:
                damaged.append(error.message if isinstance(error, AdjutantError) else f"conversations/{name}: {error}")
    found.sort(key=lambda each: each[0])
    kept = _that_fit([line for _, line in found], chars)
    lines = (msgspec.structs.replace(each, handle=f"m{number}") for number, each in enumerate(kept, start=1))
    return ReviewTalk(tuple(lines), len(found) - len(kept), tuple(damaged))


def _read_session(
    app: App, session: str, begin: datetime, rubbed: dict[str, Interaction]
) -> Iterator[tuple[datetime, SaidLine]]:
    seen: set[str] = set()
    before = asked = ""
    for each in conversation.newest(app.files, session):
        if each.role == AGENT:
            before = each.text
        elif each.id not in seen:
            seen.add(each.id)
            name, at = f"{session}/{each.id}", moment(each.ts)
            if at is not None and begin <= at <= app.clock.now() and (said := _own(each.text)):
                behind = rubbed.get(asked) if before else None
                answer, was = " ".join(before.split())[:BEFORE_CHARS], behind or rubbed.get(name)
                signals = behind.friction_signals if behind is not None else ()
                about = () if was is None else (was.id, was.concept, was.agent, was.skills)
                yield at, SaidLine("", name, at.isoformat(), said, answer, signals, *about)
            before, asked = "", name


def _own(text: str) -> str:
    """Own words without the lines that order an assistant about: somebody wrote these to be passed on."""
    said = own_words.read_outright(text)
    ordering = {hit.line for hit in screen(said)}
    kept = (line for number, line in enumerate(said.split("\n"), 1) if number not in ordering)
    return "\n".join(kept).strip()[:OWN_CHARS]


def _that_fit(found: Sequence[SaidLine], room: int) -> list[SaidLine]:
    """The newest there is room for, oldest first."""
    kept = list[SaidLine]()
    for each in reversed(found[-MOST:]):
        room -= len(each.said) + len(each.before)
        if room < 0:
            break
        kept.append(each)
    return kept[::-1]


def read_known(app: App) -> list[KnownDirective]:
    """What stands in the contract, waits for the operator, or was set aside lately. Raises FileDamaged, IoFailed."""
    now, events = app.clock.now(), behavior_history.read(app.files)
    found = [
        KnownDirective(each.type, each.text, "stands") for each in behavior_history.read_contract(app.files).directives
    ]
    ttl = app.config.whole("behavior.candidate_ttl_days")
    found += [
        KnownDirective(each.type, each.text, "waits")
        for each in behavior_history.candidates(events, now, ttl)
        if each.status == "pending"
    ]
    gone = behavior_history.list_gone(events, now, candidates.QUIET_DAYS)
    return [*found, *(KnownDirective(type, text, "set aside") for type, text, _ in gone)]


def mark(id: str) -> str:
    """A candidate's id as the digest in the journal has it."""
    return f"**{id}**"


def find_untold(files: Files, now: datetime, ttl_days: int) -> list[behavior_history.Candidate]:
    """Candidates of reviews that wait and that no journal names: those of this run, and of one that was killed before
    it could write its digest. Raises FileDamaged, IoFailed."""
    events = behavior_history.read(files)
    mine = {
        event.get("id")
        for event in events
        if event.get("event") == "proposed" and event.get("source") == contract.SOURCES[1]
    }
    journals: dict[str, str] = {}
    found = []
    for each in behavior_history.candidates(events, now, ttl_days):
        if each.status != "pending" or each.id not in mine:
            continue
        days = (each.created_at[:10], now.date().isoformat())
        for day in days:
            journals.setdefault(day, _journal(files, day))
        if not any(mark(each.id) in journals[day] for day in days):
            found.append(each)
    return found


def _journal(files: Files, day: str) -> str:
    try:
        return files.text(files.tree.journal_of(day))
    except (FileNotFoundError, AdjutantError):
        return ""  # damage is named by whoever reads journals; the digest is written once more
