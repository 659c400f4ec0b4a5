"""STAGE. behavior review: what the operator said of the answers becomes candidates; the contract is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjutant.app import App, Args, Outcome, names, plural
from adjutant.domain.behavior import control, reviewing
from adjutant.domain.behavior.reviewing import Proposal, ReviewTalk
from adjutant.judgements import asking, behavior_review
from adjutant.judgements.behavior_review import Inputs, Pattern, name
from adjutant.records import behavior_history, journal
from adjutant.records.contract import AGAINST, Directive
from adjutant.screening.fence import clean_line

READS = names(
    "config env conversations interactions contract mirrors behavior_history journal schedule_state "
    "last_heartbeat actions prompts usage"
)
WRITES = names("behavior journal schedule_state actions runs usage events interactions quarantine locks cache")
PROPOSED, NOTHING = "proposed", "nothing"
OFFLINE = "offline: only what you asked for outright is proposed; a model would also read praise, complaints and hints"
SHOWN, QUOTE = 200, 120


class _BehaviorReview:
    """One review under way."""

    def __init__(self, app: App) -> None:
        self.app, self.now = app, app.clock.now()
        self.asker = asking.Asker(app)
        self.since = reviewing.find_start(app)
        self.expired: tuple[Directive, ...] = ()
        self.gathered: ReviewTalk = reviewing.ReviewTalk((), 0, ())
        self.patterns: list[Pattern] = []
        self.came: list[Proposal] = []
        self.offline = False
        self.refused: list[str] = []  # what the model proposed in vain, each with the reason

    def run(self) -> None:
        """Expires, reads, asks, proposes, notes. Raises Stopped, ConfigInvalid, FileDamaged, LockBusy, IoFailed."""
        app = self.app
        self.expired = control.expire(app).expired
        self.gathered = reviewing.gather(app, self.since)
        for reason in self.gathered.damaged:
            app.say(f"left alone: {reason}")
        if self.gathered.left_out:
            app.say(f"{plural(self.gathered.left_out, 'older message')} left out: more was said than a review takes in")
        if self.gathered.messages:
            self._ask()
        self._note()

    def _ask(self) -> None:
        inputs = Inputs(self.now.isoformat(), list(self.gathered.messages), reviewing.read_known(self.app))
        answered = self.asker.ask(behavior_review, inputs)
        self.offline = answered.backend == asking.OFFLINE
        least = self.app.config.number("behavior.min_confidence")
        made = [each for each in answered.result.proposals if each.quotes]
        self.patterns = [each for each in made if each.confidence >= least]
        unsure = [each for each in made if each.confidence < least]
        self.refused += answered.notes
        self.refused += [f"left out: {name(each)}: only {each.confidence:.0%} sure" for each in unsure]
        self.app.gate()
        self.came = reviewing.propose(self.app, [self._proposal(each) for each in self.patterns])
        told = ((each, each.reason or each.outcome) for each in self.came if each.outcome != PROPOSED)
        self.refused += [f"left out: {name(each)}: {why}" for each, why in told]

    def _proposal(self, each: Pattern) -> Proposal:
        return Proposal(each.type, each.text, each.confidence, tuple(self.evidence(each)))

    def evidence(self, each: Pattern) -> list[dict[str, str]]:
        """The quotes of a proposal, each with the record that it stands in."""
        records = {line.handle: line.record for line in self.gathered.messages}
        return [{"record": records[one.handle], "quote": one.quote} for one in each.quotes]

    def _note(self) -> None:
        """The digest goes into the journal, which shows that it was told; the next delivered one names it."""
        app = self.app
        waiting = reviewing.find_untold(app.files, self.now, app.config.whole("behavior.candidate_ttl_days"))
        if not waiting:
            return
        app.gate()
        lines = [_digest(each, app.dry_run) for each in waiting]
        journal.entry(app.files, self.now, "Behaviour review", lines, dry_run=app.dry_run)


def _digest(each: behavior_history.Candidate, dry_run: bool) -> str:
    """A line of the journal. The id stands out in a wet run only: by that the next one knows that it was told."""
    sure = f"{each.confidence:.0%}" if each.confidence is not None else "?"
    quote = clean_line(str(each.evidence[0]["quote"]), QUOTE) if each.evidence else ""
    id = each.id if dry_run else reviewing.mark(each.id)
    return f'{id} {each.type}: {clean_line(each.text, SHOWN)} ({sure}): "{quote}"'


def run(app: App, args: Args) -> Outcome:
    """{run, status, reason, dry_run, outcome, good_patterns[], bad_patterns[], candidates[], expired[], notice, since,
    read, left_out, refused[], model_calls, tokens, degraded}. A pattern has type, text, confidence, evidence[{record,
    quote}] and what came of it (`outcome`, `reason`); `candidates` are those proposed now; `refused` those that a model
    made in vain, each with the reason; `read` counts messages.

    Raises ConfigInvalid, FileDamaged (a contract that cannot be read), LockBusy, IoFailed.
    """
    review = _BehaviorReview(app)
    return _outcome(review, asking.conduct(app, review.run))


def _outcome(review: _BehaviorReview, status: str) -> Outcome:
    rows = [_row(review, pattern, came) for pattern, came in zip(review.patterns, review.came, strict=False)]
    proposed = [each for each in review.came if each.outcome == PROPOSED]
    told = {
        "outcome": PROPOSED if proposed else NOTHING,
        "good_patterns": [row for row in rows if row["type"] not in AGAINST],
        "bad_patterns": [row for row in rows if row["type"] in AGAINST],
        "candidates": [_candidate(review, each) for each in proposed],
        "expired": [each.row() for each in review.expired],
        "notice": None,  # advice is a line of the digest
        "since": review.since.isoformat(),
        "read": len(review.gathered.messages),
        "left_out": review.gathered.left_out,
        "refused": review.refused,
    }
    lines, follow = _lines(review, proposed), behavior_history.DECIDE if proposed else ()
    lines += review.asker.close("behavior review", status)
    return Outcome(review.asker.report(status, "", told), lines, next_actions=[*follow])


def _row(review: _BehaviorReview, pattern: Pattern, came: Proposal) -> dict[str, Any]:
    return {
        "type": pattern.type,
        "text": pattern.text,
        "confidence": pattern.confidence,
        "evidence": review.evidence(pattern),
        "why": pattern.reason,
        "outcome": came.outcome,
        "reason": came.reason or None,
    }


def _candidate(review: _BehaviorReview, each: Proposal) -> dict[str, Any]:
    told = (each.id, each.type, each.text, each.confidence, each.evidence, review.now.isoformat(), each.expires_at)
    return behavior_history.Candidate(*told, "pending").row()


def _lines(review: _BehaviorReview, proposed: Sequence[Proposal]) -> list[str]:
    app = review.app
    lines = [
        clean_line(f"{each.id}  {each.line}: {'would be ' if app.dry_run else ''}expired", SHOWN)
        for each in review.expired
    ]
    for each in proposed:
        lines.append(clean_line(f"{each.id}  {each.type}: {each.text}  ({each.confidence:.0%})", SHOWN))
        lines += [f'    "{clean_line(row["quote"], QUOTE)}" ({row["record"]})' for row in each.evidence[:3]]
        lines += [f"    {clean_line(each.reason, SHOWN)}"] if each.reason else []
    lines += [clean_line(each, SHOWN) for each in review.refused]
    told = plural(len(proposed), "candidate") if proposed else "nothing new to propose"
    lines.append(
        f"behavior review: {told} from {plural(len(review.gathered.messages), 'message')} since "
        f"{review.since:%Y-%m-%d %H:%M}{' (dry run)' if app.dry_run else ''}"
    )
    if review.offline:
        lines.append(OFFLINE)
    return lines
