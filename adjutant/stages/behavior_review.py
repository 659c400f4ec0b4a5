"""STAGE. behavior review: what the operator said of the answers becomes candidates; the contract is left alone."""

from collections.abc import Sequence

from adjutant.app import App, Args, Outcome, plural
from adjutant.domain.behavior import control, reviewing
from adjutant.judgements import asking, behavior_review
from adjutant.judgements.behavior_review import Inputs, name
from adjutant.records import behavior_history, contract, journal
from adjutant.screening.fence import clean_line

PROPOSED, NOTHING = "proposed", "nothing"
OFFLINE = "offline: only what you asked for outright is proposed; a model would also read praise, complaints and hints"
SHOWN, QUOTE = 200, 120


class _BehaviorReview:
    def __init__(self, app: App) -> None:
        self.app, self.now = app, app.clock.now()
        self.asker, self.since = asking.Asker(app), reviewing.find_start(app)
        self.expired: tuple[contract.Directive, ...] = ()
        self.messages, self.left_out = list[reviewing.SaidLine](), 0
        self.came: list[reviewing.Proposal] = []
        self.refused: list[str] = []  # what the model proposed in vain, each with the reason

    def run(self) -> None:
        app = self.app
        self.expired = control.expire(app).expired
        found, damaged = reviewing.read_talk(app, self.since)
        self.messages = reviewing.fit(found)
        for reason in damaged:
            app.say(f"left alone: {reason}")
        if left := len(found) - len(self.messages):
            self.left_out = left
            app.say(f"{plural(left, 'older message')} left out: more was said than a review takes in")
        if self.messages:
            self._ask()
        lines = list[str]()
        for each in reviewing.find_untold(app.files, self.now):
            id = each.id if app.dry_run else reviewing.mark(each.id)  # by its mark the next one knows it was told
            quote = clean_line(str(each.evidence[0]["quote"]), QUOTE) if each.evidence else ""
            lines.append(f'{id} {each.type}: {clean_line(each.text, SHOWN)} ({each.confidence or 0:.0%}): "{quote}"')
        if lines:
            app.gate()
            journal.entry(app.files, self.now, "Behaviour review", lines, dry_run=app.dry_run)

    def _ask(self) -> None:
        held, events = behavior_history.read_contract(self.app.files), behavior_history.read(self.app.files)
        inputs = Inputs(self.now.isoformat(), self.messages, reviewing.list_known(held, events, self.now))
        answered = self.asker.ask(behavior_review, inputs)
        self.refused += answered.notes
        least, records = self.app.config.number("behavior.min_confidence"), {each.handle: each for each in inputs.lines}
        made = list[reviewing.Proposal]()
        for each in answered.result.proposals:
            if each.confidence < least:
                self.refused.append(f"left out: {name(each)}: only {each.confidence:.0%} sure")
                continue
            evidence = tuple({"record": records[one.handle].record, "quote": one.quote} for one in each.quotes)
            made.append(reviewing.Proposal(each.type, each.text, each.confidence, evidence, each.reason))
        self.app.gate()
        self.came = reviewing.propose(self.app, made)
        told = ((each, each.reason or each.outcome) for each in self.came if each.outcome != PROPOSED)
        self.refused += [f"left out: {name(each)}: {why}" for each, why in told]


def run(app: App, args: Args) -> Outcome:
    """Also since, read (messages), left_out, refused[]: what a model proposed in vain, with the reason."""
    review = _BehaviorReview(app)
    status = asking.conduct(app, review.run)
    keys = ("type", "text", "confidence", "evidence", "why", "outcome")
    rows = [{key: getattr(each, key) for key in keys} | {"reason": each.reason or None} for each in review.came]
    proposed = [each for each in review.came if each.outcome == PROPOSED]
    filed = behavior_history.candidates(behavior_history.read(app.files), review.now) if proposed else []
    told = {
        "outcome": PROPOSED if proposed else NOTHING,
        "good_patterns": [row for row in rows if row["type"] not in contract.AGAINST],
        "bad_patterns": [row for row in rows if row["type"] in contract.AGAINST],
        "candidates": [each.row() for each in filed if each.id in {one.id for one in proposed}],
        "expired": [each.row() for each in review.expired],
        "notice": None,  # advice is a line of the digest
        "since": review.since.isoformat(),
        "read": len(review.messages),
        "left_out": review.left_out,
        "refused": review.refused,
    }
    lines = _lines(review, proposed) + review.asker.close("behavior review", status)
    follow = behavior_history.DECIDE if proposed else ()
    return Outcome(review.asker.report(status, "", told), lines, next_actions=follow)


def _lines(review: _BehaviorReview, proposed: Sequence[reviewing.Proposal]) -> list[str]:
    app = review.app
    lines = [clean_line(f"{each.id}  {each.line}: {app.would}expired", SHOWN) for each in review.expired]
    for each in proposed:
        lines.append(clean_line(f"{each.id}  {each.type}: {each.text}  ({each.confidence:.0%})", SHOWN))
        lines += [f'    "{clean_line(row["quote"], QUOTE)}" ({row["record"]})' for row in each.evidence[:3]]
        lines += [f"    {clean_line(each.reason, SHOWN)}"] if each.reason else []
    lines += [clean_line(each, SHOWN) for each in review.refused]
    told = plural(len(proposed), "candidate") if proposed else "nothing new to propose"
    said, since = plural(len(review.messages), "message"), f"{review.since:%Y-%m-%d %H:%M}"
    lines.append(f"behavior review: {told} from {said} since {since}{' (dry run)' if app.dry_run else ''}")
    offline = app.config.text("llm.backend") == asking.OFFLINE and review.messages
    return [*lines, OFFLINE] if offline else lines
