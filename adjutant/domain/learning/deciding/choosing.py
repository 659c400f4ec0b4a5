"""DOMAIN. Which drafts become suggestions: those that fit a file, are new, and weigh most; the others in words.

A matter that waits, stands or was refused is not brought up again. Its words shift from look to look, as new turns join
it: what is alike counts as the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from adjutant.clock import Clock, moment
from adjutant.domain.learning.deciding import acting
from adjutant.domain.learning.deciding.report import ReportWords, word
from adjutant.domain.learning.suggestions import diffs, placing, target
from adjutant.errors import AdjutantError
from adjutant.records import behavior_history, contract, evolution_log
from adjutant.records.evolution_log import Held, State
from adjutant.records.finding import USELESS_NOTICES, Analysis, Quote
from adjutant.records.sections import tokens
from adjutant.records.suggestion import (
    ACCEPTED,
    DIRECTIVE,
    PENDING,
    REJECTED,
    REVERTED,
    UNKNOWN,
    Change,
    Draft,
    Rehearsal,
    Suggestion,
)
from adjutant.store.files import sha256

if TYPE_CHECKING:
    from adjutant.app import App

MOST = 12  # suggestions a look
MAX_DIFF = 1024 * 1024  # characters: a record has to stay one that can be read
QUIET, TOLD = timedelta(days=90), timedelta(days=30)  # after a no; after it was told in words
ALIKE = 0.6  # of the words of two subjects, both together
DIGITS = 16
SHARED = [name for name in Draft.__struct_fields__ if name in Suggestion.__struct_fields__]
LONG_AGO = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Fresh(NamedTuple):
    """A draft that would be new, placed. `change` None: a directive. `replaces`: the id of one whose file changed."""

    draft: Draft
    change: Change | None
    fingerprint: str
    replaces: str = ""


class Chosen:
    """`fresh` by weight, `waiting` what was found again and waits already, by id, `words` for what has no diff.

    `told`: fingerprints of the words that no recent report held.
    """

    def __init__(self, app: App, state: State) -> None:
        self._app, self._state = app, state
        self.fresh: list[Fresh] = []
        self.waiting: dict[str, Held] = {}
        self.words: list[ReportWords] = []
        self.told: list[str] = []

    def take(self, draft: Draft) -> None:
        """One draft. Raises FileDamaged, IoFailed."""
        change = None if draft.kind == DIRECTIVE else placing.place(self._app, draft)
        if isinstance(change, Change) and len(diffs.unified(change)) > MAX_DIFF:
            change = "its diff is too long for anybody to read"
        if isinstance(change, str):
            if not change.startswith(placing.STANDS):
                self.tell(draft, change)
            return
        path = self._app.tree.relative(self._app.tree.behavior_history) if change is None else change.path
        print = fingerprint(draft, path, change is not None and change.before is None)
        if any(each.fingerprint == print for each in self.fresh):
            return
        held = find_earlier(self._state, self._app.clock, draft, print)
        if held is None:
            self._add(Fresh(draft, change, print))
        elif held.status == PENDING and not acting.fits(self._app.files, self._state, held.suggestion):
            self._add(Fresh(draft, change, print, held.suggestion.id))
        elif held.status == PENDING:
            self.waiting[held.suggestion.id] = held

    def renew(self) -> None:
        """Those that wait, whose file a person has changed elsewhere since: the same lines, where they stand now."""
        replaced = {each.replaces for each in self.fresh}
        for id, held in self._state.held.items():
            if held.status == PENDING and id not in replaced and id not in self.waiting:
                change = _renew(self._app, self._state, held.suggestion)
                if change is not None:
                    draft = Draft(text="", **{name: getattr(held.suggestion, name) for name in SHARED})
                    self._add(Fresh(draft, change, held.suggestion.fingerprint, id))

    def set_aside(self, fresh: Fresh, why: str) -> None:
        """One of the fresh ones is told in words."""
        self.fresh.remove(fresh)
        self.tell(fresh.draft, why)

    def tell(self, draft: Draft, why: str) -> None:
        """A draft that leads to no diff; news where no recent report held it."""
        self.words.append(ReportWords(draft.title, why, draft.evidence))
        print, since = fingerprint(draft, "", False), self._app.clock.now() - TOLD
        if not any(print in run.told for run in self._state.runs if (moment(run.ts) or LONG_AGO) >= since):
            self.told.append(print)

    def _add(self, fresh: Fresh) -> None:
        if len(self.fresh) < MOST:
            self.fresh.append(fresh)


def choose(app: App, state: State, analysis: Analysis, drafts: Sequence[Draft]) -> Chosen:
    """What is new in `drafts`, and what waits with a diff that no longer fits. Raises FileDamaged, IoFailed."""
    chosen = Chosen(app, state)
    for draft in sorted(drafts, key=lambda each: -each.weight):
        chosen.take(draft)
    chosen.renew()
    drafted = {(each.cause, each.subject) for each in drafts}
    chosen.words += [word(each) for each in analysis.findings if (each.cause, each.subject) not in drafted]
    return chosen


def _renew(app: App, state: State, each: Suggestion) -> Change | None:
    """Its change for the file as it is; None where it fits as it is, or for certain nowhere, or stands there."""
    if each.kind == DIRECTIVE or acting.fits(app.files, state, each):
        return None
    try:
        text = app.files.read(app.tree.inside(each.path)).decode()
    except (FileNotFoundError, UnicodeDecodeError, AdjutantError):
        return None
    added = {line[1:] for line in each.diff.split("\n")[2:] if line.startswith("+") and line[1:].strip()}
    after = None if added and added <= set(text.split("\n")) else diffs.move(text, each.diff)
    if after is None or after == text or target.why_refused(app.files, app.config, each.kind, each.path):
        return None
    unfit = target.why_unfit(app.files, app.config, each.kind, each.path, text, after)
    return None if unfit else Change(each.path, text, after)


# -- what was suggested before -------------------------------------------------------------------------------


def fingerprint(draft: Draft, path: str, is_new: bool) -> str:
    """The same for the same kind, cause, path and subject; the name of a new file is left out, it may differ."""
    place = path.rpartition("/")[0] if is_new else path
    return sha256("\0".join((draft.kind, draft.cause, place, draft.subject)).encode("utf-8", "replace"))[:DIGITS]


def find_earlier(state: State, clock: Clock, draft: Draft, print: str) -> Held | None:
    """The earlier suggestion because of which a draft with this fingerprint is not made; None where it is new."""
    for held in reversed(state.held.values()):
        if is_taken(held, clock) and (held.suggestion.fingerprint == print or _same(held.suggestion, draft)):
            return held
    return None


def is_taken(held: Held, clock: Clock) -> bool:
    """Whether the same as a suggestion is not to be made again: it waits, stands, or was refused of late."""
    if held.status in (PENDING, ACCEPTED):
        return True
    return held.status in (REJECTED, REVERTED) and clock.now() - (moment(held.since) or LONG_AGO) < QUIET


def _same(old: Suggestion, draft: Draft) -> bool:
    """Whether two are about one matter, by the words of their subjects, and where these differ by what shows them."""
    if (old.kind, old.cause) != (draft.kind, draft.cause) or " " not in f"{old.subject}{draft.subject}":
        return False
    mine, theirs = set(old.subject.split()), set(draft.subject.split())
    if len(mine & theirs) >= ALIKE * len(mine | theirs):
        return True
    shown, now = _places(old.evidence), _places(draft.evidence)
    return bool(mine & theirs) and 2 * len(shown & now) > min(len(shown), len(now)) > 0


def _places(evidence: Iterable[Quote]) -> set[str]:
    return {quote.ref for quote in evidence if quote.text}


# -- a suggestion --------------------------------------------------------------------------------------------


def make_suggestion(app: App, fresh: Fresh, rehearsal: Rehearsal, report: str) -> Suggestion:
    """What is put on record and into the report. Raises FileDamaged, IoFailed."""
    draft, change = fresh.draft, fresh.change
    if change is None:
        change = Change(app.tree.relative(app.tree.behavior_history), None, None)
        diff, block = f"+{draft.text}", tokens(contract.block(behavior_history.read_contract(app.files)))
        cost = block, block + tokens(f"{draft.text}\n")
    else:
        diff, cost = diffs.unified(change), target.count_tokens(change, app.config)
    told = {name: getattr(draft, name) for name in SHARED} | {"effect": expect_effect(draft, rehearsal)}
    return evolution_log.identified(
        Suggestion(
            id="",
            ts=app.clock.now().isoformat(),
            run=app.run,
            fingerprint=fresh.fingerprint,
            path=change.path,
            diff=diff,
            before_sha=_sha(change.before),
            after_sha=_sha(change.after),
            rehearsal=rehearsal,
            tokens_before=cost[0],
            tokens_after=cost[1],
            report=report,
            **told,
        )
    )


def expect_effect(draft: Draft, rehearsal: Rehearsal) -> str:
    """What should come of a draft: as it says, but for a zone that by its rehearsal changes nothing today."""
    if draft.cause != USELESS_NOTICES or rehearsal.method == UNKNOWN or rehearsal.total:
        return draft.effect
    return "Today it changes nothing: what is open now is raised, or not, as before."


def _sha(text: str | None) -> str:
    return "" if text is None else sha256(text.encode())


def free_name(app: App, state: State, hour: str) -> str:
    """Where the report of this hour goes: the first name that no report has or had."""
    tree, had = app.tree, {each.report for each in state.runs}
    name, number = tree.evolution_report(hour), 1
    while app.files.exists(name) or tree.relative(name) in had:
        number += 1
        name = tree.evolution_report(f"{hour}-{number}")
    return tree.relative(name)
