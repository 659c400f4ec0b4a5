"""DOMAIN. Everything an analysis looks at, read once: interactions by time, and the talks that they were part of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeVar

from adjutant.app import App
from adjutant.domain.behavior import own_words, reviewing
from adjutant.domain.behavior.reviewing import SaidLine
from adjutant.records import interactions
from adjutant.records.interactions import CYCLE, Interaction
from adjutant.records.suggestion import Finding, Quote, excerpt

DAYS = timedelta(days=30)  # what a window is compared with, and how far back what returns is looked for
LONGEST = timedelta(days=365)  # that is ever looked at: an edited line of the log may name any year
SITTING = timedelta(hours=6)  # of silence: what is said after it in the same session is said on another occasion
EVIDENCE = 8
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
    said: SaidLine | None = None


class Material:
    """What is known of the time until `until`. `since`: where the window begins.

    `turns`: turns and tasks of the 30 days before the window and all after, oldest first; `cycles` likewise. `month`:
    the turns of the last 30 days, or of a window that is longer; `lately`: of the last 30 days. `said`: all that the
    operator said in that time; by the record of each its `occasions` and the turn that it `begun`. `first`: when the
    record begins.
    """

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
        said = {each.record: each for each in self.said}
        self.turns = [
            Exchange(each, at, self.occasions.get(each.message, f"{each.session or each.id} -"), said.get(each.message))
            for at, each in known
            if each.kind != CYCLE
        ]
        self.month = self.after(self.month_began)
        self.lately = self.after(until - DAYS)
        self.items_before = {id for at, each in every if at <= until - DAYS for id in each.items}
        self.begun = {turn.was.message: turn for turn in self.turns if turn.said is not None}

    def after(self, moment: datetime, until: datetime | None = None) -> list[Exchange]:
        """The turns after one moment, up to another."""
        return [each for each in self.turns if moment < each.at and (until is None or each.at <= until)]

    def quote(self, said: SaidLine, sentence: str, of: Interaction | None = None) -> Quote:
        """Words of a message as evidence; `of`: the interaction that they prove something of, else their own turn."""
        turn, (session, _, id) = self.begun.get(said.record), said.record.rpartition("/")
        proved = of or (turn.was if turn is not None else None)
        path = self.files.tree.relative(self.files.tree.conversation(session))
        return Quote(proved.id if proved is not None else "", f"{path}#{id}", excerpt(sentence))

    def quote_asked(self, turn: Exchange) -> Quote:
        """What the operator asked in a turn, or the bare event where no words of his own are on record."""
        if turn.said is not None and (sentences := own_words.split(turn.said.said)):
            return self.quote(turn.said, sentences[0], turn.was)
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


def _find_occasions(said: Iterable[SaidLine]) -> dict[str, str]:
    """{record: the session, and which sitting of it}."""
    found, last = dict[str, str](), dict[str, tuple[datetime, int]]()
    for each in said:
        session, at = each.record.rpartition("/")[0], datetime.fromisoformat(each.ts)
        before, sitting = last.get(session, (at, 0))
        last[session] = at, sitting + (at - before > SITTING)
        found[each.record] = f"{session} {last[session][1]}"
    return found
