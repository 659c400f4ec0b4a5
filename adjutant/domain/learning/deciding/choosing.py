"""DOMAIN. Which drafts become suggestions: those that fit a file, are new, and weigh most; the others in words.

A matter that waits, stands or was refused is not brought up again. Its words shift from look to look, as new turns join
it: what is alike counts as the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from adjutant.app import App
from adjutant.clock import Clock, moment
from adjutant.domain.learning.deciding import acting
from adjutant.domain.learning.deciding.report import ReportWords, word
from adjutant.domain.learning.suggestions import placing, target
from adjutant.records import evolution_log
from adjutant.records import suggestion as kinds
from adjutant.records.evolution_log import Held, Proposed, State
from adjutant.records.suggestion import Analysis, Change, Draft, Rehearsal, Suggestion
from adjutant.store.files import sha256, state_of

MOST = 12  # suggestions a look
MAX_DIFF = 1024 * 1024  # characters: a record has to stay one that can be read
QUIET, TOLD = timedelta(days=90), timedelta(days=30)  # after a no; after it was told in words
NEWS = 0.3  # the weight from which on words alone are worth a report
ALIKE = 0.6  # of the words of two subjects, both together
DIGITS = 16
LONG_AGO = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Chosen(NamedTuple):
    """`fresh` by weight, `words` for what has no diff; `report`: where they will be told; `told`: fingerprints of the
    words that no recent report held."""

    report: str
    fresh: list[Proposed]
    words: list[ReportWords]
    told: list[str]


def choose(
    app: App, state: State, analysis: Analysis, drafts: Sequence[Draft], rehearse: Callable[[Change], Rehearsal]
) -> Chosen:
    """What is new in `drafts`, each rehearsed, and in words what leads to none. Raises FileDamaged, IoFailed."""
    now = app.clock.now()
    chosen = Chosen(_find_name(app, state, f"{now:%Y-%m-%d-%H}"), [], [], [])
    told = {print for run in state.runs if (moment(run.ts) or LONG_AGO) >= now - TOLD for print in run.told}
    for draft in sorted(drafts, key=lambda each: -each.weight):
        change = placing.place(app, draft)
        if isinstance(change, Change) and len(target.render_diff(change)) > MAX_DIFF:
            change = "its diff is too long for anybody to read"
        if isinstance(change, Change):
            _take(app, state, chosen, draft, change, rehearse)
        elif not change.startswith(placing.STANDS):
            chosen.words.append(ReportWords(draft.title, change, draft.evidence))
            chosen.told.extend({fingerprint(draft, "", False)} - told)
    drafted = {(each.cause, each.subject) for each in drafts}
    for each in analysis.findings:
        if (each.cause, each.subject) not in drafted:
            chosen.words.append(word(each))
            print = _hash(each.cause, each.subject)
            chosen.told.extend([print] if each.weight >= NEWS and print not in told else [])
    return chosen


def _take(
    app: App, state: State, chosen: Chosen, draft: Draft, change: Change, rehearse: Callable[[Change], Rehearsal]
) -> None:
    """One draft that fits its file: new, known already, or one too many."""
    print = fingerprint(draft, change.path, change.before is None)
    held = _find_earlier(state, app.clock, draft, print)
    known = any(each.suggestion.fingerprint == print for each in chosen.fresh) or len(chosen.fresh) >= MOST
    waits = held is not None and held.status == kinds.PENDING
    if known or (held is not None and (not waits or acting.fits(app.files, state, held.suggestion))):
        return
    before, after = target.count_tokens(change, app.config)
    about: dict[str, Any] = {"ts": app.clock.now().isoformat(), "run": app.run}
    made = Suggestion(
        **msgspec.structs.asdict(draft),
        **about,
        id="",
        fingerprint=print,
        path=change.path,
        diff=target.render_diff(change),
        before_sha=state_of(change.before),
        after_sha=state_of(change.after),
        rehearsal=rehearse(change),
        tokens_before=before,
        tokens_after=after,
        report=chosen.report,
    )
    replaces = "" if held is None else held.suggestion.id
    chosen.fresh.append(Proposed(**about, suggestion=evolution_log.give_id(made), replaces=replaces))


def _find_name(app: App, state: State, hour: str) -> str:
    """Where the report of this hour goes: the first name that no report has or had."""
    tree, had = app.tree, {each.report for each in state.runs}
    name, number = tree.evolution_report(hour), 1
    while app.files.exists(name) or tree.relative(name) in had:
        number += 1
        name = tree.evolution_report(f"{hour}-{number}")
    return tree.relative(name)


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace"))[:DIGITS]


def fingerprint(draft: Draft, path: str, is_new: bool) -> str:
    """The same for the same kind, cause, path and subject; the name of a new file is left out, it may differ."""
    return _hash(draft.kind, draft.cause, path.rpartition("/")[0] if is_new else path, draft.subject)


def _find_earlier(state: State, clock: Clock, draft: Draft, print: str) -> Held | None:
    """The earlier suggestion because of which a draft with this fingerprint is not made; None where it is new."""
    for held in reversed(state.held.values()):
        if is_taken(held, clock) and (held.suggestion.fingerprint == print or _is_same(held.suggestion, draft)):
            return held
    return None


def is_new(app: App, state: State, each: Proposed) -> bool:
    """Whether nobody decided on its like while it was rehearsed."""
    held = _find_earlier(state, app.clock, each.suggestion, each.suggestion.fingerprint)
    return held is None or (held.suggestion.id == each.replaces and held.status == kinds.PENDING)


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
