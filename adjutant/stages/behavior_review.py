"""STAGE. behavior review: what the operator said of the answers becomes candidates; the contract is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjutant.app import App, Outcome, names, plural
from adjutant.domain.behavior import control, reviewing
from adjutant.domain.behavior.control import Proposal, Proposed
from adjutant.domain.telling import notices
from adjutant.errors import Stopped
from adjutant.judgements import asking, behavior_review, recording
from adjutant.judgements.behavior_review import Inputs, Known, Message, Pattern
from adjutant.records import behavior_history, journal
from adjutant.screening.fence import clean_line

if TYPE_CHECKING:
    import argparse

    from adjutant.domain.behavior.reviewing import Gathered
    from adjutant.records.contract import Directive

READS = names(
    """
    config env conversations interactions contract contract_pushed behavior_history journal notices
    schedule_state last_heartbeat actions prompts usage
    """
)
WRITES = names(
    """
    behavior journal notices notify_counts outbox schedule_state actions runs usage events interactions
    quarantine locks cache
    """
)
PROPOSED, NOTHING = "proposed", "nothing"
COMPLETED, STOPPED = "completed", "stopped"
LABEL, ADVICE = "[behavior] ", "advice"
SHOWN, QUOTE = 200, 120


class _Review:
    """One review under way."""

    def __init__(self, app: App) -> None:
        self.app, self.now = app, app.clock.now()
        self.asker = asking.Asker.for_app(app)
        self.since = reviewing.since(app)
        self.expired: tuple[Directive, ...] = ()
        self.gathered: Gathered = reviewing.Gathered((), 0, ())
        self.patterns: list[Pattern] = []
        self.came: list[Proposed] = []
        self.notice: str | None = None
        self.status = COMPLETED

    def run(self) -> None:
        """Expires, reads, asks, proposes, tells. Raises Stopped, ConfigInvalid, FileDamaged, LockBusy, IoFailed."""
        app = self.app
        self.expired = control.expire(app).expired
        self.gathered = reviewing.gather(app, self.since)
        for reason in self.gathered.damaged:
            app.say(f"left alone: {reason}")
        if self.gathered.left_out:
            app.say(f"{plural(self.gathered.left_out, 'older message')} left out: more was said than a review takes in")
        if self.gathered.messages:
            self._ask()
        self._tell()

    def _ask(self) -> None:
        said = [
            Message(each.record, each.ts, each.said, each.before, each.friction, list(each.signals))
            for each in self.gathered.messages
        ]
        known = [Known(*each) for each in reviewing.known(self.app)]
        result = self.asker.ask(behavior_review, Inputs(self.now.isoformat(), said, known)).result
        least = self.app.config.number("behavior.min_confidence")
        self.patterns = [each for each in result.patterns if each.confidence >= least and each.evidence]
        self.app.gate()
        self.came = control.propose(self.app, [_proposal(each) for each in self.patterns])

    def _tell(self) -> None:
        """The digest: first the notice, whose key stops a second one, then the journal, which shows it was told."""
        app = self.app
        waiting = reviewing.untold(app.files, self.now, app.config.whole("behavior.candidate_ttl_days"))
        if not waiting:
            return
        if app.config.flag("behavior.digest"):
            app.gate()
            text = LABEL + " · ".join(f"{each.type}: {each.text}" for each in waiting)
            self.notice = notices.for_app(app).send(text, f"{reviewing.STAGE}-{self.now.date()}", ADVICE).outcome
        app.gate()
        lines = [_digest(each, app.dry_run) for each in waiting]
        journal.entry(app.files, self.now, "Behaviour review", lines, dry_run=app.dry_run)


def _proposal(each: Pattern) -> Proposal:
    evidence = tuple({"quote": one.quote, "record": one.record} for one in each.evidence)
    return Proposal(each.type, each.text, each.confidence, evidence)


def _digest(each: behavior_history.Candidate, dry_run: bool) -> str:
    """A line of the journal. The id stands out in a wet run only: by that the next one knows that it was told."""
    sure = f"{each.confidence:.0%}" if each.confidence is not None else "?"
    quote = clean_line(str(each.evidence[0]["quote"]), QUOTE) if each.evidence else ""
    id = each.id if dry_run else reviewing.told(each.id)
    return f'{id} {each.type}: {clean_line(each.text, SHOWN)} ({sure}): "{quote}"'


def run(app: App, args: argparse.Namespace) -> Outcome:
    """{run, status, reason, dry_run, outcome, good_patterns[], bad_patterns[], candidates[], expired[], notice, since,
    read, left_out, model_calls, tokens, degraded}. A pattern has type, text, confidence, evidence[{record, quote}] and
    what came of it (`outcome`, `reason`); `candidates` are those proposed now; `read` counts messages.

    Raises ConfigInvalid, FileDamaged (a contract that cannot be read), LockBusy, IoFailed.
    """
    recording.prune(app.files, app.clock.now(), app.config.whole("runs.keep_days"))
    review = _Review(app)
    try:
        review.run()
    except Stopped:
        review.status = STOPPED
    return _outcome(review)


def _outcome(review: _Review) -> Outcome:
    app, asker = review.app, review.asker
    stopped = review.status == STOPPED
    rows = [_row(pattern, came) for pattern, came in zip(review.patterns, review.came, strict=False)]
    proposed = [each for each in review.came if each.outcome == PROPOSED]
    result: dict[str, Any] = {
        "run": app.run,
        "status": review.status,
        "reason": "paused" if stopped else None,
        "dry_run": app.dry_run,
        "outcome": PROPOSED if proposed else NOTHING,
        "good_patterns": [row for row, each in zip(rows, review.patterns, strict=False) if each.polarity == "good"],
        "bad_patterns": [row for row, each in zip(rows, review.patterns, strict=False) if each.polarity == "bad"],
        "candidates": [_candidate(review, each) for each in proposed],
        "expired": [each.row() for each in review.expired],
        "notice": review.notice,
        "since": review.since.isoformat(),
        "read": len(review.gathered.messages),
        "left_out": review.gathered.left_out,
        "model_calls": asker.calls,
        "tokens": asker.tokens,
        "degraded": asker.degraded,
    }
    actions = (
        [
            ("adjutant behavior promote <id>", "make it a directive", {"id": "a candidate"}),
            ("adjutant behavior reject <id>", "set it aside", {"id": "a candidate"}),
        ]
        if proposed
        else []
    )
    return Outcome(result, _lines(review, proposed), next_actions=actions)


def _row(pattern: Pattern, came: Proposed) -> dict[str, Any]:
    return {
        "type": pattern.type,
        "text": pattern.text,
        "confidence": pattern.confidence,
        "evidence": [{"record": each.record, "quote": each.quote} for each in pattern.evidence],
        "outcome": came.outcome,
        "reason": came.reason or None,
    }


def _candidate(review: _Review, each: Proposed) -> dict[str, Any]:
    """As `behavior candidates` has it."""
    return {
        "id": each.id,
        "type": each.type,
        "text": each.text,
        "confidence": each.confidence,
        "evidence": list(each.evidence),
        "createdAt": review.now.isoformat(),
        "expiresAt": each.expires_at,
        "status": "pending",
    }


def _lines(review: _Review, proposed: Sequence[Proposed]) -> list[str]:
    app = review.app
    lines = [
        clean_line(f"{each.id}  {each.line}: {'would be ' if app.dry_run else ''}expired", SHOWN)
        for each in review.expired
    ]
    for each in proposed:
        lines.append(clean_line(f"{each.id}  {each.type}: {each.text}  ({each.confidence:.0%})", SHOWN))
        lines += [f'    "{clean_line(row["quote"], QUOTE)}" ({row["record"]})' for row in each.evidence[:3]]
        lines += [f"    {clean_line(each.reason, SHOWN)}"] if each.reason else []
    told = plural(len(proposed), "candidate") if proposed else "nothing new to propose"
    lines.append(
        f"behavior review: {told} from {plural(len(review.gathered.messages), 'message')} since "
        f"{review.since:%Y-%m-%d %H:%M}{' (dry run)' if app.dry_run else ''}"
    )
    if review.asker.told:
        lines.append(review.asker.told)
    if review.status == STOPPED:
        lines.append("behavior review: stopped, paused")
    return lines
