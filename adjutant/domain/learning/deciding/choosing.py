"""DOMAIN. Which drafts become suggestions: those that fit a file, are new, and weigh most; the others in words.

A matter that waits, stands or was refused is not brought up again. Its words shift from look to look, as new turns join
it: what is alike counts as the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from adjutant.app import App
from adjutant.clock import Clock, moment
from adjutant.domain.learning.deciding import acting
from adjutant.domain.learning.deciding.report import ReportWords, word
from adjutant.domain.learning.suggestions import placing, target
from adjutant.records import evolution_log
from adjutant.records import suggestion as kinds
from adjutant.records.evolution_log import Held, State
from adjutant.records.suggestion import Analysis, Change, Draft, Rehearsal, Suggestion
from adjutant.store.files import sha256, state_of

MOST = 12  # suggestions a look
MAX_DIFF = 1024 * 1024  # characters: a record has to stay one that can be read
QUIET, TOLD = timedelta(days=90), timedelta(days=30)  # after a no; after it was told in words
NEWS = 0.3  # the weight from which on words alone are worth a report
ALIKE = 0.6  # of the words of two subjects, both together
DIGITS = 16
LONG_AGO = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Fresh(NamedTuple):
    """A draft that would be new, placed. `replaces`: the id of one whose file changed."""

    draft: Draft
    change: Change
    fingerprint: str
    replaces: str = ""


class Chosen(NamedTuple):
    """`fresh` by weight, `waiting` what was found again and waits already, by id, `words` for what has no diff.

    `told`: fingerprints of the words that no recent report held.
    """

    fresh: list[Fresh]
    waiting: dict[str, Held]
    words: list[ReportWords]
    told: list[str]


def choose(app: App, state: State, analysis: Analysis, drafts: Sequence[Draft]) -> Chosen:
    """What is new in `drafts`, and in words what leads to none. Raises FileDamaged, IoFailed."""
    chosen, since = Chosen([], {}, [], []), app.clock.now() - TOLD
    told = {print for run in state.runs if (moment(run.ts) or LONG_AGO) >= since for print in run.told}
    for draft in sorted(drafts, key=lambda each: -each.weight):
        _take(app, state, chosen, told, draft)
    drafted = {(each.cause, each.subject) for each in drafts}
    for each in analysis.findings:
        if (each.cause, each.subject) not in drafted:
            chosen.words.append(word(each))
            print = _hash(each.cause, each.subject)
            chosen.told.extend([print] if each.weight >= NEWS and print not in told else [])
    return chosen


def _take(app: App, state: State, chosen: Chosen, told: set[str], draft: Draft) -> None:
    """One draft. Raises FileDamaged, IoFailed."""
    change = placing.place(app, draft)
    if isinstance(change, Change) and len(target.render_diff(change)) > MAX_DIFF:
        change = "its diff is too long for anybody to read"
    if isinstance(change, str):
        if not change.startswith(placing.STANDS):
            chosen.words.append(ReportWords(draft.title, change, draft.evidence))
            chosen.told.extend({fingerprint(draft, "", False)} - told)
        return
    print = fingerprint(draft, change.path, change.before is None)
    held = find_earlier(state, app.clock, draft, print)
    if held is not None and held.status == kinds.PENDING and acting.fits(app.files, state, held.suggestion):
        chosen.waiting[held.suggestion.id] = held
        return
    decided = held is not None and held.status != kinds.PENDING
    if not decided and len(chosen.fresh) < MOST and all(each.fingerprint != print for each in chosen.fresh):
        chosen.fresh.append(Fresh(draft, change, print, "" if held is None else held.suggestion.id))


# -- what was suggested before -------------------------------------------------------------------------------


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace"))[:DIGITS]


def fingerprint(draft: Draft, path: str, is_new: bool) -> str:
    """The same for the same kind, cause, path and subject; the name of a new file is left out, it may differ."""
    return _hash(draft.kind, draft.cause, path.rpartition("/")[0] if is_new else path, draft.subject)


def find_earlier(state: State, clock: Clock, draft: Draft, print: str) -> Held | None:
    """The earlier suggestion because of which a draft with this fingerprint is not made; None where it is new."""
    for held in reversed(state.held.values()):
        if is_taken(held, clock) and (held.suggestion.fingerprint == print or _is_same(held.suggestion, draft)):
            return held
    return None


def is_taken(held: Held, clock: Clock) -> bool:
    """Whether the same as a suggestion is not to be made again: it waits, stands, or was refused of late."""
    if held.status in (kinds.PENDING, kinds.ACCEPTED):
        return True
    return held.status in (kinds.REJECTED, kinds.REVERTED) and clock.now() - (moment(held.since) or LONG_AGO) < QUIET


def _is_same(old: Suggestion, draft: Draft) -> bool:
    """Whether two are about one matter, by the words of their subjects, and where these differ by what shows them."""
    if (old.kind, old.cause) != (draft.kind, draft.cause) or " " not in f"{old.subject}{draft.subject}":
        return False
    mine, theirs = set(old.subject.split()), set(draft.subject.split())
    if len(mine & theirs) >= ALIKE * len(mine | theirs):
        return True
    shown, now = ({quote.ref for quote in each.evidence if quote.text} for each in (old, draft))
    return bool(mine & theirs) and 2 * len(shown & now) > min(len(shown), len(now)) > 0


# -- a suggestion --------------------------------------------------------------------------------------------


def make_suggestion(app: App, fresh: Fresh, rehearsal: Rehearsal, report: str) -> Suggestion:
    """What is put on record and into the report."""
    change, cost = fresh.change, target.count_tokens(fresh.change, app.config)
    return evolution_log.give_id(
        Suggestion(
            **msgspec.structs.asdict(fresh.draft),
            id="",
            ts=app.clock.now().isoformat(),
            run=app.run,
            fingerprint=fresh.fingerprint,
            path=change.path,
            diff=target.render_diff(change),
            before_sha=state_of(change.before),
            after_sha=state_of(change.after),
            rehearsal=rehearsal,
            tokens_before=cost[0],
            tokens_after=cost[1],
            report=report,
        )
    )


def free_name(app: App, state: State, hour: str) -> str:
    """Where the report of this hour goes: the first name that no report has or had."""
    tree, had = app.tree, {each.report for each in state.runs}
    name, number = tree.evolution_report(hour), 1
    while app.files.exists(name) or tree.relative(name) in had:
        number += 1
        name = tree.evolution_report(f"{hour}-{number}")
    return tree.relative(name)
