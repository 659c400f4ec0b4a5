"""DOMAIN. Everything an analysis looks at, read once: interactions by time, and the talks that they were part of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from adjutant.app import App
from adjutant.clock import moment
from adjutant.domain.behavior import own_words
from adjutant.errors import FileDamaged, UsageError
from adjutant.records import conversation, interactions
from adjutant.records.conversation import OPERATOR, session_named
from adjutant.records.interactions import CYCLE, Interaction
from adjutant.records.suggestion import Finding, Quote, excerpt
from adjutant.store.files import Files

DAYS = timedelta(days=30)  # what a window is compared with, and how far back what returns is looked for
LONGEST = timedelta(days=365)  # that is ever looked at: an edited line of the log may name any year
SITTING = timedelta(hours=6)  # of silence: what is said after it in the same session is said on another occasion
TALK_BYTES, ALL_CHARS = 8 * 1024 * 1024, 96 * 1024 * 1024  # of one session's file, its newest; of all of them
MOST_CHARS = 20_000  # of one message
EVIDENCE = 8
T = TypeVar("T")


def choose_window(last_until: datetime | None, now: datetime, hours: int) -> tuple[datetime, datetime]:
    """(since, until): from the end of the last look, None for none, but at least `hours` and at most LONGEST back."""
    least, most = ((now.astimezone(UTC) - span).astimezone(now.tzinfo) for span in (timedelta(hours=hours), LONGEST))
    return (least if last_until is None else max(min(last_until, least), most)), now


class Utterance(NamedTuple):
    """A message of the operator's. `session`, `id`: where it is on record. `sitting`: the number of the occasion within
    the session."""

    session: str
    id: str
    at: datetime
    text: str
    sitting: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """His own words in it, as they stand."""
        return own_words.split(self.text)

    @property
    def occasion(self) -> str:
        """What tells two occasions apart: the session, and which sitting of it."""
        return f"{self.session} {self.sitting}"


class Exchange(NamedTuple):
    """A turn or task: its record, when, what the operator asked (None where no conversation holds it), and what he said
    next in that session."""

    was: Interaction
    at: datetime
    said: Utterance | None = None
    next: Utterance | None = None

    @property
    def occasion(self) -> str:
        """As an utterance's."""
        return self.said.occasion if self.said is not None else f"{self.was.session or self.was.id} -"


class Material:
    """What is known of the time until `until`. `since`: where the window begins.

    `turns`: turns and tasks of the 30 days before the window and all after, oldest first; `cycles` likewise. `month`:
    the turns of the last 30 days, or of a window that is longer; `lately`: of the last 30 days. `said`: every message
    of the operator's in their talks; `follows`: {(session, id) of a message: the turn before it}. `first`: when the
    record begins.
    """

    def __init__(self, app: App, since: datetime, until: datetime) -> None:
        self.app, self.files, self.config = app, app.files, app.config
        self.since, self.until = since, until
        self.month_began = min(since, until - DAYS)
        began = self.month_began - DAYS
        every = [(datetime.fromisoformat(each.ts), each) for each in interactions.read(app.files, until)]
        every = [(at, each) for at, each in every if at <= until]
        self.first = min((at for at, _ in every), default=until)
        known = [(at, each) for at, each in every if at > began]
        self.cycles = [(at, each) for at, each in known if each.kind == CYCLE]
        talks = _read_talks(app.files, {each.session for _, each in known if each.kind != CYCLE}, began, until)
        spoken = {
            f"{said.session}/{said.id}": (said, then) for talk in talks for said, then in zip_longest(talk, talk[1:])
        }
        self.turns = [Exchange(each, at, *spoken.get(each.message, ())) for at, each in known if each.kind != CYCLE]
        self.month = self.after(self.month_began)
        self.lately = self.after(until - DAYS)
        self.said = sorted((said for said, _ in spoken.values()), key=lambda each: (each.at, each.session, each.id))
        self.follows = {(turn.next.session, turn.next.id): turn for turn in self.month if turn.next is not None}
        self.items_before = {id for at, each in every if at <= until - DAYS for id in each.items}
        self._begun = {(turn.said.session, turn.said.id): turn for turn in self.turns if turn.said is not None}

    def after(self, moment: datetime, until: datetime | None = None) -> list[Exchange]:
        """The turns after one moment, up to another."""
        return [each for each in self.turns if moment < each.at and (until is None or each.at <= until)]

    def turn_of(self, said: Utterance) -> Exchange | None:
        """The turn in which something was said."""
        return self._begun.get((said.session, said.id))

    # -- evidence --------------------------------------------------------------------------------------------

    def quote(self, said: Utterance, sentence: str, of: Interaction | None = None) -> Quote:
        """Words of a message as evidence; `of`: the interaction that they prove something of, else their own turn."""
        turn = self.turn_of(said)
        id = of.id if of is not None else turn.was.id if turn is not None else ""
        path = self.files.tree.relative(self.files.tree.conversation(said.session))
        return Quote(id, f"{path}#{said.id}", excerpt(sentence))

    def quote_asked(self, turn: Exchange) -> Quote:
        """What the operator asked in a turn, or the bare event where no words of his own are on record."""
        if turn.said is not None and turn.said.sentences:
            return self.quote(turn.said, turn.said.sentences[0], turn.was)
        return self.event(turn.was)

    def prove(self, turns: Iterable[Exchange]) -> tuple[Quote, ...]:
        """What was asked in the newest of these."""
        return newest([self.quote_asked(turn) for turn in turns])

    def event(self, interaction: Interaction) -> Quote:
        """An interaction as evidence of nothing but itself."""
        path = self.files.tree.relative(self.files.tree.interactions)
        return Quote(interaction.id, f"{path}#{interaction.id}", "")


def make(
    cause: str,
    subject: str,
    evidence: Sequence[Quote],
    weight: float,
    workload: str = "",
    text: str = "",
    **figures: float,
) -> Finding:
    """A finding with the first of its evidence; its weight is at most 1."""
    told = {name: round(float(value), 3) for name, value in figures.items()}
    return Finding(cause, subject, told, tuple(evidence)[:EVIDENCE], workload, text, round(min(1.0, weight), 3))


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


def _read_talks(files: Files, sessions: Iterable[str], began: datetime, until: datetime) -> list[list[Utterance]]:
    """What the operator said in each session within a time, in order; what cannot be read was said by nobody."""
    talks: list[list[Utterance]] = []
    left = ALL_CHARS
    for session in sorted(sessions):
        try:
            told = conversation.newest(files, session_named(session), limit=min(TALK_BYTES, left))
        except (UsageError, FileDamaged):
            continue
        left = max(0, left - sum(len(line.text) for line in told))
        talk = dict[str, Utterance]()
        sitting, before = 0, None
        for line in told:
            at = moment(line.ts)
            if at is not None and began < at <= until and line.id not in talk:
                sitting += before is not None and at - before > SITTING
                before = at
                if line.role == OPERATOR:
                    talk[line.id] = Utterance(session, line.id, at, line.text[:MOST_CHARS], sitting)
        talks.append(list(talk.values()))
    return talks
